/* The Hessian of the mean loss in a working set of coordinates.
 * SPDX-License-Identifier: MIT
 *
 *     (1/n) sum_i loss''(m_i) z_i z_i';  softmax: block (c, b) is (1/n) sum_i (p_c [b = c] - p_b p_c) z_i z_i'
 *
 * Sparse rows are added entry by entry, dense rows in blocks. */
#include <math.h>

#include "base/dense.h"
#include "base/vec.h"
#include "optimum/smooth.h"

/* The coordinates W: how many, the place of each, and where their Hessian goes (lower triangle first). */
typedef struct working {
    size_t count;
    const uint32_t *index;
    double *hess;
} working;

static void fill_upper(const smooth *f, const working *w)
{
    double scale = 1 / (double)f->n;
    for (size_t a = 0; a < w->count; a++)
        for (size_t b = 0; b <= a; b++)
            w->hess[b * w->count + a] = w->hess[a * w->count + b] *= scale;
}

/* Entry (c, b) of the curvature of one loss. */
static double curvature_of(const smooth *f, const double *p, size_t c, size_t b)
{
    if (f->loss != ZO_SOFTMAX) return p[0];
    return b == c ? p[c] * (1 - p[c]) : -p[b] * p[c];
}

/* The entries of row i that are in W, class c: values and places. */
typedef struct entries {
    size_t count;
    double *value;
    uint32_t *place;
} entries;

static void gather(const smooth *f, const working *w, size_t i, size_t c, entries *e)
{
    const zo_data *z = f->data;
    const uint32_t *at = w->index + c * f->features;
    e->count = 0;
    for (size_t k = z->row[i]; k < z->row[i + 1]; k++) {
        e->value[e->count] = z->val[k];
        e->place[e->count] = at[z->col[k]];
        e->count += at[z->col[k]] != UINT32_MAX;
    }
}

/* hess += curve a b'. Places rise within a row; the same entries twice fill the lower triangle only. */
static void add_product(const working *w, double curve, const entries *a, const entries *b)
{
    for (size_t k = 0; k < a->count; k++) {
        double v = curve * a->value[k], *row = w->hess + a->place[k] * w->count;
        size_t end = a == b ? k + 1 : b->count;
        for (size_t l = 0; l < end; l++) row[b->place[l]] += v * b->value[l];
    }
}

static void sparse_hessian(const smooth *f, const double *curve, const working *w)
{
    size_t most = f->features + 1;
    entries own = {0, f->rows, f->place}, other = {0, f->rows + most, f->place + most};
    for (size_t i = 0; i < f->n; i++)
        for (size_t c = 0; c < f->classes; c++) {
            const double *p = curve + i * f->classes;
            gather(f, w, i, c, &own);
            add_product(w, curvature_of(f, p, c, c), &own, &own);
            for (size_t b = 0; b < c && own.count;
                 b++) { /* earlier classes: left of the diagonal */
                gather(f, w, i, b, &other);
                add_product(w, curvature_of(f, p, c, b), &own, &other);
            }
        }
}

/* rows[r] = scale z_i in W, class c only, for the rows i = from + r. Returns how many numbers a row has. */
static size_t pack(const smooth *f, const working *w, const double *scale, size_t from,
                   size_t count, size_t c)
{
    const uint32_t *at = w->index + c * f->features;
    size_t width = 0;
    for (size_t j = 0; j < f->features; j++)
        f->place[width] = (uint32_t)j, width += at[j] != UINT32_MAX;
    for (size_t r = 0; r < count; r++) {
        const double *z = f->data->dense + (from + r) * f->features;
        double *row = f->rows + r * width, a = scale[r];
        for (size_t k = 0; k < width; k++) row[k] = a * z[f->place[k]];
    }
    return width;
}

/* hess += sign rows'rows in the diagonal block that begins at `first`. */
static void add_square(const smooth *f, const working *w, double sign, size_t rows, size_t first,
                       size_t width)
{
    if (!width) return;
    dense_square(width, rows, sign, f->rows, DENSE_LOWER, 0, w->hess + first * (w->count + 1),
                 w->count);
}

/* SMOOTH_ROWS rows at once: z z' weighted in each class, less (p z)(p z)' across the classes of softmax. */
static void dense_hessian(const smooth *f, const double *curve, const working *w)
{
    for (size_t from = 0; from < f->n; from += SMOOTH_ROWS) {
        size_t rows = f->n - from < SMOOTH_ROWS ? f->n - from : SMOOTH_ROWS, first = 0;
        double scale[SMOOTH_ROWS];
        for (size_t c = 0; c < f->classes; c++) {
            for (size_t r = 0; r < rows; r++) scale[r] = sqrt(curve[(from + r) * f->classes + c]);
            size_t width = pack(f, w, scale, from, rows, c);
            add_square(f, w, 1, rows, first, width);
            first += width;
        }
        if (f->loss != ZO_SOFTMAX) continue;
        for (size_t r = 0; r < rows; r++)
            for (size_t j = 0; j < f->d; j++)
                if (w->index[j] != UINT32_MAX)
                    f->rows[r * w->count + w->index[j]] =
                        curve[(from + r) * f->classes + j / f->features] *
                        f->data->dense[(from + r) * f->features + j % f->features];
        add_square(f, w, -1, rows, 0, w->count);
    }
}

void smooth_hessian(const smooth *f, const double *curve, size_t count, const uint32_t *index,
                    double *hess)
{
    working w = {count, index, hess};
    vec_zero(count * count, hess);
    if (f->data->row)
        sparse_hessian(f, curve, &w);
    else
        dense_hessian(f, curve, &w);
    fill_upper(f, &w);
}
