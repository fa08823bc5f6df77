/* zosgd: x = prox(x - eta_k g), g = (1/q) sum_j D_j(x;B) u_j, eta_k = step/sqrt(1 + k/decay).
 * SPDX-License-Identifier: MIT
 *
 * Ghadimi, Lan, SIAM J. Optim. 23 (2013). */
#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "direction/direction.h"
#include "method/method.h"
#include "method/rows.h"

typedef struct zosgd {
    method base;
    size_t q, batch;
    directions dirs; /* (scratch) */
    double *slope;   /* q (scratch) */
    double *g;       /* d (scratch) */
    uint64_t *comp;  /* batch (scratch) */
} zosgd;

static zo_status zosgd_open(method *m, zo_error *err)
{
    zosgd *z = (zosgd *)m;
    double n = (double)m->n, d = (double)m->d;
    zo_status status = method_whole(m, "batch", &m->set.batch, fmin(n, 16), n, &z->batch, err);
    if (!status) status = method_whole(m, "directions", &m->set.directions, fmin(d, 4), 1e9, &z->q, err);
    if (!status) status = directions_new(&z->dirs, m->set.kind, z->q, m->d, err);
    if (status) return status;
    z->slope = mem_new(z->q, sizeof *z->slope);
    z->g = mem_new(m->d, sizeof *z->g);
    z->comp = mem_new(z->batch, sizeof *z->comp);
    if (!z->slope || !z->g || !z->comp) return out_of_memory(err, "zosgd", m->d + z->q + z->batch);
    return ZO_OK;
}

static int zosgd_needs(const method *m) { return isnan(m->set.step) ? NEEDS_TRACE : NEEDS_NOTHING; }

static void zosgd_settle(method *m)
{
    zosgd *z = (zosgd *)m;
    double q = (double)z->q, cost = (double)z->batch * (q + 1);
    if (isnan(m->set.step)) {
        m->set.step = 0.5 * q / method_bend(m, m->curve.trace) / (q + 1);
        method_note(m, "step %.3g (trace %.3g)", m->set.step, m->curve.trace);
    }
    if (!isnan(m->set.decay)) return;
    double steps = isfinite(m->set.horizon) ? m->set.horizon / cost : 1000;
    m->set.decay = fmax(1, steps / 20);
    method_note(m, "decay %.3g", m->set.decay);
}

static int zosgd_ask(method *m, zo_fan *fan)
{
    zosgd *z = (zosgd *)m;
    directions_draw(&z->dirs, m->set.seed, FOR_DIRECTION, m->step);
    rng_indices(m->set.seed, FOR_COMPONENT, m->step, m->n, z->batch, z->comp);
    directions_ask(&z->dirs, fan);
    fan->radius = method_radius(m, z->dirs.length);
    fan->ncomp = z->batch;
    fan->comp = z->comp;
    return 1;
}

static void zosgd_tell(method *m, const double *answers)
{
    zosgd *z = (zosgd *)m;
    read_slopes(&m->fan, answers, 0, 0, z->q, z->slope);
    vec_zero(m->d, z->g);
    directions_combine(&z->dirs, z->slope, z->g);
    method_move(m, m->set.step / sqrt(1 + (double)m->step / m->set.decay), z->g);
}

static void zosgd_close(method *m)
{
    zosgd *z = (zosgd *)m;
    directions_free(&z->dirs);
    mem_free(z->slope);
    mem_free(z->g);
    mem_free(z->comp);
}

const method_row zosgd_row = {.info = ROW_ZOSGD,
                              .size = sizeof(zosgd),
                              .open = zosgd_open,
                              .needs = zosgd_needs,
                              .settle = zosgd_settle,
                              .ask = zosgd_ask,
                              .tell = zosgd_tell,
                              .close = zosgd_close};
