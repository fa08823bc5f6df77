/* Singular values by reflections to two diagonals and rotations that make one of them vanish.
 * SPDX-License-Identifier: MIT
 *
 *     X = Q B P',   B upper bidiagonal: d_i on the diagonal, e_i = B_{i-1,i} beside it
 *
 * (G. Golub and W. Kahan, 1965; G. Golub and C. Reinsch, 1970). Then B'B is made diagonal by QR steps with a shift, which
 * are done on B itself. Vectors are rows, so that reflections and rotations run along memory. */
#include "base/svd.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/vec.h"

enum { STEPS = 60 }; /* for one singular value; three are usual */

typedef struct shape {
    size_t m, n; /* m >= n */
    double *x;   /* m x n: reflections, once B is known */
    double *d, *e;
    double *p, *q;     /* n rows of m and of n numbers, or NULL */
    double *tau, *rho; /* of the reflections from the left and from the right */
    double *v, *w;     /* m, m */
} shape;

size_t svd_work(size_t m, size_t n)
{
    size_t more = m > n ? m : n, less = m > n ? n : m;
    return 2 * more + 4 * less + (m < n ? m * n : 0);
}

static double hypotenuse(double a, double b)
{
    double x = fabs(a), y = fabs(b), big = x > y ? x : y, t = (x > y ? y : x) / big;
    return big > 0 ? big * sqrt(1 + t * t) : 0;
}

/* ---- Reflections --------------------------------------------------------------------------------- */

/* (I - tau v v') v_old = (value, 0, ...): v_0 = 1. Returns tau, 0 where there is nothing to do. */
static double reflection(size_t count, double *v, double *value)
{
    double first = v[0], rest = vec_norm(count - 1, v + 1);
    *value = first;
    if (rest < 1e-250) return 0; /* beside numbers of about 1 */
    double size = hypotenuse(first, rest), to = first > 0 ? -size : size;
    *value = to;
    vec_scale(count - 1, 1 / (first - to), v + 1);
    v[0] = 1;
    return (to - first) / to;
}

/* Column j of what is left, from row j on, is reflected to its first number. */
static void reflect_left(shape *b, size_t j)
{
    size_t rows = b->m - j, cols = b->n - j - 1;
    double *at = b->x + j * b->n + j;
    for (size_t r = 0; r < rows; r++) b->v[r] = at[r * b->n];
    double tau = b->tau[j] = reflection(rows, b->v, &b->d[j]);
    for (size_t r = 0; r < rows; r++) at[r * b->n] = b->v[r];
    if (tau == 0 || cols == 0) return;
    vec_zero(cols, b->w);
    dense_across(rows, cols, at + 1, b->n, b->v, b->w);
    for (size_t r = 0; r < rows; r++) dense_add(cols, -tau * b->v[r], b->w, at + r * b->n + 1);
}

/* Row j, from column j + 1 on, likewise. */
static void reflect_right(shape *b, size_t j)
{
    size_t rows = b->m - j - 1, cols = b->n - j - 1;
    double *at = b->x + j * b->n + j + 1;
    double tau = b->rho[j] = reflection(cols, at, &b->e[j + 1]);
    if (tau == 0 || rows == 0) return;
    dense_times(rows, cols, at + b->n, b->n, at, b->w);
    for (size_t r = 0; r < rows; r++) dense_add(cols, -tau * b->w[r], at, at + (r + 1) * b->n);
}

static void reduce(shape *b)
{
    b->e[0] = 0;
    for (size_t j = 0; j < b->n; j++) {
        reflect_left(b, j);
        if (j + 1 < b->n) reflect_right(b, j);
    }
}

/* rows = the first n rows of (I - tau_0 v_0 v_0')(I - tau_1 v_1 v_1') ..., transposed; v_j begins at `shift` + j. */
static void unfold(shape *b, size_t width, size_t shift, double *rows)
{
    vec_zero(b->n * width, rows);
    for (size_t i = 0; i < b->n; i++) rows[i * width + i] = 1;
    for (size_t j = b->n - shift; j-- > 0;) {
        size_t first = j + shift, count = width - first, below = b->n - first;
        double tau = shift ? b->rho[j] : b->tau[j], *at = rows + first * width + first;
        if (tau == 0) continue;
        for (size_t r = 0; r < count; r++)
            b->v[r] = shift ? b->x[j * b->n + first + r] : b->x[(j + r) * b->n + j];
        dense_times(below, count, at, width, b->v, b->w);
        for (size_t i = 0; i < below; i++) dense_add(count, -tau * b->w[i], b->v, at + i * width);
    }
}

/* ---- Rotations ----------------------------------------------------------------------------------- */

/* (c, s) with c a + s b = the result, c b - s a = 0 */
static double rotation(double a, double b, double *c, double *s)
{
    double size = hypotenuse(a, b);
    *c = size > 0 ? a / size : 1;
    *s = size > 0 ? b / size : 0;
    return size;
}

/* (a, b) = (c a + s b, c b - s a), rows i and k */
static void turn(size_t width, double c, double s, size_t i, size_t k, double *rows)
{
    if (rows) dense_turn(width, c, s, rows + i * width, rows + k * width);
}

/* d_{l-1} = 0: e_l is turned away, row l - 1 against rows l, l + 1, ... of B. */
static void cancel(shape *b, size_t l, size_t k, double nothing)
{
    double c, s, f = b->e[l];
    b->e[l] = b->d[l - 1] = 0;
    for (size_t i = l; i <= k && fabs(f) > nothing; i++) {
        b->d[i] = rotation(b->d[i], f, &c, &s);
        if (i < k) {
            f = -s * b->e[i + 1];
            b->e[i + 1] *= c;
        }
        turn(b->m, c, s, i, l - 1, b->p);
    }
}

/* The eigenvalue of the last two rows of B'B that is closer to the last number: first column of B'B less that, over d_l. */
static double shifted(const shape *b, size_t l, size_t k)
{
    double x = b->d[l], y = b->d[k - 1], z = b->d[k], g = b->e[k - 1], h = b->e[k];
    double f = ((y - z) * (y + z) + (g - h) * (g + h)) / (2 * h * y);
    double root = sqrt(f * f + 1), by = f + (f < 0 ? -root : root);
    return ((x - z) * (x + z) + h * (y / by - h)) / x;
}

/* One step on rows l ... k, none of whose d_l ... d_{k-1}, e_{l+1} ... e_k is 0. */
static void chase(shape *b, size_t l, size_t k)
{
    double *d = b->d, *e = b->e, f = shifted(b, l, k), x = d[l], over, c, s;
    if (!isfinite(f)) f = x;
    over = e[l + 1];
    for (size_t j = l, i = l + 1; j < k; j++, i++) {
        double g = e[i], y = d[i], size = rotation(f, over, &c, &s);
        if (j > l) e[j] = size;
        f = c * x + s * g;
        g = c * g - s * x;
        over = s * y;
        y *= c;
        turn(b->n, c, s, j, i, b->q);
        d[j] = rotation(f, over, &c, &s);
        f = c * g + s * y;
        x = c * y - s * g;
        turn(b->m, c, s, j, i, b->p);
        if (i < k) {
            over = s * e[i + 1];
            e[i + 1] *= c;
        }
    }
    e[l] = 0;
    e[k] = f;
    d[k] = x;
}

/* Where the block that ends in k begins; *zero: it begins below a d that is 0, with an e that is not. */
static size_t block_start(const shape *b, size_t k, double nothing, int *zero)
{
    *zero = 0;
    for (size_t l = k; l > 0; l--) {
        if (fabs(b->e[l]) <= nothing) return l;
        if (fabs(b->d[l - 1]) <= nothing) {
            *zero = 1;
            return l;
        }
    }
    return 0;
}

static int diagonalize(shape *b)
{
    double top = 0;
    for (size_t i = 0; i < b->n; i++) top = fmax(top, fabs(b->d[i]) + fabs(b->e[i]));
    double nothing = 0.5 * DBL_EPSILON * top;
    for (size_t k = b->n; k-- > 0;)
        for (int step = 0;; step++) {
            int zero;
            size_t l = block_start(b, k, nothing, &zero);
            if (zero) cancel(b, l, k, nothing);
            if (l == k) break;
            if (step == STEPS) return 1;
            chase(b, l, k);
        }
    return 0;
}

/* ---- In order ------------------------------------------------------------------------------------- */

static void swap_rows(size_t width, size_t i, size_t k, double *rows)
{
    for (size_t j = 0; rows && j < width; j++) {
        double t = rows[i * width + j];
        rows[i * width + j] = rows[k * width + j];
        rows[k * width + j] = t;
    }
}

/* Values positive and falling, their vectors with them. */
static void sort(shape *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->d[i] < 0 || (b->d[i] == 0 && signbit(b->d[i]))) {
            b->d[i] = -b->d[i];
            if (b->q) vec_scale(b->n, -1, b->q + i * b->n);
        }
    for (size_t i = 0; i < b->n; i++) {
        size_t most = i;
        for (size_t k = i + 1; k < b->n; k++)
            if (b->d[k] > b->d[most]) most = k;
        if (most == i) continue;
        double t = b->d[i];
        b->d[i] = b->d[most];
        b->d[most] = t;
        swap_rows(b->m, i, most, b->p);
        swap_rows(b->n, i, most, b->q);
    }
}

/* A power of two that brings the largest number close to 1: nothing is lost, and nothing overflows. */
static double scale_of(size_t count, const double *x)
{
    double top = 0;
    int power;
    for (size_t k = 0; k < count; k++) top = fmax(top, fabs(x[k]));
    if (top == 0) return 1;
    frexp(top, &power);
    return ldexp(1, power > 1000 ? 1000 : power < -1000 ? -1000 : power);
}

static void transpose(size_t m, size_t n, const double *x, double *y)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) y[j * m + i] = x[i * n + j];
}

int svd(size_t m, size_t n, double *x, double *s, double *p, double *q, double *work)
{
    size_t more = m > n ? m : n, less = m > n ? n : m;
    shape b = {.m = more, .n = less, .x = x, .d = s, .p = p, .q = q};
    if (less == 0) return 0;
    if (!vec_finite(m * n, x)) return 1;
    b.v = work, b.w = b.v + more, b.e = b.w + more, b.tau = b.e + less, b.rho = b.tau + less;
    if (m < n) {
        b.x = b.rho + 2 * less, b.p = q, b.q = p;
        transpose(m, n, x, b.x);
    }
    double scale = scale_of(m * n, b.x);
    vec_scale(m * n, 1 / scale, b.x);
    reduce(&b);
    if (b.p) unfold(&b, more, 0, b.p);
    if (b.q) unfold(&b, less, 1, b.q);
    if (diagonalize(&b)) return 1;
    sort(&b);
    vec_scale(less, scale, s);
    return 0;
}
