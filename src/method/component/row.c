/* inq: own directions, whole or short.
 * SPDX-License-Identifier: MIT
 *
 * A component that does not depend on x_j changes along axis j by the ridge alone: of the difference gradient J nothing
 * but rounding is left there when mu z_j, and mu r/2 for forward differences, are taken out. Where that is so of three
 * quarters of the coordinates, as with sparse data, the row is short: the numbers that are not 0, and behind them their
 * coordinates. Then everything that is done with the row costs as much less, its square in the matrix most of all.
 *
 * What is 0 stays 0: mu may change later, but where nothing was left the component is known not to see x_j. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/vec.h"
#include "method/component/row.h"

/* row = row/|row|, returns |row| */
static double normalize(size_t d, double *row)
{
    double size = vec_norm(d, row);
    if (size > 0) vec_scale(d, 1 / size, row);
    return size;
}

/* Coordinates of a slope at z, the ridge taken out, that stand above least and the error of mu z_j; half: of what forward
 * differences take for slope. Into seen; more than most: not few, or not known. Where some hardly stand out, as in all of a
 * component whose slope has died out, others may be as large, and none is known to be 0. */
static size_t find_seen(const inq *s, const double *slope, const double *z, double least,
                        double half)
{
    double r = method_radius(&s->base, 1), mu = s->ridge.mu;
    size_t count = 0, faint = 0, most = inq_few(s);
    for (size_t j = 0; j < s->base.d && count <= most; j++) {
        double error = least + ridge_off * mu * fabs(z[j]),
               size = fabs(slope[j] - half * mu * method_reach(&s->base, z, j, r));
        s->seen[count] = (uint32_t)j;
        faint += size > error && size < row_clear * error;
        count += !(size <= error);
    }
    return faint ? most + 1 : count;
}

/* So many numbers on i's shelf, from the beginning of a line on; IN_ROWS: it is full. Several threads may ask at once: where a row
 * lies has no say in anything. */
static uint32_t take(const inq *s, uint64_t i, size_t numbers)
{
    size_t size = inq_lines(numbers);
    _Atomic uint32_t *end = &s->shelf[inq_block(s, i)].end;
    uint32_t at = atomic_load_explicit(end, memory_order_relaxed);
    do
        if (at + size > inq_shelf_size(s, i)) return IN_ROWS;
    while (!atomic_compare_exchange_weak(end, &at, at + (uint32_t)size));
    return at;
}

/* Room for a row of so many numbers, or where these are not few for a whole one; where there is none the component has no
 * direction, and the run is over for inq. */
static own_row claim(inq *s, uint64_t i, size_t count)
{
    size_t few = inq_few(s), before = inq_kept(s, i);
    int fits = count <= few || s->row, moves = count <= few && (before > few || count > before);
    size_t size = inq_short_size(count);
    if (moves && s->dense) s->shelf[inq_at(s, i)].at = take(s, i, size);
    if (moves && s->pool) {
        fits = s->store.used + size <= inq_short_size(s->entries);
        s->slot[i] = fits ? s->store.used : 0;
        s->store.used += fits ? size : 0;
    }
    if (!fits) s->store.full = 1;
    s->kept[inq_at(s, i)] = (double)(!fits ? 0 : count <= few ? count : s->base.d);
    return row_of(s, i);
}

/* Row i = slope, all of it or where it was seen; returns its length. */
static double keep_row(inq *s, uint64_t i, const double *slope, size_t count)
{
    own_row r = claim(s, i, count);
    if (!r.place) vec_copy(r.count, slope, r.u);
    for (size_t k = 0; k < r.count && r.place; k++) r.u[k] = slope[r.place[k] = s->seen[k]];
    return normalize(r.count, r.u);
}

double inq_learn_row(inq *s, uint64_t i, const double *answers)
{
    const zo_fan *fan = &s->base.fan;
    double least = roundings * DBL_EPSILON * fabs(answers[0]) / (fan->sides * fan->radius);
    read_slopes(fan, answers, 0, 0, s->base.d, s->work);
    for (size_t j = 0; j < s->base.d && fan->sides == 2; j++) { /* x + r is rounded */
        double x = inq_place(s)[j], r = fan->radius;
        s->work[j] *= 2 * r / ((x + r) - (x - r));
    }
    vec_add(s->base.d, -s->ridge.mu, inq_place(s), s->work);
    size_t count = find_seen(s, s->work, inq_place(s), least, fan->sides == 1 ? 0.5 : 0);
    return keep_row(s, i, s->work, count);
}

double inq_take_row(inq *s, uint64_t i, const double *slope)
{
    return keep_row(s, i, slope, s->base.d);
}

enum { BITS = 64, BIT_WORDS = 64 };

/* Short rows are in the order of their coordinates, which is that of bits. */
static void put_by_bits(size_t d, const recovered *g, own_row r)
{
    double *work = g->work;
    uint64_t bit[BIT_WORDS];
    size_t words = (d + BITS - 1) / BITS, at = 0;
    memset(bit, 0, words * sizeof *bit);
    for (size_t k = 0; k < g->count; k++) {
        bit[g->place[k] / BITS] |= (uint64_t)1 << g->place[k] % BITS;
        work[g->place[k]] = g->slope[k];
    }
    for (size_t k = 0; k < words; k++)
        for (uint64_t left = bit[k]; left; left &= left - 1, at++) {
            r.place[at] = (uint32_t)(BITS * k) + (uint32_t)__builtin_ctzll(left);
            r.u[at] = work[r.place[at]];
        }
}

/* The same where there are many more coordinates than entries. */
static void put_one_by_one(const recovered *g, own_row r)
{
    for (size_t k = 0; k < g->count; k++) {
        size_t at = k;
        for (; at > 0 && r.place[at - 1] > g->place[k]; at--) {
            r.place[at] = r.place[at - 1];
            r.u[at] = r.u[at - 1];
        }
        r.place[at] = g->place[k];
        r.u[at] = g->slope[k];
    }
}

double inq_put_row(inq *s, uint64_t i, const recovered *g)
{
    size_t d = s->base.d;
    own_row r = claim(s, i, g->count);
    if (!r.place) {
        vec_zero(d, r.u);
        for (size_t k = 0; k < g->count; k++) r.u[g->place[k]] = g->slope[k];
    } else if (r.count == g->count && d <= BITS * BIT_WORDS) {
        put_by_bits(d, g, r);
    } else if (r.count == g->count) { /* there was room for it */
        put_one_by_one(g, r);
    }
    return normalize(r.count, r.u);
}

void inq_row_put(const inq *s, uint64_t i, double scale, double *to)
{
    own_row r = row_of(s, i);
    if (r.place) {
        vec_zero(s->base.d, to);
        for (size_t k = 0; k < r.count; k++) to[r.place[k]] = scale * r.u[k];
        return;
    }
    for (size_t j = 0; j < r.count; j++) to[j] = scale * r.u[j];
}

/* Of a row that has been short only what it had is taken out. */
static void clear_row(size_t d, const zo_sparse *was, double *row)
{
    if (!was->place) vec_zero(d, row);
    for (size_t k = 0; k < was->count; k++) row[was->place[k]] = 0;
}

void inq_row_show(const inq *s, uint64_t i, double scale, size_t e)
{
    own_row r = row_of(s, i);
    double *to = s->own + e * s->base.d, *value = s->values + e * inq_few(s);
    uint32_t *place = s->places + e * inq_few(s);
    zo_sparse *list = &s->list_of[e];
    if (!r.place) {
        inq_row_put(s, i, scale, to);
        *list = (zo_sparse){0};
        return;
    }
    clear_row(s->base.d, list, to);
    for (size_t k = 0; k < r.count; k++) {
        place[k] = r.place[k];
        to[place[k]] = value[k] = scale * r.u[k];
    }
    *list = (zo_sparse){r.count, place, value};
}

double inq_row_error(const inq *s, uint64_t i, double r, double far, double f, double bend)
{
    double lost = inq_is_short(s, i) ? ridge_off * s->ridge.mu * far : 0;
    if (s->base.set.sides == 1) lost += bend_off * r * fabs(bend);
    return DBL_EPSILON * fabs(f) * sqrt((double)s->base.d) / r + lost;
}

/* If J_j = (r/2) h'' a_j^2 and no more, |a_j| = sqrt(c |u_j|) with c = 2 |J|/(r h''), and the bend along u_i is
 *
 *     B = h'' (a'u)^2 = (2 |J|/r) (sum_j +-|u_j|^(3/2))^2,
 *
 * where the sum is at least its largest term less all the others: |J| <= r B/(2 sum^2). */
double inq_row_bent(const inq *s, uint64_t i)
{
    own_row r = row_of(s, i);
    double sum = 0, most = 0;
    for (size_t k = 0; k < r.count; k++) {
        double u = fabs(r.u[k]), term = u * sqrt(u);
        sum += term;
        most = fmax(most, term);
    }
    double least = 2 * most - sum;
    return least > 0 ? fmin(0.5 / (least * least), bent_axes) : bent_axes;
}

void inq_row_square(const inq *s, uint64_t i, double weight, gram *g)
{
    own_row r = row_of(s, i);
    gram_add(g, weight, r.count, r.u, r.place);
}

/* What a forward difference takes for slope, (r/2) times the bend along each axis, is taken out again. */
double inq_row_unbias(inq *s, uint64_t i, double radius, double size, double bend)
{
    own_row r = row_of(s, i);
    double mu = s->ridge.mu;
    for (size_t k = 0; k < r.count; k++) {
        double half = 0.5 * method_reach(&s->base, inq_place(s), r.place ? r.place[k] : k, radius);
        r.u[k] = size * r.u[k] - half * (bend * r.u[k] * r.u[k] + mu);
    }
    return normalize(r.count, r.u);
}

/* A whole row may be short with the true mu. */
double inq_row_change(inq *s, uint64_t i, double scale, double more, const double *z)
{
    own_row r = row_of(s, i);
    double least = roundings * DBL_EPSILON * fabs(inq_curve(s, i)->f) / method_radius(&s->base, 1);
    double *to = r.place ? r.u : s->work; /* a short one may be put where the whole one is */
    for (size_t k = 0; k < r.count; k++)
        to[k] = scale * r.u[k] + more * z[r.place ? r.place[k] : k];
    if (r.place) return normalize(r.count, r.u);
    return keep_row(s, i, to, find_seen(s, to, z, least, 0));
}

void inq_row_pack(const inq *s, uint64_t i, double *to)
{
    own_row r = row_of(s, i);
    *to++ = (double)r.count;
    vec_copy(r.count, r.u, to);
    for (size_t k = 0; k < r.count && r.place; k++) to[r.count + k] = r.place[k];
}

void inq_row_unpack(inq *s, uint64_t i, const double *from)
{
    size_t count = (size_t)*from++;
    own_row r = claim(s, i, count);
    if (r.count != count) return; /* there was no room for it */
    vec_copy(count, from, r.u);
    for (size_t k = 0; k < count && r.place; k++) r.place[k] = (uint32_t)from[count + k];
}

int inq_rows_whole(const inq *s, uint64_t first, size_t count)
{
    for (size_t e = 0; e < count; e++)
        if (inq_is_short(s, first + e)) return 0;
    return 1;
}

int inq_rows_fit(inq *s)
{
    double numbers = 0, size = (double)s->sample.filled;
    if (!s->pool || s->row) return 1;
    for (uint64_t k = 0; k < s->sample.filled; k++)
        numbers += (double)inq_kept(s, s->plan.order[k]);
    return !s->store.full && numbers / size * (double)s->base.n <= (double)s->entries;
}

int inq_widen(inq *s)
{
    if (!s->row) return 0;
    for (uint64_t i = s->base.first; i < inq_end(s); i++) {
        if (inq_curve(s, i)->point > 0 && inq_is_short(s, i)) {
            inq_row_put(s, i, 1, s->work); /* not where a short one may be */
            vec_copy(s->base.d, s->work, inq_row(s, i));
        }
        s->kept[inq_at(s, i)] = (double)s->base.d;
    }
    return 1;
}
