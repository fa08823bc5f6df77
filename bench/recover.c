/* Gradients recovered, counted against the truth: queries a component, checks that failed, wrong ones that passed.
 * SPDX-License-Identifier: MIT
 *
 *     recover DATA L2 SCALE KNOWN COUNT    x = SCALE N(0,1); learns from KNOWN components in full, then recovers COUNT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recover/code.h"
#include "recover/split.h"
#include "share/share.h"
#include "zoprox_data.h"

enum { CHUNK = 256 };

typedef struct table {
    size_t d;
    const double *row;
} table;

/* What is not above rounding is 0. */
static size_t row_of(const void *ctx, size_t k, uint32_t *place, double *value)
{
    const table *t = ctx;
    size_t count = 0;
    for (size_t j = 0; j < t->d; j++) {
        if (fabs(t->row[k * t->d + j]) < 1e-8) continue;
        place[count] = (uint32_t)j;
        value[count++] = t->row[k * t->d + j];
    }
    return count;
}

/* Difference gradients of components comp..., the ridge taken out. */
static void in_full(const zo_problem *p, const double *x, double l2, size_t count,
                    const uint64_t *comp, double *to)
{
    size_t d = p->d;
    double r = 1e-6, *out = malloc(CHUNK * (1 + 2 * d) * 8);
    for (size_t at = 0; at < count; at += CHUNK) {
        size_t some = count - at < CHUNK ? count - at : CHUNK;
        zo_fan fan = {.n = p->n, .d = d, .nbase = 1, .base = {x}, .naxis = d, .radius = r};
        fan.sides = 2, fan.ncomp = some, fan.comp = comp + at, fan.each = 1;
        if (p->answer(p->ctx, &fan, out)) exit(1);
        for (size_t e = 0; e < some; e++)
            for (size_t j = 0; j < d; j++)
                to[(at + e) * d + j] =
                    (out[e * (1 + 2 * d) + 1 + 2 * j] - out[e * (1 + 2 * d) + 2 + 2 * j]) /
                        (2 * r) -
                    l2 * x[j];
    }
    free(out);
}

static int split_one(const zo_problem *p, const double *x, double l2, uint64_t i, double f,
                     double radius, const splitter *sp, recovered *r, double *asked)
{
    split_case *c = malloc(split_width(sp) * 8);
    double *row = malloc(p->d * 8), out[2];
    split_begin(c, sp, r);
    (void)f;
    while (c->status == SPLIT_ASKS) {
        split_row(c, sp, radius, row);
        zo_fan fan = {.n = p->n, .d = p->d, .nbase = 1, .base = {x}, .ndir = 1, .dir = row};
        fan.radius = 1, fan.sides = 1, fan.ncomp = 1, fan.comp = &i, fan.each = 1;
        if (p->answer(p->ctx, &fan, out)) exit(1);
        double ridge = 0;
        for (size_t j = 0; j < p->d; j++) ridge += l2 * row[j] * (x[j] + 0.5 * row[j]);
        split_tell(c, sp, radius, out[1] - ridge, 0.5 * (double)p->d);
    }
    *asked += c->asked;
    r->count = (size_t)c->count;
    for (size_t k = 0; k < r->count; k++)
        r->place[k] = (uint32_t)c->list[k], r->slope[k] = split_slope(c, sp)[k];
    int done = c->status == SPLIT_DONE;
    free(row);
    free(c);
    return done;
}

int main(int argc, char **argv)
{
    if (argc < 6) return 2;
    zo_error e;
    zo_data *data;
    zo_model *model;
    zo_problem p;
    double l2 = atof(argv[2]), radius = 1e-6;
    size_t known = (size_t)atoi(argv[4]), count = (size_t)atoi(argv[5]);
    must(strncmp(argv[1], "synth:", 6) ? zo_data_read(&data, argv[1], 0, &e)
                                       : zo_data_synth(&data, argv[1] + 6, &e),
         &e);
    must(zo_model_new(&model, data, ZO_LOGISTIC, l2, 1, &p, &e), &e);
    size_t d = p.d;
    uint64_t state = 88172645463325252u, *order = malloc(p.n * 8);
    double *x = malloc(d * 8);
    for (size_t j = 0; j < d; j++) x[j] = atof(argv[3]) * normal(&state);
    for (size_t i = 0; i < p.n; i++) order[i] = i;
    for (size_t i = p.n; i-- > 1;) {
        size_t k = (size_t)(uniform(&state) * (double)(i + 1));
        uint64_t kept = order[i];
        order[i] = order[k], order[k] = kept;
    }
    double *rows = malloc(known * d * 8), *truth = malloc(CHUNK * d * 8);
    in_full(&p, x, l2, known, order, rows);
    book b = {.d = d};
    b.often = calloc(d, 8), b.group = calloc(d, 8), b.count = calloc(d, 8);
    b.value = calloc(d * BOOK_VALUES, 8), b.rows = calloc(2, 8);
    book_room *room = book_room_new(known, d);
    table t = {d, rows};
    book_learn(&b, room, known, row_of, &t);
    code *way = code_new(d, 1);
    size_t cost = code_make(way, &b), ndir = code_rows(way);
    printf("d %zu: %g rows of %zu with a unit, %zu groups, %zu words, %zu axes: %zu queries a "
           "component (%.3f)\n",
           d, *b.rows, known, way->groups, way->words, way->naxis, cost, (double)cost / (double)d);
    if (cost > d) return 0;
    double *dir = malloc(ndir * d * 8), *ridge = malloc((way->naxis + ndir) * 8);
    size_t set = 1 + way->naxis + ndir;
    double *out = malloc(CHUNK * set * 8);
    for (size_t k = 0; k < ndir; k++) code_row(way, k, radius, dir + k * d);
    for (size_t k = 0; k < way->naxis; k++)
        ridge[k] = l2 * (radius * x[way->axis[k]] + 0.5 * radius * radius);
    for (size_t k = 0; k < ndir; k++) {
        double odd = 0, even = 0;
        for (size_t j = 0; j < d; j++)
            odd += x[j] * dir[k * d + j], even += dir[k * d + j] * dir[k * d + j];
        ridge[way->naxis + k] = l2 * (odd + 0.5 * even);
    }
    recovered one = {.place = malloc(d * 4), .slope = malloc(d * 8)};
    size_t passed = 0, wrong = 0, tried = 0, later = 0;
    double asked = 0;
    splitter *sp = splitter_new(d, 1);
    splitter_order(sp, b.often, *b.rows, NULL);
    double worst = 0, total = 0;
    /* axes and rows have one radius: rows are scaled, so that axes are asked as rows of their own here */
    double *all = calloc((way->naxis + ndir) * d, 8);
    for (size_t k = 0; k < way->naxis; k++) all[k * d + way->axis[k]] = radius;
    memcpy(all + way->naxis * d, dir, ndir * d * 8);
    for (size_t at = known; at < known + count && at < p.n; at += CHUNK) {
        size_t some = p.n - at < CHUNK ? p.n - at : CHUNK;
        zo_fan fan = {
            .n = p.n, .d = d, .nbase = 1, .base = {x}, .ndir = set - 1, .dir = all, .radius = 1};
        fan.sides = 1, fan.ncomp = some, fan.comp = order + at, fan.each = 1;
        if (p.answer(p.ctx, &fan, out)) exit(1);
        in_full(&p, x, l2, some, order + at, truth);
        for (size_t c = 0; c < some; c++) {
            double *told = out + c * set, off = 0, size = 0;
            for (size_t k = 0; k + 1 < set; k++) told[1 + k] -= ridge[k];
            tried++;
            if (code_read(way, told[0], radius, told + 1, &one))
                passed++;
            else if (!split_one(&p, x, l2, order[at + c], told[0], radius, sp, &one, &asked))
                continue;
            else
                later++;
            double *g = truth + c * d;
            for (size_t j = 0; j < d; j++) size += g[j] * g[j];
            for (size_t k = 0; k < one.count; k++) g[one.place[k]] -= one.slope[k];
            for (size_t j = 0; j < d; j++) off += g[j] * g[j];
            off = sqrt(off / (size + 1e-8));
            worst = off < 1e-3 ? fmax(worst, off) : worst;
            total += off < 1e-3 ? off * off : 0;
            wrong += off > 1e-3;
        }
    }
    printf("  %zu of %zu recovered (%.2f %%), %zu wrong; error %.1e rms, %.1e at most\n", passed,
           tried, 100 * (double)passed / (double)tried, wrong,
           sqrt(total / (double)(passed + later)), worst);
    printf("  %zu by splitting, %.1f questions each; %.4f units in all\n", later,
           asked / (double)(tried - passed),
           ((double)(tried * cost) + asked + (double)(d * (tried - passed - later))) /
               (double)(tried * d));
    return 0;
}
