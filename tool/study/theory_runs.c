/* Algorithm 1 with one direction on f(x) = |x - b|^2/2, psi = l|x|_1, many seeds: the Lyapunov function at the
 * theorem's parameters, the floor that the radius sets, and the bias of an epoch.
 * SPDX-License-Identifier: MIT
 *
 * The difference along u is u'grad f(x) + (v/2)|u|^2 exactly, so nothing is lost to rounding at any radius v. */
#define _GNU_SOURCE
#include "study/theory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

enum { MAX_D = 64, AHEAD = 32, DIM = 10 };
#define WEIGHT 0.1 /* l */

typedef struct walk {
    size_t d;
    double n, radius; /* p = 1/n */
    int reading;      /* of Algorithm 1: ZO_WRITTEN, ... */
    uint64_t seed, step;
    double eta, alpha, beta;
    double b[MAX_D], best[MAX_D], grad[MAX_D]; /* x* and grad f(x*) */
    double x[MAX_D], w[MAX_D], h[MAX_D], u[MAX_D], gw[MAX_D];
    double pool[AHEAD * 2 * MAX_D], coin[AHEAD];
    int fresh; /* 1: the reference point is new */
} walk;

static double soft(double v, double t) { return v > t ? v - t : v < -t ? v + t : 0; }

static void begin(walk *k, size_t d, double n, double radius, int reading, uint64_t seed)
{
    memset(k, 0, sizeof *k);
    k->d = d, k->n = n, k->radius = radius, k->reading = reading, k->seed = seed;
    k->eta = 1 / (40 * (double)d + 63);
    k->alpha = 8 * n * ((double)d + 2) * (2 * (double)d + 3) * k->eta * k->eta;
    k->beta = 8 * n * (2 * (double)d + 3) * k->eta * k->eta;
    for (size_t j = 0; j < d; j++) {
        k->b[j] = j % 2 ? 1 : -1;
        k->best[j] = soft(k->b[j], WEIGHT);
        k->grad[j] = k->best[j] - k->b[j];
    }
    k->fresh = 1;
}

/* alpha and beta weigh the memory and the reference point; f_i = f, so the third term is |w - x*|^2. */
static double lyapunov(const walk *k)
{
    double x = 0, h = 0, w = 0;
    for (size_t j = 0; j < k->d; j++) {
        x += (k->x[j] - k->best[j]) * (k->x[j] - k->best[j]);
        h += (k->h[j] - k->grad[j]) * (k->h[j] - k->grad[j]);
        w += (k->w[j] - k->best[j]) * (k->w[j] - k->best[j]);
    }
    return x + k->alpha * h + k->beta * w;
}

/* D - u'h, D the difference along u at the point y. */
static double beyond(const walk *k, const double *u, const double *y)
{
    double dot = 0, size = 0;
    for (size_t j = 0; j < k->d; j++) {
        dot += u[j] * (y[j] - k->b[j] - k->h[j]);
        size += u[j] * u[j];
    }
    return dot + k->radius / 2 * size;
}

/* g_w = h + u (D - u'h) at w; for the reading memory, h itself. */
static void measure(walk *k)
{
    double t = k->reading == ZO_MEMORY ? 0 : beyond(k, k->u, k->w);
    for (size_t j = 0; j < k->d; j++) k->gw[j] = k->h[j] + t * k->u[j];
}

/* h += u (D - u'h)/(d+2) at the point y. */
static void learn(walk *k, const double *y)
{
    double t = beyond(k, k->u, y) / ((double)k->d + 2);
    for (size_t j = 0; j < k->d; j++) k->h[j] += t * k->u[j];
}

/* Two directions a step: the step's own, and the reference's where it is drawn. */
static const double *directions(walk *k)
{
    size_t at = k->step % AHEAD;
    if (at == 0) {
        rng_normals(k->seed, FOR_DIRECTION, k->step, 0, AHEAD * 2 * k->d, k->pool);
        for (size_t j = 0; j < AHEAD; j++)
            k->coin[j] = rng_uniform(k->seed, FOR_COIN, k->step + j, 0);
    }
    return k->pool + at * 2 * k->d;
}

/* One iteration of Algorithm 1, as src/method/zpdvr.c reads it. */
static void iterate(walk *k)
{
    const double *own = directions(k);
    size_t d = k->d;
    int by_new = k->reading == ZO_NEW || k->reading == ZO_MEMORY;
    if (k->fresh || k->reading == ZO_REDRAWN) {
        memcpy(k->u, own + d, d * sizeof *own);
        if (by_new) learn(k, k->w);
        measure(k);
    }
    double dot = 0, next[MAX_D];
    for (size_t j = 0; j < d; j++) dot += own[j] * (k->x[j] - k->w[j]);
    for (size_t j = 0; j < d; j++)
        next[j] = soft(k->x[j] - k->eta * (dot * own[j] + k->gw[j]), k->eta * WEIGHT);
    int heads = k->coin[k->step % AHEAD] <= 1 / k->n,
        same = k->reading == ZO_LITERAL && !memcmp(k->w, k->x, d * sizeof *next);
    k->fresh = heads && !same;
    if (heads && !by_new) learn(k, k->x);
    if (heads) memcpy(k->w, k->x, sizeof k->w);
    memcpy(k->x, next, d * sizeof *next);
    k->step++;
}

/* ---- Many seeds ------------------------------------------------------------------------------------------ */

typedef struct crowd {
    double n, radius;
    int reading;
    uint64_t early, late;
    double *at_early, *at_late; /* Psi, or Psi/Psi_0 */
    int relative;
} crowd;

static void one_seed(void *ctx, size_t s)
{
    crowd *c = ctx;
    walk *k = malloc(sizeof *k);
    c->at_early[s] = c->at_late[s] = NAN;
    if (!k) return;
    begin(k, DIM, c->n, c->radius, c->reading, 1 + s);
    double first = lyapunov(k), value = first;
    while (k->step < c->late && value < 1e280 && !*stop_flag()) {
        iterate(k);
        if (k->step == c->early) c->at_early[s] = lyapunov(k) / (c->relative ? first : 1);
        if (k->step % 256 == 0) value = lyapunov(k);
    }
    c->at_late[s] = lyapunov(k) / (c->relative ? first : 1);
    free(k);
}

static double mean_of(const double *v, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) sum += v[k] / (double)count;
    return sum;
}

/* Psi(x_k)/Psi(x_0) over seeds, against the bound of Theorem 4.6. */
static void against_bound(const lab *l, facts *f, double n, int reading, const char *name)
{
    size_t seeds = l->quick ? 40 : 400;
    double *early = calloc(seeds, sizeof *early), *late = calloc(seeds, sizeof *late);
    if (!early || !late) f->failed = 1;
    if (!f->failed) {
        crowd c = {n, 1e-6, reading, 4000, 20000, early, late, 1};
        char row[64];
        double rate = fmax(1 - 1 / (80.0 * DIM + 126), 1 - 1 / (4 * n * (DIM + 2)));
        in_parallel(l->jobs, seeds, one_seed, &c);
        snprintf(row, sizeof row, "n %g, %s", n, name);
        fact_add(f, row, "seeds", (double)seeds);
        fact_add(f, row, "k 4000: bound", pow(rate, 4000));
        fact_add(f, row, "k 4000: mean", mean_of(early, seeds));
        fact_add(f, row, "k 4000: median", median_of(early, seeds));
        fact_add(f, row, "k 20000: bound", pow(rate, 20000));
        fact_add(f, row, "k 20000: mean", mean_of(late, seeds));
        fact_add(f, row, "k 20000: median", median_of(late, seeds));
    }
    free(early);
    free(late);
}

static const double sizes[] = {15, 25, 35, 60, 100, 1000};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

int theory_lyapunov(const lab *l, facts *f)
{
    for (size_t k = 0; k < 2 * SIZES && !f->failed && !*stop_flag(); k++)
        against_bound(l, f, sizes[k / 2], k % 2 ? ZO_REDRAWN : ZO_WRITTEN,
                      k % 2 ? "redrawn" : "frozen");
    return DONE;
}

int theory_readings(const lab *l, facts *f)
{
    static const char *const name[] = {"literal", "new", "memory"};
    for (size_t k = 0; k < 3 * SIZES && !f->failed && !*stop_flag(); k++)
        against_bound(l, f, sizes[k / 3], ZO_LITERAL + (int)(k % 3), name[k % 3]);
    return DONE;
}

int theory_floor(const lab *l, facts *f)
{
    static const double radius[] = {1e-1, 1e-2, 1e-3, 1e-4};
    size_t seeds = l->quick ? 20 : 100;
    double *early = calloc(seeds, sizeof *early), *late = calloc(seeds, sizeof *late), n = 15,
           d = DIM;
    if (!early || !late) f->failed = 1;
    for (size_t k = 0; k < 8 && !f->failed && !*stop_flag(); k++) {
        double v = radius[k / 2],
               sigma = (80 * d + 126 + 4 * n * (d + 2)) * 2 * (d + 6) * (d + 6) * v * v;
        crowd c = {n, v, k % 2 ? ZO_REDRAWN : ZO_WRITTEN, 1, 40000, early, late, 0};
        char row[64];
        in_parallel(l->jobs, seeds, one_seed, &c);
        snprintf(row, sizeof row, "radius %g, %s", v, k % 2 ? "redrawn" : "frozen");
        double mean = mean_of(late, seeds);
        fact_add(f, row, "seeds", (double)seeds);
        fact_add(f, row, "Psi, mean", mean);
        fact_add(f, row, "sigma", sigma);
        fact_add(f, row, "Psi/radius^2", mean / (v * v));
    }
    free(early);
    free(late);
    return DONE;
}

/* ---- The bias of an epoch --------------------------------------------------------------------------------- */

/* |mean of g_k - grad f(x_k)|^2 / |grad f(w) - h|^2 over steps of one epoch; psi = 0, b = 0, h = 0, w = (1,...,1). */
static double epoch_bias(size_t d, int redrawn, size_t steps, uint64_t seed)
{
    double own[MAX_D], u[MAX_D], x[MAX_D], sum[MAX_D] = {0}, eta = 1 / (40 * (double)d + 63),
                                           size = 0;
    for (size_t j = 0; j < d; j++) x[j] = 1;
    for (size_t k = 0; k < steps; k++) {
        rng_normals(seed, FOR_DIRECTION, k, 0, d, own);
        if (k == 0 || redrawn) rng_normals(seed, FOR_REFERENCE, k, 0, d, u);
        double at_x = 0, at_w = 0;
        for (size_t j = 0; j < d; j++) at_x += own[j] * (x[j] - 1), at_w += u[j];
        for (size_t j = 0; j < d; j++) {
            double g = at_x * own[j] + at_w * u[j];
            sum[j] += (g - x[j]) / (double)steps;
            x[j] -= eta * g;
        }
    }
    for (size_t j = 0; j < d; j++) size += sum[j] * sum[j];
    return size / (double)d;
}

int theory_bias(const lab *l, facts *f)
{
    static const size_t d[] = {10, 50};
    size_t epochs = l->quick ? 500 : 4000;
    for (size_t k = 0; k < 4; k++) {
        char row[64];
        double mean = 0;
        for (size_t s = 0; s < epochs; s++)
            mean += epoch_bias(d[k / 2], (int)(k % 2), 100, 1 + s) / (double)epochs;
        snprintf(row, sizeof row, "d %zu, %s", d[k / 2], k % 2 ? "redrawn" : "frozen");
        fact_add(f, row, "epochs", (double)epochs);
        fact_add(f, row, "ratio", mean);
        fact_add(f, row, "d + 1", (double)d[k / 2] + 1);
    }
    return DONE;
}
