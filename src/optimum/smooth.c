/* The smooth part and its derivatives, row by row.
 * SPDX-License-Identifier: MIT
 *
 *     gradient  (1/n) sum_i loss'(m_i) z_i            Hessian  (1/n) sum_i loss''(m_i) z_i z_i'
 *     softmax   slopes p_c - [c = y], curvature diag(p) - p p', p = exp(m - log sum exp m) */
#include "optimum/smooth.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/sum.h"
#include "base/vec.h"

/* ---- construction ------------------------------------------------------------------------------ */

double smooth_row_square(const smooth *f, size_t i)
{
    const zo_data *z = f->data;
    if (!z->row)
        return vec_dot(f->features, z->dense + i * f->features, z->dense + i * f->features);
    size_t from = z->row[i], to = z->row[i + 1];
    return vec_dot(to - from, z->val + from, z->val + from);
}

/* The largest curvature of one loss in one of its margins; in all of them it is twice that for softmax. */
static double top_curvature(zo_loss loss)
{
    return loss == ZO_LOGISTIC || loss == ZO_SOFTMAX ? 0.25 : 1;
}

/* diagonal_j = top_curvature (1/n) sum_i z_ij^2 + l2 */
static void bound_diagonal(smooth *f)
{
    const zo_data *z = f->data;
    for (size_t i = 0; i < f->n; i++) {
        if (z->row)
            for (size_t k = z->row[i]; k < z->row[i + 1]; k++)
                f->diagonal[z->col[k]] += z->val[k] * z->val[k];
        else
            for (size_t j = 0; j < f->features; j++) {
                double v = z->dense[i * f->features + j];
                f->diagonal[j] += v * v;
            }
    }
    f->top = 0;
    for (size_t j = 0; j < f->d; j++) {
        if (j < f->features)
            f->diagonal[j] = top_curvature(f->loss) * f->diagonal[j] / (double)f->n + f->l2;
        else
            f->diagonal[j] = f->diagonal[j - f->features];
        if (j < f->features) f->top += (f->loss == ZO_SOFTMAX ? 2 : 1) * (f->diagonal[j] - f->l2);
    }
    f->top += f->l2;
}

zo_status smooth_new(smooth *f, const zo_model *model, zo_error *err)
{
    *f = (smooth){.data = model->data,
                  .target = model->target,
                  .loss = model->loss,
                  .l2 = model->l2,
                  .n = model->n,
                  .d = model->d,
                  .features = model->data->features,
                  .classes = model->classes};
    /* A leaf costs d operations whatever is in it: let it have as many entries. */
    size_t entries = f->data->row ? f->data->nonzeros / f->n + 1 : f->features;
    f->leaf = SUM_BLOCK * (1 + f->d / (f->classes * entries * SUM_BLOCK));
    size_t depth = 3;
    for (size_t k = f->n / f->leaf; k > 0; k /= 2) depth++;
    f->tree = mem_new(depth * f->d, sizeof *f->tree);
    f->rows = mem_new(f->data->row ? 2 * f->features + 2 : SMOOTH_ROWS * f->d, sizeof *f->rows);
    f->place = mem_new(2 * f->features + 2, sizeof *f->place);
    f->diagonal = mem_new(f->d, sizeof *f->diagonal);
    if (f->tree && f->rows && f->place && f->diagonal) {
        bound_diagonal(f);
        return ZO_OK;
    }
    smooth_free(f);
    return out_of_memory(err, "numbers of scratch", depth * f->d);
}

void smooth_free(smooth *f)
{
    mem_free(f->tree);
    mem_free(f->rows);
    mem_free(f->place);
    mem_free(f->diagonal);
    *f = (smooth){0};
}

/* ---- values and first derivatives --------------------------------------------------------------- */

static double sparse_dot(size_t count, const uint32_t *col, const double *val, const double *x)
{
    double s = 0;
    for (size_t k = 0; k < count; k++) s += val[k] * x[col[k]];
    return s;
}

void smooth_margins(const smooth *f, const double *x, double *margin)
{
    const zo_data *z = f->data;
    for (size_t i = 0; i < f->n; i++)
        for (size_t c = 0; c < f->classes; c++) {
            const double *xc = x + c * f->features;
            margin[i * f->classes + c] =
                z->row ? sparse_dot(z->row[i + 1] - z->row[i], z->col + z->row[i],
                                    z->val + z->row[i], xc)
                       : vec_dot(f->features, z->dense + i * f->features, xc);
        }
}

/* log sum_c exp(m_c) = top + log(rest) with rest >= 1. */
static double top_margin(size_t classes, const double *m)
{
    double top = m[0];
    for (size_t c = 1; c < classes; c++) top = fmax(top, m[c]);
    return top;
}

static double softmax_loss(size_t classes, const double *m, double y)
{
    double top = top_margin(classes, m), s = 0;
    size_t seen = 0; /* the largest term is exp(0): left out, so that log1p keeps the small ones */
    for (size_t c = 0; c < classes; c++) {
        if (m[c] == top && !seen++) continue;
        s += exp(m[c] - top);
    }
    return log1p(s) + (top - m[(size_t)y]);
}

static void softmax_shares(size_t classes, const double *m, double *p)
{
    double top = top_margin(classes, m), s = 0;
    for (size_t c = 0; c < classes; c++) s += p[c] = exp(m[c] - top);
    for (size_t c = 0; c < classes; c++) p[c] /= s;
}

static double loss_at(const smooth *f, const double *margin, size_t i)
{
    if (f->loss == ZO_SOFTMAX)
        return softmax_loss(f->classes, margin + i * f->classes, f->target[i]);
    return loss_value(f->loss, margin[i], f->target[i]);
}

double smooth_loss(const smooth *f, const double *margin)
{
    double s = 0,
           lost =
               0; /* the terms are not negative, so s is the larger of the two once it has begun */
    for (size_t i = 0; i < f->n; i++) {
        double v = loss_at(f, margin, i), t = s + v;
        lost += s >= v ? (s - t) + v : (v - t) + s;
        s = t;
    }
    return (s + lost) / (double)f->n;
}

void smooth_slopes(const smooth *f, const double *margin, double *slope)
{
    for (size_t i = 0; i < f->n; i++) {
        if (f->loss != ZO_SOFTMAX) {
            slope[i] = loss_slope(f->loss, margin[i], f->target[i]);
            continue;
        }
        double *p = slope + i * f->classes;
        softmax_shares(f->classes, margin + i * f->classes, p);
        size_t y = (size_t)f->target[i];
        double others = 0; /* p_y - 1, without cancellation */
        for (size_t c = 0; c < f->classes; c++)
            if (c != y) others += p[c];
        p[y] = -others;
    }
}

void smooth_curvatures(const smooth *f, const double *margin, double *curve)
{
    for (size_t i = 0; i < f->n; i++) {
        if (f->loss == ZO_SOFTMAX)
            softmax_shares(f->classes, margin + i * f->classes, curve + i * f->classes);
        else
            curve[i] = loss_curvature(f->loss, margin[i], f->target[i]);
    }
}

/* g += a z_i */
static void add_row(const smooth *f, size_t i, double a, double *g)
{
    const zo_data *z = f->data;
    if (!z->row) {
        vec_add(f->features, a, z->dense + i * f->features, g);
        return;
    }
    for (size_t k = z->row[i]; k < z->row[i + 1]; k++) g[z->col[k]] += a * z->val[k];
}

void smooth_gradient(const smooth *f, const double *slope, double *g)
{
    sum_tree t;
    sum_open(&t, f->d, f->tree);
    double *leaf = NULL;
    for (size_t i = 0; i < f->n; i++) {
        if (i % f->leaf == 0) leaf = sum_leaf(&t, i / f->leaf);
        for (size_t c = 0; c < f->classes; c++)
            add_row(f, i, slope[i * f->classes + c], leaf + c * f->features);
    }
    sum_close(&t, g);
    vec_scale(f->d, 1 / (double)f->n, g);
}

/* sum_j |z_ij x_j| */
static double absolute_margin(const smooth *f, size_t i, const double *x)
{
    const zo_data *z = f->data;
    double s = 0;
    if (z->row)
        for (size_t k = z->row[i]; k < z->row[i + 1]; k++) s += fabs(z->val[k] * x[z->col[k]]);
    else
        for (size_t j = 0; j < f->features; j++) s += fabs(z->dense[i * f->features + j] * x[j]);
    return s;
}

/* A margin is off by a few units in the last place of sum |z_ij x_j|, its slope by that times the curvature,
 * and the gradient by the mean of |z_ij| times the slope's error and its own last place. Sums are short or
 * along a tree. */
void smooth_doubt(const smooth *f, const double *x, const double *slope, double *doubt)
{
    const zo_data *z = f->data;
    vec_zero(f->d, doubt);
    for (size_t i = 0; i < f->n; i++)
        for (size_t c = 0; c < f->classes; c++) {
            double *out = doubt + c * f->features;
            double off =
                fabs(slope[i * f->classes + c]) + absolute_margin(f, i, x + c * f->features);
            if (z->row)
                for (size_t k = z->row[i]; k < z->row[i + 1]; k++)
                    out[z->col[k]] += off * fabs(z->val[k]);
            else
                for (size_t j = 0; j < f->features; j++)
                    out[j] += off * fabs(z->dense[i * f->features + j]);
        }
    for (size_t j = 0; j < f->d; j++)
        doubt[j] = 4 * DBL_EPSILON * (doubt[j] / (double)f->n + f->l2 * fabs(x[j]));
}

/* ---- second derivatives ------------------------------------------------------------------------- */

void smooth_times(const smooth *f, const double *curve, const double *u, double *out,
                  double *margin)
{
    smooth_margins(f, u, margin);
    for (size_t i = 0; i < f->n; i++) {
        double *m = margin + i * f->classes;
        const double *p = curve + i * f->classes;
        if (f->loss != ZO_SOFTMAX) {
            m[0] *= p[0];
            continue;
        }
        double mean = 0;
        for (size_t c = 0; c < f->classes; c++) mean += p[c] * m[c];
        for (size_t c = 0; c < f->classes; c++) m[c] = p[c] * (m[c] - mean);
    }
    smooth_gradient(f, margin, out);
    vec_add(f->d, f->l2, u, out);
}

/* ---- the objective, in long double --------------------------------------------------------------- */

static long double exact_margin(const smooth *f, size_t i, const double *x)
{
    const zo_data *z = f->data;
    long double s = 0;
    if (z->row)
        for (size_t k = z->row[i]; k < z->row[i + 1]; k++)
            s += (long double)z->val[k] * x[z->col[k]];
    else
        for (size_t j = 0; j < f->features; j++)
            s += (long double)z->dense[i * f->features + j] * x[j];
    return s;
}

static long double exact_softmax(const smooth *f, size_t i, const double *x)
{
    long double top = -INFINITY, s = 0, own = 0, m;
    for (size_t c = 0; c < f->classes; c++) {
        m = exact_margin(f, i, x + c * f->features);
        if (c == (size_t)f->target[i]) own = m;
        s = m > top ? s * expl(top - m) + 1 : s + expl(m - top);
        top = fmaxl(m, top);
    }
    return logl(s) + (top - own);
}

/* As in zoprox_data.h. The squares are short enough for the margin's last digits to come through. */
static long double exact_loss(const smooth *f, size_t i, const double *x)
{
    if (f->loss == ZO_SOFTMAX) return exact_softmax(f, i, x);
    long double m = exact_margin(f, i, x), y = f->target[i], r = m - y, t = 1 - y * m;
    if (f->loss == ZO_LOGISTIC) return fmaxl(-y * m, 0) + log1pl(expl(-fabsl(m)));
    if (f->loss == ZO_SQUARED) return r * r / 2;
    if (f->loss == ZO_HUBER) return fabsl(r) <= 1 ? r * r / 2 : fabsl(r) - 0.5L;
    return t <= 0 ? 0 : t < 1 ? t * t / 2 : t - 0.5L;
}

long double smooth_exact(const smooth *f, const double *x)
{
    long double s = 0, square = 0;
    for (size_t i = 0; i < f->n; i++) s += exact_loss(f, i, x);
    for (size_t j = 0; j < f->d; j++) square += (long double)x[j] * x[j];
    return s / (long double)f->n + f->l2 / 2 * square;
}
