/* inq: components that depend on a few coordinates each. The gradient, the ridge taken out, has as few entries, and their axes
 * are the span.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "method/subspaces/shape.h"

static int by_size(const void *a, const void *b)
{
    double u = *(const double *)a, v = *(const double *)b;
    return (u > v) - (u < v);
}

/* Where most entries of a gradient at z are the ridge's alone, mu is the median of J_j/z_j. */
static double ridge_of(size_t d, const double *gradient, const double *z, double *ratio)
{
    size_t count = 0;
    for (size_t j = 0; j < d; j++)
        if (z[j] != 0) ratio[count++] = gradient[j] / z[j];
    qsort(ratio, count, sizeof *ratio, by_size);
    return count ? ratio[count / 2] : 0;
}

static double ridge_at(inq *s, const double *gradient, const double *z)
{
    return ridge_of(s->base.d, gradient, z, s->told);
}

/* Coordinates that f_i depends on as far as its gradient at z shows; more than SPAN: not few. */
static size_t axes_of(inq *s, const double *gradient, const double *z, size_t *axis)
{
    size_t d = s->base.d, count = 0;
    double mu = ridge_at(s, gradient, z), most = 0;
    for (size_t j = 0; j < d; j++) most = fmax(most, fabs(gradient[j] - mu * z[j]));
    for (size_t j = 0; j < d && count <= SPAN; j++)
        if (fabs(gradient[j] - mu * z[j]) > fmax(no_entry * most, inq_blur(s))) {
            if (count < SPAN) axis[count] = j;
            count++;
        }
    return count;
}

static int suits(const inq *s, size_t outputs)
{
    (void)s;
    return outputs == 1;
}

static int span_of(inq *s, form f, const sight *g, double *rows, size_t *rank)
{
    size_t axis[SPAN], d = s->base.d;
    (void)f;
    *rank = axes_of(s, g->gradient, g->z, axis);
    if (*rank > s->layers || 2 * *rank > d) return 0;
    if (rows) vec_zero(*rank * d, rows);
    for (size_t k = 0; k < *rank && rows; k++) rows[k * d + axis[k]] = 1;
    return 1;
}

/* So few that all second differences are cheap beside a gradient. */
static int fewer_of(inq *s, form f, const sight *g, double *rows, size_t *rank)
{
    return span_of(s, f, g, rows, rank) &&
           (double)all_second_differences.count(*rank) <= measured_part * (double)s->base.d;
}

const shape_row shape_axes = {.says = "components depend on few coordinates each",
                              .axes = 1,
                              .suits = suits,
                              .span = span_of,
                              .ridge_at = ridge_at};
const shape_row shape_fewer_axes = {.says = "components depend on few coordinates each",
                                    .special = 1,
                                    .axes = 1,
                                    .suits = suits,
                                    .span = fewer_of,
                                    .ridge_at = ridge_at,
                                    .curvature = &all_second_differences};
