/* Steps on a quadratic model, judged by values with noise.
 * SPDX-License-Identifier: MIT */
#include "method/core/descent.h"

#include <math.h>

#include "base/dense.h"
#include "base/real.h"
#include "base/vec.h"

enum { SWEEPS = 3000, MOST_FLAT_STEPS = 3 };
static const double nearly_one = 1e-14;             /* added to a diagonal of 1, against rounding */
static const double accurate = 1e-6;                /* of the noise: the sub-problem */
static const double must_fall = 0.05;               /* of the promise: F, */
static const double may_rise = 3;                   /* but for so many standard deviations */
static const double first_part = 0.1;               /* of a curvature: damping begins with it, */
static const double times = 8;                      /* and grows and falls by this, */
static const double slowly = 1e-2;                  /* below this part of a curvature by 2 alone, */
static const double gone = 1e-3;                    /* and below this it is 0 */
static const double least_fit = 0.1, most_fit = 10; /* changes of a diagonal that is measured */
static const double clear_of = 4; /* standard errors of a change of slopes along a step */

static double mean_curvature(const local_model *l)
{
    size_t d = l->m->d;
    double sum = 0;
    for (size_t j = 0; j < d; j++) sum += l->matrix[j * d + j];
    return sum / (double)d;
}

static double level_of(const local_model *l, size_t j) { return l->level ? l->level[j] : l->eps; }

/* ---- The matrix --------------------------------------------------------------------------------- */

/* At least what noise can hide. */
static double measured(const local_model *l, size_t j)
{
    return fmax(fabs(l->diagonal[j]), level_of(l, j) / square(l->radii[j]));
}

void descent_from_diagonal(const local_model *l)
{
    size_t d = l->m->d;
    vec_zero(d * d, l->matrix);
    for (size_t j = 0; j < d; j++) l->matrix[j * d + j] = measured(l, j);
}

/* B = DBD, as far as that is not another matrix. */
void descent_fit_diagonal(const local_model *l)
{
    size_t d = l->m->d;
    double *factor = l->work;
    for (size_t j = 0; j < d; j++)
        factor[j] = sqrt(fmin(fmax(measured(l, j) / l->matrix[j * d + j], least_fit), most_fit));
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < d; k++) l->matrix[j * d + k] *= factor[j] * factor[k];
}

/* BFGS with s = x - x before and y = g - g before: B += yy'/s'y - Bss'B/s'Bs. Where s'y does not stand clear of the noise of
 * the slopes, all it says is that s'Bs is not to be larger than that: y = Bs clear/s'Bs. */
double descent_learn(const local_model *l, double part)
{
    size_t d = l->m->d;
    double *step = l->work, *change = l->change, *image = l->image, error = 0;
    for (size_t j = 0; j < d; j++) {
        step[j] = l->m->x[j] - l->x_before[j];
        change[j] = l->g[j] - l->slopes_before[j];
        error += square(step[j] / (l->radii[j] * part) * (level_of(l, j) / l->eps));
    }
    for (size_t j = 0; j < d; j++) image[j] = vec_dot(d, l->matrix + j * d, step);
    double clear = clear_of * l->eps * sqrt(error), along = vec_dot(d, step, change),
           bend = vec_dot(d, step, image);
    if (!(bend > 0)) return 1;
    if (along > clear) {
        quad_update(d, l->matrix, 0, step, change, 0, image);
        return along / bend;
    }
    double more = bend > clear ? (clear / bend - 1) / bend : 0;
    for (size_t j = 0; j < d && more != 0; j++)
        vec_add(d, more * image[j], image, l->matrix + j * d);
    return 1;
}

/* ---- Steps -------------------------------------------------------------------------------------- */

/* cand = x - (B + damping)^-1 g, in units in which the diagonal is 1; 0: that is not positive definite. */
static int solve_scaled(const local_model *l, double damping)
{
    size_t d = l->m->d;
    double *unit = l->image, *b = l->cand, *system = l->room->system;
    for (size_t j = 0; j < d; j++) {
        double diagonal = l->matrix[j * d + j] + damping;
        if (!(diagonal > 0)) return 0;
        unit[j] = 1 / sqrt(diagonal);
        b[j] = l->g[j] * unit[j];
    }
    for (size_t j = 0; j < d; j++) {
        for (size_t k = 0; k < d; k++) system[j * d + k] = l->matrix[j * d + k] * unit[j] * unit[k];
        system[j * d + j] = 1 + nearly_one;
    }
    if (dense_cholesky(d, system)) return 0;
    dense_solve_down(d, system, b);
    dense_solve_up(d, system, b);
    for (size_t j = 0; j < d; j++) b[j] = l->m->x[j] - b[j] * unit[j];
    return 1;
}

/* 1: the free step is psi's too. Coordinate by coordinate that takes long where B is nearly singular. */
static int solve_freely(const local_model *l, double damping)
{
    if (!solve_scaled(l, damping)) return 0;
    method_prox(l->m, 1, l->cand, l->work);
    return vec_distance(l->m->d, l->cand, l->work) == 0;
}

double descent_solve(const local_model *l, double damping, double tol, double part)
{
    method *m = l->m;
    quad q = {.d = m->d,
              .matrix = l->matrix,
              .damping = damping,
              .g = l->g,
              .x = m->x,
              .psi = m->psi,
              .prox_work = m->prox_work};
    if (!solve_freely(l, damping)) {
        vec_copy(m->d, m->x, l->cand);
        quad_solve(&q, l->room, (quad_effort){SWEEPS, tol, part}, l->cand);
    }
    return quad_decrease(&q, l->room, l->cand);
}

/* Nothing is left where nothing is promised; if that is only because of damping, the matrix is at fault. */
int descent_try(const local_model *l, double least)
{
    descent *at = l->at;
    at->undamped = at->promise = descent_solve(l, 0, accurate * l->eps, 0);
    if (at->damping > 0) at->promise = descent_solve(l, at->damping, accurate * l->eps, 0);
    if (!(at->promise > least) && at->damping > mean_curvature(l)) {
        at->damping = 0;
        descent_from_diagonal(l);
        at->undamped = at->promise = descent_solve(l, 0, accurate * l->eps, 0);
    }
    l->m->residual = prox_residual(l->m, l->m->x, 1, l->g, l->work);
    return at->promise > least && at->flat < MOST_FLAT_STEPS;
}

int descent_judge(const local_model *l, double there, double here)
{
    method *m = l->m;
    descent *at = l->at;
    double unit = mean_curvature(l);
    if (!(there <= here - must_fall * at->promise + may_rise * l->eps)) {
        at->damping = fmax(times * at->damping, first_part * unit);
        at->failures++;
        return 0;
    }
    at->flat = at->undamped < l->eps ? at->flat + 1 : 0;
    at->damping /= at->failures || at->damping < slowly * unit ? 2 : times;
    if (at->damping < gone * unit) at->damping = 0;
    at->failures = 0;
    vec_copy(m->d, m->x, l->x_before);
    vec_copy(m->d, l->g, l->slopes_before);
    vec_copy(m->d, l->cand, m->x);
    m->step++;
    return 1;
}
