/* supports: which coordinates components depend on.
 * SPDX-License-Identifier: MIT
 *
 * A difference gradient shows them: the entries that stand clear of noise. Where most of the first sample have a few each,
 * those of the others are found by moving intervals of coordinates a long way, which shows more than slopes do: first d/b of b
 * = 2^k coordinates each, then the halves of those that matter, and so on: about d/b + 2 r k queries for r coordinates,
 * instead of d. In the same way what has changed is found in components that fail the test (test.c). */
#include "method/supports/supports.h"

/* ---- From slopes --------------------------------------------------------------------------------- */

/* Slopes of components, as one method knows them and another looks at them. */
typedef struct view {
    const method *m;
    const handover *known;
    double *slopes; /* d: of the component at hand */
} view;

static int look(const view *v, uint64_t i, known_component *k)
{
    return v->known->component(v->known->from, i, k, v->slopes);
}

/* What a difference quotient makes of |x|^2/2. */
static double ridge_slope(const method *m, size_t j)
{
    return m->x[j] + (m->set.sides == 1 ? 0.5 * method_radius(m, 1) : 0);
}

/* Most slopes are 0 but for the ridge, and those that are not are left out as they are found out. */
static void observe_slopes(void *ctx, uint64_t i, double mu, double bound, tally *to)
{
    const view *v = ctx;
    known_component k;
    if (!look(v, i, &k)) return;
    for (size_t j = 0; j < v->m->d; j++)
        support_tally(to, v->slopes[j], ridge_slope(v->m, j), mu, bound, 1);
}

static double ridge_of(view *v)
{
    double error = support_slope_error(v->m, method_radius(v->m, 1));
    return support_fit_ridge(v->m, observe_slopes, v, error).mu;
}

static int is_shown(const view *v, const known_component *k, size_t j, double mu)
{
    return fabs(v->slopes[j] - mu * ridge_slope(v->m, j)) > shown_clear * k->error;
}

/* Sums over components: those that are wide, those that have a support, ranks. */
typedef struct shown {
    double wide, some, ranks;
} shown;

static shown count_shown(view *v, double mu)
{
    const method *m = v->m;
    size_t most = support_most(m->d);
    double tree[SUM_DEPTH * sizeof(shown) / sizeof(double)];
    shown total;
    known_component k;
    method_total sum;
    total_open(&sum, m, sizeof total / sizeof(double), tree);
    for (uint64_t i = m->first; i < m->first + m->count; i++) {
        if (!look(v, i, &k)) continue;
        shown *leaf = (shown *)(void *)total_leaf(&sum, i);
        size_t rank = 0;
        for (size_t j = 0; j < m->d; j++) rank += (size_t)is_shown(v, &k, j, mu);
        leaf->wide += rank > most;
        leaf->some += rank > 0;
        leaf->ranks += (double)(rank > most ? WIDE : rank);
    }
    total_close(&sum, (double *)(void *)&total);
    return total;
}

/* Queries to find rank coordinates by intervals; *first: how long the first ones are. */
static double price_of(size_t d, double rank, int one_by_one, size_t *first)
{
    double least = (double)d;
    *first = 1;
    for (size_t k = 1, size = 2; size <= d && !one_by_one; k++, size *= 2) {
        double price = ceil((double)d / (double)size) + 2 * rank * (double)k;
        if (!(price < least)) continue;
        least = price;
        *first = size;
    }
    return least;
}

/* Can the horizon pay for finding all supports, and for a few passes along them? */
static int is_paid_for(const method *m, double spent, double rank)
{
    double n = (double)m->n, d = (double)m->d, left = m->set.horizon - spent,
           pass = fmin(rank * (rank + 3) / 2 + 1, 2 * rank + d);
    size_t first;
    return !(m->set.horizon > 0) ||
           left > n * (price_of(m->d, rank, 0, &first) + LEAST_PASSES * pass);
}

/* Do most of the sample have a support? Those with none at all say nothing. */
static int are_supports(view *v, double mu)
{
    double count = (double)v->known->sample;
    shown is = count_shown(v, mu);
    if (is.wide > floor(1 + count / (double)v->m->d)) return 0;
    if (!isnan(v->known->ridge)) return 1; /* of all, and they are paid for */
    return 2 * is.some > count && is_paid_for(v->m, v->known->spent, fmax(is.ranks / count, 1));
}

int supports_suit(const method *m, const handover *known)
{
    double slopes[MOST_WIDTH];
    view v = {m, known, slopes};
    if (!known || !known->component || m->d > MOST_WIDTH || support_most(m->d) == 0 ||
        !m->set.own || m->means_only || supports_bytes(m->n, m->d) > m->set.memory)
        return 0;
    return are_supports(&v, isnan(known->ridge) ? ridge_of(&v) : 0);
}

static int own_component(const method *m, uint64_t i, known_component *to, double *slopes)
{
    const supports *s = (const supports *)m;
    const support *of = support_of(s, i);
    vec_copy(m->d, support_row(s, i), slopes);
    *to = (known_component){.f = of->f, .bend = of->bend, .error = of->error};
    return support_is_sampled(s, i);
}

void supports_lend(const supports *s, handover *next)
{
    next->component = own_component;
    next->sample = s->at.sampled;
    next->bent = s->at.bent > 0;
}

static void make_lists(supports *s, view *v, double mu)
{
    known_component k;
    for (uint64_t i = s->base.first; i < support_end(s); i++) {
        if (!look(v, i, &k)) continue;
        support_forget(s, i, 0);
        for (size_t j = 0; j < s->base.d; j++)
            if (is_shown(v, &k, j, mu)) support_add(s, i, j);
    }
}

int support_from_slopes(supports *s)
{
    handover known = method_nothing_known(&s->base);
    view v = {&s->base, &known, s->lost};
    supports_lend(s, &known);
    known.spent = (double)s->at.asked;
    support_known_ridge(s, ridge_of(&v));
    make_lists(s, &v, s->outside.mu);
    return are_supports(&v, s->outside.mu);
}

void support_from_curves(supports *s, double mu)
{
    handover known = method_nothing_known(&s->base);
    view v = {&s->base, &known, s->lost};
    supports_lend(s, &known);
    support_known_ridge(s, mu);
    make_lists(s, &v, 0);
}

/* ---- By intervals --------------------------------------------------------------------------------- */

/* The first intervals, where a component is thought to depend on rank coordinates more. */
static void begin_intervals(supports *s, double rank)
{
    size_t d = s->base.d, first;
    price_of(d, rank, s->without > 0, &first);
    while ((d + first - 1) / first > AT_ONCE) first *= 2;
    s->find.parts = (d + first - 1) / first;
    s->find.size = s->find.parts * first;
}

/* One interval of all coordinates, where there is none yet. */
static void open_all(supports *s, uint64_t i)
{
    size_t rank = support_rank(s, i);
    support_of(s, i)->open = rank < WIDE;
    if (rank < WIDE) support_list(s, i)[rank] = 0;
}

void support_seek(supports *s)
{
    begin_intervals(s, support_mean_rank(s));
    s->find.known = 0;
    for (uint64_t i = s->base.first; i < support_end(s); i++) {
        if (support_is_sampled(s, i)) continue;
        support_forget(s, i, 0);
        open_all(s, i);
    }
}

void support_seek_more(supports *s) { begin_intervals(s, 1); }

void support_seek_outside(supports *s)
{
    s->find = (struct find){.size = s->base.d, .parts = 1};
    s->find.known = (uint64_t)support_valued(s);
    for (uint64_t i = s->base.first; i < support_end(s); i++)
        if (s->at.supported == s->base.n || support_is_sampled(s, i)) open_all(s, i);
}

/* v = the move of one part of an open interval; returns the number of that part among its like. work: the move of all. */
static size_t put_part(const supports *s, uint64_t i, size_t row, double *v)
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

void ask_split(supports *s, zo_fan *fan)
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
static void learn_parts(supports *s, uint64_t i, size_t rows, const double *a, double f)
{
    double clear = shown_clear * sqrt(2) * s->base.set.noise, *v = s->lost;
    size_t rank = support_rank(s, i), room = s->most - rank, found = 0,
           size = (size_t)(s->find.size / s->find.parts), number[PLAN_RANKS];
    support_of(s, i)->change = a[0] - f;
    if (s->find.parts == 1) return;
    for (size_t k = 0; k < rows; k++) {
        size_t part = put_part(s, i, k, v);
        if (part * size >= s->base.d) continue; /* noise alone */
        double far = vec_dot(s->base.d, s->base.x, v) + 0.5 * vec_dot(s->base.d, v, v);
        if (fabs((a[k] - f) - s->outside.mu * far) <= clear) continue;
        if (found < room) number[found] = part;
        found++;
    }
    if (found > room) {
        support_forget(s, i, WIDE);
        return;
    }
    for (size_t k = 0; k < found; k++) support_list(s, i)[rank + k] = (uint32_t)number[k];
    support_of(s, i)->open = (double)found;
}

void support_learn_split(supports *s, const double *answers)
{
    const zo_fan *fan = &s->base.fan;
    size_t set = zo_fan_set(fan);
    support_move(s, s->work);
    for (size_t e = 0; e < fan->ncomp; e++) {
        uint64_t i = fan->comp[e];
        const double *a = answers + e * set;
        if (!method_mine(&s->base, i)) continue;
        if (!fan->known) support_of(s, i)->f = a[0];
        learn_parts(s, i, fan->ndir, a + !fan->known, fan->known ? support_of(s, i)->f : 0);
    }
}

/* Intervals of one coordinate belong to the support. */
void support_split(supports *s)
{
    s->find.size /= s->find.parts;
    s->find.parts = 2;
    s->find.known = 1;
    for (uint64_t i = s->base.first; i < support_end(s) && s->find.size == 1; i++) {
        support_of(s, i)->rank += support_of(s, i)->open;
        support_of(s, i)->open = 0;
    }
}
