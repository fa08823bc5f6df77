/* The model with any psi: accelerated prox-gradient steps with restarts, then semismooth Newton steps.
 * SPDX-License-Identifier: MIT
 *
 * A prox-gradient step from z, y+ = prox_t(z - t r(z)), gives a subgradient of m at y+ for nothing:
 *
 *     s = (z - y+)/t + r(y+) - r(z).
 *
 * Newton: the residual R(y) = y - prox_t(y - t r(y)) has the generalised derivative I - J (I - t H), J that
 * of the prox, taken by differences along each vector of GMRES. A step is kept when the prox-gradient step
 * after it has a smaller s. (N. Parikh and S. Boyd, "Proximal algorithms", 2014; B. O'Donoghue and E. Candes,
 * "Adaptive restart for accelerated gradient schemes", 2015; Y. Saad and M. Schultz, "GMRES", 1986.) */
#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "optimum/quadratic.h"
#include "prox/prox.h"

enum { Z, RZ, NEXT, RNEXT, MOVE, V, Q, TRY, SPARE, OTHER, PARTS };
enum {
    MOST_KRYLOV = 240,
    FIRST_STEPS = 60,
    MOST_STEPS = 4000,
    ROUNDS = 16,
    NEWTON_STEPS = 8,
    POWER_STEPS = 30
};

zo_status general_new(general *w, size_t d, const zo_prox *psi, zo_error *err)
{
    size_t krylov = 4000000 / (d + 1); /* at most about 32 MB */
    krylov = krylov > MOST_KRYLOV ? MOST_KRYLOV : krylov < 8 ? 8 : krylov;
    if (krylov > d) krylov = d;
    *w = (general){.d = d, .krylov = krylov};
    int all = 1;
    for (size_t k = 0; k < PARTS; k++) all = (w->part[k] = mem_new(d, sizeof **w->part)) && all;
    w->basis = mem_new((krylov + 1) * d, sizeof *w->basis);
    w->small = mem_new((krylov + 4) * (krylov + 1), sizeof *w->small);
    w->prox_work = mem_new(prox_work(psi, d), sizeof *w->prox_work);
    if (all && w->basis && w->small && w->prox_work) return ZO_OK;
    general_free(w);
    return out_of_memory(err, "numbers of scratch", (krylov + PARTS) * d);
}

void general_free(general *w)
{
    for (size_t k = 0; k < PARTS; k++) mem_free(w->part[k]);
    mem_free(w->basis);
    mem_free(w->small);
    mem_free(w->prox_work);
    *w = (general){0};
}

/* The largest eigenvalue of H, by power steps from a fixed start; a little too large rather than too small. */
static double largest(general *w, const quadratic *q)
{
    double *u = w->part[Z], *hu = w->part[NEXT], norm = 0;
    for (size_t j = 0; j < q->m; j++) u[j] = 1 + (double)(j % 7) / 8;
    vec_scale(q->m, 1 / vec_norm(q->m, u), u);
    for (size_t k = 0; k < POWER_STEPS; k++) {
        quadratic_times(q, u, hu);
        norm = vec_norm(q->m, hu);
        if (!(norm > 0)) break;
        for (size_t j = 0; j < q->m; j++) u[j] = hu[j] / norm;
    }
    return norm > 0 ? 1.05 * norm : 1;
}

/* ---- accelerated steps ---------------------------------------------------------------------------- */

/* next = prox_t(z - t r(z)) with its slope; t shrinks until move'H move <= |move|^2/t, move = next - z.
 * Returns |s|. */
static double gradient_step(general *w, const quadratic *q, const zo_prox *psi, double *t)
{
    double *z = w->part[Z], *rz = w->part[RZ], *next = w->part[NEXT], *rnext = w->part[RNEXT],
           *move = w->part[MOVE];
    for (;;) {
        vec_step(q->m, z, *t, rz, w->part[V]);
        prox_apply(psi, q->m, *t, w->part[V], next, w->prox_work);
        vec_step(q->m, next, 1, z, move);
        quadratic_times(q, move, rnext);
        double square = vec_dot(q->m, move, move), bend = vec_dot(q->m, move, rnext);
        if (!(bend * *t > square * (1 + 1e-9))) break;
        *t /= 1.5;
    }
    double s = 0;
    for (size_t j = 0; j < q->m; j++) {
        double sub = rnext[j] - move[j] / *t;
        s += sub * sub;
        rnext[j] += rz[j];
    }
    return sqrt(s);
}

/* z = next + beta (next - y), with its slope; then y = next. */
static void extrapolate(general *w, const quadratic *q, double beta)
{
    for (size_t j = 0; j < q->m; j++) {
        w->part[Z][j] = w->part[NEXT][j] + beta * (w->part[NEXT][j] - q->y[j]);
        w->part[RZ][j] = w->part[RNEXT][j] + beta * (w->part[RNEXT][j] - q->r[j]);
    }
    vec_copy(q->m, w->part[NEXT], q->y);
    vec_copy(q->m, w->part[RNEXT], q->r);
}

/* (z - next)'(next - y) > 0: the momentum points uphill. */
static int uphill(const general *w, const quadratic *q)
{
    double s = 0;
    for (size_t j = 0; j < q->m; j++) s += w->part[MOVE][j] * (w->part[NEXT][j] - q->y[j]);
    return s < 0;
}

static double accelerate(general *w, const quadratic *q, const zo_prox *psi, double *t,
                         size_t steps, double tol)
{
    double age = 1, left = INFINITY;
    vec_copy(q->m, q->y, w->part[Z]);
    vec_copy(q->m, q->r, w->part[RZ]);
    for (size_t k = 0; k < steps; k++) {
        left = gradient_step(w, q, psi, t);
        double older = (1 + sqrt(1 + 4 * age * age)) / 2, beta = (age - 1) / older;
        if (uphill(w, q)) older = 1, beta = 0;
        age = older;
        extrapolate(w, q, beta);
        if (left <= tol) break;
    }
    return left;
}

/* ---- Newton steps ----------------------------------------------------------------------------------- */

/* out = u - J (u - t H u), J u = (prox(v + e u) - prox(v - e u)) / 2e. */
static void newton_times(general *w, const quadratic *q, const zo_prox *psi, double t,
                         const double *u, double *out)
{
    double *bent = w->part[TRY], *a = w->part[SPARE], *b = w->part[OTHER];
    quadratic_times(q, u, bent);
    for (size_t j = 0; j < q->m; j++) bent[j] = u[j] - t * bent[j];
    double length = vec_norm(q->m, bent), e = 1e-7 * (vec_norm(q->m, w->part[V]) + 1e-100) / length;
    if (!(length > 0)) {
        vec_copy(q->m, u, out);
        return;
    }
    vec_step(q->m, w->part[V], -e, bent, a);
    prox_apply(psi, q->m, t, a, a, w->prox_work);
    vec_step(q->m, w->part[V], e, bent, b);
    prox_apply(psi, q->m, t, b, b, w->prox_work);
    for (size_t j = 0; j < q->m; j++) out[j] = u[j] - (a[j] - b[j]) / (2 * e);
}

/* Givens' rotations keep the Hessenberg columns (rows of small) triangular; returns the new size of the
 * residual. */
static double rotate(general *w, size_t k)
{
    size_t width = w->krylov + 1;
    double *column = w->small + k * width;
    double *cosine = w->small + w->krylov * width, *sine = cosine + width, *right = sine + width;
    for (size_t l = 0; l < k; l++) {
        double a = column[l], b = column[l + 1];
        column[l] = cosine[l] * a + sine[l] * b;
        column[l + 1] = cosine[l] * b - sine[l] * a;
    }
    double length = hypot(column[k], column[k + 1]);
    cosine[k] = length > 0 ? column[k] / length : 1;
    sine[k] = length > 0 ? column[k + 1] / length : 0;
    column[k] = length;
    right[k + 1] = -sine[k] * right[k];
    right[k] *= cosine[k];
    return fabs(right[k + 1]);
}

/* The next basis vector: basis[k+1] less its parts along those before, twice, for orthogonality to rounding. */
static void orthogonalize(general *w, size_t k)
{
    double *column = w->small + k * (w->krylov + 1), *next = w->basis + (k + 1) * w->d;
    for (size_t l = 0; l <= k + 1; l++) column[l] = 0;
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t l = 0; l <= k; l++) {
            double along = vec_dot(w->d, w->basis + l * w->d, next);
            column[l] += along;
            vec_add(w->d, -along, w->basis + l * w->d, next);
        }
    column[k + 1] = vec_norm(w->d, next);
    if (column[k + 1] > 0) vec_scale(w->d, 1 / column[k + 1], next);
}

/* part[MOVE] = about -(I - J(I - tH))^-1 R by GMRES; part[MOVE] holds R on entry. */
static void newton_move(general *w, const quadratic *q, const zo_prox *psi, double t,
                        double accuracy)
{
    size_t width = w->krylov + 1, count = 0;
    double *right = w->small + (w->krylov + 2) * width, size = vec_norm(q->m, w->part[MOVE]),
           left = size;
    for (size_t j = 0; j < q->m; j++) w->basis[j] = -w->part[MOVE][j] / size;
    right[0] = size;
    while (count < w->krylov && left > accuracy * size) {
        newton_times(w, q, psi, t, w->basis + count * w->d, w->basis + (count + 1) * w->d);
        orthogonalize(w, count);
        left = rotate(w, count++);
    }
    vec_zero(q->m, w->part[MOVE]);
    for (size_t k = count; k-- > 0;) { /* back substitution, from the last */
        double pivot = w->small[k * width + k], c = pivot != 0 ? right[k] / pivot : 0;
        for (size_t l = 0; l < k; l++) right[l] -= c * w->small[k * width + l];
        vec_add(q->m, c, w->basis + k * w->d, w->part[MOVE]);
    }
}

/* One Newton step and a prox-gradient step, kept when |s| falls below `before`. Returns |s|. */
static double newton(general *w, const quadratic *q, const zo_prox *psi, double *t, double before,
                     double tol)
{
    vec_step(q->m, q->y, *t, q->r, w->part[V]);
    prox_apply(psi, q->m, *t, w->part[V], w->part[Q], w->prox_work);
    vec_step(q->m, q->y, 1, w->part[Q], w->part[MOVE]);
    if (!(vec_norm(q->m, w->part[MOVE]) > 0)) return before;
    newton_move(w, q, psi, *t, fmin(fmax(0.1 * tol / before, 1e-8), 1e-3));
    vec_step(q->m, q->y, -1, w->part[MOVE], w->part[Z]);
    if (!vec_finite(q->m, w->part[Z])) return before;
    vec_step(q->m, w->part[Z], 1, q->x, w->part[SPARE]);
    quadratic_times(q, w->part[SPARE], w->part[RZ]);
    vec_add(q->m, 1, q->g, w->part[RZ]);
    double after = gradient_step(w, q, psi, t);
    if (!(after < before)) return before;
    vec_copy(q->m, w->part[NEXT], q->y);
    vec_copy(q->m, w->part[RNEXT], q->r);
    return after;
}

double general_solve(general *w, const quadratic *q, const zo_prox *psi, double tol)
{
    double t = 1 / largest(w, q), left = INFINITY;
    size_t steps = FIRST_STEPS;
    for (size_t round = 0; round < ROUNDS; round++) {
        quadratic_slope(q, w->part[SPARE]);
        double start = left;
        left = accelerate(w, q, psi, &t, steps, tol);
        for (size_t k = 0; k < NEWTON_STEPS && left > tol; k++) {
            double before = left;
            left = newton(w, q, psi, &t, before, tol);
            if (!(left < 0.9 * before)) break;
        }
        if (left <= tol || (round > 4 && left >= start)) break;
        if (steps < MOST_STEPS) steps *= 2;
    }
    return left;
}
