/* inq with noise: which coordinates components depend on.
 * SPDX-License-Identifier: MIT
 *
 * Each axis a long way is d queries. Where components are known to depend on r coordinates or so, coordinates are moved in
 * groups of size b first, and then one by one in those groups that matter: d/b + r b queries, 2 sqrt(r d) at best. */
#include "base/vec.h"
#include "method/inq/support.h"

/* ---- In full ------------------------------------------------------------------------------------ */

/* To find supports: along each axis a long way, which shows more than slopes do. After a test both ways, at x or, every other
 * time, where all have been moved: what two coordinates do together shows there only. */
static void ask_far(inq *s, zo_fan *fan, int sides, double moved)
{
    plan_chunk(&s->plan, fan, sides > s->base.set.sides ? (s->chunk + 1) / 2 : s->chunk);
    fan->naxis = s->base.d;
    fan->sides = sides;
    fan->radius = support_move(s, s->lost);
    vec_scale(s->base.d, moved, s->lost);
    vec_add(s->base.d, 1, s->base.x, s->lost);
    method_clamp(&s->base, s->lost);
    fan->base[0] = s->lost;
}

void ask_axes(inq *s, zo_fan *fan) { ask_far(s, fan, 1, 0); }
void ask_wider(inq *s, zo_fan *fan) { ask_far(s, fan, 2, (double)(s->supports.trials % 2)); }

/* What f_i changes by along axis j, up or down, but for the ridge; a: the changes at fan->base. */
static double change_along(const inq *s, const double *a, size_t j, int down)
{
    const zo_fan *fan = &s->base.fan;
    double r = fan->radius, way = down ? -r : r;
    return a[j * (size_t)fan->sides + (size_t)down] -
           s->outside.mu * (way * fan->base[0][j] + 0.5 * r * r);
}

/* The noise of f_i(base) is in all changes: most are nothing else, and their mean is that. */
static void widen(inq *s, uint64_t i, const double *a)
{
    size_t d = s->base.d;
    int sides = s->base.fan.sides;
    double mean = 0, count = 0, clear = shown_clear * sqrt(2) * s->base.set.noise;
    for (size_t j = 0; j < d; j++)
        for (int k = 0; k < sides; k++) {
            double change = change_along(s, a, j, k);
            if (!(fabs(change) <= clear)) continue;
            mean += change;
            count++;
        }
    mean /= fmax(count, 1);
    for (size_t j = 0; j < d; j++)
        for (int k = 0; k < sides; k++)
            if (!(fabs(change_along(s, a, j, k) - mean) <= clear)) support_add(s, i, j);
}

void support_learn_wider(inq *s, const double *answers)
{
    const zo_fan *fan = &s->base.fan;
    size_t set = zo_fan_set(fan);
    for (size_t e = 0; e < fan->ncomp; e++)
        if (method_mine(&s->base, fan->comp[e])) widen(s, fan->comp[e], answers + e * set + 1);
}

void support_learn_axes(inq *s, const double *answers)
{
    for (size_t e = 0; e < s->base.fan.ncomp; e++)
        if (method_mine(&s->base, s->base.fan.comp[e]))
            *inq_span(s, s->base.fan.comp[e]) = (span){0};
    support_learn_wider(s, answers);
}

/* ---- In groups ---------------------------------------------------------------------------------- */

/* Group k: coordinates from k size on. */
static size_t group_end(const inq *s, size_t k)
{
    size_t end = (k + 1) * (size_t)s->groups.size;
    return end < s->base.d ? end : s->base.d;
}

static size_t groups(const inq *s)
{
    return (s->base.d + (size_t)s->groups.size - 1) / (size_t)s->groups.size;
}

int support_in_groups(inq *s)
{
    inq_mark_ranks(s);
    double d = (double)s->base.d, rank = support_mean_rank(s);
    s->groups.size = (uint64_t)fmax(floor(sqrt(d / rank)), 1);
    double size = (double)s->groups.size;
    return d / size + rank * size < grouped_part * d && groups(s) <= SPREAD &&
           inq_rule(s, RULE_GROUPS);
}

/* All components that are not in the sample, each group moved. */
void ask_groups(inq *s, zo_fan *fan)
{
    size_t d = s->base.d, count = groups(s);
    support_move(s, s->work);
    vec_zero(count * d, s->dir);
    for (size_t k = 0, j = 0; k < count; k++)
        for (; j < group_end(s, k); j++) s->dir[k * d + j] = s->work[j];
    plan_chunk(&s->plan, fan, s->chunk);
    fan->ndir = count;
    fan->dir = s->dir;
    fan->radius = 1;
    fan->sides = 1;
}

/* marks of a list of changes those that are clear of noise, and of the one that all have in common: that of f_i(x). */
static void tell_clear(const inq *s, size_t count, const double *change, unsigned char *clear_of)
{
    double mean = 0, within = 0, clear = shown_clear * sqrt(2) * s->base.set.noise;
    for (size_t k = 0; k < count; k++) {
        if (!(fabs(change[k]) <= clear)) continue;
        mean += change[k];
        within++;
    }
    mean /= fmax(within, 1);
    for (size_t k = 0; k < count; k++) clear_of[k] = !(fabs(change[k] - mean) <= clear);
}

/* What |x|^2/2 changes by where coordinate j is moved. */
static double ridge_change(const inq *s, size_t j)
{
    return s->base.x[j] * s->work[j] + 0.5 * s->work[j] * s->work[j];
}

/* The groups that matter take the place of the support; more than are cheap to look into: it is wide. */
static void learn_groups(inq *s, uint64_t i, const double *a)
{
    size_t count = groups(s), held = 0, size = (size_t)s->groups.size;
    double change[SPREAD];
    unsigned char shown[SPREAD];
    for (size_t k = 0, j = 0; k < count; k++) {
        change[k] = a[k];
        for (; j < group_end(s, k); j++) change[k] -= s->outside.mu * ridge_change(s, j);
    }
    tell_clear(s, count, change, shown);
    for (size_t k = 0; k < count; k++)
        if (shown[k] && held++ < SPAN) inq_layer(s, i, 0)[held - 1] = (float)k;
    if (held > SPAN || 2 * held * size > s->base.d || held * size > SPREAD) held = WIDE;
    *inq_span(s, i) = (span){.rank = (double)held};
}

/* The queue: those that have groups to be looked into, by their number. */
void support_list_members(inq *s)
{
    inq_mark_ranks(s);
    plan_by_rank(&s->plan, s->plan.order + s->supports.supported, s->base.n - s->supports.supported,
                 s->marks);
}

void support_learn_groups(inq *s, const double *answers)
{
    const zo_fan *fan = &s->base.fan;
    size_t set = zo_fan_set(fan);
    support_move(s, s->work);
    for (size_t e = 0; e < fan->ncomp; e++) {
        uint64_t i = fan->comp[e];
        if (!method_mine(&s->base, i)) continue;
        inq_curve(s, i)->f = answers[e * set];
        learn_groups(s, i, answers + e * set + 1);
    }
}

/* The coordinates of the groups of component i, one behind the other; returns how many. */
static size_t list_axes(const inq *s, uint64_t i, size_t *axis)
{
    size_t count = 0;
    for (size_t k = 0; k < support_rank(s, i); k++) {
        size_t q = support_at(s, i, k);
        for (size_t j = q * (size_t)s->groups.size; j < group_end(s, q); j++) axis[count++] = j;
    }
    return count;
}

/* Each component along the axes of its groups; rows beyond the last coordinate move nothing. */
void ask_members(inq *s, zo_fan *fan)
{
    size_t d = s->base.d, rank = plan_rank(&s->plan), rows = rank * (size_t)s->groups.size,
           axis[SPREAD];
    size_t most = (s->chunk > SPREAD ? s->chunk : SPREAD) / (rank == WIDE ? 1 : rows);
    double length = support_move(s, s->work);
    if (rank == WIDE && most > s->chunk) most = s->chunk;
    plan_ranked_chunk(&s->plan, fan, most);
    fan->sides = 1;
    if (rank == WIDE) {
        fan->naxis = d;
        fan->radius = length;
        return;
    }
    fan->own = fan->known = 1;
    fan->ndir = rows;
    fan->dir = s->dir;
    fan->radius = 1;
    vec_zero(fan->ncomp * rows * d, s->dir);
    for (size_t e = 0; e < fan->ncomp; e++) {
        if (!method_mine(&s->base, fan->comp[e])) continue;
        size_t count = list_axes(s, fan->comp[e], axis);
        for (size_t k = 0; k < count; k++) s->dir[(e * rows + k) * d + axis[k]] = s->work[axis[k]];
    }
}

static void learn_members(inq *s, uint64_t i, const double *values)
{
    size_t axis[SPREAD], count = list_axes(s, i, axis);
    double change[SPREAD];
    unsigned char shown[SPREAD];
    for (size_t k = 0; k < count; k++)
        change[k] = (values[k] - inq_curve(s, i)->f) - s->outside.mu * ridge_change(s, axis[k]);
    tell_clear(s, count, change, shown);
    *inq_span(s, i) = (span){0};
    for (size_t k = 0; k < count; k++)
        if (shown[k]) support_add(s, i, axis[k]);
}

void support_learn_members(inq *s, const double *answers)
{
    const zo_fan *fan = &s->base.fan;
    size_t set = zo_fan_set(fan);
    int wide = plan_rank(&s->plan) == WIDE;
    support_move(s, s->work);
    for (size_t e = 0; e < fan->ncomp; e++) {
        uint64_t i = fan->comp[e];
        if (!method_mine(&s->base, i)) continue;
        if (wide) {
            *inq_span(s, i) = (span){0};
            widen(s, i, answers + e * set + 1);
        } else {
            learn_members(s, i, answers + e * set);
        }
    }
}
