/* Signs of residuals of which only the squares are told (equations: signs.h).
 * SPDX-License-Identifier: MIT */
#include "method/lm/signs.h"

#include <math.h>

#include "base/dense.h"
#include "base/real.h"
#include "base/vec.h"
#include "method/lm/rules.h"

int signs_open(signs *w, method *m, size_t most)
{
    size_t d = m->d;
    w->v = scratch_new(m, most * most, sizeof(double));
    w->z = scratch_new(m, most * d, sizeof(double));
    w->by_v = scratch_new(m, most * most, sizeof(double));
    w->by_z = scratch_new(m, most * d, sizeof(double));
    w->own = scratch_new(m, most, sizeof(double));
    w->slope = scratch_new(m, most, sizeof(double));
    w->pull = scratch_new(m, most, sizeof(double));
    w->across = scratch_new(m, d, sizeof(double));
    return w->v && w->z && w->by_v && w->by_z && w->own && w->slope && w->pull && w->across;
}

/* V and Z from the factors of G and S. */
static void build_root(signs *w, const model *m)
{
    size_t count = m->count, d = m->d;
    vec_zero(count * count, w->v);
    for (size_t p = 0; p < count; p++) w->v[p * count + p] = m->weight[p];
    dense_solve_rows(count, m->gram, count, w->v);
    for (size_t p = 0; p < count; p++)
        dense_times(d, count, m->white, count, w->v + p * count, w->z + p * d);
    dense_solve_rows(d, m->spread, count, w->z);
}

/* Secant p has the part e in e_k. */
static void add_to_flip(signs *w, const model *m, size_t p, size_t k, double e)
{
    dense_add(m->count, e, w->v + p * m->count, w->by_v + k * m->count);
    dense_add(m->d, e, w->z + p * m->d, w->by_z + k * m->d);
}

static void build_flips(signs *w, const model *m, const secants *s)
{
    size_t count = m->count, d = m->d;
    vec_zero(count * count, w->by_v);
    vec_zero(count * d, w->by_z);
    for (size_t p = 0; p < count; p++) {
        add_to_flip(w, m, p, p, 1 / m->along[p]);
        if (s->from[p] < count) add_to_flip(w, m, p, s->from[p], -1 / m->along[p]);
    }
    for (size_t k = 0; k < count; k++) {
        const double *v = w->by_v + k * count, *z = w->by_z + k * d;
        w->own[k] = dense_dot(count, v, v) - dense_dot(d, z, z);
    }
}

/* e_k'l_i for all k. */
static void build_pulls(signs *w, const model *m, const secants *s)
{
    vec_zero(m->count, w->pull);
    for (size_t p = 0; p < m->count; p++) {
        double v = w->slope[p] / m->along[p];
        w->pull[p] += v;
        if (s->from[p] < m->count) w->pull[s->from[p]] -= v;
    }
}

static void turn(signs *w, const model *m, secants *s, size_t i, size_t k)
{
    size_t n = s->n, count = m->count, d = m->d;
    double r = s->value[k * n + i];
    s->value[k * n + i] = -r;
    for (size_t p = 0; p < count; p++) {
        w->slope[p] -= 2 * r *
                       (dense_dot(count, w->v + p * count, w->by_v + k * count) -
                        dense_dot(d, w->z + p * d, w->by_z + k * d));
        if (p == k) s->change[p * n + i] -= 2 * r;
        if (s->from[p] == k) s->change[p * n + i] += 2 * r;
    }
}

/* The one that makes Q_i smallest, again and again. */
static int revise(signs *w, const model *m, secants *s, size_t i)
{
    size_t count = m->count;
    double squares = 0;
    vec_copy(count, m->dual + i * count, w->slope);
    for (size_t p = 0; p < count; p++)
        squares += w->slope[p] * s->change[p * s->n + i] / m->along[p];
    int turned = 0;
    for (; turned < SIGNS_TURNED; turned++) {
        size_t best = count;
        double least = -SIGN_SURE * squares;
        build_pulls(w, m, s);
        for (size_t k = 0; k < count; k++) {
            double r = s->value[k * s->n + i], change = 4 * r * (r * w->own[k] - w->pull[k]);
            if (!(change < least)) continue;
            least = change;
            best = k;
        }
        if (best == count) break;
        turn(w, m, s, i, best);
        squares += least;
    }
    return turned > 0;
}

int signs_revise(signs *w, const model *m, secants *s)
{
    int revised = 0;
    build_root(w, m);
    build_flips(w, m, s);
    for (size_t i = 0; i < s->n; i++) revised |= revise(w, m, s, i);
    return revised;
}

/* Q of f_i = r_i^2/2, by the same P; and the mean log of |r_i|. */
static double squares_of_f(signs *w, const model *m, const secants *s, size_t i, double *logs)
{
    size_t count = m->count, d = m->d, n = s->n;
    double *v = w->slope, *z = w->across, top = 0;
    vec_zero(count, v);
    vec_zero(d, z);
    for (size_t p = 0; p < count; p++) top = fmax(top, fabs(s->value[p * n + i]));
    *logs = 0;
    for (size_t p = 0; p < count; p++) {
        double b = s->value[p * n + i], a = b - s->change[p * n + i];
        double slope = 0.5 * (b - a) * (b + a) / m->along[p];
        dense_add(count, slope, w->v + p * count, v);
        dense_add(d, slope, w->z + p * d, z);
        *logs += real_log(fmax(fabs(b), LEAST_ROOT * top)) / (double)count;
    }
    return dense_dot(count, v, v) - dense_dot(d, z, z);
}

double signs_evidence(signs *w, const model *m, const secants *s)
{
    double sum = 0, used = 0;
    build_root(w, m);
    for (size_t i = 0; i < s->n; i++) {
        double logs, squares = 0, of_f = squares_of_f(w, m, s, i, &logs);
        for (size_t p = 0; p < m->count; p++)
            squares += m->dual[i * m->count + p] * s->change[p * s->n + i] / m->along[p];
        if (!(of_f > 0 && squares > 0 && isfinite(logs))) continue;
        sum += 0.5 * real_log(of_f / squares) - logs;
        used++;
    }
    return used > 0 ? sum / used : 0;
}
