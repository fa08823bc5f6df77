/* The kernels, for the instruction set this is compiled for. KERNEL names the table.
 * SPDX-License-Identifier: MIT
 *
 * Functions with a parameter called fixed_... are inlined with a constant there, so that loops over it unroll and
 * accumulators stay in registers. */
#include "base/vmath_lanes.h"
#include "problem/loss/kernel.h"

/* ---- Losses ------------------------------------------------------------------------------------- */

LANES_INLINE v4 logistic4(v4 m, v4 y)
{
    v4 a = -y * m;
    return greater4(a, splat(0)) + log1p_unit4(exp_low4(minus_abs4(a)));
}

LANES_INLINE v4 huber4(v4 m, v4 y)
{
    v4 r = m - y, a = abs4(r);
    return select4(a <= splat(1), splat(0.5) * r * r, a - splat(0.5));
}

LANES_INLINE v4 smooth_hinge4(v4 m, v4 y)
{
    v4 t = splat(1) - y * m, square = select4(t <= splat(0), splat(0), splat(0.5) * t * t);
    return select4(t < splat(1), square, t - splat(0.5));
}

LANES_INLINE v4 sigmoid4(v4 m, v4 y)
{
    v4 a = y * m, e = exp_low4(minus_abs4(a));
    return select4(a < splat(0), splat(1), e) / (splat(1) + e);
}

LANES_INLINE v4 loss4(zo_loss fixed_loss, v4 m, v4 y)
{
    switch (fixed_loss) {
    case ZO_LOGISTIC: return logistic4(m, y);
    case ZO_SQUARED: return splat(0.5) * (m - y) * (m - y);
    case ZO_HUBER: return huber4(m, y);
    case ZO_SMOOTH_HINGE: return smooth_hinge4(m, y);
    case ZO_SIGMOID: return sigmoid4(m, y);
    default: return splat(NAN);
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
    for (; k + 4 <= count; k += 4) store4(v + k, loss4(fixed_loss, load4(m + k), load4(y + k)));
    if (k == count) return;
    v4 last = loss4(fixed_loss, load_part(m + k, count - k), load_part(y + k, count - k));
    store_part(v + k, last, count - k);
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
    for (; k + 4 <= count; k += 4) {
        store4(point + k, fma4(splat(r), load4(t + k), splat(m)));
        store4(target + k, splat(y));
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

/* Beyond count the peak is 0 and the factor 1: they add nothing. The exp is that of logistic_sums, so that what it
 * rounds off is rounded off on both sides of a difference. */
static double logistic_base_sum(piece *p, size_t b)
{
    v4 sum = splat(0), product = splat(1);
    const v4 place = {0, 1, 2, 3};
    for (size_t i = 0; i < p->count; i += 4) {
        i4 in = place + splat((double)i) < splat((double)p->count);
        v4 a = -load4(p->y + i) * load4(p->m[b] + i),
           peak = select4(in, greater4(a, splat(0)), splat(0));
        product = fma4(product, select4(in, exp_near4(minus_abs4(a)), splat(0)), product);
        sum += peak;
        store4(p->peak[b] + i, peak);
    }
    p->rest[b] = log4(splat((product[0] * product[2]) * (product[1] * product[3])))[0];
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
    for (size_t l = 0; l < p->width; l += 4) {
        v4 sum = splat(0);
        for (size_t i = 0; i < p->count; i++) {
            v4 m = fma4(splat(r), load4(p->t + i * p->width + l), splat(p->m[b][i]));
            sum += loss4(fixed_loss, m, splat(p->y[i])) - splat(p->f[b][i]);
        }
        store4(out + l, sum);
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
    for (size_t l = 0; l < p->width; l += 4) {
        v4 sum = splat(0), product = splat(1);
        for (size_t i = 0; i < p->count; i++) {
            v4 a = fma4(splat(c[i]), load4(p->t + i * p->width + l), splat(a0[i]));
            product = fma4(product, exp_near4(minus_abs4(a)), product); /* times 1 + e^-|a| */
            sum += greater4(a, splat(0)) - splat(p->peak[b][i]);
        }
        store4(out + l, sum + (log4(product) - splat(p->rest[b])));
    }
}

static void sums(zo_loss loss, const piece *p, size_t b, double r, double *out)
{
    if (loss == ZO_LOGISTIC)
        logistic_sums(p, b, r, out);
    else
        WITH_LOSS(loss, sums_one, p, b, r, out)
}

/* ---- Products with sparse rows ------------------------------------------------------------------ */

/* A product's order is fixed: entries of the row with even and with odd place in two chains, then their sum. */

LANES_INLINE void sparse_rows(size_t fixed_nbase, size_t fixed_vectors, const zo_data *z, piece *p,
                              const double *const base[2], const double *panel)
{
    const size_t width = 4 * fixed_vectors;
    const uint32_t *col = z->col;
    const double *val = z->val;
    if (!panel) panel = base[0]; /* no directions: nothing of it is read */
    for (size_t i = 0; i < p->count; i++) {
        uint64_t k = z->row[p->row[i]], end = z->row[p->row[i] + 1];
        v4 even[4] = {{0}}, odd[4] = {{0}};
        double m0[2] = {0}, m1[2] = {0};
        for (; k + 2 <= end; k += 2) {
            const double *u = panel + col[k] * width, *w = panel + col[k + 1] * width;
            v4 a = splat(val[k]), b = splat(val[k + 1]);
            for (size_t v = 0; v < fixed_vectors; v++) even[v] = fma4(a, load4(u + 4 * v), even[v]);
            for (size_t v = 0; v < fixed_vectors; v++) odd[v] = fma4(b, load4(w + 4 * v), odd[v]);
            for (size_t s = 0; s < fixed_nbase; s++) {
                m0[s] = fma1(val[k], base[s][col[k]], m0[s]);
                m1[s] = fma1(val[k + 1], base[s][col[k + 1]], m1[s]);
            }
        }
        if (k < end) {
            const double *u = panel + col[k] * width;
            v4 a = splat(val[k]);
            for (size_t v = 0; v < fixed_vectors; v++) even[v] = fma4(a, load4(u + 4 * v), even[v]);
            for (size_t s = 0; s < fixed_nbase; s++) m0[s] = fma1(val[k], base[s][col[k]], m0[s]);
        }
        for (size_t v = 0; v < fixed_vectors; v++)
            store4(p->t + i * width + 4 * v, even[v] + odd[v]);
        for (size_t s = 0; s < fixed_nbase; s++) p->m[s][i] = m0[s] + m1[s];
    }
}

#define SPARSE_CASE(nbase, vectors)                                                                \
    case (nbase)*5 + (vectors): sparse_rows(nbase, vectors, z, p, base, panel); break;

static void sparse_packed(const zo_data *z, piece *p, size_t nbase, const double *const base[2],
                          size_t vectors, const double *panel)
{
    switch (nbase * 5 + vectors) {
        SPARSE_CASE(0, 1)
        SPARSE_CASE(0, 2)
        SPARSE_CASE(0, 3)
        SPARSE_CASE(0, 4)
        SPARSE_CASE(1, 0)
        SPARSE_CASE(1, 1)
        SPARSE_CASE(1, 2)
        SPARSE_CASE(1, 3)
        SPARSE_CASE(1, 4)
        SPARSE_CASE(2, 0)
        SPARSE_CASE(2, 1)
        SPARSE_CASE(2, 2)
        SPARSE_CASE(2, 3)
        SPARSE_CASE(2, 4)
    }
}

static double sparse_dot(const zo_data *z, uint64_t i, const double *u)
{
    uint64_t k = z->row[i], end = z->row[i + 1];
    double even = 0, odd = 0;
    for (; k + 2 <= end; k += 2) {
        even = fma1(z->val[k], u[z->col[k]], even);
        odd = fma1(z->val[k + 1], u[z->col[k + 1]], odd);
    }
    if (k < end) even = fma1(z->val[k], u[z->col[k]], even);
    return even + odd;
}

static void sparse(const zo_data *z, piece *p, size_t nbase, const double *const base[2],
                   const group *g)
{
    p->width = g->width;
    if (g->panel || g->width == 0) {
        sparse_packed(z, p, nbase, base, g->width / 4, g->panel);
        return;
    }
    if (nbase) sparse_packed(z, p, nbase, base, 0, NULL);
    size_t d = z->features;
    for (size_t i = 0; i < p->count; i++) {
        const double *dir = g->dir + i * g->step;
        double *t = p->t + i * g->width;
        for (size_t k = 0; k < g->count; k++) t[k] = sparse_dot(z, p->row[i], dir + k * d);
        for (size_t k = g->count; k < g->width; k++) t[k] = 0;
    }
}

/* to[j][0..4) = {u_0[j], .., u_3[j]} for j < 4: four rows of four, turned over. */
LANES_INLINE void turned(const double *const u[4], size_t j, double *to, size_t width)
{
    v4 a = load4(u[0] + j), b = load4(u[1] + j), c = load4(u[2] + j), e = load4(u[3] + j);
    v4 ab = SHUFFLE4(a, b, 0, 4, 2, 6), ba = SHUFFLE4(a, b, 1, 5, 3, 7),
       ce = SHUFFLE4(c, e, 0, 4, 2, 6), ec = SHUFFLE4(c, e, 1, 5, 3, 7);
    store4(to, SHUFFLE4(ab, ce, 0, 1, 4, 5));
    store4(to + width, SHUFFLE4(ba, ec, 0, 1, 4, 5));
    store4(to + 2 * width, SHUFFLE4(ab, ce, 2, 3, 6, 7));
    store4(to + 3 * width, SHUFFLE4(ba, ec, 2, 3, 6, 7));
}

/* panel[j][k] = u_k[j], zeros beyond count. Some columns of all directions at a time, so that what is written stays in
 * the first cache until its lines are full. */
static void pack(size_t features, size_t d, const group *g, double *panel)
{
    enum { SOME = 64 };
    static const double none[SOME];
    for (size_t from = 0, to; from < features; from = to) {
        to = features - from < SOME ? features : from + SOME;
        for (size_t k = 0; k < g->width; k += 4) {
            const double *u[4];
            for (size_t l = 0; l < 4; l++)
                u[l] = k + l < g->count ? g->dir + (k + l) * d + from : none;
            double *out = panel + from * g->width + k;
            size_t j = 0;
            for (; j + 4 <= to - from; j += 4) turned(u, j, out + j * g->width, g->width);
            for (; j < to - from; j++)
                for (size_t l = 0; l < 4; l++) out[j * g->width + l] = u[l][j];
        }
    }
}

/* ---- Products with full rows -------------------------------------------------------------------- */

/* Strips of DEEP columns, so that their part of the panel stays in the second cache, and in each strip TALL rows at a
 * time. A product's order is fixed: one chain in each strip, then the strips one after another. */
enum { DEEP = 1024, TALL = 3 };

LANES_INLINE void dense_tile(size_t fixed_rows, size_t fixed_vectors, const double *const *z,
                             const double *panel, size_t from, size_t to, double *t)
{
    const size_t width = 4 * fixed_vectors;
    v4 acc[TALL][4] = {{{0}}};
    for (size_t j = from; j < to; j++) {
        const double *u = panel + j * width;
        if (j % 8 == 0) /* the rows that come next, in time */
            for (size_t r = 0; r < fixed_rows; r++) __builtin_prefetch(z[TALL + r] + j);
        for (size_t r = 0; r < fixed_rows; r++) {
            v4 a = splat(z[r][j]);
            for (size_t v = 0; v < fixed_vectors; v++)
                acc[r][v] = fma4(a, load4(u + 4 * v), acc[r][v]);
        }
    }
    for (size_t r = 0; r < fixed_rows; r++)
        for (size_t v = 0; v < fixed_vectors; v++) {
            double *out = t + r * width + 4 * v;
            store4(out, from ? load4(out) + acc[r][v] : acc[r][v]);
        }
}

#define DENSE_CASE(rows, vectors)                                                                  \
    case (rows)*5 + (vectors): dense_tile(rows, vectors, z, panel, from, to, t); break;

static void dense_any(size_t rows, size_t vectors, const double *const *z, const double *panel,
                      size_t from, size_t to, double *t)
{
    switch (rows * 5 + vectors) {
        DENSE_CASE(1, 1)
        DENSE_CASE(1, 2)
        DENSE_CASE(1, 3)
        DENSE_CASE(1, 4)
        DENSE_CASE(2, 1)
        DENSE_CASE(2, 2)
        DENSE_CASE(2, 3)
        DENSE_CASE(2, 4)
        DENSE_CASE(3, 1)
        DENSE_CASE(3, 2)
        DENSE_CASE(3, 3)
        DENSE_CASE(3, 4)
    }
}

/* z'u over columns [from, to): sixteen chains, and one for what is left over. */
static double dense_dot(const double *z, const double *u, size_t from, size_t to)
{
    v4 acc[4] = {{0}};
    double last = 0;
    size_t j = from;
    for (; j + 16 <= to; j += 16)
        for (size_t v = 0; v < 4; v++)
            acc[v] = fma4(load4(z + j + 4 * v), load4(u + j + 4 * v), acc[v]);
    for (; j < to; j++) last = fma1(z[j], u[j], last);
    return total4((acc[0] + acc[1]) + (acc[2] + acc[3])) + last;
}

LANES_INLINE int are_zero(size_t vectors, const double *u)
{
    u4 any = (u4)load4(u);
    for (size_t v = 1; v < vectors; v++) any |= (u4)load4(u + 4 * v);
    return !(any[0] | any[1] | any[2] | any[3]);
}

/* The same number where u is 0 for the most part: what is added there is 0, and the row need not be read. */
static double dense_dot_some(const double *z, const double *u, size_t to)
{
    v4 acc[4] = {{0}};
    double last = 0;
    size_t j = 0;
    for (; j + 16 <= to; j += 16) {
        if (are_zero(4, u + j)) continue;
        for (size_t v = 0; v < 4; v++)
            acc[v] = fma4(load4(z + j + 4 * v), load4(u + j + 4 * v), acc[v]);
    }
    for (; j < to; j++) last = fma1(z[j], u[j], last);
    return total4((acc[0] + acc[1]) + (acc[2] + acc[3])) + last;
}

/* Number j of a dot goes to chain j % chains, those behind the last whole round to one more. */
static void dots_listed(size_t d, const zo_sparse *u, size_t nbase, const double *const base[2],
                        double out[3])
{
    for (size_t b = 0; b <= nbase; b++) {
        double acc[8] = {0}, last = 0;
        for (size_t k = 0; k < u->count; k++) {
            size_t j = u->place[k];
            double v = u->value[k], x = b ? base[b - 1][j] : v;
            double *to = j < d / 8 * 8 ? acc + j % 8 : &last;
            *to = fma1(v, x, *to);
        }
        out[b] = total4(load4(acc) + load4(acc + 4)) + last;
    }
}

static double dot_listed(size_t d, const zo_sparse *u, const double *z)
{
    double acc[16] = {0}, last = 0;
    for (size_t k = 0; k < u->count; k++) {
        size_t j = u->place[k];
        double *to = j < d / 16 * 16 ? acc + j % 16 : &last;
        *to = fma1(z[j], u->value[k], *to);
    }
    return total4((load4(acc) + load4(acc + 4)) + (load4(acc + 8) + load4(acc + 12))) + last;
}

static void dense_strip(const zo_data *z, piece *p, size_t nbase, const double *const base[2],
                        const group *g, size_t from, size_t to)
{
    for (size_t i = 0, rows; i < p->count; i += rows) {
        const double *row[2 * TALL]; /* and those after them */
        rows = p->count - i < TALL ? p->count - i : TALL;
        for (size_t r = 0; r < rows; r++) {
            row[r] = z->dense + p->row[i + r] * z->features;
            row[TALL + r] =
                i + TALL + r < p->count ? z->dense + p->row[i + TALL + r] * z->features : row[r];
            for (size_t b = 0; b < nbase; b++) {
                double part = dense_dot(row[r], base[b], from, to);
                p->m[b][i + r] = from ? p->m[b][i + r] + part : part;
            }
        }
        if (g->panel) dense_any(rows, g->width / 4, row, g->panel, from, to, p->t + i * g->width);
    }
}

static void dense(const zo_data *z, piece *p, size_t nbase, const double *const base[2],
                  const group *g)
{
    p->width = g->width;
    for (size_t from = 0, to; from < z->features; from = to) {
        to = from + DEEP < z->features ? from + DEEP : z->features;
        dense_strip(z, p, nbase, base, g, from, to);
    }
    if (g->panel) return;
    for (size_t i = 0; i < p->count; i++) /* rows of their own */
        for (size_t k = 0; k < g->width; k++) {
            const double *row = z->dense + p->row[i] * z->features,
                         *u = g->dir + i * g->step + k * z->features;
            double *t = p->t + i * g->width + k;
            if (k == 0 && g->sparse && g->sparse[i].count)
                *t = dot_listed(z->features, &g->sparse[i], row);
            else
                *t = k < g->count ? dense_dot_some(row, u, z->features) : 0;
        }
}

/* ---- Softmax ------------------------------------------------------------------------------------ */

static void moved(size_t count, const double *m, const double *rest, double top, double own,
                  size_t y, double *to)
{
    const u4 place = {0, 1, 2, 3};
    for (size_t c = 0; c < count; c += 4) {
        v4 at = load4(m + c) + load4(to + c), most = greater4(at, splat(top));
        v4 sum = load4(rest + c) * exp_low4(splat(top) - most) + exp_low4(at - most);
        v4 right = select4((i4)(place + splat_bits(c) == splat_bits(y)), at, splat(own));
        v4 v = (most - right) + log_normal4(sum);
        v = select4(sum > splat(1e-280), v, splat(NAN));
        if (c + 4 <= count)
            store4(to + c, v);
        else
            store_part(to + c, v, count - c);
    }
}

/* ---- Ridge -------------------------------------------------------------------------------------- */

LANES_INLINE void dots_one(size_t fixed_nbase, size_t d, const double *u,
                           const double *const base[2], double out[3])
{
    v4 acc[3][2] = {{{0}}};
    size_t j = 0;
    for (; j + 8 <= d; j += 8) {
        if (are_zero(2, u + j)) continue;
        for (size_t h = 0; h < 2; h++) {
            v4 a = load4(u + j + 4 * h);
            acc[0][h] = fma4(a, a, acc[0][h]);
            for (size_t b = 0; b < fixed_nbase; b++)
                acc[b + 1][h] = fma4(a, load4(base[b] + j + 4 * h), acc[b + 1][h]);
        }
    }
    for (size_t b = 0; b <= fixed_nbase; b++) {
        const double *x = b ? base[b - 1] : u;
        double last = 0;
        for (size_t k = j; k < d; k++) last = fma1(u[k], x[k], last);
        out[b] = total4(acc[b][0] + acc[b][1]) + last;
    }
}

static void dots(size_t d, const double *u, size_t nbase, const double *const base[2],
                 double out[3])
{
    if (nbase == 1)
        dots_one(1, d, u, base, out);
    else
        dots_one(2, d, u, base, out);
}

const kernel_table KERNEL = {sparse,   dense, pack,  line, points,      losses,
                             base_sum, sums,  moved, dots, dots_listed, dot_listed};
