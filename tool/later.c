/* Stands in for what is still to come: a strong definition takes its place.
 * SPDX-License-Identifier: MIT */
#include "tool.h"

#include "base/error.h"

__attribute__((weak)) zo_status zo_find_optimum(zo_optimum *out, const zo_model *model, const zo_prox *psi,
                                                double relative, double *x, zo_error *err)
{
    (void)out, (void)model, (void)psi, (void)relative, (void)x;
    return fail(err, ZO_UNSUPPORTED, "optimum: this build cannot compute it yet");
}
