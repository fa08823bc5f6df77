/* zpdvr: Algorithm 1 of Di et al. (ICML 2024), batch version, exactly as written.
 * SPDX-License-Identifier: MIT
 *
 *   at k = 0 and after a refresh (all components):
 *       draw u_1..u_q;  g_w = h + (1/q) sum_j (D_j(w) - u_j'h) u_j
 *   every step k:
 *       draw v_1..v_q and B components;  g = (1/q) sum_j (D_j(x;B) - D_j(w;B)) v_j + g_w
 *       x_{k+1} = prox(x_k - step g)
 *       refresh (by a coin, or every ceil(n/B) steps):  w = x_k, the point before the step;
 *       h += theta (1/q) sum_j (D_j(x_k) - u_j'h) u_j along the old u, theta = q/(d+q+1) for gaussian u
 *
 * A refresh is one fan at x_k along the old u and the new ones: n(2q+1) queries, where two fans would pay
 * f_i(x_k) twice. u is never stored, only the step at which it was drawn. docs/methods/zpdvr.md tells what
 * freezing u costs. */
#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "direction/direction.h"
#include "method/core/method.h"
#include "method/core/rows.h"

enum { FIRST, INNER, REFRESH }; /* stage: what is asked next */

typedef struct zpdvr {
    method base;
    size_t q, batch;
    double *w;           /* the reference point (state) */
    double *memory;      /* h (state) */
    double *anchor;      /* g_w, the estimate at w (state) */
    uint64_t drawn;      /* step at which the reference directions were drawn (state) */
    uint64_t begun;      /* 1: a warm memory is set (state) */
    double change;       /* sum of |H_B (x - w)|^2 as the inner fans show it (state) */
    double distance;     /* sum of |x - w|^2 over the same fans (state) */
    uint64_t seen;       /* how many; UINT64_MAX: warned already (state) */
    directions old, now; /* a pair; now also serves the inner steps */
    double *slope;       /* 2q (scratch) */
    double *g;           /* d (scratch) */
    uint64_t *comp;      /* batch (scratch) */
} zpdvr;

/* ---- Life ---------------------------------------------------------------------------------------- */

static zo_status zpdvr_open(method *m, zo_error *err)
{
    zpdvr *z = (zpdvr *)m;
    double n = (double)m->n, d = (double)m->d;
    zo_status status =
        method_whole(m, "batch", &m->set.batch, fmin(n / 64, 1024), n, &z->batch, err);
    double q = fmin(fmax(sqrt(d + 1), fmin(d, 10)), method_most_directions(m, 2));
    if (!status) status = method_whole(m, "directions", &m->set.directions, q, 1e9, &z->q, err);
    if (!status) status = directions_pair(&z->old, &z->now, m->set.kind, z->q, m->d, err);
    if (status) return status;
    z->w = state_numbers(m, "reference", m->d);
    z->memory = state_numbers(m, "memory", m->d);
    z->anchor = state_numbers(m, "anchor", m->d);
    state_count(m, "drawn", &z->drawn, MOST_COUNTED);
    state_count(m, "begun", &z->begun, 1);
    state_number(m, "change", &z->change);
    state_number(m, "distance", &z->distance);
    state_count(m, "seen", &z->seen, UINT64_MAX);
    z->slope = mem_new(2 * z->q, sizeof *z->slope);
    z->g = mem_new(m->d, sizeof *z->g);
    z->comp = mem_new(z->batch, sizeof *z->comp);
    if (!z->w || !z->memory || !z->anchor || !z->slope || !z->g || !z->comp)
        return out_of_memory(err, "zpdvr", 4 * m->d + 2 * z->q + z->batch);
    return ZO_OK;
}

static const char *zpdvr_check(const method *m)
{
    double p = m->set.refresh;
    int known = p == ZO_PERIODIC || (p > 0 && p <= 1);
    return m->settled && !known ? "'set.refresh' is no probability" : NULL;
}

static void zpdvr_close(method *m)
{
    zpdvr *z = (zpdvr *)m;
    directions_free(&z->old);
    mem_free(z->slope);
    mem_free(z->g);
    mem_free(z->comp);
}

static uint64_t period(const zpdvr *z) { return (z->base.n + z->batch - 1) / z->batch; }

/* The share of steps that end in a refresh: p, or 1/period. */
static double refresh_rate(const zpdvr *z)
{
    double p = z->base.set.refresh;
    return p == ZO_PERIODIC ? 1 / (double)period(z) : p;
}

/* ---- Automatic step and refresh: step L / p <= 0.5 q/d --------------------------------------------- */

static int zpdvr_needs(const method *m)
{
    return isnan(m->set.step) || isnan(m->set.refresh) ? NEEDS_TOP : NEEDS_NOTHING;
}

/* The longest step that the rule allows for p, and that the noise of one inner step bears. */
static double longest(const zpdvr *z, double p)
{
    const method *m = &z->base;
    double d = (double)m->d, q = (double)z->q, L = method_bend(m, m->curve.top);
    double noise = z->now.spread * (L + method_bend(m, m->curve.each) / (double)z->batch);
    return fmin(0.5 * q * p / (fmax(d, q) * L), 0.5 / noise);
}

static void zpdvr_settle(method *m)
{
    zpdvr *z = (zpdvr *)m;
    zo_settings *s = &m->set;
    double d = (double)m->d, q = (double)z->q;
    if (isnan(s->refresh)) { /* refreshes cost about four times what the steps between them do */
        double p = 4 * (double)z->batch / (double)m->n;
        if (!isnan(s->step))
            p = fmax(p, 2 * s->step * method_bend(m, m->curve.top) * fmax(d, q) / q);
        s->refresh = fmin(p, 1);
        method_note(m, "refresh %.3g", s->refresh);
    }
    if (isnan(s->step)) {
        s->step = longest(z, refresh_rate(z));
        method_note(m, "step %.3g (top %.3g)", s->step, m->curve.top);
    }
}

/* ---- Asking -------------------------------------------------------------------------------------- */

static void ask_reference(zpdvr *z, int both, zo_fan *fan)
{
    method *m = &z->base;
    if (both) directions_draw(&z->old, m->set.seed, FOR_REFERENCE, z->drawn);
    directions_draw(&z->now, m->set.seed, FOR_REFERENCE, m->step);
    directions_ask(both ? &z->old : &z->now, fan);
    if (both && fan->naxis) fan->naxis *= 2;
    if (both && fan->ndir) fan->ndir *= 2;
    fan->radius = method_radius(m, z->now.length);
    fan->base[0] = both ? z->w : m->x;
}

static void ask_inner(zpdvr *z, zo_fan *fan)
{
    method *m = &z->base;
    directions_draw(&z->now, m->set.seed, FOR_DIRECTION, m->step);
    rng_indices(m->set.seed, FOR_COMPONENT, m->step, m->n, z->batch, z->comp);
    directions_ask(&z->now, fan);
    fan->radius = method_radius(m, z->now.length);
    fan->nbase = 2;
    fan->base[1] = z->w;
    fan->ncomp = z->batch;
    fan->comp = z->comp;
}

static int zpdvr_ask(method *m, zo_fan *fan)
{
    zpdvr *z = (zpdvr *)m;
    if (m->stage == FIRST && m->set.warm && !z->begun)
        fan->naxis = m->d;
    else if (m->stage == INNER)
        ask_inner(z, fan);
    else
        ask_reference(z, m->stage == REFRESH, fan);
    return 1;
}

/* ---- Telling ------------------------------------------------------------------------------------- */

/* g_w = h + (1/q) sum_j (D_j - u_j'h) u_j from the answers along directions first, first+1, ... */
static void set_anchor(zpdvr *z, const double *answers, size_t first)
{
    method *m = &z->base;
    read_slopes(&m->fan, answers, 0, first, z->q, z->slope);
    directions_beyond(&z->now, z->memory, z->slope);
    vec_copy(m->d, z->memory, z->anchor);
    directions_combine(&z->now, z->slope, z->anchor);
    z->drawn = m->step;
    m->residual = memory_residual(m, z->w, z->memory, z->anchor, z->now.spread, z->g);
    m->stage = INNER;
}

static void tell_refresh(zpdvr *z, const double *answers)
{
    method *m = &z->base;
    read_slopes(&m->fan, answers, 0, 0, z->q, z->slope);
    directions_beyond(&z->old, z->memory, z->slope);
    directions_correct(&z->old, z->slope, m->set.normalize, z->memory);
    set_anchor(z, answers, z->q);
}

static int toss(const zpdvr *z)
{
    const method *m = &z->base;
    if (m->set.refresh == ZO_PERIODIC) return (m->step + 1) % period(z) == 0;
    return rng_uniform(m->set.seed, FOR_COIN, m->step, 0) <= m->set.refresh;
}

/* The inner fans show |H_B (x - w)|^2 as the mean square of D_j(x) - D_j(w): a free lower bound of L. Says
 * once that step and refresh are outside of what the frozen reference directions bear on a flat spectrum. */
static void look_at_stability(zpdvr *z)
{
    method *m = &z->base;
    double far = vec_distance(m->d, m->x, z->w), q = (double)z->q;
    if (z->seen == UINT64_MAX || !(far > 1e-4 * fmax(1, vec_norm(m->d, m->x)))) return;
    z->change += z->now.weight / q * vec_dot(z->q, z->slope, z->slope);
    z->distance += far * far;
    if (++z->seen < 20) return;
    double L = sqrt(z->change / z->distance),
           ratio = m->set.step * L * (double)m->d / (refresh_rate(z) * q);
    if (!(ratio > 0.66)) return;
    method_warn(m,
                "step %.3g with refresh %.3g: step*L*d/(refresh*directions) is about %.2g (L about "
                "%.2g); above 0.66 "
                "the frozen reference directions may drive zpdvr apart",
                m->set.step, refresh_rate(z), ratio, L);
    z->seen = UINT64_MAX;
}

static void tell_inner(zpdvr *z, const double *answers)
{
    method *m = &z->base;
    for (size_t j = 0; j < z->q; j++)
        z->slope[j] = quotient(&m->fan, answers, 0, j) - quotient(&m->fan, answers, 1, j);
    look_at_stability(z);
    vec_copy(m->d, z->anchor, z->g);
    directions_combine(&z->now, z->slope, z->g);
    int refresh = toss(z);
    if (refresh) vec_copy(m->d, m->x, z->w); /* the point before the step */
    method_move(m, m->set.step, z->g);
    if (refresh) m->stage = REFRESH;
}

static void zpdvr_tell(method *m, const double *answers)
{
    zpdvr *z = (zpdvr *)m;
    if (m->stage == INNER) {
        tell_inner(z, answers);
    } else if (m->stage == REFRESH) {
        tell_refresh(z, answers);
    } else if (m->set.warm && !z->begun) {
        read_slopes(&m->fan, answers, 0, 0, m->d, z->memory);
        z->begun = 1;
    } else {
        vec_copy(m->d, m->x, z->w);
        set_anchor(z, answers, 0);
    }
}

const method_row zpdvr_row = {.info = ROW_ZPDVR,
                              .size = sizeof(zpdvr),
                              .last_stage = REFRESH,
                              .open = zpdvr_open,
                              .needs = zpdvr_needs,
                              .settle = zpdvr_settle,
                              .ask = zpdvr_ask,
                              .tell = zpdvr_tell,
                              .check = zpdvr_check,
                              .close = zpdvr_close};
