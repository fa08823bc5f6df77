/* Separable families: psi(x) = sum_j psi_j(x_j), so that the map works coordinate by coordinate.
 * SPDX-License-Identifier: MIT
 *
 * Each family is its one-dimensional map (one) and a loop over it (apply): the same bits both ways.
 * Comparisons are written so that NaN comes out as NaN. */
#include <math.h>

#include "base/vec.h"
#include "prox/prox.h"

/* argmin_x t |x| + (x - v)^2 / 2 */
static inline double soft(double v, double t)
{
    double rest = fabs(v) - t;
    return rest <= 0 ? 0 : copysign(rest, v);
}

static inline double clip(double v, double lo, double hi) { return v < lo ? lo : v > hi ? hi : v; }

static double sum_absolute(size_t d, const double *x, const double *weight)
{
    double s = 0;
    for (size_t j = 0; j < d; j++) s += weight ? weight[j] * fabs(x[j]) : fabs(x[j]);
    return s;
}

/* ---- zero -------------------------------------------------------------------------------------- */

static double zero_value(const zo_prox *psi, size_t d, const double *x)
{
    (void)psi, (void)d, (void)x;
    return 0;
}

static double zero_one(const zo_prox *psi, size_t j, double step, double v)
{
    (void)psi, (void)j, (void)step;
    return v;
}

static void zero_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                       double *work)
{
    (void)psi, (void)step, (void)work;
    vec_copy(d, v, x);
}

zo_prox zo_zero(void)
{
    return (zo_prox){.name = "zero", .value = zero_value, .apply = zero_apply, .one = zero_one};
}

/* ---- a |x|_1 ----------------------------------------------------------------------------------- */

static double l1_value(const zo_prox *psi, size_t d, const double *x)
{
    return psi->a * sum_absolute(d, x, NULL);
}

static double l1_one(const zo_prox *psi, size_t j, double step, double v)
{
    (void)j;
    return soft(v, step * psi->a);
}

static void l1_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                     double *work)
{
    (void)work;
    double t = step * psi->a;
    for (size_t j = 0; j < d; j++) x[j] = soft(v[j], t);
}

zo_prox zo_l1(double a)
{
    return (zo_prox){.name = "l1", .value = l1_value, .apply = l1_apply, .one = l1_one, .a = a};
}

/* ---- a sum w_j |x_j| ---------------------------------------------------------------------------- */

static double weighted_value(const zo_prox *psi, size_t d, const double *x)
{
    return psi->a * sum_absolute(d, x, psi->lo);
}

static double weighted_one(const zo_prox *psi, size_t j, double step, double v)
{
    return soft(v, step * psi->a * psi->lo[j]);
}

static void weighted_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                           double *work)
{
    (void)work;
    for (size_t j = 0; j < d; j++) x[j] = weighted_one(psi, j, step, v[j]);
}

zo_prox zo_weighted_l1(double a, const double *w)
{
    return (zo_prox){.name = "weighted-l1",
                     .value = weighted_value,
                     .apply = weighted_apply,
                     .one = weighted_one,
                     .a = a,
                     .lo = w};
}

/* ---- (a/2) |x|^2 --------------------------------------------------------------------------------- */

static double square_value(const zo_prox *psi, size_t d, const double *x)
{
    return psi->a / 2 * vec_dot(d, x, x);
}

static double square_one(const zo_prox *psi, size_t j, double step, double v)
{
    (void)j;
    return v / (1 + step * psi->a);
}

static void square_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                         double *work)
{
    (void)work;
    for (size_t j = 0; j < d; j++) x[j] = square_one(psi, j, step, v[j]);
}

zo_prox zo_squared_l2(double a)
{
    return (zo_prox){.name = "squared-l2",
                     .value = square_value,
                     .apply = square_apply,
                     .one = square_one,
                     .a = a};
}

/* ---- a |x|_1 + (b/2) |x|^2 ----------------------------------------------------------------------- */

static double elastic_value(const zo_prox *psi, size_t d, const double *x)
{
    return psi->a * sum_absolute(d, x, NULL) + psi->b / 2 * vec_dot(d, x, x);
}

static double elastic_one(const zo_prox *psi, size_t j, double step, double v)
{
    (void)j;
    return soft(v, step * psi->a) / (1 + step * psi->b);
}

static void elastic_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                          double *work)
{
    (void)work;
    for (size_t j = 0; j < d; j++) x[j] = elastic_one(psi, j, step, v[j]);
}

zo_prox zo_elastic_net(double a, double b)
{
    return (zo_prox){.name = "elastic-net",
                     .value = elastic_value,
                     .apply = elastic_apply,
                     .one = elastic_one,
                     .a = a,
                     .b = b};
}

/* ---- x >= 0 and lo <= x_j <= hi: a, b are the bounds ----------------------------------------------- */

static double box_value(const zo_prox *psi, size_t d, const double *x)
{
    for (size_t j = 0; j < d; j++)
        if (!(x[j] >= psi->a && x[j] <= psi->b)) return INFINITY;
    return 0;
}

static double box_one(const zo_prox *psi, size_t j, double step, double v)
{
    (void)j, (void)step;
    return clip(v, psi->a, psi->b);
}

static void box_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                      double *work)
{
    (void)step, (void)work;
    for (size_t j = 0; j < d; j++) x[j] = clip(v[j], psi->a, psi->b);
}

zo_prox zo_box(double lo, double hi)
{
    return (zo_prox){
        .name = "box", .value = box_value, .apply = box_apply, .one = box_one, .a = lo, .b = hi};
}

zo_prox zo_nonnegative(void)
{
    zo_prox psi = zo_box(0, INFINITY);
    psi.name = "nonnegative";
    return psi;
}

/* ---- lo_j <= x_j <= hi_j -------------------------------------------------------------------------- */

static double bounds_value(const zo_prox *psi, size_t d, const double *x)
{
    for (size_t j = 0; j < d; j++)
        if (!(x[j] >= psi->lo[j] && x[j] <= psi->hi[j])) return INFINITY;
    return 0;
}

static double bounds_one(const zo_prox *psi, size_t j, double step, double v)
{
    (void)step;
    return clip(v, psi->lo[j], psi->hi[j]);
}

static void bounds_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                         double *work)
{
    (void)work;
    for (size_t j = 0; j < d; j++) x[j] = bounds_one(psi, j, step, v[j]);
}

zo_prox zo_bounds(const double *lo, const double *hi)
{
    return (zo_prox){.name = "bounds",
                     .value = bounds_value,
                     .apply = bounds_apply,
                     .one = bounds_one,
                     .lo = lo,
                     .hi = hi};
}
