/* Checkpoints that somebody has altered, with a checksum that fits: they are refused, or they run; nothing else.
 * SPDX-License-Identifier: MIT
 *
 * A good checkpoint of one of several small problems, after so many answers, is cut into its sections. Words of sections are
 * changed, the hash is put right, and a fresh solver loads it and goes on for a few questions. */
#ifndef ZO_TESTS_HOSTILE_H
#define ZO_TESTS_HOSTILE_H

#define _GNU_SOURCE /* memfd_create */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "zoprox.h"

enum { HOSTILE_MOST = 1 << 20, HOSTILE_PROBLEMS = 13, HOSTILE_SECTIONS = 256, HOSTILE_FANS = 30 };

static inline void hostile_must(int holds)
{
    if (!holds) abort();
}

/* ---- problems -------------------------------------------------------------------------------------- */

/* Something that looks random: the same for the same arguments. */
static inline double hostile_unit(uint64_t a, uint64_t b)
{
    uint64_t h = (a * 0x9e3779b97f4a7c15u) ^ (b + 1) * 0xbf58476d1ce4e5b9u;
    h ^= h >> 31;
    h *= 0x94d049bb133111ebu;
    return (double)(h >> 11) * 0x1p-53;
}

static inline double hostile_dot(size_t i, size_t d, const double *x, uint64_t of)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++) sum += (hostile_unit(7 * i + of, j) - 0.5) * x[j];
    return sum;
}

/* kind: 0 own coordinates, 1 one function, 2 an index each, 3 two indices each, 4 no structure, 5 values that are rounded,
 * 6 many dimensions, 7 pairs of coordinates, 8 one Hessian for all, 9 flat at first, 10 pairs of many, 11 three of
 * very many, 12 an index each, of which some are repeated */
typedef struct hostile_box {
    size_t n, d;
    int kind;
    double noise;
} hostile_box;

static inline hostile_box hostile_kind(int kind)
{
    static const hostile_box boxes[HOSTILE_PROBLEMS] = {
        {9, 3, 0, NAN},    {1, 5, 1, NAN},   {40, 6, 2, 0},     {30, 5, 3, 0}, {20, 4, 4, NAN},
        {24, 6, 0, 0.01},  {12, 30, 2, 0},   {60, 24, 7, 1e-3}, {40, 6, 8, 0}, {30, 6, 9, 0},
        {60, 40, 7, 1e-3}, {24, 200, 11, 0}, {90, 20, 12, 0}};
    return boxes[kind];
}

static inline int hostile_value(void *ctx, size_t i, const double *x, double *f)
{
    const hostile_box *b = ctx;
    size_t d = b->d;
    if (b->kind == 12) i %= b->n / 3;
    int indices = b->kind > 1 && b->kind != 7;
    double s = 0, u = indices ? hostile_dot(i, d, x, 1) : x[i % d],
           v = indices ? hostile_dot(i, d, x, 2) : 0;
    for (size_t j = 0; j < d; j++) s += (x[j] - 1) * (x[j] - 1) * (double)(j + 1);
    switch (b->kind) {
    case 0: *f = (x[i % d] - 1) * (x[i % d] - 1); break;
    case 1: *f = s + cos(x[0]); break;
    case 12:
    case 2: *f = log1p(exp(-fabs(u))) + fmax(u, 0); break;
    case 3: *f = (u - 1) * (u - 1) + sin(v) + 0.1 * v * v; break;
    case 7: *f = (x[i % d] - 1) * (x[i % d] - 1) + cos(x[i % d] - x[(i + 3) % d]); break;
    case 8: *f = (1 + 0.1 * (double)i) * log1p(s) + 1e-3 * u; break;
    case 9: *f = u + 0.2 < 0 ? 0 : (u + 0.2) * (u + 0.2) * (1 + v * v); break;
    case 11: *f = log1p(exp(x[i * 7 % d] - 2 * x[i * 11 % d] + x[5 * i] - 1)); break;
    default: *f = s * (0.1 + u * u) + fabs(v); break;
    }
    if (b->noise > 0) *f += 1e-3 * (hostile_unit(i, (uint64_t)fmin(1e6 * fabs(u), 1e15)) - 0.5);
    return 0;
}

static inline zo_solver *hostile_solver(const char *method, const hostile_box *b)
{
    zo_problem p = {.n = b->n,
                    .d = b->d,
                    .value = hostile_value,
                    .ctx = (void *)(uintptr_t)b,
                    .psi = zo_l1(0.01),
                    .threads = 1};
    zo_settings s = zo_defaults();
    zo_solver *solver;
    if (b->kind == 11 && strcmp(method, "thin")) return NULL; /* too large for the others */
    snprintf(s.method, sizeof s.method, "%s", method);
    s.noise = b->noise;
    s.horizon = 40.0 * (double)b->n * (double)b->d;
    if (!strcmp(method, "sinq")) s.horizon = (double)b->n * (double)b->d * 0.8;
    return zo_new(&solver, &p, &s, NULL) ? NULL : solver;
}

/* Asks and tells at most so many times. */
static inline void hostile_walk(zo_solver *s, const hostile_box *b, int fans)
{
    static double answers[1 << 18], point[256];
    const zo_fan *fan;
    for (int k = 0; k < fans; k++) {
        if (zo_ask(s, &fan, NULL) || !fan) return;
        size_t set = zo_fan_set(fan), total = zo_fan_answers(fan);
        hostile_must(total <= sizeof answers / sizeof *answers && fan->ncomp <= 1 << 16);
        for (size_t a = 0; a < total; a++) answers[a] = 0;
        for (size_t e = 0; e < fan->ncomp; e++)
            for (size_t p = 0; p < set; p++) {
                static double home;
                double f;
                size_t i = fan->comp ? (size_t)fan->comp[e] : e;
                size_t per = set / fan->nbase;
                hostile_must(i < b->n);
                zo_fan_point(fan, e, p, point);
                hostile_value((void *)(uintptr_t)b, i, point, &f);
                if (p % per == 0) home = f;
                if (!fan->known && p % per) f -= home;
                if (fan->each)
                    answers[e * set + p] = f;
                else
                    answers[p] += f / (double)fan->ncomp;
            }
        if (zo_tell(s, answers, NULL)) return;
    }
}

/* ---- files ----------------------------------------------------------------------------------------- */

typedef struct hostile_file {
    size_t words;
    uint64_t *word;
    size_t nsections, begin[HOSTILE_SECTIONS], count[HOSTILE_SECTIONS]; /* of the words kept */
} hostile_file;

static inline void hostile_cut(hostile_file *f)
{
    f->nsections = 0;
    for (size_t at = 1; at + 6 <= f->words && f->nsections < HOSTILE_SECTIONS;) {
        size_t count = (size_t)f->word[at + 4];
        f->begin[f->nsections] = at + 5;
        f->count[f->nsections++] = count;
        at += 5 + count;
    }
}

/* A checkpoint after so many answers; 0: this method does not take this problem. */
static inline int hostile_make(hostile_file *f, const char *method, const hostile_box *b, int fans)
{
    zo_solver *s = hostile_solver(method, b);
    if (!s) return 0;
    char path[] = "hostile-XXXXXX";
    int fd = mkstemp(path);
    hostile_must(fd >= 0 && !zo_start(s, NULL, NULL));
    hostile_walk(s, b, fans);
    hostile_must(!zo_save(s, path, NULL));
    zo_free(s);
    close(fd);
    FILE *in = fopen(path, "rb");
    f->word = malloc(HOSTILE_MOST);
    hostile_must(in && f->word);
    f->words = fread(f->word, 8, HOSTILE_MOST / 8, in);
    hostile_must(f->words > 8 && f->words < HOSTILE_MOST / 8 && !fclose(in) && !remove(path));
    hostile_cut(f);
    return 1;
}

/* As in solve/checkpoint.c: over all words but the last, which holds it. */
static inline void hostile_seal(uint64_t *word, size_t words)
{
    uint64_t hash = 0;
    for (size_t k = 0; k + 1 < words; k++) {
        hash = (hash ^ word[k]) * 0x9e3779b97f4a7c15u;
        hash = hash << 29 | hash >> 35;
    }
    word[words - 1] = hash;
}

/* A value that may hurt. */
static inline uint64_t hostile_word(unsigned kind, uint64_t old, uint64_t given)
{
    double number = 0;
    uint64_t word;
    switch (kind % 16) {
    case 0: return 0;
    case 1: return 1;
    case 2: return old + 1;
    case 3: return old - 1;
    case 4: return UINT64_MAX;
    case 5: return (uint64_t)1 << 63;
    case 6: return given % 64;
    case 7: return (uint64_t)1 << given % 64;
    case 8: number = NAN; break;
    case 9: number = INFINITY; break;
    case 10: number = -1e300; break;
    case 11: number = 1e19; break;
    case 12: number = (double)(given % 100); break;
    case 13: number = -0.5; break;
    case 14: return old ^ (uint64_t)1 << given % 64;
    default: return given;
    }
    memcpy(&word, &number, 8);
    return word;
}

static char hostile_said[512]; /* of the last that was refused */

/* Loads these words into a fresh solver and goes on for so many questions. 1: it was taken. */
static inline int hostile_run(const char *method, const hostile_box *b, const uint64_t *word,
                              size_t words, int fans)
{
    int fd = memfd_create("hostile", 0);
    hostile_must(fd >= 0 && write(fd, word, 8 * words) == (ssize_t)(8 * words));
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    zo_solver *s = hostile_solver(method, b);
    zo_error err;
    zo_status status = zo_load(s, path, &err);
    close(fd);
    if (status) snprintf(hostile_said, sizeof hostile_said, "%s", err.text);
    if (status)
        hostile_must(status == ZO_MISMATCH && err.status == status && *err.text);
    else
        hostile_walk(s, b, fans);
    if (status) { /* as if nothing had been read: it can be started */
        hostile_must(!zo_start(s, NULL, NULL));
        hostile_walk(s, b, 2);
    }
    zo_free(s);
    return !status;
}

#endif
