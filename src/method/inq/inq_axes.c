/* inq with noise: components that depend on a few coordinates each. Which these are, and whether that is true.
 * SPDX-License-Identifier: MIT
 *
 * A difference gradient shows what a component depends on: the entries that stand clear of noise. Where most of the first
 * sample have a few each, and bend across their gradients too, all components are asked in full once, and from then on
 * along their supports (inq_axes_look.c), as long as these stand the test (inq_axes_test.c). Components that fail it are
 * asked in full at the moved point; too many of them, and there are no supports. */
#include "method/inq/inq_axes.h"

#include "base/rng.h"
#include "base/vec.h"

static double square(double v) { return v * v; }

/* More are not a few. */
static size_t most_axes(const inq *s)
{
    size_t few = s->base.d / 3;
    return few < s->layers ? few : s->layers;
}

void axes_keep(inq *s, uint64_t i, size_t j)
{
    size_t rank = axes_rank(s, i);
    if (rank == WIDE) return;
    for (size_t k = 0; k < rank; k++)
        if (axes_at(s, i, k) == j) return;
    if (rank < most_axes(s))
        inq_layer(s, i, 0)[rank++] = (float)j;
    else
        rank = WIDE;
    inq_span(s, i)->rank = (double)rank;
}

/* slope: of d numbers, each with an error. */
static void find_support(inq *s, uint64_t i, const double *slope, double error)
{
    *inq_span(s, i) = (span){0};
    for (size_t j = 0; j < s->base.d; j++)
        if (fabs(slope[j]) > AXES_SHOWN * error) axes_keep(s, i, j);
}

/* Standard error of a difference gradient of radius r. */
static double slope_error(const inq *s, double r)
{
    return s->base.set.noise * (s->base.set.sides == 1 ? sqrt(2) : sqrt(0.5)) / r;
}

void axes_share(inq *s)
{
    for (size_t i = 0; i < s->base.count; i++) s->mark[i] = (unsigned char)s->spans[i].rank;
    method_marks(&s->base, s->mark, s->marks);
}

/* Wide components cost 2d queries in every look. */
int axes_too_wide(inq *s)
{
    uint64_t wide = 0;
    axes_share(s);
    for (uint64_t k = 0; k < s->at->supported; k++) wide += s->marks[s->order[k]] == WIDE;
    return wide > 1 + s->at->supported / s->base.d;
}

/* Those with no support at all say nothing. */
static int some_depend(const inq *s)
{
    uint64_t count = 0;
    for (uint64_t k = 0; k < s->at->supported; k++) count += s->marks[s->order[k]] > 0;
    return 2 * count > s->at->supported;
}

/* What a difference quotient makes of |x|^2/2. */
static double ridge_slope(const inq *s, size_t j)
{
    return s->base.x[j] + (s->base.set.sides == 1 ? 0.5 * method_radius(&s->base, 1) : 0);
}

/* size u_i, without the ridge. */
static const double *slopes_of(inq *s, uint64_t i)
{
    for (size_t j = 0; j < s->base.d; j++)
        s->work[j] = inq_curve(s, i)->size * inq_row(s, i)[j] - s->at->ridge * ridge_slope(s, j);
    return s->work;
}

/* mu by least squares over all slopes of the sample; most are 0 but for the ridge, and those that are not are left out as
 * they are found out. */
static void guess_ridge(inq *s, double error)
{
    method *m = &s->base;
    double bound = INFINITY;
    for (int k = 0; k < 30; k++) {
        double sum[4]; /* J'x, x'x, J'J, count */
        method_total total;
        total_open(&total, m, 4, s->tree);
        for (uint64_t i = m->first; i < inq_end(s); i++) {
            double *leaf = total_leaf(&total, i);
            if (!(s->asked[i].full > 0)) continue;
            const double *slope = slopes_of(s, i);
            for (size_t j = 0; j < m->d; j++) {
                if (!(fabs(slope[j]) <= bound)) continue;
                leaf[0] += slope[j] * ridge_slope(s, j);
                leaf[1] += square(ridge_slope(s, j));
                leaf[2] += slope[j] * slope[j];
                leaf[3]++;
            }
        }
        total_close(&total, sum);
        if (!(sum[1] > 0)) return;
        s->at->ridge = fmax(s->at->ridge + sum[0] / sum[1], 0);
        bound = fmax(AXES_SHOWN * error, 1.5 * sqrt(sum[2] / sum[3]));
        if (s->at->ridge < AXES_CLEAR * error / sqrt(sum[1])) s->at->ridge = 0;
    }
}

/* Can the horizon pay for finding all supports, and four looks along them? */
static int is_paid_for(const inq *s)
{
    double n = (double)s->base.n, d = (double)s->base.d,
           left = s->base.set.horizon - (double)s->at->asked;
    double rank = axes_mean_rank(s), find = fmin(2 * sqrt(rank * d), d),
           look = rank * (rank + 3) / 2 + 1;
    return !(s->base.set.horizon > 0) || left > n * (find + 4 * fmin(look, 2 * rank + d));
}

int inq_begin_axes(inq *s)
{
    const method *m = &s->base;
    struct progress *at = s->at;
    if (at->supports != NOT_SOUGHT || at->points > 1 || !(m->set.noise > 1e-11 * at->scale) ||
        !s->dense || !m->set.own || m->means_only || most_axes(s) == 0)
        return 0;
    double error = slope_error(s, method_radius(m, 1));
    at->supported = at->filled;
    at->ridge = at->ridge_error = 0;
    guess_ridge(s, error);
    for (uint64_t i = m->first; i < inq_end(s); i++)
        if (s->asked[i].full > 0) find_support(s, i, slopes_of(s, i), error);
    if (axes_too_wide(s) || !some_depend(s) || !is_paid_for(s)) return 0;
    at->supports = OF_SAMPLE;
    at->trials = at->widened = 0;
    axes_test(s);
    return 1;
}

/* Nothing is lost but queries: curves go on where they stood; after these, or after steps along supports, the mean does. */
void axes_leave(inq *s)
{
    uint64_t was = s->at->supports;
    s->at->supports = NONE;
    s->at->todo = s->at->cursor = 0;
    if (was == RULING)
        inq_leave(s, "their noise");
    else if (was == OF_CURVES)
        inq_begin_near(s);
    else
        inq_ask_bends(s);
}

/* Of each component its direction is known, and with it its support. */
int axes_begin_near(inq *s)
{
    const method *m = &s->base;
    struct progress *at = s->at;
    if (at->supports != BY_CURVES || at->filled < m->n) return 0;
    at->ridge = at->mu;
    at->ridge_error = 0;
    at->trials = at->widened = at->valued = 0;
    for (uint64_t i = m->first; i < inq_end(s); i++) {
        const curve *c = inq_curve(s, i);
        double r = method_radius(m, 1),
               far = vec_norm(m->d, s->point + ((size_t)c->point - 1) * m->d);
        if (isnan(m->set.radius)) r *= fmax(1, far) / fmax(1, vec_norm(m->d, m->x)); /* of then */
        for (size_t j = 0; j < m->d; j++) s->work[j] = c->size * inq_row(s, i)[j];
        find_support(s, i, s->work, slope_error(s, r));
    }
    at->supported = m->n;
    if (axes_too_wide(s)) return 0;
    at->supports = OF_CURVES;
    axes_test(s);
    return 1;
}

/* ---- One index, or several ----------------------------------------------------------------------- */

/* The error of u_i: of how large an angle. */
static double error_of(const inq *s, uint64_t i)
{
    double size = inq_curve(s, i)->size, rank = (double)axes_rank(s, i);
    return size > 0 ? sqrt(rank) * slope_error(s, method_radius(&s->base, 1)) / size : INFINITY;
}

/* v = signs within S_i, without what is along u_i, from which the forward error (r/2) bend u_j^2 is taken out; as long as the
 * move of a test. 0: it says nothing. */
static int put_across(inq *s, uint64_t i, double length, double *v)
{
    size_t d = s->base.d, rank = axes_rank(s, i);
    const double *row = inq_row(s, i);
    double forward =
        s->base.set.sides == 1 ? 0.5 * method_radius(&s->base, 1) * inq_span(s, i)->weight : 0;
    double u[SPAN], part = 0, along = 0, far = 0;
    vec_zero(d, v);
    if (rank < 2 || rank == WIDE || !(error_of(s, i) < 0.1)) return 0;
    for (size_t k = 0; k < rank; k++) {
        size_t j = axes_at(s, i, k);
        u[k] = inq_curve(s, i)->size * row[j] - forward * row[j] * row[j];
        along += s->work[j] * u[k];
        part += u[k] * u[k];
    }
    for (size_t k = 0; k < rank; k++) {
        size_t j = axes_at(s, i, k);
        v[j] = s->work[j] - along / part * u[k];
        far += v[j] * v[j];
    }
    vec_scale(d, far > 0 ? length / sqrt(far) : 0, v);
    return far > 0;
}

static void ask_inside(inq *s, zo_fan *fan)
{
    size_t d = s->base.d;
    double length = axes_move(s, s->work);
    fan->comp = s->order;
    fan->ncomp = s->at->supported < SPREAD ? (size_t)s->at->supported : SPREAD;
    for (size_t e = 0; e < fan->ncomp; e++) {
        uint64_t i = fan->comp[e];
        if (!method_mine(&s->base, i)) continue;
        double *to = s->dir + e * d;
        if (s->base.stage == ASK_INSIDE)
            put_across(s, i, length, to);
        else
            for (size_t j = 0; j < d; j++) to[j] = length * inq_row(s, i)[j];
    }
    fan->each = method_each(&s->base);
    fan->own = 1;
    fan->sides = 2;
    fan->ndir = 1;
    fan->dir = s->dir;
    fan->radius = 1;
}

static double bend_told(const inq *s, const double *answers, size_t e, double length)
{
    const zo_fan *fan = &s->base.fan;
    return second_difference(fan, answers + e * zo_fan_set(fan), 0, 0) / (length * length) -
           s->at->ridge;
}

static void tell_along(inq *s, const double *answers)
{
    const zo_fan *fan = &s->base.fan;
    double length = axes_move(s, s->work);
    for (size_t e = 0; e < fan->ncomp; e++)
        if (method_mine(&s->base, fan->comp[e]))
            inq_span(s, fan->comp[e])->weight = bend_told(s, answers, e, length);
    s->base.stage = ASK_INSIDE;
}

/* Does it bend across u_i by more than noise, and than an error of u_i makes of its bend along u_i? */
static int bends_across(const inq *s, uint64_t i, double bend, double length)
{
    double off = 2e-3 + 4 * square(error_of(s, i)),
           noise = sqrt(6) * s->base.set.noise / (length * length);
    return !(fabs(bend) <= off * fabs(inq_span(s, i)->weight) + AXES_CLEAR * noise);
}

/* Of components of one index curves say more than supports do, unless noise hides their directions. */
static void tell_inside(inq *s, const double *answers)
{
    method *m = &s->base;
    const zo_fan *fan = &m->fan;
    double length = axes_move(s, s->work), count[3];
    for (size_t e = 0; e < fan->ncomp; e++) {
        if (!method_mine(m, fan->comp[e])) continue;
        int says = put_across(s, fan->comp[e], length, s->lost);
        s->entry[3 * e] = says;
        s->entry[3 * e + 2] = error_of(s, fan->comp[e]) < 0.03;
        s->entry[3 * e + 1] =
            says && bends_across(s, fan->comp[e], bend_told(s, answers, e, length), length);
    }
    method_sum(m, fan->ncomp, fan->comp, 3, s->entry, count, s->tree, s->index);
    if (count[1] > 0.25 * count[0] || 2 * count[2] < (double)fan->ncomp) {
        axes_ask_all(s);
    } else {
        axes_leave(s);
        s->at->supports = BY_CURVES;
    }
}

/* ---- Stages ------------------------------------------------------------------------------------- */

void inq_ask_axes(inq *s, zo_fan *fan)
{
    switch (s->base.stage) {
    case ASK_ALONG:
    case ASK_INSIDE: ask_inside(s, fan); break;
    case ASK_OUTSIDE: axes_ask_test(s, fan); break;
    case ASK_LOOK: axes_ask_look(s, fan); break;
    default: axes_ask_find(s, fan);
    }
}

void inq_tell_axes(inq *s, const double *answers)
{
    switch (s->base.stage) {
    case ASK_ALONG: tell_along(s, answers); break;
    case ASK_INSIDE: tell_inside(s, answers); break;
    case ASK_OUTSIDE: axes_tell_test(s, answers); break;
    case ASK_LOOK: axes_tell_look(s, answers); break;
    default: axes_tell_find(s, answers);
    }
}
