/* The metric, the models at the centre, and what their evaluation cannot tell from rounding or noise.
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "method/lm/lm.h"

double lm_metric_norm(const lm *s)
{
    double squares = 0;
    for (size_t j = 0; j < s->base.d; j++) {
        double v = s->metric[j] * s->centre[j];
        squares += v * v;
    }
    return sqrt(squares);
}

double lm_residual_size(const lm *s)
{
    return (vec_norm(s->base.n, s->r) + lm_metric_norm(s)) / sqrt((double)s->base.n);
}

double lm_size_now(const lm *s)
{
    size_t n = s->base.n, d = s->base.d;
    double squares = 0;
    for (size_t k = 0; k < n * d; k++) {
        double v = s->model.slope[k] * s->model.scale[k % d] * s->centre[k % d];
        squares += v * v;
    }
    return (vec_norm(n, s->r) + sqrt(squares)) / sqrt((double)n);
}

int lm_averages(const lm *s) { return s->at->noise > 0 && !s->at->repeats; }

double lm_value_noise(const lm *s)
{
    if (!s->at->repeats) return 0;
    lm_weights(s, s->r, s->by, NULL);
    return fmax(s->at->shakes, s->at->noise * vec_norm(s->base.n, s->by));
}

double lm_assumed_bend(const lm *s)
{
    double far = fmax(lm_metric_norm(s), DBL_MIN);
    return NOISY_BEND * lm_residual_size(s) / (far * far);
}

/* Noise, or at least rounding, in units of the curvature over the radius. */
static double noise_ratio(const lm *s)
{
    const lm_path *a = s->at;
    double size = lm_residual_size(s), root = sqrt((double)s->base.n);
    double part = fmin(1, a->radius / (root * size + DBL_MIN)); /* of |Dx| */
    double bend = fmax(sqrt(a->bend) * a->radius * a->radius, LEAST_BEND * size * part * part);
    return fmax(a->noise, ROUNDED * size) / fmax(bend, DBL_MIN);
}

void lm_build(lm *s)
{
    lm_path *a = s->at;
    model_build(&s->model, &s->secants, s->centre, s->r, s->metric, a->radius, noise_ratio(s));
    a->bend = s->model.bend / (a->radius * a->radius * a->radius * a->radius);
    if (!(a->noise > 0)) return;
    double assumed = lm_assumed_bend(s), most = (lm_averages(s) ? 1 : MOST_BENT) * assumed,
           least = lm_averages(s) ? LEAST_BENT * assumed : 0;
    a->bend = fmin(fmax(a->bend, least * least), most * most);
}

/* |column j| of a matrix n x d */
static double column(const lm *s, const double *matrix, size_t j)
{
    double squares = 0;
    for (size_t i = 0; i < s->base.n; i++) {
        double v = matrix[i * s->base.d + j];
        squares += v * v;
    }
    return sqrt(squares);
}

/* The metric grows with the columns of the Jacobian, and never shrinks. 1: it grew. */
static int grow_metric(lm *s)
{
    int grew = 0;
    for (size_t j = 0; j < s->base.d; j++) {
        double now = column(s, s->model.slope, j) * s->model.scale[j];
        if (!(now > s->metric[j])) continue;
        grew |= now > s->metric[j] * 1.0001;
        s->metric[j] = now;
    }
    return grew;
}

/* Roots whose signs explain all secants better, at the centre too. 1: there were some. */
static int revise_signs(lm *s)
{
    const secants *w = &s->secants;
    if (!s->at->rooted || !signs_revise(&s->signs, &s->model, &s->secants)) return 0;
    for (size_t p = 0; p < w->count; p++)
        if (!memcmp(w->to + p * w->d, s->centre, w->d * sizeof *w->to))
            vec_copy(w->n, w->value + p * w->n, s->r);
    return 1;
}

void lm_model(lm *s)
{
    lm_build(s);
    if (revise_signs(s)) lm_build(s);
    if (grow_metric(s)) lm_build(s);
}

int lm_is_lost(const lm *s, size_t j)
{
    double now = column(s, s->model.slope, j) * s->model.scale[j];
    return column(s, s->first, j) > 0 && now < DEAD * s->metric[j];
}

void lm_first_metric(lm *s, double least)
{
    size_t d = s->base.d;
    double top = 0, squares = 0, sizes = 0;
    for (size_t j = 0; j < d; j++) {
        s->metric[j] = column(s, s->first, j);
        top = fmax(top, s->metric[j] * s->size[j]);
    }
    if (!(top > 0)) top = 1;
    for (size_t j = 0; j < d; j++) {
        s->metric[j] = fmax(s->metric[j], least * top / s->size[j]);
        squares += s->metric[j] * s->start[j] * s->metric[j] * s->start[j];
        sizes += s->metric[j] * s->size[j] * s->metric[j] * s->size[j];
    }
    lm_path *a = s->at;
    a->first = FIRST_RADIUS * sqrt(squares > 0 ? squares : sizes);
    a->radius = a->good = a->first;
}

void lm_slopes_of(const lm *s, double *jac)
{
    size_t d = s->base.d;
    for (size_t k = 0; k < s->base.n * d; k++) jac[k] = s->model.slope[k] * s->model.scale[k % d];
}

void lm_slopes_at(lm *s, const double *x, double *jac)
{
    size_t d = s->base.d;
    lm_length(s, x); /* y */
    model_at(&s->model, s->y, s->rm, jac);
    for (size_t k = 0; k < s->base.n * d; k++) jac[k] *= s->model.scale[k % d];
}

void lm_teach(lm *s, const double *x, const double *r)
{
    secants_add(&s->secants, s->centre, s->metric, s->centre, s->r, x, r);
}

static void remember_best(lm *s, const double *x, double value)
{
    if (!(value < s->at->best) && !lm_averages(s)) return;
    s->at->best = value;
    method_offer(&s->base, x, value);
    vec_copy(s->base.d, x, s->base.x);
    s->base.step++;
}

void lm_keep_lower(lm *s, const double *x, const double *r, double value)
{
    if (!(value < s->at->lowest)) return;
    s->at->lowest = value;
    vec_copy(s->base.d, x, s->lower);
    vec_copy(s->base.n, r, s->lower_r);
    remember_best(s, x, value);
}

void lm_move_centre(lm *s, const double *x, const double *r, double value)
{
    vec_copy(s->base.d, x, s->centre);
    vec_copy(s->base.n, r, s->r);
    s->at->value = value;
    remember_best(s, x, value);
}

void lm_begin_anew(lm *s, const double *x, const double *r, const double *jac, const double *step)
{
    size_t n = s->base.n, d = s->base.d;
    s->secants.count = 0;
    vec_copy(d, x, s->centre);
    vec_copy(n, r, s->r);
    s->at->value = lm_objective(s, s->centre, s->r);
    for (size_t j = 0; j < d; j++) {
        if (step[j] == 0) continue;
        vec_copy(d, s->centre, s->trial);
        s->trial[j] += step[j];
        for (size_t i = 0; i < n; i++) s->rm[i] = s->r[i] + jac[i * d + j] * step[j];
        lm_teach(s, s->trial, s->rm);
    }
}
