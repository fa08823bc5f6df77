/* What is left of a budget that does not pay for a method's first step.
 * SPDX-License-Identifier: MIT */
#include "solve/rest.h"

#include <math.h>

#include "base/rng.h"
#include "base/vec.h"
#include "prox/prox.h"

static const double first_part = 0.1; /* of max(1, |x|) */

rest rest_begin(zo_solver *s)
{
    return (rest){.s = s, .length = first_part * fmax(1, vec_norm(s->problem.d, s->method->x))};
}

void rest_point(rest *r, double *x)
{
    zo_solver *s = r->s;
    size_t d = s->problem.d;
    rng_normals(s->given.seed, FOR_CHECK, UINT64_MAX, (uint32_t)r->drawn, d, x);
    double size = vec_norm(d, x), scale = (r->down ? -1 : 1) * r->length / (size > 0 ? size : 1);
    for (size_t j = 0; j < d; j++) x[j] = s->best[j] + scale * x[j];
    if (!isfinite(prox_value(&s->problem.psi, d, x)))
        prox_apply(&s->problem.psi, d, 1, x, x, s->work);
}

void rest_told(rest *r, int better)
{
    if (better) r->length *= 2; /* the same way again */
    if (!better && r->down) r->length *= 0.5;
    if (!better && r->down) r->drawn++;
    if (!better) r->down = !r->down;
}
