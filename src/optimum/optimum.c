/* The reference optimum: proximal Newton steps with exact derivatives, and a proof at the end.
 * SPDX-License-Identifier: MIT
 *
 * Each step minimises the quadratic model of f at x plus psi (quadratic.h) and searches along the line to its
 * minimizer (J. Lee, Y. Sun, M. Saunders, "Proximal Newton-type methods", 2014):
 *
 *     separable psi     the model in a working set of coordinates: those that a prox-gradient step would move
 *     other psi         the model in all coordinates, with the Hessian as a matrix or through products
 *
 * A proof is tried at p = prox_t(x - t grad f(x)) when the prox-gradient is small; see proof.c. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/vec.h"
#include "optimum/search.h"
#include "prox/prox.h"

enum {
    MOST_STEPS = 300,
    MOST_SET = 4096,    /* unknowns of a model with a matrix, separable psi */
    MOST_MATRIX = 2048, /* the same, other psi */
    WHOLE = 1024,       /* up to so many coordinates newcomers join the working set without limit */
    NEWCOMERS = 128,    /* otherwise so many, or a quarter of those in it */
    PATIENCE = 6        /* steps without progress */
};

/* ---- the point
 * --------------------------------------------------------------------------------------------- */

static double objective_at(const search *s, const double *margin, const double *x)
{
    return smooth_loss(&s->f, margin) + s->f.l2 / 2 * vec_dot(s->d, x, x) +
           prox_value(&s->psi, s->d, x);
}

/* v = prox of v with the steps t. */
static void map(search *s, double *v)
{
    if (!prox_separable(&s->psi))
        prox_apply(&s->psi, s->d, s->t[0], v, v, s->prox_work);
    else
        for (size_t j = 0; j < s->d; j++) v[j] = prox_one(&s->psi, j, s->t[j], v[j]);
}

/* Everything at x. */
static void look(search *s)
{
    smooth_margins(&s->f, s->x, s->margin);
    smooth_slopes(&s->f, s->margin, s->slope);
    smooth_gradient(&s->f, s->slope, s->g);
    vec_add(s->d, s->f.l2, s->x, s->g);
    s->objective = objective_at(s, s->margin, s->x);
    for (size_t j = 0; j < s->d; j++) s->p[j] = s->x[j] - s->t[j] * s->g[j];
    map(s, s->p);
    s->residual = s->slope_left = 0;
    for (size_t j = 0; j < s->d; j++) {
        double slope = (s->x[j] - s->p[j]) / s->t[j];
        s->residual += s->t[j] * slope * slope;
        s->slope_left += slope * slope;
    }
    s->residual = sqrt(s->residual);
    s->slope_left = sqrt(s->slope_left);
}

static double target_of(const search *s) { return s->relative * fmax(fabs(s->objective), 1e-10); }

/* Goes to p (F falls on the way) and proves what can be proved there. */
static zo_status settle(search *s, zo_error *err)
{
    double *z = s->move, *gz = s->r; /* where p comes from; z then holds the subgradient at p */
    vec_copy(s->d, s->x, z);
    vec_copy(s->d, s->g, gz);
    vec_copy(s->d, s->p, s->x);
    look(s);
    smooth_doubt(&s->f, s->x, s->slope, s->doubt);
    for (size_t j = 0; j < s->d; j++) {
        z[j] = (z[j] - s->x[j]) / s->t[j] - gz[j] + s->g[j];
        s->doubt[j] += DBL_EPSILON * fabs(s->x[j]) / s->t[j];
    }
    evidence e = {&s->f,        &s->psi, s->x,     s->margin,  s->slope,
                  s->objective, z,       s->doubt, s->strength};
    proof found = prove(&s->prover, &e, target_of(s));
    if (s->prover.failed) return out_of_memory(err, "numbers of a Hessian", s->d * s->d);
    if (!(found.bound < s->found.bound) && s->found.iterations) return ZO_OK;
    s->found.bound = found.bound;
    s->found.proof = found.how;
    s->found.iterations = 1; /* marks that best is filled */
    vec_copy(s->d, s->x, s->best);
    return ZO_OK;
}

/* ---- the model
 * ----------------------------------------------------------------------------------------------- */

/* The curvature of a parabola that stands for the loss far out, where its own curvature is 0: with the same
 * slope, and its least value where the loss has its own. Huber: |slope|/|r|; smooth hinge: 1/(2t - 1) for t
 * > 1. */
static double far_curvature(zo_loss loss, double m, double y)
{
    double r = fabs(m - y), t = 1 - y * m;
    if (loss == ZO_HUBER) return r <= 1 ? 1 : 1 / r;
    return t <= 0 ? 0 : t <= 1 ? 1 : 1 / (2 * t - 1);
}

static void bend(search *s)
{
    if (!s->cautious)
        smooth_curvatures(&s->f, s->margin, s->curve);
    else
        for (size_t i = 0; i < s->f.n; i++)
            s->curve[i] = far_curvature(s->f.loss, s->margin[i], s->f.target[i]);
}

static int by_score(const void *a, const void *b)
{
    const newcomer *u = a, *v = b;
    if (u->score != v->score) return u->score < v->score ? 1 : -1;
    return (u->coordinate > v->coordinate) - (u->coordinate < v->coordinate);
}

/* Is x_j not at a kink, or could it leave it when the gradient changes a little? */
static int would_move(const search *s, size_t j)
{
    double t = s->t[j], v = s->x[j] - t * s->g[j],
           little = fmax(0.1 * sqrt(t) * s->residual, 8 * DBL_EPSILON * fabs(s->x[j]));
    return prox_one(&s->psi, j, t, v - little) != s->x[j] ||
           prox_one(&s->psi, j, t, v + little) != s->x[j];
}

/* The working set: members that would still move, and the newcomers that would move most. 0: too many. */
static int choose(search *s)
{
    size_t kept = 0, waiting = 0;
    for (size_t j = 0; j < s->d; j++) {
        int moves = would_move(s, j);
        s->member[j] = moves && s->member[j];
        kept += s->member[j];
        if (!s->member[j] && s->x[j] != s->p[j])
            s->queue[waiting++] = (newcomer){fabs(s->x[j] - s->p[j]) / s->t[j], (uint32_t)j};
    }
    if (s->shortened && kept) waiting = 0; /* first get along with those that are here */
    size_t most = s->d <= WHOLE ? s->d : kept / 4 > NEWCOMERS ? kept / 4 : NEWCOMERS;
    if (waiting > most) {
        qsort(s->queue, waiting, sizeof *s->queue, by_score);
        waiting = most;
    }
    if (kept + waiting > MOST_SET) return 0;
    for (size_t k = 0; k < waiting; k++) s->member[s->queue[k].coordinate] = 1;
    s->count = 0;
    for (size_t j = 0; j < s->d; j++) {
        s->index[j] = s->member[j] ? (uint32_t)s->count : UINT32_MAX;
        if (s->member[j]) s->set[s->count++] = (uint32_t)j;
    }
    return 1;
}

/* What is added to the Hessian's diagonal, as a part of it. Losses with flat or straight parts may leave it singular
 * on the way; near the end they need no more than rounding does. */
static double damping(const search *s)
{
    double least = search_flat(s) ? fmax(1e-13, 1e-6 * fmin(1, s->residual / s->first)) : 1e-13;
    return fmax(s->shift, least);
}

/* The Hessian in the working set, with l2 and enough on its diagonal to be positive definite in rounding. */
static void build_matrix(search *s)
{
    size_t m = s->count;
    smooth_hessian(&s->f, s->curve, m, s->index, s->hess);
    for (size_t j = 0; j < s->d; j++) {
        if (s->index[j] == UINT32_MAX) continue;
        double *at = s->hess + s->index[j] * (m + 1), own = s->f.diagonal[j];
        *at += s->f.l2 + (own > 0 ? own : 1) * damping(s);
    }
}

static double wanted(const search *s)
{
    return s->residual * fmin(0.1, sqrt(s->residual / s->first));
}

/* y = minimizer of the model in the working set, x elsewhere. */
static zo_status solve_set(search *s, zo_error *err)
{
    zo_status status = search_room(s, s->count, err);
    if (!status) status = coordinate_room(&s->coordinate, s->count, err);
    if (status) return status;
    build_matrix(s);
    for (size_t k = 0; k < s->count; k++) {
        s->small[0][k] = s->g[s->set[k]];
        s->small[1][k] = s->small[2][k] = s->x[s->set[k]];
    }
    quadratic q = {.m = s->count,
                   .hess = s->hess,
                   .g = s->small[0],
                   .x = s->small[1],
                   .y = s->small[2],
                   .r = s->small[3]};
    /* The steps here are `features` times longer than t, and so is the square of what is left by this
     * measure. */
    vec_copy(s->d, s->x, s->y);
    coordinate_solve(&s->coordinate, &q, &s->psi, s->set, (point){s->d, s->y},
                     wanted(s) * sqrt((double)s->f.features));
    for (size_t k = 0; k < s->count; k++) s->y[s->set[k]] = s->small[2][k];
    return ZO_OK;
}

/* y = minimizer of the model in all coordinates. */
static zo_status solve_all(search *s, zo_error *err)
{
    zo_status status = s->general.d ? ZO_OK : general_new(&s->general, s->d, &s->psi, err);
    quadratic q = {.m = s->d,
                   .f = &s->f,
                   .curve = s->curve,
                   .margin = s->trial,
                   .g = s->g,
                   .x = s->x,
                   .y = s->y,
                   .r = s->r};
    q.shift = s->f.top * damping(s);
    if (!status && s->d <= MOST_MATRIX) {
        status = search_room(s, s->d, err);
        if (status) return status;
        s->count = s->d;
        for (size_t j = 0; j < s->d; j++) s->index[j] = (uint32_t)j;
        build_matrix(s);
        q.hess = s->hess;
    }
    if (status) return status;
    vec_copy(s->d, s->x, s->y);
    general_solve(&s->general, &q, &s->psi, wanted(s) / sqrt(s->t[0]));
    return ZO_OK;
}

/* ---- steps
 * -------------------------------------------------------------------------------------------------------- */

/* The largest of 1, 1/2, 1/4 ... along x + step*move with F falling by a tenth of what the model's slope
 * promises. */
static double search_line(search *s)
{
    vec_step(s->d, s->y, 1, s->x, s->move);
    double promised = vec_dot(s->d, s->g, s->move) + prox_value(&s->psi, s->d, s->y) -
                      prox_value(&s->psi, s->d, s->x);
    double noise = 4 * DBL_EPSILON * fabs(s->objective);
    if (!(promised < noise)) return 0;
    smooth_margins(&s->f, s->move, s->along);
    for (double step = 1; step > 1e-12; step /= 2) {
        for (size_t k = 0; k < s->nm; k++) s->trial[k] = s->margin[k] + step * s->along[k];
        if (step < 1) vec_step(s->d, s->x, -step, s->move, s->y);
        if (objective_at(s, s->trial, s->y) <= s->objective + 0.1 * step * promised + noise)
            return step;
    }
    return 0;
}

/* One proximal Newton step, or a prox-gradient step where that fails. */
static zo_status advance(search *s, zo_error *err)
{
    bend(s);
    int by_set = prox_separable(&s->psi) && choose(s);
    zo_status status = by_set ? solve_set(s, err) : solve_all(s, err);
    if (status) return status;
    double step = search_line(s);
    vec_copy(s->d, step > 0 ? s->y : s->p, s->x);
    s->shortened = step < 1;
    s->cautious = search_flat(s) && step < 1;
    s->shift = step < 0.5 ? fmax(10 * s->shift, 1e-5) : s->shift < 1e-9 ? 0 : s->shift / 10;
    look(s);
    return ZO_OK;
}

/* Is a proof likely to succeed? With strong convexity it is known how small the residual must be. */
static int worth(const search *s, size_t step)
{
    if (s->slope_left * s->slope_left <= 200 * s->strength * target_of(s)) return 1;
    return s->residual <= (s->strength > 0 ? 1e-9 : 1e-6) * s->first || step % 16 == 15;
}

static zo_status find(search *s, zo_error *err)
{
    look(s);
    if (!isfinite(s->objective))
        return fail(err, ZO_BAD_ARGUMENT, "x: F is %g at the start", s->objective);
    double least = INFINITY, lowest = INFINITY;
    s->first = s->residual;
    size_t step = 0, idle = 0;
    zo_status status = ZO_OK;
    for (; step < MOST_STEPS && idle < PATIENCE && !status; step++) {
        if (worth(s, step)) status = settle(s, err);
        if (s->found.bound <= target_of(s)) break;
        int better = s->residual < 0.5 * least || s->objective < lowest - 1e-7 * fabs(lowest);
        idle = better ? 0 : idle + 1;
        least = fmin(least, s->residual);
        lowest = fmin(lowest, s->objective);
        if (!status) status = advance(s, err);
    }
    if (!status && !(s->found.bound <= target_of(s))) status = settle(s, err);
    if (status) return status;
    s->found.iterations = step;
    s->found.objective =
        (double)(smooth_exact(&s->f, s->best) + prox_value(&s->psi, s->d, s->best));
    s->found.bound +=
        DBL_EPSILON * fabs(s->found.objective); /* it is said of the number, which is rounded */
    return ZO_OK;
}

static zo_status check(const zo_model *model, double relative, const double *x, zo_error *err)
{
    if (!model || !x) return fail(err, ZO_BAD_ARGUMENT, "%s is missing", model ? "x" : "model");
    if (model->loss == ZO_SIGMOID)
        return fail(err, ZO_UNSUPPORTED,
                    "loss: sigmoid is not convex, so its optimum cannot be proved");
    if (!(relative > 0)) return fail(err, ZO_BAD_ARGUMENT, "relative: %g is not above 0", relative);
    for (size_t j = 0; j < model->d; j++)
        if (!isfinite(x[j])) return fail(err, ZO_BAD_ARGUMENT, "x: number %zu is %g", j, x[j]);
    return ZO_OK;
}

zo_status zo_find_optimum(zo_optimum *out, const zo_model *model, const zo_prox *psi,
                          double relative, double *x, zo_error *err)
{
    if (!out) return fail(err, ZO_BAD_ARGUMENT, "out is missing");
    *out = (zo_optimum){NAN, INFINITY, "none", 0};
    zo_status status = check(model, relative, x, err);
    if (!status && psi) status = zo_prox_check(psi, model->d, err);
    if (status) return status;
    search *s;
    status = search_new(&s, model, psi, err);
    if (status) return status;
    s->relative = relative;
    vec_copy(s->d, x, s->x);
    map(s, s->x); /* feasible from here on */
    status = find(s, err);
    if (!status) {
        vec_copy(s->d, s->best, x);
        *out = s->found;
    }
    search_free(s);
    return status ? status : succeed(err);
}
