/* inq: how much more curvature there is than spans show.
 * SPDX-License-Identifier: MIT
 *
 * gam and mu come from second differences of a few components along directions where mean U'BU is weak, and strong. */
#include <math.h>

#include "base/rng.h"
#include "base/vec.h"
#include "method/inq/evidence.h"
#include "method/inq/ridge.h"

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
        double bend = vec_dot(m->d, u, s->work) / fmax(s->ridge.gam, least_scale);
        double away = fmin(scaling_away / sqrt(fmax(bend, flattest)), scaling_away * far);
        ridge_scale_at(s, k, away);
        vec_scale(m->d, away, u);
    }
}

/* With every sample, three times more with all; not where spans hold all there is. */
int inq_scale_due(const inq *s)
{
    if (inq_guessed(s) || inq_shares(s) || s->ridge.scaled_at == s->base.step + 1) return 0;
    return s->sample.size < s->base.n || s->ridge.scalings < MOST_SCALINGS || s->step.failures > 0;
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
    ridge_scaling(s, count);
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

/* (gam, mu) by relative least squares: second difference ~ gam u'Mu + mu, neither negative. */
void inq_learn_scale(inq *s, const double *answers)
{
    method *m = &s->base;
    double a = 0, b = 0, c = 0, e = 0, f = 0, along[CANDIDATES];
    sum_curvatures(s, along);
    for (size_t k = 0; k < CANDIDATES; k++) {
        double r = s->ridge.away[k], seen = second_difference(&m->fan, answers, 0, k) / (r * r);
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
    ridge_scaled(s, mu, gam);
}
