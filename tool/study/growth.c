/* Problems on which the growth of queries is measured, and the trials on them.
 * SPDX-License-Identifier: MIT
 *
 * f_i(x) = (1/2) sum_j a_ij (x_j - b_ij)^2, a_ij = a_j/2 or 3 a_j/2 by the toss of a coin, a_j from 1/kappa to 1 in even
 * ratios: smoothness and strong convexity are the same whatever n and d, so that each of n, d and kappa can be
 * changed alone. b_ij = (a_j^-1/2 + noise)/sqrt(d): every coordinate has the same part in F(0) - F*, about 1/2 in all. psi =
 * l|x|_1. F* is known in closed form. */
#define _GNU_SOURCE
#include "study/growth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"

typedef struct bowl {
    size_t n, d;
    double kappa, weight; /* weight: l */
    double *a, *b;        /* n*d numbers each */
    double optimum;
} bowl;

static int value(void *ctx, size_t i, const double *x, double *f)
{
    const bowl *q = ctx;
    double sum = 0;
    for (size_t j = 0; j < q->d; j++) {
        double t = x[j] - q->b[i * q->d + j];
        sum += q->a[i * q->d + j] * t * t;
    }
    *f = sum / 2;
    return 0;
}

/* Coordinate by coordinate: the mean of (a_i/2)(x - b_i)^2 is (A/2) x^2 - B x + C/2. */
static double find_optimum(const bowl *q)
{
    double sum = 0, n = (double)q->n;
    for (size_t j = 0; j < q->d; j++) {
        double A = 0, B = 0, C = 0;
        for (size_t k = j; k < q->n * q->d; k += q->d) {
            A += q->a[k] / n;
            B += q->a[k] * q->b[k] / n;
            C += q->a[k] * q->b[k] * q->b[k] / n;
        }
        double x = B > q->weight ? (B - q->weight) / A : B < -q->weight ? (B + q->weight) / A : 0;
        sum += A / 2 * x * x - B * x + C / 2 + q->weight * fabs(x);
    }
    return sum;
}

static int bowl_new(bowl *q, size_t n, size_t d, double kappa)
{
    double root = sqrt((double)d);
    *q = (bowl){n,
                d,
                kappa,
                0.2 / kappa / root,
                malloc(n * d * sizeof(double)),
                malloc(n * d * sizeof(double)),
                NAN};
    if (!q->a || !q->b) return 0;
    rng_signs(1, FOR_SYNTH, 0, 0, n * d, q->a);
    rng_normals(1, FOR_SYNTH, 1, 0, n * d, q->b);
    for (size_t k = 0; k < n * d; k++) {
        double a = pow(kappa, -(double)(k % d) / (double)(d - 1));
        q->a[k] = a * (1 + q->a[k] / 2);
        q->b[k] = (1 / sqrt(a) + q->b[k] / 2) / root;
    }
    q->optimum = find_optimum(q);
    return 1;
}

static void bowl_free(bowl *q)
{
    free(q->a);
    free(q->b);
}

/* ---- Trials ------------------------------------------------------------------------------------------------ */

trial growth_trial(const char *method, double step, size_t n, uint64_t seed)
{
    trial t;
    memset(&t, 0, sizeof t);
    t.set = zo_defaults();
    snprintf(t.set.method, sizeof t.set.method, "%s", method);
    t.set.step = step;
    t.set.radius = 1e-6;
    t.set.batch = t.set.directions = 1;
    t.set.refresh = 1 / (double)n;
    t.set.epoch = (double)n;
    t.set.seed = 1 + REPORT_SEEDS + seed;
    t.units = 1e6;
    t.gap = GROWTH_GAP;
    t.role = GROWTH;
    return t;
}

int growth_trials(runs *store, const request *r, growth_size at, trial *t, size_t count)
{
    bowl q;
    char name[64];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (!bowl_new(&q, at.n, at.d, at.kappa)) {
        bowl_free(&q);
        return complain(FAILED, "growth: out of memory");
    }
    zo_problem p = {
        .n = at.n, .d = at.d, .value = value, .ctx = &q, .free_looks = 1, .psi = zo_l1(q.weight)};
    snprintf(name, sizeof name, "quadratic, n %zu, d %zu, kappa %g", at.n, at.d, at.kappa);
    study u = {.name = name,
               .own = &p,
               .n = at.n,
               .d = at.d,
               .psi = p.psi,
               .optimum = q.optimum,
               .store = store,
               .group = 1,
               .quiet = r->quiet};
    u.jobs = r->jobs ? (unsigned)(r->jobs < 256 ? r->jobs : 256) : (unsigned)cores;
    snprintf(u.text, sizeof u.text, "growth %s", name);
    int code = runs_problem(store, &u);
    if (!code) code = study_run(&u, "growth", t, count);
    bowl_free(&q);
    return code;
}

double growth_queries(const trial *t)
{
    return t->status == TRIAL_OK && !strcmp(t->reason, "gap") ? (double)t->queries : NAN;
}

/* 2.07: t with 23 degrees of freedom, five sizes by five seeds. */
double growth_slope(const double *x, const double *y, size_t count, double *half)
{
    double mx = 0, my = 0, sxx = 0, sxy = 0, rest = 0, n = (double)count;
    for (size_t k = 0; k < count; k++) mx += x[k] / n, my += y[k] / n;
    for (size_t k = 0; k < count; k++)
        sxx += (x[k] - mx) * (x[k] - mx), sxy += (x[k] - mx) * (y[k] - my);
    double b = sxy / sxx;
    for (size_t k = 0; k < count; k++) rest += pow(y[k] - my - b * (x[k] - mx), 2);
    *half = count > 2 ? 2.07 * sqrt(rest / (n - 2) / sxx) : NAN;
    return b;
}
