/* inq: the question of each phase.
 * SPDX-License-Identifier: MIT */
#include "method/inq/inq.h"

/* ---- Gradients ----------------------------------------------------------------------------------- */

void ask_gradients(inq *s, zo_fan *fan)
{
    plan_chunk(&s->plan, fan, s->chunk);
    fan->base[0] = inq_place(s);
    fan->naxis = s->base.d;
}

/* ---- Values -------------------------------------------------------------------------------------- */

static void ask_at(zo_fan *fan, const double *at, const uint64_t *list, uint64_t count, int each)
{
    fan->base[0] = at;
    fan->comp = count == fan->n ? NULL : list;
    fan->ncomp = (size_t)count;
    fan->each = each;
}

void ask_fresh(inq *s, zo_fan *fan) /* few, and everybody judges by them */
{
    ask_at(fan, s->base.x, s->plan.order + s->sample.size, s->step.judges, 1);
}

void ask_try(inq *s, zo_fan *fan)
{
    const double *z = s->cand + s->step.pick * s->base.d;
    if (inq_all(s))
        ask_at(fan, z, NULL, s->base.n, method_each(&s->base));
    else
        ask_at(fan, z, s->plan.order + s->sample.size, s->step.judges, 1);
}

void ask_values(inq *s, zo_fan *fan)
{
    ask_at(fan, s->base.x, s->plan.order, s->sample.size, method_each(&s->base));
}

void ask_entered(inq *s, zo_fan *fan)
{
    ask_at(fan, s->base.x, s->plan.order + s->sample.begin, s->sample.size - s->sample.begin,
           method_each(&s->base));
}
