/* The sentence about an answer that cannot be used.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "problem/gather.h"
#include "solve/solver.h"

/* Where the k-th answer comes from. A mean does not say; what answered in zo_run may have seen it. */
static flaw find(const zo_solver *s, const double *answers, size_t k)
{
    const zo_problem *p = &s->problem;
    size_t set = zo_fan_set(s->asked);
    const flaw *seen = NULL;
    if (s->asked->each) return (flaw){1, k / set, k % set, answers[k]};
    if (answers == s->answers && s->callback)
        seen = callback_flawed(s->callback);
    else if (answers == s->answers && p->inside && p->inside->flawed)
        seen = p->inside->flawed(p->ctx);
    return seen && seen->found ? *seen : (flaw){0, 0, k, answers[k]};
}

void solver_note_flaw(zo_solver *s, const double *answers, size_t k)
{
    const zo_fan *fan = s->asked;
    flaw f = find(s, answers, k);
    unsigned long long last = s->queries + s->pending, before = last - zo_fan_queries(fan);
    size_t set = zo_fan_set(fan);
    s->flawed = f.value;
    if (f.found)
        snprintf(s->flaw, sizeof s->flaw, "f_%zu was %.3g at query %llu",
                 gather_component(fan, f.entry), f.value, before + f.entry * set + f.point + 1);
    else
        snprintf(s->flaw, sizeof s->flaw,
                 "a mean over %zu components was %.3g in queries %llu to %llu", fan->ncomp, f.value,
                 before + 1, last);
    if (!*s->first_flaw) snprintf(s->first_flaw, sizeof s->first_flaw, "%s", s->flaw);
}

static const char *advice(const zo_solver *s)
{
    if (isfinite(s->flawed)) return "beyond 1e150 squares overflow, scale f down";
    if (s->given.nonfinite == ZO_STOP)
        return "nonfinite=retry would ask again, nonfinite=reject go half-way back";
    if (!s->begun && s->method->step == 0)
        return "f cannot be evaluated at the start; begin at a point where it can";
    if (s->tries <= 1 && s->method->step == 0) /* there was nowhere to go back to */
        return "f cannot be evaluated at the start, or around it; begin at a point where it can";
    return "going half-way back did not help";
}

void solver_warn_of_flaw(zo_solver *s)
{
    snprintf(s->warning, sizeof s->warning, "%s: %s", s->flaw, advice(s));
}

void solver_note_look(zo_solver *s, const zo_fan *fan, const double *answers, double f)
{
    const zo_problem *p = &s->problem;
    const flaw *seen = NULL;
    size_t e = 0;
    if (s->callback)
        seen = callback_flawed(s->callback);
    else if (p->inside && p->inside->flawed)
        seen = p->inside->flawed(p->ctx);
    while (fan->each && e + 1 < fan->ncomp && isfinite(answers[e])) e++;
    if (fan->each)
        snprintf(s->flaw, sizeof s->flaw, "f_%zu was %.3g", gather_component(fan, e), answers[e]);
    else if (seen && seen->found)
        snprintf(s->flaw, sizeof s->flaw, "f_%zu was %.3g", gather_component(fan, seen->entry),
                 seen->value);
    else
        snprintf(s->flaw, sizeof s->flaw, "F was %.3g", f);
}

void solver_warn_of_start(zo_solver *s)
{
    if (s->reason != ZO_AT_QUERIES || s->queries || !*s->flaw || !isnan(s->best_objective)) return;
    snprintf(s->warning, sizeof s->warning,
             "no step was taken: f cannot be evaluated at the start, %s; begin at a point where it "
             "can, or give queries to ask again with",
             s->flaw);
}

void solver_warn_of_failures(zo_solver *s)
{
    if (*s->warning || !*s->first_flaw) return;
    snprintf(s->warning, sizeof s->warning,
             "f could not be evaluated at some points (first %s), which were refused, or asked "
             "otherwise",
             s->first_flaw);
}
