/* inq: points where gradients were told, and who was asked at which.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/vec.h"
#include "method/component/sample.h"

void inq_keep_point(inq *s)
{
    vec_copy(s->base.d, inq_place(s), s->point + (size_t)(s->points.count % POINTS) * s->base.d);
    s->points.count++;
}

int inq_at_last_point(const inq *s)
{
    return s->points.count > 0 &&
           !memcmp(s->base.x, inq_point(s, s->points.count), s->base.d * sizeof(double));
}

int inq_all_told(const inq *s)
{
    for (size_t i = 0; i < s->base.n; i++)
        if (s->asked[i].renewed != s->points.count) return 0;
    return inq_at_last_point(s);
}

void inq_keep_values(inq *s, const double *answers)
{
    for (uint64_t i = s->base.first; i < inq_end(s); i++) inq_curve(s, i)->f = answers[i];
    s->points.valued = s->base.step + 1;
}

void inq_plan_stalest(inq *s, uint64_t count)
{
    uint64_t newest = s->points.count, oldest = newest;
    int here = inq_at_last_point(s);
    plan_clear(&s->plan);
    for (uint64_t k = 0; k < s->sample.filled; k++)
        if (s->asked[s->plan.order[k]].full < oldest) oldest = s->asked[s->plan.order[k]].full;
    for (uint64_t at = oldest; at + (uint64_t)here <= newest && s->plan.queued < count; at++)
        for (uint64_t k = 0; k < s->sample.filled && s->plan.queued < count; k++)
            if (s->asked[s->plan.order[k]].full == at) plan_add(&s->plan, s->plan.order[k]);
    if (s->plan.queued && !here) inq_keep_point(s);
}
