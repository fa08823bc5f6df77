/* The fence where every question stays within a set that is more than a box (setting inside).
 * SPDX-License-Identifier: MIT
 *
 * f need not be there outside of the affine hull of the set either: methods minimize f(P x), P the nearest point of the hull,
 * which is f on the set and as smooth. So displacements p lose what leaves the hull, and prox does not mind. Then, where
 * x + p is outside,
 *
 *   x - p (and x - 2p) may be inside: the difference turns round;
 *   or differences are taken around another base: y with y + p inside, near x (region_inwards). For slopes D_x(p) is
 *       D_y(p). Where curvature matters y has y + 2p inside, z = (x + y)/2, and D_x(p) = 2 D_z(p) - D_y(p), exact for parabolas:
 *       z + p is half-way between x and y + 2p.
 *
 * The points of a question that has one radius share y: that is one value more, or two. */
#include <math.h>

#include "base/vec.h"
#include "problem/gather.h"
#include "problem/problem.h"
#include "prox/prox.h"
#include "solve/fence_parts.h"

static const double flat = 1e-9;        /* of p: nothing of it is left */
static const double most_stretch = 100; /* of a parabola */
static const double no_room = 1e-9;     /* of p: f does not change along it */

/* One group of points: those of a question, or of one of its entries. */
typedef struct group {
    fence *f;
    size_t entry;
    double *rows; /* where they are put, or NULL: they are only counted */
    size_t count;
    size_t here[2]; /* where the bases z and y were put; SIZE_MAX: not yet */
    double scale;
    double *y, *p, *q; /* d each */
} group;

static size_t group_points(const zo_fan *of) { return zo_fan_set(of) / of->nbase - !of->known; }

static int is_shared(const zo_fan *of) { return !of->radii && of->radius != 1; }

static double reach_of(size_t d, const double *p)
{
    double most = 0;
    for (size_t j = 0; j < d; j++) most = fmax(most, fabs(p[j]));
    return most;
}

/* p = the point-th displacement, within the hull; its kind: */
enum { STILL, STRAIGHT, TURNED, AROUND };

static int is_in(group *g, double t)
{
    fence *f = g->f;
    for (size_t j = 0; j < f->box.d; j++) g->q[j] = f->of.base[0][j] + t * g->p[j];
    return region_has(f->region, g->q);
}

static int look_at(group *g, size_t point, int *fine)
{
    fence *f = g->f;
    size_t d = f->box.d;
    fence_displacement(f, g->entry, point + !f->of.known, g->p);
    double before = reach_of(d, g->p);
    *fine = fence_is_fine(f, f->of.base[0], before);
    region_flatten(f->region, g->p);
    if (!(reach_of(d, g->p) > flat * before)) return STILL;
    if (is_in(g, 1)) return STRAIGHT;
    return is_in(g, -1) && (*fine || is_in(g, -2)) ? TURNED : AROUND;
}

/* row = base + t p, base being (y - x) part; returns its place. */
static size_t put(group *g, double part, double t)
{
    const fence *f = g->f;
    const double *x = f->of.base[0];
    if (g->rows) {
        double *row = g->rows + g->count * f->box.d;
        for (size_t j = 0; j < f->box.d; j++) {
            double step = (part != 0 ? part * (g->y[j] - x[j]) : 0) + (t != 0 ? t * g->p[j] : 0);
            row[j] = prox_step(x[j], step, f->box.lo[j], f->box.hi[j]);
        }
    }
    return g->count++;
}

static void add(mix *m, double c, size_t at)
{
    m->c[m->count] = c;
    m->at[m->count++] = at;
}

/* D(p) by what y or z has: weights w at t p, and -sum w at the base itself. */
static void put_around(group *g, mix *m, int fine)
{
    double s = g->scale, t[2] = {s, s}, w[2] = {1 / s, 0}, part[2] = {1, 0.5}, v[2] = {1, 0};
    if (!fine) v[0] = -1, v[1] = 2;
    if (!fine && s < 1 && s * most_stretch >= 1) { /* the parabola through 0, s/2 and s */
        double u = 2 / s;
        t[0] = 0.5 * s;
        w[0] = u * (2 - u), w[1] = 0.5 * u * (u - 1);
    }
    m->base = 1;
    for (size_t b = 0; b < 2; b++) {
        if (v[b] == 0) continue;
        if (g->here[b] == SIZE_MAX) g->here[b] = put(g, part[b], 0);
        add(m, -v[b] * (w[0] + w[1]), g->here[b]);
        for (size_t k = 0; k < 2; k++)
            if (w[k] != 0) add(m, v[b] * w[k], put(g, part[b], t[k]));
    }
}

static void find_base(group *g)
{
    g->scale = region_inwards(g->f->region, g->f->of.base[0], g->y);
    g->here[0] = g->here[1] = SIZE_MAX;
}

/* One y for all that need it. */
static void find_shared(group *g, size_t points)
{
    region_clear(g->f->region);
    for (size_t k = 0; k < points; k++) {
        int fine;
        if (look_at(g, k, &fine) == AROUND) region_reach(g->f->region, g->p, fine ? 1 : 2);
    }
    find_base(g);
}

/* Where the points of a group are asked, and what of; returns how many evaluations they take. */
static size_t put_group(group *g, mix *to)
{
    size_t points = group_points(&g->f->of);
    int shared = is_shared(&g->f->of);
    g->count = 0;
    if (shared) find_shared(g, points);
    for (size_t k = 0; k < points; k++) {
        mix *m = &to[k];
        int fine, kind = look_at(g, k, &fine);
        *m = (mix){.base = 0};
        if (kind == AROUND && !shared) {
            region_clear(g->f->region);
            region_reach(g->f->region, g->p, fine ? 1 : 2);
            find_base(g);
        }
        if (kind == AROUND && !(g->scale > no_room)) kind = STILL;
        switch (kind) {
        case STILL: m->base = 1; break;
        case STRAIGHT: add(m, 1, put(g, 0, 1)); break;
        case TURNED:
            m->base = fine ? 2 : 3;
            add(m, fine ? -1 : -3, put(g, 0, -1));
            if (!fine) add(m, 1, put(g, 0, -2));
            break;
        default: put_around(g, m, fine);
        }
    }
    return g->count;
}

static group group_of(fence *f, size_t entry, double *rows)
{
    size_t d = f->box.d;
    return (group){.f = f,
                   .entry = entry,
                   .rows = rows,
                   .y = f->spare,
                   .p = f->spare + d,
                   .q = f->spare + 2 * d};
}

/* 1: the question can go out as it is. */
static int all_straight(fence *f)
{
    group g = group_of(f, 0, NULL);
    size_t d = f->box.d, points = group_points(&f->of);
    const double *first = f->of.base[0];
    int straight = 1;
    for (size_t b = 0; b < f->of.nbase && straight; b++) {
        f->of.base[0] = b ? f->of.base[1] : first;
        for (size_t k = 0; k < points && straight; k++) {
            int fine, kind = look_at(&g, k, &fine);
            fence_displacement(f, 0, k + !f->of.known, g.q);
            straight = kind == STRAIGHT && vec_distance(d, g.p, g.q) <= flat * vec_norm(d, g.q);
        }
    }
    f->of.base[0] = first;
    return straight;
}

double mix_of(const mix *m, const double *a, double base)
{
    double sum = m->base != 0 ? m->base * base : 0;
    for (size_t e = 0; e < m->count; e++) sum += m->c[e] * a[m->at[e]];
    return sum;
}

/* ---- A question over all components alike ---------------------------------------------------------- */

/* Bases go inwards, directions into the hull. */
static int move_into(fence *f)
{
    const zo_fan *of = &f->of;
    size_t d = f->box.d, count = of->naxis + of->ndir;
    if (!gather_room((void **)&f->rows, &f->nrows, count * d, sizeof *f->rows)) return 0;
    region_clear(f->region);
    for (size_t k = 0; k < count; k++) {
        double *row = f->rows + k * d, r = fan_reach(of, k, 0);
        vec_zero(d, row);
        if (k < of->naxis)
            row[fence_axis(of, k)] = 1;
        else
            vec_copy(d, of->dir + (k - of->naxis) * d, row);
        region_flatten(f->region, row);
        region_reach(f->region, row, r);
        if (of->sides == 2) region_reach(f->region, row, -r);
    }
    for (size_t b = 0; b < of->nbase; b++) {
        f->shrunk = region_inwards(f->region, of->base[b], f->spare);
        vec_copy(d, f->spare, f->base + b * d);
        f->fan.base[b] = f->base + b * d;
    }
    if (!(f->shrunk > no_room)) f->shrunk = 1;
    f->how = MOVED;
    f->fan.radius *= f->shrunk;
    f->fan.naxis = 0;
    f->fan.axis = NULL;
    f->fan.ndir = count;
    f->fan.dir = f->rows;
    return 1;
}

static int list_into(fence *f)
{
    const zo_fan *of = &f->of;
    size_t d = f->box.d, points = group_points(of), wants = 0;
    if (!gather_room((void **)&f->mixes, &f->nmixes, points, sizeof *f->mixes)) return 0;
    group g = group_of(f, 0, NULL);
    size_t count = put_group(&g, f->mixes);
    for (size_t k = 0; k < points; k++)
        wants |= of->known && f->mixes[k].base != 0 && isnan(f->value);
    if (of->known && count == 0) wants = 1; /* something is asked */
    if (!gather_room((void **)&f->rows, &f->nrows, (count + wants) * d, sizeof *f->rows)) return 0;
    g.rows = f->rows;
    put_group(&g, f->mixes);
    f->zero = wants ? count : SIZE_MAX;
    if (wants) vec_zero(d, f->rows + count * d);
    f->how = LISTED;
    f->fan.base[0] = of->base[0];
    f->fan.sides = 1;
    f->fan.naxis = 0;
    f->fan.axis = NULL;
    f->fan.radii = NULL;
    f->fan.radius = 1;
    f->fan.ndir = count + wants;
    f->fan.dir = f->rows;
    return 1;
}

int fence_into(fence *f, int may_move)
{
    if (f->of.own || all_straight(f)) return 1;
    return may_move ? move_into(f) : list_into(f);
}

/* ---- Entries with directions of their own ----------------------------------------------------------- */

size_t fence_entry_into(fence *f, size_t entry, double *rows, int *wants, int *changed)
{
    size_t points = group_points(&f->of);
    mix *to = f->mixes + entry * points;
    group g = group_of(f, entry, rows);
    size_t count = put_group(&g, to);
    *wants = 0;
    for (size_t k = 0; k < points; k++) {
        *wants |= to[k].base != 0;
        *changed |= to[k].base != 0 || to[k].count != 1;
    }
    for (size_t k = 0; k < points && !*changed; k++) {
        int fine;
        look_at(&g, k, &fine);
        fence_displacement(f, entry, k + !f->of.known, g.q);
        *changed = vec_distance(f->box.d, g.p, g.q) > flat * vec_norm(f->box.d, g.q);
    }
    return count;
}
