/* inq: who has the values of another? (twins.c)
 * SPDX-License-Identifier: MIT
 *
 * Nothing is asked for it. All of the sample has been asked at x: who has the same f there, bit for bit, the same direction and the same
 * slope, which is not 0, is the same component as far as is known. A new one is asked along the check alone first (core/recovery.h): f at x
 * and one slope along random weights say whether it is as one that is known already. At the start, where f may be
 * the same for all, the slope of one that was asked there is known to more digits, and f is compared as soon as it is asked at x. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/vec.h"
#include "method/component/row.h"
#include "method/component/sample.h"
#include "method/curves/curves.h"

enum { VALUE, SLOPE, ALONG, ALONG_TOO }; /* what is compared: TRAITS */

/* ---- Their traits ---------------------------------------------------------------------------------------- */

typedef void (*traits_of)(const inq *s, uint64_t i, const void *with, double *to);

/* The first width of those of the components at count places of the order; NaN: one has none. */
typedef struct filling {
    inq *s;
    size_t width;
    const uint32_t *place;
    traits_of of;
    const void *with;
} filling;

static void fill_some(void *ctx, size_t part, size_t from, size_t to)
{
    const filling *f = ctx;
    const inq *s = f->s;
    (void)part;
    const uint64_t *order = s->plan.order;
    for (size_t e = from; e < to; e++) { /* in a random order */
        if (e + SOON < to && f->width > VALUE + 1) inq_fetch_place(s, order[f->place[e + SOON]]);
        if (e + AHEAD < to) {
            inq_fetch_curve(s, order[f->place[e + AHEAD]]);
            if (f->width > VALUE + 1) inq_fetch(s, order[f->place[e + AHEAD]]);
        }
        f->of(s, order[f->place[e]], f->with, s->traits + TRAITS * f->place[e]);
    }
}

/* On ranks they are shipped, so many components at a time. */
static void fill_far(const filling *f, size_t count)
{
    inq *s = f->s;
    const method *m = &s->base;
    double traits[TRAITS];
    for (size_t from = 0; from < count; from += FOLLOWED) {
        size_t some = count - from < FOLLOWED ? count - from : FOLLOWED;
        for (size_t e = 0; e < some; e++) {
            s->pair[e] = s->plan.order[f->place[from + e]];
            if (!method_mine(m, s->pair[e])) continue;
            f->of(s, s->pair[e], f->with, traits);
            vec_copy(f->width, traits, s->packed + f->width * e);
        }
        method_rows(m, some, s->pair, f->width, s->packed);
        for (size_t e = 0; e < some; e++)
            vec_copy(f->width, s->packed + f->width * e, s->traits + TRAITS * f->place[from + e]);
    }
}

static void fill_traits(inq *s, size_t width, size_t count, const uint32_t *place, traits_of of,
                        const void *with)
{
    filling f = {s, width, place, of, with};
    if (s->base.together)
        fill_far(&f, count);
    else
        method_share(&s->base, count, CURVE_NUMBERS, fill_some, &f);
}

/* Those at from ... to - 1 who are neither twins nor were are added to a list of so many. */
static size_t list_places(const inq *s, size_t from, size_t to, size_t count, uint32_t *place)
{
    const uint64_t *order = s->plan.order, *elder = s->elder;
    for (size_t k = from; k < to; k++) { /* in a random order */
        if (k + SOON < to) __builtin_prefetch(&elder[order[k + SOON]]);
        place[count] = (uint32_t)k;
        count += !elder[order[k]];
    }
    return count;
}

/* Is its slope alive here? */
static int is_alive(const curve *c, double slope)
{
    return c->point > 0 && c->size > 0 && fabs(slope) > twin_alive * c->size;
}

/* ---- A table by one of them ------------------------------------------------------------------------------ */

static uint64_t bits_of(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static size_t slot_of(const inq *s, uint64_t key)
{
    key *= 0x9e3779b97f4a7c15u;
    return (size_t)(key ^ key >> 32) & (s->slots - 1);
}

/* Room for so many; a small one stays in the cache. */
static void empty(inq *s, uint64_t most)
{
    s->indexed = 0;
    for (s->slots = 1; s->slots < most;) s->slots *= 2;
    memset(s->first, 0, s->slots * sizeof *s->first);
}

static void insert(inq *s, size_t k, uint64_t key)
{
    uint32_t *first = &s->first[slot_of(s, key)];
    s->further[k] = *first;
    *first = (uint32_t)k + 1;
}

/* The earliest of the sample with that key that is alike; SIZE_MAX: there is none. Not by who came first into the table, which
 * would not be the same after a resume. */
static size_t earliest(const inq *s, uint64_t key, const double *traits,
                       int (*alike)(const double *one, const double *other))
{
    size_t found = SIZE_MAX;
    for (uint32_t k = s->first[slot_of(s, key)]; k; k = s->further[k - 1])
        if (k - 1 < found && alike(traits, s->traits + TRAITS * (k - 1))) found = k - 1;
    return found;
}

/* ---- In a sample ------------------------------------------------------------------------------------------- */

static void value_at_x(const inq *s, uint64_t i, const void *with, double *to)
{
    const curve *c = inq_curve(s, i);
    (void)with;
    to[SLOPE] = curve_at(c, c->now).slope;
    to[VALUE] = is_alive(c, to[SLOPE]) ? c->f : NAN;
}

static void traits_at_x(const inq *s, uint64_t i, const void *with, double *to)
{
    const double *const *random = with;
    value_at_x(s, i, with, to);
    to[ALONG] = inq_row_dot(s, i, random[0]);
    to[ALONG_TOO] = inq_row_dot(s, i, random[1]);
}

static int same_component(const double *a, const double *b)
{
    return bits_of(a[VALUE]) == bits_of(b[VALUE]) && fabs(a[ALONG] - b[ALONG]) < twin_row &&
           fabs(a[ALONG_TOO] - b[ALONG_TOO]) < twin_row &&
           fabs(a[SLOPE] - b[SLOPE]) < twin_slope * fabs(a[SLOPE]);
}

/* Has another one in the table the same f? */
static int is_common(const inq *s, size_t place)
{
    uint64_t key = bits_of(s->traits[TRAITS * place]);
    for (uint32_t k = s->first[slot_of(s, key)]; k; k = s->further[k - 1])
        if (k - 1 != place && bits_of(s->traits[TRAITS * (k - 1)]) == key) return 1;
    return 0;
}

/* f is compared, and sent on ranks, of all; the rest of those alone whose f another has. The others are nobody's twin. */
static size_t keep_common(inq *s, size_t count, uint32_t *place)
{
    size_t kept = 0;
    fill_traits(s, VALUE + 1, count, place, value_at_x, NULL);
    for (size_t e = 0; e < count; e++) insert(s, place[e], bits_of(s->traits[TRAITS * place[e]]));
    for (size_t e = 0; e < count; e++)
        if (is_common(s, place[e])) place[kept++] = place[e];
    empty(s, kept);
    return kept;
}

static int may_have_twins(const inq *s)
{
    return s->seeks && s->base.set.own && !s->spans_on && !(s->base.set.noise > 0) &&
           !s->base.by_point && !twins_are_rare(s) && inq_rule(s, RULE_TWINS);
}

/* Twins of one elder may be met by several threads, which say the same. */
static void mark_some_elders(void *ctx, size_t part, size_t from, size_t to)
{
    const inq *s = ctx;
    unsigned char *marks = s->marks;
    (void)part;
    for (uint64_t i = from; i < to; i++)
        if (s->elder[i]) __atomic_store_n(&marks[inq_speaker(s, i)], 1, __ATOMIC_RELAXED);
}

/* An elder stays one. */
static void mark_elders(inq *s)
{
    memset(s->marks, 0, s->base.n);
    if (s->twins.any) method_share(&s->base, s->base.n, FEW_NUMBERS, mark_some_elders, s);
}

void twins_find(inq *s)
{
    const uint64_t *order = s->plan.order;
    const double *random[] = {s->told, s->miss};
    uint64_t joined = 0;
    if (!may_have_twins(s) || !twins_due(s)) return;
    for (uint32_t k = 0; k < 2; k++)
        rng_normals(s->base.set.seed, FOR_TWIN, 0, k, s->base.d, k ? s->miss : s->told);
    size_t places = list_places(s, 0, (size_t)s->sample.filled, 0, s->where);
    empty(s, places);
    places = keep_common(s, places, s->where);
    fill_traits(s, TRAITS, places, s->where, traits_at_x, random);
    mark_elders(s);
    for (size_t e = 0; e < places; e++) {
        size_t k = s->where[e];
        const double *traits = s->traits + TRAITS * k;
        if (isnan(traits[VALUE])) continue;
        uint64_t key = bits_of(traits[VALUE]);
        size_t found = s->marks[order[k]] ? SIZE_MAX : earliest(s, key, traits, same_component);
        if (found == SIZE_MAX)
            insert(s, k, key);
        else
            s->elder[order[k]] = order[found] + 1, joined++;
    }
    twins_joined(s, joined);
}

/* ---- New components ---------------------------------------------------------------------------------------- */

/* What f is here; at the start of those alone that were asked there. Returns the slope along its direction. */
static double value_here(const inq *s, uint64_t i, double *to)
{
    const curve *c = inq_curve(s, i);
    double slope = s->start.there ? c->size : curve_at(c, c->now).slope;
    int known = is_alive(c, slope) && (!s->start.there || c->point == inq_place_number(s));
    to[VALUE] = known ? c->f : NAN;
    return known ? slope : 0;
}

static void just_value(const inq *s, uint64_t i, const void *row, double *to)
{
    (void)row;
    value_here(s, i, to);
}

/* And the slope along row. */
static void traits_along(const inq *s, uint64_t i, const void *row, double *to)
{
    double slope = value_here(s, i, to);
    to[SLOPE] = slope != 0 ? slope * inq_row_dot(s, i, row) : 0;
}

/* At x few have the same f, and slopes along row are looked at where they do. Ranks have but their own rows, and are told all. */
static int is_lazy(const inq *s) { return !s->start.there && !s->base.together; }

static int alike_at_start(const double *a, const double *b)
{
    return fabs(a[SLOPE] - b[SLOPE]) < twin_start * fabs(a[SLOPE]);
}

/* At the start: slopes to 20 bits, so that those alike have the same, or neighbours. */
static uint64_t coarse(double slope) { return bits_of(slope) >> 32; }

/* The earliest with the same f, bit for bit, and the same slope along row. */
static size_t earliest_at_x(const inq *s, const double *traits, const double *row)
{
    uint64_t key = bits_of(traits[VALUE]);
    size_t found = SIZE_MAX;
    for (uint32_t k = s->first[slot_of(s, key)]; k; k = s->further[k - 1]) {
        const double *known = s->traits + TRAITS * (k - 1);
        double other[TRAITS] = {[VALUE] = known[VALUE], [SLOPE] = known[SLOPE]};
        if (k - 1 >= found || bits_of(other[VALUE]) != key) continue;
        if (is_lazy(s)) traits_along(s, s->plan.order[k - 1], row, other);
        if (fabs(traits[SLOPE] - other[SLOPE]) < twin_check * fabs(traits[SLOPE])) found = k - 1;
    }
    return found;
}

static size_t known_as(const inq *s, const double *traits, const double *row)
{
    if (!s->start.there) return earliest_at_x(s, traits, row);
    uint64_t below = coarse(traits[SLOPE] * (1 - twin_start)),
             above = coarse(traits[SLOPE] * (1 + twin_start));
    size_t found = earliest(s, below, traits, alike_at_start);
    size_t other = above != below ? earliest(s, above, traits, alike_at_start) : SIZE_MAX;
    return found < other ? found : other;
}

/* The table of the sample and of those that were found since; who was not waits in where. After a resume it is made anew. */
static void index_known(inq *s, const double *row)
{
    size_t end = (size_t)(s->sample.begin + s->recovery.at->cursor), kept = 0;
    uint64_t list = 1 + 2 * s->sample.begin + (s->start.there > 0);
    if (s->indexed != list) {
        empty(s, s->sample.size);
        s->reached = s->waiting = 0;
    }
    s->indexed = list;
    s->waiting = list_places(s, s->reached, end, s->waiting, s->where);
    s->reached = end;
    if (is_lazy(s))
        fill_traits(s, VALUE + 1, s->waiting, s->where, just_value, NULL);
    else
        fill_traits(s, SLOPE + 1, s->waiting, s->where, traits_along, row);
    for (size_t e = 0; e < s->waiting; e++) {
        size_t k = s->where[e];
        const double *traits = s->traits + TRAITS * k;
        if (!isnan(traits[VALUE]))
            insert(s, k, s->start.there ? coarse(traits[SLOPE]) : bits_of(traits[VALUE]));
        else if (k >= s->sample.begin)
            s->where[kept++] = (uint32_t)k;
    }
    s->waiting = kept;
}

typedef struct matching {
    inq *s;
    const uint64_t *comp;
    const double *row, *seen;
    double *told;
    uint64_t joined[METHOD_PARTS];
} matching;

/* told: 1 + the place of the one it is as, 0: nobody's. */
static void match_some(void *ctx, size_t part, size_t from, size_t to)
{
    matching *m = ctx;
    uint64_t joined = 0;
    for (size_t e = from; e < to; e++) {
        double traits[TRAITS] = {[VALUE] = m->seen[2 * e], [SLOPE] = m->seen[2 * e + 1]};
        size_t found = known_as(m->s, traits, m->row);
        m->told[e] = found == SIZE_MAX ? 0 : 1 + (double)found;
        if (found == SIZE_MAX) continue;
        m->s->elder[m->comp[e]] = m->s->plan.order[found] + 1;
        joined++;
    }
    m->joined[part] += joined;
}

void twins_match(inq *s, size_t count, const uint64_t *comp, const double *row, const double *seen,
                 double *told)
{
    matching m = {s, comp, row, seen, told, {0}};
    index_known(s, row);
    method_share(&s->base, count, CURVE_NUMBERS, match_some, &m);
    for (size_t k = 0; k < METHOD_PARTS; k++) twins_joined(s, m.joined[k]);
}
