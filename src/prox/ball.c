/* Balls, the simplex and the largest entry: maps that follow from one level.
 * SPDX-License-Identifier: MIT
 *
 * The projection on {x >= 0, sum x = r} lowers a level until the amount above it is r. The l1 ball is the
 * same on |v|, and by Moreau's decomposition the map of a |x|_inf is v less its projection on the l1 ball of
 * radius step*a. (C. Michelot, "A finite algorithm for finding the projection of a point onto the canonical
 * simplex", 1986.) */
#include <math.h>

#include "base/vec.h"
#include "prox/prox.h"

/* ---- the level ----------------------------------------------------------------------------------- */

static inline double larger(double a, double b)
{
    return a > b ? a : b;
} /* fmax is a call; nothing here is NaN */

static inline double height(const double *v, size_t j, int absolute)
{
    return absolute ? fabs(v[j]) : v[j];
}

/* The level that would leave r above it if just these were above: a Newton step from level. */
static double next_level(size_t d, double level, size_t above, double amount, double r)
{
    double next = level + (amount - r) / (double)above;
    return fmin(next,
                -r / (double)d); /* all d share r: the top stays above, whatever the rounding */
}

/* Newton's method from below on amount(level) = r; what falls under the level leaves the list for good. If k
 * entries leave and m stay, those that leave next lie within k/m times the largest gap that was left behind:
 * each pass drops a third of the list or halves the gap, so that there are at most O(log d) passes and the
 * bits of a double. */
static double rough_level(size_t d, size_t count, double *list, double r)
{
    double level = -r;
    for (size_t before = count + 1; count < before;) {
        double amount = 0;
        for (size_t k = 0; k < count; k++) amount += list[k] - level;
        level = next_level(d, level, count, amount, r);
        before = count;
        count = 0;
        for (size_t k = 0; k < before; k++) {
            double u = list[k];
            list[count] = u; /* without a branch that nobody can predict */
            count += u > level;
        }
    }
    return level;
}

/* The last two steps are over all of v, where the terms are positive and their sum is r: so the sum of the
 * result is r up to d roundings of r, however large v is. */
water water_level(size_t d, const double *v, int absolute, double r, double *work)
{
    water w = {.top = -INFINITY};
    size_t count = 0;
    for (size_t j = 0; j < d; j++) w.top = larger(w.top, height(v, j, absolute));
    for (size_t j = 0; j < d; j++) {
        double u = height(v, j, absolute) - w.top;
        work[count] = u;
        count += u > -r; /* the top alone gives r to a level of -r */
    }
    w.level = rough_level(d, count, work, r);
    for (int pass = 0; pass < 2; pass++) {
        double amount = 0;
        size_t above = 0;
        for (size_t j = 0; j < d; j++) {
            double u = water_above(w, height(v, j, absolute));
            amount += u;
            above += u > 0;
        }
        w.level = next_level(d, w.level, above, amount, r);
    }
    return w;
}

double water_above(water w, double u) { return larger((u - w.top) - w.level, 0); }

static double sum_absolute(size_t d, const double *x)
{
    double s = 0;
    for (size_t j = 0; j < d; j++) s += fabs(x[j]);
    return s;
}

static size_t d_numbers(const zo_prox *psi, size_t d)
{
    (void)psi;
    return d;
}

/* ---- x >= 0, sum x = r ----------------------------------------------------------------------------- */

static double simplex_value(const zo_prox *psi, size_t d, const double *x)
{
    double s = 0;
    for (size_t j = 0; j < d; j++) {
        if (!(x[j] >= 0)) return INFINITY;
        s += x[j];
    }
    return fabs(s - psi->a) <= psi->a * prox_slack(d) ? 0 : INFINITY;
}

/* 1: all of v is finite; 0: it is not, and x is NaN. */
static int is_defined(size_t d, const double *v, double *x)
{
    int finite = vec_finite(d, v);
    if (!finite) prox_undefined(d, x);
    return finite;
}

static void simplex_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                          double *work)
{
    (void)step;
    if (!is_defined(d, v, x)) return;
    if (psi->a == 0 || d == 0) {
        vec_zero(d, x);
        return;
    }
    water w = water_level(d, v, 0, psi->a, work);
    for (size_t j = 0; j < d; j++) x[j] = water_above(w, v[j]);
}

zo_prox zo_simplex(double r)
{
    return (zo_prox){.name = "simplex",
                     .value = simplex_value,
                     .apply = simplex_apply,
                     .work = d_numbers,
                     .a = r};
}

/* ---- |x|_1 <= r -------------------------------------------------------------------------------------- */

static double l1_ball_value(const zo_prox *psi, size_t d, const double *x)
{
    return sum_absolute(d, x) <= psi->a * (1 + prox_slack(d)) ? 0 : INFINITY;
}

static void l1_ball_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                          double *work)
{
    (void)step;
    if (!is_defined(d, v, x)) return;
    if (sum_absolute(d, v) <= psi->a) {
        vec_copy(d, v, x);
        return;
    }
    if (psi->a == 0) {
        vec_zero(d, x);
        return;
    }
    water w = water_level(d, v, 1, psi->a, work);
    for (size_t j = 0; j < d; j++) {
        double u = water_above(w, fabs(v[j]));
        x[j] = u > 0 ? copysign(u, v[j]) : 0;
    }
}

zo_prox zo_l1_ball(double r)
{
    return (zo_prox){.name = "l1-ball",
                     .value = l1_ball_value,
                     .apply = l1_ball_apply,
                     .work = d_numbers,
                     .a = r};
}

/* ---- |x|_2 <= r -------------------------------------------------------------------------------------- */

static double l2_ball_value(const zo_prox *psi, size_t d, const double *x)
{
    return vec_norm(d, x) <= psi->a * (1 + prox_slack(d)) ? 0 : INFINITY;
}

static void l2_ball_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                          double *work)
{
    (void)step, (void)work;
    if (!is_defined(d, v, x)) return;
    double norm = vec_norm(d, v);
    if (norm <= psi->a) {
        vec_copy(d, v, x);
        return;
    }
    for (size_t j = 0; j < d; j++)
        x[j] = v[j] / norm * psi->a; /* r/norm may be below the smallest number */
}

zo_prox zo_l2_ball(double r)
{
    return (zo_prox){.name = "l2-ball", .value = l2_ball_value, .apply = l2_ball_apply, .a = r};
}

/* ---- a max |x_j| --------------------------------------------------------------------------------------- */

static double linf_value(const zo_prox *psi, size_t d, const double *x)
{
    double top = 0;
    for (size_t j = 0; j < d; j++) {
        if (isnan(x[j])) return NAN;
        top = fmax(top, fabs(x[j]));
    }
    return psi->a * top;
}

/* v less its projection on the l1 ball of radius t: entries above the level come down to it. */
static void linf_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                       double *work)
{
    double t = step * psi->a;
    if (!is_defined(d, v, x)) return;
    if (!(t > 0)) {
        vec_copy(d, v, x);
        return;
    }
    if (sum_absolute(d, v) <= t) {
        vec_zero(d, x);
        return;
    }
    water w = water_level(d, v, 1, t, work);
    double level = w.top + w.level;
    for (size_t j = 0; j < d; j++) x[j] = fabs(v[j]) > level ? copysign(level, v[j]) : v[j];
}

zo_prox zo_linf(double a)
{
    return (zo_prox){
        .name = "linf", .value = linf_value, .apply = linf_apply, .work = d_numbers, .a = a};
}
