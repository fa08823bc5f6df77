/* thin: gradients of components, by splitting.
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>

#include "base/sort.h"
#include "base/vec.h"
#include "method/thin/thin.h"

enum {
    FAR = 10 /* the slope along the weights is asked again so many times as far */
};
static const double patience = 6; /* prices: then a component is given up */

/* Coordinates that were seen often are halved first. */
static void make_order(thin *t)
{
    if (t->made == t->found.ordered + 1) return;
    t->made = t->found.ordered + 1;
    vec_zero(t->base.d, t->full);
    for (uint64_t e = 0; e < t->begin[t->found.ordered]; e++) t->full[t->place[e]]++;
    splitter_order(t->splitter, t->full, (double)t->found.ordered, NULL);
    for (size_t k = 0; k < t->room; k++) t->from[k] = 0, t->to[k] = t->base.d; /* anything */
}

double thin_radius(const thin *t) { return FAR * t->probe.zoom * method_radius(&t->base, 1); }

void thin_ask_find(thin *t, zo_fan *fan)
{
    method *m = &t->base;
    size_t d = m->d, left = t->at.goal - t->found.cursor;
    thin_touched(t, 2);
    for (size_t j = 0; j < d; j++) {
        t->own[j] = t->splitter->weight[0][j];
        t->own[d + j] = FAR * t->own[j];
    }
    size_t most =
        left / 2 < t->room ? left / 2 : t->room; /* the others, when the price is known better */
    if (t->found.cursor == 0 || most < FIRST_TRIED) most = FIRST_TRIED;
    fan->comp = t->list + t->found.cursor;
    fan->ncomp = left < most ? left : most;
    fan->dir = t->own;
    fan->ndir = 2;
    fan->radius = thin_radius(t);
}

void thin_ask_split(thin *t, zo_fan *fan)
{
    size_t d = t->base.d, count = t->found.opened;
    make_order(t);
    lists_begin(t->splitter->lists);
    for (size_t k = 0; k < count; k++) {
        const split_case *c = thin_case(t, k);
        split_clear(t->splitter, t->from[k], t->to[k], t->own + k * d);
        t->from[k] = (size_t)c->from, t->to[k] = (size_t)c->to;
        split_row(c, t->splitter, 1, t->own + k * d);
        t->sparse[k] = split_list(c, t->splitter);
    }
    fan->comp = t->open;
    fan->ncomp = count;
    fan->own = fan->known = 1;
    fan->ndir = 1;
    fan->dir = fan->sparse_of = t->own;
    fan->sparse = t->sparse;
    fan->radius = thin_radius(t);
}

/* A coordinate that was taken for another one by chance, three times, is not in another order of halves. */
int thin_splits_again(thin *t)
{
    size_t failed = t->found.failed, n = t->base.n;
    if (!thin_has_all(t) || failed == 0 || t->found.again == MOST_AGAIN) return 0;
    for (size_t k = 0; k < failed; k++) t->list[n - failed + k] = t->lost[k];
    t->found.cursor -= t->found.failed;
    t->found.failed = 0;
    t->found.again++;
    return 1;
}

static double ridge_of(const thin *t, double along, double square, double r)
{
    return t->probe.mu * r * (along + 0.5 * r * square);
}

/* Slope along the weights, and the bend that takes the forward error out. */
static void begin_case(thin *t, split_case *c, const double *told, double along, double square)
{
    double r = t->base.fan.radius;
    double near = (told[1] - ridge_of(t, along, square, r)) / r;
    double far = (told[2] - ridge_of(t, along, square, FAR * r)) / (FAR * r);
    double floor = rounded * DBL_EPSILON * fabs(told[0]) / r;
    double steep = fabs(near) > rounded * floor ? near * near : INFINITY;
    t->out.bend = (far - near) / (0.5 * (FAR - 1) * r * steep);
    t->out.whole = near;
    for (int k = 0; k < 3; k++)
        t->out.whole = near - 0.5 * r * t->out.bend * t->out.whole * t->out.whole;
    t->out.floor = floor;
    t->out.offset = 0;
    t->out.count = 0;
    split_begin(c, t->splitter, &t->out);
    c->f = told[0];
}

void thin_tell_find(thin *t, const double *answers)
{
    const method *m = &t->base;
    const double *w = t->splitter->weight[0];
    double along = vec_dot(m->d, w, m->x), square = vec_dot(m->d, w, w);
    make_order(t);
    for (size_t e = 0; e < m->fan.ncomp; e++) {
        t->open[e] = m->fan.comp[e];
        t->f[t->open[e]] = answers[3 * e];
        begin_case(t, thin_case(t, e), answers + 3 * e, along, square);
    }
    t->found.cursor += m->fan.ncomp;
    t->found.opened = m->fan.ncomp;
    t->base.stage = SPLIT;
}

static void fails(thin *t, uint64_t i) { t->lost[t->found.failed++] = i; }

/* The gradient of a component is known. */
static void adopt(thin *t, uint64_t i, const split_case *c)
{
    recovered *g = &t->out;
    size_t k = t->found.count, used = t->found.used;
    split_result(c, t->splitter, g);
    double length = vec_norm(g->count, g->slope);
    if (!(length > 0)) return; /* it does not change here */
    if (used + g->count > t->entries) {
        fails(t, i);
        return;
    }
    for (size_t e = 0; e < g->count; e++) t->x[e] = g->place[e];
    sort_order(g->count, t->x, t->axis);
    for (size_t e = 0; e < g->count; e++) {
        t->place[used + e] = g->place[t->axis[e]];
        t->value[used + e] = g->slope[t->axis[e]] / length;
    }
    t->who[k] = i;
    t->begin[k] = used;
    t->begin[k + 1] = used + g->count;
    t->slope[k] = length;
    t->bend[k] = g->bend * length * length;
    t->found.count++;
    t->found.used += g->count;
}

int thin_tell_split(thin *t, const double *answers)
{
    const method *m = &t->base;
    size_t kept = 0;
    double most = patience * t->at.price + FIRST_TRIED, along, square;
    make_order(t);
    splitter_at(t->splitter, m->x);
    for (size_t e = 0; e < m->fan.ncomp; e++) {
        split_case *c = thin_case(t, e);
        split_lengths(c, t->splitter, &along, &square);
        double change = answers[e] - c->f - ridge_of(t, along, square, m->fan.radius);
        split_tell(c, t->splitter, m->fan.radius, change, most);
        if (c->status == SPLIT_DONE) adopt(t, t->open[e], c);
        if (c->status == SPLIT_FAILED) fails(t, t->open[e]);
        if (c->status != SPLIT_ASKS) continue;
        if (kept != e) split_move(c, t->splitter, thin_case(t, kept));
        t->open[kept++] = t->open[e];
    }
    t->found.opened = kept;
    if (kept == 0) t->found.ordered = t->found.count;
    return kept == 0;
}
