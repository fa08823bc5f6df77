/* Answers for softmax: f_i(x) = log sum_c exp(m_c) - m_y, m_c = z'x_c, x = one row of features per class.
 * SPDX-License-Identifier: MIT
 *
 * An axis (c, j) moves one margin by z_j, so only the entries of the row matter, and the sum over the other classes
 * stays: log(rest_c + exp(m_c + r z_j)). */
#include <math.h>
#include <string.h>

#include "base/real.h"
#include "base/vmath.h"
#include "problem/loss/model_job.h"

/* An entry while it is asked: its row, and rows of classes numbers. */
typedef struct asked {
    const job *j;
    size_t classes, y, count; /* count: entries of the row */
    const uint32_t *col;      /* NULL: a full row */
    const double *val;
    double *m[2], *rest[2]; /* margins at the bases; exp(m_c - top) summed over the other classes */
    double *t, *step, *point, *work;
    double top[2], f[2];   /* greatest margin and loss at the bases */
    const double *from[2]; /* a set: what is added to a difference */
    double *to[2];         /* and where it goes */
} asked;

static void margins(const asked *q, const double *x, double *m)
{
    size_t features = q->j->model->data->features;
    for (size_t c = 0; c < q->classes; c++) {
        const double *row = x + c * features;
        double s = 0;
        if (q->col)
            for (size_t k = 0; k < q->count; k++) s += q->val[k] * row[q->col[k]];
        else
            for (size_t k = 0; k < q->count; k++) s += q->val[k] * row[k];
        m[c] = s;
    }
}

/* The loss at margins m; leaves exp(m_c - top) in e. */
static double loss_at(size_t classes, size_t y, const double *m, double *e, double *top)
{
    double most = m[0], sum = 0;
    for (size_t c = 1; c < classes; c++) most = m[c] > most ? m[c] : most;
    for (size_t c = 0; c < classes; c++) e[c] = m[c] - most;
    vmath_best()->exp(classes, e, e);
    for (size_t c = 0; c < classes; c++) sum += e[c];
    *top = most;
    return (most - m[y]) + real_log(sum);
}

/* rest_c = sum of e over the other classes: those below c, then those above. */
static void leave_one_out(size_t classes, const double *e, double *rest)
{
    double sum = 0;
    for (size_t c = 0; c < classes; c++) {
        rest[c] = sum;
        sum += e[c];
    }
    sum = 0;
    for (size_t c = classes; c-- > 0;) {
        rest[c] += sum;
        sum += e[c];
    }
}

/* The loss at base b with margin c moved by step, where the greatest fell far below the others' scale. */
static double loss_afresh(const asked *q, size_t b, size_t c, double step)
{
    double top;
    memcpy(q->point, q->m[b], q->classes * sizeof *q->point);
    q->point[c] += step;
    return loss_at(q->classes, q->y, q->point, q->work, &top);
}

/* The losses at base b where the margins c ... c + count - 1, one at a time, are moved by these steps, into v. */
static void losses_moved(const asked *q, size_t b, size_t c, size_t count, const double *step,
                         double *v)
{
    size_t y = q->y - c; /* may wrap: then it is none of them */
    memcpy(v, step, count * sizeof *v);
    q->j->table->moved(count, q->m[b] + c, q->rest[b] + c, q->top[b], q->m[b][q->y], y, v);
    for (size_t e = 0; e < count; e++)
        if (isnan(v[e])) v[e] = loss_afresh(q, b, c + e, step[e]);
}

static void put(const asked *q, size_t b, size_t place, double v)
{
    double f = q->j->fan->each && q->j->fan->known ? 0 : q->f[b];
    q->to[b][place] = (v - f) + q->from[b][place];
}

static void ask_bases(asked *q)
{
    const zo_fan *fan = q->j->fan;
    for (size_t b = 0; b < fan->nbase; b++) {
        margins(q, fan->base[b], q->m[b]);
        q->f[b] = loss_at(q->classes, q->y, q->m[b], q->work, &q->top[b]);
        leave_one_out(q->classes, q->work, q->rest[b]);
    }
}

static void ask_axis(const asked *q, size_t axis, size_t c, double z)
{
    size_t sides = (size_t)q->j->fan->sides;
    double v[4] = {0};
    for (size_t b = 0; b < q->j->fan->nbase; b++)
        for (size_t s = 0; s < sides; s++) {
            double step = fan_reach(q->j->fan, axis, s) * z;
            losses_moved(q, b, c, 1, &step, v);
            put(q, b, axis * sides + s, v[0]);
        }
}

/* The axes of feature j in all classes. */
static void ask_feature(const asked *q, size_t j, double z)
{
    size_t sides = (size_t)q->j->fan->sides, features = q->j->model->data->features;
    for (size_t b = 0; b < q->j->fan->nbase; b++)
        for (size_t s = 0; s < sides; s++) {
            for (size_t c = 0; c < q->classes; c++)
                q->step[c] = fan_reach(q->j->fan, c * features + j, s) * z;
            losses_moved(q, b, 0, q->classes, q->step, q->t);
            for (size_t c = 0; c < q->classes; c++)
                put(q, b, (c * features + j) * sides + s, q->t[c]);
        }
}

static void ask_axes(const asked *q)
{
    const zo_fan *fan = q->j->fan;
    size_t features = q->j->model->data->features;
    if (fan->axis && !q->j->head) { /* full rows and a list */
        for (size_t k = 0; k < fan->naxis; k++)
            ask_axis(q, k, fan->axis[k] / features, q->val[fan->axis[k] % features]);
        return;
    }
    for (size_t k = 0; k < q->count && fan->naxis; k++) {
        size_t j = q->col ? q->col[k] : k;
        if (!q->j->head) {
            ask_feature(q, j, q->val[k]);
            continue;
        }
        for (size_t c = 0; c < q->classes; c++)
            for (uint32_t e = q->j->head[c * features + j]; e; e = q->j->next[e - 1])
                ask_axis(q, e - 1, c, q->val[k]);
    }
}

static void ask_directions(const asked *q, const double *dir)
{
    const zo_fan *fan = q->j->fan;
    size_t sides = (size_t)fan->sides;
    for (size_t k = 0; k < fan->ndir; k++) {
        margins(q, dir + k * fan->d, q->t);
        for (size_t b = 0; b < fan->nbase; b++)
            for (size_t s = 0; s < sides; s++) {
                double r = fan_reach(fan, fan->naxis + k, s), top;
                for (size_t c = 0; c < q->classes; c++) q->point[c] = q->m[b][c] + r * q->t[c];
                put(q, b, (fan->naxis + k) * sides + s,
                    loss_at(q->classes, q->y, q->point, q->work, &top));
            }
    }
}

static asked open_entry(const job *j, const piece *p, size_t i, int who)
{
    const zo_data *z = j->model->data;
    size_t classes = j->model->classes;
    double *row = (double *)j->model->kernel->classes.at + (size_t)who * SOFTMAX_ROWS * classes;
    asked q = {.j = j, .classes = classes, .y = (size_t)p->y[i], .count = z->features};
    q.val = z->row ? z->val + z->row[p->row[i]] : z->dense + p->row[i] * z->features;
    if (z->row) {
        q.col = z->col + z->row[p->row[i]];
        q.count = (size_t)(z->row[p->row[i] + 1] - z->row[p->row[i]]);
    }
    double **rows[SOFTMAX_ROWS] = {&q.m[0], &q.m[1], &q.rest[0], &q.rest[1],
                                   &q.t,    &q.step, &q.point,   &q.work};
    for (size_t k = 0; k < SOFTMAX_ROWS; k++) *rows[k] = row + k * classes;
    return q;
}

static void softmax_sums(const job *j, piece *p, int who, double *leaves)
{
    for (size_t i = 0; i < p->count; i++) {
        asked q = open_entry(j, p, i, who);
        double *leaf = leaves + p->run[i] * j->m;
        ask_bases(&q);
        for (size_t b = 0; b < j->fan->nbase; b++) {
            leaf[b * j->per] += q.f[b];
            q.from[b] = q.to[b] = leaf + b * j->per + 1;
        }
        ask_axes(&q);
        ask_directions(&q, j->fan->dir);
    }
}

/* Rows of their own have a ridge of their own. */
static void add_own_ridge(const asked *q, const double *dir)
{
    const zo_fan *fan = q->j->fan;
    size_t sides = (size_t)fan->sides;
    double dot[1][3];
    for (size_t k = 0; k < fan->ndir; k++) {
        const double *u = dir + k * fan->d;
        q->j->table->dots(fan->d, 1, &u, fan->nbase, fan->base, dot);
        for (size_t b = 0; b < fan->nbase; b++)
            for (size_t s = 0; s < sides; s++)
                q->to[b][(fan->naxis + k) * sides + s] +=
                    ridge_own(q->j, b, fan_reach(fan, fan->naxis + k, s), dot[0]);
    }
}

static void softmax_each(const job *j, piece *p, int who)
{
    const zo_fan *fan = j->fan;
    for (size_t i = 0; i < p->count; i++) {
        asked q = open_entry(j, p, i, who);
        ask_bases(&q);
        for (size_t b = 0; b < fan->nbase; b++) {
            double *out = each_out(j, p->first + i, b);
            q.from[b] = j->add + b * j->per + 1;
            q.to[b] = out + !fan->known;
            if (!fan->known) *out = q.f[b] + j->add[b * j->per];
            double f = fan->known ? q.f[b] : 0;
            for (size_t k = 0; k < fan->naxis * (size_t)fan->sides; k++)
                q.to[b][k] = q.from[b][k] + f;
        }
        const double *dir = fan->own ? fan->dir + (p->first + i) * fan->ndir * fan->d : fan->dir;
        ask_axes(&q);
        ask_directions(&q, dir);
        if (fan->own && j->model->l2 != 0) add_own_ridge(&q, dir);
    }
}

const family softmax_family = {softmax_sums, softmax_each};
