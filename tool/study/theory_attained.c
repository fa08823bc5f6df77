/* Exact second moments of zpvr, against theorem 1 of docs/theory.md.
 * SPDX-License-Identifier: MIT
 *
 * f_i(x) = (a_i/2)|x|^2 with mean 1 and mean square m of the a_i, psi = 0, one direction v, one component:
 *     x <- x - eta (a_i v v'(x - w) + w),   and with probability p  w <- x, the x before the step.
 * E[v v'] = I and E|v v'y|^2 = (d + 2)|y|^2, so that X = E|x|^2, C = E x'w, W = E|w|^2 are closed:
 *     X <- X - 2 eta C + eta^2 W - 2 eta (X - C - eta C + eta W) + eta^2 m (d + 2)(X - 2 C + W)
 *     C <- (1 - eta)(p X + (1 - p) C),    W <- p X + (1 - p) W. */
#include "study/theory.h"

#include <math.h>

#include "base/rng.h"

#define SPREAD 0.5 /* a_i = 1 - SPREAD or 1 + SPREAD */

typedef struct moments {
    double x, c, w;
} moments;

typedef struct setup {
    double d, eta, p;
} setup;

static moments advance(const setup *s, moments now)
{
    double eta = s->eta, m = 1 + SPREAD * SPREAD, apart = now.x - 2 * now.c + now.w;
    moments next;
    next.x = now.x - 2 * eta * now.c + eta * eta * now.w -
             2 * eta * (now.x - now.c - eta * now.c + eta * now.w) +
             eta * eta * m * (s->d + 2) * apart;
    next.c = (1 - eta) * (s->p * now.x + (1 - s->p) * now.c);
    next.w = s->p * now.x + (1 - s->p) * now.w;
    return next;
}

/* What a step multiplies the moments by in the long run: powers of the map, by squaring. */
static double long_run(const setup *s)
{
    double a[3][3], power = 0; /* a holds the map's 2^k-th power over exp(power) */
    for (size_t k = 0; k < 3; k++) {
        moments e = advance(s, (moments){k == 0, k == 1, k == 2});
        a[0][k] = e.x, a[1][k] = e.c, a[2][k] = e.w;
    }
    double times = 1;
    for (int round = 0; round < 60; round++) {
        double b[3][3] = {{0}}, top = 0;
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 3; j++) {
                for (size_t k = 0; k < 3; k++) b[i][j] += a[i][k] * a[k][j];
                top = fmax(top, fabs(b[i][j]));
            }
        for (size_t k = 0; k < 9; k++) a[k / 3][k % 3] = b[k / 3][k % 3] / top;
        power = 2 * power + log(top), times *= 2;
    }
    return exp(power / times);
}

static setup at_theorem(double n, double d)
{
    return (setup){d, 1 / (8 * (d + 2) * (1 + SPREAD)), 1 / (n * d)};
}

/* |x|^2/d after so many steps of zpvr from (1, ..., 1), one path. */
enum { TRY_D = 10, TRY_STEPS = 300 };
static double simulate(const setup *s, uint64_t seed)
{
    double x[TRY_D], w[TRY_D], v[TRY_D], size = 0;
    for (size_t j = 0; j < TRY_D; j++) x[j] = w[j] = 1;
    for (uint64_t step = 0; step < TRY_STEPS; step++) {
        double dot = 0,
               a = rng_uniform(seed, FOR_COMPONENT, step, 0) < 0.5 ? 1 - SPREAD : 1 + SPREAD;
        int heads = rng_uniform(seed, FOR_COIN, step, 0) <= s->p;
        rng_normals(seed, FOR_DIRECTION, step, 0, TRY_D, v);
        for (size_t j = 0; j < TRY_D; j++) dot += v[j] * (x[j] - w[j]);
        for (size_t j = 0; j < TRY_D; j++) {
            double before = x[j];
            x[j] -= s->eta * (a * dot * v[j] + w[j]);
            if (heads) w[j] = before;
        }
    }
    for (size_t j = 0; j < TRY_D; j++) size += x[j] * x[j] / TRY_D;
    return size;
}

static void against_paths(const lab *l, facts *f)
{
    size_t seeds = l->quick ? 1000 : 20000;
    setup s = at_theorem(10, TRY_D);
    moments m = {1, 1, 1};
    double mean = 0, square = 0, count = (double)seeds;
    for (int k = 0; k < TRY_STEPS; k++) m = advance(&s, m);
    for (size_t seed = 1; seed <= seeds && !*stop_flag(); seed++) {
        double v = simulate(&s, seed);
        mean += v / count;
        square += v * v / count;
    }
    fact_add(f, "recursion, n 10, d 10", "mean of x_j^2 after 300 steps", m.x);
    fact_add(f, "paths", "mean of x_j^2 after 300 steps", mean);
    fact_add(f, "standard error", "mean of x_j^2 after 300 steps",
             sqrt((square - mean * mean) / count));
}

int theory_attained(const lab *l, facts *f)
{
    static const double n[] = {10, 100, 1000, 10000}, d[] = {2, 10, 100, 1000};
    for (size_t k = 0; k < 16; k++) {
        setup s = at_theorem(n[k / 4], d[k % 4]);
        char row[64];
        snprintf(row, sizeof row, "n %g, d %g", n[k / 4], d[k % 4]);
        fact_add(f, row, "promised: 1 - rate", fmin(s.eta, s.p) / 2);
        fact_add(f, row, "exact: 1 - rate", 1 - long_run(&s));
        fact_add(f, row, "queries a step", 4 + (s.d + 1) / s.d);
    }
    against_paths(l, f);
    return DONE;
}
