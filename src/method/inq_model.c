/* inq: the sample's quadratic model at x, and the steps it offers.
 * SPDX-License-Identifier: MIT
 *
 *     g = mean slope_i u_i + mu x,   M = mean bend_i u_i u_i' + mu I    over the sample of s components
 *
 * The matrix is kept as a sum and changed only where a weight did. A step z with damping lambda changes F by
 *
 *     g_new'(z - x) + (z - x)'M(z - x)/2 + psi(z) - psi(x) + 2 phi (1 - s/n),
 *     phi = trace((M + lambda)^-1 Cov(grad f_i))/(2 s),
 *
 * without bias: g_new, the mean over the components that have just entered, does not depend on x. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/blas.h"
#include "base/vec.h"
#include "method/inq.h"
#include "prox/prox.h"

/* A weight that moved by less than this part of the mean stays: where all components decide, and in samples. */
static const double stale = 1e-2, stale_in_samples = 0.1;

static int known(const inq *s, uint64_t i) { return s->curves[i].point > 0; }

/* The end of the block of components that i is in. */
static uint64_t block_end(const inq *s, uint64_t i)
{
    uint64_t end = (i / SUM_BLOCK + 1) * SUM_BLOCK;
    return end < s->base.n ? end : s->base.n;
}

void inq_project(inq *s)
{
    method *m = &s->base;
    double now[SUM_BLOCK];
    int d = (int)m->d, all = s->at->filled == m->n, before = blas_single();
    for (uint64_t i = 0; i < m->n && all; i = block_end(s, i)) {
        size_t count = (size_t)(block_end(s, i) - i);
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)count, d, 1, inq_row(s, i), d, m->x, 1, 0, now, 1);
        for (size_t e = 0; e < count; e++) s->curves[i + e].now = now[e];
    }
    for (uint64_t k = 0; k < s->at->filled && !all; k++)
        s->curves[s->order[k]].now = cblas_ddot(d, inq_row(s, s->order[k]), 1, m->x, 1);
    blas_restore(before);
}

/* Sum over the sample of one number for each component. */
static double total_of(inq *s, double (*of)(const inq *s, uint64_t i))
{
    sum_tree tree;
    sum_open(&tree, 1, s->tree);
    double *leaf = NULL, total;
    uint64_t last = UINT64_MAX;
    for (uint64_t i = 0; i < s->base.n; i++) {
        if (!known(s, i)) continue;
        if (i / SUM_BLOCK != last) leaf = sum_leaf(&tree, last = i / SUM_BLOCK);
        *leaf += of(s, i);
    }
    sum_close(&tree, &total);
    return total;
}

static double value_of(const inq *s, uint64_t i) { return s->curves[i].f; }
static double bend_of(const inq *s, uint64_t i) { return s->bend[i]; }

static double height_of(const inq *s, uint64_t i) { return fabs(s->curves[i].f); }
static double steepness_of(const inq *s, uint64_t i) { return s->curves[i].size * s->curves[i].size; }

void inq_measure(inq *s)
{
    double size = (double)s->at->filled, steep = sqrt(total_of(s, steepness_of) / size);
    double far = fmax(1, vec_norm(s->base.d, s->base.x));
    double height = total_of(s, height_of) / size;
    if (height < 1e-9 * steep * far)
        height = 0.1 * steep * far; /* f is 0 here, and says nothing of its scale */
    s->at->scale = fmax(height, 1e-290);
    s->at->steep = steep;
    s->at->length = fmin(fmax(s->at->scale / fmax(steep, 1e-290), 1e-6 * far), 1e3 * far);
}

double inq_mean_value(inq *s) { return total_of(s, value_of) / (double)s->at->filled; }

void inq_mark_new(inq *s)
{
    memset(s->is_new, 0, s->base.n);
    for (uint64_t k = s->at->begin; k < s->at->filled; k++) s->is_new[s->order[k]] = 1;
}

/* to += sum of slope_i u_i over one block; from where half of it is known on as a product of matrix and vector, in which
 * the others count 0. */
static void add_slopes(inq *s, uint64_t first, int is_new, double *to)
{
    double slope[SUM_BLOCK];
    size_t d = s->base.d, count = (size_t)(block_end(s, first) - first), used = 0;
    for (size_t e = 0; e < count; e++) {
        int in = known(s, first + e) && s->is_new[first + e] == is_new;
        slope[e] = in ? s->slope[first + e] : 0;
        used += (size_t)in;
    }
    if (2 * used >= count) {
        cblas_dgemv(CblasRowMajor, CblasTrans, (int)count, (int)d, 1, inq_row(s, first), (int)d, slope, 1, 1,
                    to, 1);
        return;
    }
    for (size_t e = 0; e < count && used; e++)
        if (slope[e] != 0) cblas_daxpy((int)d, slope[e], inq_row(s, first + e), 1, to, 1);
}

/* g over the sample, and over its new components alone: one pass. */
static void sum_gradients(inq *s)
{
    method *m = &s->base;
    size_t d = m->d;
    sum_tree tree;
    inq_mark_new(s);
    sum_open(&tree, 2 * d, s->tree);
    int before = blas_single();
    for (uint64_t i = 0; i < m->n; i = block_end(s, i)) {
        double *leaf = sum_leaf(&tree, i / SUM_BLOCK);
        add_slopes(s, i, 0, leaf);
        add_slopes(s, i, 1, leaf + d);
    }
    blas_restore(before);
    sum_close(&tree, s->block);
    double size = (double)s->at->filled, fresh = (double)(s->at->filled - s->at->begin);
    for (size_t j = 0; j < d; j++) {
        s->fresh_g[j] = s->block[d + j] / fresh + s->at->mu * m->x[j];
        s->g[j] = (s->block[j] + s->block[d + j]) / size + s->at->mu * m->x[j];
    }
}

void inq_forget(inq *s, uint64_t i)
{
    int d = (int)s->base.d, before = blas_single();
    double held = s->curves[i].held;
    s->curves[i].held = 0;
    if (s->dense && held > 0) cblas_dsyr(CblasRowMajor, CblasUpper, d, -held, inq_row(s, i), 1, s->matrix, d);
    blas_restore(before);
}

/* Rows sqrt|change_i| u_i on their way into a leaf of the sum: those that rose, and those that fell. */
typedef struct pile {
    size_t rose, fell;
    double *leaf;
} pile;

/* leaf += sum of change_i u_i u_i' (upper triangle) over the pile */
static void add_pile(inq *s, pile *p)
{
    int d = (int)s->base.d;
    const double *up = s->block, *down = s->block + SUM_BLOCK * s->base.d;
    if (p->rose) cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, d, (int)p->rose, 1, up, d, 1, p->leaf, d);
    if (p->fell)
        cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, d, (int)p->fell, -1, down, d, 1, p->leaf, d);
    p->rose = p->fell = 0;
}

static void put_row(inq *s, uint64_t i, double change, pile *p)
{
    size_t at = change > 0 ? p->rose++ : SUM_BLOCK + p->fell++;
    double w = sqrt(fabs(change)), *to = s->block + at * s->base.d;
    const double *u = inq_row(s, i);
    for (size_t j = 0; j < s->base.d; j++) to[j] = w * u[j];
    if (p->rose == SUM_BLOCK || p->fell == SUM_BLOCK) add_pile(s, p);
}

static void update_matrix(inq *s)
{
    method *m = &s->base;
    size_t d = m->d;
    double least = (inq_all(s) ? stale : stale_in_samples) * s->at->bend;
    uint64_t last = UINT64_MAX;
    pile p = {0};
    sum_tree tree;
    sum_open(&tree, d * d, s->tree);
    int before = blas_single();
    for (uint64_t i = 0; i < m->n; i++) {
        curve *c = &s->curves[i];
        double change = known(s, i) ? s->bend[i] - c->held : 0;
        if (!(fabs(change) > (c->held == 0 ? 0 : least))) continue;
        uint64_t leaf = i / SUM_BLOCK / WIDE;
        if (leaf != last) {
            add_pile(s, &p);
            p.leaf = sum_leaf(&tree, last = leaf);
        }
        put_row(s, i, change, &p);
        c->held = s->bend[i];
    }
    add_pile(s, &p);
    blas_restore(before);
    sum_close(&tree, s->full);
    vec_add(d * d, 1, s->full, s->matrix);
    double part = 1 / (double)s->at->filled;
    for (size_t j = 0; j < d; j++)
        for (size_t k = j; k < d; k++) s->full[j * d + k] = s->full[k * d + j] = part * s->matrix[j * d + k];
}

/* Column j holds coordinate j of sqrt(bend_i/s) u_i, i in order[0..s); eight components at a time, a cache line. */
static void fill_columns(inq *s)
{
    method *m = &s->base;
    uint64_t size = s->at->filled;
    for (uint64_t k = 0; k < size; k += 8) {
        size_t count = size - k < 8 ? (size_t)(size - k) : 8;
        const double *u[8];
        double w[8];
        for (size_t e = 0; e < count; e++) {
            uint64_t i = s->order[k + e];
            u[e] = inq_row(s, i);
            w[e] = sqrt(s->bend[i] / (double)size);
        }
        for (size_t j = 0; j < m->d; j++)
            for (size_t e = 0; e < count; e++) s->col[j * m->n + k + e] = w[e] * u[e][j];
    }
}

void inq_curve_model(inq *s)
{
    for (uint64_t i = 0; i < s->base.n; i++) {
        if (!known(s, i)) continue;
        curve_value v = curve_at(&s->curves[i], s->curves[i].now);
        s->slope[i] = v.slope;
        s->bend[i] = fmax(v.bend, 0);
    }
    s->at->bend = total_of(s, bend_of) / (double)s->at->filled;
    sum_gradients(s);
    if (s->dense)
        update_matrix(s);
    else
        fill_columns(s);
}

quad inq_quad(inq *s, double damping)
{
    method *m = &s->base;
    return (quad){.d = m->d,
                  .matrix = s->dense ? s->full : NULL,
                  .col = s->col,
                  .rows = (size_t)(s->at->secants ? s->held : s->at->filled),
                  .stride = m->n,
                  .ridge = s->at->mu,
                  .damping = damping,
                  .g = s->g,
                  .x = m->x,
                  .psi = m->psi,
                  .prox_work = m->prox_work};
}

/* phi, from at most SPREAD components spread evenly over the sample. */
static double spread_of(inq *s, const quad *q, const double *z)
{
    method *m = &s->base;
    uint64_t size = s->at->filled;
    size_t count = size < SPREAD ? (size_t)size : SPREAD;
    for (size_t e = 0; e < count; e++) {
        uint64_t i = s->order[e * size / count];
        double *to = s->dir + e * m->d;
        const double *u = inq_row(s, i);
        double slope = s->at->secants ? 1 : s->slope[i], ridge = s->at->secants ? 0 : s->at->mu;
        for (size_t j = 0; j < m->d; j++) to[j] = slope * u[j] - (s->g[j] - ridge * m->x[j]);
    }
    double sum = quad_spread(q, &s->room, z, count, s->dir);
    if (isnan(sum)) return 0.02 * s->at->scale;
    return sum / (double)count / (2 * (double)size);
}

/* A curvature to measure damping by: the mean eigenvalue, or where the components do not bend at x (hinges, sigmoids at
 * 0) a little of what they must bend somewhere, steep^2/scale. */
double inq_unit(const inq *s)
{
    double least = 0.01 * s->at->steep * s->at->steep / s->at->scale;
    return fmax(s->at->bend, least) / (double)s->base.d + s->at->mu;
}

/* Candidate k, found from a point start near it. */
static void offer(inq *s, size_t k, double damping, const double *start)
{
    method *m = &s->base;
    double *z = s->cand + k * m->d, *pulled = s->work, more = 0;
    candidate *c = &s->offer[k];
    vec_copy(m->d, start, z);
    quad q = inq_quad(s, damping);
    for (size_t j = 0; j < m->d; j++) pulled[j] = s->g[j] + s->at->centred * (m->x[j] - s->centre[j]);
    q.g = pulled;
    quad_solve(&q, &s->room, (quad_effort){20, 1e-9 * s->at->scale, 1e-6}, z);
    q.g = s->g;
    *c = (candidate){.damping = damping, .falls = quad_decrease(&q, &s->room, z)};
    c->spread = spread_of(s, &q, z);
    for (size_t j = 0; j < m->d; j++) more += (s->fresh_g[j] - s->g[j]) * (z[j] - m->x[j]);
    double left = 1 - (double)s->at->filled / (double)m->n;
    c->expect = -c->falls + (s->at->rounds ? 0 : more + 2 * c->spread * left);
}

/* Candidates from the most damped on, each found from the one before, until two in a row promise less than the best. */
static void offer_line(inq *s)
{
    static const double grid[CANDIDATES] = {100, 10, 2, 0.4, 0.1, 1e-2, 1e-3, 1e-5};
    struct progress *at = s->at;
    double unit = inq_unit(s) * pow(300, (double)at->boosts);
    at->first = at->offers = 0;
    for (size_t k = 0; k < CANDIDATES && k <= at->first + 2; k++) {
        offer(s, k, grid[k] * unit, k ? s->cand + (k - 1) * s->base.d : s->base.x);
        if (s->offer[k].expect < s->offer[at->first].expect) at->first = k;
        at->offers++;
    }
}

/* Towards the same damped minimizer; two more careful candidates are found when they are asked for. */
static void offer_again(inq *s)
{
    double unit = inq_unit(s), kept = s->at->centred;
    s->at->offers = 3;
    s->at->first = 2;
    s->offer[0] = (candidate){.damping = fmax(1e3 * kept, 10 * unit), .expect = NAN};
    s->offer[1] = (candidate){.damping = fmax(30 * kept, 0.1 * unit), .expect = NAN};
    offer(s, 2, kept, s->base.x);
}

void inq_offer(inq *s)
{
    if (s->at->rounds == 0 || s->at->secants)
        offer_line(s);
    else
        offer_again(s);
    s->at->pick = s->at->best = s->at->first;
    s->at->way = 0;
}

void inq_take_up(inq *s, size_t k)
{
    s->at->pick = k;
    if (!isnan(s->offer[k].expect)) return;
    inq_model(s);
    offer(s, k, s->offer[k].damping, s->base.x);
}

void inq_offer_full(inq *s)
{
    method *m = &s->base;
    if (isnan(s->at->damping)) s->at->damping = 1e-2 * inq_unit(s);
    quad q = inq_quad(s, s->at->damping);
    vec_copy(m->d, m->x, s->cand);
    quad_solve(&q, &s->room, (quad_effort){3000, 1e-21 * s->at->scale, 1e-6}, s->cand);
    s->offer[0] = (candidate){.damping = s->at->damping, .falls = quad_decrease(&q, &s->room, s->cand)};
    s->at->pick = 0;
}

/* How far off the gradient may be where components were not asked in full at x: as much as those were that have been. */
static double stale_error(const inq *s)
{
    const struct progress *at = s->at;
    if (!at->secants || !(at->missed_count > 0)) return 0;
    double unasked = 0, count = at->missed_count, mean = vec_norm(s->base.d, s->missed) / count;
    for (size_t i = 0; i < s->base.n; i++) unasked += s->spans[i].full != (double)at->points;
    return unasked / (double)s->base.n * (mean + sqrt(at->missed_square) / count);
}

/* |x - prox(x - g)|, and what the sample cannot know of it. */
void inq_residual(inq *s)
{
    method *m = &s->base;
    double r = prox_residual(m, m->x, 1, s->g, s->work), left = 1 - (double)s->at->filled / (double)m->n;
    double second = 0, old = stale_error(s);
    if (s->at->secants && left > 0) r = NAN; /* stale gradients of a sample say too little */
    for (uint64_t k = 0; k < s->at->filled && left > 0; k++)
        second += s->slope[s->order[k]] * s->slope[s->order[k]];
    m->residual = sqrt(r * r + old * old + left * second / (double)s->at->filled / (double)s->at->filled);
}
