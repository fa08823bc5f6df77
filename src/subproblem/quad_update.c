/* BFGS on a matrix that is kept whole.
 * SPDX-License-Identifier: MIT */
#include "base/vec.h"
#include "subproblem/quad.h"

void quad_update(size_t d, double *matrix, double mu, const double *s, const double *y,
                 double least, double *work)
{
    for (size_t j = 0; j < d; j++) work[j] = vec_dot(d, matrix + j * d, s) + mu * s[j];
    double bend = vec_dot(d, s, work), along = vec_dot(d, s, y);
    if (!(bend > 0) || !(along > least * bend)) return;
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            matrix[i * d + j] += y[i] * y[j] / along - work[i] * work[j] / bend;
}

void quad_chain(size_t d, double *matrix, double mu, const double *pairs, uint64_t kept,
                uint64_t total, double *work)
{
    for (uint64_t k = total > kept ? total - kept : 0; k < total; k++) {
        const double *s = pairs + (size_t)(k % kept) * 2 * d;
        quad_update(d, matrix, mu, s, s + d, 1e-12, work);
    }
}
