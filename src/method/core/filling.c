/* A table of gradients, recovered where that pays; see filling.h.
 * SPDX-License-Identifier: MIT */
#include "method/core/filling.h"

#include <math.h>

#include "base/vec.h"

enum { FIRST, RECOVERED, REST }; /* phase */
enum { LOOKED_AT = 256 };        /* components that are asked in full first */
enum { GATHER = 64 };            /* rows that are on all ranks at once */
static const double least =
    1e-6; /* of a row's largest number: smaller ones are what differences are off by */

int filling_open(filling *f, method *m, size_t chunk, double *table, double *value)
{
    f->m = m;
    f->chunk = chunk;
    f->table = table;
    f->value = value;
    if (m->set.recover != ZO_ON || m->set.noise > 0) return 1;
    if (!recovery_open(&f->recovery, m)) return 0;
    if (!f->recovery.room) return 1;
    f->on = 1;
    f->rows = scratch_new(m, GATHER * m->d, sizeof *f->rows);
    state_count(m, "filling", &f->phase, REST);
    if (!f->rows || !plan_open(&f->plan, m) || !method_reserve_rows(m, GATHER * m->d)) return 0;
    plan_over(&f->plan, OF_ORDER, 0, m->n < LOOKED_AT ? m->n : LOOKED_AT);
    return 1;
}

void filling_close(filling *f)
{
    if (f->m && f->recovery.m) recovery_close(&f->recovery);
}

static uint64_t known(const filling *f) { return f->m->n < LOOKED_AT ? f->m->n : LOOKED_AT; }

static double *row_of(const filling *f, uint64_t i)
{
    return f->table + (size_t)(i - f->m->first) * f->m->d;
}

/* ---- What the first have in common ------------------------------------------------------------------ */

static void gather(filling *f, size_t k)
{
    size_t d = f->m->d, left = (size_t)known(f) - k, count = left < GATHER ? left : GATHER;
    const uint64_t *list = f->plan.order + k;
    for (size_t e = 0; e < count; e++)
        if (method_mine(f->m, list[e])) vec_copy(d, row_of(f, list[e]), f->rows + e * d);
    method_rows(f->m, count, list, d, f->rows);
    f->from = k;
}

static size_t known_row(const void *ctx, size_t k, uint32_t *place, double *value)
{
    filling *f = (filling *)ctx;
    size_t d = f->m->d, count = 0;
    if (k < f->from || k >= f->from + GATHER) gather(f, k / GATHER * GATHER);
    const double *row = f->rows + (k - f->from) * d;
    double most = 0;
    for (size_t j = 0; j < d; j++) most = fmax(most, fabs(row[j]));
    for (size_t j = 0; j < d; j++)
        if (fabs(row[j]) > least * most) place[count] = (uint32_t)j, value[count++] = row[j];
    return count;
}

/* ---- Asking, and what comes next --------------------------------------------------------------------- */

void filling_ask(filling *f, zo_fan *fan)
{
    if (f->phase == RECOVERED) {
        recovery_ask(&f->recovery, fan, f->plan.order + known(f), f->m->n - known(f));
        return;
    }
    plan_chunk(&f->plan, fan, f->chunk);
    fan->naxis = f->m->d;
}

static void found(void *ctx, uint64_t i, double value, const recovered *g)
{
    filling *f = ctx;
    double *row = row_of(f, i);
    vec_zero(f->m->d, row);
    for (size_t k = 0; k < g->count; k++) row[g->place[k]] += g->slope[k];
    f->value[i - f->m->first] = value;
}

/* Those that were not recovered are asked in full. 1: there are none. */
static int go_over_rest(filling *f)
{
    const recovery *r = &f->recovery;
    plan_clear(&f->plan);
    for (uint64_t k = 0; k < r->at->failed; k++) plan_add(&f->plan, r->failed[k]);
    plan_queue(&f->plan);
    f->phase = REST;
    recovery_note(r);
    return f->plan.queued == 0;
}

static int begin_others(filling *f)
{
    recovery *r = &f->recovery;
    f->from = SIZE_MAX / 2;
    recovery_learn(r, 1, (size_t)known(f), known_row, f);
    recovery_begin(r);
    f->phase = RECOVERED;
    if (recovery_pays(r)) return 0;
    for (uint64_t k = known(f); k < f->m->n; k++) r->failed[r->at->failed++] = f->plan.order[k];
    return go_over_rest(f);
}

static int tell_recovered(filling *f, const double *answers)
{
    recovery *r = &f->recovery;
    uint64_t count = f->m->n - known(f);
    int said = recovery_tell(r, answers, count, 0, found, f);
    if (said == RECOVERY_FAINT) recovery_concede(r, f->plan.order + known(f), count);
    if (said == RECOVERY_DONE || (r->at->cursor == count && r->at->opened == 0))
        return go_over_rest(f);
    return 0;
}

int filling_tell(filling *f, const double *answers)
{
    method *m = f->m;
    size_t set = zo_fan_set(&m->fan);
    if (f->phase == RECOVERED) return tell_recovered(f, answers);
    for (size_t e = 0; e < m->fan.ncomp; e++) {
        uint64_t i = m->fan.comp[e];
        if (!method_mine(m, i)) continue;
        read_slopes(&m->fan, answers + e * set, 0, 0, m->d, row_of(f, i));
        f->value[i - m->first] = answers[e * set];
    }
    if (!plan_done(&f->plan)) return 0;
    return f->phase == REST || begin_others(f);
}

const char *filling_check(const filling *f)
{
    if (!f->on) return NULL;
    if (!plan_sane(&f->plan)) return "'plan' is not one";
    return recovery_check(&f->recovery);
}
