/* inq with noise: components that depend on a few coordinates, through one index or several?
 * SPDX-License-Identifier: MIT
 *
 * Each component is asked along its gradient u_i, and within its support across it. Where few bend across u_i, they have one
 * index each, and curves say more than supports do. */
#include "base/vec.h"
#include "method/inq/support.h"

static double square(double v) { return v * v; }

/* v = signs within S_i, without what is along u_i, from which the forward error (r/2) bend u_j^2 is taken out; as long as the
 * move of a test. 0: it says nothing. */
static int put_across(inq *s, uint64_t i, double length, double *v)
{
    size_t d = s->base.d, rank = support_rank(s, i);
    const double *row = inq_row(s, i);
    double forward =
        s->base.set.sides == 1 ? 0.5 * method_radius(&s->base, 1) * inq_span(s, i)->weight : 0;
    double u[SPAN], part = 0, along = 0, far = 0;
    vec_zero(d, v);
    if (rank < 2 || rank == WIDE || !(support_error(s, i) < most_angle)) return 0;
    for (size_t k = 0; k < rank; k++) {
        size_t j = support_at(s, i, k);
        u[k] = inq_curve(s, i)->size * row[j] - forward * row[j] * row[j];
        along += s->work[j] * u[k];
        part += u[k] * u[k];
    }
    for (size_t k = 0; k < rank; k++) {
        size_t j = support_at(s, i, k);
        v[j] = s->work[j] - along / part * u[k];
        far += v[j] * v[j];
    }
    vec_scale(d, far > 0 ? length / sqrt(far) : 0, v);
    return far > 0;
}

void ask_inside(inq *s, zo_fan *fan)
{
    size_t d = s->base.d;
    double length = support_move(s, s->work);
    fan->comp = s->plan.order;
    fan->ncomp = s->supports.supported < SPREAD ? (size_t)s->supports.supported : SPREAD;
    for (size_t e = 0; e < fan->ncomp; e++) {
        uint64_t i = fan->comp[e];
        if (!method_mine(&s->base, i)) continue;
        double *to = s->dir + e * d;
        if (s->base.stage == ASK_INSIDE)
            put_across(s, i, length, to);
        else
            for (size_t j = 0; j < d; j++) to[j] = length * inq_row(s, i)[j];
    }
    fan->each = method_each(&s->base);
    fan->own = 1;
    fan->sides = 2;
    fan->ndir = 1;
    fan->dir = s->dir;
    fan->radius = 1;
}

static double bend_told(const inq *s, const double *answers, size_t e, double length)
{
    const zo_fan *fan = &s->base.fan;
    return second_difference(fan, answers + e * zo_fan_set(fan), 0, 0) / (length * length) -
           s->outside.mu;
}

void support_learn_along(inq *s, const double *answers)
{
    const zo_fan *fan = &s->base.fan;
    double length = support_move(s, s->work);
    for (size_t e = 0; e < fan->ncomp; e++)
        if (method_mine(&s->base, fan->comp[e]))
            inq_span(s, fan->comp[e])->weight = bend_told(s, answers, e, length);
}

/* Does it bend across u_i by more than noise, and than an error of u_i makes of its bend along u_i? */
static int bends_across(const inq *s, uint64_t i, double bend, double length)
{
    double off = angle_least + 4 * square(support_error(s, i)),
           noise = sqrt(6) * s->base.set.noise / (length * length);
    return !(fabs(bend) <= off * fabs(inq_span(s, i)->weight) + changed_clear * noise);
}

/* Of components of one index curves say more than supports do, unless noise hides their directions. */
int support_one_index(inq *s, const double *answers)
{
    method *m = &s->base;
    const zo_fan *fan = &m->fan;
    double length = support_move(s, s->work), count[3];
    for (size_t e = 0; e < fan->ncomp; e++) {
        if (!method_mine(m, fan->comp[e])) continue;
        int says = put_across(s, fan->comp[e], length, s->lost);
        s->entry[3 * e] = says;
        s->entry[3 * e + 2] = support_error(s, fan->comp[e]) < sharp_angle;
        s->entry[3 * e + 1] =
            says && bends_across(s, fan->comp[e], bend_told(s, answers, e, length), length);
    }
    method_sum(m, fan->ncomp, fan->comp, 3, s->entry, count, s->tree, s->index);
    return !(count[1] > most_across * count[0] || 2 * count[2] < (double)fan->ncomp);
}
