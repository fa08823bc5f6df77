/* thin: the model of those found, its minimizer, and what keeps it true.
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>

#include "base/vec.h"
#include "method/thin/thin.h"

enum { SWEEPS = 200 };
static const double accuracy = 1e-9;  /* of what a step gains */
static const double look_away = 1e-4; /* of the length that a component bends over */
static const double foretold = 1e-4;  /* of a slope along the weights, */
static const double unfelt = 1e-5;    /* or of one that would change F by itself */
static const double unbent = 0.1;     /* of slope^2/|f|: curvature of what does not bend here */

/* Coordinates that some component depends on, or that are not 0. */
static size_t number_axes(thin *t)
{
    const method *m = &t->base;
    size_t count = 0;
    for (size_t j = 0; j < m->d; j++) t->local[j] = m->x[j] != 0;
    for (size_t j = 0; j < t->found.used; j++) t->local[t->place[j]] = 1;
    for (size_t j = 0; j < m->d; j++)
        if (t->local[j]) {
            t->local[j] = (uint32_t)count;
            t->axis[count++] = (uint32_t)j;
        }
    return count;
}

static double mean_size(const thin *t)
{
    double sum = 0;
    for (size_t i = 0; i < t->base.n; i++) sum += fabs(t->f[i]);
    return sum / (double)t->base.n;
}

/* A curvature: the mean of those along own directions, and what f would bend by over the length on which it falls to 0. */
static double unit_of(const thin *t)
{
    double bends = 0, squares = 0, size = fmax(mean_size(t), DBL_MIN);
    for (size_t k = 0; k < t->found.count; k++) {
        bends += fmax(t->bend[k], 0);
        squares += t->slope[k] * t->slope[k];
    }
    return fabs(t->probe.mu) + (bends + unbent * squares / size) / thin_sampled(t);
}

/* Rows sqrt(bend_k/m) u_k, by rows and by columns. */
static void fill_factor(thin *t, size_t d)
{
    size_t found = t->found.count, count = 0;
    quad_sparse *a = &t->factor;
    for (size_t j = 0; j <= d; j++) a->col[j] = 0;
    for (size_t k = 0; k < found; k++) {
        double by = sqrt(fmax(t->bend[k], 0) / thin_sampled(t));
        a->row[k] = count;
        for (uint64_t e = t->begin[k]; e < t->begin[k + 1]; e++) {
            a->col_of[count] = t->local[t->place[e]];
            a->by_row[count] = by * t->value[e];
            a->col[a->col_of[count++] + 1]++;
        }
    }
    a->row[found] = count;
    for (size_t j = 0; j < d; j++) a->col[j + 1] += a->col[j], t->fill[j] = a->col[j];
    for (size_t k = 0; k < found; k++)
        for (size_t e = a->row[k]; e < a->row[k + 1]; e++) {
            size_t to = t->fill[a->col_of[e]]++;
            a->row_of[to] = (uint32_t)k;
            a->by_col[to] = a->by_row[e];
        }
}

static void fill_gradient(thin *t, size_t d)
{
    for (size_t j = 0; j < d; j++) {
        t->x[j] = t->base.x[t->axis[j]];
        t->g[j] = t->probe.mu * t->x[j];
    }
    for (size_t k = 0; k < t->found.count; k++)
        for (uint64_t e = t->begin[k]; e < t->begin[k + 1]; e++)
            t->g[t->local[t->place[e]]] += t->slope[k] / thin_sampled(t) * t->value[e];
}

static double residual_of(thin *t, size_t d)
{
    vec_zero(t->base.d, t->full);
    for (size_t j = 0; j < d; j++) t->full[t->axis[j]] = t->g[j];
    return prox_residual(&t->base, t->base.x, 1, t->full, t->z);
}

int thin_offer(thin *t)
{
    method *m = &t->base;
    size_t d = number_axes(t);
    fill_factor(t, d);
    fill_gradient(t, d);
    m->residual = thin_has_all(t) && t->found.failed == 0 ? residual_of(t, d) : NAN;
    vec_copy(m->d, m->x, t->full);
    t->free.count = d;
    zo_prox psi = prox_of_free(&t->free, &t->whole, NULL, NULL);
    quad q = {.d = d,
              .sparse = &t->factor,
              .rows = t->found.count,
              .stride = m->n,
              .ridge = fmax(t->probe.mu, 0),
              .damping = t->at.damping * unit_of(t),
              .g = t->g,
              .x = t->x,
              .psi = &psi,
              .prox_work = t->prox_work};
    vec_copy(d, t->x, t->z);
    quad_forget(&t->solver);
    quad_solve(&q, &t->solver, (quad_effort){SWEEPS, 0, accuracy}, t->z);
    t->model.looked = 0; /* at the candidate, if it is taken */
    t->model.promise = quad_decrease(&q, &t->solver, t->z);
    vec_copy(m->d, m->x, t->cand);
    for (size_t j = 0; j < d; j++) t->cand[t->axis[j]] = t->z[j];
    return t->model.promise > method_unseen(m, t->at.F, mean_size(t));
}

static size_t looks(const thin *t)
{
    size_t left = t->found.count - t->model.looked;
    return left < t->room ? left : t->room;
}

/* So far that its bend is seen, and nearly no more than that. */
static double away_of(const thin *t, size_t k, double size)
{
    double f = fabs(t->f[t->who[k]]), bend = fabs(t->bend[k]);
    double length = bend > 0 && f > 0 ? sqrt(f / bend) : INFINITY;
    return look_away * fmin(length, size);
}

void thin_ask_look(thin *t, zo_fan *fan)
{
    size_t d = t->base.d, count = looks(t);
    double size = thin_size_of_x(&t->base);
    for (size_t e = 0; e < count; e++) {
        size_t k = t->model.looked + e;
        double *row = t->own + e * d, away = away_of(t, k, size);
        split_clear(t->splitter, t->from[e], t->to[e], row);
        t->from[e] = 0, t->to[e] = d;
        for (uint64_t j = t->begin[k]; j < t->begin[k + 1]; j++)
            row[t->place[j]] = away * t->value[j];
    }
    fan->comp = t->who + t->model.looked;
    fan->ncomp = count;
    fan->own = fan->known = 1;
    ask_rows(fan, 1, t->own, 2);
}

int thin_tell_look(thin *t, const double *answers)
{
    const method *m = &t->base;
    double size = thin_size_of_x(m);
    for (size_t e = 0; e < m->fan.ncomp; e++) {
        size_t k = t->model.looked + e;
        double r = away_of(t, k, size), f = t->f[t->who[k]], along = 0;
        for (uint64_t j = t->begin[k]; j < t->begin[k + 1]; j++)
            along += t->value[j] * m->x[t->place[j]];
        double up = answers[2 * e] - f, down = answers[2 * e + 1] - f;
        t->slope[k] = 0.5 * (up - down) / r - t->probe.mu * along;
        t->bend[k] = (up + down) / (r * r) - t->probe.mu;
    }
    t->model.looked += m->fan.ncomp;
    return t->model.looked == t->found.count;
}

/* ---- Is it the end? ---------------------------------------------------------------------------------- */

void thin_ask_proof(thin *t, zo_fan *fan)
{
    thin_touched(t, 1);
    vec_copy(t->base.d, t->splitter->weight[0], t->own);
    fan->dir = t->own;
    fan->ndir = 1;
    fan->sides = 2;
    fan->radius = thin_radius(t);
}

/* A component that did not change where it was asked first may do so here, and one may have turned. */
int thin_proven(thin *t, const double *answers)
{
    const method *m = &t->base;
    const double *w = t->splitter->weight[0];
    double r = m->fan.radius, ridge = t->probe.mu * vec_dot(m->d, w, m->x),
           least = unfelt * sqrt(mean_size(t) * unit_of(t)),
           *left = t->tried; /* no candidate needs it */
    int proven = 1;
    for (size_t i = 0; i < m->n; i++) {
        const double *told = answers + 3 * i;
        left[i] = (told[1] - told[2]) / (2 * r) - ridge;
    }
    for (size_t k = 0; k < t->found.count; k++) {
        double sum = 0, size = 0;
        for (uint64_t e = t->begin[k]; e < t->begin[k + 1]; e++) {
            double one = t->slope[k] * t->value[e] * w[t->place[e]];
            sum += one;
            size += fabs(one);
        }
        double off = fabs(left[t->who[k]] - sum);
        left[t->who[k]] = fmax(off - foretold * size, 0);
    }
    for (size_t i = 0; i < m->n; i++)
        proven &= fabs(left[i]) <= least + rounded * rounded * DBL_EPSILON * fabs(t->f[i]) / r;
    return proven;
}
