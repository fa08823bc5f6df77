/* zpsvrg: variance reduction over components with random directions; those at the reference point are frozen.
 * SPDX-License-Identifier: MIT
 *
 *   w = x;  g_w = (1/q) sum_j D_j(w) u_j over all components;  then epoch times
 *   g = (1/q) sum_j (D_j(x;B) - D_j(w;B)) v_j + g_w;  x = prox(x - step g)
 *
 * The variance over directions at w stays: with psi, grad f(x*) != 0, so it ends at a floor. Huang et al.,
 * AAAI 2019. */
#include <math.h>

#include "base/error.h"
#include "base/vec.h"
#include "method/core/inner.h"
#include "method/core/rows.h"

enum { OUTER, INNER }; /* stage */

typedef struct zpsvrg {
    method base;
    size_t q, batch, epoch;
    double *w;       /* the reference point (state) */
    double *anchor;  /* g_w (state) */
    uint64_t inner;  /* inner steps done in this epoch (state) */
    directions dirs; /* (scratch) */
    double *slope;   /* q (scratch) */
    double *g;       /* d (scratch) */
    uint64_t *comp;  /* batch (scratch) */
} zpsvrg;

static zo_status zpsvrg_open(method *m, zo_error *err)
{
    zpsvrg *z = (zpsvrg *)m;
    double n = (double)m->n, d = (double)m->d, q = fmin(sqrt(d + 1), method_most_directions(m, 1));
    if (m->set.kind == ZO_AXIS || m->set.kind == ZO_ORTHOGONAL) q = fmin(q, d);
    zo_status status =
        method_whole(m, "batch", &m->set.batch, fmin(n / 64, 128), n, &z->batch, err);
    if (!status) status = method_whole(m, "directions", &m->set.directions, q, 1e9, &z->q, err);
    if (!status)
        status = method_whole(m, "epoch", &m->set.epoch, fmin(n / (2 * (double)z->batch), 100),
                              1e15, &z->epoch, err);
    if (!status) status = directions_new(&z->dirs, m->set.kind, z->q, m->d, err);
    if (status) return status;
    z->w = state_numbers(m, "reference", m->d);
    z->anchor = state_numbers(m, "anchor", m->d);
    state_count(m, "inner", &z->inner, z->epoch);
    z->slope = scratch_new(m, z->q, sizeof *z->slope);
    z->g = scratch_new(m, m->d, sizeof *z->g);
    z->comp = scratch_new(m, z->batch, sizeof *z->comp);
    if (!z->w || !z->anchor || !z->slope || !z->g || !z->comp)
        return out_of_memory(err, "zpsvrg", 3 * m->d + z->q + z->batch);
    return ZO_OK;
}

static int zpsvrg_needs(const method *m) { return isnan(m->set.step) ? NEEDS_TOP : NEEDS_NOTHING; }

/* Two limits: the frozen directions move x along their own error for a whole epoch, step*trace*epoch/q <=
 * 1/2; and the noise of one inner step. */
static void zpsvrg_settle(method *m)
{
    zpsvrg *z = (zpsvrg *)m;
    if (!isnan(m->set.step)) return;
    double q = (double)z->q, trace = method_bend(m, m->curve.trace),
           top = method_bend(m, m->curve.top);
    double each = method_bend(m, m->curve.each) / (double)z->batch;
    double frozen = 0.5 * q / ((double)z->epoch * trace),
           noise = 0.5 / (trace / q + top + z->dirs.spread * each);
    m->set.step = fmin(frozen, noise);
    method_note(m, "step %.3g (trace %.3g, top %.3g)", m->set.step, m->curve.trace, m->curve.top);
}

static int zpsvrg_ask(method *m, zo_fan *fan)
{
    zpsvrg *z = (zpsvrg *)m;
    if (m->stage == INNER) {
        inner_ask(m, &z->dirs, z->w, z->batch, z->comp, fan);
        return 1;
    }
    directions_draw(&z->dirs, m->set.seed, FOR_REFERENCE, m->step);
    directions_ask(&z->dirs, fan);
    fan->radius = method_radius(m, z->dirs.length);
    return 1;
}

static void zpsvrg_tell(method *m, const double *answers)
{
    zpsvrg *z = (zpsvrg *)m;
    if (m->stage == OUTER) {
        read_slopes(&m->fan, answers, 0, 0, z->q, z->slope);
        vec_copy(m->d, m->x, z->w);
        vec_zero(m->d, z->anchor);
        directions_combine(&z->dirs, z->slope, z->anchor);
        z->inner = 0;
        m->stage = INNER;
        return;
    }
    inner_slopes(m, answers, z->q, z->slope);
    vec_copy(m->d, z->anchor, z->g);
    directions_combine(&z->dirs, z->slope, z->g);
    method_move(m, m->set.step, z->g);
    if (++z->inner >= z->epoch) m->stage = OUTER;
}

static void zpsvrg_close(method *m) { directions_free(&((zpsvrg *)m)->dirs); }

const method_row zpsvrg_row = {.info = ROW_ZPSVRG,
                               .size = sizeof(zpsvrg),
                               .last_stage = INNER,
                               .open = zpsvrg_open,
                               .needs = zpsvrg_needs,
                               .settle = zpsvrg_settle,
                               .ask = zpsvrg_ask,
                               .tell = zpsvrg_tell,
                               .close = zpsvrg_close};
