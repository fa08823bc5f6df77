/* The kernels, for the instruction set this is compiled for. KERNEL names the table.
 * SPDX-License-Identifier: MIT
 *
 * Functions with a parameter called fixed_... are inlined with a constant there, so that loops over it unroll and
 * accumulators stay in registers. */
#include "base/vmath_lanes.h"
#include "problem/loss/kernel.h"
#include "problem/loss/kernel_products.h"

/* ---- Losses ------------------------------------------------------------------------------------- */

LANES_INLINE wide logisticw(wide m, wide y)
{
    wide a = -y * m;
    return greaterw(a, splatw(0)) + log1p_unitw(exp_loww(minus_absw(a)));
}

LANES_INLINE wide huberw(wide m, wide y)
{
    wide r = m - y, a = absw(r);
    return selectw(a <= splatw(1), splatw(0.5) * r * r, a - splatw(0.5));
}

LANES_INLINE wide smooth_hingew(wide m, wide y)
{
    wide t = splatw(1) - y * m, square = selectw(t <= splatw(0), splatw(0), splatw(0.5) * t * t);
    return selectw(t < splatw(1), square, t - splatw(0.5));
}

LANES_INLINE wide sigmoidw(wide m, wide y)
{
    wide a = y * m, e = exp_loww(minus_absw(a));
    return selectw(a < splatw(0), splatw(1), e) / (splatw(1) + e);
}

LANES_INLINE wide lossw(zo_loss fixed_loss, wide m, wide y)
{
    switch (fixed_loss) {
    case ZO_LOGISTIC: return logisticw(m, y);
    case ZO_SQUARED: return splatw(0.5) * (m - y) * (m - y);
    case ZO_HUBER: return huberw(m, y);
    case ZO_SMOOTH_HINGE: return smooth_hingew(m, y);
    case ZO_SIGMOID: return sigmoidw(m, y);
    default: return splatw(NAN);
    }
}

/* call(ZO_LOGISTIC, ...) for loss = ZO_LOGISTIC, and so on. */
#define WITH_LOSS(loss, call, ...)                                                                 \
    switch (loss) {                                                                                \
    case ZO_LOGISTIC: call(ZO_LOGISTIC, __VA_ARGS__); break;                                       \
    case ZO_SQUARED: call(ZO_SQUARED, __VA_ARGS__); break;                                         \
    case ZO_HUBER: call(ZO_HUBER, __VA_ARGS__); break;                                             \
    case ZO_SMOOTH_HINGE: call(ZO_SMOOTH_HINGE, __VA_ARGS__); break;                               \
    default: call(ZO_SIGMOID, __VA_ARGS__); break;                                                 \
    }

LANES_INLINE void losses_one(zo_loss fixed_loss, size_t count, const double *m, const double *y,
                             double *v)
{
    size_t k = 0;
    for (; k + LANES <= count; k += LANES)
        storew(v + k, lossw(fixed_loss, loadw(m + k), loadw(y + k)));
    if (k == count) return;
    wide last = lossw(fixed_loss, load_partw(m + k, count - k), load_partw(y + k, count - k));
    store_partw(v + k, last, count - k);
}

static void losses(zo_loss loss, size_t count, const double *m, const double *y, double *v)
{
    WITH_LOSS(loss, losses_one, count, m, y, v)
}

/* ---- Points on lines ---------------------------------------------------------------------------- */

static void line(double m, double y, double r, size_t count, const double *t, double *point,
                 double *target)
{
    size_t k = 0;
    for (; k + LANES <= count; k += LANES) {
        storew(point + k, fmaw(splatw(r), loadw(t + k), splatw(m)));
        storew(target + k, splatw(y));
    }
    for (; k < count; k++) {
        point[k] = fma1(r, t[k], m);
        target[k] = y;
    }
}

static void points(piece *p, size_t b, double r, size_t count)
{
    double *point = p->point, *target = p->target;
    for (size_t i = 0; i < p->count; i++, point += count, target += count)
        line(p->m[b][i], p->y[i], r, count, p->t + i * p->width, point, target);
}

/* ---- Sums over a piece -------------------------------------------------------------------------- */

/* Four chains, whatever the lanes. Beyond count the peak is 0 and the factor 1: they add nothing. The exp is that of logistic_sums, so that what it
 * rounds off is rounded off on both sides of a difference. */
static double logistic_base_sum(piece *p, size_t b)
{
    v4 sum = splat(0), product = splat(1);
    const wide place = {PLACES};
    for (size_t i = 0; i < p->count; i += LANES) {
        wide_mask in = place + splatw((double)i) < splatw((double)p->count);
        wide a = -loadw(p->y + i) * loadw(p->m[b] + i),
             peak = selectw(in, greaterw(a, splatw(0)), splatw(0));
        wide e = selectw(in, exp_nearw(minus_absw(a)), splatw(0));
        for (size_t h = 0; h < LANES / 4; h++) {
            product = fma4(product, half4(e, h), product);
            sum += half4(peak, h);
        }
        storew(p->peak[b] + i, peak);
    }
    p->rest[b] = logw(splatw((product[0] * product[2]) * (product[1] * product[3])))[0];
    return total4(sum) + p->rest[b];
}

static double base_sum(zo_loss loss, piece *p, size_t b)
{
    if (loss == ZO_LOGISTIC) return logistic_base_sum(p, b);
    losses(loss, p->count, p->m[b], p->y, p->f[b]);
    double part[4] = {0};
    for (size_t i = 0; i < p->count; i++) part[i % 4] += p->f[b][i];
    return (part[0] + part[2]) + (part[1] + part[3]);
}

LANES_INLINE void sums_one(zo_loss fixed_loss, const piece *p, size_t b, double r, double *out)
{
    for (size_t l = 0; l < p->width; l += LANES) {
        wide sum = splatw(0);
        for (size_t i = 0; i < p->count; i++) {
            wide m = fmaw(splatw(r), loadw(p->t + i * p->width + l), splatw(p->m[b][i]));
            sum += lossw(fixed_loss, m, splatw(p->y[i])) - splatw(p->f[b][i]);
        }
        store_somew(out + l, sum, p->width - l);
    }
}

/* The factors are in (1, 2] and there are at most 128 of them: no overflow. */
static void logistic_sums(const piece *p, size_t b, double r, double *out)
{
    double a0[PIECE], c[PIECE];
    for (size_t i = 0; i < p->count; i++) {
        a0[i] = -p->y[i] * p->m[b][i];
        c[i] = -p->y[i] * r;
    }
    for (size_t l = 0; l < p->width; l += LANES) {
        wide sum = splatw(0), product = splatw(1);
        for (size_t i = 0; i < p->count; i++) {
            wide a = fmaw(splatw(c[i]), loadw(p->t + i * p->width + l), splatw(a0[i]));
            product = fmaw(product, exp_nearw(minus_absw(a)), product); /* times 1 + e^-|a| */
            sum += greaterw(a, splatw(0)) - splatw(p->peak[b][i]);
        }
        store_somew(out + l, sum + (logw(product) - splatw(p->rest[b])), p->width - l);
    }
}

static void sums(zo_loss loss, const piece *p, size_t b, double r, double *out)
{
    if (loss == ZO_LOGISTIC)
        logistic_sums(p, b, r, out);
    else
        WITH_LOSS(loss, sums_one, p, b, r, out)
}

/* ---- Softmax ------------------------------------------------------------------------------------ */

static void moved(size_t count, const double *m, const double *rest, double top, double own,
                  size_t y, double *to)
{
    const wide_bits place = {PLACES};
    for (size_t c = 0; c < count; c += LANES) {
        size_t left = count - c;
        wide at = load_nearw(m + c, left) + load_nearw(to + c, left),
             most = greaterw(at, splatw(top));
        wide sum = load_nearw(rest + c, left) * exp_loww(splatw(top) - most) + exp_loww(at - most);
        wide right =
            selectw((wide_mask)(place + splat_bitsw(c) == splat_bitsw(y)), at, splatw(own));
        wide v = (most - right) + log_normalw(sum);
        v = selectw(sum > splatw(1e-280), v, splatw(NAN));
        store_somew(to + c, v, left);
    }
}

/* ---- Ridge -------------------------------------------------------------------------------------- */

enum { DOTS = LANES / 2 }; /* vectors side by side, as many as registers bear */

/* Eight chains for each number, and one for what is left over. */
LANES_INLINE void dots_some(size_t fixed_count, size_t fixed_nbase, size_t d,
                            const double *const *u, const double *const base[2], double (*out)[3])
{
    enum { WIDE = 8 / LANES };
    wide acc[DOTS][3][WIDE] = {{{{0}}}};
    size_t j = 0;
    for (; j + 8 <= d; j += 8) {
        if (fixed_count == 1 && are_zero(2, u[0] + j)) continue;
        for (size_t h = 0; h < WIDE; h++)
            for (size_t k = 0; k < fixed_count; k++) {
                wide a = loadw(u[k] + j + LANES * h);
                acc[k][0][h] = fmaw(a, a, acc[k][0][h]);
                for (size_t b = 0; b < fixed_nbase; b++)
                    acc[k][b + 1][h] = fmaw(a, loadw(base[b] + j + LANES * h), acc[k][b + 1][h]);
            }
    }
    for (size_t k = 0; k < fixed_count; k++)
        for (size_t b = 0; b <= fixed_nbase; b++) {
            const double *x = b ? base[b - 1] : u[k];
            double last = 0;
            for (size_t l = j; l < d; l++) last = fma1(u[k][l], x[l], last);
            const wide *sum = acc[k][b];
            out[k][b] = total4(half4(sum[0], 0) + half4(sum[WIDE - 1], 1)) + last;
        }
}

#define DOTS_CASE(count)                                                                           \
    case 2 * (count): dots_some(count, 1, d, u + k, base, out + k); break;                         \
    case 2 * (count) + 1: dots_some(count, 2, d, u + k, base, out + k); break;

static void dots(size_t d, size_t count, const double *const *u, size_t nbase,
                 const double *const base[2], double (*out)[3])
{
    for (size_t k = 0, some; k < count; k += some) {
        some = count - k < DOTS ? count - k : DOTS;
        switch (2 * some + nbase - 1) {
            DOTS_CASE(1)
            DOTS_CASE(2)
#if DENSE_TALL == 8
            DOTS_CASE(3)
            DOTS_CASE(4)
#endif
        }
    }
}

const kernel_table KERNEL = {sparse,   dense, pack,  line, points,      losses,
                             base_sum, sums,  moved, dots, dots_listed, dot_listed};
