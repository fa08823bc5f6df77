/* Shares of a portfolio with the least mean of its worst losses, as a plugin: the mean of the worst 10 % (CVaR) of many scenarios.
 * SPDX-License-Identifier: MIT
 *
 *     cc -O2 -shared -fPIC portfolio.c -o portfolio.so -lm
 *     zoprox solve --plugin ./portfolio.so --arg 2000 --arg 40 --prox 'simplex@0:40'
 *
 * x holds the shares w of 40 assets and a level t. Scenario i has the returns r_i and
 *     f_i(w, t) = t + max(-r_i'w - t, 0) / 0.1,
 * whose mean, minimized over t, is the mean of the worst tenth of the losses -r_i'w (Rockafellar and Uryasev, 2000). It has a
 * corner in every scenario. --arg: scenarios, assets, and a width: a corner is then rounded off over that distance (0: not at all). */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <zoprox.h>

static const double TAIL = 0.1;

typedef struct market {
    size_t scenarios, assets;
    double width;
    double returns[]; /* a row for each scenario, in per cent */
} market;

/* max(z, 0), or a parabola between -width and width. */
static double excess(double z, double width)
{
    if (z <= -width) return 0;
    return z >= width ? z : (z + width) * (z + width) / (4 * width);
}

static int value(void *ctx, size_t i, const double *x, double *f)
{
    const market *m = ctx;
    const double *r = m->returns + i * m->assets;
    double t = x[m->assets], gain = 0;
    for (size_t j = 0; j < m->assets; j++) gain += r[j] * x[j];
    *f = t + excess(-gain - t, m->width) / TAIL;
    return 0;
}

/* ---- a market that is made up: five sectors, and crashes that hit some of them at once --------------------- */

static double uniform(uint64_t *state) /* splitmix64 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    double a = uniform(state);
    return sqrt(-2 * log(a)) * cos(6.283185307179586 * uniform(state));
}

static void make_up(market *m)
{
    enum { SECTORS = 5 };
    uint64_t state = 1;
    for (size_t i = 0; i < m->scenarios; i++) {
        double all = normal(&state), sector[SECTORS];
        for (size_t s = 0; s < SECTORS; s++) {
            sector[s] = normal(&state);
            if (uniform(&state) < 0.04) sector[s] -= 6 * uniform(&state);
        }
        for (size_t j = 0; j < m->assets;
             j++) { /* the bolder ones earn more; golden sections spread both numbers */
            double size = 0.5 + 2 * fmod(0.618034 * (double)(j + 1), 1),
                   alone = 0.4 + fmod(0.414214 * (double)(j + 1), 1);
            double move = 0.5 * all + 0.6 * sector[j % SECTORS] + alone * normal(&state);
            m->returns[i * m->assets + j] = size * (0.15 + move);
        }
    }
}

int zoprox_open(int argc, char **argv, zo_problem *problem, char *error, size_t size);
void zoprox_close(zo_problem *problem);

int zoprox_open(int argc, char **argv, zo_problem *problem, char *error, size_t size)
{
    size_t scenarios = argc > 0 ? strtoul(argv[0], NULL, 10) : 2000,
           assets = argc > 1 ? strtoul(argv[1], NULL, 10) : 40;
    double width = argc > 2 ? strtod(argv[2], NULL) : 0;
    if (scenarios < 10 || assets < 2 || !(width >= 0)) {
        snprintf(error, size,
                 "%zu scenarios, %zu assets, width %g: at least 10, 2 and 0 are needed", scenarios,
                 assets, width);
        return 1;
    }
    market *m = malloc(sizeof *m + scenarios * assets * sizeof *m->returns);
    if (!m) {
        snprintf(error, size, "out of memory for %zu scenarios", scenarios);
        return 1;
    }
    *m = (market){.scenarios = scenarios, .assets = assets, .width = width};
    make_up(m);
    *problem =
        (zo_problem){.n = scenarios, .d = assets + 1, .value = value, .ctx = m, .threads = 2};
    return 0;
}

void zoprox_close(zo_problem *problem) { free(problem->ctx); }
