/* Lemmas 4.1 to 4.4 as they are used: left side over right side, by steps since the refresh.
 * SPDX-License-Identifier: MIT
 *
 * One epoch from x_0 = w, seen before its coin has fallen: f(x) = |x - b|^2/2, psi = 0, so x* = b, grad f(x*) = 0, C(x) =
 * |x - x*|^2/2, h = 0 at the start. The radius goes to 0. Means over seeds of both sides:
 *   4.1  |x_{k+1} - x*|^2        <= (1 - eta/2)|x_k - x*|^2 - 2 eta C + eta^2 |g_k|^2
 *   4.2  |h_new|^2               <= (1 - 1/(2(d+2)))|h|^2 + 8/(3(d+2)) C       (given that the coin falls)
 *   4.3  |grad f(x_k)|^2         <= 2 C                                        (the same; an equality here)
 *   4.4  |g_k|^2                 <= 2(2d+3)|h|^2 + 4(2d+3)|w - x*|^2 + 4(d+3) C */
#include "study/theory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

enum { D = 10, LAST = 2000, SIDES = 8 };

static const size_t shown[] = {0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000};
enum { NSHOWN = sizeof shown / sizeof shown[0] };

typedef double sides[NSHOWN][SIDES];

static double square(const double *v)
{
    double s = 0;
    for (size_t j = 0; j < D; j++) s += v[j] * v[j];
    return s;
}

static double times(const double *a, const double *b)
{
    double s = 0;
    for (size_t j = 0; j < D; j++) s += a[j] * b[j];
    return s;
}

/* Both sides of the four, at one step; x is measured from x*. h is what the memory holds. */
static void compare(const double *x, const double *w, const double *h, const double *g,
                    const double *u, double eta, double *out)
{
    double next[D], memory[D], C = square(x) / 2, t = (times(u, x) - times(u, h)) / (D + 2.0);
    for (size_t j = 0; j < D; j++) next[j] = x[j] - eta * g[j], memory[j] = h[j] + t * u[j];
    out[0] += square(next);
    out[1] += (1 - eta / 2) * square(x) - 2 * eta * C + eta * eta * square(g);
    out[2] += square(memory);
    out[3] += (1 - 1 / (2 * (D + 2.0))) * square(h) + 8 / (3 * (D + 2.0)) * C;
    out[4] += square(x);
    out[5] += 2 * C;
    out[6] += square(g);
    out[7] += 2 * (2 * D + 3) * square(h) + 4 * (2 * D + 3) * square(w) + 4 * (D + 3) * C;
}

/* The memory starts at warm times the gradient: near a solution it is close to it. */
static void epoch(uint64_t seed, int redrawn, double warm, sides out)
{
    double x[D], w[D], h[D], u[D], own[D], eta = 1 / (40.0 * D + 63);
    size_t at = 0;
    for (size_t j = 0; j < D; j++) x[j] = w[j] = 1 / sqrt(D), h[j] = warm * w[j];
    for (size_t k = 0; k <= LAST; k++) {
        double g[D];
        rng_normals(seed, FOR_DIRECTION, k, 0, D, own);
        if (k == 0 || redrawn) rng_normals(seed, FOR_REFERENCE, k, 0, D, u);
        double ref = times(u, w) - times(u, h), inner = times(own, x) - times(own, w);
        for (size_t j = 0; j < D; j++) g[j] = inner * own[j] + h[j] + ref * u[j];
        if (k == shown[at]) compare(x, w, h, g, u, eta, out[at++]);
        for (size_t j = 0; j < D; j++) x[j] -= eta * g[j];
    }
}

typedef struct batch {
    int redrawn;
    double warm;
    size_t each;
    sides *out;
} batch;

static void some_seeds(void *ctx, size_t k)
{
    batch *b = ctx;
    for (size_t s = 0; s < b->each; s++) epoch(1 + k * b->each + s, b->redrawn, b->warm, b->out[k]);
}

int theory_lemmas(const lab *l, facts *f)
{
    enum { PARTS = 16 };
    size_t each = l->quick ? 50 : 500;
    sides *out = malloc(PARTS * sizeof *out);
    if (!out) return complain(FAILED, "reproduce: out of memory");
    for (size_t v = 0; v < 4; v++) {
        batch b = {(int)(v % 2), v / 2 ? 1.0 : 0.0, each, out};
        memset(out, 0, PARTS * sizeof *out);
        in_parallel(l->jobs, PARTS, some_seeds, &b);
        for (size_t i = 0; i < NSHOWN; i++) {
            char row[64];
            double sum[SIDES] = {0};
            for (size_t p = 0; p < PARTS; p++)
                for (size_t s = 0; s < SIDES; s++) sum[s] += out[p][i][s];
            snprintf(row, sizeof row, "%s, h_0 = %s, step %zu", v % 2 ? "redrawn" : "frozen",
                     v / 2 ? "grad f(w)" : "0", shown[i]);
            fact_add(f, row, "4.1", sum[0] / sum[1]);
            fact_add(f, row, "4.2", sum[2] / sum[3]);
            fact_add(f, row, "4.3", sum[4] / sum[5]);
            fact_add(f, row, "4.4", sum[6] / sum[7]);
        }
    }
    free(out);
    return DONE;
}
