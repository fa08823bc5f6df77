/* Secants: matrices that learn from changes y of gradients over steps s.
 * SPDX-License-Identifier: MIT */
#include <math.h>

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

void quad_secant(size_t n, size_t stride, double *b, const double *s, const double *y,
                 quad_doubts doubts, double *work)
{
    double *image = work, *rest = work + n, far = 0, left = 0, gap = 0, along = 0, bend = 0,
           size = 0;
    for (size_t k = 0; k < n; k++) {
        image[k] = 0;
        for (size_t j = 0; j < n; j++) image[k] += b[k * stride + j] * s[j];
        rest[k] = y[k] - image[k];
        far += s[k] * s[k];
        left += rest[k] * rest[k];
        size += y[k] * y[k];
        gap += rest[k] * s[k];
        along += y[k] * s[k];
        bend += image[k] * s[k];
    }
    if (!(along > doubts.least_bend * sqrt(far * size)) || left <= doubts.news) return;
    int one = gap > doubts.short_fall * sqrt(left * far);
    for (size_t k = 0; k < n; k++)
        for (size_t j = 0; j < n; j++)
            b[k * stride + j] +=
                one ? rest[k] * rest[j] / gap
                    : y[k] * y[j] / along - (bend > 0 ? image[k] * image[j] / bend : 0);
}

void quad_chain(size_t d, double *matrix, double mu, const double *pairs, uint64_t kept,
                uint64_t total, double *work)
{
    for (uint64_t k = total > kept ? total - kept : 0; k < total; k++) {
        const double *s = pairs + (size_t)(k % kept) * 2 * d;
        quad_update(d, matrix, mu, s, s + d, 1e-12, work);
    }
}
