/* zpvr: variance reduction with whole differences at the reference point and random directions in between.
 * SPDX-License-Identifier: MIT
 *
 *   at k = 0 and after a refresh:  G(w), differences along all d axes, over all components
 *   every step k:
 *       draw v_1..v_q and B components;  g = (1/q) sum_j (D_j(x;B) - D_j(w;B)) v_j + G(w)
 *       x_{k+1} = prox(x_k - step g);  with probability p:  w = x_k, the point before the step
 *
 * What zpdvr promises, kept: nothing random is frozen in G(w), so no bias drives x between refreshes. With
 * p = 1/(n d) a refresh costs one query a step in the mean, and d(n + kappa) log(1/eps) queries are enough
 * (docs/theory.md, theorem 1). */
#include <math.h>

#include "base/error.h"
#include "base/vec.h"
#include "method/core/inner.h"
#include "method/core/rows.h"

enum { FIRST, INNER, REFRESH }; /* stage: what is asked next */
enum { MOST_BATCH = 256 };

typedef struct zpvr {
    method base;
    size_t q, room;  /* components in a batch, at most */
    double *w;       /* the reference point (state) */
    double *full;    /* G(w) (state) */
    directions dirs; /* (scratch) */
    double *slope;   /* q (scratch) */
    double *g;       /* d (scratch) */
    uint64_t *comp;  /* room (scratch) */
} zpvr;

static zo_status zpvr_open(method *m, zo_error *err)
{
    zpvr *z = (zpvr *)m;
    double d = (double)m->d, q = fmin(sqrt(d + 1), method_most_directions(m, 1));
    if (m->set.kind == ZO_AXIS || m->set.kind == ZO_ORTHOGONAL) q = fmin(q, d);
    z->room = m->n < MOST_BATCH ? m->n : MOST_BATCH;
    zo_status status = method_whole(m, "directions", &m->set.directions, q, 1e9, &z->q, err);
    if (!status && !isnan(m->set.batch))
        status = method_whole(m, "batch", &m->set.batch, 1, (double)m->n, &z->room, err);
    if (!status) status = directions_new(&z->dirs, m->set.kind, z->q, m->d, err);
    if (status) return status;
    z->w = state_numbers(m, "reference", m->d);
    z->full = state_numbers(m, "full", m->d);
    z->slope = scratch_new(m, z->q, sizeof *z->slope);
    z->g = scratch_new(m, m->d, sizeof *z->g);
    z->comp = scratch_new(m, z->room, sizeof *z->comp);
    if (!z->w || !z->full || !z->slope || !z->g || !z->comp)
        return out_of_memory(err, "zpvr", 3 * m->d + z->q + z->room);
    return ZO_OK;
}

static void zpvr_close(method *m) { directions_free(&((zpvr *)m)->dirs); }

static int zpvr_needs(const method *m)
{
    return isnan(m->set.step) || isnan(m->set.batch) ? NEEDS_TOP : NEEDS_NOTHING;
}

/* Refreshes cost as much as the steps between them, p n(d+1) = 2B(q+1); and the noise of one inner step allows
 * step spread (top + each/B) <= 1/2. */
static void zpvr_settle(method *m)
{
    zpvr *z = (zpvr *)m;
    zo_settings *s = &m->set;
    if (isnan(s->batch)) method_auto_batch(m, fmin((double)m->n, MOST_BATCH));
    if (isnan(s->refresh)) {
        double inner = 2 * s->batch * ((double)z->q + 1);
        s->refresh = fmin(inner / ((double)m->n * ((double)m->d + 1)), 1);
        method_note(m, "refresh %.3g", s->refresh);
    }
    if (!isnan(s->step)) return;
    double bend = method_bend(m, m->curve.top) + method_bend(m, m->curve.each) / s->batch;
    s->step = 0.5 / (z->dirs.spread * bend);
    method_note(m, "step %.3g (top %.3g)", s->step, m->curve.top);
}

static int zpvr_ask(method *m, zo_fan *fan)
{
    zpvr *z = (zpvr *)m;
    if (m->stage == INNER) {
        inner_ask(m, &z->dirs, z->w, (size_t)m->set.batch, z->comp, fan);
        return 1;
    }
    fan->naxis = m->d;
    if (m->stage == REFRESH) fan->base[0] = z->w;
    return 1;
}

static void zpvr_tell(method *m, const double *answers)
{
    zpvr *z = (zpvr *)m;
    if (m->stage != INNER) {
        if (m->stage == FIRST) vec_copy(m->d, m->x, z->w);
        read_slopes(&m->fan, answers, 0, 0, m->d, z->full);
        m->residual = prox_residual(m, z->w, m->set.step, z->full, z->g);
        m->stage = INNER;
        return;
    }
    inner_slopes(m, answers, z->q, z->slope);
    vec_copy(m->d, z->full, z->g);
    directions_combine(&z->dirs, z->slope, z->g);
    if (inner_toss(m, (size_t)m->set.batch)) {
        vec_copy(m->d, m->x, z->w);
        m->stage = REFRESH;
    }
    method_move(m, m->set.step, z->g);
}

static const char *zpvr_check(const method *m)
{
    const zpvr *z = (const zpvr *)m;
    if (m->settled && !is_whole(m->set.batch, (double)z->room))
        return "'set.batch' is outside of its room";
    return inner_check(m);
}

const method_row zpvr_row = {.info = ROW_ZPVR,
                             .size = sizeof(zpvr),
                             .last_stage = REFRESH,
                             .open = zpvr_open,
                             .needs = zpvr_needs,
                             .settle = zpvr_settle,
                             .ask = zpvr_ask,
                             .tell = zpvr_tell,
                             .check = zpvr_check,
                             .close = zpvr_close};
