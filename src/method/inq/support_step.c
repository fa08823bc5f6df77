/* inq: noise, along supports: the matrix and the steps.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/vec.h"
#include "method/inq/support.h"
#include "prox/prox.h"

static double square(double v) { return v * v; }

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
        s->bends[j] = s->full[j * d + j] + s->ridge.mu;
        s->matrix[j * d + j] = s->bends[j] + least;
        s->reach[j] = fmin(sqrt(CLEAR * support_eps(s) / s->matrix[j * d + j]), most);
    }
    vec_copy(d, m->x, s->before);
}

void step_reset(inq *s, double falls)
{
    s->noisy.failures = s->noisy.flat = 0;
    s->noisy.damping = 0;
    s->noisy.falls = falls;
}

/* Nothing is believed of what a step promised. */
void step_doubt(inq *s) { s->noisy.falls = 0; }

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
        error += square(step[j] / s->reach[j] * (s->level[j] / support_eps(s)));
    }
    for (size_t j = 0; j < d; j++) image[j] = vec_dot(d, s->matrix + j * d, step);
    double clear = change_clear * support_eps(s) * sqrt(error), along = vec_dot(d, step, change),
           bend = vec_dot(d, step, image);
    if (!(bend > 0)) return;
    if (along > clear) {
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
              .damping = s->noisy.damping,
              .g = s->incline,
              .x = m->x,
              .psi = m->psi,
              .prox_work = m->prox_work};
    vec_copy(m->d, m->x, s->cand);
    quad_solve(&q, &s->room, (quad_effort){NOISY_SWEEPS, noisy_accuracy * support_eps(s), 0},
               s->cand);
    s->noisy.falls = quad_decrease(&q, &s->room, s->cand);
}

/* The run ends where nothing is promised; if that is only because of damping, the matrix is at fault. */
int support_solve(inq *s)
{
    method *m = &s->base;
    double least = least_promise(s);
    solve_step(s);
    if (!(s->noisy.falls > least) && s->noisy.damping > mean_bend(s)) {
        s->noisy.damping = 0;
        step_from_axes(s);
        solve_step(s);
    }
    m->residual = prox_residual(m, m->x, 1, s->incline, s->work);
    return s->noisy.falls > least && s->noisy.flat < MOST_NOISY_FLAT;
}

void ask_step(inq *s, zo_fan *fan)
{
    fan->base[0] = s->cand;
    fan->each = method_each(&s->base);
}

inq_verdict support_judge_step(inq *s, const double *answers)
{
    method *m = &s->base;
    double objective = inq_mean_of(s, answers) + prox_value(m->psi, m->d, s->cand);
    if (!(objective <=
          s->look.objective - least_fall * s->noisy.falls + noise_clear * support_eps(s))) {
        s->noisy.damping = fmax(more_damping * s->noisy.damping, noisy_damping * mean_bend(s));
        s->noisy.failures++;
        return NO_BETTER;
    }
    if (s->noisy.damping < mean_bend(s)) /* else it is damping that makes steps small */
        s->noisy.flat = s->noisy.falls < support_eps(s) ? s->noisy.flat + 1 : 0;
    s->noisy.damping = s->noisy.failures || s->noisy.damping < nearly_undamped * mean_bend(s)
                           ? s->noisy.damping / 2
                           : s->noisy.damping / more_damping;
    if (s->noisy.damping < undamped * mean_bend(s)) s->noisy.damping = 0;
    s->noisy.failures = 0;
    vec_copy(m->d, m->x, s->before);
    vec_copy(m->d, s->incline, s->inclined);
    vec_copy(m->d, s->cand, m->x);
    m->step++;
    return BETTER;
}
