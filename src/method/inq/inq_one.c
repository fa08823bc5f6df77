/* inq: one function, or the mean of a few that have little structure of their own. Its value is cheap beside d slopes.
 * SPDX-License-Identifier: MIT
 *
 *     minimize  g'(z - x) + (z - x)'B(z - x)/2 + psi(z),   g the slopes at x, by forward differences
 *
 * B begins with the bends h_j along the axes, which d more queries show at the start: then the scale of coordinates does not
 * matter. Where a few directions of signs show far more curvature beside the diagonal than in it, as with data of many
 * correlated columns, rare ones among them, it begins with a power of h_j, the less the more slopes grow with bends.
 * Every value f(z), one query, says what B is along the step p = z - x,
 *
 *     rho = 2(f(z) - f(x) - g'p)/p'Bp,   B += (rho - 1) Bp(Bp)'/p'Bp,
 *
 * and the next z is found with it, longer or shorter, until what it promises beside the best so far is little. Without psi
 * that is a search along a line; with psi the path bends. Then the slopes at the best are asked, and B as it was learns
 * from their change y by BFGS.
 *
 * Coordinates that psi holds where they are (at 0, at a bound), by a margin, are not asked: their slopes are foretold,
 * g + Bp, which changes nothing in B. Every few looks, and before the end, they are. */
#include <float.h>
#include <math.h>

#include "base/rng.h"
#include "base/vec.h"
#include "method/inq/inq.h"
#include "prox/prox.h"

enum {
    MOST_TRIED = 6,   /* values in a row where one was lower than F(x) */
    MOST_REFUSED = 40 /* and where none was */
};

static const double enough = 0.05; /* promises beside the best so far, relative */
static const double least_part = 0.1, most_part = 10; /* of rho */
static const double held_by = 0.4; /* how much larger a slope may be that psi must hold */
static const uint64_t most_passed = 3;
static const double most_units = 4; /* for spans */

int inq_may_be_one(const inq *s) { return s->base.n < FEW && s->dense && !(s->base.set.noise > 0); }

void inq_keep_share(inq *s)
{
    double whole = s->at->inside + s->at->outside;
    if (!(whole > 0)) return;
    double part = s->at->outside / whole;
    s->one->share = s->one->looks++ ? 0.8 * s->one->share + 0.2 * part : part;
}

/* Few components whose spans fall short of what they do after so many gradients of each: in the last look, and in the mean of
 * a few before. */
int inq_one_due(const inq *s)
{
    double spent = (double)(s->at->asked - s->one->entered),
           unit = (double)s->base.n * (double)s->base.d;
    if (!s->at->secants || !inq_may_be_one(s) || !inq_all(s) || inq_shares(s)) return 0;
    double left = s->base.set.horizon -
                  (double)s->at->asked; /* slopes and bends come before the first step */
    if (s->base.set.horizon > 0 && left < 4 * unit) return 0;
    return spent > most_units * unit && inq_incomplete(s) && s->one->share > 0.25;
}

static double nothing(const inq *s)
{
    return method_unseen(&s->base, s->at->objective, s->at->scale);
}

static double *best_of(inq *s) { return s->cand + s->base.d; }

/* ---- Questions ---------------------------------------------------------------------------------- */

static void ask_slopes_of(inq *s, uint64_t count)
{
    s->one->axes = count;
    s->base.stage = ASK_SLOPES;
}

static void ask_all_slopes(inq *s)
{
    for (size_t j = 0; j < s->base.d; j++) s->axes[j] = (uint32_t)j;
    ask_slopes_of(s, s->base.d);
}

void inq_begin_one(inq *s)
{
    struct lone *one = s->one;
    one->valued = one->axial = one->unasked = one->passed = 0;
    one->learnt = s->base.step;
    vec_zero(s->base.d * s->base.d, s->matrix);
    ask_all_slopes(s);
}

/* A length over which bends stand clear of rounding, and slopes do not change much. */
static double bend_radius(const inq *s)
{
    double r = method_radius(&s->base, 1), far = fmax(1, vec_norm(s->base.d, s->base.x));
    return fmax(2 * r, fmin((s->base.set.sides == 1 ? 1e3 : 10) * r, 1e-3 * far));
}

/* Is f(x) known? Not at the start, nor where a point without a finite value was left half-way back. */
static int is_known(const inq *s)
{
    return s->one->valued && vec_distance(s->base.d, s->base.x, s->centre) == 0;
}

void inq_ask_one(inq *s, zo_fan *fan)
{
    if (s->base.stage == ASK_POINT) {
        fan->base[0] = s->cand;
        return;
    }
    fan->known = is_known(s);
    fan->naxis = s->base.d;
    if (s->base.stage == ASK_BENDS) {
        fan->sides = 1;
        fan->radius = bend_radius(s);
        for (uint32_t k = 0; k < MIXED; k++)
            rng_signs(s->base.set.seed, FOR_CURVATURE, s->base.step, k, s->base.d,
                      s->dir + k * s->base.d);
        fan->ndir = MIXED;
        fan->dir = s->dir;
    } else if (s->one->axes < s->base.d) {
        fan->naxis = (size_t)s->one->axes;
        fan->axis = s->axes;
    }
}

/* ---- The matrix --------------------------------------------------------------------------------- */

/* image = B(to - x) with p = to - x; returns p'Bp. */
static double bend_along(inq *s, const double *to, double *p, double *image)
{
    size_t d = s->base.d;
    quad q = {.d = d, .matrix = s->matrix};
    for (size_t j = 0; j < d; j++) p[j] = to[j] - s->base.x[j];
    quad_multiply(&q, &s->room, p, image);
    return vec_dot(d, p, image);
}

/* ---- Steps -------------------------------------------------------------------------------------- */

/* cand = x - B^-1 g; returns 1 where psi has nothing against it. Coordinate by coordinate that takes long where B is nearly
 * singular. */
static int solve_freely(inq *s, const quad *q)
{
    method *m = &s->base;
    vec_copy(m->d, s->incline, s->cand);
    quad_inverse(q, &s->room, s->cand);
    for (size_t j = 0; j < m->d; j++) s->cand[j] = m->x[j] - s->cand[j];
    method_prox(m, 1, s->cand, s->work);
    return vec_distance(m->d, s->cand, s->work) == 0;
}

/* cand = the model's step; falls = what it promises. */
static void solve_step(inq *s)
{
    method *m = &s->base;
    quad q = {.d = m->d,
              .matrix = s->matrix,
              .g = s->incline,
              .x = m->x,
              .psi = m->psi,
              .prox_work = m->prox_work};
    if (!solve_freely(s, &q)) {
        vec_copy(m->d, m->x, s->cand);
        quad_solve(&q, &s->room, (quad_effort){3000, 1e-21 * s->at->scale, 1e-6}, s->cand);
    }
    s->at->falls = quad_decrease(&q, &s->room, s->cand);
}

/* Those that were not asked come first, in rising order. */
static void reverse_axes(inq *s)
{
    for (size_t k = 0, e = s->base.d - 1; k < e; k++, e--) {
        uint32_t kept = s->axes[k];
        s->axes[k] = s->axes[e];
        s->axes[e] = kept;
    }
}

/* No step is better than x: because of slopes that were only foretold, or of the matrix; or x is as good as can be seen. */
static void stand_still(inq *s)
{
    struct progress *at = s->at;
    struct lone *one = s->one;
    uint64_t count = one->unasked;
    vec_copy(s->base.d * s->base.d, s->steady, s->matrix);
    if (count) {
        reverse_axes(s);
        one->unasked = one->passed = 0;
        ask_slopes_of(s, count);
    } else if (one->axial != s->base.step + 1 && s->base.residual > 1e-7 * at->steep) {
        s->base.stage = ASK_BENDS;
    } else {
        inq_finish(s);
    }
}

/* Would psi hold coordinate j at x_j if its slope were g + e or g - e? */
static int is_held(const inq *s, size_t j, double e)
{
    const method *m = &s->base;
    double x = m->x[j], g = s->incline[j], step = 1 / s->matrix[j * m->d + j];
    return prox_one(m->psi, j, step, x - step * (g + e)) == x &&
           prox_one(m->psi, j, step, x - step * (g - e)) == x;
}

/* axes = first those that are asked at x, then, falling, those that are not; incline is what is foretold. */
static void choose_axes(inq *s)
{
    struct progress *at = s->at;
    struct lone *one = s->one;
    size_t d = s->base.d, count = 0, end = d;
    int all = !prox_separable(s->base.psi) || one->passed >= most_passed;
    for (size_t j = 0; j < d; j++) {
        double e = held_by * fabs(s->incline[j]) + 2 * s->drift[j] + 1e-6 * at->steep;
        if (all || s->base.x[j] != s->before[j] || !is_held(s, j, e))
            s->axes[count++] = (uint32_t)j;
        else
            s->axes[--end] = (uint32_t)j;
    }
    one->unasked = count ? d - count : 0;
    one->passed = one->unasked ? one->passed + 1 : 0;
    if (count)
        ask_slopes_of(s, count);
    else
        ask_all_slopes(s);
}

/* To the best point that was tried. */
static void move(inq *s)
{
    method *m = &s->base;
    double *image = s->told;
    vec_copy(m->d * m->d, s->steady, s->matrix);
    bend_along(s, best_of(s), s->work, image);
    vec_copy(m->d, m->x, s->before);
    vec_copy(m->d, s->incline, s->inclined);
    vec_add(m->d, 1, image, s->incline);
    vec_copy(m->d, best_of(s), m->x);
    vec_copy(m->d, m->x, s->centre);
    s->one->value = s->one->lowest;
    m->step++;
    m->error = 0;
    choose_axes(s);
}

/* The next point to try; or the best so far is good enough. */
static void try_on(inq *s)
{
    struct progress *at = s->at;
    struct lone *one = s->one;
    solve_step(s);
    int better = at->falls > nothing(s) && at->falls - one->won > enough * one->won;
    s->base.stage = ASK_POINT;
    if (one->won > 0 && (!better || one->tried >= MOST_TRIED))
        move(s);
    else if (!better || one->tried >= MOST_REFUSED)
        stand_still(s);
}

/* The slopes at x are known. */
static void begin_steps(inq *s)
{
    method *m = &s->base;
    s->at->objective = s->one->value + prox_value(m->psi, m->d, m->x);
    vec_copy(m->d * m->d, s->matrix, s->steady);
    s->one->won = s->one->good = s->one->bad = 0;
    s->one->factor = 1;
    s->one->tried = 0;
    m->residual = prox_residual(m, m->x, 1, s->incline, s->work);
    try_on(s);
}

/* ---- Answers ------------------------------------------------------------------------------------ */

/* Along the path of steps B is multiplied by factor: the larger, the shorter the step. What f(z) says of it next; but not as
 * far as a step that was too long, rather half-way there. */
static double next_factor(inq *s, double rho, int lower)
{
    struct lone *one = s->one;
    if (lower)
        one->good = one->factor;
    else if (!(one->good > 0) || one->factor < one->good)
        one->bad = fmax(one->bad, one->factor);
    double next =
        one->factor * (isfinite(rho) ? fmin(fmax(rho, least_part), most_part) : most_part);
    return one->good > 0 && next <= one->bad ? sqrt(one->bad * one->good) : next;
}

static void tell_point(inq *s, const double *answers)
{
    method *m = &s->base;
    struct progress *at = s->at;
    struct lone *one = s->one;
    size_t d = m->d;
    double *p = s->work, *image = s->told, bend = bend_along(s, s->cand, p, image);
    double fell = at->objective - answers[0] - prox_value(m->psi, d, s->cand);
    double rho = 2 * (answers[0] - one->value - vec_dot(d, s->incline, p)) / bend;
    int lower = isfinite(fell) && fell > one->won;
    one->tried++;
    if (lower) {
        one->won = fell;
        one->lowest = answers[0];
        vec_copy(d, s->cand, best_of(s));
    }
    double next = next_factor(s, rho, lower), more = (next / one->factor - 1) / bend;
    for (size_t j = 0; j < d; j++) vec_add(d, more * image[j], image, s->matrix + j * d);
    one->factor = next;
    try_on(s);
}

static void tell_bends(inq *s, const double *answers)
{
    const zo_fan *fan = &s->base.fan;
    int forward = s->base.set.sides == 1 && !s->one->axial; /* not yet corrected */
    double r = fan->radius, ahead = forward ? 0.5 * method_radius(&s->base, 1) : 0;
    double value = fan->known ? s->one->value : 0, mixed[MIXED];
    const double *along = answers + !fan->known;
    for (size_t j = 0; j < s->base.d; j++) {
        s->bends[j] = 2 * ((along[j] - value) / r - s->incline[j]) / (r - 2 * ahead);
        s->incline[j] -= ahead * s->bends[j]; /* what a forward difference takes for slope */
    }
    for (size_t k = 0; k < MIXED; k++) mixed[k] = along[s->base.d + k] - value;
    inq_one_matrix(s, mixed);
    begin_steps(s);
}

/* Slopes along the axes that were asked; what a forward difference takes for slope, r B_jj/2, is taken out. */
static void read_all(inq *s, const double *answers)
{
    const method *m = &s->base;
    const zo_fan *fan = &m->fan;
    double value = fan->known ? s->one->value : 0, r = fan->radius;
    const double *along = answers + !fan->known;
    for (size_t k = 0; k < fan->naxis; k++) {
        size_t j = s->axes[k];
        double g =
            fan->sides == 1 ? (along[k] - value) / r : (along[2 * k] - along[2 * k + 1]) / (2 * r);
        if (fan->sides == 1) g -= 0.5 * r * s->matrix[j * m->d + j];
        s->incline[j] = g;
        s->drift[j] = fabs(g - s->inclined[j]);
    }
}

/* The scale of everything, from the first slopes. */
static void measure(inq *s)
{
    struct progress *at = s->at;
    struct lone *one = s->one;
    double far = fmax(1, vec_norm(s->base.d, s->base.x)), height = fabs(one->value);
    at->steep = vec_norm(s->base.d, s->incline);
    if (height < 1e-9 * at->steep * far) height = 0.1 * at->steep * far;
    at->scale = fmax(height, 1e-290);
    one->valued = 1;
}

static void tell_slopes(inq *s, const double *answers)
{
    method *m = &s->base;
    struct progress *at = s->at;
    struct lone *one = s->one;
    if (!m->fan.known) {
        one->value = answers[0];
        vec_copy(m->d, m->x, s->centre);
    }
    read_all(s, answers);
    if (!one->valued) {
        measure(s);
        m->stage = ASK_BENDS;
        if (m->set.noise > 1e-11 * at->scale) inq_begin_near(s); /* values come rounded */
        return;
    }
    if (one->learnt != m->step) inq_one_learn(s);
    one->learnt = m->step;
    begin_steps(s);
}

void inq_tell_one(inq *s, const double *answers)
{
    switch (s->base.stage) {
    case ASK_POINT: tell_point(s, answers); break;
    case ASK_BENDS: tell_bends(s, answers); break;
    default: tell_slopes(s, answers);
    }
}
