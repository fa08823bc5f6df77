/* What several benches use.
 * SPDX-License-Identifier: MIT */
#include "share/share.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void must(zo_status status, const zo_error *e)
{
    if (!status) return;
    fprintf(stderr, "bench: %s\n", e->text);
    exit(1);
}

int rising(const void *a, const void *b)
{
    double u = *(const double *)a, v = *(const double *)b;
    return (u > v) - (u < v);
}

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13, *state ^= *state >> 7, *state ^= *state << 17;
    return *state;
}

double uniform(uint64_t *state) { return (double)(next(state) >> 11) * 0x1p-53; }

double normal(uint64_t *state)
{
    double sum = -6;
    for (int k = 0; k < 12; k++) sum += uniform(state);
    return sum;
}

double objective_at(const zo_problem *p, const double *x)
{
    zo_fan fan = {
        .n = p->n, .d = p->d, .nbase = 1, .base = {x}, .radius = 1, .sides = 1, .ncomp = p->n};
    double f = NAN;
    p->answer(p->ctx, &fan, &f);
    return f + p->psi.value(&p->psi, p->d, x);
}

/* One entry of a fan is a fan of its rows. */
static int answer_entry(const grouped *g, const zo_fan *fan, size_t e, double *out)
{
    zo_fan one = *fan;
    one.n = g->of.n;
    one.own = one.each = 0;
    if (fan->own) one.dir = fan->dir + e * fan->ndir * fan->d;
    one.comp = g->row + (fan->comp ? fan->comp[e] : e) * g->size;
    one.ncomp = g->size;
    return g->of.answer(g->of.ctx, &one, out);
}

static int answer_mean(const grouped *g, const zo_fan *fan, double *out)
{
    zo_fan wide = *fan;
    size_t k = g->size;
    wide.n = g->of.n;
    wide.ncomp = fan->ncomp * k;
    uint64_t *comp = malloc(wide.ncomp * sizeof *comp);
    for (size_t e = 0; e < wide.ncomp; e++)
        comp[e] = g->row[(fan->comp ? fan->comp[e / k] : e / k) * k + e % k];
    wide.comp = comp;
    int code = g->of.answer(g->of.ctx, &wide, out);
    free(comp);
    return code;
}

/* Every value has its own noise; a difference has that of two. */
static void add_noise(grouped *g, const zo_fan *fan, double *out)
{
    size_t set = zo_fan_set(fan), bases = fan->nbase, part = set / bases;
    double size = g->noise / (fan->each ? 1 : sqrt((double)fan->ncomp));
    for (size_t e = 0; e < zo_fan_answers(fan); e += part) {
        double first = 0;
        for (size_t p = 0; p < part; p++) {
            double one = size * normal(&g->state);
            if (p == 0 && !fan->known)
                first = one, out[e] += one;
            else
                out[e + p] += one - first;
        }
    }
}

static int grouped_answer(void *ctx, const zo_fan *fan, double *out)
{
    grouped *g = ctx;
    int code = 0;
    if (g->size == 1 && g->row[0] == 0)
        code = g->of.answer(g->of.ctx, fan, out);
    else if (!fan->each)
        code = answer_mean(g, fan, out);
    else
        for (size_t e = 0; e < fan->ncomp && !code; e++)
            code = answer_entry(g, fan, e, out + e * zo_fan_set(fan));
    if (g->noise > 0) add_noise(g, fan, out);
    return code;
}

zo_problem group_rows(grouped *g, const zo_problem *p, size_t size, double noise)
{
    *g = (grouped){.of = *p, .size = size, .noise = noise, .row = malloc(p->n * sizeof *g->row)};
    g->state = 1234567891011u;
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < p->n; i++) g->row[i] = i;
    for (size_t i = p->n; i-- > 1 && size > 1;) {
        uint64_t e = next(&state) % (i + 1), kept = g->row[i];
        g->row[i] = g->row[e], g->row[e] = kept;
    }
    return (zo_problem){
        .n = p->n / size, .d = p->d, .answer = grouped_answer, .ctx = g, .psi = p->psi};
}

double true_residual(const zo_problem *p, const double *x)
{
    double *answers = malloc((2 * p->d + 1) * sizeof *answers), *v = malloc(p->d * sizeof *v),
           *z = malloc(p->d * sizeof *z), sum = 0;
    zo_fan fan = {
        .n = p->n, .d = p->d, .nbase = 1, .base = {x}, .radius = 1e-5, .sides = 2, .ncomp = p->n};
    fan.naxis = p->d;
    if (p->answer(p->ctx, &fan, answers)) exit(1);
    for (size_t j = 0; j < p->d; j++)
        v[j] = x[j] - (answers[1 + 2 * j] - answers[2 + 2 * j]) / (2 * fan.radius);
    p->psi.apply(&p->psi, p->d, 1, v, z, NULL);
    for (size_t j = 0; j < p->d; j++) sum += (x[j] - z[j]) * (x[j] - z[j]);
    free(answers);
    free(v);
    free(z);
    return sqrt(sum);
}
