/* Products with the Hessian of the model, and Cholesky's factors.
 * SPDX-License-Identifier: MIT */
#include "optimum/quadratic.h"

#include <math.h>

#include "base/dense.h"
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

int cholesky(size_t m, double *a)
{
    int status = dense_cholesky(m, a);
    for (size_t j = 0; !status && j < m; j++) status = !(a[j * m + j] > 0) || isinf(a[j * m + j]);
    return status == 0;
}

void cholesky_solve(size_t m, const double *u, double *b)
{
    for (size_t j = 0; j < m; j++) {
        const double *row = u + j * m + j;
        b[j] /= row[0];
        vec_add(m - j - 1, -b[j], row + 1, b + j + 1);
    }
    for (size_t j = m; j-- > 0;) {
        const double *row = u + j * m + j;
        b[j] = (b[j] - vec_dot(m - j - 1, row + 1, b + j + 1)) / row[0];
    }
}
