/* The minimizer of the models within the trust region.
 * SPDX-License-Identifier: MIT
 *
 *     minimize  (1/n) sum_i w_i h(m_i(y) - t_i) + psi(x) + lambda |y|^2/2,   y = D (x - c)/radius,
 *
 * m_i the quadratic models: their evaluation costs nothing, so the composition is minimized as it is, by Levenberg-Marquardt
 * steps (Newton's where that matrix is positive), and lambda is searched such that |y| meets the radius. */
#include <float.h>
#include <math.h>

#include "base/dense.h"
#include "base/real.h"
#include "base/vec.h"
#include "method/lm/lm.h"
#include "prox/prox.h"

static void to_metric(const lm *s, const double *z, double *y)
{
    const model *w = &s->model;
    for (size_t j = 0; j < w->d; j++) y[j] = w->scale[j] * (z[j] - w->centre[j]);
}

double lm_length(const lm *s, const double *z)
{
    to_metric(s, z, s->y);
    return vec_norm(s->base.d, s->y);
}

void lm_foretell(lm *s, const double *z, double *r)
{
    to_metric(s, z, s->y);
    model_at(&s->model, s->y, r, NULL);
}

/* The objective above at z; s->y and s->rm are those of z afterwards. */
static double value_at(lm *s, double lambda, const double *z)
{
    to_metric(s, z, s->y);
    model_at(&s->model, s->y, s->rm, NULL);
    double f = lm_objective(s, z, s->rm);
    return f + 0.5 * lambda * dense_dot(s->base.d, s->y, s->y);
}

/* Slope g and matrix (upper triangle) of the objective at z, in y; newton: with the models' own curvature. */
static void expand_at(lm *s, double lambda, const double *z, int newton)
{
    size_t n = s->base.n, d = s->base.d;
    to_metric(s, z, s->y);
    model_at(&s->model, s->y, s->rm, s->jac);
    lm_weights(s, s->rm, s->by, s->bends);
    for (size_t j = 0; j < d; j++) s->g[j] = lambda * s->y[j];
    dense_across(n, d, s->jac, d, s->by, s->g);
    for (size_t i = 0; i < n; i++) vec_scale(d, sqrt(s->bends[i]), s->jac + i * d);
    dense_square(d, n, 1, s->jac, DENSE_UPPER, 1, s->matrix, d);
    if (newton) model_bends(&s->model, s->by, s->matrix);
}

static double trace_of(const lm *s)
{
    double trace = 0;
    for (size_t j = 0; j < s->base.d; j++) trace += fabs(s->matrix[j * s->base.d + j]);
    return trace;
}

/* The factor of matrix + more. 0: it is not positive. */
static int factorize(lm *s, double more)
{
    size_t d = s->base.d;
    vec_copy(d * d, s->matrix, s->factor);
    for (size_t j = 0; j < d; j++) s->factor[j * d + j] += more;
    return !dense_cholesky(d, s->factor);
}

static int smooth(const lm *s) { return s->base.psi->apply == zo_zero().apply; }

/* s->trial = argmin over the quadratic at z, with psi. matrix + more is positive. */
static void solve_with_psi(lm *s, double more, const double *z)
{
    size_t d = s->base.d;
    const double *scale = s->model.scale;
    for (size_t j = 0; j < d; j++) {
        s->weight_x[j] = s->g[j] * scale[j];
        for (size_t k = j; k < d; k++) {
            double v = (s->matrix[j * d + k] + (j == k ? more : 0)) * scale[j] * scale[k];
            s->factor[j * d + k] = s->factor[k * d + j] = v;
        }
    }
    quad q = {.d = d,
              .matrix = s->factor,
              .g = s->weight_x,
              .x = z,
              .psi = s->base.psi,
              .prox_work = s->base.prox_work};
    double tol = 1e-16 * fabs(s->at->value);
    vec_copy(d, z, s->trial);
    quad_solve(&q, &s->room, (quad_effort){100, tol, 1e-8}, s->trial);
}

static void solve_smooth(lm *s, const double *z)
{
    size_t d = s->base.d;
    vec_copy(d, s->g, s->work);
    dense_solve_down(d, s->factor, s->work);
    dense_solve_up(d, s->factor, s->work);
    for (size_t j = 0; j < d; j++) s->trial[j] = z[j] - s->work[j] / s->model.scale[j];
}

/* From z on, at most so many steps. */
static void descend(lm *s, double lambda, int steps, double *z)
{
    double f = value_at(s, lambda, z), damping = 0;
    for (int k = 0; k < steps; k++) {
        expand_at(s, lambda, z, damping == 0);
        double trace = trace_of(s), before = f;
        for (int t = 0; t < DAMPINGS && f == before; t++) {
            double more = lambda + damping + 1e-15 * trace;
            if (factorize(s, more)) {
                if (smooth(s))
                    solve_smooth(s, z);
                else
                    solve_with_psi(s, more, z);
                double at = value_at(s, lambda, s->trial);
                if (at < f) {
                    f = at;
                    vec_copy(s->base.d, s->trial, z);
                    damping = damping < 1e-13 * trace ? 0 : 0.1 * damping;
                    break;
                }
            }
            damping = fmax(10 * damping, 1e-6 * trace / (double)s->base.d);
        }
        if (before - f <= 1e-10 * fabs(f)) return;
    }
}

double lm_minimize(lm *s, double radius, double *z)
{
    size_t d = s->base.d, n = s->base.n;
    vec_copy(d, s->centre, z);
    descend(s, 0, MODEL_STEPS, z);
    if (!(lm_length(s, z) <= radius * 1.0001)) {
        double squares = dense_dot(n * d, s->model.slope, s->model.slope) / (double)n;
        double at = real_log(squares / (double)d + 1e-300), low = at - 40, high = at + 40;
        vec_copy(d, s->centre, s->kept);
        for (int k = 0; k < RADIUS_TRIES && high - low > 1e-3; k++) {
            vec_copy(d, s->kept, z);
            descend(s, real_exp(at), EDGE_STEPS, z);
            double length = lm_length(s, z);
            if (length > radius) {
                low = at;
            } else {
                high = at;
                vec_copy(d, z, s->kept);
                if (length > EDGE_LOW * radius) break;
            }
            at = 0.5 * (low + high);
        }
        vec_copy(d, s->kept, z);
    }
    return s->at->value - value_at(s, 0, z);
}

double lm_residual(lm *s, const double *off, double times)
{
    method *m = &s->base;
    lm_weights(s, s->r, s->by, NULL);
    vec_zero(m->d, s->g);
    dense_across(m->n, m->d, s->model.slope, m->d, s->by, s->g);
    double most = 0;
    for (size_t j = 0; j < m->d; j++) {
        s->g[j] *= s->model.scale[j];
        if (off) s->g[j] += times * off[j];
        most = fmax(most, s->metric[j] * s->metric[j] / (double)m->n);
    }
    double rounded =
        DBL_EPSILON * vec_norm(m->d, s->centre) * most; /* a step that x does not show */
    return fmax(prox_residual(m, s->centre, 1 / fmax(most, 1e-300), s->g, s->work),
                fmin(vec_norm(m->d, s->g), rounded));
}
