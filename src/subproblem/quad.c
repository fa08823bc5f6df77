/* Coordinate descent with an active set and Newton's polish, or accelerated proximal gradients.
 * SPDX-License-Identifier: MIT */
#include "subproblem/quad_active.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/mem.h"
#include "base/real.h"
#include "base/vec.h"
#include "prox/prox.h"

enum {
    FIRST_SWEEPS = 12,
    LATER_SWEEPS = 5,
    POLISHES = 12,
    NARROWINGS = 30,
    FACE_MOST = 64, /* unknowns up to which kinks are gone through one by one */
    GRADIENT_STEPS = 4000,
    POWER_STEPS = 40
};

static const double newton_part = 1e-3; /* of the residual of a Newton step: others follow */

double quad_bytes(size_t d, size_t rows, size_t order)
{
    double systems = rows ? 2 : 1;
    return 8.0 * ((rows ? 14 : 11) * (double)d + (double)rows * (2 + 2 * SLICE) + (double)order +
                  systems * (double)order * (double)order);
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
    room->slice = mem_new(SLICE * rows, sizeof(double));
    room->across = mem_new(SLICE * rows, sizeof(double));
    room->inner = mem_new(rows, sizeof(double));
    room->active = mem_new(d, sizeof(size_t));
    room->moved = mem_new(d, 1);
    room->gram = mem_new(rows ? order * order : 0, sizeof(double));
    room->held = mem_new(rows ? order : 0, sizeof(size_t));
    room->place = mem_new(rows ? d : 0, sizeof(size_t));
    room->spare = mem_new(rows ? d : 0, sizeof(double));
    room->some = mem_new(rows ? d : 0, sizeof(size_t));
    room->square = mem_new(rows ? d : 0, sizeof(double));
    return room->r && room->q && room->diagonal && room->best && room->move && room->bend &&
                   room->momentum && room->system && room->slice && room->across && room->inner &&
                   room->active && room->moved && room->gram && room->held && room->place &&
                   room->spare && room->some && room->square
               ? 0
               : -1;
}

void quad_close(quad_room *room)
{
    void *all[] = {room->r,     room->q,        room->diagonal, room->best,  room->move,
                   room->bend,  room->momentum, room->system,   room->slice, room->across,
                   room->inner, room->active,   room->moved,    room->gram,  room->held,
                   room->place, room->spare,    room->some,     room->square};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
    *room = (quad_room){0};
}

/* out = M v; in factor form room->q = A v */
void quad_multiply(const quad *q, quad_room *room, const double *v, double *out)
{
    if (q->matrix) {
        dense_times(q->d, q->d, q->matrix, q->d, v, out);
    } else {
        vec_zero(q->rows, room->q);
        for (size_t j = 0; j < q->d; j++)
            if (v[j] != 0) column_add(q, j, v[j], room->q);
        if (!q->sparse) dense_times(q->d, q->rows, q->col, q->stride, room->q, out);
        for (size_t j = 0; j < q->d && q->sparse; j++) out[j] = column_dot(q, j, room->q);
    }
}

/* r = g + (M + ridge + damping)(z - x); in factor form q = A(z - x) too */
static void slopes(const quad *q, quad_room *room, const double *z)
{
    double *step = room->momentum;
    for (size_t j = 0; j < q->d; j++) step[j] = z[j] - q->x[j];
    quad_multiply(q, room, step, room->r);
    for (size_t j = 0; j < q->d; j++) room->r[j] += q->g[j] + diagonal_part(q) * step[j];
}

static void diagonals(const quad *q, quad_room *room)
{
    double top = 0;
    for (size_t j = 0; j < q->d; j++) {
        double h = q->matrix ? q->matrix[j * q->d + j] : column_square(q, j);
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
    return q->g[j] + diagonal_part(q) * (z[j] - q->x[j]) + column_dot(q, j, room->q);
}

/* z_j += p, and what follows from it */
static void shift(const quad *q, quad_room *room, double *z, size_t j, double p)
{
    z[j] += p;
    if (q->matrix) {
        add(q->d, p, q->matrix + j * q->d, room->r);
        room->r[j] += p * diagonal_part(q);
    } else {
        column_add(q, j, p, room->q);
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

/* Returns 1 when a full sweep moved nothing by more than tol. known: slopes was called at z last. */
static int descend(const quad *q, quad_room *room, int sweeps, double tol, int known, double *z)
{
    if (!known) slopes(q, room, z);
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

static int has_kink(const quad *q, const quad_room *room, size_t j)
{
    return prox_one(q->psi, j, 1e-3 / room->diagonal[j], 0) == 0;
}

enum { ANY, AWAY }; /* which coordinates are active: any, or those at a kink at 0 are not */

/* The coordinates at which the proximal map is differentiable with a slope that is not 0: there psi is, to
 * second order, a quadratic whose slope goes to move (with r, the slopes at z) and whose curvature goes to bend. */
static size_t find_active(const quad *q, quad_room *room, int which, const double *z)
{
    size_t count = 0;
    for (size_t j = 0; j < q->d; j++) {
        if (which == AWAY && z[j] == 0 && has_kink(q, room, j)) continue;
        double h = room->diagonal[j], r = room->r[j], v = z[j] - r / h;
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

/* The Newton step on the active set into move (others 0). 0: none. */
static int newton_step(const quad *q, quad_room *room, int which, const double *z)
{
    active_set a = {.count = find_active(q, room, which, z), .bend = room->bend};
    double *b = room->momentum;
    int direct = active_fits(q, room, &a);
    if (a.count == 0 || (direct ? !active_factorize(q, room, &a) : q->matrix != NULL)) return 0;
    for (size_t k = 0; k < a.count; k++) b[k] = -room->move[room->active[k]];
    if (direct)
        active_solve(q, room, &a, b);
    else
        active_iterate(q, room, &a, newton_part, b);
    vec_zero(q->d, room->move);
    for (size_t k = 0; k < a.count; k++) room->move[room->active[k]] = b[k];
    return vec_finite(q->d, room->move);
}

/* Does coordinate j stop at a kink at 0 on its way from best to z? */
static int meets_kink(const quad *q, const quad_room *room, size_t j, double z)
{
    double from = room->best[j];
    if (room->move[j] == 0 || from == 0 || signbit(z) == signbit(from)) return 0;
    return has_kink(q, room, j);
}

/* z = best + t move, brought back to psi's domain coordinate by coordinate */
static void go(const quad *q, const quad_room *room, double t, double *z)
{
    for (size_t j = 0; j < q->d; j++) {
        z[j] = room->best[j] + t * room->move[j];
        if (meets_kink(q, room, j, z[j])) z[j] = 0;
        z[j] = prox_one(q->psi, j, 1e-30, z[j]);
    }
}

/* z = best + t move, t = 1 or where the first coordinate meets a kink at 0. 1: one did. */
static int go_to_kink(const quad *q, const quad_room *room, double *z)
{
    size_t first = q->d;
    double t = 1;
    for (size_t j = 0; j < q->d; j++) {
        if (!meets_kink(q, room, j, room->best[j] + room->move[j])) continue;
        double at = -room->best[j] / room->move[j];
        if (first < q->d && at >= t) continue;
        t = at;
        first = j;
    }
    go(q, room, t, z);
    if (first < q->d) z[first] = 0;
    return first < q->d;
}

/* psi at best + t move, and the quadratic beside it: the slope of both along the line where the quadratic's is slope + t bend. */
static double along(const quad *q, const quad_room *room, double slope, double bend, double t,
                    double *z)
{
    for (size_t j = 0; j < q->d; j++) z[j] = room->best[j] + t * room->move[j];
    return t * (slope + 0.5 * t * bend) + prox_value(q->psi, q->d, z);
}

/* z = the best of the straight line from best along move, to the full step at most: what passes through a kink costs less
 * there than the others lose by not following it to where it is clipped. room->r: the slopes at best. Returns t. */
static double search_line(const quad *q, quad_room *room, double *z)
{
    static const double golden = 0.61803398874989485;
    double slope = vec_dot(q->d, room->r, room->move);
    quad_multiply(q, room, room->move, room->momentum);
    double bend = vec_dot(q->d, room->momentum, room->move) +
                  diagonal_part(q) * vec_dot(q->d, room->move, room->move);
    double low = 0, high = 1, a = 1 - golden, b = golden;
    double at_a = along(q, room, slope, bend, a, z), at_b = along(q, room, slope, bend, b, z);
    for (int k = 0; k < NARROWINGS; k++) {
        if (at_a <= at_b) {
            high = b, b = a, at_b = at_a;
            a = low + (1 - golden) * (high - low);
            at_a = along(q, room, slope, bend, a, z);
        } else {
            low = a, a = b, at_a = at_b;
            b = low + golden * (high - low);
            at_b = along(q, room, slope, bend, b, z);
        }
    }
    double t = at_a <= at_b ? a : b;
    along(q, room, slope, bend, t, z);
    return t;
}

/* One Newton step: with coordinates clipped at kinks, or shortened. 0: hardly anything was left of it, the active set is still
 * far off. *known: slopes was called at z last, before and after. */
static int polish(const quad *q, quad_room *room, int *known, double *z)
{
    if (!*known) slopes(q, room, z);
    *known = 0;
    double before = objective(q, room, z);
    if (!newton_step(q, room, ANY, z)) return 0;
    vec_copy(q->d, z, room->best);
    for (double t = 1; t > 0.2; t *= 0.3) {
        go(q, room, t, z);
        slopes(q, room, z);
        *known = 1;
        if (objective(q, room, z) < before) return 1;
    }
    slopes(q, room, room->best);
    double t = search_line(q, room, z);
    slopes(q, room, z);
    *known = 1;
    if (objective(q, room, z) < before) return t > 0.2;
    *known = 0;
    vec_copy(q->d, room->best, z);
    return 0;
}

/* Where the matrix is nearly singular on the active set a Newton step has hardly an end, and sweeps bring back what it made
 * 0: so from kink to kink, until it ends before one. */
static void drop_to_face(const quad *q, quad_room *room, double *z)
{
    int dropped = 1;
    for (size_t k = 0; k < q->d && dropped; k++) {
        slopes(q, room, z);
        double before = objective(q, room, z);
        if (!newton_step(q, room, AWAY, z)) return;
        vec_copy(q->d, z, room->best);
        dropped = go_to_kink(q, room, z);
        slopes(q, room, z);
        if (objective(q, room, z) <= before) continue;
        vec_copy(q->d, room->best, z);
        return;
    }
}

/* ---- Any proximal map ----------------------------------------------------------------------------- */

/* A little more than the largest eigenvalue of M + ridge + damping. */
static double largest(const quad *q, quad_room *room)
{
    double *v = room->best, *w = room->bend, norm = 0;
    for (size_t j = 0; j < q->d; j++) v[j] = 1 + 0.5 * real_sin((double)j);
    for (int k = 0; k < POWER_STEPS; k++) {
        double size = vec_norm(q->d, v);
        if (!(size > 0)) break;
        vec_scale(q->d, 1 / size, v);
        quad_multiply(q, room, v, w);
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

/* What the step to z gains in all; slopes is called at z. */
static double gained(const quad *q, quad_room *room, const double *z)
{
    slopes(q, room, z);
    return prox_value(q->psi, q->d, q->x) - objective(q, room, z);
}

void quad_solve(const quad *q, quad_room *room, quad_effort e, double *z)
{
    assert(q->d <= room->d && (q->matrix || q->rows <= room->rows));
    if (!prox_separable(q->psi)) {
        accelerate(q, room, e.tol, z);
    } else {
        diagonals(q, room);
        int done = descend(q, room, FIRST_SWEEPS, e.tol, 0, z), known = !done;
        double tol = done ? e.tol : fmax(e.tol, e.part * gained(q, room, z));
        for (int k = 0; k < POLISHES && !done; k++) {
            int helped = polish(q, room, &known, z);
            done = descend(q, room, helped ? LATER_SWEEPS : 8 * LATER_SWEEPS, tol, known, z);
            known = 0;
        }
        for (int k = 0; k < POLISHES && !done && q->matrix && q->d <= FACE_MOST; k++) {
            drop_to_face(q, room, z);
            done = descend(q, room, LATER_SWEEPS, tol, 0, z);
        }
        if (!done) descend(q, room, e.sweeps, tol, 0, z);
    }
}
