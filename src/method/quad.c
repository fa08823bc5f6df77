/* Coordinate descent with an active set and Newton's polish, or accelerated proximal gradients.
 * SPDX-License-Identifier: MIT */
#include "method/quad.h"

#include <assert.h>
#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/blas.h"
#include "base/mem.h"
#include "base/vec.h"
#include "prox/prox.h"

enum { POLISHES = 8, HALVINGS = 6, GRADIENT_STEPS = 4000, POWER_STEPS = 40 };

double quad_bytes(size_t d, size_t rows, size_t order)
{
    return 8.0 * (8 * (double)d + (double)rows + (double)order * (double)(order + rows));
}

int quad_open(quad_room *room, size_t d, size_t rows, size_t order)
{
    *room = (quad_room){.d = d, .rows = rows, .order = order};
    room->r = mem_new(d, sizeof(double));
    room->q = mem_new(rows, sizeof(double));
    room->diagonal = mem_new(d, sizeof(double));
    room->best = mem_new(d, sizeof(double));
    room->move = mem_new(d, sizeof(double));
    room->bend = mem_new(d, sizeof(double));
    room->momentum = mem_new(d, sizeof(double));
    room->system = mem_new(order * order, sizeof(double));
    room->slice = mem_new(order * rows, sizeof(double));
    room->active = mem_new(d, sizeof(size_t));
    room->moved = mem_new(d, 1);
    return room->r && room->q && room->diagonal && room->best && room->move && room->bend && room->momentum &&
                   room->system && room->slice && room->active && room->moved
               ? 0
               : -1;
}

void quad_close(quad_room *room)
{
    void *all[] = {room->r,        room->q,      room->diagonal, room->best,   room->move, room->bend,
                   room->momentum, room->system, room->slice,    room->active, room->moved};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
    *room = (quad_room){0};
}

static double diagonal_part(const quad *q) { return q->ridge + q->damping; }

static const double *column(const quad *q, size_t j) { return q->col + j * q->stride; }

/* w'diag(weight) v over the factor's rows, in vec_dot's order of summation */
static double weighted_dot(const quad *q, const double *w, const double *v)
{
    double s[8] = {0};
    size_t k = 0;
    for (; k + 8 <= q->rows; k += 8)
        for (size_t l = 0; l < 8; l++) s[l] += w[k + l] * (q->weight[k + l] * v[k + l]);
    for (size_t l = 0; k < q->rows; k++, l++) s[l] += w[k] * (q->weight[k] * v[k]);
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* out = M v; in factor form room->q is lost */
static void multiply(const quad *q, quad_room *room, const double *v, double *out)
{
    if (q->matrix) {
        for (size_t j = 0; j < q->d; j++) out[j] = vec_dot(q->d, q->matrix + j * q->d, v);
        return;
    }
    vec_zero(q->rows, room->q);
    for (size_t j = 0; j < q->d; j++)
        if (v[j] != 0) vec_add(q->rows, v[j], column(q, j), room->q);
    for (size_t j = 0; j < q->d; j++) out[j] = weighted_dot(q, column(q, j), room->q);
}

/* r = g + (M + ridge + damping)(z - x); in factor form q = A(z - x) too */
static void slopes(const quad *q, quad_room *room, const double *z)
{
    double *step = room->momentum;
    for (size_t j = 0; j < q->d; j++) step[j] = z[j] - q->x[j];
    multiply(q, room, step, room->r);
    for (size_t j = 0; j < q->d; j++) room->r[j] += q->g[j] + diagonal_part(q) * step[j];
}

static void diagonals(const quad *q, quad_room *room)
{
    double top = 0;
    for (size_t j = 0; j < q->d; j++) {
        double h = q->matrix ? q->matrix[j * q->d + j] : weighted_dot(q, column(q, j), column(q, j));
        room->diagonal[j] = h + diagonal_part(q);
        top = fmax(top, room->diagonal[j]);
    }
    double least = top > 0 ? 1e-14 * top : 1;
    for (size_t j = 0; j < q->d; j++) room->diagonal[j] = fmax(room->diagonal[j], least);
}

/* The objective at z where room->r is its slope: (g + r)'(z - x)/2 + psi(z). */
static double objective(const quad *q, const quad_room *room, const double *z)
{
    double s = 0;
    for (size_t j = 0; j < q->d; j++) s += (q->g[j] + room->r[j]) * (z[j] - q->x[j]);
    return 0.5 * s + prox_value(q->psi, q->d, z);
}

double quad_decrease(const quad *q, quad_room *room, const double *z)
{
    quad bare = *q;
    bare.damping = 0;
    slopes(&bare, room, z);
    double s = 0;
    for (size_t j = 0; j < q->d; j++) s += (q->g[j] + room->r[j]) * (z[j] - q->x[j]);
    return -(0.5 * s + prox_value(q->psi, q->d, z) - prox_value(q->psi, q->d, q->x));
}

/* ---- Coordinate descent ------------------------------------------------------------------------- */

static double slope_at(const quad *q, const quad_room *room, const double *z, size_t j)
{
    if (q->matrix) return room->r[j];
    return q->g[j] + diagonal_part(q) * (z[j] - q->x[j]) + weighted_dot(q, column(q, j), room->q);
}

/* z_j += p, and what follows from it */
static void shift(const quad *q, quad_room *room, double *z, size_t j, double p)
{
    z[j] += p;
    if (q->matrix) {
        vec_add(q->d, p, q->matrix + j * q->d, room->r);
        room->r[j] += p * diagonal_part(q);
    } else {
        vec_add(q->rows, p, column(q, j), room->q);
    }
}

/* One sweep; returns the largest h p^2 of a coordinate's step p. */
static double sweep(const quad *q, quad_room *room, double *z, int full)
{
    double most = 0;
    for (size_t j = 0; j < q->d; j++) {
        if (!full && !room->moved[j]) continue;
        double h = room->diagonal[j];
        double to = prox_one(q->psi, j, 1 / h, z[j] - slope_at(q, room, z, j) / h), p = to - z[j];
        room->moved[j] = p != 0 || (!full && room->moved[j]);
        if (p == 0) continue;
        shift(q, room, z, j, p);
        z[j] = to;
        most = fmax(most, h * p * p);
    }
    return most;
}

/* Returns 1 when a full sweep moved nothing by more than tol. */
static int descend(const quad *q, quad_room *room, int sweeps, double tol, double *z)
{
    slopes(q, room, z);
    int full = 1, since = 0;
    for (int k = 0; k < sweeps; k++) {
        double most = sweep(q, room, z, full);
        if (most <= tol && full) return 1;
        full = most <= tol || ++since >= 50;
        if (full) since = 0;
    }
    return 0;
}

/* ---- Polish: Newton on the coordinates where psi is smooth --------------------------------------- */

/* The coordinates at which the proximal map is differentiable with a slope that is not 0: there psi is, to
 * second order, a quadratic whose slope goes to move (with r) and whose curvature goes to bend. */
static size_t find_active(const quad *q, quad_room *room, const double *z)
{
    size_t count = 0;
    for (size_t j = 0; j < q->d; j++) {
        double h = room->diagonal[j], r = slope_at(q, room, z, j), v = z[j] - r / h;
        double e = 1e-7 * fmax(fabs(v), 1e-6), at = prox_one(q->psi, j, 1 / h, v);
        double right = (prox_one(q->psi, j, 1 / h, v + e) - at) / e;
        double left = (at - prox_one(q->psi, j, 1 / h, v - e)) / e;
        if (fabs(right - left) > 1e-2 || right < 1e-3) continue;
        double bend = right > 0.999 ? 0 : h * (1 / right - 1);
        room->bend[j] = bend;
        room->move[j] = r + h * (v - at) + bend * (z[j] - at);
        room->active[count++] = j;
    }
    return count;
}

/* The system over the active coordinates, lower triangle, column by column. */
static void gather(const quad *q, quad_room *room, size_t count, int with_bend)
{
    double *a = room->system;
    if (q->matrix) {
        for (size_t k = 0; k < count; k++)
            for (size_t e = k; e < count; e++)
                a[k * count + e] = q->matrix[room->active[k] * q->d + room->active[e]];
    } else {
        for (size_t k = 0; k < count; k++) {
            const double *c = column(q, room->active[k]);
            double *row = room->slice + k * q->rows;
            for (size_t i = 0; i < q->rows; i++) row[i] = sqrt(q->weight[i]) * c[i];
        }
        cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, (int)count, (int)q->rows, 1, room->slice,
                    (int)q->rows, 0, a, (int)count);
    }
    double top = 0;
    for (size_t k = 0; k < count; k++) {
        a[k * count + k] += diagonal_part(q) + (with_bend ? room->bend[room->active[k]] : 0);
        top = fmax(top, a[k * count + k]);
    }
    for (size_t k = 0; k < count; k++) a[k * count + k] += 1e-14 * top;
}

/* The Newton step on the active set into move (others 0). 0: none. */
static int newton_step(const quad *q, quad_room *room, const double *z)
{
    size_t count = find_active(q, room, z);
    if (count == 0 || count > room->order) return 0;
    gather(q, room, count, 1);
    if (blas_cholesky(count, room->system)) return 0;
    double *b = room->momentum;
    for (size_t k = 0; k < count; k++) b[k] = -room->move[room->active[k]];
    cblas_dtrsv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, (int)count, room->system, (int)count,
                b, 1);
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, (int)count, room->system, (int)count, b,
                1);
    vec_zero(q->d, room->move);
    for (size_t k = 0; k < count; k++) room->move[room->active[k]] = b[k];
    return vec_finite(q->d, room->move);
}

/* z = best + t move, brought back to psi's domain coordinate by coordinate */
static void go(const quad *q, const quad_room *room, double t, double *z)
{
    for (size_t j = 0; j < q->d; j++) {
        z[j] = room->best[j] + t * room->move[j];
        if (room->move[j] != 0 && signbit(z[j]) != signbit(room->best[j]) && room->best[j] != 0) {
            double at = prox_one(q->psi, j, 1e-3 / room->diagonal[j], 0);
            if (at == 0) z[j] = 0; /* a kink at 0 is where it stops */
        }
        z[j] = prox_one(q->psi, j, 1e-30, z[j]);
    }
}

/* One Newton step, shortened until the objective falls. 0: it does not. */
static int polish(const quad *q, quad_room *room, double *z)
{
    slopes(q, room, z);
    double before = objective(q, room, z);
    if (!newton_step(q, room, z)) return 0;
    vec_copy(q->d, z, room->best);
    double t = 1;
    for (int k = 0; k < HALVINGS; k++, t *= 0.3) {
        go(q, room, t, z);
        slopes(q, room, z);
        if (objective(q, room, z) < before) return 1;
    }
    vec_copy(q->d, room->best, z);
    return 0;
}

/* ---- Any proximal map ----------------------------------------------------------------------------- */

/* A little more than the largest eigenvalue of M + ridge + damping. */
static double largest(const quad *q, quad_room *room)
{
    double *v = room->best, *w = room->bend, norm = 0;
    for (size_t j = 0; j < q->d; j++) v[j] = 1 + 0.5 * sin((double)j);
    for (int k = 0; k < POWER_STEPS; k++) {
        double size = vec_norm(q->d, v);
        if (!(size > 0)) break;
        vec_scale(q->d, 1 / size, v);
        multiply(q, room, v, w);
        norm = vec_norm(q->d, w);
        vec_copy(q->d, w, v);
    }
    return 1.1 * norm + diagonal_part(q);
}

/* Accelerated proximal gradients with restart where the momentum points uphill. */
static void accelerate(const quad *q, quad_room *room, double tol, double *z)
{
    double top = largest(q, room), t = 1, *y = room->best, *old = room->bend, *v = room->move;
    if (!(top > 0)) top = 1;
    vec_copy(q->d, z, y);
    for (int k = 0; k < GRADIENT_STEPS; k++) {
        slopes(q, room, y);
        vec_copy(q->d, z, old);
        vec_step(q->d, y, 1 / top, room->r, v);
        prox_apply(q->psi, q->d, 1 / top, v, z, q->prox_work);
        double uphill = 0, moved = 0;
        for (size_t j = 0; j < q->d; j++) {
            uphill += (y[j] - z[j]) * (z[j] - old[j]);
            moved += (z[j] - y[j]) * (z[j] - y[j]);
        }
        if (top * moved <= tol) return;
        if (uphill > 0) t = 1;
        double next = 0.5 * (1 + sqrt(1 + 4 * t * t)), beta = uphill > 0 ? 0 : (t - 1) / next;
        for (size_t j = 0; j < q->d; j++) y[j] = z[j] + beta * (z[j] - old[j]);
        t = next;
    }
}

void quad_solve(const quad *q, quad_room *room, int sweeps, double tol, double *z)
{
    assert(q->d <= room->d && (q->matrix || q->rows <= room->rows));
    int before = blas_single();
    if (!prox_separable(q->psi)) {
        accelerate(q, room, tol, z);
    } else {
        diagonals(q, room);
        int done = descend(q, room, sweeps < 30 ? sweeps : 30, tol, z);
        for (int k = 0; k < POLISHES && !done; k++) {
            if (!polish(q, room, z)) break;
            done = descend(q, room, 10, tol, z);
        }
        if (!done) descend(q, room, sweeps, tol, z);
    }
    blas_restore(before);
}

/* ---- The spread of a sample's gradients in the metric --------------------------------------------- */

double quad_spread(const quad *q, quad_room *room, const double *z, size_t count, double *j)
{
    size_t used = 0;
    int all = !prox_separable(q->psi);
    for (size_t k = 0; k < q->d; k++)
        if (all || z[k] != 0 || q->x[k] != 0) room->active[used++] = k;
    if (used == 0) return 0;
    if (used > room->order) return NAN;
    int before = blas_single();
    gather(q, room, used, 0);
    double s = NAN;
    if (!blas_cholesky(used, room->system)) {
        for (size_t e = 0; e < count;
             e++) /* in place: active rises, so nothing is read after it is written */
            for (size_t k = 0; k < used; k++) j[e * used + k] = j[e * q->d + room->active[k]];
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)used, (int)count,
                    1, room->system, (int)used, j, (int)used);
        s = 0;
        for (size_t e = 0; e < count; e++) s += vec_dot(used, j + e * used, j + e * used);
    }
    blas_restore(before);
    return s;
}
