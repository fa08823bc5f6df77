/* What slopes at the end are off by, and the residual that is stated.
 * SPDX-License-Identifier: MIT
 *
 * A difference of length h_j is off by h_j/2 times what the models do not know of the curvature along axis j, and by what rounding
 * or noise e of residuals leaves. Random signs v around the end, t long in units of coordinates' sizes s_j, show how much the
 * models do not know, about as much along each axis:
 *
 *     c = 2 |sum_i h'_i (r_i(x + v) - m_i(v))|/t^2,   error_j^2 = (h_j c/(2 sqrt(d) s_j^2))^2 + 2 (e |h'|/h_j)^2 */
#include <math.h>

#include "base/vec.h"
#include "method/lm/lm.h"

double lm_astray(lm *s, const double *point, const double *r)
{
    size_t n = s->base.n, d = s->base.d;
    double length = 0, bends = 0;
    lm_weights(s, s->r, s->by, NULL);
    lm_foretell(s, point, s->rm);
    for (size_t i = 0; i < n; i++) bends += s->by[i] * (r[i] - s->rm[i]);
    for (size_t j = 0; j < d; j++)
        length = fmax(length, fabs(point[j] - s->centre[j]) / lm_probe_size(s, j));
    return length > 0 && length < PROBE_NEAR ? 2 * fabs(bends) / (length * length) : 0;
}

double lm_sure_residual(lm *s)
{
    size_t d = s->base.d;
    double *off = s->y;
    lm_weights(s, s->r, s->by, NULL);
    double noise = fmax(s->at->noise, ROUNDED * lm_size_now(s)) * vec_norm(s->base.n, s->by);
    for (size_t j = 0; j < d; j++) {
        double h = fabs(lm_fresh_length(s, j)), size = lm_probe_size(s, j);
        double bent = 0.5 * h * s->at->astray / (sqrt((double)d) * size * size);
        off[j] = sqrt(bent * bent + 2 * noise * noise / (h * h));
    }
    return fmax(lm_residual(s, off, 1), lm_residual(s, off, -1));
}
