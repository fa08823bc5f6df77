/* How many digits of the residuals are good.
 * SPDX-License-Identifier: MIT
 *
 * Second differences along one random direction,
 *
 *     r(x) - 2 r(x + v) + r(x + 2v) = v'Hv + O(|v|^3) + e,     var e = 6 noise^2,
 *
 * show noise whether it repeats (an iteration that stops early, printed digits) or not; v is 3e-8 of x, v'Hv about 1e-15 of r.
 *   no more than rounding: values are exact
 *   more: a tenth of v. Curvature falls by 100, noise does not
 *   most residuals stand still: they come rounded, and v is longer until they move
 * Then the centre again: noise that does not repeat is averaged. (Moré, Wild: Estimating computational noise, 2011) */
#include <float.h>
#include <math.h>

#include "base/real.h"
#include "base/rng.h"
#include "base/vec.h"
#include "method/lm/lm.h"
#include "prox/prox.h"

/* ---- the line ------------------------------------------------------------------------------------------------ */

/* Of v, in units of x; no round numbers, as values that come rounded have few digits. */
static const double lengths[LINES] = {[LINE_FIRST] = 3.1e-8,
                                      [LINE_SHORTER] = 3.1e-9,
                                      [LINE_LONGER] = 1.05e-5,
                                      [LINE_LONGEST] = 1.05e-3};

static void plan_line(lm *s, uint64_t line)
{
    method *m = &s->base;
    double *v = s->y;
    m->stage = LM_LINE;
    s->at->line = line;
    rng_signs(m->set.seed, FOR_CHECK, m->step, PROBES, m->d, v);
    for (size_t j = 0; j < m->d; j++) {
        double own = fmax(fabs(s->centre[j]), SMALL_COORDINATE * s->size[j]);
        v[j] *= 2 * lengths[line] * own * (1 + 0.3 * real_sin((double)j + 1));
    }
    method_turn(m, s->centre, v);
    s->at->points = LEAST_POINTS;
    s->at->others = 0;
    for (size_t p = 0; p < LEAST_POINTS; p++)
        for (size_t j = 0; j < m->d; j++)
            s->next[p * m->d + j] = s->centre[j] + (p ? 1 : 0.5) * v[j];
}

int lm_plan_line(lm *s)
{
    method *m = &s->base;
    s->at->looked = s->at->value;
    s->at->wobble = s->at->shakes = 0;
    plan_line(s, LINE_FIRST);
    for (size_t p = 0; p < LEAST_POINTS; p++)
        if (!isfinite(prox_value(m->psi, m->d, s->next + p * m->d))) return 0;
    return 1;
}

/* ---- what it shows ------------------------------------------------------------------------------------------- */

/* The noise of residuals in second differences; that of F goes to shakes: errors of residuals may be alike. */
static double wobble(lm *s)
{
    size_t n = s->base.n;
    const double *r1 = s->table, *r2 = s->table + n;
    double squares = 0, f = lm_loss(s, s->r) - 2 * lm_loss(s, r1) + lm_loss(s, r2);
    for (size_t i = 0; i < n; i++) {
        double e = s->r[i] - 2 * r1[i] + r2[i];
        squares += e * e / 6;
    }
    if (!isfinite(squares) || !isfinite(f)) return 0;
    s->at->shakes = fmax(s->at->shakes, fabs(f) / sqrt(6));
    return sqrt(squares / (double)n);
}

/* Do most residuals stand still that should move? How much they should is what noise is at least. */
static int come_rounded(lm *s)
{
    size_t n = s->base.n, still = 0, moving = 0;
    double hidden = 0;
    lm_foretell(s, s->next + s->base.d, s->rm);
    vec_add(n, -1, s->r, s->rm);
    double least = 0.1 * vec_norm(n, s->rm) / sqrt((double)n);
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(s->rm[i]) > least)) continue;
        moving++;
        if (s->table[i] != s->r[i] || s->table[n + i] != s->r[i]) continue;
        still++;
        hidden += s->rm[i] * s->rm[i];
    }
    if (!moving || 2 * still < moving) return 0;
    s->at->wobble = sqrt(hidden / (double)n);
    return 1;
}

/* The line that is asked next; LINES: none. */
static uint64_t next_line(lm *s, double now)
{
    uint64_t line = s->at->line;
    if (line == LINE_SHORTER || line == LINE_LONGEST) return LINES;
    int rounding = now <= ABOVE_ROUNDING * lm_size_now(s);
    if (come_rounded(s) || (line == LINE_LONGER && rounding))
        return line == LINE_FIRST ? LINE_LONGER : LINE_LONGEST;
    return line == LINE_FIRST && !rounding ? LINE_SHORTER : LINES;
}

static int is_noise(const lm *s, double now)
{
    const lm_path *a = s->at;
    if (a->line == LINE_SHORTER)
        return now > FALLS_MOST * a->wobble || now < FALLS_LEAST * a->wobble;
    return a->line >= LINE_LONGER;
}

int lm_hear_line(lm *s)
{
    lm_path *a = s->at;
    lm_build(s);
    double now = wobble(s);
    uint64_t next = next_line(s, now);
    if (next < LINES) {
        if (next == LINE_SHORTER) a->wobble = now;
        plan_line(s, next);
        return 1;
    }
    if (is_noise(s, now)) {
        a->wobble = fmax(a->wobble, now);
        lm_ask_again(s);
        return 1;
    }
    a->checked = 1;
    a->noise = 0;
    a->repeats = 0;
    return 0;
}

/* ---- the centre again ---------------------------------------------------------------------------------------- */

void lm_ask_again(lm *s)
{
    s->base.stage = LM_REPEAT;
    vec_copy(s->base.d, s->centre, s->next);
    s->at->points = 1;
}

/* Differences are long from now on. */
static void take_noise(lm *s, double noise)
{
    s->at->noise = noise;
    s->at->bend = lm_assumed_bend(s) * lm_assumed_bend(s);
}

/* Noise that repeats; what was refused may have been noise. */
static void take_digits(lm *s)
{
    lm_path *a = s->at;
    if (!a->repeats)
        method_note(&s->base, "residuals are good to %.2g: longer differences", a->wobble);
    a->repeats = 1;
    take_noise(s, a->wobble);
    a->refusals = a->stale = a->since = 0;
    a->radius = fmax(a->radius, lm_noisy_length(s));
}

/* Noise that does not: r at the centre is an average. */
static void take_average(lm *s, double noise)
{
    lm_path *a = s->at;
    if (!(a->noise > 0))
        method_note(&s->base, "noise %.2g in residuals: longer differences, averages", noise);
    a->repeats = 0;
    take_noise(s, a->noise > 0 ? sqrt(0.5 * (a->noise * a->noise + noise * noise)) : noise);
    s->base.set.noise = a->noise;
    a->best = a->value;
    vec_copy(s->base.d, s->centre, s->base.x);
}

void lm_hear_repeat(lm *s)
{
    lm_path *a = s->at;
    double squares = 0;
    a->checked = 1;
    for (size_t i = 0; i < s->base.n; i++) {
        double off = s->table[i] - s->r[i];
        squares += 0.5 * off * off;
        if (isfinite(off)) s->r[i] += 0.5 * off;
    }
    double noise = isfinite(squares) ? sqrt(squares / (double)s->base.n) : 0;
    a->value = lm_objective(s, s->centre, s->r);
    if (noise > NOISE_SEEN * lm_residual_size(s))
        take_average(s, noise);
    else if (a->wobble > 0)
        take_digits(s);
}
