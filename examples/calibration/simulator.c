/* A simulator of chemical reactions as a worker: 24 rates are to be found from 60 experiments.
 * SPDX-License-Identifier: MIT
 *
 *     cc -O2 simulator.c -o simulator -lm
 *     zoprox solve --command ./simulator --n 60 --dim 24 --prox box:-1,1 --units 40 --save rates.x
 *     ./simulator rates.x          prints experiment 0: measured, with the first guess, with these rates
 *
 * Eight substances, A_0 <-> A_1 <-> ... <-> A_7 <-> A_0, and the first four decay in a saturated way:
 *     dA_k/dt = p_{k-1} A_{k-1} + q_k A_{k+1} - (p_k + q_{k-1}) A_k - [k < 4] v_k A_k / (m_k + A_k).
 * x_j in [-1, 1] is the logarithm (base 10) of a rate over what the textbook says. Experiment i begins with its own
 * amounts; A_1, A_4 and A_6 are measured at ten times, each with an error of 1 %. f_i is the mean squared deviation, in
 * units of a hundredth of the amount plus 0.01. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    N = 60,
    D = 24,
    S = 8,
    TIMES = 10,
    SEEN = 3,
    PER = 20
}; /* PER: steps between two measurements */
enum { MOST = 1 << 20 };

static const int seen[SEEN] = {1, 4, 6};
static const double step = 0.02; /* of the Runge-Kutta method */
static double measured[N][TIMES][SEEN], first[N][S];

static double uniform(uint64_t key) /* of (0, 1): a function of the key */
{
    uint64_t z = (key + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static void slope(const double *rate, const double *a, double *out)
{
    const double *p = rate, *q = rate + S, *v = rate + 2 * S, *m = rate + 2 * S + 4;
    for (int k = 0; k < S; k++) {
        int before = (k + S - 1) % S, behind = (k + 1) % S;
        out[k] = p[before] * a[before] + q[k] * a[behind] - (p[k] + q[before]) * a[k];
        if (k < 4) out[k] -= v[k] * a[k] / (m[k] + a[k]);
    }
}

static void advance(const double *rate, double *a)
{
    double s1[S], s2[S], s3[S], s4[S], b[S];
    slope(rate, a, s1);
    for (int k = 0; k < S; k++) b[k] = a[k] + step / 2 * s1[k];
    slope(rate, b, s2);
    for (int k = 0; k < S; k++) b[k] = a[k] + step / 2 * s2[k];
    slope(rate, b, s3);
    for (int k = 0; k < S; k++) b[k] = a[k] + step * s3[k];
    slope(rate, b, s4);
    for (int k = 0; k < S; k++) a[k] += step / 6 * (s1[k] + 2 * s2[k] + 2 * s3[k] + s4[k]);
}

/* What experiment i would show with the rates that x stands for. */
static void simulate(size_t i, const double *x, double out[TIMES][SEEN])
{
    double a[S], rate[D];
    memcpy(a, first[i], sizeof a);
    for (int j = 0; j < D; j++) rate[j] = (j < 2 * S ? 0.5 : 1) * pow(10, x[j]);
    for (int t = 0; t < TIMES; t++) {
        for (int k = 0; k < PER; k++) advance(rate, a);
        for (int k = 0; k < SEEN; k++) out[t][k] = a[seen[k]];
    }
}

static double f(size_t i, const double *x)
{
    double now[TIMES][SEEN], sum = 0;
    simulate(i, x, now);
    for (int t = 0; t < TIMES; t++)
        for (int k = 0; k < SEEN; k++)
            sum += pow((now[t][k] - measured[i][t][k]) / (0.01 + 0.01 * measured[i][t][k]), 2);
    return sum / (TIMES * SEEN);
}

/* The laboratory, whose rates nobody knows: up to four times more or less than the textbook says. */
static void experiments(double *truth)
{
    for (int j = 0; j < D; j++) truth[j] = 1.2 * uniform((uint64_t)j) - 0.6;
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < S; k++) first[i][k] = 2 * pow(uniform(1000 + i * S + k), 2);
        simulate(i, truth, measured[i]);
        for (size_t t = 0; t < TIMES; t++)
            for (size_t k = 0; k < SEEN;
                 k++) /* a sum of three uniform numbers is near enough to a normal one */
                measured[i][t][k] *=
                    1 + 0.02 * (uniform(9000 + (i * TIMES + t) * SEEN + k) +
                                uniform(99000 + (i * TIMES + t) * SEEN + k) +
                                uniform(999000 + (i * TIMES + t) * SEEN + k) - 1.5);
    }
}

static int show(const char *path, const double *truth)
{
    double x[D], start[TIMES][SEEN], end[TIMES][SEEN], none[D] = {0};
    FILE *file = fopen(path, "r");
    for (int j = 0; j < D; j++)
        if (!file || fscanf(file, "%lf", &x[j]) != 1) return 1;
    fclose(file);
    for (int j = 0; j < D; j++) printf("rate %d %.4f %.4f\n", j, truth[j], x[j]);
    simulate(0, none, start);
    simulate(0, x, end);
    for (int t = 0; t < TIMES; t++)
        for (int k = 0; k < SEEN; k++)
            printf("A_%d %.2f %.5f %.5f %.5f\n", seen[k], (t + 1) * PER * step, measured[0][t][k],
                   start[t][k], end[t][k]);
    return 0;
}

int main(int argc, char **argv)
{
    static double x[D], value[MOST], truth[D];
    char kind[8], word[32];
    size_t id, points, comps, comp[N];
    experiments(truth);
    if (argc > 1) return show(argv[1], truth);
    while (scanf("%7s %zu %zu %zu", kind, &id, &points, &comps) == 4 && points * comps <= MOST &&
           comps <= N) {
        for (size_t k = 0; k < comps && scanf("%31s", word) == 1; k++) { /* numbers, or "all" */
            for (size_t i = 0; *word == 'a' && i < N; i++) comp[k++] = i;
            if (*word != 'a') comp[k] = strtoul(word, NULL, 10) % N;
        }
        size_t own = !strcmp(kind, "each") ? comps : 1; /* every component has points of its own */
        for (size_t row = 0; row < points * own; row++) {
            for (size_t j = 0; j < D; j++)
                if (scanf("%lf", &x[j]) != 1) return 1;
            if (strcmp(kind, "each"))
                for (size_t k = 0; k < comps; k++) value[row * comps + k] = f(comp[k], x);
            else
                value[row % points * comps + row / points] = f(comp[row / points], x);
        }
        printf("%zu\n", id);
        for (size_t k = 0; k < points * comps; k++)
            printf("%.17g%c", value[k], k % comps + 1 < comps ? ' ' : '\n');
        fflush(stdout);
    }
    return 0;
}
