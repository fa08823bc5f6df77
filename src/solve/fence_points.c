/* The fence: points of a question, and what each is made of within bounds.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/vec.h"
#include "problem/problem.h"
#include "solve/fence_parts.h"

static const double fine_reach = 2e-6; /* of max(1, |x|): differences for slopes alone */

int fence_is_fine(const fence *f, const double *x, double reach)
{
    return f->of.sides == 1 && reach <= fine_reach * fmax(1, vec_norm(f->box.d, x));
}

static double row_reach(const fence *f, const double *p)
{
    double most = 0;
    for (size_t j = 0; j < f->box.d; j++) most = fmax(most, fabs(p[j]));
    return most;
}

void fence_displacement(fence *f, size_t entry, size_t point, double *p)
{
    const zo_fan *of = &f->of;
    size_t k = point - !of->known, direction = k / (size_t)of->sides;
    double r = fan_reach(of, direction, k % (size_t)of->sides);
    if (direction < of->naxis) {
        vec_zero(f->box.d, p);
        p[fence_axis(of, direction)] = r;
        return;
    }
    size_t row = direction - of->naxis + (of->own ? entry * of->ndir : 0);
    for (size_t j = 0; j < f->box.d; j++) p[j] = r * of->dir[row * of->d + j];
}

recipe fence_recipe(fence *f, size_t entry, size_t point)
{
    fence_displacement(f, entry, point, f->point);
    return recipe_row(&f->box, f->of.base[0], f->point,
                      fence_is_fine(f, f->of.base[0], row_reach(f, f->point)));
}

double fence_mix(const recipe *r, const double *a, double base)
{
    double sum = r->base != 0 ? r->base * base : 0;
    for (size_t e = 0; e < r->count; e++) sum += r->c[e] * a[r->at[e]];
    return sum;
}
