/* supports: gradients along supports, and steps.
 * SPDX-License-Identifier: MIT
 *
 * Each component is asked along the axes of its support at both sides, and along pairs of them: 2r + r(r - 1)/2 queries,
 * its value is known. With eps_j = sigma sqrt(m_j)/n, m_j the components that depend on x_j, radii are r_j^2 h_jj = C eps_j.
 * Far from the end C is large, and the curvature free of noise; it falls with what steps promise, until pairs are no longer asked
 * for, at C = CLEAR, and the matrix learns from changes of slopes and is scaled to the h_jj seen. */
#include <float.h>

#include "base/dense.h"
#include "base/eigen.h"
#include "method/supports/supports.h"
#include "prox/prox.h"

static double eps_of(const supports *s) { return s->base.set.noise / sqrt((double)s->base.n); }

/* Sum of eps_j. */
static double noise_of(const supports *s)
{
    double sum = 0;
    for (size_t j = 0; j < s->base.d; j++) sum += s->level[j];
    return sum;
}

static local_model model_of(supports *s)
{
    return (local_model){.m = &s->base,
                         .at = &s->noisy,
                         .eps = eps_of(s),
                         .level = s->level,
                         .matrix = s->matrix,
                         .g = s->slopes,
                         .diagonal = s->diagonal,
                         .radii = s->radii,
                         .slopes_before = s->slopes_before,
                         .x_before = s->x_before,
                         .cand = s->cand,
                         .work = s->work,
                         .change = s->lost,
                         .image = s->told,
                         .room = &s->room};
}

/* ---- Radii -------------------------------------------------------------------------------------- */

/* total = sum over all components of what each adds to width numbers. */
typedef void (*adder)(const supports *s, uint64_t i, double part, double *leaf);
static void sum_over(supports *s, size_t width, adder add, double part, double *total)
{
    method_total sum;
    total_open(&sum, &s->base, width, s->tree);
    for (uint64_t i = s->base.first; i < support_end(s); i++) add(s, i, part, total_leaf(&sum, i));
    total_close(&sum, total);
}

static void add_one(const supports *s, uint64_t i, double one, double *leaf)
{
    for (size_t k = 0; k < support_count(s, i); k++) leaf[support_at(s, i, k)] += one;
}

static void measure_levels(supports *s)
{
    sum_over(s, s->base.d, add_one, 1, s->level);
    for (size_t j = 0; j < s->base.d; j++)
        s->level[j] = s->base.set.noise * sqrt(s->level[j]) / (double)s->base.n;
}

/* Radii for the next pass. */
static void choose_radii(supports *s)
{
    double most = method_farthest(&s->base),
           clear = fmin(fmax(s->noisy.promise / noise_of(s), CLEAR), CLEAREST);
    for (size_t j = 0; j < s->base.d; j++) {
        double r = sqrt(clear * s->level[j] / fmax(fabs(s->diagonal[j]), DBL_MIN));
        s->radii[j] = r > 0 && r < most ? r : most;
    }
}

/* The matrix has what is known of the curvature. */
static void begin_with_matrix(supports *s)
{
    size_t d = s->base.d;
    double most = method_farthest(&s->base);
    for (size_t j = 0; j < d; j++) {
        s->diagonal[j] = s->matrix[j * d + j];
        s->matrix[j * d + j] += eps_of(s) / (most * most);
    }
}

void support_begin(supports *s, int curved)
{
    method *m = &s->base;
    measure_levels(s);
    s->noisy = (descent){.promise = curved ? 4 * FINE * noise_of(s) : INFINITY};
    s->pass = (struct pass){.count = (uint64_t)curved};
    vec_copy(m->d, m->x, s->x_before);
    for (size_t j = 0; j < m->d; j++)
        s->diagonal[j] = s->at.unit > 0 ? 1 / (s->at.unit * s->at.unit) : 1;
    if (curved) begin_with_matrix(s);
    choose_radii(s);
    method_note(m, "each component along its few coordinates from step %llu on",
                (unsigned long long)m->step);
}

/* Supports have grown. */
void support_renew(supports *s)
{
    measure_levels(s);
    choose_radii(s);
    s->pass.count = 0;
}

/* ---- Questions ---------------------------------------------------------------------------------- */

static size_t pairs_of(size_t rank) { return rank * (rank - 1) / 2; }

/* Pairs are asked for where a pass then costs no more than one along all axes. */
static int pairs_are_cheap(const supports *s)
{
    double queries = 0;
    for (size_t i = 0; i < s->base.n; i++)
        if (s->marks[i] && s->marks[i] < WIDE)
            queries += 2.0 * s->marks[i] + (double)pairs_of(s->marks[i]);
    return queries <= (double)s->base.n * (double)s->base.d;
}

void support_queue(supports *s)
{
    support_mark_ranks(s);
    plan_by_rank(&s->plan, NULL, s->base.n, s->marks);
    int fine = s->pass.count && !s->noisy.failures && s->noisy.promise < FINE * noise_of(s);
    s->pass.crossed = !fine && pairs_are_cheap(s);
}

/* Up and down along each axis, then along pairs. */
static void put_rows(const supports *s, uint64_t i, size_t rank, double *to)
{
    size_t d = s->base.d;
    double *pair = to + 2 * rank * d;
    for (size_t k = 0; k < rank; k++) {
        size_t j = support_at(s, i, k);
        to[2 * k * d + j] = s->radii[j];
        to[(2 * k + 1) * d + j] = -s->radii[j];
        for (size_t e = 0; e < k && s->pass.crossed; e++, pair += d) {
            pair[j] = s->radii[j];
            pair[support_at(s, i, e)] = s->radii[support_at(s, i, e)];
        }
    }
}

void ask_pass(supports *s, zo_fan *fan)
{
    size_t rank = plan_rank(&s->plan), d = s->base.d,
           rows = 2 * rank + (s->pass.crossed ? pairs_of(rank) : 0);
    fan->known = 1;
    if (rank == WIDE) {
        plan_ranked_chunk(&s->plan, fan, s->chunk / 2 + 1);
        fan->naxis = d;
        fan->sides = 2;
        fan->radii = s->radii;
        return;
    }
    plan_ranked_chunk(&s->plan, fan, s->rows / rows);
    fan->own = 1;
    ask_rows(fan, rows, s->dir, 1);
    vec_zero(fan->ncomp * rows * d, s->dir);
    for (size_t e = 0; e < fan->ncomp; e++)
        if (method_mine(&s->base, fan->comp[e]))
            put_rows(s, fan->comp[e], rank, s->dir + e * rows * d);
}

/* ---- Answers ------------------------------------------------------------------------------------ */

static double slope_of(const supports *s, uint64_t i, size_t k)
{
    return support_rank(s, i) == WIDE ? support_row(s, i)[k] : support_along(s, i, k)[0];
}

static double curvature_of(const supports *s, uint64_t i, size_t k)
{
    return support_rank(s, i) == WIDE ? (double)support_second(s, i)[k]
                                      : support_along(s, i, k)[1 + k];
}

/* v: values up and down along each axis, then along pairs; f at x. */
static void learn_one(supports *s, uint64_t i, const double *v)
{
    size_t count = support_count(s, i);
    const double *pair = v + 2 * count;
    double f = support_of(s, i)->f, mu = s->outside.mu;
    for (size_t k = 0; k < count; k++) {
        size_t j = support_at(s, i, k);
        double r = s->radii[j], slope = (v[2 * k] - v[2 * k + 1]) / (2 * r) - mu * s->base.x[j],
               bend = ((v[2 * k] - f) + (v[2 * k + 1] - f)) / (r * r) - mu;
        if (support_rank(s, i) == WIDE) {
            support_row(s, i)[k] = slope;
            support_second(s, i)[k] = (float)bend;
            continue;
        }
        double *along = support_along(s, i, k);
        along[0] = slope;
        along[1 + k] = bend;
        for (size_t e = 0; e < k; e++) {
            double change = s->pass.crossed ? (*pair++ - v[2 * k]) - (v[2 * e] - f) : 0;
            along[1 + e] = change / (r * s->radii[support_at(s, i, e)]);
        }
    }
}

void support_learn_pass(supports *s, const double *answers)
{
    const zo_fan *fan = &s->base.fan;
    for (size_t e = 0; e < fan->ncomp; e++)
        if (method_mine(&s->base, fan->comp[e]))
            learn_one(s, fan->comp[e], answers + e * zo_fan_set(fan));
}

/* ---- The mean's model ---------------------------------------------------------------------------- */

static void add_slopes(const supports *s, uint64_t i, double one, double *leaf)
{
    size_t d = s->base.d;
    for (size_t k = 0; k < support_count(s, i); k++) {
        leaf[support_at(s, i, k)] += one * slope_of(s, i, k);
        leaf[d + support_at(s, i, k)] += one * curvature_of(s, i, k);
    }
    leaf[2 * d] += one * support_of(s, i)->f;
}

/* slopes, diagonal and objective: means over all. */
static void sum_slopes(supports *s)
{
    method *m = &s->base;
    size_t d = m->d;
    double n = (double)m->n, mu = s->outside.mu, *total = s->full;
    sum_over(s, 2 * d + 1, add_slopes, 1, total);
    for (size_t j = 0; j < d; j++) {
        s->slopes[j] = total[j] / n + mu * m->x[j];
        s->diagonal[j] = total[d + j] / n + mu;
    }
    s->pass.objective = total[2 * d] / n + prox_value(m->psi, d, m->x);
}

static size_t in_triangle(size_t d, size_t j, size_t k) { return j * (2 * d - j + 1) / 2 + k - j; }

/* leaf += B_i + part |its negative part|, the upper triangle, row by row. */
static void add_curvature(const supports *s, uint64_t i, double part, double *leaf)
{
    size_t rank = support_rank(s, i), d = s->base.d;
    double b[PLAN_RANKS * PLAN_RANKS], a[PLAN_RANKS * PLAN_RANKS], v[PLAN_RANKS * PLAN_RANKS];
    for (size_t j = 0; j < d && rank == WIDE; j++) {
        double h = (double)support_second(s, i)[j];
        leaf[in_triangle(d, j, j)] += h < 0 ? (1 - part) * h : h;
    }
    if (rank == WIDE) return;
    for (size_t k = 0; k < rank; k++)
        for (size_t e = 0; e <= k; e++)
            b[k * rank + e] = b[e * rank + k] = support_along(s, i, k)[1 + e];
    vec_copy(rank * rank, b, a);
    if (part > 0) eigen(rank, a, v);
    for (size_t e = 0; e < rank && part > 0; e++)
        for (size_t k = 0; k < rank && a[e * rank + e] < 0; k++)
            for (size_t l = 0; l < rank; l++)
                b[k * rank + l] -= part * a[e * rank + e] * v[k * rank + e] * v[l * rank + e];
    for (size_t k = 0; k < rank; k++)
        for (size_t e = 0; e < rank; e++) {
            size_t j = support_at(s, i, k), l = support_at(s, i, e);
            if (j <= l) leaf[in_triangle(d, j, l)] += b[k * rank + e];
        }
}

/* matrix = mean of B_i + part |negative part of B_i|, + mu I + what noise may hide. */
static void sum_curvature(supports *s, double part)
{
    size_t d = s->base.d;
    double most = 0, *total = s->full;
    sum_over(s, d * (d + 1) / 2, add_curvature, part, total);
    for (size_t j = 0; j < d; j++)
        for (size_t k = j; k < d; k++)
            s->matrix[j * d + k] = s->matrix[k * d + j] =
                total[in_triangle(d, j, k)] / (double)s->base.n;
    for (size_t j = 0; j < d; j++) most = fmax(most, fabs(s->matrix[j * d + j]));
    for (size_t j = 0; j < d; j++) {
        double r = s->radii[j], hidden = r > 0 ? 2 * s->level[j] / (r * r) : 0;
        s->matrix[j * d + j] += s->outside.mu + fmax(hidden, hidden_least * most);
    }
}

/* As much of the components' negative curvature is turned round as makes the mean positive: all of it always does. */
static void sum_positive_curvature(supports *s)
{
    size_t d = s->base.d;
    for (size_t k = 0; k < sizeof lifted / sizeof *lifted; k++) {
        sum_curvature(s, lifted[k]);
        vec_copy(d * d, s->matrix, s->room.system);
        if (!dense_cholesky(d, s->room.system)) return;
    }
}

void support_passed(supports *s)
{
    local_model l = model_of(s);
    sum_slopes(s);
    if (s->pass.crossed) sum_positive_curvature(s);
    if (!s->pass.crossed && s->pass.count) {
        descent_fit_diagonal(&l);
        descent_learn(&l, 1);
    } else if (!s->pass.crossed) {
        descent_from_diagonal(&l);
    }
    s->pass.count++;
}

/* ---- Steps -------------------------------------------------------------------------------------- */

/* Twice what errors of slopes are worth in F: along supports that is little. */
int support_try(supports *s)
{
    local_model l = model_of(s);
    return descent_try(&l, 2 * noise_of(s) / (4 * CLEAR));
}

void ask_step(supports *s, zo_fan *fan)
{
    fan->base[0] = s->cand;
    fan->each = method_each(&s->base);
}

static double mean_of(supports *s, const double *answers)
{
    double mean;
    method_sum(&s->base, s->base.n, NULL, 1, answers + s->base.first, &mean, s->tree, NULL);
    return mean / (double)s->base.n;
}

int support_judge_step(supports *s, const double *answers)
{
    const method *m = &s->base;
    local_model l = model_of(s);
    double there = mean_of(s, answers) + prox_value(m->psi, m->d, s->cand);
    if (!descent_judge(&l, there, s->pass.objective)) return 0;
    choose_radii(s);
    return 1;
}
