/* inq: noise, along supports: the matrix and the steps.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/vec.h"
#include "method/inq/inq_axes.h"
#include "prox/prox.h"

static double square(double v) { return v * v; }

/* ---- The matrix --------------------------------------------------------------------------------- */

/* B = DBD with the diagonal that was measured, as far as that is not another matrix. */
void near_fit_diagonal(inq *s)
{
    size_t d = s->base.d;
    double *factor = s->work;
    for (size_t j = 0; j < d; j++) {
        double is = fmax(fabs(s->bends[j]), s->level[j] / square(s->reach[j]));
        factor[j] = sqrt(fmin(fmax(is / s->matrix[j * d + j], 0.1), 10));
    }
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < d; k++) s->matrix[j * d + k] *= factor[j] * factor[k];
}

void near_from_axes(inq *s)
{
    size_t d = s->base.d;
    vec_zero(d * d, s->matrix);
    for (size_t j = 0; j < d; j++)
        s->matrix[j * d + j] = fmax(fabs(s->bends[j]), s->level[j] / (s->reach[j] * s->reach[j]));
}

/* BFGS with s = x - x before and y = g - g before: B += yy'/s'y - Bss'B/s'Bs. Where s'y does not stand clear of the
 * noise of the slopes, all it says is that s'Bs is not to be larger than that: y = Bs clear/s'Bs. */
void near_learn_change(inq *s)
{
    const method *m = &s->base;
    size_t d = m->d;
    double *step = s->work, *change = s->lost, *image = s->told, error = 0;
    for (size_t j = 0; j < d; j++) {
        step[j] = m->x[j] - s->before[j];
        change[j] = s->incline[j] - s->inclined[j];
        error += square(step[j] / near_radius(s, j) * (s->level[j] / near_eps(s)));
    }
    for (size_t j = 0; j < d; j++) image[j] = vec_dot(d, s->matrix + j * d, step);
    double clear = 4 * near_eps(s) * sqrt(error), along = vec_dot(d, step, change),
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

double near_mean_bend(const inq *s)
{
    double sum = 0;
    for (size_t j = 0; j < s->base.d; j++) sum += s->matrix[j * s->base.d + j];
    return sum / (double)s->base.d;
}

/* Twice what errors of slopes are worth in F: along supports that is little. */
double near_least(const inq *s) { return 2 * axes_noise(s) / (4 * CLEAR); }

void near_end(inq *s)
{
    s->base.ended = ZO_AT_NOISE;
    s->base.stage = ASK_NOTHING;
}

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
    quad_solve(&q, &s->room, (quad_effort){1000, 1e-6 * near_eps(s), 0}, s->cand);
    s->at->falls = quad_decrease(&q, &s->room, s->cand);
}

/* The run ends where nothing is promised; if that is only because of damping, the matrix is at fault. */
void near_try_step(inq *s)
{
    method *m = &s->base;
    double least = near_least(s);
    solve_step(s);
    if (!(s->at->falls > least) && s->at->damping > near_mean_bend(s)) {
        s->at->damping = 0;
        near_from_axes(s);
        solve_step(s);
    }
    m->residual = prox_residual(m, m->x, 1, s->incline, s->work);
    m->stage = ASK_STEP;
    if (s->at->falls > least && s->at->flat < 3) return;
    axes_end(s);
}

/* More damping; then supports are doubted. */
static void refuse(inq *s)
{
    struct progress *at = s->at;
    at->damping = fmax(8 * at->damping, 0.1 * near_mean_bend(s));
    if (++at->failures == DOUBTED)
        axes_doubt(s);
    else if (at->failures < MOST_REFUSED)
        near_try_step(s);
    else
        axes_end(s);
}

void near_tell_step(inq *s, const double *answers)
{
    method *m = &s->base;
    struct progress *at = s->at;
    double objective = inq_mean_of(s, answers) + prox_value(m->psi, m->d, s->cand);
    if (!(objective <= at->objective - 0.05 * at->falls + 3 * near_eps(s))) {
        refuse(s);
        return;
    }
    if (at->damping < near_mean_bend(s)) /* else it is damping that makes steps small */
        at->flat = at->falls < near_eps(s) ? at->flat + 1 : 0;
    at->sides = at->failures < 2 && at->falls > (double)m->d * near_eps(s) ? 1 : 2;
    if (at->agrees < 0.5 && at->metric > at->central + 2) at->sides = 2;
    at->damping =
        at->failures || at->damping < 1e-2 * near_mean_bend(s) ? at->damping / 2 : at->damping / 8;
    if (at->damping < 1e-3 * near_mean_bend(s)) at->damping = 0;
    at->failures = at->cursor = at->looks = 0;
    vec_copy(m->d, m->x, s->before);
    vec_copy(m->d, s->incline, s->inclined);
    vec_copy(m->d, s->cand, m->x);
    m->step++;
    axes_go_on(s, answers);
}
