/* A region's pieces of linear rows: {x : a'x = b or a'x <= b, lo <= x <= hi}.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "prox/project.h"
#include "prox/region_parts.h"

static const double tight = 1e-9;      /* of a row's size: it holds with equality */
static const double dependent = 1e-10; /* of a row: it is a sum of others */
static const double roomy = 0.5;       /* of the deep point's room is used */
static const double margin = 1e-9;     /* more than what is reached: rounding */
enum { MOST_DEPTHS = 60 };             /* halvings of a guess of the depth */

int rows_room(piece *p, size_t m)
{
    size_t n = p->count, most = m + 2 * n;
    p->m = m;
    p->a = mem_new(m * n, sizeof *p->a);
    double **each[] = {&p->b, &p->norm, &p->size, &p->towards};
    for (size_t k = 0; k < sizeof each / sizeof *each; k++)
        if (!(*each[k] = mem_new(m, sizeof **each[k]))) return 0;
    p->equal = mem_new(m, sizeof *p->equal);
    p->deep = mem_new(n, sizeof *p->deep);
    p->low = mem_new(n, sizeof *p->low);
    p->top = mem_new(n, sizeof *p->top);
    p->normal = mem_new(n * (most < n ? most : n), sizeof *p->normal);
    p->work = mem_new(3 * n + project_work(n, m), sizeof *p->work);
    return p->a && p->equal && p->deep && p->low && p->top && p->normal && p->work;
}

void rows_free(piece *p)
{
    void *all[] = {p->a,    p->b,   p->norm, p->size,   p->equal, p->towards,
                   p->deep, p->low, p->top,  p->normal, p->work};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
}

static const double *row_at(const piece *p, size_t k) { return p->a + k * p->count; }

static double slack_of(const piece *p, size_t k, const double *x)
{
    return p->b[k] - vec_dot(p->count, row_at(p, k), x);
}

static double size_of(const piece *p, size_t k, const double *x)
{
    return p->norm[k] * vec_norm(p->count, x) + p->size[k];
}

int rows_have(const piece *p, const double *x)
{
    double length = vec_norm(p->count, x);
    for (size_t k = 0; k < p->m; k++) {
        double slack = slack_of(p, k, x), may = linear_slack * (p->norm[k] * length + p->size[k]);
        if (!(p->equal[k] ? fabs(slack) <= may : slack >= -may)) return 0;
    }
    return 1;
}

/* ---- The nearest point ---------------------------------------------------------------------------- */

static linear_row smaller_row(const void *ctx, size_t k)
{
    const piece *p = ctx;
    double less = p->equal[k] ? 0 : p->shrink * p->towards[k] * (1 + margin);
    return (linear_row){row_at(p, k), p->b[k] - less, p->equal[k]};
}

static int nearest(piece *p, const double *x, double *y)
{
    linear_set s = {p->count, p->m, smaller_row, p, p->low, p->top};
    return project(&s, x, y, p->work + 3 * p->count);
}

double region_margin(double reach, double lo, double hi)
{
    double largest = fmax(isfinite(lo) ? fabs(lo) : 0, isfinite(hi) ? fabs(hi) : 0);
    return reach > 0 ? reach * (1 + margin) + 0x1p-49 * largest : 0;
}

int rows_nearest(piece *p, const double *lo, const double *hi, const double *up, const double *down,
                 double s, const double *x, double *y)
{
    for (size_t j = 0; j < p->count; j++) {
        p->low[j] = lo[j] + region_margin(s * down[j], lo[j], hi[j]);
        p->top[j] = hi[j] - region_margin(s * up[j], lo[j], hi[j]);
    }
    p->shrink = s;
    return nearest(p, x, y);
}

double rows_scale(const piece *p, const double *lo, const double *hi, const double *up,
                  const double *down)
{
    double s = 1;
    for (size_t k = 0; k < p->m; k++)
        if (!p->equal[k] && p->towards[k] > 0)
            s = fmin(s, roomy * slack_of(p, k, p->deep) / p->towards[k]);
    for (size_t j = 0; j < p->count; j++) {
        if (up[j] > 0) s = fmin(s, roomy * (hi[j] - p->deep[j]) / up[j]);
        if (down[j] > 0) s = fmin(s, roomy * (p->deep[j] - lo[j]) / down[j]);
    }
    return fmax(s, 0);
}

/* ---- The affine hull ------------------------------------------------------------------------------ */

/* One more normal: what of a is not in those that are there. */
static void add_normal(piece *p, const double *a, double norm)
{
    size_t n = p->count;
    if (p->nnormal == n || !(norm > 0)) return;
    double *to = p->normal + p->nnormal * n;
    vec_copy(n, a, to);
    for (int twice = 0; twice < 2; twice++)
        for (size_t k = 0; k < p->nnormal; k++) {
            const double *u = p->normal + k * n;
            vec_add(n, -vec_dot(n, u, to), u, to);
        }
    double left = vec_norm(n, to);
    if (!(left > dependent * norm)) return;
    vec_scale(n, 1 / left, to);
    p->nnormal++;
}

/* Is there a point of the set with a'x below b by more than rounding? deep moves half-way there. */
static int has_room(piece *p, const double *a, double norm, double slack, double size)
{
    size_t n = p->count;
    double *v = p->work, *y = v + n, far = 1 + vec_norm(n, p->deep);
    if (slack > tight * size) return 1;
    vec_step(n, p->deep, far / norm, a, v);
    if (!nearest(p, v, y)) return 1;
    double more = slack + vec_dot(n, a, p->deep) - vec_dot(n, a, y);
    if (!(more > tight * size)) return 0;
    for (size_t j = 0; j < n; j++) p->deep[j] = 0.5 * (p->deep[j] + y[j]);
    return 1;
}

/* Inequalities that hold with equality everywhere are equations; equations are the normals. */
static void find_flat_rows(piece *p)
{
    for (size_t k = 0; k < p->m; k++) {
        const double *a = row_at(p, k);
        if (!p->equal[k] && p->norm[k] > 0 &&
            !has_room(p, a, p->norm[k], slack_of(p, k, p->deep), size_of(p, k, p->deep)))
            p->equal[k] = 1;
        if (p->equal[k]) add_normal(p, a, p->norm[k]);
    }
}

/* The same for bounds. */
static void find_flat_bounds(piece *p, const double *lo, const double *hi)
{
    size_t n = p->count;
    double *e = p->work + 2 * n;
    for (size_t k = 0; k < 2 * n; k++) {
        size_t j = k / 2;
        double bound = k % 2 ? hi[j] : lo[j], sign = k % 2 ? 1 : -1;
        if (!isfinite(bound)) continue;
        vec_zero(n, e);
        e[j] = sign;
        if (!has_room(p, e, 1, sign * (bound - p->deep[j]), fabs(bound) + fabs(p->deep[j])))
            add_normal(p, e, 1);
    }
}

/* Length of what of a lies in the hull: |a|^2 less its parts along normals. */
static double in_hull(const piece *p, const double *a, double norm)
{
    double left = norm * norm;
    for (size_t k = 0; k < p->nnormal; k++) {
        double part = vec_dot(p->count, p->normal + k * p->count, a);
        left -= part * part;
    }
    return left > dependent * norm * norm ? sqrt(left) : 0;
}

/* deep becomes a point with room for a ball (of the hull) of half the largest radius, or as large as it is far from 0. */
static void find_depth(piece *p, const double *lo, const double *hi)
{
    size_t n = p->count;
    double *y = p->work + n, *free = p->work, depth = 1 + vec_norm(n, p->deep);
    for (size_t k = 0; k < p->m; k++)
        p->towards[k] = p->equal[k] ? 0 : in_hull(p, row_at(p, k), p->norm[k]);
    for (size_t j = 0; j < n; j++) {
        double *e = p->work + 2 * n;
        vec_zero(n, e);
        e[j] = 1;
        free[j] = in_hull(p, e, 1);
    }
    for (int k = 0; k < MOST_DEPTHS; k++, depth *= 0.5) {
        int open = 1;
        p->shrink = depth;
        for (size_t j = 0; j < n; j++) {
            p->low[j] = lo[j] + depth * free[j];
            p->top[j] = hi[j] - depth * free[j];
            open = open && p->low[j] <= p->top[j];
        }
        if (!open || !nearest(p, p->deep, y)) continue;
        vec_copy(n, y, p->deep);
        break;
    }
    memset(p->towards, 0, p->m * sizeof *p->towards);
}

int rows_settle(piece *p, const double *lo, const double *hi)
{
    size_t n = p->count;
    for (size_t k = 0; k < p->m; k++) p->norm[k] = vec_norm(n, row_at(p, k));
    vec_copy(n, lo, p->low);
    vec_copy(n, hi, p->top);
    p->shrink = 0;
    vec_zero(n, p->work);
    if (!nearest(p, p->work, p->deep)) return 0;
    find_flat_rows(p);
    find_flat_bounds(p, lo, hi);
    find_depth(p, lo, hi);
    return 1;
}
