/* inq: the curvature that spans miss, and the ridge beside it.
 * SPDX-License-Identifier: MIT
 *
 * Second differences of a few components along directions u where M is weak, and strong, show mu and
 * gam, the curvature there is over that spans show:
 *
 *     u'(mean f_i'')u = gam u'(mean U'BU)u + mu. */
#include <math.h>

#include "base/rng.h"
#include "base/vec.h"
#include "method/component/ridge.h"
#include "method/component/sample.h"
#include "method/subspaces/span.h"
#include "method/subspaces/subspaces.h"

void scaling_begin(inq *s)
{
    s->scaling.gam = 1;
    s->scaling.times = 0;
}

void scaling_complete(inq *s) { s->scaling.gam = 1; }

/* u'U'BUu of one component */
static double curvature_along(const inq *s, uint64_t i, const double *u)
{
    double b[SPAN][SPAN], t[SPAN], sum = 0;
    inq_span_curvature(s, i, b);
    inq_span_project(s, i, u, t);
    for (size_t k = 0; k < inq_rank(s, i); k++)
        for (size_t j = 0; j < inq_rank(s, i); j++) sum += t[k] * b[k][j] * t[j];
    return sum;
}

/* Eight directions into cand, of the length they are asked at: four weak in M, four strong. */
void inq_scale_directions(inq *s)
{
    method *m = &s->base;
    double unit = s->model.bend / (double)m->d, far = fmax(1, vec_norm(m->d, m->x));
    quad q = inq_quad(s, scaling_floor * unit);
    q.ridge = 0;
    for (uint32_t k = 0; k < CANDIDATES; k++) {
        double *u = s->cand + k * m->d;
        rng_normals(m->set.seed, FOR_CURVATURE, m->step, k, m->d, s->work);
        vec_copy(m->d, s->work, u);
        if (k < CANDIDATES / 2)
            quad_inverse(&q, &s->room, u);
        else
            quad_multiply(&q, &s->room, s->work, u);
        double size = vec_norm(m->d, u);
        if (!(size > 0) || !isfinite(size)) {
            vec_copy(m->d, s->work, u);
            size = vec_norm(m->d, u);
        }
        vec_scale(m->d, 1 / size, u);
        quad_multiply(&q, &s->room, u, s->work);
        double bend = vec_dot(m->d, u, s->work) / fmax(s->scaling.gam, least_scale);
        double away = fmin(scaling_away / sqrt(fmax(bend, flattest)), scaling_away * far);
        s->scaling.away[k] = away;
        vec_scale(m->d, away, u);
    }
}

/* chosen = components to measure on, spread evenly; 0: too few have a curvature. */
int inq_choose_scaled(inq *s)
{
    const method *m = &s->base;
    double most = scaling_part * (double)s->sample.filled * (double)m->d / (2 * CANDIDATES + 1);
    size_t want = (size_t)fmin(fmax(most, LEAST_SCALED), SCALED), count = 0;
    uint64_t have = 0, seen = 0;
    for (size_t i = 0; i < m->count; i++) s->mark[i] = s->spans[i].bends > 0;
    method_marks(m, s->mark, s->marks);
    for (uint64_t k = 0; k < s->sample.filled; k++) have += s->marks[s->plan.order[k]];
    if (want > have) want = (size_t)have;
    for (uint64_t k = 0; k < s->sample.filled && count < want; k++) {
        if (!s->marks[s->plan.order[k]]) continue;
        if (seen++ * want >= count * have) s->chosen[count++] = s->plan.order[k];
    }
    if (count < LEAST_SCALED) return 0;
    s->scaling.count = count;
    s->scaling.step = m->step + 1;
    s->scaling.times++;
    return 1;
}

/* Along each of cand, summed over the components of the question. */
static void sum_curvatures(inq *s, double *along)
{
    method *m = &s->base;
    const uint64_t *comp = m->fan.comp;
    for (size_t e = 0; e < m->fan.ncomp; e++)
        for (size_t k = 0; k < CANDIDATES && method_mine(m, comp[e]); k++)
            s->entry[e * CANDIDATES + k] = curvature_along(s, comp[e], s->cand + k * m->d);
    method_sum(m, m->fan.ncomp, comp, CANDIDATES, s->entry, along, s->tree, s->index);
}

/* Components that have a curvature along the directions in cand. */
void ask_scale(inq *s, zo_fan *fan)
{
    fan->ncomp = (size_t)s->scaling.count;
    fan->comp = s->chosen;
    ask_rows(fan, CANDIDATES, s->cand, 2);
}

/* (gam, mu) by relative least squares: second difference ~ gam u'Mu + mu, neither negative. */
void inq_learn_scale(inq *s, const double *answers)
{
    method *m = &s->base;
    double a = 0, b = 0, c = 0, e = 0, f = 0, along[CANDIDATES];
    sum_curvatures(s, along);
    for (size_t k = 0; k < CANDIDATES; k++) {
        double r = s->scaling.away[k], seen = second_difference(&m->fan, answers, 0, k) / (r * r);
        double own = along[k] / (r * r) / (double)m->fan.ncomp;
        if (!(seen > 0)) continue;
        double p = own / seen, q = 1 / seen; /* gam p + mu q = 1 */
        a += p * p, b += p * q, c += q * q, e += p, f += q;
    }
    double det = a * c - b * b;
    if (!(a > 0) || !(c > 0)) return;
    double gam = det > singular * a * c ? (c * e - b * f) / det : e / a, mu = (a * f - b * e) / det;
    if (!(det > singular * a * c) || mu < 0) gam = e / a, mu = 0;
    if (gam <= 0) gam = least_gam, mu = f / c;
    gam = fmin(fmax(gam, least_gam), most_gam);
    /* gam matters where it is far from 1; below, only while the sample grows */
    int matters = gam > gam_more || (gam < gam_less && !inq_all(s));
    if (!s->ridge.seen && inq_rule(s, RULE_SCALE_MU)) ridge_set(s, mu);
    s->scaling.gam = matters && inq_rule(s, RULE_SCALE) ? gam : 1;
}
