/* inq: the quadratic model at x of a sample of curves.
 * SPDX-License-Identifier: MIT
 *
 *     g = mean slope_i u_i + mu x,   M = mean bend_i u_i u_i' + mu I    over the sample of s components
 *
 * The matrix is kept as a sum and changed only where a weight did. */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "method/component/row.h"
#include "method/component/sample.h"
#include "method/curves/curves.h"

/* Of its weight in the matrix. */
static double change_of(const inq *s, uint64_t i)
{
    size_t at = inq_at(s, i);
    return s->voices[at].all * s->bend[at] - s->weights[at];
}

/* What each part has marked. */
typedef struct changes {
    inq *s;
    double least;
    size_t marked[METHOD_PARTS], whole[METHOD_PARTS];
} changes;

static void mark_some(void *ctx, size_t part, size_t from, size_t to)
{
    changes *c = ctx;
    inq *s = c->s;
    size_t marked = 0, whole = 0;
    for (size_t k = from; k < to; k++) {
        size_t at = inq_at(s, s->list[k]);
        double change = change_of(s, s->list[k]);
        s->mark[at] = fabs(change) > (s->weights[at] == 0 || s->voices[at].all == 0 ? 0 : c->least);
        marked += s->mark[at];
        whole += s->mark[at] && !inq_is_short(s, s->list[k]);
    }
    c->marked[part] += marked;
    c->whole[part] += whole;
}

/* Which weights have changed enough. Returns 1 where their rows are short, and so many that triangles for everybody pay. */
static int mark_changes(inq *s)
{
    changes c = {.s = s, .least = (inq_all(s) ? stale : stale_in_samples) * s->model.bend};
    size_t whole = 0, marked = 0, d = s->base.d;
    memset(s->mark, 0, s->base.count);
    method_share(&s->base, s->listed, FEW_NUMBERS, mark_some, &c);
    for (size_t k = 0; k < METHOD_PARTS; k++) marked += c.marked[k], whole += c.whole[k];
    return whole == 0 && marked > d * d / 4;
}

/* They are in the matrix now. */
static void keep_weight(inq *s, uint64_t i)
{
    size_t at = inq_at(s, i);
    s->weights[at] = s->voices[at].all * s->bend[at];
}

static void add_changes(void *ctx, gram *g, uint64_t from, uint64_t to)
{
    inq *s = ctx;
    const unsigned char *mark = s->mark + inq_at(s, from);
    uint64_t list[SUM_BLOCK];
    size_t count = 0;
    if (!memchr(mark, 1, to - from)) return; /* most blocks, late in a run */
    for (uint64_t i = from; i < to; i++) {
        list[count] = i;
        count += mark[i - from];
    }
    for (size_t k = 0; k < count; k++) {
        if (k + AHEAD < count) inq_fetch(s, list[k + AHEAD]);
        inq_row_square(s, list[k], change_of(s, list[k]), g);
        if (g->known) keep_weight(s, list[k]); /* the last visit */
    }
}

static void update_matrix(inq *s)
{
    size_t d = s->base.d;
    gram g = inq_gram(s);
    g.at_once = mark_changes(s);
    gram_sum(&g, add_changes, s);
    double part = 1 / (double)s->sample.filled;
    for (size_t j = 0; j < d; j++) vec_add(d - j, 1, s->full + j * d + j, s->matrix + j * d + j);
    for (size_t j = 0; j < d; j++)
        for (size_t k = j; k < d; k++)
            s->full[j * d + k] = s->full[k * d + j] = part * s->matrix[j * d + k];
}

/* Of its row in the factor. */
static double root_of(const inq *s, uint64_t i)
{
    size_t at = inq_at(s, i);
    return sqrt(s->voices[at].all * s->bend[at] / (double)s->sample.filled);
}

/* Rows that are short as they are, and by columns: counted, then put in their places. */
static void fill_sparse(inq *s)
{
    quad_sparse *f = &s->sparse;
    size_t d = s->base.d, rows = (size_t)s->sample.filled, held = 0;
    memset(f->col, 0, (d + 1) * sizeof *f->col);
    for (size_t e = 0; e < rows; e++) {
        uint64_t i = s->plan.order[e];
        const double *u = inq_short(s, i);
        double root = root_of(s, i);
        const uint32_t *place = inq_places(s, i);
        f->row[e] = held;
        for (size_t k = 0; k < inq_kept(s, i) && root > 0; k++, held++) {
            f->col_of[held] = place[k];
            f->by_row[held] = root * u[k];
            f->col[place[k] + 1]++;
        }
    }
    f->row[rows] = held;
    for (size_t j = 0; j < d; j++) f->col[j + 1] += f->col[j];
    for (size_t e = 0; e < rows; e++)
        for (size_t k = f->row[e]; k < f->row[e + 1]; k++) {
            size_t at = f->col[f->col_of[k]]++;
            f->row_of[at] = (uint32_t)e;
            f->by_col[at] = f->by_row[k];
        }
    memmove(f->col + 1, f->col, d * sizeof *f->col);
    f->col[0] = 0;
}

/* Column j holds coordinate j of sqrt(bend_i/s) u_i, i in order[0..s); eight components at a time, a cache line. */
void inq_fill_columns(inq *s)
{
    method *m = &s->base;
    uint64_t size = s->sample.filled;
    s->is_sparse = 0;
    for (uint64_t k = 0; k < size; k += 8) {
        size_t count = size - k < 8 ? (size_t)(size - k) : 8;
        const double *u[8];
        for (size_t e = 0; e < count; e++) {
            uint64_t i = s->plan.order[k + e];
            u[e] = s->block + e * m->d;
            inq_row_put(s, i, root_of(s, i), s->block + e * m->d);
        }
        for (size_t j = 0; j < m->d; j++)
            for (size_t e = 0; e < count; e++) s->col[j * m->n + k + e] = u[e][j];
    }
}

static int all_short(const inq *s)
{
    for (uint64_t k = 0; k < s->sample.filled; k++)
        if (!inq_is_short(s, s->plan.order[k])) return 0;
    return 1;
}

void inq_curve_model(inq *s)
{
    inq_sum_curves(s);
    s->held = s->sample.filled;
    s->is_sparse = !s->dense && all_short(s);
    if (s->dense)
        update_matrix(s);
    else if (s->is_sparse)
        fill_sparse(s);
    else
        inq_fill_columns(s);
    quad_forget(&s->room);
    s->modelled = 1;
}
