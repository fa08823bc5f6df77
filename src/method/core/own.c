/* A method of the user's, as a row like any other: zo_new_with.
 * SPDX-License-Identifier: MIT */
#include "method/core/own.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "method/core/gauge.h"

static const zo_method *with(const method *m) { return ((const own_row *)m->row)->with; }

static zo_status own_open(method *m, zo_error *err)
{
    const zo_method *w = with(m);
    m->gauged = GAUGED; /* the radius is its own affair */
    if (w->open && w->open(w->ctx, m->n, m->d, &m->set, m->psi))
        return fail(err, ZO_PROBLEM, "method: %s could not be opened", w->name);
    if (w->nstate && !w->state)
        return fail(err, ZO_BAD_ARGUMENT, "method: the state of %s is NULL", w->name);
    if (w->nstate) state_array(m, "own", w->state, w->nstate);
    return ZO_OK;
}

static int own_ask(method *m, zo_fan *fan)
{
    return !m->ended && with(m)->ask(with(m)->ctx, m->x, fan);
}

/* Its point is brought into the bounds, where F is looked at; one that is none ends the run where it was. */
static void own_tell(method *m, const double *answers)
{
    vec_copy(m->d, m->x, m->scratch);
    int moved = with(m)->tell(with(m)->ctx, &m->fan, answers, m->x, &m->residual);
    for (size_t j = 0; j < m->d; j++)
        if (!isfinite(m->x[j])) {
            snprintf(m->warning, sizeof m->warning, "%s went to x[%zu] = %g", with(m)->name, j,
                     m->x[j]);
            m->ended = ZO_AT_NONFINITE;
            vec_copy(m->d, m->scratch, m->x);
            return;
        }
    method_clamp(m, m->x);
    m->step += moved != 0;
}

zo_status own_fill(own_row *own, const zo_method *w, zo_error *err)
{
    size_t room = sizeof((zo_settings *)0)->method;
    if (!w->ask || !w->tell) return fail(err, ZO_BAD_ARGUMENT, "method: it has no ask or no tell");
    if (!w->name || !*w->name || strlen(w->name) >= room)
        return fail(err, ZO_BAD_ARGUMENT, "method: its name '%s' has not 1 to %zu letters",
                    w->name ? w->name : "", room - 1);
    if (method_find(w->name))
        return fail(err, ZO_BAD_ARGUMENT, "method: '%s' is the name of one that is here already",
                    w->name);
    *own = (own_row){.row = {.info = {.name = w->name,
                                      .summary = "a method of yours",
                                      .cost = "its own",
                                      .reference = "",
                                      .settings = ""},
                             .size = sizeof(method),
                             .open = own_open,
                             .ask = own_ask,
                             .tell = own_tell},
                     .with = w};
    return ZO_OK;
}
