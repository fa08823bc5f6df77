/* inq: changes of gradients that components have in common.
 * SPDX-License-Identifier: MIT
 *
 * Where the changes of all components point the same way, all second differences of a few components are asked for: their
 * mean W. If it foretells changes better than spans do, the Hessian of component i is w_i W from then on, w_i from its
 * values or its gradients. */
#include <math.h>

#include "base/vec.h"
#include "method/component/sample.h"
#include "method/subspaces/span.h"
#include "method/subspaces/subspaces.h"

/* ---- How much alike changes are -------------------------------------------------------------------- */

/* Of components asked together again that were last asked at the same point: the mean cosine between two of the changes of
 * their gradients, (|sum of directions|^2/count - 1)/(count - 1). */
void inq_close_changes(inq *s)
{
    double count = (double)s->shared.changes, square = vec_dot(s->base.d, s->unit_sum, s->unit_sum);
    s->shared.changes = 0;
    if (count >= LEAST_CHANGES) s->shared.alike = (square / count - 1) / (count - 1);
}

void inq_add_changes(inq *s, uint32_t point, uint64_t count, const double *directions)
{
    if (s->shared.changes && s->shared.changed_from != point) inq_close_changes(s);
    if (!s->shared.changes) vec_zero(s->base.d, s->unit_sum);
    s->shared.changed_from = point;
    s->shared.changes += count;
    vec_add(s->base.d, 1, directions, s->unit_sum);
}

/* ---- One matrix for all ---------------------------------------------------------------------------- */

/* Does the matrix of second differences stand for every component's Hessian? */
int inq_shares(const inq *s)
{
    return s->shared.state == RULES || (s->shared.state == ON_TRIAL && s->shared.alike > same_way);
}

static double most_for(const inq *s, double units)
{
    double d = (double)s->base.d;
    return units * (double)s->base.n * d / (0.5 * d * (d + 3) + 1);
}

/* So many components that their second differences cost a twentieth of a unit, one at least; 0: even that is more than can be
 * paid. */
size_t inq_whole_sample(const inq *s)
{
    double unit = (double)s->base.n * (double)s->base.d, most = most_whole_units;
    if (s->base.set.horizon > 0)
        most = fmin(most, whole_part * (s->base.set.horizon - (double)s->shared.begun) / unit);
    if (!s->whole || s->base.bounds || !inq_rule(s, RULE_SHARED)) return 0;
    double wanted = fmin(fmax(most_for(s, whole_units), 1), SPREAD);
    return (size_t)fmax(fmin(most_for(s, most), wanted), 0); /* nothing is left: below 0 */
}

int inq_whole_due(inq *s)
{
    s->shared.begun = s->sample.asked;
    s->shared.row = 0;
    return s->shared.state == NOT_ASKED && s->shared.alike > same_way && inq_whole_sample(s) > 0;
}

/* Row by row: with v = radius first along the axes from x, then from x + v e_j along e_k, k <= j. */
void ask_whole(inq *s, zo_fan *fan)
{
    size_t d = s->base.d, count = inq_whole_sample(s), row = (size_t)s->shared.row;
    for (size_t e = 0; e < count; e++) s->comp[e] = s->plan.order[e * s->base.n / count];
    fan->comp = s->comp;
    fan->ncomp = count;
    fan->sides = 1;
    fan->radius = whole_away * fmax(1, vec_norm(d, s->base.x));
    vec_copy(d, s->base.x, s->cand);
    if (row) s->cand[row - 1] += fan->radius;
    fan->base[0] = s->cand;
    fan->naxis = row ? row : d;
    fan->axis = s->axes;
}

/* H_jk = ((f(x + v e_j + v e_k) - f(x + v e_j)) - (f(x + v e_k) - f(x)))/v^2 of the mean; unit_sum keeps the second bracket. */
inq_next shared_learn_whole(inq *s, const double *answers)
{
    size_t d = s->base.d, row = (size_t)s->shared.row++;
    double v = s->base.fan.radius;
    for (size_t k = 0; k < d && !row; k++) s->unit_sum[k] = answers[1 + k];
    for (size_t k = 0; k < row; k++)
        s->whole[(row - 1) * d + k] = s->whole[k * d + row - 1] =
            (answers[1 + k] - s->unit_sum[k]) / (v * v);
    if (row < d) return ASKED;
    s->shared.state = ON_TRIAL;
    s->shared.error = s->shared.span_error = s->shared.total = 0;
    return ROUND;
}

double inq_weight(const inq *s, uint64_t i)
{
    double weight = inq_span(s, i)->weight;
    return weight > 0 ? weight : 1;
}

double inq_mean_weight(inq *s) { return inq_total(s, inq_weight) / (double)s->sample.filled; }

static void keep_weight(inq *s, uint64_t i, double w)
{
    if (w > least_weight && w < most_weight) inq_span(s, i)->weight = w;
}

/* What spans leave of a change, squared. */
static double span_error(inq *s, uint64_t i, const double *change, const double *step)
{
    size_t rank = inq_rank(s, i);
    double b[SPAN][SPAN], t[SPAN], pull[SPAN] = {0}, *rest = s->told;
    inq_span_curvature(s, i, b);
    inq_span_project(s, i, step, t);
    for (size_t k = 0; k < rank; k++)
        for (size_t j = 0; j < rank; j++) pull[k] -= b[k][j] * t[j];
    vec_copy(s->base.d, change, rest);
    inq_span_add(s, i, pull, rest);
    return vec_dot(s->base.d, rest, rest);
}

/* change = J_new - J - mu D over the step D: how well is it foretold? */
void inq_compare_shared(inq *s, uint64_t i, const double *change, const double *step,
                        comparison *to)
{
    size_t d = s->base.d;
    if (s->shared.state != ON_TRIAL && s->shared.state != RULES) return;
    double along = 0, size = 0, whole = 0;
    for (size_t j = 0; j < d; j++) {
        double told = vec_dot(d, s->whole + j * d, step), is = change[j] + s->ridge.mu * step[j];
        along += told * is;
        size += told * told;
        whole += is * is;
    }
    if (!(size > 0)) return;
    double w = along / size, used = inq_weight(s, i);
    to->whole_error += fmax(whole - w * along, 0);
    to->whole_total += whole;
    to->secant_error += span_error(s, i, change, step);
    to->outside += fmax(whole - 2 * used * along + used * used * size, 0);
    to->inside += used * used * size;
    keep_weight(s, i, w);
}

void inq_add_comparison(inq *s, const comparison *sum)
{
    s->shared.error += sum->whole_error;
    s->shared.total += sum->whole_total;
    s->shared.span_error += sum->secant_error;
}

/* After components were asked again: the matrix stays as long as it foretells nearly all of every change, and more than
 * spans do. */
void inq_judge_shared(inq *s)
{
    if ((s->shared.state != ON_TRIAL && s->shared.state != RULES) || !(s->shared.total > 0)) return;
    s->shared.state =
        s->shared.error < fmin(foretold * s->shared.total, s->shared.span_error) ? RULES : FAILED;
    s->shared.error = s->shared.span_error = s->shared.total = 0;
}

/* Values at z of all components: with p = z - x, f(z) - f(x) - J'p = (w/2) p'Wp where J is the gradient at x. */
void inq_weigh(inq *s, const double *z, const double *values)
{
    method *m = &s->base;
    double *p = s->work, bend = 0;
    if (!inq_shares(s) || !inq_rule(s, RULE_WEIGH)) return;
    for (size_t j = 0; j < m->d; j++) p[j] = z[j] - m->x[j];
    for (size_t j = 0; j < m->d; j++) bend += p[j] * vec_dot(m->d, s->whole + j * m->d, p);
    for (uint64_t i = m->first; i < inq_end(s) && bend > 0; i++) {
        if (s->asked[i].full != s->points.count || !inq_at_last_point(s)) continue;
        double f = inq_curve(s, i)->f, rise = values[i] - f - vec_dot(m->d, inq_row(s, i), p);
        if (fabs(rise) > rise_seen * fabs(f)) keep_weight(s, i, 2 * rise / bend);
    }
}
