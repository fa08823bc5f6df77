/* mean: steps where values are exact. A value is cheap beside d slopes.
 * SPDX-License-Identifier: MIT
 *
 *     minimize  g'(z - x) + (z - x)'B(z - x)/2 + psi(z),   g the slopes at x, by forward differences
 *
 * B begins with the bends h_j along the axes, which d more values show at the start: then the scale of coordinates does not
 * matter. Where a few directions of signs show far more curvature beside the diagonal than in it, as with data of many
 * correlated columns, rare ones among them, it begins with a smaller and more even diagonal (matrix.c).
 * Every value f(z) says what B is along the step p = z - x,
 *
 *     rho = 2(f(z) - f(x) - g'p)/p'Bp,   B += (rho - 1) Bp(Bp)'/p'Bp,
 *
 * and the next z is found with it, longer or shorter, until what it promises beside the best so far is little. Without psi
 * that is a search along a line; with psi the path bends. Then the slopes at the best are asked, and B as it was learns
 * from their change y by BFGS.
 *
 * Coordinates that psi holds where they are (at 0, at a bound), by a margin, are not asked: their slopes are foretold,
 * g + Bp, which changes nothing in B. Every few looks, and before the end, they are. Before the end slopes are central. */
#include <float.h>
#include <math.h>

#include "base/real.h"
#include "base/rng.h"
#include "base/vec.h"
#include "method/mean/state.h"
#include "prox/prox.h"

void exact_go_on(mean *s) { s->base.stage = s->walk->pending; }

static double nothing(const mean *s)
{
    return method_unseen(&s->base, s->at->objective, s->at->scale);
}

/* ---- Questions ---------------------------------------------------------------------------------- */

/* Once slopes had to be central to stand still, they stay so. */
static uint64_t sides_of(const mean *s)
{
    return s->walk->central || s->base.set.sides == 2 ? 2 : 1;
}

static void ask_slopes_of(mean *s, uint64_t count, uint64_t per)
{
    s->walk->axes = count;
    s->walk->per = per;
    s->base.stage = ASK_SLOPES;
}

static void ask_all_slopes(mean *s, uint64_t per)
{
    for (size_t j = 0; j < s->base.d; j++) s->axes[j] = (uint32_t)j;
    ask_slopes_of(s, s->base.d, per);
}

void exact_begin(mean *s)
{
    walk *w = s->walk;
    w->begun = w->valued = w->axial = w->central = w->unasked = w->passed = 0;
    w->learnt = s->base.step;
    vec_zero(s->base.d * s->base.d, s->matrix);
    vec_zero(s->base.d, s->bends);
    ask_all_slopes(s, (uint64_t)s->base.set.sides);
}

void exact_begin_at(mean *s, double value)
{
    exact_begin(s);
    s->walk->value = value;
    s->walk->valued = 1;
    vec_copy(s->base.d, s->base.x, s->centre);
}

/* Of differences along axis j: of the coordinate's own size; or, where it is small beside others, as far as rounding needs it
 * to be where f bends by h_j: r^2 h_j = NEEDED^2 eps |f|. Central ones are longer. */
static double radius_of(const mean *s, size_t j)
{
    const method *m = &s->base;
    double r = method_radius(m, 1), far = fmax(1, vec_norm(m->d, m->x)), h = fabs(s->bends[j]);
    if (!isnan(m->set.radius)) return r;
    double size = s->size[j] > 0 ? s->size[j] : m->x[j] != 0 ? fabs(m->x[j]) : 1;
    if (s->walk->per == 2 && m->set.sides == 1) return size * fmax(r / far, CUBE_ROOT);
    double needs = h > 0 ? NEEDED * sqrt(0x1p-53 * fabs(s->walk->value) / h) : 0;
    return fmax(size * r / far, fmin(needs, r));
}

/* A length over which bends stand clear of rounding, and slopes do not change much: so many radii, or, where a coordinate is
 * small beside others, as far as f changes by a small part of itself. */
static double bends_at(const mean *s, size_t j)
{
    const method *m = &s->base;
    double r = radius_of(s, j), far = fmax(1, vec_norm(m->d, m->x)), all = method_radius(m, 1);
    double times = m->set.sides == 1 ? BENDS_AWAY : 10;
    double most = fmin(fmin(times * all, 1e-3 * far), 1e-3 * fabs(s->walk->value / s->g[j]));
    double away = fmin(times * r, 1e-3 * fmax(s->size[j], r));
    return fmax(2 * r, fmax(away, most == most ? most : 0));
}

/* Is f(x) known? Not at the start, nor where a point without a finite value was left half-way back. */
static int is_known(const mean *s)
{
    return s->walk->valued && vec_distance(s->base.d, s->base.x, s->centre) == 0;
}

void exact_ask(mean *s, zo_fan *fan)
{
    size_t d = s->base.d;
    if (s->base.stage == ASK_POINT) {
        fan->base[0] = s->cand;
        return;
    }
    fan->known = is_known(s);
    if (fan->known) s->base.told = s->walk->value;
    int bends = s->base.stage == ASK_BENDS;
    for (size_t j = 0; j < d; j++) s->work[j] = bends ? bends_at(s, j) : radius_of(s, j);
    mean_ask_axes(s, fan, s->axes, (size_t)s->walk->axes, (int)s->walk->per, s->work, 1);
    if (!bends || d < LAWFUL) return;
    for (uint32_t k = 0; k < MIXED; k++) {
        double *v = s->dir + k * d;
        rng_signs(s->base.set.seed, FOR_CURVATURE, s->base.step, k, d, v);
        for (size_t j = 0; j < d; j++) v[j] *= s->work[j];
        s->radii[d + k] = 1;
    }
    fan->ndir = MIXED;
    fan->dir = s->dir;
}

/* ---- Steps -------------------------------------------------------------------------------------- */

/* image = B(to - x) with p = to - x; returns p'Bp. */
static double bend_along(mean *s, const double *to, double *p, double *image)
{
    size_t d = s->base.d;
    quad q = {.d = d, .matrix = s->matrix};
    for (size_t j = 0; j < d; j++) p[j] = to[j] - s->base.x[j];
    quad_multiply(&q, &s->room, p, image);
    return vec_dot(d, p, image);
}

/* Those that were not asked come first, in rising order. */
static void reverse_axes(mean *s)
{
    for (size_t k = 0, e = s->base.d - 1; k < e; k++, e--) {
        uint32_t kept = s->axes[k];
        s->axes[k] = s->axes[e];
        s->axes[e] = kept;
    }
}

/* No step is better than x: because of slopes that were only foretold, or of the matrix; or x is as good as can be seen. */
static verdict begin_steps(mean *s);
static verdict stand_still(mean *s)
{
    walk *w = s->walk;
    uint64_t count = w->unasked;
    vec_copy(s->base.d * s->base.d, s->steady, s->matrix);
    if (count) {
        reverse_axes(s);
        w->unasked = w->passed = 0;
        ask_slopes_of(s, count, w->per);
    } else if (w->central != s->base.step + 1) {
        w->central = s->base.step + 1;
        ask_all_slopes(s, 2);
    } else if (w->axial != s->base.step + 1) {
        mean_from_axes(s);
        w->axial = s->base.step + 1;
        return begin_steps(s);
    } else {
        return STILL;
    }
    return GOES_ON;
}

/* Would psi hold coordinate j at x_j if its slope were g + e or g - e? */
static int is_held(const mean *s, size_t j, double e)
{
    const method *m = &s->base;
    double x = m->x[j], g = s->g[j], step = 1 / s->matrix[j * m->d + j];
    return prox_one(m->psi, j, step, x - step * (g + e)) == x &&
           prox_one(m->psi, j, step, x - step * (g - e)) == x;
}

/* axes = first those that are asked at x, then, falling, those that are not; g is what is foretold. */
static void choose_axes(mean *s)
{
    walk *w = s->walk;
    size_t d = s->base.d, count = 0, end = d;
    int all = !prox_separable(s->base.psi) || w->passed >= MOST_PASSED;
    for (size_t j = 0; j < d; j++) {
        double e = HELD_BY * fabs(s->g[j]) + 2 * s->drift[j] + 1e-6 * s->at->steep;
        if (all || s->base.x[j] != s->before[j] || !is_held(s, j, e))
            s->axes[count++] = (uint32_t)j;
        else
            s->axes[--end] = (uint32_t)j;
    }
    w->unasked = count ? d - count : 0;
    w->passed = w->unasked ? w->passed + 1 : 0;
    if (count)
        ask_slopes_of(s, count, sides_of(s));
    else
        ask_all_slopes(s, sides_of(s));
}

/* To the best point that was tried. */
static void move(mean *s)
{
    method *m = &s->base;
    vec_copy(m->d * m->d, s->steady, s->matrix);
    bend_along(s, s->best, s->work, s->image);
    vec_copy(m->d, m->x, s->before);
    vec_copy(m->d, s->g, s->g_before);
    vec_add(m->d, 1, s->image, s->g);
    vec_copy(m->d, s->best, m->x);
    vec_copy(m->d, m->x, s->centre);
    for (size_t j = 0; j < m->d; j++) s->size[j] = fmax(s->size[j], fabs(m->x[j]));
    s->walk->doubts.left = s->walk->value;
    s->walk->value = s->walk->line.lowest;
    s->walk->doubts.edges = s->walk->doubts.edge ? s->walk->doubts.edges + 1 : 0;
    s->walk->doubts.edge = 0;
    m->step++;
    m->error = 0;
    choose_axes(s);
}

/* Over a step from x before f changes by the mean of its slopes at both ends, if it bends evenly; where slopes jump on the way,
 * by anything between the two. What it is off by, of half of what slopes change by: near 0, or anywhere up to 1. */
static double unevenness(const mean *s)
{
    double from = 0, to = 0;
    for (size_t j = 0; j < s->base.d; j++) {
        double p = s->base.x[j] - s->before[j];
        from += p * s->g_before[j];
        to += p * s->g[j];
    }
    return fabs(s->walk->value - s->walk->doubts.left - 0.5 * (from + to)) /
           (0.5 * fabs(to - from));
}

/* So it was in several of the last few steps. */
static int jumps(mean *s)
{
    walk *w = s->walk;
    double e = unevenness(s);
    int count = 0;
    w->doubts.uneven =
        e <= TOO_UNEVEN ? (w->doubts.uneven << 1 | (uint64_t)(e > UNEVEN)) % (1u << JUMPS_OF) : 0;
    for (uint64_t rest = w->doubts.uneven; rest; rest >>= 1) count += (int)(rest & 1);
    if (count < JUMPS || s->at->rough.jumps != JUMPS_NONE) return 0;
    s->at->rough.jumps = JUMPS_SEEN;
    return 1;
}

/* F has hardly fallen over as many values as a few gradients cost. */
static int crawls(mean *s)
{
    walk *w = s->walk;
    double asked = (double)s->at->asked, F = s->at->objective - w->line.won,
           window = WINDOW * (double)s->base.n * ((double)s->base.d + 1);
    if (asked - w->doubts.since < window) return 0;
    int slow = w->doubts.since > 0 && w->doubts.then - F < SLOW * fabs(F);
    w->doubts.since = asked;
    w->doubts.then = F;
    return slow;
}

/* Step after step ends where f has no value: the minimizer lies on an edge that slopes do not know of. */
static verdict at_edge(mean *s)
{
    s->walk->doubts.edges = 0;
    s->at->objective -= s->walk->line.won;
    return SUSPECT;
}

/* The next point to try; or the best so far is good enough. */
static verdict try_on(mean *s)
{
    known *at = s->at;
    walk *w = s->walk;
    local_model l = mean_model(s);
    at->falls = descent_solve(&l, 0, 1e-21 * at->scale, 1e-6);
    int better = at->falls > nothing(s) && at->falls - w->line.won > ENOUGH * w->line.won;
    s->base.stage = ASK_POINT;
    if (w->line.won > 0 && (!better || w->tried >= MOST_TRIED)) {
        move(s);
        if (w->doubts.edges >= MOST_EDGES) return at_edge(s);
        if (crawls(s)) return RIPPLES;
    } else if (!better || w->tried >= MOST_SHORTER)
        return stand_still(s);
    return GOES_ON;
}

/* The slopes at x are known. */
static verdict begin_steps(mean *s)
{
    method *m = &s->base;
    walk *w = s->walk;
    s->at->objective = w->value + prox_value(m->psi, m->d, m->x);
    if (vec_norm(m->d, m->x) > FAR_AWAY * s->at->home &&
        s->at->first - s->at->objective > FALLEN * s->at->scale)
        return ENDLESS;
    vec_copy(m->d * m->d, s->matrix, s->steady);
    w->line.won = w->line.good = w->line.bad = 0;
    w->line.factor = 1;
    w->tried = 0;
    m->residual = prox_residual(m, m->x, 1, s->g, s->work);
    verdict v = try_on(s);
    w->line.promise = s->at->falls;
    if (!w->doubts.smooth && v == GOES_ON && m->stage == ASK_POINT) {
        w->doubts.smooth = 1;
        if (w->line.promise < EARLY_PART * fabs(s->at->objective)) return RIPPLES;
    }
    return v;
}

/* ---- Answers ------------------------------------------------------------------------------------ */

/* Along the path of steps B is multiplied by factor: the larger, the shorter the step. What f(z) says of it next; but not as
 * far as a step that was too long, rather half-way there. */
static double next_factor(mean *s, double rho, int lower)
{
    walk *w = s->walk;
    if (lower)
        w->line.good = w->line.factor;
    else if (!(w->line.good > 0) || w->line.factor < w->line.good)
        w->line.bad = fmax(w->line.bad, w->line.factor);
    double next =
        w->line.factor * (isfinite(rho) ? fmin(fmax(rho, LEAST_PART), MOST_PART) : MOST_PART);
    return w->line.good > 0 && next <= w->line.bad ? sqrt(w->line.bad * w->line.good) : next;
}

static verdict tell_point(mean *s, const double *answers)
{
    method *m = &s->base;
    walk *w = s->walk;
    size_t d = m->d;
    double *p = s->work, *image = s->image, bend = bend_along(s, s->cand, p, image);
    double fell = s->at->objective - answers[0] - prox_value(m->psi, d, s->cand);
    double rho = 2 * (answers[0] - w->value - vec_dot(d, s->g, p)) / bend;
    int lower = isfinite(fell) && fell > w->line.won;
    w->tried++;
    if (!isfinite(answers[0])) w->doubts.edge = 1;
    if (lower) {
        w->line.won = fell;
        w->line.lowest = answers[0];
        vec_copy(d, s->cand, s->best);
    }
    double next = next_factor(s, rho, lower), more = (next / w->line.factor - 1) / bend;
    for (size_t j = 0; j < d; j++) vec_add(d, more * image[j], image, s->matrix + j * d);
    w->line.factor = next;
    return try_on(s);
}

/* f bends over a length of its own, (|f|/h_j)^(1/2). A size that was only guessed (x_j is 0, or far below the others) and is far
 * above that is wrong; one that is far below it is lifted. 1: slopes along such axes were none. */
static int mend_sizes(mean *s)
{
    int wrong = 0;
    for (size_t j = 0; j < s->base.d; j++) {
        double x = fabs(s->base.x[j]), length = sqrt(fabs(s->walk->value / s->bends[j]));
        if (!isfinite(length)) continue;
        if (s->size[j] > x && length < TOO_LARGE * s->size[j]) {
            s->size[j] = fmax(x, length);
            wrong = 1;
        }
        s->size[j] = fmax(s->size[j], TOO_SMALL * length);
    }
    return wrong;
}

static verdict tell_bends(mean *s, const double *answers)
{
    const zo_fan *fan = &s->base.fan;
    walk *w = s->walk;
    size_t d = s->base.d;
    int forward = s->base.set.sides == 1 && !w->axial; /* not yet corrected */
    double value = fan->known ? w->value : 0, bend[MIXED];
    const double *mixed = answers + !fan->known + d;
    for (size_t j = 0; j < d; j++) {
        double slope, r = fan->radii[j], a = forward ? 0.5 * copysign(radius_of(s, j), r) : 0;
        mean_read_axis(s, answers, j, value, &slope, NULL);
        s->bends[j] = 2 * (slope - s->g[j]) / (r - 2 * a);
        s->g[j] -= a * s->bends[j]; /* what a forward difference takes for slope */
    }
    if (!w->mended && mend_sizes(s)) {
        w->mended = 1;
        w->begun = 0;
        ask_all_slopes(s, (uint64_t)s->base.set.sides);
        return GOES_ON;
    }
    for (size_t k = 0; k < fan->ndir; k++)
        bend[k] = 2 * (mixed[k] - value - vec_dot(d, s->dir + k * d, s->g));
    mean_begin_matrix(s, fan->ndir ? bend : NULL);
    w->axial = s->base.step + 1;
    return begin_steps(s);
}

/* Slopes along the axes that were asked; what a forward difference takes for slope, r B_jj/2, is taken out. */
static void read_all(mean *s, const double *answers)
{
    const method *m = &s->base;
    const zo_fan *fan = &m->fan;
    double value = fan->known ? s->walk->value : 0;
    for (size_t k = 0; k < s->walk->axes; k++) {
        size_t j = s->axes[k];
        double g, bend;
        mean_read_axis(s, answers, k, value, &g, s->walk->per == 2 ? &bend : NULL);
        if (s->walk->per == 2)
            s->bends[j] = bend;
        else
            g -= 0.5 * fan->radii[k] * fmin(s->matrix[j * m->d + j], MOST_BENT * fabs(s->bends[j]));
        s->g[j] = g;
        s->drift[j] = fabs(g - s->g_before[j]);
    }
}

/* The scale of everything, from the first slopes. */
static void measure(mean *s)
{
    known *at = s->at;
    double height = fabs(s->walk->value), squares = 0;
    mean_measure_sizes(s);
    for (size_t j = 0; j < s->base.d; j++) squares += square(s->g[j] * s->size[j]);
    if (height < 1e-9 * sqrt(squares)) height = 0.1 * sqrt(squares);
    at->scale = s->base.height = fmax(s->base.height, fmax(height, 1e-290));
    at->steep = fmax(at->steep, vec_norm(s->base.d, s->g));
    double F = s->walk->value + prox_value(s->base.psi, s->base.d, s->base.x);
    if (!at->begun) at->first = F;
    if (!at->begun) at->home = fmax(1, vec_norm(s->base.d, s->base.x));
    at->begun = 1;
    s->walk->begun = s->walk->valued = 1;
}

/* The horizon does not pay for bends and a few steps after them. */
static int is_short(const mean *s)
{
    double left = s->base.set.horizon - s->at->spent - (double)s->at->asked,
           price = (double)s->base.n * (double)(s->base.d + MIXED + MOST_TRIED);
    return s->base.set.horizon > 0 && left < price;
}

static verdict tell_slopes(mean *s, const double *answers)
{
    method *m = &s->base;
    walk *w = s->walk;
    if (!m->fan.known) {
        w->value = answers[0];
        vec_copy(m->d, m->x, s->centre);
    }
    read_all(s, answers);
    if (!w->begun) {
        measure(s);
        if (!(m->set.noise > 0) && is_short(s)) {
            mean_from_slopes(s);
            return begin_steps(s);
        }
        ask_all_slopes(s, 1);
        m->stage = ASK_BENDS;
        return m->set.noise > 1e-11 * s->at->scale ? NOISY : GOES_ON; /* values come rounded */
    }
    int jumpy = w->learnt != m->step && jumps(s);
    if (w->learnt != m->step) mean_learn(s);
    w->learnt = m->step;
    verdict v = begin_steps(s);
    return jumpy && v == GOES_ON ? JUMPY : v;
}

verdict exact_tell(mean *s, const double *answers)
{
    verdict v = s->base.stage == ASK_POINT   ? tell_point(s, answers)
                : s->base.stage == ASK_BENDS ? tell_bends(s, answers)
                                             : tell_slopes(s, answers);
    s->walk->pending = s->base.stage;
    return v;
}
