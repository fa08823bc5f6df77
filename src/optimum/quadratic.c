/* Products with the Hessian of the model, and Cholesky's factors.
 * SPDX-License-Identifier: MIT */
#include "optimum/quadratic.h"

#include <math.h>

#include "base/vec.h"

void quadratic_times(const quadratic *q, const double *u, double *out)
{
    if (!q->hess) {
        smooth_times(q->f, q->curve, u, out, q->margin);
        vec_add(q->m, q->shift, u, out);
        return;
    }
    for (size_t j = 0; j < q->m; j++) out[j] = vec_dot(q->m, q->hess + j * q->m, u);
}

void quadratic_slope(const quadratic *q, double *work)
{
    vec_step(q->m, q->y, 1, q->x, work);
    quadratic_times(q, work, q->r);
    vec_add(q->m, 1, q->g, q->r);
}

/* Row by row: L_jk = (a_jk - sum_{l<k} L_jl L_kl) / L_kk, dot products of rows. */
int cholesky(size_t m, size_t stride, double *a)
{
    for (size_t j = 0; j < m; j++) {
        double *row = a + j * stride;
        for (size_t k = 0; k < j; k++) {
            const double *other = a + k * stride;
            row[k] = (row[k] - vec_dot(k, row, other)) / other[k];
        }
        double square = row[j] - vec_dot(j, row, row);
        if (!(square > 0) || isinf(square)) return 0;
        row[j] = sqrt(square);
    }
    return 1;
}

void cholesky_solve(size_t m, size_t stride, const double *l, double *b)
{
    for (size_t j = 0; j < m; j++) b[j] = (b[j] - vec_dot(j, l + j * stride, b)) / l[j * stride + j];
    for (size_t j = m; j-- > 0;) {
        b[j] /= l[j * stride + j];
        vec_add(j, -b[j], l + j * stride, b);
    }
}
