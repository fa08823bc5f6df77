/* What residuals say about the parameters: slopes, covariance, and what is not determined.
 * SPDX-License-Identifier: MIT
 *
 *     C = s^2 (J'WJ)^-1,   s^2 = sum w_i r_i^2/(n - d)
 *
 * J'WJ with unit diagonal is taken apart into eigenvectors. A direction whose eigenvalue is rounding is
 * not determined, nor is a parameter that it moves. */
#include <math.h>
#include <string.h>

#include "base/eigen.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "problem/outer.h"
#include "solve/solver.h"

#define UNDETERMINED 1e-13 /* an eigenvalue of the scaled matrix below this is rounding */
#define MOVES 1e-3         /* part of a parameter in such a direction that makes it one of them */

/* ---- r and J with all coordinates --------------------------------------------------------------------- */

static zo_status slopes(const zo_solver *s, double *r, double *jac, zo_error *err)
{
    method *m = s->method;
    if (!m->row->slopes)
        return fail(err, ZO_UNSUPPORTED, "residuals: %s does not model residuals; lm does",
                    m->row->info.name);
    if (!m->row->slopes(m, r, jac))
        return fail(err, ZO_BAD_STATE, "residuals: slopes at the point are not known yet");
    return ZO_OK;
}

/* From the free coordinates to all of them: from n rows of free numbers to n rows of d, in place, zeros elsewhere. */
static zo_status widen(const zo_solver *s, double *jac, zo_error *err)
{
    size_t free = s->problem.d, d = s->d;
    if (!s->fixed) return ZO_OK;
    double *room = mem_new(free, sizeof *room);
    if (!room) return out_of_memory(err, "slopes", d);
    for (size_t i = s->problem.n; i-- > 0;) {
        vec_copy(free, jac + i * free, room);
        fixed_widen_slopes(s->fixed, room, jac + i * d);
    }
    mem_free(room);
    return ZO_OK;
}

zo_status zo_residuals(const zo_solver *s, double *r, double *jac, zo_error *err)
{
    if (!s) return fail(err, ZO_BAD_ARGUMENT, "solver: NULL");
    size_t n = s->problem.n;
    double *room = mem_new(n + n * s->d, sizeof *room);
    if (!room) return out_of_memory(err, "slopes", n * s->d);
    zo_status status = slopes(s, room, room + n, err);
    if (!status) status = widen(s, room + n, err);
    if (!status && r) vec_copy(n, room, r);
    if (!status && jac) vec_copy(n * s->d, room + n, jac);
    mem_free(room);
    return status ? status : succeed(err);
}

/* ---- covariance ---------------------------------------------------------------------------------------- */

typedef struct spread {
    size_t n, d;
    double *r, *jac;          /* n, n x d */
    double *matrix, *vectors; /* d x d */
    double *size;             /* d: columns of J */
    double *all;              /* what holds them */
} spread;

/* J'WJ with unit diagonal, and twice the loss. */
static double weigh(const zo_solver *s, spread *w)
{
    size_t n = w->n, d = w->d;
    const zo_outer *h = s->problem.outer.value ? &s->problem.outer : NULL;
    double loss = 0;
    for (size_t i = 0; i < n; i++) {
        double bend = h ? outer_bend(h, i, w->r[i]) : 1;
        loss += h ? 2 * outer_value(h, i, w->r[i]) : w->r[i] * w->r[i];
        vec_scale(d, sqrt(bend), w->jac + i * d);
    }
    for (size_t j = 0; j < d; j++) {
        double squares = 0;
        for (size_t i = 0; i < n; i++) squares += w->jac[i * d + j] * w->jac[i * d + j];
        w->size[j] = squares > 0 ? sqrt(squares) : 1;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < d; j++) w->jac[i * d + j] /= w->size[j];
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < d; k++)
            for (size_t i = 0; i < n; i++)
                w->matrix[j * d + k] += w->jac[i * d + j] * w->jac[i * d + k];
    return loss;
}

/* (J'WJ)^-1 over the directions that are determined, in covariance; returns how many parameters are not. */
static size_t invert(spread *w, double variance, double *covariance, double *error)
{
    size_t d = w->d, lost = 0;
    memset(covariance, 0, d * d * sizeof *covariance);
    memset(error, 0, d * sizeof *error);
    for (size_t k = 0; k < d; k++) {
        double value = w->matrix[k * d + k];
        const double *v = w->vectors + k; /* a column */
        for (size_t i = 0; i < d; i++) {
            if (!(value > UNDETERMINED) && fabs(v[i * d]) > MOVES) error[i] = INFINITY;
            for (size_t j = 0; j < d && value > UNDETERMINED; j++)
                covariance[i * d + j] +=
                    variance * v[i * d] * v[j * d] / value / w->size[i] / w->size[j];
        }
    }
    for (size_t j = 0; j < d; j++) {
        if (!isfinite(variance)) error[j] = INFINITY;
        lost += isinf(error[j]) != 0;
        if (!isinf(error[j])) error[j] = sqrt(fmax(covariance[j * d + j], 0));
    }
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            if (isinf(error[i]) || isinf(error[j])) covariance[i * d + j] = INFINITY;
    return lost;
}

zo_status zo_covariance(const zo_solver *s, double *covariance, double *error, size_t *undetermined,
                        zo_error *err)
{
    if (!s) return fail(err, ZO_BAD_ARGUMENT, "solver: NULL");
    size_t n = s->problem.n, d = s->d;
    double *all = mem_new(n + n * d + 3 * d * d + 2 * d, sizeof *all);
    if (!all) return out_of_memory(err, "covariance", n * d);
    spread w = {n, d, all, all + n, all + n + n * d, NULL, NULL, all};
    w.vectors = w.matrix + d * d;
    w.size = w.vectors + 2 * d * d;
    zo_status status = zo_residuals(s, w.r, w.jac, err);
    if (!status) {
        double variance = weigh(s, &w) / ((double)n - (double)d);
        if (n <= d) variance = INFINITY;
        eigen(d, w.matrix, w.vectors);
        double *c = w.vectors + d * d, *e = w.size + d;
        size_t lost = invert(&w, variance, c, e);
        if (undetermined) *undetermined = lost;
        if (covariance) vec_copy(d * d, c, covariance);
        if (error) vec_copy(d, e, error);
    }
    mem_free(all);
    return status ? status : succeed(err);
}
