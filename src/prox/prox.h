/* psi and its proximal map, as the layers above use them.
 * SPDX-License-Identifier: MIT
 *
 *     prox(v, step) = argmin_x psi(x) + |x - v|^2 / (2 step)
 *
 * A zo_prox may come as all zero bytes, which means zero: call these instead of its pointers. A coordinate of
 * v that is not finite is not finite in the result (but a box brings infinity to its bound), and maps that
 * mix coordinates may then give NaN throughout. */
#ifndef ZO_PROX_H
#define ZO_PROX_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>

#include "zoprox.h"

/* infinite outside a constraint */
double prox_value(const zo_prox *psi, size_t d, const double *x);
/* v and x may be the same array; work has room for prox_work numbers. */
void prox_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                double *work);
size_t prox_work(const zo_prox *psi, size_t d);
int prox_separable(const zo_prox *psi); /* 1: prox_one may be called */
/* coordinate j, the bits of prox_apply */
double prox_one(const zo_prox *psi, size_t j, double step, double v);

/* The smallest box around psi's domain, infinite where there is none; 1: some bound is finite. A psi of somebody's own
 * has none. */
int prox_bounds(const zo_prox *psi, size_t d, double *lo, double *hi);

int prox_is_box(const zo_prox *psi); /* 1: nonnegative, box or bounds */
/* 1: separable, and no bound of prox_bounds is finite: coordinates are left to themselves, and lines leave nothing. */
int prox_is_loose(const zo_prox *psi, size_t d);
/* The step nearest to r, and not longer, that leads from x, which is inside, to a number in [lo, hi]. */
double prox_step(double x, double r, double lo, double hi);

/* r where x + r is inside; else a step to the side with more room, of r's length or as long as there is room. */
double prox_turn(double x, double r, double lo, double hi);

/* psi of count free coordinates, at[k] in all d; the others stay where full has them, which is scratch at the free places.
 * whole: psi of all, a block 0:d; lo, hi: bounds of the free ones. With scale, of separable psi only, a free coordinate is
 * measured in it: that of all d is scale_k x_k. All are borrowed. */
typedef struct prox_free {
    size_t d, count;
    const uint32_t *at;
    double *full;
    const double *scale; /* count numbers, or NULL: 1 */
} prox_free;
zo_prox prox_of_free(const prox_free *f, const zo_block *whole, const double *lo, const double *hi);
int prox_is_of_free(const zo_prox *psi);
void prox_widen(const prox_free *f, const double *x, double *wide); /* all d from the free ones */

/* Name, numbers, arrays and blocks; what a user's own functions do is not seen. For checkpoints. */
uint64_t prox_hash(const zo_prox *psi, size_t d);

/* Line k of the table in docs/proxes.md, without its end of line; lines 0 and 1 are the head. Returns 0 past
 * the last line or when size is too small (1024 is enough). */
int prox_markdown(size_t k, char *line, size_t size);

/* ---- within src/prox ----------------------------------------------------------------------------- */

/* Constraints that are sums over all coordinates hold up to rounding: |x|_1 <= r (1 + prox_slack(d)). */
static inline double prox_slack(size_t d) { return 8 * DBL_EPSILON * ((double)d + 1); }

/* x = NaN, all of it: the answer of maps that mix coordinates when one is not finite. */
void prox_undefined(size_t d, double *x);

/* The level at which the water stops when r > 0 of it leaves from the top of u_0 ... u_{d-1}:
 *     sum_j max(u_j - top - level, 0) = r,   top = max_j u_j,   -r <= level < 0.
 * Told relative to top, so that nothing is lost when r is small beside it. work: d numbers. */
typedef struct water {
    double top, level;
} water;
water water_level(size_t d, const double *v, int absolute, double r, double *work);
double water_above(water w, double u); /* max(u - top - level, 0) */

/* What tv_solve does, for tests: the knots it passed, fewer than 2 d in all. work: 8 d numbers. */
size_t tv_solve(size_t d, double lambda, const double *v, double *x, double *work);

#endif
