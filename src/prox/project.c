/* The nearest point of a set of linear equations, inequalities and bounds.
 * SPDX-License-Identifier: MIT
 *
 *     min |x - v|^2/2   with   a_k'x = b_k or a_k'x <= b_k,   lo <= x <= hi
 *
 * by the dual active-set method of Goldfarb and Idnani (Math. Programming 27,
 * 1983): begin at x = v and no constraints, and take in the one that is
 * violated most. With n its inward normal, N those that are active and r = N^+
 * n, x moves along z = n - N r, and the multipliers u along -r; one that would
 * become negative leaves. Each step raises the least value, so there are
 * finitely many, and a constraint that nobody can make room for shows that the
 * set is empty. A bound that is active takes its coordinate out of everything
 * else: what is factored is A A' of the active rows over the free coordinates,
 * q x q numbers for q rows, however many bounds there are. Every sum has one
 * order: the same bytes everywhere. */
#include "prox/project.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "base/vec.h"

static const double met = 1e-13;       /* of |a| |x| + |b|: a row holds */
static const double cancelled = 1e-3;  /* of |a|^2: so much is left of it */
static const double dependent = 1e-11; /* of |n|^2: nothing of n is left beside the active ones */

typedef struct state {
    const linear_set *s;
    size_t d, m, q; /* q rows are active: independent, so no more than d */
    double length;  /* |x| */
    double *x, *z, *w;
    double *fixed;         /* d: 0 free, -1 at lo, 1 at hi */
    double *pull;          /* d: multipliers of active bounds */
    double *norm;          /* m: |a| */
    double *at;            /* m: 1 + place among the active; 0: not active */
    double *active;        /* of rows, by place: their numbers, */
    double *sign;          /* 1 or -1 times a is the inward normal, */
    double *u, *r;         /* multipliers, and how they change */
    size_t stride;         /* the most that q may be */
    double *gram, *factor; /* q x q, over the free coordinates */
} state;

size_t project_work(size_t d, size_t m)
{
    size_t q = m < d ? m : d;
    return 5 * d + 2 * m + 4 * q + 2 * q * q;
}

static state open_state(const linear_set *s, double *work)
{
    size_t d = s->d, m = s->m, q = m < d ? m : d;
    state p = {.s = s, .d = d, .m = m, .stride = q};
    double **parts[] = {&p.x,      &p.z,    &p.w, &p.fixed, &p.pull, &p.norm,  &p.at,
                        &p.active, &p.sign, &p.u, &p.r,     &p.gram, &p.factor};
    size_t sizes[] = {d, d, d, d, d, m, m, q, q, q, q, q * q, q * q};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        *parts[k] = work;
        work += sizes[k];
    }
    for (size_t k = 0; k < m; k++) {
        p.norm[k] = vec_norm(d, s->row(s->ctx, k).a);
        p.at[k] = 0;
    }
    vec_zero(d, p.fixed);
    vec_zero(d, p.pull);
    return p;
}

static linear_row row_of(const state *p, size_t place)
{
    return p->s->row(p->s->ctx, (size_t)p->active[place]);
}

/* ---- A A' over the free coordinates
 * ------------------------------------------------------------------- */

static double free_dot(const state *p, const double *a, const double *b)
{
    double s = 0;
    for (size_t j = 0; j < p->d; j++) s += p->fixed[j] == 0 ? a[j] * b[j] : 0;
    return s;
}

/* The row and column of one that is active. */
static void fill_gram(state *p, size_t k)
{
    for (size_t e = 0; e < p->q; e++) {
        double dot = p->sign[k] * p->sign[e] * free_dot(p, row_of(p, k).a, row_of(p, e).a);
        p->gram[k * p->stride + e] = p->gram[e * p->stride + k] = dot;
    }
}

/* Coordinate j is not free any more (more = -1), or again (1). Where that
 * cancels most of a number, it is made anew. */
static void change_gram(state *p, size_t j, double more)
{
    for (size_t k = 0; k < p->q; k++)
        for (size_t e = 0; e < p->q; e++)
            p->gram[k * p->stride + e] +=
                more * p->sign[k] * p->sign[e] * row_of(p, k).a[j] * row_of(p, e).a[j];
    for (size_t k = 0; more < 0 && k < p->q; k++) {
        double norm = p->norm[(size_t)p->active[k]];
        if (p->gram[k * p->stride + k] < cancelled * norm * norm) fill_gram(p, k);
    }
}

/* Cholesky's factor. The active rows are independent: a pivot that rounding has
 * made 0 is made small. */
static void factor(state *p)
{
    size_t n = p->stride;
    double *l = p->factor;
    for (size_t k = 0; k < p->q; k++)
        for (size_t e = 0; e <= k; e++) {
            double sum = p->gram[k * n + e];
            for (size_t c = 0; c < e; c++) sum -= l[k * n + c] * l[e * n + c];
            if (e < k)
                l[k * n + e] = sum / l[e * n + e];
            else
                l[k * n + k] = sqrt(fmax(sum, DBL_EPSILON * p->gram[k * n + k]) + DBL_MIN);
        }
}

static void solve(const state *p, double *r)
{
    size_t n = p->stride;
    const double *l = p->factor;
    for (size_t k = 0; k < p->q; k++) {
        for (size_t c = 0; c < k; c++) r[k] -= l[k * n + c] * r[c];
        r[k] /= l[k * n + k];
    }
    for (size_t k = p->q; k-- > 0;) {
        for (size_t c = k + 1; c < p->q; c++) r[k] -= l[c * n + k] * r[c];
        r[k] /= l[k * n + k];
    }
}

/* ---- What is violated most
 * -----------------------------------------------------------------------------
 */

typedef struct violation {
    size_t row, axis; /* one of them, the other SIZE_MAX */
    double sign;      /* times a, or e_axis: the inward normal */
    double by;        /* how much is missing, of the row as it is */
    double size;      /* the same in units of length */
} violation;

static violation none(void) { return (violation){SIZE_MAX, SIZE_MAX, 0, 0, 0}; }

/* a'x less b, and how much of it is rounding. */
static double excess(const state *p, size_t k, double *slack)
{
    linear_row row = p->s->row(p->s->ctx, k);
    *slack = met * (p->norm[k] * p->length + fabs(row.b));
    return vec_dot(p->d, row.a, p->x) - row.b;
}

static void look_at_row(const state *p, size_t k, violation *worst)
{
    double slack, over = excess(p, k, &slack);
    int equal = p->s->row(p->s->ctx, k).equal;
    double by = equal ? fabs(over) : over, size = by / fmax(p->norm[k], DBL_MIN);
    if (p->at[k] != 0 || !(by > slack) || !(size > worst->size)) return;
    *worst = (violation){k, SIZE_MAX, over > 0 ? -1 : 1, by, size};
}

static void look_at_axis(const state *p, size_t j, violation *worst)
{
    double under = p->s->lo[j] - p->x[j], over = p->x[j] - p->s->hi[j], by = fmax(under, over);
    if (p->fixed[j] != 0 || !(by > 0) || !(by > worst->size)) return;
    *worst = (violation){SIZE_MAX, j, under > over ? 1 : -1, by, by};
}

/* Equations come first, so that none is ever left. */
static violation find_worst(state *p)
{
    violation worst = none();
    p->length = vec_norm(p->d, p->x);
    for (int equal = 1; equal >= 0; equal--) {
        for (size_t k = 0; k < p->m; k++)
            if (p->s->row(p->s->ctx, k).equal == equal) look_at_row(p, k, &worst);
        if (worst.size > 0) return worst;
    }
    for (size_t j = 0; j < p->d; j++) look_at_axis(p, j, &worst);
    return worst;
}

/* ---- One step
 * -------------------------------------------------------------------------------------------
 */

static void put_normal(const state *p, const violation *c, double *n)
{
    vec_zero(p->d, n);
    if (c->row == SIZE_MAX)
        n[c->axis] = c->sign;
    else
        vec_add(p->d, c->sign, p->s->row(p->s->ctx, c->row).a, n);
}

/* r = N^+ n of the rows, w = n - A'r whose free part is z, and whose other part
 * is r of the bounds. */
static double find_direction(state *p, const violation *c)
{
    put_normal(p, c, p->w);
    for (size_t k = 0; k < p->q; k++) p->r[k] = p->sign[k] * free_dot(p, row_of(p, k).a, p->w);
    solve(p, p->r);
    for (size_t k = 0; k < p->q; k++) vec_add(p->d, -p->r[k] * p->sign[k], row_of(p, k).a, p->w);
    double along = 0; /* z'n = z'z */
    for (size_t j = 0; j < p->d; j++) {
        p->z[j] = p->fixed[j] == 0 ? p->w[j] : 0;
        along += p->z[j] * p->z[j];
    }
    return along;
}

/* How r changes the multiplier of the bound at coordinate j: the normal there
 * is e_j at lo, -e_j at hi. */
static double bound_rate(const state *p, size_t j) { return -p->fixed[j] * p->w[j]; }

typedef struct leaving {
    size_t place, axis; /* of the rows, or the coordinate of a bound; SIZE_MAX: not this */
    double t;
} leaving;

/* Who is the first whose multiplier becomes 0? */
static leaving find_leaving(const state *p)
{
    leaving first = {SIZE_MAX, SIZE_MAX, INFINITY};
    for (size_t k = 0; k < p->q; k++)
        if (!row_of(p, k).equal && p->r[k] > 0 && p->u[k] / p->r[k] < first.t)
            first = (leaving){k, SIZE_MAX, p->u[k] / p->r[k]};
    for (size_t j = 0; j < p->d; j++) {
        double rate = p->fixed[j] != 0 ? bound_rate(p, j) : 0;
        if (rate > 0 && p->pull[j] / rate < first.t)
            first = (leaving){SIZE_MAX, j, p->pull[j] / rate};
    }
    return first;
}

static void drop_row(state *p, size_t place)
{
    size_t n = p->stride;
    p->at[(size_t)p->active[place]] = 0;
    p->q--;
    for (size_t k = place; k < p->q; k++) {
        p->active[k] = p->active[k + 1];
        p->sign[k] = p->sign[k + 1];
        p->u[k] = p->u[k + 1];
        p->at[(size_t)p->active[k]] = (double)(k + 1);
    }
    for (size_t k = 0; k < p->q; k++)
        for (size_t e = 0; e < p->q; e++)
            p->gram[k * n + e] = p->gram[(k + (k >= place)) * n + e + (e >= place)];
}

static void drop(state *p, const leaving *l)
{
    if (l->axis == SIZE_MAX) {
        drop_row(p, l->place);
    } else {
        p->fixed[l->axis] = p->pull[l->axis] = 0;
        change_gram(p, l->axis, 1);
    }
    factor(p);
}

/* Where v is far away a step leaves what its rounding is there: x goes onto the
 * active rows once more. */
static void correct(state *p)
{
    for (size_t k = 0; k < p->q; k++) {
        linear_row row = row_of(p, k);
        p->r[k] = p->sign[k] * (row.b - vec_dot(p->d, row.a, p->x));
    }
    solve(p, p->r);
    for (size_t k = 0; k < p->q; k++) {
        const double *a = row_of(p, k).a;
        for (size_t j = 0; j < p->d; j++)
            if (p->fixed[j] == 0) p->x[j] += p->r[k] * p->sign[k] * a[j];
    }
}

static void take_in(state *p, const violation *c, double multiplier)
{
    if (c->row == SIZE_MAX) {
        p->fixed[c->axis] = -c->sign;
        p->pull[c->axis] = multiplier;
        p->x[c->axis] = c->sign > 0 ? p->s->lo[c->axis] : p->s->hi[c->axis];
        change_gram(p, c->axis, -1);
    } else {
        p->active[p->q] = (double)c->row;
        p->sign[p->q] = c->sign;
        p->u[p->q++] = multiplier;
        p->at[c->row] = (double)p->q;
        fill_gram(p, p->q - 1);
    }
    factor(p);
    correct(p);
}

static void move(state *p, double t, double along)
{
    if (along > 0) vec_add(p->d, t, p->z, p->x);
    for (size_t k = 0; k < p->q; k++) p->u[k] -= t * p->r[k];
    for (size_t j = 0; j < p->d; j++)
        if (p->fixed[j] != 0) p->pull[j] -= t * bound_rate(p, j);
}

static double missing(const state *p, const violation *c)
{
    if (c->row == SIZE_MAX)
        return c->sign > 0 ? p->s->lo[c->axis] - p->x[c->axis] : p->x[c->axis] - p->s->hi[c->axis];
    double slack;
    return -c->sign * excess(p, c->row, &slack);
}

/* The active rows are independent over the free coordinates: as many as these leave no room, whatever rounding says. */
static int is_full(const state *p)
{
    size_t left = 0;
    for (size_t j = 0; j < p->d; j++) left += p->fixed[j] == 0;
    return p->q >= left;
}

/* Takes c in, whatever has to leave for it. 0: nothing can make room, the set
 * is empty. */
static int satisfy(state *p, const violation *c)
{
    double multiplier = 0, size = c->row == SIZE_MAX ? 1 : p->norm[c->row] * p->norm[c->row];
    for (size_t turn = 0; turn <= p->m + p->d; turn++) {
        double along = find_direction(p, c);
        if (along <= dependent * size || is_full(p)) along = 0;
        leaving l = find_leaving(p);
        double full = along > 0 ? fmax(missing(p, c), 0) / along : INFINITY, t = fmin(full, l.t);
        if (isinf(t)) return 0;
        move(p, t, along);
        multiplier += t;
        if (full <= l.t) {
            take_in(p, c, multiplier);
            return 1;
        }
        drop(p, &l);
    }
    return 0;
}

int project(const linear_set *s, const double *v, double *x, double *work)
{
    state p = open_state(s, work);
    vec_copy(s->d, v, p.x);
    for (size_t turn = 0; turn < 20 * (s->m + s->d) + 100; turn++) {
        violation worst = find_worst(&p);
        if (!(worst.size > 0)) break;
        if (!satisfy(&p, &worst)) return 0;
    }
    for (size_t j = 0; j < s->d; j++) x[j] = fmin(fmax(p.x[j], s->lo[j]), s->hi[j]);
    return 1;
}
