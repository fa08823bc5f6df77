/* inq: noise, along supports: the matrix and the steps.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/vec.h"
#include "method/inq/support.h"
#include "prox/prox.h"

static double square(double v) { return v * v; }

/* What a forward look would take; looks along supports are central. */
static double radius_of(const inq *s, size_t j)
{
    return s->reach[j] * (s->at->sides == 1 ? forward_part : 1);
}

/* ---- The matrix --------------------------------------------------------------------------------- */

/* What components have told of the curvature is where the matrix and the radii begin. */
void step_from_model(inq *s)
{
    method *m = &s->base;
    size_t d = m->d;
    double most = inq_farthest(s), least = support_eps(s) / (most * most);
    inq_model(s);
    for (size_t j = 0; j < d; j++) {
        for (size_t k = 0; k < d; k++) s->matrix[j * d + k] = s->full[j * d + k];
        s->bends[j] = s->full[j * d + j] + s->at->mu;
        s->matrix[j * d + j] = s->bends[j] + least;
        s->reach[j] = fmin(sqrt(CLEAR * support_eps(s) / s->matrix[j * d + j]), most);
    }
    vec_copy(d, m->x, s->before);
    s->at->metric = 1;
}

void step_reset(inq *s)
{
    struct progress *at = s->at;
    at->looks = at->failures = at->flat = at->central = at->metric = 0;
    at->damping = 0;
    at->whole_from = 1;
    at->agrees = 1;
}

/* B = DBD with the diagonal that was measured, as far as that is not another matrix. */
void step_fit_diagonal(inq *s)
{
    size_t d = s->base.d;
    double *factor = s->work;
    for (size_t j = 0; j < d; j++) {
        double is = fmax(fabs(s->bends[j]), s->level[j] / square(s->reach[j]));
        factor[j] = sqrt(fmin(fmax(is / s->matrix[j * d + j], least_fit), most_fit));
    }
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < d; k++) s->matrix[j * d + k] *= factor[j] * factor[k];
}

void step_from_axes(inq *s)
{
    size_t d = s->base.d;
    vec_zero(d * d, s->matrix);
    for (size_t j = 0; j < d; j++)
        s->matrix[j * d + j] = fmax(fabs(s->bends[j]), s->level[j] / (s->reach[j] * s->reach[j]));
}

/* BFGS with s = x - x before and y = g - g before: B += yy'/s'y - Bss'B/s'Bs. Where s'y does not stand clear of the
 * noise of the slopes, all it says is that s'Bs is not to be larger than that: y = Bs clear/s'Bs. */
void step_learn_change(inq *s)
{
    const method *m = &s->base;
    size_t d = m->d;
    double *step = s->work, *change = s->lost, *image = s->told, error = 0;
    for (size_t j = 0; j < d; j++) {
        step[j] = m->x[j] - s->before[j];
        change[j] = s->incline[j] - s->inclined[j];
        error += square(step[j] / radius_of(s, j) * (s->level[j] / support_eps(s)));
    }
    for (size_t j = 0; j < d; j++) image[j] = vec_dot(d, s->matrix + j * d, step);
    double clear = change_clear * support_eps(s) * sqrt(error), along = vec_dot(d, step, change),
           bend = vec_dot(d, step, image);
    if (!(bend > 0)) return;
    s->at->agrees = 1;
    if (along > clear) {
        s->at->agrees = along / bend;
        quad_update(d, s->matrix, 0, step, change, 0, s->told);
    } else if (bend > clear) {
        double more = (clear / bend - 1) / bend;
        for (size_t j = 0; j < d; j++)
            for (size_t k = 0; k < d; k++) s->matrix[j * d + k] += more * image[j] * image[k];
    }
}

/* ---- Steps -------------------------------------------------------------------------------------- */

static double mean_bend(const inq *s)
{
    double sum = 0;
    for (size_t j = 0; j < s->base.d; j++) sum += s->matrix[j * s->base.d + j];
    return sum / (double)s->base.d;
}

/* Twice what errors of slopes are worth in F: along supports that is little. */
static double least_promise(const inq *s) { return 2 * support_noise(s) / (4 * CLEAR); }

/* cand = the model's step; falls = what it promises. */
static void solve_step(inq *s)
{
    method *m = &s->base;
    quad q = {.d = m->d,
              .matrix = s->matrix,
              .damping = s->at->damping,
              .g = s->incline,
              .x = m->x,
              .psi = m->psi,
              .prox_work = m->prox_work};
    vec_copy(m->d, m->x, s->cand);
    quad_solve(&q, &s->room, (quad_effort){NOISY_SWEEPS, noisy_accuracy * support_eps(s), 0},
               s->cand);
    s->at->falls = quad_decrease(&q, &s->room, s->cand);
}

/* The run ends where nothing is promised; if that is only because of damping, the matrix is at fault. */
int support_solve(inq *s)
{
    method *m = &s->base;
    double least = least_promise(s);
    solve_step(s);
    if (!(s->at->falls > least) && s->at->damping > mean_bend(s)) {
        s->at->damping = 0;
        step_from_axes(s);
        solve_step(s);
    }
    m->residual = prox_residual(m, m->x, 1, s->incline, s->work);
    return s->at->falls > least && s->at->flat < MOST_NOISY_FLAT;
}

void ask_step(inq *s, zo_fan *fan)
{
    fan->base[0] = s->cand;
    fan->each = method_each(&s->base);
}

inq_verdict support_judge_step(inq *s, const double *answers)
{
    method *m = &s->base;
    struct progress *at = s->at;
    double objective = inq_mean_of(s, answers) + prox_value(m->psi, m->d, s->cand);
    if (!(objective <= at->objective - least_fall * at->falls + noise_clear * support_eps(s))) {
        at->damping = fmax(more_damping * at->damping, noisy_damping * mean_bend(s));
        at->failures++;
        return NO_BETTER;
    }
    if (at->damping < mean_bend(s)) /* else it is damping that makes steps small */
        at->flat = at->falls < support_eps(s) ? at->flat + 1 : 0;
    at->sides = at->failures < 2 && at->falls > (double)m->d * support_eps(s) ? 1 : 2;
    if (at->agrees < 0.5 && at->metric > at->central + 2) at->sides = 2;
    at->damping =
        at->failures || at->damping < 1e-2 * mean_bend(s) ? at->damping / 2 : at->damping / 8;
    if (at->damping < 1e-3 * mean_bend(s)) at->damping = 0;
    at->failures = at->looks = 0;
    vec_copy(m->d, m->x, s->before);
    vec_copy(m->d, s->incline, s->inclined);
    vec_copy(m->d, s->cand, m->x);
    m->step++;
    return BETTER;
}
