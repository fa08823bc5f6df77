/* Total variation on a line, exactly and in linear time.
 * SPDX-License-Identifier: MIT
 *
 *     argmin_x  (1/2) sum_k (x_k - v_k)^2 + lambda sum_k |x_{k+1} - x_k|
 *
 * by dynamic programming (N. Johnson, "A dynamic programming algorithm for the fused lasso and
 * L0-segmentation", 2013). With M_k(b) the least cost of the first k+1 terms when x_k = b,
 *
 *     M_{k+1}'(b) = clip(M_k'(b), -lambda, lambda) + (b - v_{k+1}),
 *
 * a rising chain of lines, kept as its first and last line and the changes at the knots between. Clipping
 * eats knots from both ends and puts one new knot at each: 2 d knots are made, each is passed once.
 * Backwards, x_k is x_{k+1} clipped to where M_k' lies within lambda: plateaus are equal to the last bit.
 * Slopes are whole numbers, hence exact. */
#include <math.h>

#include "base/vec.h"
#include "prox/prox.h"

typedef struct line {
    double slope, height; /* height at 0 */
} line;

/* knots [first, last) in rising order; passing one from the left adds its change to the line. */
typedef struct chain {
    double *at, *slope, *height;
    size_t first, last, passed;
    line left, right; /* before the first knot, after the last one */
} chain;

static double line_at(line l, double b) { return l.slope * b + l.height; }

/* Drops the knots where the chain is still below y; returns where it reaches y. */
static double rise_to(chain *c, double y)
{
    while (c->first < c->last && line_at(c->left, c->at[c->first]) <= y) {
        c->left.slope += c->slope[c->first];
        c->left.height += c->height[c->first];
        c->first++;
        c->passed++;
    }
    return (y - c->left.height) / c->left.slope;
}

static double fall_to(chain *c, double y)
{
    while (c->first < c->last && line_at(c->right, c->at[c->last - 1]) >= y) {
        c->last--;
        c->right.slope -= c->slope[c->last];
        c->right.height -= c->height[c->last];
        c->passed++;
    }
    return (y - c->right.height) / c->right.slope;
}

/* Clips at +-lambda, then adds b - v. lo, hi: where the chain was -lambda and lambda. */
static void advance(chain *c, double lambda, double lo, double hi, double v)
{
    c->first--;
    c->at[c->first] = lo;
    c->slope[c->first] = c->left.slope;
    c->height[c->first] = c->left.height + lambda;
    c->at[c->last] = hi;
    c->slope[c->last] = -c->right.slope;
    c->height[c->last] = lambda - c->right.height;
    c->last++;
    c->left = (line){1, -lambda - v};
    c->right = (line){1, lambda - v};
}

/* Around v_0, then once more around the result: an offset common to all costs nothing. */
static double mean(size_t d, const double *v)
{
    double m = v[0];
    for (int pass = 0; pass < 2; pass++) {
        double s = 0;
        for (size_t j = 0; j < d; j++) s += v[j] - m;
        m += s / (double)d;
    }
    return m;
}

/* The solution is constant from lambda = max_k |sum_{j<=k} (v_j - m)| on; without this a lambda far above the
 * data would swallow their digits. */
static double flattening(size_t d, const double *v, double m)
{
    double s = 0, top = 0;
    for (size_t j = 0; j + 1 < d; j++) {
        s += v[j] - m;
        top = fmax(top, fabs(s));
    }
    return s - s == 0 ? top : NAN;
}

size_t tv_solve(size_t d, double lambda, const double *v, double *x, double *work)
{
    double m =
        mean(d, v); /* taken off before and put back at the end: sums of offsets cost digits */
    double flat = flattening(d, v, m);
    if (lambda >= flat || !isfinite(flat)) { /* not finite: sums of v overflow, beyond 1e308 */
        for (size_t j = 0; j < d; j++) x[j] = isfinite(flat) ? m : NAN;
        return 0;
    }
    chain c = {.at = work, .slope = work + 2 * d, .height = work + 4 * d, .first = d, .last = d};
    double *lo = work + 6 * d, *hi = work + 7 * d;
    c.left = c.right = (line){1, m - v[0]};
    for (size_t k = 0; k + 1 < d; k++) {
        lo[k] = rise_to(&c, -lambda);
        hi[k] = fmax(fall_to(&c, lambda), lo[k]);
        advance(&c, lambda, lo[k], hi[k], v[k + 1] - m);
    }
    double b = rise_to(&c, 0);
    x[d - 1] = b + m;
    for (size_t k = d - 1; k-- > 0;) {
        b = b < lo[k] ? lo[k] : b > hi[k] ? hi[k] : b;
        x[k] = b + m;
    }
    return c.passed;
}

static double tv_value(const zo_prox *psi, size_t d, const double *x)
{
    double s = 0;
    for (size_t j = 1; j < d; j++) s += fabs(x[j] - x[j - 1]);
    return psi->a * s;
}

static size_t tv_work(const zo_prox *psi, size_t d)
{
    (void)psi;
    return 8 * d;
}

static void tv_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                     double *work)
{
    double lambda = step * psi->a;
    if (!vec_finite(d, v))
        prox_undefined(d, x);
    else if (!(lambda > 0) || d < 2)
        vec_copy(d, v, x);
    else
        tv_solve(d, lambda, v, x, work);
}

zo_prox zo_total_variation(double a)
{
    return (zo_prox){.name = "tv", .value = tv_value, .apply = tv_apply, .work = tv_work, .a = a};
}
