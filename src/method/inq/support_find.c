/* inq with noise: which coordinates components depend on.
 * SPDX-License-Identifier: MIT
 *
 * A difference gradient shows them: the entries that stand clear of noise. Where most of the first sample have a few each,
 * those of the others are found by moving intervals of coordinates a long way, which shows more than slopes do: first d/b of b
 * = 2^k coordinates each, then the halves of those that matter, and so on: about d/b + 2 r k queries for r coordinates,
 * instead of d. In the same way what has changed is found in components that fail the test (support_test.c). */
#include "base/vec.h"
#include "method/inq/row.h"
#include "method/inq/supports.h"

/* ---- From gradients ------------------------------------------------------------------------------ */

/* slope: of d numbers, each with an error. */
static void find_support(inq *s, uint64_t i, const double *slope, double error)
{
    *inq_span(s, i) = (span){0};
    for (size_t j = 0; j < s->base.d; j++)
        if (fabs(slope[j]) > shown_clear * error) support_add(s, i, j);
}

/* What a difference quotient makes of |x|^2/2. */
static double ridge_slope(const inq *s, size_t j)
{
    return s->base.x[j] + (s->base.set.sides == 1 ? 0.5 * method_radius(&s->base, 1) : 0);
}

static const double *slopes_of(inq *s, uint64_t i)
{
    inq_row_put(s, i, inq_curve(s, i)->size, s->lost);
    return s->lost;
}

/* Most slopes are 0 but for the ridge, and those that are not are left out as they are found out. */
static void observe_slopes(inq *s, uint64_t i, double mu, double bound, tally *to)
{
    if (!(s->asked[i].full > 0)) return;
    const double *slope = slopes_of(s, i);
    for (size_t j = 0; j < s->base.d; j++)
        support_tally(to, slope[j], ridge_slope(s, j), mu, bound, 1);
}

/* Those with no support at all say nothing. */
static int some_depend(const inq *s)
{
    uint64_t count = 0;
    for (uint64_t k = 0; k < s->supports.supported; k++) count += s->marks[s->plan.order[k]] > 0;
    return 2 * count > s->supports.supported;
}

/* Queries to find rank coordinates by intervals; *first: how long the first ones are. */
static double price_of(const inq *s, double rank, size_t *first)
{
    double d = (double)s->base.d, least = d;
    *first = 1;
    for (size_t k = 1, size = 2; size <= s->base.d && inq_rule(s, RULE_GROUPS); k++, size *= 2) {
        double price = ceil(d / (double)size) + 2 * rank * (double)k;
        if (!(price < least)) continue;
        least = price;
        *first = size;
    }
    return least;
}

/* Can the horizon pay for finding all supports, and for a few passes along them? */
static int is_paid_for(inq *s)
{
    double n = (double)s->base.n, d = (double)s->base.d,
           left = s->base.set.horizon - (double)s->sample.asked, rank = support_mean_rank(s),
           pass = fmin(rank * (rank + 3) / 2 + 1, 2 * rank + d);
    size_t first;
    return !(s->base.set.horizon > 0) ||
           left > n * (price_of(s, rank, &first) + LEAST_PASSES * pass);
}

int support_may_be(const inq *s)
{
    const method *m = &s->base;
    return s->supports.state == NOT_SOUGHT && s->points.count <= 1 &&
           m->set.noise > rounded_only * s->scale.value && s->dense && m->set.own &&
           !m->means_only && support_most(s) > 0 && inq_rule(s, RULE_SUPPORTS);
}

int support_from_gradients(inq *s)
{
    const method *m = &s->base;
    double error = support_slope_error(s, method_radius(m, 1));
    inq_widen(s); /* sparse rows are where lists will be */
    support_known_ridge(s, support_fit_ridge(s, observe_slopes, error).mu);
    for (uint64_t i = m->first; i < inq_end(s); i++) {
        if (!(s->asked[i].full > 0)) continue;
        slopes_of(s, i);
        for (size_t j = 0; j < m->d; j++) s->lost[j] -= s->outside.mu * ridge_slope(s, j);
        find_support(s, i, s->lost, error);
    }
    return !support_too_wide(s) && some_depend(s) && is_paid_for(s);
}

/* Of each component its direction is known, and with it its support. */
int support_from_curves(inq *s)
{
    const method *m = &s->base;
    inq_widen(s);
    support_known_ridge(s, s->ridge.mu);
    inq_values_told(s, 0);
    for (uint64_t i = m->first; i < inq_end(s); i++) {
        const double *z = inq_found_at(s, i);
        double r = method_radius(m, 1); /* then it was another */
        if (isnan(m->set.radius)) r *= fmax(1, vec_norm(m->d, z)) / fmax(1, vec_norm(m->d, m->x));
        find_support(s, i, slopes_of(s, i), support_slope_error(s, r));
    }
    return !support_too_wide(s);
}

/* ---- By intervals --------------------------------------------------------------------------------- */

/* The first intervals, where a component is thought to depend on rank coordinates more. */
static void begin_intervals(inq *s, double rank)
{
    size_t d = s->base.d, first;
    price_of(s, rank, &first);
    while ((d + first - 1) / first > SPREAD) first *= 2;
    s->find.parts = (d + first - 1) / first;
    s->find.size = s->find.parts * first;
}

/* One interval of all coordinates, where there is none yet. */
static void open_all(inq *s, uint64_t i)
{
    size_t rank = support_rank(s, i);
    *support_open(s, i) = rank < WIDE;
    if (rank < WIDE) support_list(s, i)[rank] = 0;
}

void support_seek(inq *s)
{
    begin_intervals(s, support_mean_rank(s));
    s->find.known = 0;
    for (uint64_t i = s->base.first; i < inq_end(s); i++) {
        if (s->asked[i].full > 0) continue;
        *inq_span(s, i) = (span){0};
        open_all(s, i);
    }
}

void support_seek_more(inq *s) { begin_intervals(s, 1); }

void support_seek_outside(inq *s)
{
    s->find = (struct find){.size = s->base.d, .parts = 1};
    s->find.known = (uint64_t)inq_valued(s);
    for (uint64_t i = s->base.first; i < inq_end(s); i++)
        if (s->supports.supported == s->base.n || s->asked[i].full > 0) open_all(s, i);
}

/* v = the move of one part of an open interval; returns the number of that part among its like. work: the move of all. */
static size_t put_part(const inq *s, uint64_t i, size_t row, double *v)
{
    size_t rank = support_rank(s, i), parts = (size_t)s->find.parts,
           size = (size_t)s->find.size / parts,
           number = support_at(s, i, rank + row / parts) * parts + row % parts;
    vec_zero(s->base.d, v);
    for (size_t j = number * size; j < (number + 1) * size && j < s->base.d; j++)
        v[j] = support_side(i) * s->work[j];
    for (size_t k = 0; k < rank; k++) v[support_at(s, i, k)] = 0;
    return number;
}

void ask_split(inq *s, zo_fan *fan)
{
    size_t d = s->base.d, rows = plan_rank(&s->plan) * (size_t)s->find.parts;
    support_move(s, s->work);
    plan_ranked_chunk(&s->plan, fan, s->rows / rows);
    fan->own = 1;
    fan->known = (int)s->find.known;
    ask_rows(fan, rows, s->dir, 1);
    for (size_t e = 0; e < fan->ncomp; e++)
        for (size_t k = 0; k < rows && method_mine(&s->base, fan->comp[e]); k++)
            put_part(s, fan->comp[e], k, s->dir + (e * rows + k) * d);
}

/* The parts that matter take the place of the intervals; more than a support may have: it is wide. A test is of one part. a:
 * changes, or values where f is known. */
static void learn_parts(inq *s, uint64_t i, size_t rows, const double *a, double f)
{
    double clear = shown_clear * sqrt(2) * s->base.set.noise, *v = s->lost;
    size_t rank = support_rank(s, i), room = support_most(s) - rank, found = 0, number[SPAN];
    *support_change(s, i) = a[0] - f;
    if (s->find.parts == 1) return;
    for (size_t k = 0; k < rows; k++) {
        size_t part = put_part(s, i, k, v);
        double far = vec_dot(s->base.d, s->base.x, v) + 0.5 * vec_dot(s->base.d, v, v);
        if (fabs((a[k] - f) - s->outside.mu * far) <= clear) continue;
        if (found < room) number[found] = part;
        found++;
    }
    if (found > room) {
        *inq_span(s, i) = (span){.rank = WIDE};
        return;
    }
    for (size_t k = 0; k < found; k++) support_list(s, i)[rank + k] = (float)number[k];
    *support_open(s, i) = (double)found;
}

void support_learn_split(inq *s, const double *answers)
{
    const zo_fan *fan = &s->base.fan;
    size_t set = zo_fan_set(fan);
    support_move(s, s->work);
    for (size_t e = 0; e < fan->ncomp; e++) {
        uint64_t i = fan->comp[e];
        const double *a = answers + e * set;
        if (!method_mine(&s->base, i)) continue;
        if (!fan->known) inq_curve(s, i)->f = a[0];
        learn_parts(s, i, fan->ndir, a + !fan->known, fan->known ? inq_curve(s, i)->f : 0);
    }
}

/* Intervals of one coordinate belong to the support. */
void support_split(inq *s)
{
    s->find.size /= s->find.parts;
    s->find.parts = 2;
    s->find.known = 1;
    for (uint64_t i = s->base.first; i < inq_end(s) && s->find.size == 1; i++) {
        inq_span(s, i)->rank += *support_open(s, i);
        *support_open(s, i) = 0;
    }
}
