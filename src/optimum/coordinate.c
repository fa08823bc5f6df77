/* The model with separable psi: coordinate descent finds which coordinates are at a kink of psi, semismooth
 * Newton steps give the digits.
 * SPDX-License-Identifier: MIT
 *
 * With t_j = 1/H_jj and v_j = y_j - t_j r_j, the residual is R_j = y_j - prox_j(v_j). One coordinate step is
 * y_j -= R_j. A Newton step solves, with D_j = prox_j'(v_j) in [0, 1] (0 at a kink, 1 on a straight piece),
 *
 *     dy_j = -R_j                                                     where D_j = 0,
 *     (H dy)_j + (1/D_j - 1)/t_j dy_j = -R_j/(t_j D_j)                elsewhere,
 *
 * a positive definite system in the coordinates with D_j > 0. */
#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "optimum/quadratic.h"
#include "prox/prox.h"

enum { SAVED_Y, SAVED_R, MOVE, SLOPE, RIGHT, BENT }; /* the parts */
enum { ROUNDS = 40, FIRST_SWEEPS = 8, MOST_SWEEPS = 4096, NEWTON_STEPS = 50 };

zo_status coordinate_room(coordinate *c, size_t m, zo_error *err)
{
    if (m <= c->room) return ZO_OK;
    coordinate_free(c);
    c->factor = mem_new(m * m, sizeof *c->factor);
    c->active = mem_new(m, sizeof *c->active);
    int all = c->factor && c->active;
    for (size_t k = 0; k < sizeof c->part / sizeof *c->part; k++) {
        c->part[k] = mem_new(m, sizeof **c->part);
        all = all && c->part[k];
    }
    c->room = all ? m : 0;
    return all ? ZO_OK : out_of_memory(err, "numbers of a Hessian", m * m);
}

void coordinate_free(coordinate *c)
{
    mem_free(c->factor);
    mem_free(c->active);
    for (size_t k = 0; k < sizeof c->part / sizeof *c->part; k++) mem_free(c->part[k]);
    *c = (coordinate){0};
}

static double diagonal(const quadratic *q, size_t j) { return q->hess[j * q->m + j]; }

/* R_j */
static double residual(const quadratic *q, const zo_prox *psi, const uint32_t *set, size_t j)
{
    double t = 1 / diagonal(q, j);
    return q->y[j] - prox_one(psi, set[j], t, q->y[j] - t * q->r[j]);
}

/* The square root of sum_j R_j^2/t_j: 0 exactly at the minimizer. */
static double distance(const quadratic *q, const zo_prox *psi, const uint32_t *set)
{
    double s = 0;
    for (size_t j = 0; j < q->m; j++) {
        double left = residual(q, psi, set, j);
        s += diagonal(q, j) * left * left;
    }
    return sqrt(s);
}

static void sweep(const quadratic *q, const zo_prox *psi, const uint32_t *set)
{
    for (size_t j = 0; j < q->m; j++) {
        double t = 1 / diagonal(q, j), next = prox_one(psi, set[j], t, q->y[j] - t * q->r[j]);
        double move = next - q->y[j];
        if (move == 0) continue;
        q->y[j] = next; /* exactly what the prox gave: zeros and bounds stay exact */
        vec_add(q->m, move, q->hess + j * q->m, q->r);
    }
}

/* prox_j'(v): a central difference, finer where a kink seems near, rounded to 0 and 1. */
static double prox_slope(const zo_prox *psi, size_t j, double t, double v)
{
    double here = prox_one(psi, j, t, v), ahead = 0, back = 0;
    for (double h = 1e-4; h > 1e-9; h *= 1e-4) {
        double e = h * fabs(v) + 1e-290;
        ahead = (prox_one(psi, j, t, v + e) - here) / e;
        back = (here - prox_one(psi, j, t, v - e)) / e;
        if (fabs(ahead - back) < 1e-6) break;
    }
    double s = (ahead + back) / 2;
    return s < 1e-9 ? 0 : s > 1 - 1e-9 ? 1 : s;
}

/* The matrix (upper triangle, count rows) and the right side; MOVE is set where D = 0. Returns count. */
static size_t newton_system(coordinate *c, const quadratic *q, const zo_prox *psi,
                            const uint32_t *set)
{
    double *move = c->part[MOVE], *slope = c->part[SLOPE], *right = c->part[RIGHT],
           *fixed = c->part[BENT];
    size_t count = 0;
    for (size_t j = 0; j < q->m; j++) {
        double t = 1 / diagonal(q, j);
        slope[j] = prox_slope(psi, set[j], t, q->y[j] - t * q->r[j]);
        move[j] = slope[j] > 0 ? 0 : -residual(q, psi, set, j);
        if (slope[j] > 0) c->active[count++] = (uint32_t)j;
    }
    quadratic_times(q, move, fixed);
    for (size_t a = 0; a < count; a++) {
        size_t j = c->active[a];
        const double *from = q->hess + j * q->m;
        double *row = c->factor + a * count, h = diagonal(q, j);
        for (size_t b = a; b < count; b++) row[b] = from[c->active[b]];
        row[a] += (1 / slope[j] - 1) * h;
        right[a] = -residual(q, psi, set, j) * h / slope[j] - fixed[j];
    }
    return count;
}

/* m(y) = (g + r)'(y - x)/2 + psi(y); full has x outside the set. */
static double energy(const quadratic *q, const zo_prox *psi, const uint32_t *set, point full)
{
    double s = 0;
    for (size_t j = 0; j < q->m; j++) {
        s += (q->g[j] + q->r[j]) * (q->y[j] - q->x[j]);
        full.x[set[j]] = q->y[j];
    }
    return s / 2 + prox_value(psi, full.d, full.x);
}

/* The Newton direction into MOVE, H times it into BENT. 0: the matrix has no factor. */
static int newton_direction(coordinate *c, const quadratic *q, const zo_prox *psi,
                            const uint32_t *set)
{
    size_t count = newton_system(c, q, psi, set);
    if (!cholesky(count, c->factor)) return 0;
    cholesky_solve(count, c->factor, c->part[RIGHT]);
    for (size_t a = 0; a < count; a++) c->part[MOVE][c->active[a]] = c->part[RIGHT][a];
    quadratic_times(q, c->part[MOVE], c->part[BENT]);
    return vec_finite(q->m, c->part[MOVE]);
}

/* A Newton step and a sweep, shortened until m falls or the residual does by half; 0 and no change if neither
 * happens. *left is the residual, before and after. */
static int newton(coordinate *c, const quadratic *q, const zo_prox *psi, const uint32_t *set,
                  point full, double *left)
{
    double *y = c->part[SAVED_Y], *r = c->part[SAVED_R], before = energy(q, psi, set, full);
    vec_copy(q->m, q->y, y);
    vec_copy(q->m, q->r, r);
    if (!newton_direction(c, q, psi, set)) return 0;
    for (double step = 1; step > 1e-3; step /= 4) {
        vec_step(q->m, y, -step, c->part[MOVE], q->y);
        vec_step(q->m, r, -step, c->part[BENT], q->r);
        sweep(q, psi, set);
        double after = distance(q, psi, set);
        if (after < *left / 2 || energy(q, psi, set, full) < before - 1e-13 * fabs(before)) {
            *left = after;
            return 1;
        }
    }
    vec_copy(q->m, y, q->y);
    vec_copy(q->m, r, q->r);
    return 0;
}

double coordinate_solve(coordinate *c, const quadratic *q, const zo_prox *psi, const uint32_t *set,
                        point full, double tol)
{
    size_t sweeps = FIRST_SWEEPS;
    double left = INFINITY;
    for (size_t round = 0; round < ROUNDS; round++) {
        quadratic_slope(q, c->part[BENT]);
        double start = left;
        for (size_t k = 0; k < sweeps; k++) {
            sweep(q, psi, set);
            left = distance(q, psi, set);
            if (left <= tol) return left;
        }
        size_t taken = 0;
        while (taken < NEWTON_STEPS && newton(c, q, psi, set, full, &left)) {
            if (left <= tol) return left;
            taken++;
        }
        if (round > 8 && left >= start) break; /* rounding is all that is left */
        if (taken < 2 && sweeps < MOST_SWEEPS) sweeps *= 2;
    }
    return left;
}
