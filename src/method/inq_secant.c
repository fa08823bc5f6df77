/* inq where components see x through more than one index: stored gradients and secants.
 * SPDX-License-Identifier: MIT
 *
 * Each component keeps its gradient J_i at the point z_i where it was last asked in full, and a vector Z_i: whenever it
 * is asked again at x, with D = x - z_i and Y = J_new - J_i - mu D,
 *
 *     Z_i = Y/sqrt(D'Y)    (kept as it was unless D'Y > 1e-3 |D||Y|)
 *
 * so that Z_i Z_i' D = Y, and for convex f_i never more than its Hessian. The model of the sum is
 *
 *     g = mean J_i + (Z_i Z_i' + mu)(x - z_i),   M = gam mean Z_i Z_i' + mu I, then BFGS's updates by mean secants
 *
 * with gam and mu from second differences of a few components along directions where mean Z_i Z_i' is weak, and strong. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/blas.h"
#include "base/rng.h"
#include "base/vec.h"
#include "method/inq.h"
#include "prox/prox.h"

enum { SCALED = 256 }; /* components that the scale is measured on, at most */

static const double *point_of(const inq *s, uint64_t i)
{
    return s->point + (((size_t)s->curves[i].point - 1) % POINTS) * s->base.d;
}

static float *secant_of(inq *s, uint64_t i) { return s->secant + (size_t)i * s->base.d; }
static int has_secant(const inq *s, uint64_t i) { return s->curves[i].held > 0; }

/* From own directions to gradients and secants: J_i = size u_i + mu z_i, Z_i = sqrt(bend) u_i. */
void inq_enter_secants(inq *s)
{
    method *m = &s->base;
    for (uint64_t k = 0; k < s->at->filled; k++) {
        uint64_t i = s->order[k];
        curve *c = &s->curves[i];
        double *row = inq_row(s, i), w = sqrt(fmax(c->bend, 0));
        float *z = secant_of(s, i);
        for (size_t j = 0; j < m->d; j++) z[j] = (float)(w * row[j]);
        vec_scale(m->d, c->size, row);
        vec_add(m->d, s->at->mu, point_of(s, i), row);
        c->held = w > 0;
    }
    s->at->secants = 1;
    s->at->gam = 1;
    s->at->scalings = 0;
    method_note(m, "components see x through several indices (misfit %.1g): gradients and secants",
                s->at->misfit);
}

/* ---- Learning ------------------------------------------------------------------------------------- */

/* How well would the matrix of second differences have foretold this gradient, and how well did the secant? */
static void compare_whole(inq *s, uint64_t i, const double *gradient)
{
    method *m = &s->base;
    const double *z = point_of(s, i), *row = inq_row(s, i);
    const float *sec = secant_of(s, i);
    double *step = s->work, pull = 0;
    for (size_t j = 0; j < m->d; j++) {
        step[j] = m->x[j] - z[j];
        pull += has_secant(s, i) ? (double)sec[j] * step[j] : 0;
    }
    for (size_t j = 0; j < m->d; j++) {
        double change = gradient[j] - row[j], told = vec_dot(m->d, s->whole + j * m->d, step);
        double secant = pull * (double)sec[j] + s->at->mu * step[j];
        s->at->whole_error += (change - told) * (change - told);
        s->at->secant_error += (change - secant) * (change - secant);
    }
}

static void learn_secant(inq *s, uint64_t i, const double *gradient)
{
    method *m = &s->base;
    const double *z = point_of(s, i), *row = inq_row(s, i);
    double *y = s->work, along = 0, far = 0, size = 0;
    for (size_t j = 0; j < m->d; j++) {
        double step = m->x[j] - z[j];
        y[j] = gradient[j] - row[j] - s->at->mu * step;
        along += step * y[j];
        far += step * step;
        size += y[j] * y[j];
    }
    if (!(along > 1e-3 * sqrt(far * size)) || along == 0) return;
    float *to = secant_of(s, i);
    for (size_t j = 0; j < m->d; j++) to[j] = (float)(y[j] / sqrt(along));
    s->curves[i].held = 1;
}

/* Mean secants: of the components asked together again that were last asked at the same point. A pair (D, y),
 * y = mean J(x) - J(z), is kept when it speaks for an eighth of all. */
void inq_close_pair(inq *s)
{
    method *m = &s->base;
    struct progress *at = s->at;
    double *pair = s->pairs + (size_t)(at->pairs % PAIRS) * 2 * m->d, *step = pair, *y = pair + m->d;
    uint64_t count = at->pair_count;
    at->pair_count = 0;
    if (at->size < m->n || (count < 8 && count < m->n) || count < m->n / 8) return;
    const double *z = s->point + (size_t)((at->pair_point - 1) % POINTS) * m->d;
    for (size_t j = 0; j < m->d; j++) {
        step[j] = m->x[j] - z[j];
        y[j] = s->pair_sum[j] / (double)count;
    }
    double along = vec_dot(m->d, step, y);
    if (along > 1e-10 * vec_norm(m->d, step) * vec_norm(m->d, y)) at->pairs++;
}

static void add_to_pair(inq *s, uint64_t i, const double *gradient)
{
    struct progress *at = s->at;
    uint64_t point = (uint64_t)s->curves[i].point;
    if (at->pair_count && at->pair_point != point) inq_close_pair(s);
    if (!at->pair_count) vec_zero(s->base.d, s->pair_sum);
    at->pair_point = point;
    at->pair_count++;
    vec_add(s->base.d, 1, gradient, s->pair_sum);
    vec_add(s->base.d, -1, inq_row(s, i), s->pair_sum);
}

void inq_learn_again(inq *s, const double *answers)
{
    method *m = &s->base;
    size_t set = zo_fan_set(&m->fan);
    for (size_t e = 0; e < m->fan.ncomp; e++) {
        uint64_t i = m->fan.comp[e];
        double *gradient = s->dir;
        read_slopes(&m->fan, answers + e * set, 0, 0, m->d, gradient);
        if (s->curves[i].point > 0) {
            add_to_pair(s, i, gradient);
            if (s->at->whole == 1) compare_whole(s, i, gradient);
            learn_secant(s, i, gradient);
        }
        vec_copy(m->d, gradient, inq_row(s, i));
        s->curves[i].point = (double)s->at->points;
        s->curves[i].f = answers[e * set];
    }
}

/* x becomes a point that gradients are told at. */
void inq_keep_point(inq *s)
{
    vec_copy(s->base.d, s->base.x, s->point + (size_t)(s->at->points % POINTS) * s->base.d);
    s->at->points++;
}

/* todo = at most count components of the sample that were not asked at x, those asked longest ago first. */
void inq_list_oldest(inq *s, uint64_t count)
{
    uint64_t newest = s->at->points, left = count;
    int here = newest > 0 && !memcmp(s->base.x, s->point + (size_t)((newest - 1) % POINTS) * s->base.d,
                                     s->base.d * sizeof(double));
    s->at->todo = 0;
    double oldest = INFINITY;
    for (uint64_t k = 0; k < s->at->filled; k++) oldest = fmin(oldest, s->curves[s->order[k]].point);
    for (double at = oldest; at <= (double)newest - here && left > 0; at++)
        for (uint64_t k = 0; k < s->at->filled && left > 0; k++)
            if (s->curves[s->order[k]].point == at) {
                s->todo[s->at->todo++] = s->order[k];
                left--;
            }
    if (s->at->todo && !here) inq_keep_point(s);
}

/* ---- The model ------------------------------------------------------------------------------------ */

/* Leaf: J + Z Z'D + mu D; J of new components; D of those without a secant; d numbers each. Z Z'D stands without gam:
 * along recent steps a secant is exact, across them it is what M needs more of. */
static void add_component(inq *s, uint64_t i, double *leaf)
{
    method *m = &s->base;
    size_t d = m->d;
    const double *z = point_of(s, i), *row = inq_row(s, i);
    const float *sec = secant_of(s, i);
    double *step = s->work, pull = 0;
    int stale = s->curves[i].point != (double)s->at->points;
    for (size_t j = 0; j < d; j++) step[j] = m->x[j] - z[j];
    int own = has_secant(s, i) && s->at->whole != 2;
    if (own)
        for (size_t j = 0; j < d; j++) pull += (double)sec[j] * step[j];
    for (size_t j = 0; j < d; j++) {
        leaf[j] += row[j] + s->at->mu * step[j];
        if (own)
            leaf[j] += pull * (double)sec[j];
        else if (stale)
            leaf[2 * d + j] += step[j];
    }
    if (s->is_new[i]) vec_add(d, 1, row, leaf + d);
}

static void sum_components(inq *s)
{
    method *m = &s->base;
    size_t d = m->d;
    double *total = s->block;
    inq_mark_new(s);
    sum_tree tree;
    sum_open(&tree, 3 * d, s->tree);
    double *leaf = NULL;
    uint64_t last = UINT64_MAX;
    for (uint64_t i = 0; i < m->n; i++) {
        if (!(s->curves[i].point > 0)) continue;
        if (i / SUM_BLOCK != last) leaf = sum_leaf(&tree, last = i / SUM_BLOCK);
        add_component(s, i, leaf);
    }
    sum_close(&tree, total);
    double size = (double)s->at->filled, entered = fmax((double)(s->at->filled - s->at->begin), 1);
    for (size_t j = 0; j < d; j++) {
        s->g[j] = total[j] / size;
        s->fresh_g[j] = total[d + j] / entered;
        s->lost[j] = total[2 * d + j] / size;
    }
}

/* Rows of Z in blocks; full = mean Z Z' over those that have one. Returns how many. */
static uint64_t sum_secants(inq *s)
{
    method *m = &s->base;
    size_t d = m->d;
    uint64_t held = 0;
    sum_tree tree;
    if (s->dense) sum_open(&tree, d * d, s->tree);
    int before = blas_single();
    for (uint64_t i = 0; i < m->n;) {
        uint64_t block = i / SUM_BLOCK, end = (block + 1) * SUM_BLOCK < m->n ? (block + 1) * SUM_BLOCK : m->n;
        size_t count = 0;
        for (; i < end; i++) {
            if (!(s->curves[i].point > 0) || !has_secant(s, i)) continue;
            const float *z = secant_of(s, i);
            if (s->dense)
                for (size_t j = 0; j < d; j++) s->block[count * d + j] = (double)z[j];
            else
                for (size_t j = 0; j < d; j++) s->col[j * m->n + held] = (double)z[j];
            count++;
            held++;
        }
        if (count && s->dense)
            cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)d, (int)count, 1, s->block, (int)d, 1,
                        sum_leaf(&tree, block), (int)d);
    }
    blas_restore(before);
    if (s->dense) sum_close(&tree, s->full);
    return held;
}

/* full += what the pairs say, by BFGS's update: M + y y'/(y'D) - MD(MD)'/(D'MD), mu included. */
static void chain_pairs(inq *s)
{
    method *m = &s->base;
    size_t d = m->d;
    uint64_t count = s->at->pairs < PAIRS ? s->at->pairs : PAIRS;
    double mu = s->at->mu, *image = s->work;
    const double *last = s->pairs + (size_t)((s->at->pairs - 1) % PAIRS) * 2 * d;
    double mean = vec_dot(d, last, last + d) / vec_dot(d, last, last); /* curvature along the last step */
    for (size_t j = 0; j < d && 2 * s->held < d; j++)
        s->full[j * d + j] += mean; /* few secants: not singular */
    for (uint64_t k = s->at->pairs - count; k < s->at->pairs; k++) {
        const double *step = s->pairs + (size_t)(k % PAIRS) * 2 * d, *y = step + d;
        for (size_t j = 0; j < d; j++) image[j] = vec_dot(d, s->full + j * d, step) + mu * step[j];
        double bend = vec_dot(d, step, image), along = vec_dot(d, step, y);
        if (!(bend > 0) || !(along > 1e-12 * bend)) continue;
        for (size_t i = 0; i < d; i++)
            for (size_t j = 0; j < d; j++)
                s->full[i * d + j] += y[i] * y[j] / along - image[i] * image[j] / bend;
    }
}

/* full, or col, times gam over the number of secants; bend = trace. */
void inq_secant_model(inq *s)
{
    method *m = &s->base;
    size_t d = m->d;
    sum_components(s);
    uint64_t held = sum_secants(s);
    double part = held ? s->at->gam / (double)held : 0, trace = 0;
    s->held = held;
    for (size_t j = 0; j < d && s->dense; j++) {
        for (size_t k = j; k < d; k++) s->full[j * d + k] = s->full[k * d + j] = part * s->full[j * d + k];
        trace += s->full[j * d + j];
    }
    for (size_t j = 0; j < d && !s->dense; j++) {
        double *c = s->col + j * m->n;
        vec_scale((size_t)held, sqrt(part), c);
        trace += vec_dot((size_t)held, c, c);
    }
    if (s->at->whole == 2) { /* the ridge is in it, and is added again with the model's */
        trace = 0;
        for (size_t j = 0; j < d; j++) {
            vec_copy(d, s->whole + j * d, s->full + j * d);
            s->full[j * d + j] -= s->at->mu;
            trace += fmax(s->full[j * d + j], 0);
        }
    }
    s->at->bend = trace;
    if (s->dense && s->at->size == m->n && s->at->pairs) chain_pairs(s);
    quad q = inq_quad(s, 0);
    quad_multiply(&q, &s->room, s->lost, s->work);
    vec_add(d, 1, s->work, s->g);
}

/* ---- Scale and ridge ------------------------------------------------------------------------------ */

/* Eight directions into cand, of the length they are asked at: four weak in M, four strong. */
void inq_scale_directions(inq *s)
{
    method *m = &s->base;
    double unit = s->at->bend / (double)m->d, far = fmax(1, vec_norm(m->d, m->x));
    quad q = inq_quad(s, 1e-7 * unit);
    q.ridge = 0;
    for (uint32_t k = 0; k < CANDIDATES; k++) {
        double *u = s->cand + k * m->d;
        rng_normals(m->set.seed, FOR_CURVATURE, m->step, k, m->d, s->work);
        vec_copy(m->d, s->work, u);
        if (k < CANDIDATES / 2)
            quad_inverse(&q, &s->room, u);
        else
            quad_multiply(&q, &s->room, s->work, u);
        double size = vec_norm(m->d, u);
        if (!(size > 0) || !isfinite(size)) {
            vec_copy(m->d, s->work, u);
            size = vec_norm(m->d, u);
        }
        vec_scale(m->d, 1 / size, u);
        quad_multiply(&q, &s->room, u, s->work);
        double bend = vec_dot(m->d, u, s->work) / fmax(s->at->gam, 1e-300);
        s->offer[k].damping = fmin(0.1 / sqrt(fmax(bend, 1e-12)), 0.1 * far);
        vec_scale(m->d, s->offer[k].damping, u);
    }
}

/* comp = components with secants to measure on, spread evenly; returns how many. */
size_t inq_scaled(inq *s)
{
    double most = 0.03 * (double)s->at->filled * (double)s->base.d / (2 * CANDIDATES + 1);
    size_t want = (size_t)fmin(fmax(most, 4), SCALED), count = 0;
    uint64_t have = 0, seen = 0;
    for (uint64_t k = 0; k < s->at->filled; k++) have += (uint64_t)has_secant(s, s->order[k]);
    if (want > have) want = (size_t)have;
    for (uint64_t k = 0; k < s->at->filled && count < want; k++) {
        if (!has_secant(s, s->order[k])) continue;
        if (seen++ * want >= count * have) s->comp[count++] = s->order[k];
    }
    return count;
}

/* (gam, mu) by relative least squares: second difference ~ gam mean (Z_i'u)^2 + mu, neither negative. */
void inq_learn_scale(inq *s, const double *answers)
{
    method *m = &s->base;
    double a = 0, b = 0, c = 0, e = 0, f = 0;
    for (size_t k = 0; k < CANDIDATES; k++) {
        const double *u = s->cand + k * m->d;
        double r = s->offer[k].damping, seen = second_difference(&m->fan, answers, 0, k) / (r * r), own = 0;
        for (size_t i = 0; i < m->fan.ncomp; i++) {
            const float *z = secant_of(s, m->fan.comp[i]);
            double t = 0;
            for (size_t j = 0; j < m->d && has_secant(s, m->fan.comp[i]); j++) t += (double)z[j] * u[j];
            own += t * t / (r * r);
        }
        own /= (double)m->fan.ncomp;
        if (!(seen > 0)) continue;
        double p = own / seen, q = 1 / seen; /* gam p + mu q = 1 */
        a += p * p, b += p * q, c += q * q, e += p, f += q;
    }
    s->at->scalings++;
    double det = a * c - b * b;
    if (!(a > 0) || !(c > 0)) return;
    double gam = det > 1e-12 * a * c ? (c * e - b * f) / det : e / a, mu = (a * f - b * e) / det;
    if (!(det > 1e-12 * a * c) || mu < 0) gam = e / a, mu = 0;
    if (gam <= 0) gam = 0.1, mu = f / c;
    gam = fmin(fmax(gam, 0.1), 100);
    s->at->mu = mu;
    s->at->gam = gam > 1.6 || (gam < 0.7 && s->at->size < m->n) ? gam : 1;
}

/* ---- All second differences ------------------------------------------------------------------------ */

/* So many components that their second differences cost a quarter of a unit; 0: not worth it. */
size_t inq_whole_sample(const inq *s)
{
    double d = (double)s->base.d, most = 0.25 * (double)s->base.n * d / (0.5 * d * (d + 3) + 1);
    return s->whole ? (size_t)fmin(most, SPREAD) : 0;
}

/* H_jk = (f(x + v e_j + v e_k) - f(x + v e_j) - f(x + v e_k) + f(x))/v^2 of the mean. */
void inq_learn_whole(inq *s, const double *answers)
{
    size_t d = s->base.d, at = 1 + d;
    double v = s->base.fan.radius;
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k <= j; k++)
            s->whole[j * d + k] = s->whole[k * d + j] =
                (answers[at++] - answers[1 + j] - answers[1 + k]) / (v * v);
    s->at->whole = 1;
    s->at->whole_error = s->at->secant_error = 0;
}
