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
 * freezing u costs, and what the setting reading changes:
 *
 *   redrawn  u and g_w are new at every step: n(q+1) queries more
 *   literal  line 3, w_k != w_{k-1}, by value: a refresh at x_k = w keeps u and g_w, and only h learns
 *   new      h learns along the new u, before g_w is formed
 *   memory   h learns along the new u, and g_w = h */
#include <math.h>

#include "base/error.h"
#include "base/vec.h"
#include "method/core/inner.h"
#include "method/core/rows.h"

enum { FIRST, INNER, REFRESH, REDRAW, SAME }; /* stage: what is asked next */

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
    z->slope = scratch_new(m, 2 * z->q, sizeof *z->slope);
    z->g = scratch_new(m, m->d, sizeof *z->g);
    z->comp = scratch_new(m, z->batch, sizeof *z->comp);
    if (!z->w || !z->memory || !z->anchor || !z->slope || !z->g || !z->comp)
        return out_of_memory(err, "zpdvr", 4 * m->d + 2 * z->q + z->batch);
    return ZO_OK;
}

static void zpdvr_close(method *m) { directions_free(&((zpdvr *)m)->old); }

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
        s->step = longest(z, inner_refresh_rate(m, z->batch));
        method_note(m, "step %.3g (top %.3g)", s->step, m->curve.top);
    }
}

/* ---- Asking -------------------------------------------------------------------------------------- */

/* h learns along the u that is in use, as written; else along the new one. */
static int learns_along_old(const zpdvr *z)
{
    int reading = z->base.set.reading;
    return reading != ZO_NEW && reading != ZO_MEMORY;
}

/* All components at the reference point, along the old u, the new one, or both. */
static void ask_reference(zpdvr *z, int old, int now, zo_fan *fan)
{
    method *m = &z->base;
    if (old) directions_draw(&z->old, m->set.seed, FOR_REFERENCE, z->drawn);
    if (now) directions_draw(&z->now, m->set.seed, FOR_REFERENCE, m->step);
    directions_ask(old ? &z->old : &z->now, fan);
    if (old && now && fan->naxis) fan->naxis *= 2;
    if (old && now && fan->ndir) fan->ndir *= 2;
    fan->radius = method_radius(m, z->now.length);
    fan->base[0] = m->stage == FIRST ? m->x : z->w;
}

static int zpdvr_ask(method *m, zo_fan *fan)
{
    zpdvr *z = (zpdvr *)m;
    if (m->stage == FIRST && m->set.warm && !z->begun)
        fan->naxis = m->d;
    else if (m->stage == INNER)
        inner_ask(m, &z->now, z->w, z->batch, z->comp, fan);
    else
        ask_reference(z, m->stage == SAME || (m->stage == REFRESH && learns_along_old(z)),
                      m->stage != SAME, fan);
    return 1;
}

/* ---- Telling ------------------------------------------------------------------------------------- */

/* h += theta (1/q) sum_j (D_j - u_j'h) u_j from the answers along u, the fan's first directions. */
static void learn(zpdvr *z, const directions *u, const double *answers)
{
    method *m = &z->base;
    read_slopes(&m->fan, answers, 0, 0, z->q, z->slope);
    directions_beyond(u, z->memory, z->slope);
    directions_correct(u, z->slope, m->set.normalize, z->memory);
}

/* g_w = h + (1/q) sum_j (D_j - u_j'h) u_j from the answers along directions first, first+1, ... */
static void set_anchor(zpdvr *z, const double *answers, size_t first)
{
    method *m = &z->base;
    if (m->stage != REDRAW && !learns_along_old(z)) learn(z, &z->now, answers);
    vec_copy(m->d, z->memory, z->anchor);
    if (m->set.reading != ZO_MEMORY) {
        read_slopes(&m->fan, answers, 0, first, z->q, z->slope);
        directions_beyond(&z->now, z->memory, z->slope);
        directions_combine(&z->now, z->slope, z->anchor);
    }
    z->drawn = m->step;
    m->residual = memory_residual(m, z->w, z->memory, z->anchor, z->now.spread, z->g);
    m->stage = INNER;
}

static void tell_refresh(zpdvr *z, const double *answers)
{
    if (learns_along_old(z)) learn(z, &z->old, answers);
    set_anchor(z, answers, learns_along_old(z) ? z->q : 0);
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
           ratio = m->set.step * L * (double)m->d / (inner_refresh_rate(m, z->batch) * q);
    if (!(ratio > 0.66)) return;
    method_warn(m,
                "step %.3g with refresh %.3g: step*L*d/(refresh*directions) is about %.2g (L about "
                "%.2g); above 0.66 "
                "the frozen reference directions may drive zpdvr apart",
                m->set.step, inner_refresh_rate(m, z->batch), ratio, L);
    z->seen = UINT64_MAX;
}

/* What a step of this reading is followed by. */
static uint64_t stage_after(const zpdvr *z, int refresh, int same)
{
    if (refresh) return same ? SAME : REFRESH;
    return z->base.set.reading == ZO_REDRAWN ? REDRAW : INNER;
}

static void tell_inner(zpdvr *z, const double *answers)
{
    method *m = &z->base;
    inner_slopes(m, answers, z->q, z->slope);
    if (m->set.reading != ZO_REDRAWN) look_at_stability(z);
    vec_copy(m->d, z->anchor, z->g);
    directions_combine(&z->now, z->slope, z->g);
    int refresh = inner_toss(m, z->batch),
        same = m->set.reading == ZO_LITERAL && vec_distance(m->d, m->x, z->w) == 0;
    if (refresh) vec_copy(m->d, m->x, z->w); /* the point before the step */
    method_move(m, m->set.step, z->g);
    m->stage = stage_after(z, refresh, same);
}

static void zpdvr_tell(method *m, const double *answers)
{
    zpdvr *z = (zpdvr *)m;
    if (m->stage == INNER) {
        tell_inner(z, answers);
    } else if (m->stage == REFRESH) {
        tell_refresh(z, answers);
    } else if (m->stage == REDRAW) {
        set_anchor(z, answers, 0);
    } else if (m->stage == SAME) {
        learn(z, &z->old, answers);
        m->stage = INNER;
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
                              .last_stage = SAME,
                              .open = zpdvr_open,
                              .needs = zpdvr_needs,
                              .settle = zpdvr_settle,
                              .ask = zpdvr_ask,
                              .tell = zpdvr_tell,
                              .check = inner_check,
                              .close = zpdvr_close};
