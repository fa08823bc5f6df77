/* Answers for losses of one margin, loss(z'x, y): products, then losses along lines.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "problem/loss/model_job.h"

/* The margins at the base, if earlier fans left those of the whole piece. A component may be on the list twice, and be at two
 * threads: each writes the same number. */
static int recall_margins(const job *j, piece *p)
{
    int all = j->margin != NULL;
    for (size_t i = 0; i < p->count && all; i++) {
        __atomic_load(j->margin + p->row[i], &p->m[0][i], __ATOMIC_RELAXED);
        all = !isnan(p->m[0][i]);
    }
    return all;
}

/* p->t = z'u for the k-th group; where directions have radii of their own, radius times z'u. */
static void products(const job *j, piece *p, size_t k, const group *g)
{
    const zo_data *z = j->model->data;
    const zo_fan *fan = j->fan;
    int margins = k == 0 && !recall_margins(j, p);
    (z->row ? j->table->sparse : j->table->dense)(z, p, margins ? fan->nbase : 0, fan->base, g);
    for (size_t i = 0; i < p->count && margins && j->margin; i++)
        __atomic_store(j->margin + p->row[i], &p->m[0][i], __ATOMIC_RELAXED);
    if (!fan->radii) return;
    const double *r = fan->radii + fan->naxis + k * GROUP;
    for (size_t i = 0; i < p->count; i++)
        for (size_t l = 0; l < g->count; l++) p->t[i * p->width + l] *= r[l];
}

static size_t group_count(const job *j)
{
    size_t groups = (j->fan->ndir + GROUP - 1) / GROUP;
    return groups ? groups : 1; /* an empty one brings the margins of the bases */
}

static void losses_at_bases(const job *j, piece *p)
{
    for (size_t b = 0; b < j->fan->nbase; b++)
        j->table->losses(j->model->loss, p->count, p->m[b], p->y, p->f[b]);
}

/* ---- Axes: z'e_j is an entry of the row, and 0 for most of them --------------------------------- */

/* Where the differences of an entry at a base go: to = difference + from at each place. */
typedef struct target {
    const double *from;
    double *to;
} target;

static target axes_target(const job *j, const piece *p, size_t i, size_t b, double *leaves)
{
    double *leaf = leaves ? leaves + p->run[i] * j->m + b * j->per + 1 : NULL;
    if (leaf) return (target){leaf, leaf};
    return (target){j->add + b * j->per + 1, each_out(j, p->first + i, b) + !j->fan->known};
}

static void scatter(const stretch *part, size_t sides, const double *v, double f, target at)
{
    if (part->slot)
        for (size_t k = 0; k < part->count; k++) {
            size_t place = part->slot[k] * sides;
            at.to[place] = (v[k] - f) + at.from[place];
        }
    else
        for (size_t k = 0, place = part->first * sides; k < part->count; k++, place += sides)
            at.to[place] = (v[k] - f) + at.from[place];
}

/* The margins m + r z_j of a stretch, and as many targets. */
static void margins_along(const job *j, const piece *p, const stretch *w, size_t b, size_t s,
                          double *v, double *y)
{
    double m = p->m[b][w->entry], at = p->y[w->entry];
    if (!j->fan->radii) {
        j->table->line(m, at, side_radius(j, s), w->count, w->t, v, y);
        return;
    }
    for (size_t k = 0; k < w->count; k++) {
        size_t place = w->slot ? w->slot[k] : w->first + k;
        v[k] = m + fan_reach(j->fan, place, s) * w->t[k];
        y[k] = at;
    }
}

/* Asks what has been collected, at every base and side. */
static void flush(const job *j, piece *p, double *leaves)
{
    const zo_fan *fan = j->fan;
    size_t sides = (size_t)fan->sides;
    for (size_t b = 0; b < fan->nbase; b++)
        for (size_t s = 0; s < sides; s++) {
            double *v = p->point, *y = p->target;
            for (const stretch *w = p->part; w < p->part + p->parts;
                 v += w->count, y += w->count, w++)
                margins_along(j, p, w, b, s, v, y);
            v = p->point;
            j->table->losses(j->model->loss, p->filled, v, p->target, v);
            for (const stretch *w = p->part; w < p->part + p->parts; v += w->count, w++) {
                double f = fan->each && fan->known ? 0 : p->f[b][w->entry];
                target at = axes_target(j, p, w->entry, b, leaves);
                scatter(w, sides, v, f, (target){at.from + s, at.to + s});
            }
        }
    p->parts = p->filled = 0;
}

static void collect(const job *j, piece *p, stretch part, double *leaves)
{
    while (part.count) {
        size_t space = FLAT - p->filled;
        stretch w = part;
        if (w.count > space) w.count = space;
        p->part[p->parts++] = w;
        p->filled += w.count;
        if (p->filled == FLAT || p->parts == PIECE) flush(j, p, leaves);
        part.count -= w.count;
        part.t += w.count;
        part.first += w.count;
        if (part.slot) part.slot += w.count;
    }
}

/* The entries of a sparse row that are on the list of axes. */
static void collect_listed(const job *j, piece *p, size_t i, double *leaves)
{
    const zo_data *z = j->model->data;
    uint64_t end = z->row[p->row[i] + 1];
    stretch w = {.entry = i, .t = p->strip + p->filled, .slot = p->slot + p->filled};
    for (uint64_t k = z->row[p->row[i]]; k < end; k++)
        for (uint32_t e = j->head[z->col[k]]; e; e = j->next[e - 1]) {
            size_t at = p->filled + w.count++;
            p->strip[at] = z->val[k];
            p->slot[at] = e - 1;
            if (at + 1 < FLAT) continue;
            collect(j, p, w, leaves); /* full: this empties it */
            w = (stretch){.entry = i, .t = p->strip, .slot = p->slot};
        }
    collect(j, p, w, leaves);
}

/* A list of axes, full rows: a strip of FLAT places at a time. */
static void collect_dense_listed(const job *j, piece *p, size_t i, double *leaves)
{
    const double *row = j->model->data->dense + p->row[i] * j->model->data->features;
    for (size_t from = 0, to; from < j->fan->naxis; from = to) {
        size_t space = FLAT - p->filled, left = j->fan->naxis - from;
        stretch w = {.entry = i,
                     .count = left < space ? left : space,
                     .t = p->strip + p->filled,
                     .first = from};
        to = from + w.count;
        for (size_t k = from; k < to; k++) p->strip[p->filled + k - from] = row[j->fan->axis[k]];
        collect(j, p, w, leaves);
    }
}

static void ask_axes(const job *j, piece *p, double *leaves)
{
    const zo_data *z = j->model->data;
    p->parts = p->filled = 0;
    for (size_t i = 0; i < p->count; i++) {
        uint64_t row = p->row[i];
        if (j->head) {
            collect_listed(j, p, i, leaves);
        } else if (z->row) {
            stretch w = {i, (size_t)(z->row[row + 1] - z->row[row]), z->val + z->row[row],
                         z->col + z->row[row], 0};
            collect(j, p, w, leaves);
        } else if (j->fan->axis) {
            collect_dense_listed(j, p, i, leaves);
        } else {
            stretch w = {.entry = i, .count = z->features, .t = z->dense + row * z->features};
            collect(j, p, w, leaves);
        }
    }
    flush(j, p, leaves);
}

/* ---- Means -------------------------------------------------------------------------------------- */

/* A block with many entries: sums without the single losses. */
static void thick_group(const job *j, piece *p, const group *g, size_t k, double *leaf)
{
    size_t sides = (size_t)j->fan->sides;
    double part[GROUP];
    for (size_t b = 0; b < j->fan->nbase; b++) {
        double *to = leaf + b * j->per + 1 + (j->fan->naxis + k * GROUP) * sides;
        if (k == 0) leaf[b * j->per] += j->table->base_sum(j->model->loss, p, b);
        for (size_t s = 0; s < sides && g->count; s++) {
            j->table->sums(j->model->loss, p, b, side_radius(j, s), part);
            for (size_t l = 0; l < g->count; l++) to[l * sides + s] += part[l];
        }
    }
}

/* Blocks with few entries: entry by entry. */
static void thin_group(const job *j, piece *p, const group *g, size_t k, double *leaves)
{
    size_t sides = (size_t)j->fan->sides;
    for (size_t b = 0; b < j->fan->nbase; b++) {
        double *to = leaves + b * j->per;
        for (size_t i = 0; i < p->count && k == 0; i++) to[p->run[i] * j->m] += p->f[b][i];
        for (size_t s = 0; s < sides && g->count; s++) {
            j->table->points(p, b, side_radius(j, s), g->count);
            j->table->losses(j->model->loss, p->count * g->count, p->point, p->target, p->point);
            const double *v = p->point;
            for (size_t i = 0; i < p->count; i++, v += g->count) {
                double *at = to + p->run[i] * j->m + 1 + (j->fan->naxis + k * GROUP) * sides + s;
                for (size_t l = 0; l < g->count; l++) at[l * sides] += v[l] - p->f[b][i];
            }
        }
    }
}

static void linear_sums(const job *j, piece *p, int who, double *leaves)
{
    (void)who;
    for (size_t k = 0; k < group_count(j); k++) {
        group g = job_group(j, k, 0);
        products(j, p, k, &g);
        if (k == 0 && (!p->thick || j->fan->naxis)) losses_at_bases(j, p);
        (p->thick ? thick_group : thin_group)(j, p, &g, k, leaves);
    }
    if (j->fan->naxis) ask_axes(j, p, leaves);
}

/* ---- One set for each entry --------------------------------------------------------------------- */

/* What is the same for every entry of a row or missing from it; the rest follows. */
static void each_base(const job *j, const piece *p, size_t i)
{
    const zo_fan *fan = j->fan;
    size_t count = fan->naxis * (size_t)fan->sides;
    for (size_t b = 0; b < fan->nbase; b++) {
        const double *add = j->add + b * j->per;
        double *to = each_out(j, p->first + i, b), f = fan->known ? p->f[b][i] : 0;
        if (!fan->known) *to++ = p->f[b][i] + add[0];
        for (size_t k = 0; k < count; k++) to[k] = add[1 + k] + f;
    }
}

/* Losses at one base and side, with the ridge, to out. Rows of their own: see own_ridge. */
static void each_side(const job *j, piece *p, const group *g, size_t k, size_t b, size_t s)
{
    const zo_fan *fan = j->fan;
    size_t sides = (size_t)fan->sides, place = (fan->naxis + k * GROUP) * sides + s;
    const double *add = j->add + b * j->per + 1 + place, *v = p->point;
    j->table->points(p, b, side_radius(j, s), g->count);
    j->table->losses(j->model->loss, p->count * g->count, p->point, p->target, p->point);
    for (size_t i = 0; i < p->count; i++, v += g->count) {
        double *to = each_out(j, p->first + i, b) + !fan->known + place,
               f = fan->known ? 0 : p->f[b][i];
        for (size_t l = 0; l < g->count; l++) to[l * sides] = (v[l] - f) + add[l * sides];
    }
}

/* The l-th direction of each entry has a norm of its own. */
static void own_ridge(const job *j, piece *p, const group *g, size_t k, size_t l)
{
    const zo_fan *fan = j->fan;
    size_t sides = (size_t)fan->sides, place = (fan->naxis + k * GROUP + l) * sides;
    for (size_t i = 0; i < p->count; i++) {
        const double *u = g->dir + i * g->step + l * fan->d;
        if (g->sparse && g->sparse[i].count)
            j->table->dots_listed(fan->d, &g->sparse[i], fan->nbase, fan->base, p->dot[i]);
        else
            j->table->dots(fan->d, 1, &u, fan->nbase, fan->base, p->dot + i);
    }
    for (size_t b = 0; b < fan->nbase; b++)
        for (size_t s = 0; s < sides; s++)
            for (size_t i = 0; i < p->count; i++)
                each_out(j, p->first + i, b)[!fan->known + place + s] +=
                    ridge_own(j, b, fan_reach(fan, fan->naxis + k * GROUP + l, s), p->dot[i]);
}

static void linear_each(const job *j, piece *p, int who)
{
    (void)who;
    const zo_fan *fan = j->fan;
    for (size_t k = 0; k < group_count(j); k++) {
        group g = job_group(j, k, p->first);
        products(j, p, k, &g);
        if (k == 0) losses_at_bases(j, p);
        for (size_t i = 0; i < p->count && k == 0; i++) each_base(j, p, i);
        for (size_t b = 0; b < fan->nbase && g.count; b++)
            for (size_t s = 0; s < (size_t)fan->sides; s++) each_side(j, p, &g, k, b, s);
        for (size_t l = 0; l < g.count && fan->own && j->model->l2 != 0; l++)
            own_ridge(j, p, &g, k, l);
    }
    if (fan->naxis) ask_axes(j, p, NULL);
}

const family linear_family = {linear_sums, linear_each};
