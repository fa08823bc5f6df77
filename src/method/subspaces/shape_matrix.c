/* inq: components that see x as a matrix.
 * SPDX-License-Identifier: MIT
 *
 * f_i(x) = h_i(X a_i), X the c x p matrix that x is: models with c outputs. The gradient is s a_i', of rank one, and e_k a_i',
 * k = 1 ... c, are the span. X may lie in x by rows, by columns, or by rows with its last column behind it (weights, then one
 * offset for each output). */
#include <math.h>

#include "base/vec.h"
#include "method/subspaces/shape.h"

static size_t in_rows(form f, size_t k, size_t j) { return k * f.inputs + j; }
static size_t in_columns(form f, size_t k, size_t j) { return j * f.outputs + k; }
static size_t in_rows_and_ends(form f, size_t k, size_t j)
{
    return j + 1 < f.inputs ? k * (f.inputs - 1) + j : f.outputs * (f.inputs - 1) + k;
}

static size_t place(form f, size_t k, size_t j) { return f.is->place(f, k, j); }

/* a: the direction of X's rows that v = s a' changes along; returns how much of v is something else. */
static double rank_one(form f, const double *v, double *a)
{
    size_t best = 0, d = f.outputs * f.inputs;
    double most = 0, along = 0, whole = vec_dot(d, v, v);
    for (size_t j = 0; j < f.inputs; j++)
        for (size_t k = 0; k < f.outputs; k++)
            if (fabs(v[place(f, k, j)]) > most) most = fabs(v[place(f, k, j)]), best = j;
    for (size_t j = 0; j < f.inputs; j++) {
        a[j] = 0;
        for (size_t k = 0; k < f.outputs; k++) a[j] += v[place(f, k, best)] * v[place(f, k, j)];
    }
    vec_scale(f.inputs, 1 / vec_norm(f.inputs, a), a);
    for (size_t k = 0; k < f.outputs; k++) {
        double t = 0;
        for (size_t j = 0; j < f.inputs; j++) t += v[place(f, k, j)] * a[j];
        along += t * t;
    }
    return sqrt(fmax(whole - along, 0));
}

/* to = to less its parts s t' and t a', whatever t: (I - ss')V(I - aa') for unit vectors s, a. */
static void across_matrix(form f, const double *left, const double *a, double *to)
{
    for (size_t k = 0; k < f.outputs; k++) {
        double t = 0;
        for (size_t j = 0; j < f.inputs; j++) t += to[place(f, k, j)] * a[j];
        for (size_t j = 0; j < f.inputs; j++) to[place(f, k, j)] -= t * a[j];
    }
    for (size_t j = 0; j < f.inputs; j++) {
        double t = 0;
        for (size_t k = 0; k < f.outputs; k++) t += left[k] * to[place(f, k, j)];
        for (size_t k = 0; k < f.outputs; k++) to[place(f, k, j)] -= t * left[k];
    }
}

/* Away from 0 gradients are s a' + mu z. mu from all of them: across s and a, which are those of J - mu z, J is nothing but
 * mu z. */
static double ridge(inq *s, form f, const pairs *seen)
{
    size_t d = s->base.d;
    double *v = s->work, *a = s->told, *far = s->lost, left[SPAN];
    for (int pass = 0; pass < RIDGE_STEPS; pass++) {
        double along = 0, square = 0;
        for (size_t e = 0; e < seen->count; e++) {
            const double *z = inq_point(s, s->asked[seen->comp[e]].full);
            if (!(inq_slope(s, s->dir + e * d, z, f.mu, v) > 0)) continue;
            rank_one(f, v, a);
            for (size_t k = 0; k < f.outputs; k++) {
                left[k] = 0;
                for (size_t j = 0; j < f.inputs; j++) left[k] += v[place(f, k, j)] * a[j];
            }
            vec_scale(f.outputs, 1 / vec_norm(f.outputs, left), left);
            vec_copy(d, z, far);
            across_matrix(f, left, a, far);
            along += vec_dot(d, v, far);
            square += vec_dot(d, far, far);
        }
        if (!(square > 0)) break;
        f.mu = fmax(f.mu + along / square, 0);
    }
    return f.mu;
}

static int suits(const inq *s, size_t outputs) { return outputs > 1 && s->base.d % outputs == 0; }

static int span_of(inq *s, form f, const sight *g, double *rows, size_t *rank)
{
    size_t d = s->base.d;
    double *a = s->told, off = rank_one(f, g->slope, a);
    *rank = f.outputs;
    if (!(off <= fmax(unlike * vec_norm(d, g->slope), g->blur))) return 0;
    if (rows) vec_zero(*rank * d, rows);
    for (size_t k = 0; k < *rank && rows; k++)
        for (size_t j = 0; j < f.inputs; j++) rows[k * d + place(f, k, j)] = a[j];
    return 1;
}

/* More than a row or a column: a few entries look like any matrix. */
static int tells(form f, size_t entries) { return entries >= 2 * f.outputs; }

#define MATRIX                                                                                     \
    .says = "components see x as a matrix", .suits = suits, .span = span_of, .tells = tells,       \
    .ridge = ridge
const shape_row shape_by_rows = {MATRIX, .place = in_rows};
const shape_row shape_by_columns = {MATRIX, .place = in_columns};
const shape_row shape_by_rows_and_ends = {MATRIX, .place = in_rows_and_ends};
