/* inq: curvature within spans that is measured, where their shape says how (shape.h).
 * SPDX-License-Identifier: MIT
 *
 * At x the slopes s of a component along its span are known. At v = radius from there, along U'c,
 *
 *     (f_i(x + v U'c) - f_i(x) - v c's)/v^2 - mu c'c/2 = c'Bc/2
 *
 * but for what is cubic. The shape says which c are asked, and what B follows. It is asked
 * once of every component that has a span, whoever guessed it; from then on B learns from changes. */
#include "base/eigen.h"
#include "base/vec.h"
#include "method/component/accuracy.h"
#include "method/component/row.h"
#include "method/component/sample.h"
#include "method/subspaces/shape.h"
#include "method/subspaces/subspaces.h"

static const shape_curvature *way_of(const inq *s)
{
    const shape_row *is = inq_shape(s);
    return is && s->base.set.own && inq_rule(s, RULE_MEASURED) ? is->curvature : NULL;
}

int curvature_fits(const inq *s) { return way_of(s) != NULL; }

int curvature_due(inq *s)
{
    if (!way_of(s) || !inq_at_last_point(s)) return 0;
    for (size_t i = 0; i < s->base.count; i++)
        s->mark[i] = s->spans[i].measured > 0 ? 0 : (unsigned char)s->spans[i].rank;
    method_marks(&s->base, s->mark, s->marks);
    for (size_t i = 0; i < s->base.n; i++)
        if (s->asked[i].renewed != s->points.count) s->marks[i] = 0; /* slopes at x are foretold */
    plan_by_rank(&s->plan, s->plan.order, s->sample.filled, s->marks);
    return s->plan.queued > 0;
}

void ask_curvature(inq *s, zo_fan *fan)
{
    size_t rank = plan_rank(&s->plan), d = s->base.d, count = way_of(s)->count(rank);
    uint64_t i;
    plan_ranked_chunk(&s->plan, fan, s->rows / count);
    fan->own = fan->sides = 1;
    fan->known = inq_valued(s);
    fan->radius = s->scale.length * inq_bend_part(s);
    fan->ndir = count;
    fan->dir = s->dir;
    for (size_t e = 0; inq_entry(s, fan, &e, &i); e++)
        for (size_t q = 0; q < count; q++) {
            double c[SPAN] = {0}, *to = s->dir + (e * count + q) * d;
            way_of(s)->point(rank, q, c);
            vec_zero(d, to);
            inq_span_add(s, i, c, to);
        }
}

/* half = c'Bc/2 at every point. */
static void read_halves(const inq *s, uint64_t i, const double *answers, double *half)
{
    const zo_fan *fan = &s->base.fan;
    size_t rank = inq_rank(s, i);
    double slope[SPAN], v = fan->radius, f = inq_curve(s, i)->f;
    inq_span_project(s, i, inq_row(s, i), slope);
    for (size_t k = 0; k < rank; k++) slope[k] += *inq_along(s, i, k);
    for (size_t q = 0; q < fan->ndir; q++) {
        double c[SPAN] = {0}, rise = fan->known ? answers[q] - f : answers[1 + q];
        way_of(s)->point(rank, q, c);
        half[q] =
            (rise / v - vec_dot(rank, c, slope)) / v - 0.5 * s->ridge.mu * vec_dot(rank, c, c);
    }
}

/* B -= sum of l vv' over eigenvalues l < 0: where a component bends downwards its model is flat. Models of sums that rise and
 * fall would cancel, and secants keep B positive, too. */
static void take_falls_out(size_t rank, double b[SPAN][SPAN])
{
    double a[SPAN * SPAN], v[SPAN * SPAN];
    for (size_t j = 0; j < rank; j++) vec_copy(rank, b[j], a + j * rank);
    eigen(rank, a, v);
    for (size_t k = 0; k < rank; k++) {
        double fall = a[k * rank + k];
        for (size_t j = 0; fall < 0 && j < rank; j++)
            for (size_t m = 0; m < rank; m++) b[j][m] -= fall * v[j * rank + k] * v[m * rank + k];
    }
}

void curvature_learn(inq *s, const double *answers)
{
    const zo_fan *fan = &s->base.fan;
    double half[SPAN * (SPAN + 1) / 2];
    uint64_t i;
    for (size_t e = 0; inq_entry(s, fan, &e, &i); e++) {
        double b[SPAN][SPAN] = {{0}};
        read_halves(s, i, answers + e * zo_fan_set(fan), half);
        way_of(s)->learn(inq_rank(s, i), half, b);
        take_falls_out(inq_rank(s, i), b);
        inq_keep_curvature(s, i, b);
        inq_span(s, i)->measured = 1;
    }
}
