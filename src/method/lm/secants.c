/* Secants of all residuals, and the generalized least-squares models that follow from them (equations: secants.h).
 * SPDX-License-Identifier: MIT */
#include "method/lm/secants.h"

#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/real.h"
#include "base/vec.h"
#include "method/lm/rules.h"

int secants_open(secants *s, method *m, size_t most, int rooted)
{
    s->n = m->n;
    s->d = m->d;
    s->most = most;
    state_count(m, "secants", &s->count, most);
    s->move = state_numbers(m, "secants.move", most * m->d);
    s->middle = state_numbers(m, "secants.middle", most * m->d);
    s->change = state_numbers(m, "secants.change", most * m->n);
    if (!rooted) return s->move && s->middle && s->change;
    s->to = state_numbers(m, "secants.to", most * m->d);
    s->value = state_numbers(m, "secants.value", most * m->n);
    s->from = state_indices(m, "secants.from", most, most);
    return s->move && s->middle && s->change && s->to && s->value && s->from;
}

/* Where the next one goes. */
static size_t place(secants *s, const double *centre, const double *metric)
{
    if (s->count < s->most) return (size_t)s->count++;
    size_t farthest = 0;
    double most = -1;
    for (size_t p = 0; p < s->most; p++) {
        double far = 0;
        for (size_t j = 0; j < s->d; j++) {
            double v = (s->middle[p * s->d + j] - centre[j]) * metric[j];
            far += v * v;
        }
        if (far > most) {
            most = far;
            farthest = p;
        }
    }
    return farthest;
}

/* The secant that led to x; most: none did. */
static size_t leads_to(const secants *s, const double *x)
{
    for (size_t p = 0; p < s->count; p++)
        if (!memcmp(s->to + p * s->d, x, s->d * sizeof *x)) return p;
    return s->most;
}

/* Both ends of secant p, which takes the place of another. */
static void keep_ends(secants *s, size_t p, size_t from, const double *b, const double *rb)
{
    for (size_t k = 0; k < s->count; k++)
        if (s->from[k] == p) s->from[k] = s->most;
    s->from[p] = from == p ? s->most : from;
    vec_copy(s->d, b, s->to + p * s->d);
    vec_copy(s->n, rb, s->value + p * s->n);
}

void secants_add(secants *s, const double *centre, const double *metric, const double *a,
                 const double *ra, const double *b, const double *rb)
{
    size_t from = s->to ? leads_to(s, a) : 0;
    size_t p = place(s, centre, metric), d = s->d, n = s->n;
    if (s->to) keep_ends(s, p, from, b, rb);
    for (size_t j = 0; j < d; j++) {
        s->move[p * d + j] = b[j] - a[j];
        s->middle[p * d + j] = 0.5 * (a[j] + b[j]);
    }
    for (size_t i = 0; i < n; i++) s->change[p * n + i] = rb[i] - ra[i];
}

/* ---- the models ------------------------------------------------------------------------------------ */

static size_t triangle(size_t d) { return d * (d + 1) / 2; }

int model_open(model *w, method *m, size_t most, int bent)
{
    size_t n = m->n, d = m->d;
    struct {
        double **at;
        size_t count;
    } all[] = {{&w->scale, d},
               {&w->u, most * d},
               {&w->m, most * d},
               {&w->gram, most * most},
               {&w->white, most * d},
               {&w->spread, d * d},
               {&w->slope, n * d},
               {&w->dual, n * most},
               {&w->weight, most},
               {&w->along, most},
               {&w->sum, triangle(d)},
               {&w->hessian, n * triangle(d)},
               {&w->pairs, most * triangle(d)}};
    w->n = n;
    w->d = d;
    for (size_t k = 0; k < sizeof all / sizeof *all - (bent ? 0 : 2); k++)
        if (!(*all[k].at = scratch_new(m, all[k].count, sizeof(double)))) return 0;
    return 1;
}

/* u, m and the lengths t (into along) of all secants. */
static void place_secants(model *w, const secants *s)
{
    size_t d = w->d;
    for (size_t p = 0; p < w->count; p++) {
        double *u = w->u + p * d, *m = w->m + p * d;
        for (size_t j = 0; j < d; j++) {
            u[j] = s->move[p * d + j] * w->scale[j];
            m[j] = (s->middle[p * d + j] - w->centre[j]) * w->scale[j];
        }
        w->along[p] = vec_norm(d, u);
        vec_scale(d, 1 / w->along[p], u);
    }
}

static double covariance(const model *w, size_t p, size_t q)
{
    size_t d = w->d;
    const double *up = w->u + p * d, *uq = w->u + q * d, *mp = w->m + p * d, *mq = w->m + q * d;
    return 0.5 * (dense_dot(d, up, uq) * dense_dot(d, mp, mq) +
                  dense_dot(d, up, mq) * dense_dot(d, mp, uq));
}

/* G with a diagonal of 1 + floor, and in weight what its rows are multiplied by. */
static void fill_gram(model *w, double noise, double floor)
{
    size_t count = w->count;
    for (size_t p = 0; p < count; p++) {
        const double *m = w->m + p * w->d;
        double t = w->along[p], far = dense_dot(w->d, m, m) + t * t / 12;
        double error = CUBIC * CUBIC * far * far + 2 * noise * noise / (t * t);
        w->weight[p] = 1 / sqrt(covariance(w, p, p) + error + 1e-300);
    }
    for (size_t p = 0; p < count; p++)
        for (size_t q = p; q < count; q++)
            w->gram[p * count + q] =
                p == q ? 1 + floor : covariance(w, p, q) * w->weight[p] * w->weight[q];
}

static void build_gram(model *w, double noise)
{
    double floor = GRAM_FLOOR;
    do {
        fill_gram(w, noise, floor);
        floor *= 1000;
    } while (dense_cholesky(w->count, w->gram) && floor < 1e6);
}

/* Y in the metric of G, and the factor of S. */
static void build_spread(model *w)
{
    size_t d = w->d, count = w->count;
    for (size_t j = 0; j < d; j++)
        for (size_t p = 0; p < count; p++) w->white[j * count + p] = w->u[p * d + j] * w->weight[p];
    dense_solve_rows(count, w->gram, d, w->white);
    double mean = 0;
    for (size_t j = 0; j < d; j++)
        for (size_t k = j; k < d; k++) {
            double v = dense_dot(count, w->white + j * count, w->white + k * count);
            w->spread[j * d + k] = v;
            if (j == k) mean += v / (double)d;
        }
    for (size_t j = 0; j < d; j++) w->spread[j * d + j] += SLOPE_FLOOR * mean + 1e-300;
    dense_cholesky(d, w->spread);
}

/* J_i and l_i of all residuals. */
static void build_slopes(model *w, const secants *s)
{
    size_t n = w->n, d = w->d, count = w->count;
    for (size_t i = 0; i < n; i++)
        for (size_t p = 0; p < count; p++)
            w->dual[i * count + p] = s->change[p * n + i] / w->along[p] * w->weight[p];
    dense_solve_rows(count, w->gram, n, w->dual);
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        double *l = w->dual + i * count, *slope = w->slope + i * d;
        dense_times(d, count, w->white, count, l, slope);
        dense_solve_down(d, w->spread, slope);
        dense_solve_up(d, w->spread, slope);
        for (size_t j = 0; j < d; j++) dense_add(count, -slope[j], w->white + j * count, l);
        squares += dense_dot(count, l, l);
        dense_solve_up(count, w->gram, l);
        for (size_t p = 0; p < count; p++) l[p] *= w->weight[p];
    }
    w->bend = count ? squares / (double)count / (double)n : 0;
}

/* H_i = sum_p l_ip (u_p m_p' + m_p u_p')/2 of all residuals. */
static void build_hessians(model *w)
{
    size_t d = w->d, many = triangle(d);
    if (!w->hessian) return;
    for (size_t p = 0; p < w->count; p++) {
        const double *u = w->u + p * d, *m = w->m + p * d;
        double *row = w->pairs + p * many;
        for (size_t j = 0; j < d; j++)
            for (size_t k = j; k < d; k++) *row++ = 0.5 * (u[j] * m[k] + m[j] * u[k]);
    }
    dense_job job = {.m = w->n,
                     .n = many,
                     .depth = w->count,
                     .by = 1,
                     .a = {w->dual, w->count, 1},
                     .b = {w->pairs, many, 1},
                     .c = w->hessian,
                     .step = many,
                     .part = DENSE_ALL,
                     .fresh = 1};
    dense_product(&job);
}

void model_build(model *w, const secants *s, const double *centre, const double *r,
                 const double *metric, double radius, double noise)
{
    w->count = (size_t)s->count;
    w->centre = centre;
    w->r = r;
    for (size_t j = 0; j < w->d; j++) w->scale[j] = metric[j] / radius;
    place_secants(w, s);
    build_gram(w, noise);
    build_spread(w);
    build_slopes(w, s);
    build_hessians(w);
}

/* H y, H a packed upper triangle. */
static void times_packed(size_t d, const double *h, const double *y, double *out)
{
    vec_zero(d, out);
    for (size_t j = 0; j < d; j++) {
        double here = *h++ * y[j];
        for (size_t k = j + 1; k < d; k++, h++) {
            here += *h * y[k];
            out[k] += *h * y[j];
        }
        out[j] += here;
    }
}

void model_at(model *w, const double *y, double *r, double *slope)
{
    size_t n = w->n, d = w->d, many = triangle(d);
    if (!slope) { /* y'Hy/2 is a product of the packed triangle with one of y */
        double *at = w->sum;
        for (size_t j = 0; j < d; j++)
            for (size_t k = j; k < d; k++) *at++ = y[j] * y[k] * (j == k ? 0.5 : 1);
        for (size_t i = 0; i < n; i++) {
            double bent = w->hessian ? dense_dot(many, w->hessian + i * many, w->sum) : 0;
            r[i] = w->r[i] + dense_dot(d, w->slope + i * d, y) + bent;
        }
        return;
    }
    for (size_t i = 0; i < n; i++) {
        double *to = slope + i * d, flat = dense_dot(d, w->slope + i * d, y);
        vec_zero(d, to);
        if (w->hessian) times_packed(d, w->hessian + i * many, y, to);
        r[i] = w->r[i] + flat + 0.5 * dense_dot(d, to, y);
        dense_add(d, 1, w->slope + i * d, to);
    }
}

void model_bends(model *w, const double *by, double *matrix)
{
    size_t d = w->d, many = triangle(d);
    if (!w->hessian) return;
    vec_zero(many, w->sum);
    dense_across(w->n, many, w->hessian, many, by, w->sum);
    const double *at = w->sum;
    for (size_t j = 0; j < d; j++)
        for (size_t k = j; k < d; k++) matrix[j * d + k] += *at++;
}

double model_unknown(const model *w, size_t count, double *rows)
{
    double largest = 0;
    for (size_t k = 0; k < count; k++) {
        double *v = rows + k * w->d, size = 0;
        for (size_t j = 0; j < w->d; j++) v[j] = 1 + 0.3 * real_sin((double)(j * (k + 1)) + 1);
        for (int turn = 0; turn < POWER_STEPS; turn++) {
            dense_solve_down(w->d, w->spread, v);
            dense_solve_up(w->d, w->spread, v);
            for (size_t before = 0; before < k; before++) {
                const double *other = rows + before * w->d;
                vec_add(w->d, -vec_dot(w->d, other, v), other, v);
            }
            size = vec_norm(w->d, v);
            if (!(size > 0 && isfinite(size))) return largest;
            vec_scale(w->d, 1 / size, v);
        }
        if (k == 0) largest = size;
    }
    return largest;
}
