/* sega: all components along q random directions, with a memory h of the gradient.
 * SPDX-License-Identifier: MIT
 *
 *   e = (1/q) sum_j (D_j(x) - u_j'h) u_j;   x = prox(x - step (h + e));   h += theta e,  theta = 1/spread
 *
 * Hanzely, Mishchenko, Richtarik, NeurIPS 2018. */
#include <math.h>

#include "base/error.h"
#include "base/vec.h"
#include "direction/direction.h"
#include "method/core/method.h"
#include "method/core/rows.h"

enum { WARM, STEP }; /* stage */

typedef struct sega {
    method base;
    size_t q;
    double *memory;   /* h (state) */
    directions dirs;  /* (scratch) */
    double *slope;    /* q (scratch) */
    double *g, *work; /* d each (scratch) */
} sega;

static zo_status sega_open(method *m, zo_error *err)
{
    sega *s = (sega *)m;
    /* q/((q+1)(d+q+1)), what the memory gains per query, is largest at q = sqrt(d+1). */
    double best = fmin(sqrt((double)m->d + 1), method_most_directions(m, 1));
    if (m->set.kind == ZO_AXIS || m->set.kind == ZO_ORTHOGONAL) best = fmin(best, (double)m->d);
    zo_status status = method_whole(m, "directions", &m->set.directions, best, 1e9, &s->q, err);
    if (!status) status = directions_new(&s->dirs, m->set.kind, s->q, m->d, err);
    if (status) return status;
    s->memory = state_numbers(m, "memory", m->d);
    s->slope = scratch_new(m, s->q, sizeof *s->slope);
    s->g = scratch_new(m, m->d, sizeof *s->g);
    s->work = scratch_new(m, m->d, sizeof *s->work);
    if (!s->memory || !s->slope || !s->g || !s->work)
        return out_of_memory(err, "sega", 2 * m->d + s->q);
    m->stage = m->set.warm ? WARM : STEP;
    return ZO_OK;
}

static int sega_needs(const method *m) { return isnan(m->set.step) ? NEEDS_TOP : NEEDS_NOTHING; }

static void sega_settle(method *m)
{
    if (!isnan(m->set.step)) return;
    double noise = method_bend(m, m->curve.trace) / (double)((sega *)m)->q;
    m->set.step = 0.9 / (noise + method_bend(m, m->curve.top));
    method_note(m, "step %.3g (0.9/(trace/directions + top); trace %.3g, top %.3g)", m->set.step,
                m->curve.trace, m->curve.top);
}

static int sega_ask(method *m, zo_fan *fan)
{
    sega *s = (sega *)m;
    if (m->stage == WARM) {
        fan->naxis = m->d;
        return 1;
    }
    directions_draw(&s->dirs, m->set.seed, FOR_DIRECTION, m->step);
    directions_ask(&s->dirs, fan);
    fan->radius = method_radius(m, s->dirs.length);
    return 1;
}

static void sega_tell(method *m, const double *answers)
{
    sega *s = (sega *)m;
    if (m->stage == WARM) {
        read_slopes(&m->fan, answers, 0, 0, m->d, s->memory);
        m->stage = STEP;
        return;
    }
    read_slopes(&m->fan, answers, 0, 0, s->q, s->slope);
    directions_beyond(&s->dirs, s->memory, s->slope);
    vec_copy(m->d, s->memory, s->g);
    directions_combine(&s->dirs, s->slope, s->g);
    m->residual = memory_residual(m, m->x, s->memory, s->g, s->dirs.spread, s->work);
    directions_correct(&s->dirs, s->slope, m->set.normalize, s->memory);
    method_move(m, m->set.step, s->g);
}

static void sega_close(method *m) { directions_free(&((sega *)m)->dirs); }

const method_row sega_row = {.info = ROW_SEGA,
                             .size = sizeof(sega),
                             .last_stage = STEP,
                             .open = sega_open,
                             .needs = sega_needs,
                             .settle = sega_settle,
                             .ask = sega_ask,
                             .tell = sega_tell,
                             .close = sega_close};
