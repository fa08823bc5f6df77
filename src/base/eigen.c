/* Eigenvectors of a symmetric matrix, by Jacobi's rotations until it is diagonal.
 * SPDX-License-Identifier: MIT */
#include "base/eigen.h"

#include <math.h>

#include "base/vec.h"

enum { SWEEPS = 30 };

/* Columns, or rows, p and q of a, whose numbers lie step apart: turned by the angle of cosine c and sine s. */
static void turn(size_t d, double *a, size_t p, size_t q, size_t step, double c, double s)
{
    size_t across = step == 1 ? d : 1;
    for (size_t k = 0; k < d; k++) {
        double *at = a + k * across, first = at[p * step], second = at[q * step];
        at[p * step] = c * first - s * second;
        at[q * step] = s * first + c * second;
    }
}

void eigen(size_t d, double *a, double *v)
{
    vec_zero(d * d, v);
    for (size_t j = 0; j < d; j++) v[j * d + j] = 1;
    for (int sweep = 0, left = 1; sweep < SWEEPS && left; sweep++) {
        left = 0;
        for (size_t p = 0; p < d; p++)
            for (size_t q = p + 1; q < d; q++) {
                double off = a[p * d + q];
                if (off == 0) continue;
                double theta = (a[q * d + q] - a[p * d + p]) / (2 * off),
                       t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1)),
                       c = 1 / sqrt(t * t + 1), s = t * c;
                turn(d, a, p, q, 1, c, s);
                turn(d, a, p, q, d, c, s);
                turn(d, v, p, q, 1, c, s);
                left = 1;
            }
    }
}
