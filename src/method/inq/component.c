/* inq: kinds of component models.
 * SPDX-License-Identifier: MIT */
#include "method/inq/component.h"

#include "method/inq/evidence.h"
#include "method/inq/row.h"

static void curve_gradient(const inq *s, uint64_t i, double *to)
{
    inq_row_put(s, i, s->slope[inq_at(s, i)], to);
}

/* The last that was asked. */
static void subspace_gradient(const inq *s, uint64_t i, double *to) { inq_row_put(s, i, 1, to); }

static double no_error(const inq *s)
{
    (void)s;
    return 0;
}

static void nothing(inq *s) { (void)s; }

static const component_kind kinds[] = {
    {.name = "curve",
     .foretell = inq_curve_model,
     .gradient = curve_gradient,
     .error = no_error,
     .learn_gradients = inq_learn_gradient,
     .learn_values = inq_learn_values,
     .moved = inq_project,
     .least_judges = LEAST_FRESH,
     .keeps_points = 1,
     .recentres = 1,
     .has_ridge = 1,
     .says_residual = 1,
     .trusts_steps = 1},
    {.name = "subspace",
     .foretell = inq_span_model,
     .gradient = subspace_gradient,
     .error = inq_stale_error,
     .learn_gradients = inq_learn_again,
     .learn_values = inq_keep_values,
     .moved = nothing,
     .least_judges = FRESH_FOR_SPANS},
};

const component_kind *inq_kind(const inq *s) { return &kinds[s->spans_on]; }
