/* The loops of dense.h, for the instruction set this is compiled for. DENSE names the table.
 * SPDX-License-Identifier: MIT */
#include "base/dense.h"
#include "base/lanes.h"

/* ---- Vectors ------------------------------------------------------------------------------------ */

enum { TALL = LANES }; /* rows of a tile */

/* The four chains of a dot. */
typedef struct chains {
    v4 at[4];
} chains;

LANES_INLINE v4 one_more(const double *x, const double *y, v4 chain)
{
    return fma4(load4(x), load4(y), chain);
}

/* What is left over from 16 j numbers, and the sum. */
LANES_INLINE double end_dot(size_t n, const double *x, const double *y, chains c)
{
    size_t j = n - n % 16, left = n % 16;
    double last = 0;
    if (left >= 4) c.at[0] = one_more(x + j, y + j, c.at[0]);
    if (left >= 8) c.at[1] = one_more(x + j + 4, y + j + 4, c.at[1]);
    if (left >= 12) c.at[2] = one_more(x + j + 8, y + j + 8, c.at[2]);
    for (size_t k = n - n % 4; k < n; k++) last = fma1(x[k], y[k], last);
    return total4((c.at[0] + c.at[1]) + (c.at[2] + c.at[3])) + last;
}

static double dot(size_t n, const double *x, const double *y)
{
    chains c = {{{0}}};
    for (size_t j = 0; j + 16 <= n; j += 16)
        for (size_t v = 0; v < 4; v++) c.at[v] = one_more(x + j + 4 * v, y + j + 4 * v, c.at[v]);
    return end_dot(n, x, y, c);
}

/* Two dots with x, side by side. */
static void two_dots(size_t n, const double *a, const double *b, const double *x, double *out)
{
    chains c = {{{0}}}, e = {{{0}}};
    for (size_t j = 0; j + 16 <= n; j += 16)
        for (size_t v = 0; v < 4; v++) {
            c.at[v] = one_more(a + j + 4 * v, x + j + 4 * v, c.at[v]);
            e.at[v] = one_more(b + j + 4 * v, x + j + 4 * v, e.at[v]);
        }
    out[0] = end_dot(n, a, x, c);
    out[1] = end_dot(n, b, x, e);
}

static void times(size_t rows, size_t cols, const double *a, size_t step, const double *x,
                  double *y)
{
    size_t i = 0;
    for (; i + 2 <= rows; i += 2) two_dots(cols, a + i * step, a + (i + 1) * step, x, y + i);
    if (i < rows) y[i] = dot(cols, a + i * step, x);
}

/* y += sum over fixed_rows rows of x_r a_r */
LANES_INLINE void adds(size_t fixed_rows, size_t n, const double *a, size_t step, const double *x,
                       double *y)
{
    size_t j = 0;
    for (; j + LANES <= n; j += LANES) {
        wide s = loadw(y + j);
        for (size_t r = 0; r < fixed_rows; r++) s = fmaw(splatw(x[r]), loadw(a + r * step + j), s);
        storew(y + j, s);
    }
    for (; j < n; j++)
        for (size_t r = 0; r < fixed_rows; r++) y[j] = fma1(x[r], a[r * step + j], y[j]);
}

static void add(size_t n, double a, const double *x, double *y) { adds(1, n, x, 0, &a, y); }

static void turn(size_t n, double c, double s, double *x, double *y)
{
    size_t j = 0;
    for (; j + LANES <= n; j += LANES) {
        wide a = loadw(x + j), b = loadw(y + j);
        storew(x + j, fmaw(splatw(c), a, splatw(s) * b));
        storew(y + j, fmaw(splatw(c), b, -(splatw(s) * a)));
    }
    for (; j < n; j++) {
        double a = x[j], b = y[j];
        x[j] = fma1(c, a, s * b);
        y[j] = fma1(c, b, -(s * a));
    }
}

static void across(size_t rows, size_t cols, const double *a, size_t step, const double *x,
                   double *y)
{
    size_t i = 0;
    for (; i + 8 <= rows; i += 8) adds(8, cols, a + i * step, step, x + i, y);
    if (i + 4 <= rows) adds(4, cols, a + i * step, step, x + i, y), i += 4;
    if (i + 2 <= rows) adds(2, cols, a + i * step, step, x + i, y), i += 2;
    for (; i < rows; i++) adds(1, cols, a + i * step, step, x + i, y);
}

/* ---- Products ----------------------------------------------------------------------------------- */

/* A block of A and a block of B are packed, panels of TALL rows and of WIDTH columns, and multiplied tile by tile: TALL x
 * WIDTH numbers of C stay in registers over DEPTH steps. A chain goes on from what the step before has left in C. */
enum { VECTORS = 3, WIDTH = VECTORS * LANES, DEPTH = 128, ROWS = 48, COLS = 192 };

typedef struct packed {
    _Alignas(64) double a[ROWS * DEPTH];
    _Alignas(64) double b[COLS * DEPTH];
} packed;

/* Four lines of four numbers, turned: to[k * size + r] = by line_r[k]. */
LANES_INLINE void turn_block(size_t size, const double *const line[4], v4 by, double *to)
{
    v4 a = by * load4(line[0]), b = by * load4(line[1]), c = by * load4(line[2]),
       d = by * load4(line[3]);
    v4 ab = SHUFFLE4(a, b, 0, 4, 2, 6), ba = SHUFFLE4(a, b, 1, 5, 3, 7),
       cd = SHUFFLE4(c, d, 0, 4, 2, 6), dc = SHUFFLE4(c, d, 1, 5, 3, 7);
    store4(to, SHUFFLE4(ab, cd, 0, 1, 4, 5));
    store4(to + size, SHUFFLE4(ba, dc, 0, 1, 4, 5));
    store4(to + 2 * size, SHUFFLE4(ab, cd, 2, 3, 6, 7));
    store4(to + 3 * size, SHUFFLE4(ba, dc, 2, 3, 6, 7));
}

/* A panel of size lines that lie along memory, of which some are there; zeros for the rest. */
LANES_INLINE void pack_along(size_t size, size_t some, const double *const *line, size_t depth,
                             double by, double *to)
{
    for (size_t r = 0; r < size; r += 4) {
        size_t k = 0;
        for (; r + 4 <= some && k + 4 <= depth; k += 4) {
            const double *from[4] = {line[r] + k, line[r + 1] + k, line[r + 2] + k,
                                     line[r + 3] + k};
            turn_block(size, from, splat(by), to + k * size + r);
        }
        for (; k < depth; k++)
            for (size_t e = r; e < r + 4; e++) to[k * size + e] = e < some ? by * line[e][k] : 0;
    }
}

/* The same where they lie side by side. */
LANES_INLINE void pack_across(size_t fixed_size, size_t some, const double *from, size_t step,
                              size_t depth, double by, double *to)
{
    for (size_t k = 0; k < depth; k++, from += step, to += fixed_size)
        for (size_t r = 0; r < fixed_size; r += LANES) {
            wide v = r < some ? load_somew(from + r, some - r) : splatw(0);
            storew(to + r, splatw(by) * v);
        }
}

/* Panels of fixed_size lines of v times by, from line `from` on; lines are its rows. Zeros beyond count. */
LANES_INLINE void pack_lines(size_t fixed_size, dense_view v, size_t from, size_t count,
                             size_t depth, double by, double *to)
{
    for (size_t first = 0; first < count; first += fixed_size, to += fixed_size * depth) {
        size_t some = count - first < fixed_size ? count - first : fixed_size;
        const double *line[WIDTH];
        for (size_t r = 0; r < some; r++)
            line[r] = v.at + (v.pick ? v.pick[from + first + r] : from + first + r) * v.down;
        if (v.right == 1)
            pack_along(fixed_size, some, line, depth, by, to);
        else if (v.down == 1 && !v.pick)
            pack_across(fixed_size, some, line[0], v.right, depth, by, to);
        else
            for (size_t r = 0; r < fixed_size; r++)
                for (size_t k = 0; k < depth; k++)
                    to[k * fixed_size + r] = r < some ? by * line[r][k * v.right] : 0;
    }
}

/* C's tile, whole: acc = what is there or 0, then the chain. A function of its own, so that all registers are its. */
static __attribute__((noinline)) void tile(size_t depth, const double *a, const double *b,
                                           int fresh, double *c, size_t step)
{
    wide acc[TALL][VECTORS];
    for (size_t r = 0; r < TALL; r++)
        for (size_t v = 0; v < VECTORS; v++)
            acc[r][v] = fresh ? splatw(0) : loadw(c + r * step + v * LANES);
    for (size_t k = 0; k < depth; k++, a += TALL, b += WIDTH) {
        wide u[VECTORS];
        for (size_t v = 0; v < VECTORS; v++) u[v] = loadw(b + v * LANES);
        for (size_t r = 0; r < TALL; r++)
            for (size_t v = 0; v < VECTORS; v++) acc[r][v] = fmaw(splatw(a[r]), u[v], acc[r][v]);
    }
    for (size_t r = 0; r < TALL; r++)
        for (size_t v = 0; v < VECTORS; v++) storew(c + r * step + v * LANES, acc[r][v]);
}

/* Is (i, j) asked for? */
LANES_INLINE int wanted(dense_part part, size_t i, size_t j)
{
    return part == DENSE_ALL || (part == DENSE_UPPER ? i <= j : i >= j);
}

LANES_INLINE void copy_some(size_t count, const double *from, double *to)
{
    size_t k = 0;
    for (; k + LANES <= count; k += LANES) storew(to + k, loadw(from + k));
    if (k < count) store_partw(to + k, load_partw(from + k, count - k), count - k);
}

/* A tile of which only a part is asked for: by way of a whole one. */
static void edge_tile(const dense_job *q, size_t depth, const double *a, const double *b, int fresh,
                      size_t i, size_t j)
{
    double whole[TALL * WIDTH];
    size_t tall = q->m - i < TALL ? q->m - i : TALL, across = q->n - j < WIDTH ? q->n - j : WIDTH,
           from[TALL], count[TALL];
    double *c = q->c + i * q->step + j;
    for (size_t k = 0; k < TALL * WIDTH && (tall < TALL || across < WIDTH); k++) whole[k] = 0;
    for (size_t r = 0; r < tall; r++) {
        size_t before = i + r > j ? i + r - j : 0, upto = i + r < j ? 0 : before + 1, to = across;
        if (q->part == DENSE_LOWER && upto < across) to = upto; /* before, up to the diagonal */
        from[r] = q->part == DENSE_UPPER ? before : 0;
        count[r] = from[r] < to ? to - from[r] : 0;
        if (!fresh) copy_some(across, c + r * q->step, whole + r * WIDTH);
    }
    tile(depth, a, b, fresh, whole, WIDTH);
    for (size_t r = 0; r < tall; r++)
        copy_some(count[r], whole + r * WIDTH + from[r], c + r * q->step + from[r]);
}

/* The tiles of C's block at (i0, j0), rows x cols. */
static void multiply_block(const dense_job *q, const packed *p, size_t depth, int fresh, size_t i0,
                           size_t rows, size_t j0, size_t cols)
{
    for (size_t e = 0; e < cols; e += WIDTH)
        for (size_t r = 0; r < rows; r += TALL) {
            size_t i = i0 + r, j = j0 + e, bottom = i + TALL - 1, right = j + WIDTH - 1;
            if (!wanted(q->part, q->part == DENSE_LOWER ? bottom : i,
                        q->part == DENSE_LOWER ? j : right))
                continue; /* no corner is */
            const double *a = p->a + r * depth, *b = p->b + e * depth;
            if (r + TALL <= rows && e + WIDTH <= cols && wanted(q->part, i, right) &&
                wanted(q->part, bottom, j))
                tile(depth, a, b, fresh, q->c + i * q->step + j, q->step);
            else
                edge_tile(q, depth, a, b, fresh, i, j);
        }
}

static size_t at_most(size_t left, size_t size) { return left < size ? left : size; }

/* Numbers k0 ... of C's columns j0 ... */
static void multiply_columns(const dense_job *q, packed *p, size_t k0, size_t depth, size_t j0,
                             size_t cols)
{
    int fresh = q->fresh && k0 == 0;
    dense_view b = {q->b.at + k0 * q->b.down, q->b.right, q->b.down, q->b.pick};
    pack_lines(WIDTH, b, j0, cols, depth, 1, p->b);
    for (size_t i0 = 0, rows; i0 < q->m; i0 += rows) {
        rows = at_most(q->m - i0, ROWS);
        if (q->part == DENSE_UPPER && i0 > j0 + cols - 1) break;
        if (q->part == DENSE_LOWER && i0 + rows - 1 < j0) continue;
        dense_view a = {q->a.at + k0 * q->a.right, q->a.down, q->a.right, q->a.pick};
        pack_lines(TALL, a, i0, rows, depth, q->by, p->a);
        multiply_block(q, p, depth, fresh, i0, rows, j0, cols);
    }
}

static void product(const dense_job *q)
{
    packed p;
    for (size_t j0 = 0, cols; j0 < q->n; j0 += cols) {
        cols = at_most(q->n - j0, COLS);
        for (size_t k0 = 0, depth; k0 < q->depth; k0 += depth) {
            depth = at_most(q->depth - k0, DEPTH);
            multiply_columns(q, &p, k0, depth, j0, cols);
        }
    }
}

/* ---- A few rows of C ---------------------------------------------------------------------------- */

/* C's numbers (r0 + r, j + l), r < TALL and l < LANES fixed_vectors, as they lie; or of the only vector the first count. */
LANES_INLINE void few_tile(size_t fixed_vectors, size_t count, const dense_job *q, size_t r0,
                           size_t j)
{
    double *c = q->c + r0 * q->step + j;
    const double *a = q->a.at + r0, *b = q->b.at + j;
    wide acc[TALL][VECTORS], u[VECTORS];
    for (size_t r = 0; r < TALL; r++)
        for (size_t v = 0; v < fixed_vectors; v++)
            acc[r][v] = load_somew(c + r * q->step + v * LANES, count);
    for (size_t k = 0; k < q->depth; k++, a += q->a.right, b += q->b.down) {
        for (size_t v = 0; v < fixed_vectors; v++) u[v] = -load_somew(b + v * LANES, count);
        for (size_t r = 0; r < TALL; r++)
            for (size_t v = 0; v < fixed_vectors; v++)
                acc[r][v] = fmaw(splatw(a[r]), u[v], acc[r][v]);
    }
    for (size_t r = 0; r < TALL; r++)
        for (size_t v = 0; v < fixed_vectors; v++)
            store_somew(c + r * q->step + v * LANES, acc[r][v], count);
}

/* Columns from j on. */
static void few_columns(const dense_job *q, size_t j)
{
    for (; j + WIDTH <= q->n; j += WIDTH)
        for (size_t r = 0; r < DENSE_FEW; r += TALL) few_tile(VECTORS, LANES, q, r, j);
    for (; j + LANES <= q->n; j += LANES)
        for (size_t r = 0; r < DENSE_FEW; r += TALL) few_tile(1, LANES, q, r, j);
    for (size_t r = 0; r < DENSE_FEW && j < q->n; r += TALL) few_tile(1, q->n - j, q, r, j);
}

static void few(const dense_job *q)
{
    double corner[DENSE_FEW * DENSE_FEW] = {0};
    if (q->part == DENSE_ALL) {
        few_columns(q, 0);
        return;
    }
    dense_job first = *q;
    first.n = first.step = DENSE_FEW;
    first.c = corner;
    for (size_t r = 0; r < DENSE_FEW; r++)
        for (size_t j = r; j < DENSE_FEW; j++) corner[r * DENSE_FEW + j] = q->c[r * q->step + j];
    few_columns(&first, 0);
    for (size_t r = 0; r < DENSE_FEW; r++)
        for (size_t j = r; j < DENSE_FEW; j++) q->c[r * q->step + j] = corner[r * DENSE_FEW + j];
    few_columns(q, DENSE_FEW);
}

const dense_table DENSE = {dot, add, turn, times, across, product, few};
