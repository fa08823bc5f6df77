/* inq with noise: looks along supports.
 * SPDX-License-Identifier: MIT
 *
 * Each component is asked along the axes of its support at both sides, and along pairs of them: 2r + r(r - 1)/2 queries,
 * its value is known. With eps_j = sigma sqrt(m_j)/n, m_j the components that depend on x_j, radii are r_j^2 h_jj = C eps_j.
 * Far from the end C is large, and the curvature free of noise; it falls with what steps promise, until pairs are no longer asked
 * for, at C = CLEAR, and the matrix learns from changes of slopes and is scaled to the h_jj seen. */
#include "method/inq/support.h"

#include <float.h>

#include "base/vec.h"
#include "prox/prox.h"

/* ---- Radii -------------------------------------------------------------------------------------- */

static void count_components(inq *s)
{
    method *m = &s->base;
    method_total sum;
    total_open(&sum, m, m->d, s->tree);
    for (uint64_t i = m->first; i < inq_end(s); i++) {
        double *leaf = total_leaf(&sum, i);
        size_t rank = support_rank(s, i);
        for (size_t j = 0; j < m->d && rank == WIDE; j++) leaf[j]++;
        for (size_t k = 0; k < rank && rank < WIDE; k++) leaf[support_at(s, i, k)]++;
    }
    total_close(&sum, s->level);
    for (size_t j = 0; j < m->d; j++) s->level[j] = m->set.noise * sqrt(s->level[j]) / (double)m->n;
}

void support_radii(inq *s)
{
    double most = inq_farthest(s), clear = s->noisy.falls / support_noise(s);
    s->look.clear = fmin(fmax(clear, CLEAR), CLEAREST);
    for (size_t j = 0; j < s->base.d; j++) {
        double r = sqrt(s->look.clear * s->level[j] / fmax(fabs(s->bends[j]), DBL_MIN));
        s->reach[j] = r > 0 && r < most ? r : most;
    }
}

/* curved: curves have shown them, and a matrix. */
void support_begin(inq *s, int curved)
{
    method *m = &s->base;
    count_components(s);
    step_reset(s, curved ? 4 * FINE * support_noise(s) : INFINITY);
    s->look.again = s->look.passes = 0;
    vec_copy(m->d, m->x, s->before);
    for (size_t j = 0; j < m->d; j++)
        s->bends[j] = s->scale.unit > 0 ? 1 / (s->scale.unit * s->scale.unit) : 1;
    if (curved) {
        step_from_model(s);
        s->look.passes = 1;
    }
    support_radii(s);
    method_note(m, "components depend on few coordinates each: along these from step %llu on",
                (unsigned long long)m->step);
}

/* Supports have grown: a coordinate that is new is taken to bend as the others do. */
void support_renew(inq *s)
{
    size_t d = s->base.d;
    double mean = 0;
    for (size_t j = 0; j < d; j++) mean += fabs(s->bends[j]) / (double)d;
    for (size_t j = 0; j < d; j++)
        if (!(s->level[j] > 0)) s->bends[j] = mean;
    count_components(s);
    support_radii(s);
    s->look.passes = s->look.again = 0;
}

/* ---- Questions ---------------------------------------------------------------------------------- */

static size_t crosses(size_t rank) { return rank * (rank - 1) / 2; }

/* Cross differences are asked for where a look then costs no more than one along all axes. */
static int cross_is_cheap(const inq *s)
{
    double queries = 0;
    for (size_t i = 0; i < s->base.n; i++)
        if (s->marks[i] && s->marks[i] < WIDE)
            queries += 2.0 * s->marks[i] + (double)crosses(s->marks[i]);
    return queries <= (double)s->base.n * (double)s->base.d;
}

void support_list(inq *s)
{
    inq_mark_ranks(s);
    plan_by_rank(&s->plan, NULL, s->base.n, s->marks);
    int fine = s->look.passes && !s->noisy.failures && s->noisy.falls < FINE * support_noise(s);
    s->look.crossed = !fine && cross_is_cheap(s);
}

static double mean_reach(const inq *s)
{
    double sum = 0;
    for (size_t j = 0; j < s->base.d; j++) sum += s->reach[j];
    return sum / (double)s->base.d;
}

/* Up and down along each axis, then along pairs. */
static void put_rows(const inq *s, uint64_t i, size_t rank, double *to)
{
    size_t d = s->base.d;
    double *pair = to + 2 * rank * d;
    for (size_t k = 0; k < rank; k++) {
        size_t j = support_at(s, i, k);
        to[2 * k * d + j] = s->reach[j];
        to[(2 * k + 1) * d + j] = -s->reach[j];
        for (size_t e = 0; e < k && s->look.crossed; e++, pair += d) {
            pair[j] = s->reach[j];
            pair[support_at(s, i, e)] = s->reach[support_at(s, i, e)];
        }
    }
}

void ask_look(inq *s, zo_fan *fan)
{
    size_t rank = plan_rank(&s->plan), d = s->base.d, most = s->chunk > SPREAD ? s->chunk : SPREAD;
    fan->known = 1;
    if (rank == WIDE) {
        plan_ranked_chunk(&s->plan, fan, s->chunk / 2 + 1);
        fan->naxis = d;
        fan->sides = 2;
        fan->radius = mean_reach(s);
        return;
    }
    size_t rows = 2 * rank + (s->look.crossed ? crosses(rank) : 0);
    plan_ranked_chunk(&s->plan, fan, most / rows);
    fan->own = fan->sides = 1;
    fan->ndir = rows;
    fan->dir = s->dir;
    fan->radius = 1;
    vec_zero(fan->ncomp * rows * d, s->dir);
    for (size_t e = 0; e < fan->ncomp; e++)
        if (method_mine(&s->base, fan->comp[e]))
            put_rows(s, fan->comp[e], rank, s->dir + e * rows * d);
}

/* ---- Answers ------------------------------------------------------------------------------------ */

/* v: values up and down along each axis, then along pairs; f at x. */
static void learn_narrow(inq *s, uint64_t i, size_t rank, const double *v)
{
    const double *pair = v + 2 * rank, *x = s->base.x;
    double f = inq_curve(s, i)->f, mu = s->outside.mu;
    for (size_t k = 0; k < rank; k++) {
        size_t j = support_at(s, i, k);
        double r = s->reach[j], *along = inq_along(s, i, k);
        along[0] = (v[2 * k] - v[2 * k + 1]) / (2 * r) - mu * x[j];
        along[1 + k] = ((v[2 * k] - f) + (v[2 * k + 1] - f)) / (r * r) - mu;
        for (size_t e = 0; e < k; e++) {
            double change = 0;
            if (s->look.crossed) change = (*pair++ - v[2 * k]) - (v[2 * e] - f);
            along[1 + e] = change / (r * s->reach[support_at(s, i, e)]);
        }
    }
}

static void learn_wide(inq *s, uint64_t i, const double *v)
{
    double f = inq_curve(s, i)->f, mu = s->outside.mu, r = s->base.fan.radius;
    for (size_t j = 0; j < s->base.d; j++) {
        inq_row(s, i)[j] = (v[2 * j] - v[2 * j + 1]) / (2 * r) - mu * s->base.x[j];
        inq_layer(s, i, 0)[j] = (float)(((v[2 * j] - f) + (v[2 * j + 1] - f)) / (r * r) - mu);
    }
}

/* incline = mean slopes, bends = mean second differences, objective. */
static void sum_looks(inq *s)
{
    method *m = &s->base;
    size_t d = m->d;
    double n = (double)m->n, mu = s->outside.mu, *total = s->block;
    method_total sum;
    total_open(&sum, m, 2 * d + 1, s->tree);
    for (uint64_t i = m->first; i < inq_end(s); i++) {
        double *leaf = total_leaf(&sum, i);
        size_t rank = support_rank(s, i);
        leaf[2 * d] += inq_curve(s, i)->f;
        for (size_t j = 0; j < d && rank == WIDE; j++) {
            leaf[j] += inq_row(s, i)[j];
            leaf[d + j] += (double)inq_layer(s, i, 0)[j];
        }
        for (size_t k = 0; k < rank && rank < WIDE; k++) {
            leaf[support_at(s, i, k)] += inq_along(s, i, k)[0];
            leaf[d + support_at(s, i, k)] += inq_along(s, i, k)[1 + k];
        }
    }
    total_close(&sum, total);
    for (size_t j = 0; j < d; j++) {
        s->incline[j] = total[j] / n + mu * m->x[j];
        s->bends[j] = total[d + j] / n + mu;
    }
    s->look.objective = total[2 * d] / n + prox_value(m->psi, d, m->x);
}

/* ---- After a look ------------------------------------------------------------------------------- */

/* The radii for the next look; how many of this one's were badly wrong. */
static size_t correct_radii(inq *s)
{
    size_t wrong = 0;
    for (size_t j = 0; j < s->base.d; j++) {
        double r = s->reach[j], bend = fabs(s->bends[j]) * r * r;
        double factor = sqrt(s->look.clear * s->level[j] / fmax(bend, DBL_MIN));
        wrong += s->level[j] > 0 &&
                 (factor < 1 / radius_off || (factor > radius_off && r < inq_farthest(s)));
    }
    support_radii(s);
    return wrong;
}

int support_looked(inq *s)
{
    sum_looks(s);
    if (s->look.crossed) support_matrix(s);
    if (s->look.passes == 0 && correct_radii(s) > s->base.d / 2 && ++s->look.again < MOST_LOOKS)
        return 0;
    if (!s->look.crossed && s->look.passes) {
        step_fit_diagonal(s);
        step_learn_change(s);
    } else if (!s->look.crossed) {
        step_from_axes(s);
    }
    s->look.passes++;
    return 1;
}

void support_learn_look(inq *s, const double *answers)
{
    const zo_fan *fan = &s->base.fan;
    size_t rank = plan_rank(&s->plan), set = zo_fan_set(fan);
    for (size_t e = 0; e < fan->ncomp; e++) {
        uint64_t i = fan->comp[e];
        if (!method_mine(&s->base, i)) continue;
        if (rank == WIDE)
            learn_wide(s, i, answers + e * set);
        else
            learn_narrow(s, i, rank, answers + e * set);
    }
}
