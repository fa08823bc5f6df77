/* Answers for losses of one margin, loss(z'x, y): products, then losses along lines.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "problem/model_job.h"

static void products(const job *j, piece *p, size_t nbase, const group *g)
{
    const zo_data *z = j->model->data;
    (z->row ? j->table->sparse : j->table->dense)(z, p, nbase, j->fan->base, g);
}

static size_t group_count(const job *j) { return (j->fan->ndir + GROUP - 1) / GROUP; }

/* ---- Axes: z'e_j is an entry of the row, and 0 for most of them --------------------------------- */

/* Walks the entries of a row that lie on the axes asked for, a strip at a time. */
typedef struct walk {
    uint64_t at, end;
    uint32_t chain;       /* sparse, a list: places left for the column at hand */
    size_t count;         /* of the strip */
    const double *t;      /* z'e_j */
    const uint32_t *slot; /* place of the axis; NULL: they follow each other from first */
    size_t first;
} walk;

static walk walk_start(const job *j, uint64_t i)
{
    const zo_data *z = j->model->data;
    return z->row ? (walk){.at = z->row[i], .end = z->row[i + 1]} : (walk){.end = j->fan->naxis};
}

static void walk_sparse_list(const job *j, piece *p, walk *w)
{
    const zo_data *z = j->model->data;
    w->count = 0;
    w->t = p->strip;
    w->slot = p->slot;
    for (; w->at < w->end; w->at++) {
        if (!w->chain) w->chain = j->head[z->col[w->at]];
        for (; w->chain; w->chain = j->next[w->chain - 1]) {
            if (w->count == STRIP) return;
            p->strip[w->count] = z->val[w->at];
            p->slot[w->count++] = w->chain - 1;
        }
    }
}

static int walk_on(const job *j, piece *p, uint64_t i, walk *w)
{
    const zo_data *z = j->model->data;
    if (j->head) {
        walk_sparse_list(j, p, w);
        return w->count > 0;
    }
    w->count = w->end - w->at < STRIP ? (size_t)(w->end - w->at) : STRIP;
    if (z->row) {
        w->t = z->val + w->at;
        w->slot = z->col + w->at;
    } else {
        const double *row = z->dense + i * z->features;
        w->first = w->at;
        w->t = j->fan->axis ? p->strip : row + w->at;
        for (size_t k = 0; j->fan->axis && k < w->count; k++) p->strip[k] = row[j->fan->axis[w->at + k]];
    }
    w->at += w->count;
    return w->count > 0;
}

/* to = (v - f) + from at the places of the strip: from is to itself where sums grow, or what each entry adds. */
static void scatter(const walk *w, size_t sides, const double *v, double f, const double *from, double *to)
{
    if (w->slot)
        for (size_t k = 0; k < w->count; k++) to[w->slot[k] * sides] = (v[k] - f) + from[w->slot[k] * sides];
    else
        for (size_t k = w->first * sides, e = 0; e < w->count; e++, k += sides) to[k] = (v[e] - f) + from[k];
}

/* Entry i's differences from f along the axes at base b: naxis places in from and to, sides numbers each. */
static void along_axes(const job *j, piece *p, size_t i, size_t b, const walk *w, const double *from,
                       double *to)
{
    size_t sides = (size_t)j->fan->sides;
    double f = j->fan->each && j->fan->known ? 0 : p->f[b][i];
    for (size_t s = 0; s < sides; s++) {
        j->table->along(j->model->loss, p->m[b][i], p->y[i], side_radius(j, s), w->count, w->t, p->v);
        scatter(w, sides, p->v, f, from + s, to + s);
    }
}

/* ---- Means -------------------------------------------------------------------------------------- */

static void linear_sums(const job *j, piece *p, int who, double *leaf)
{
    (void)who;
    const zo_fan *fan = j->fan;
    zo_loss loss = j->model->loss;
    size_t sides = (size_t)fan->sides, groups = group_count(j);
    for (size_t k = 0; k < (groups ? groups : 1); k++) {
        group g = job_group(j, k, 0);
        products(j, p, k ? 0 : fan->nbase, &g);
        for (size_t b = 0; b < fan->nbase; b++) {
            if (k == 0) leaf[b * j->per] += j->table->base_sum(loss, p, b);
            double *to = leaf + b * j->per + 1 + (fan->naxis + k * GROUP) * sides, part[GROUP];
            for (size_t s = 0; s < sides && g.count; s++) {
                j->table->sums(loss, p, b, side_radius(j, s), part);
                for (size_t l = 0; l < g.count; l++) to[l * sides + s] += part[l];
            }
        }
    }
    if (!fan->naxis) return;
    for (size_t b = 0; b < fan->nbase; b++) j->table->at(loss, p, b);
    for (size_t i = 0; i < p->count; i++)
        for (walk w = walk_start(j, p->row[i]); walk_on(j, p, p->row[i], &w);)
            for (size_t b = 0; b < fan->nbase; b++) {
                double *to = leaf + b * j->per + 1;
                along_axes(j, p, i, b, &w, to, to);
            }
}

/* ---- One set for each entry --------------------------------------------------------------------- */

/* The axes of an entry: what is the same for all axes first, then the entries of its row. */
static void each_axes(const job *j, piece *p, size_t i)
{
    const zo_fan *fan = j->fan;
    size_t count = fan->naxis * (size_t)fan->sides;
    for (size_t b = 0; b < fan->nbase; b++) {
        double *to = each_out(j, p->first + i, b) + !fan->known, f = fan->known ? p->f[b][i] : 0;
        for (size_t k = 0; k < count; k++) to[k] = j->add[b * j->per + 1 + k] + f;
    }
    for (walk w = walk_start(j, p->row[i]); walk_on(j, p, p->row[i], &w);)
        for (size_t b = 0; b < fan->nbase; b++)
            along_axes(j, p, i, b, &w, j->add + b * j->per + 1, each_out(j, p->first + i, b) + !fan->known);
}

static void each_group(const job *j, piece *p, size_t i, const group *g, size_t k)
{
    const zo_fan *fan = j->fan;
    size_t sides = (size_t)fan->sides, place = (fan->naxis + k * GROUP) * sides;
    double dot[GROUP][3];
    int own_ridge = fan->own && j->model->l2 != 0;
    for (size_t l = 0; l < g->count && own_ridge; l++)
        j->table->dots(fan->d, g->dir + i * g->step + l * fan->d, fan->nbase, fan->base, dot[l]);
    for (size_t b = 0; b < fan->nbase; b++) {
        double *to = each_out(j, p->first + i, b) + !fan->known + place, f = fan->known ? 0 : p->f[b][i];
        const double *add = j->add + b * j->per + 1 + place;
        for (size_t s = 0; s < sides; s++) {
            double r = side_radius(j, s);
            j->table->along(j->model->loss, p->m[b][i], p->y[i], r, g->count, p->t + i * p->width, p->v);
            for (size_t l = 0; l < g->count; l++)
                to[l * sides + s] =
                    (p->v[l] - f) + (own_ridge ? ridge_own(j, b, r, dot[l]) : add[l * sides + s]);
        }
    }
}

static void linear_each(const job *j, piece *p, int who)
{
    (void)who;
    const zo_fan *fan = j->fan;
    size_t groups = group_count(j);
    for (size_t k = 0; k < (groups ? groups : 1); k++) {
        group g = job_group(j, k, p->first);
        products(j, p, k ? 0 : fan->nbase, &g);
        for (size_t b = 0; b < fan->nbase && k == 0; b++) {
            j->table->at(j->model->loss, p, b);
            for (size_t i = 0; i < p->count && !fan->known; i++)
                *each_out(j, p->first + i, b) = p->f[b][i] + j->add[b * j->per];
        }
        for (size_t i = 0; i < p->count && g.count; i++) each_group(j, p, i, &g, k);
    }
    for (size_t i = 0; i < p->count && fan->naxis; i++) each_axes(j, p, i);
}

const family linear_family = {linear_sums, linear_each};
