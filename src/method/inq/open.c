/* inq: memory and state.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "method/inq/row.h"

enum { CHUNK_BYTES = 1 << 20 };

/* The largest system a step solves: all coordinates, or in factor form as many as there are components. */
static size_t order_of(const inq *s)
{
    size_t n = s->base.n, d = s->base.d;
    return s->dense ? d : (n < 3000 ? (n > 1500 ? n : 1500) : 3000);
}

/* The most numbers in a sum: a triangle, or three vectors and a few more. */
static size_t widest(const inq *s)
{
    size_t d = s->base.d, matrix = s->dense ? d * (d + 1) / 2 : 0;
    return matrix > 3 * d + NUMBERS ? matrix : 3 * d + NUMBERS;
}

static size_t tree_numbers(const inq *s) { return sum_levels(s->base.n) * widest(s); }

static double bytes_needed(const inq *s)
{
    double n = (double)s->base.n, d = (double)s->base.d;
    double numbers = n * (d * (s->dense ? 1 : 2) + (sizeof(curve) + sizeof(span)) / 8 + 13) +
                     (double)tree_numbers(s) + (s->dense ? 2 * d * d : 0) +
                     (d <= WHOLE ? d * d * (1 + 0.5 * (d + 1)) : 0) +
                     (POINTS + CANDIDATES + 2 * SUM_BLOCK + 2 * SPREAD + 16) * d;
    return 8 * numbers + quad_bytes(s->base.d, s->dense ? 0 : s->base.n, order_of(s));
}

/* Of so many layers. */
static double layer_bytes(const inq *s, double layers)
{
    return (double)s->base.n * layers * (4 * (double)s->base.d + 4 * (layers + 3));
}

double inq_bytes(size_t n, size_t d, double sides)
{
    inq s = {.base = {.n = n, .d = d}, .dense = d <= DENSE};
    return bytes_needed(&s) + layer_bytes(&s, 1) + SPREAD * 8 * (sides * (double)d + 1);
}

static zo_status plan_memory(inq *s, zo_error *err)
{
    const method *m = &s->base;
    double need = bytes_needed(s), each = 8 * (m->set.sides * (double)m->d + 1);
    if (inq_bytes(m->n, m->d, m->set.sides) > m->set.memory)
        return fail(err, ZO_BAD_ARGUMENT,
                    "memory: inq keeps a direction of %zu numbers for each of %zu components, %.0f "
                    "bytes in "
                    "all, and memory allows %.0f; raise it, or take psvrg",
                    m->d, m->n, need, m->set.memory);
    double left = m->set.memory - need - SPREAD * each;
    s->layers = 1;
    while (s->layers < SPAN && s->layers < m->d && layer_bytes(s, (double)s->layers + 1) <= left)
        s->layers++;
    need += layer_bytes(s, (double)s->layers);
    double count = fmin(fmin(m->set.memory - need, CHUNK_BYTES) / each, (double)m->n);
    s->chunk = count < 1 ? 1 : (size_t)count;
    return ZO_OK;
}

/* What lives with its components. */
static int open_shared(inq *s)
{
    method *m = &s->base;
    s->stride = m->d + m->d % 2;
    s->row = state_shared(m, "directions", m->d);
    s->curves = (curve *)state_shared(m, "curves", sizeof(curve) / 8);
    s->spans = (span *)state_shared(m, "spans", sizeof(span) / 8);
    s->weights = state_shared(m, "weights", 1);
    s->kept = state_shared(m, "kept", 1);
    for (size_t k = 0; k < s->layers; k++) {
        s->layer[k] = (float *)state_shared(m, "layers", s->stride / 2);
        s->within[k] = state_shared(m, "within", k + 2);
        if (!s->layer[k] || !s->within[k]) return 0;
    }
    return s->row && s->curves && s->spans && s->weights && s->kept;
}

/* Structs of numbers of 8 bytes. */
static void keep_structs(inq *s)
{
    struct {
        const char *name;
        void *at;
        size_t bytes;
    } all[] = {{"sample", &s->sample, sizeof s->sample},
               {"start", &s->start, sizeof s->start},
               {"trial", &s->step, sizeof s->step},
               {"check", &s->check, sizeof s->check},
               {"ridge", &s->ridge, sizeof s->ridge},
               {"evidence", &s->evidence, sizeof s->evidence},
               {"shared", &s->shared, sizeof s->shared},
               {"shape", &s->shape, sizeof s->shape},
               {"scale", &s->scale, sizeof s->scale},
               {"counts", &s->points, sizeof s->points},
               {"model", &s->model, sizeof s->model},
               {"supports", &s->supports, sizeof s->supports},
               {"outside", &s->outside, sizeof s->outside},
               {"groups", &s->groups, sizeof s->groups},
               {"look", &s->look, sizeof s->look},
               {"noisy", &s->noisy, sizeof s->noisy},
               {"spans_on", &s->spans_on, sizeof s->spans_on}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        state_array(&s->base, all[k].name, all[k].at, all[k].bytes / 8);
}

static int open_state(inq *s)
{
    method *m = &s->base;
    size_t n = m->n, d = m->d;
    keep_structs(s);
    s->asked = (visits *)state_indices(m, "asked", n, UINT64_MAX);
    s->chosen = state_indices(m, "chosen", SPREAD, n - 1);
    s->unit_sum = state_numbers(m, "unit_sum", d);
    s->missed = state_numbers(m, "missed", d);
    s->whole = d <= WHOLE ? state_numbers(m, "whole", d * d) : NULL;
    s->matrix = s->dense ? state_numbers(m, "matrix", d * d) : NULL;
    s->point = state_numbers(m, "points", POINTS * d);
    s->centre = state_numbers(m, "centre", d);
    s->cand = state_numbers(m, "candidates", CANDIDATES * d);
    s->offer = (candidate *)state_numbers(m, "offers", CANDIDATES * (sizeof(candidate) / 8));
    s->fresh = state_numbers(m, "fresh", MOST_FRESH);
    s->reach = state_numbers(m, "reach", d);
    s->bends = state_numbers(m, "bends", d);
    s->incline = state_numbers(m, "incline", d);
    s->inclined = state_numbers(m, "inclined", d);
    s->before = state_numbers(m, "before", d);
    s->level = state_numbers(m, "level", d);
    return s->asked && s->chosen && s->unit_sum && s->missed && (s->whole || d > WHOLE) &&
           (s->matrix || !s->dense) && s->point && s->centre && s->cand && s->offer && s->fresh &&
           s->reach && s->bends && s->incline && s->inclined && s->before && s->level;
}

static int open_scratch(inq *s)
{
    size_t n = s->base.n, d = s->base.d, mine = s->base.count,
           most = s->chunk > SPREAD ? s->chunk : SPREAD;
    s->slope = mem_new(mine, sizeof *s->slope);
    s->bend = mem_new(mine, sizeof *s->bend);
    s->g = mem_new(d, sizeof *s->g);
    s->fresh_g = mem_new(d, sizeof *s->fresh_g);
    s->work = mem_new(d, sizeof *s->work);
    s->lost = mem_new(d, sizeof *s->lost);
    s->told = mem_new(d, sizeof *s->told);
    s->miss = mem_new(d, sizeof *s->miss);
    s->corner = d <= WHOLE ? mem_new(d * (d + 1) / 2 * d, sizeof *s->corner) : NULL;
    s->is_new = mem_new(mine, 1);
    s->list = mem_new(mine, sizeof *s->list);
    s->marks = mem_new(n, 1);
    s->mark = s->base.together ? mem_new(mine, 1) : s->marks;
    s->upto = mem_new(n / SUM_BLOCK + 2, sizeof *s->upto);
    s->entry = mem_new(s->base.set.own ? SPREAD * CANDIDATES : 2 * most + SPREAD * CANDIDATES,
                       sizeof *s->entry);
    s->index = mem_new(2 * most, sizeof *s->index);
    s->some = mem_new(SPREAD * d, sizeof *s->some);
    s->full = s->dense ? mem_new(d * d, sizeof *s->full) : NULL;
    s->col = s->dense ? NULL : mem_new(d * n, sizeof *s->col);
    s->dir = mem_new(most * d, sizeof *s->dir);
    s->block = mem_new(2 * SUM_BLOCK * d, sizeof *s->block);
    s->tree = mem_new(tree_numbers(s), sizeof *s->tree);
    s->comp = mem_new(2 * SPREAD, sizeof *s->comp);
    s->seen = mem_new(inq_few(s) + 1, sizeof *s->seen);
    return s->slope && s->bend && s->g && s->fresh_g && s->work && s->lost && s->told && s->miss &&
           s->is_new && s->list && s->marks && s->mark && s->upto && s->entry && s->index &&
           s->some && (s->corner || d > WHOLE) && (s->dense ? s->full : s->col) && s->dir &&
           s->block && s->tree && s->comp && s->seen &&
           !quad_open(&s->room, d, s->dense ? 0 : n, order_of(s));
}

/* Components that the horizon can pay for, with a fifth left over for steps. */
double inq_affordable(const inq *s)
{
    const method *m = &s->base;
    double n = (double)m->n, full = m->set.sides * (double)m->d + 2;
    double each = fmin(recovery_price(&s->recovery) + values_after, full);
    return m->set.horizon > 0 && m->set.horizon < tight * n * each
               ? fmax(for_samples * m->set.horizon / each, 1)
               : n;
}

double inq_least_size(const inq *s)
{
    return fmax(fmax(LEAST_SAMPLE, (double)s->base.n / MOST_SAMPLES),
                FIRST_GRADIENTS / (double)s->base.d);
}

/* Samples double from so many that judging a step is cheap beside asking them, or where that is most of what can be paid
 * for from fewer, so that the last but one holds a little more than half. */
uint64_t inq_first_size(const inq *s)
{
    double size = (double)s->base.n / last_part, most = fmax(first_part * inq_affordable(s), 1);
    double least = fmin(inq_least_size(s), most);
    if (size < least || !inq_rule(s, RULE_SAMPLES)) return s->base.n;
    while (size / 2 >= least) size /= 2;
    return (uint64_t)fmin(ceil(size), (double)s->base.n);
}

zo_status inq_open(method *m, zo_error *err)
{
    inq *s = (inq *)m;
    s->dense = m->d <= DENSE;
    if (!s->dense) method_gather(m);
    zo_status status = plan_memory(s, err);
    if (status) return status;
    size_t most = s->base.set.own || s->chunk < SPREAD ? SPREAD : s->chunk;
    if (!plan_open(&s->plan, m) || !recovery_open(&s->recovery, m) || !open_shared(s) ||
        !open_state(s) || !open_scratch(s) || !method_reserve(m, CANDIDATES, most) ||
        !method_reserve(m, widest(s), 0) || !method_reserve_rows(m, 2 * SPREAD * m->d))
        return out_of_memory(err, "inq's directions", m->n * m->d);
    return ZO_OK;
}

void inq_close(method *m)
{
    inq *s = (inq *)m;
    void *all[] = {
        s->slope, s->bend, s->g,     s->fresh_g, s->work, s->full,
        s->col,   s->dir,  s->block, s->tree,    s->comp, s->seen,
        s->lost,  s->told, s->miss,  s->is_new,  s->list, s->corner,
        s->marks, s->upto, s->entry, s->index,   s->some, s->mark == s->marks ? NULL : s->mark};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
    quad_close(&s->room);
    recovery_close(&s->recovery);
    plan_close(&s->plan);
}
