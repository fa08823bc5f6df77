/* psvrg: variance reduction over components on difference gradients.
 * SPDX-License-Identifier: MIT
 *
 *   w = x, G(w) over all components;  then epoch times  g = G_B(x) - G_B(w) + G(w),  x = prox(x - step g)
 *
 * G is the gradient by differences along all d axes, B a batch drawn with replacement. Every outer pass sees
 * f(w) for free: where the step was auto and F(w) has risen, the epoch is undone and the step halved. Xiao,
 * Zhang, 2014. */
#include <math.h>

#include "base/error.h"
#include "base/rng.h"
#include "base/vec.h"
#include "method/core/method.h"
#include "method/core/rows.h"

enum { OUTER, INNER }; /* stage */
enum { MOST_BATCH = 256 };

typedef struct psvrg {
    method base;
    uint64_t tries; /* 1: the step was auto, epochs are judged (state) */
    double *w;      /* the reference point (state) */
    double *full;   /* G(w) (state) */
    double F;       /* at w; NaN: none yet (state) */
    uint64_t inner; /* inner steps done in this epoch (state) */
    size_t room;    /* components in a batch, at most */
    double *g;      /* d (scratch) */
    uint64_t *comp; /* batch (scratch) */
} psvrg;

static zo_status psvrg_open(method *m, zo_error *err)
{
    psvrg *p = (psvrg *)m;
    size_t room = m->n < MOST_BATCH ? m->n : MOST_BATCH;
    zo_status status = ZO_OK;
    if (!isnan(m->set.batch))
        status = method_whole(m, "batch", &m->set.batch, 1, (double)m->n, &room, err);
    if (status) return status;
    p->room = room;
    p->tries = isnan(m->set.step) ? 1u : 0u;
    p->F = NAN;
    state_count(m, "tries", &p->tries, 1);
    p->w = state_numbers(m, "reference", m->d);
    p->full = state_numbers(m, "full", m->d);
    state_number(m, "F", &p->F);
    state_count(m, "inner", &p->inner, MOST_COUNTED);
    p->g = scratch_new(m, m->d, sizeof *p->g);
    p->comp = scratch_new(m, room, sizeof *p->comp);
    if (!p->w || !p->full || !p->g || !p->comp) return out_of_memory(err, "psvrg", 3 * m->d + room);
    return ZO_OK;
}

static int psvrg_needs(const method *m)
{
    return isnan(m->set.step) || isnan(m->set.batch) ? NEEDS_TOP : NEEDS_NOTHING;
}

static void psvrg_settle(method *m)
{
    zo_settings *s = &m->set;
    double n = (double)m->n;
    if (isnan(s->batch)) method_auto_batch(m, fmin(n, MOST_BATCH));
    if (isnan(s->step)) method_auto_step(m);
    if (!isnan(s->epoch)) return;
    s->epoch = fmax(1, floor(n / (2 * s->batch)));
    method_note(m, "epoch %.0f", s->epoch);
}

static int psvrg_ask(method *m, zo_fan *fan)
{
    psvrg *p = (psvrg *)m;
    fan->naxis = m->d;
    if (m->stage == OUTER) return 1;
    fan->ncomp = (size_t)m->set.batch;
    rng_indices(m->set.seed, FOR_COMPONENT, m->step, m->n, fan->ncomp, p->comp);
    fan->nbase = 2;
    fan->base[1] = p->w;
    fan->comp = p->comp;
    return 1;
}

static double psi_at(const method *m)
{
    return m->psi->value ? m->psi->value(m->psi, m->d, m->x) : 0;
}

static void tell_outer(psvrg *p, const double *answers)
{
    method *m = &p->base;
    double F = answers[0] + psi_at(m);
    p->inner = 0;
    m->stage = INNER;
    if (p->tries && F > p->F + 1e-10 * fmax(1, fabs(p->F))) {
        m->set.step *= 0.5;
        vec_copy(m->d, p->w, m->x);
        m->step++;
        return;
    }
    p->F = F;
    vec_copy(m->d, m->x, p->w);
    read_slopes(&m->fan, answers, 0, 0, m->d, p->full);
    m->residual = prox_residual(m, p->w, m->set.step, p->full, p->g);
}

static void psvrg_tell(method *m, const double *answers)
{
    psvrg *p = (psvrg *)m;
    if (m->stage == OUTER) {
        tell_outer(p, answers);
        return;
    }
    for (size_t j = 0; j < m->d; j++)
        p->g[j] = quotient(&m->fan, answers, 0, j) - quotient(&m->fan, answers, 1, j) + p->full[j];
    method_move(m, m->set.step, p->g);
    if (++p->inner >= (uint64_t)m->set.epoch) m->stage = OUTER;
}

static const char *psvrg_check(const method *m)
{
    const psvrg *p = (const psvrg *)m;
    if (m->settled && !is_whole(m->set.batch, (double)p->room))
        return "'set.batch' is outside of its room";
    if (m->settled && isnan(m->set.epoch)) return "'set.epoch' is not known";
    return NULL;
}

const method_row psvrg_row = {.info = ROW_PSVRG,
                              .size = sizeof(psvrg),
                              .last_stage = INNER,
                              .open = psvrg_open,
                              .needs = psvrg_needs,
                              .settle = psvrg_settle,
                              .ask = psvrg_ask,
                              .tell = psvrg_tell,
                              .check = psvrg_check};
