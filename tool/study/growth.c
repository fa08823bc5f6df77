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

static int bowl_new(bowl *q, size_t n, size_t d, double kappa, uint64_t instance)
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
    rng_signs(1 + instance, FOR_SYNTH, 0, 0, n * d, q->a);
    rng_normals(1 + instance, FOR_SYNTH, 1, 0, n * d, q->b);
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
    char name[96];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (!bowl_new(&q, at.n, at.d, at.kappa, at.instance)) {
        bowl_free(&q);
        return complain(FAILED, "growth: out of memory");
    }
    zo_problem p = {
        .n = at.n, .d = at.d, .value = value, .ctx = &q, .free_looks = 1, .psi = zo_l1(q.weight)};
    snprintf(name, sizeof name, "quadratic, n %zu, d %zu, kappa %g", at.n, at.d, at.kappa);
    if (at.instance)
        snprintf(name + strlen(name), sizeof name - strlen(name), ", instance %llu",
                 (unsigned long long)at.instance);
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

double growth_middle(const trial *t)
{
    double v[GROWTH_SEEDS];
    for (size_t s = 0; s < GROWTH_SEEDS; s++) {
        v[s] = growth_queries(&t[s]);
        if (isnan(v[s])) v[s] = INFINITY;
    }
    double m = median_of(v, GROWTH_SEEDS);
    return isinf(m) ? NAN : m;
}

/* ---- Slopes and fits --------------------------------------------------------------------------------------- */

double growth_slope(const double *x, const double *y, size_t count)
{
    double mx = 0, my = 0, sxx = 0, sxy = 0, n = (double)count;
    for (size_t k = 0; k < count; k++) mx += x[k] / n, my += y[k] / n;
    for (size_t k = 0; k < count; k++)
        sxx += (x[k] - mx) * (x[k] - mx), sxy += (x[k] - mx) * (y[k] - my);
    return sxy / sxx;
}

/* 2.776: t with 4 degrees of freedom. */
double growth_mean(const double *slope, double *half)
{
    double mean = 0, rest = 0;
    for (size_t k = 0; k < GROWTH_SEEDS; k++) mean += slope[k] / GROWTH_SEEDS;
    for (size_t k = 0; k < GROWTH_SEEDS; k++) rest += (slope[k] - mean) * (slope[k] - mean);
    *half = 2.776 * sqrt(rest / (GROWTH_SEEDS - 1) / GROWTH_SEEDS);
    return mean;
}

void growth_fit(const growth_size *at, const double *queries, size_t count, double *a, double *b)
{
    double nn = 0, nk = 0, kk = 0, n1 = 0, k1 = 0;
    for (size_t m = 0; m < count; m++) {
        double n = (double)at[m].n / queries[m], k = at[m].kappa / queries[m];
        nn += n * n, nk += n * k, kk += k * k, n1 += n, k1 += k;
    }
    double det = nn * kk - nk * nk;
    *a = (n1 * kk - k1 * nk) / det;
    *b = (k1 * nn - n1 * nk) / det;
}
