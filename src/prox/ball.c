/* Balls, the simplex and the largest entry: maps that follow from one level.
 * SPDX-License-Identifier: MIT
 *
 * The projection on {x >= 0, sum x = r} lowers a level until the amount above it is r (J.-J. Moreau's
 * conditions; see L. Condat, "Fast projection onto the simplex and the l1 ball", 2016). The l1 ball is the
 * same on |v|, and by Moreau's decomposition the map of a |x|_inf is v less its projection on the l1 ball of
 * radius step*a. Here the level is found with a heap that gives up its largest entries in turn: O(d + k log
 * d) for k entries above it. */
#include <math.h>

#include "base/vec.h"
#include "prox/prox.h"

/* ---- the level ----------------------------------------------------------------------------------- */

static void sift_down(double *heap, size_t count, size_t k)
{
    double moving = heap[k];
    for (size_t child; (child = 2 * k + 1) < count; k = child) {
        if (child + 1 < count && heap[child + 1] > heap[child]) child++;
        if (heap[child] <= moving) break;
        heap[k] = heap[child];
    }
    heap[k] = moving;
}

static double pop(double *heap, size_t *count)
{
    double top = heap[0];
    heap[0] = heap[--*count];
    sift_down(heap, *count, 0);
    return top;
}

/* What stands above the level grows by (entries above)*(fall of the level): positive terms only, so that the
 * sum of the result is r up to d roundings of r, however large v is. */
water water_level(size_t d, const double *v, int absolute, double r, double *work)
{
    double top = -INFINITY;
    for (size_t j = 0; j < d; j++) top = fmax(top, absolute ? fabs(v[j]) : v[j]);
    size_t count = 0, above = 1;
    for (size_t j = 0; j < d; j++) {
        double u = (absolute ? fabs(v[j]) : v[j]) - top;
        if (u > -r) work[count++] = u; /* lower ones stay under water: the top alone gives r */
    }
    for (size_t k = count / 2; k-- > 0;) sift_down(work, count, k);
    double last = pop(work, &count), amount = 0;
    for (; count > 0; above++) {
        double next = pop(work, &count), more = amount + (double)above * (last - next);
        if (more >= r) break;
        amount = more;
        last = next;
    }
    return (water){.top = top, .last = last, .more = (r - amount) / (double)above};
}

double water_above(water w, double u)
{
    double below_top = u - w.top;
    return below_top >= w.last ? (below_top - w.last) + w.more : 0;
}

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

static void simplex_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x, double *work)
{
    (void)step;
    if (!vec_finite(d, v)) {
        prox_undefined(d, x);
        return;
    }
    if (psi->a == 0 || d == 0) {
        vec_zero(d, x);
        return;
    }
    water w = water_level(d, v, 0, psi->a, work);
    for (size_t j = 0; j < d; j++) x[j] = water_above(w, v[j]);
}

zo_prox zo_simplex(double r)
{
    return (zo_prox){
        .name = "simplex", .value = simplex_value, .apply = simplex_apply, .work = d_numbers, .a = r};
}

/* ---- |x|_1 <= r -------------------------------------------------------------------------------------- */

static double l1_ball_value(const zo_prox *psi, size_t d, const double *x)
{
    return sum_absolute(d, x) <= psi->a * (1 + prox_slack(d)) ? 0 : INFINITY;
}

static void l1_ball_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x, double *work)
{
    (void)step;
    if (!vec_finite(d, v)) {
        prox_undefined(d, x);
        return;
    }
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
    return (zo_prox){
        .name = "l1-ball", .value = l1_ball_value, .apply = l1_ball_apply, .work = d_numbers, .a = r};
}

/* ---- |x|_2 <= r -------------------------------------------------------------------------------------- */

static double l2_ball_value(const zo_prox *psi, size_t d, const double *x)
{
    return vec_norm(d, x) <= psi->a * (1 + prox_slack(d)) ? 0 : INFINITY;
}

static void l2_ball_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x, double *work)
{
    (void)step, (void)work;
    if (!vec_finite(d, v)) {
        prox_undefined(d, x);
        return;
    }
    double norm = vec_norm(d, v);
    if (norm <= psi->a) {
        vec_copy(d, v, x);
        return;
    }
    for (size_t j = 0; j < d; j++) x[j] = v[j] / norm * psi->a; /* r/norm may be below the smallest number */
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
static void linf_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x, double *work)
{
    double t = step * psi->a;
    if (!vec_finite(d, v)) {
        prox_undefined(d, x);
        return;
    }
    if (!(t > 0)) {
        vec_copy(d, v, x);
        return;
    }
    if (sum_absolute(d, v) <= t) {
        vec_zero(d, x);
        return;
    }
    water w = water_level(d, v, 1, t, work);
    double level = w.top + (w.last - w.more);
    for (size_t j = 0; j < d; j++) x[j] = fabs(v[j]) > level ? copysign(level, v[j]) : v[j];
}

zo_prox zo_linf(double a)
{
    return (zo_prox){.name = "linf", .value = linf_value, .apply = linf_apply, .work = d_numbers, .a = a};
}
