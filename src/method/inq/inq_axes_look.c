/* inq with noise: looks along supports.
 * SPDX-License-Identifier: MIT
 *
 * Each component is asked along the axes of its support at both sides, and along pairs of them: 2r + r(r - 1)/2 queries,
 * its value is known. With eps_j = sigma sqrt(m_j)/n, m_j the components that depend on x_j, radii are r_j^2 h_jj = C eps_j.
 * Far from the end C is large, and the curvature free of noise; it falls with what steps promise, until pairs are no longer asked
 * for, at C = CLEAR, and the matrix learns from changes of slopes and is scaled to the h_jj seen. */
#include "method/inq/inq_axes.h"

#include <float.h>

#include "base/vec.h"
#include "prox/prox.h"

enum {
    CLEAREST = 1024, /* C at most */
    FINE = 64,       /* promises, in noise levels, below which no cross differences are asked for */
    TEST_EVERY = 4   /* steps */
};

/* ---- Radii -------------------------------------------------------------------------------------- */

static void count_components(inq *s)
{
    method *m = &s->base;
    method_total sum;
    total_open(&sum, m, m->d, s->tree);
    for (uint64_t i = m->first; i < inq_end(s); i++) {
        double *leaf = total_leaf(&sum, i);
        size_t rank = axes_rank(s, i);
        for (size_t j = 0; j < m->d && rank == WIDE; j++) leaf[j]++;
        for (size_t k = 0; k < rank && rank < WIDE; k++) leaf[axes_at(s, i, k)]++;
    }
    total_close(&sum, s->level);
    for (size_t j = 0; j < m->d; j++) s->level[j] = m->set.noise * sqrt(s->level[j]) / (double)m->n;
}

double axes_noise(const inq *s)
{
    double sum = 0;
    for (size_t j = 0; j < s->base.d; j++) sum += s->level[j];
    return sum;
}

static void set_radii(inq *s)
{
    double most = near_longest(s), clear = s->at->falls / axes_noise(s);
    s->at->clear = fmin(fmax(clear, CLEAR), CLEAREST);
    for (size_t j = 0; j < s->base.d; j++) {
        double r = sqrt(s->at->clear * s->level[j] / fmax(fabs(s->bends[j]), DBL_MIN));
        s->reach[j] = r > 0 && r < most ? r : most;
    }
}

void axes_begin(inq *s)
{
    struct progress *at = s->at;
    method *m = &s->base;
    int curved = at->supports == OF_CURVES;
    at->supports = RULING;
    count_components(s);
    near_reset(s);
    at->sides = 2;
    at->falls = curved ? 4 * FINE * axes_noise(s) : INFINITY;
    vec_copy(m->d, m->x, s->before);
    for (size_t j = 0; j < m->d; j++) s->bends[j] = at->unit > 0 ? 1 / (at->unit * at->unit) : 1;
    if (curved) near_from_model(s);
    set_radii(s);
    method_note(m, "components depend on few coordinates each: along these from step %llu on",
                (unsigned long long)m->step);
    axes_look(s);
}

/* Supports have grown: a coordinate that is new is taken to bend as the others do. */
void axes_renew(inq *s)
{
    size_t d = s->base.d;
    double mean = 0;
    for (size_t j = 0; j < d; j++) mean += fabs(s->bends[j]) / (double)d;
    for (size_t j = 0; j < d; j++)
        if (!(s->level[j] > 0)) s->bends[j] = mean;
    count_components(s);
    set_radii(s);
    s->at->metric = s->at->looks = 0;
}

void axes_go_on(inq *s, const double *values)
{
    inq_keep_values(s, values);
    set_radii(s);
    if (s->base.step + 1 >= s->at->tested + TEST_EVERY)
        axes_test(s);
    else
        axes_look(s);
}

/* Supports, and what was seen along them, are doubted. */
void axes_doubt(inq *s)
{
    s->at->falls = 0;
    set_radii(s);
    if (s->at->tested != s->base.step + 1)
        axes_test(s);
    else
        axes_look(s);
}

void axes_end(inq *s)
{
    s->at->leaving = 1;
    if (s->at->tested != s->base.step + 1)
        axes_test(s);
    else
        near_end(s);
}

/* ---- Questions ---------------------------------------------------------------------------------- */

static size_t crosses(size_t rank) { return rank * (rank - 1) / 2; }

/* Cross differences are asked for where a look then costs no more than one along all axes. */
static int cross_is_cheap(const inq *s)
{
    double queries = 0;
    for (size_t i = 0; i < s->base.n; i++)
        if (s->marks[i] && s->marks[i] < WIDE)
            queries += 2.0 * s->marks[i] + (double)crosses(s->marks[i]);
    return queries <= (double)s->base.n * (double)s->base.d;
}

void axes_look(inq *s)
{
    struct progress *at = s->at;
    axes_share(s);
    at->todo = at->cursor = 0;
    for (size_t rank = 1; rank <= WIDE; rank++) {
        for (uint64_t i = 0; i < s->base.n; i++)
            if (s->marks[i] == rank) s->todo[at->todo++] = i;
        if (rank <= SPAN) at->ranked[rank - 1] = at->todo;
    }
    int fine = at->metric && !at->failures && at->falls < FINE * axes_noise(s);
    at->crossed = !fine && cross_is_cheap(s);
    s->base.stage = ASK_LOOK;
    if (at->todo == 0) near_end(s); /* nothing depends on anything */
}

size_t axes_asked(const inq *s)
{
    size_t rank = 1;
    while (rank <= SPAN && s->at->ranked[rank - 1] <= s->at->cursor) rank++;
    return rank;
}

static double mean_reach(const inq *s)
{
    double sum = 0;
    for (size_t j = 0; j < s->base.d; j++) sum += s->reach[j];
    return sum / (double)s->base.d;
}

/* Up and down along each axis, then along pairs. */
static void put_rows(const inq *s, uint64_t i, size_t rank, double *to)
{
    size_t d = s->base.d;
    double *pair = to + 2 * rank * d;
    for (size_t k = 0; k < rank; k++) {
        size_t j = axes_at(s, i, k);
        to[2 * k * d + j] = s->reach[j];
        to[(2 * k + 1) * d + j] = -s->reach[j];
        for (size_t e = 0; e < k && s->at->crossed; e++, pair += d) {
            pair[j] = s->reach[j];
            pair[axes_at(s, i, e)] = s->reach[axes_at(s, i, e)];
        }
    }
}

void axes_ask_look(inq *s, zo_fan *fan)
{
    const struct progress *at = s->at;
    size_t rank = axes_asked(s), d = s->base.d, most = s->chunk > SPREAD ? s->chunk : SPREAD;
    uint64_t left = (rank == WIDE ? at->todo : at->ranked[rank - 1]) - at->cursor;
    fan->comp = s->todo + at->cursor;
    fan->each = method_each(&s->base);
    fan->known = 1;
    if (rank == WIDE) {
        fan->ncomp = left < s->chunk / 2 + 1 ? (size_t)left : s->chunk / 2 + 1;
        fan->naxis = d;
        fan->sides = 2;
        fan->radius = mean_reach(s);
        return;
    }
    size_t rows = 2 * rank + (at->crossed ? crosses(rank) : 0);
    fan->ncomp = left < most / rows ? (size_t)left : most / rows;
    fan->own = fan->sides = 1;
    fan->ndir = rows;
    fan->dir = s->dir;
    fan->radius = 1;
    vec_zero(fan->ncomp * rows * d, s->dir);
    for (size_t e = 0; e < fan->ncomp; e++)
        if (method_mine(&s->base, fan->comp[e]))
            put_rows(s, fan->comp[e], rank, s->dir + e * rows * d);
}

/* ---- Answers ------------------------------------------------------------------------------------ */

/* v: values up and down along each axis, then along pairs; f at x. */
static void learn_narrow(inq *s, uint64_t i, size_t rank, const double *v)
{
    const double *pair = v + 2 * rank, *x = s->base.x;
    double f = inq_curve(s, i)->f, mu = s->at->ridge;
    for (size_t k = 0; k < rank; k++) {
        size_t j = axes_at(s, i, k);
        double r = s->reach[j], *along = inq_along(s, i, k);
        along[0] = (v[2 * k] - v[2 * k + 1]) / (2 * r) - mu * x[j];
        along[1 + k] = ((v[2 * k] - f) + (v[2 * k + 1] - f)) / (r * r) - mu;
        for (size_t e = 0; e < k; e++) {
            double change = 0;
            if (s->at->crossed) change = (*pair++ - v[2 * k]) - (v[2 * e] - f);
            along[1 + e] = change / (r * s->reach[axes_at(s, i, e)]);
        }
    }
}

static void learn_wide(inq *s, uint64_t i, const double *v)
{
    double f = inq_curve(s, i)->f, mu = s->at->ridge, r = s->base.fan.radius;
    for (size_t j = 0; j < s->base.d; j++) {
        inq_row(s, i)[j] = (v[2 * j] - v[2 * j + 1]) / (2 * r) - mu * s->base.x[j];
        inq_layer(s, i, 0)[j] = (float)(((v[2 * j] - f) + (v[2 * j + 1] - f)) / (r * r) - mu);
    }
}

/* incline = mean slopes, bends = mean second differences, objective. */
static void sum_looks(inq *s)
{
    method *m = &s->base;
    size_t d = m->d;
    double n = (double)m->n, mu = s->at->ridge, *total = s->block;
    method_total sum;
    total_open(&sum, m, 2 * d + 1, s->tree);
    for (uint64_t i = m->first; i < inq_end(s); i++) {
        double *leaf = total_leaf(&sum, i);
        size_t rank = axes_rank(s, i);
        leaf[2 * d] += inq_curve(s, i)->f;
        for (size_t j = 0; j < d && rank == WIDE; j++) {
            leaf[j] += inq_row(s, i)[j];
            leaf[d + j] += (double)inq_layer(s, i, 0)[j];
        }
        for (size_t k = 0; k < rank && rank < WIDE; k++) {
            leaf[axes_at(s, i, k)] += inq_along(s, i, k)[0];
            leaf[d + axes_at(s, i, k)] += inq_along(s, i, k)[1 + k];
        }
    }
    total_close(&sum, total);
    for (size_t j = 0; j < d; j++) {
        s->incline[j] = total[j] / n + mu * m->x[j];
        s->bends[j] = total[d + j] / n + mu;
    }
    s->at->objective = total[2 * d] / n + prox_value(m->psi, d, m->x);
}

/* ---- After a look ------------------------------------------------------------------------------- */

/* The radii for the next look; how many of this one's were badly wrong. */
static size_t correct_radii(inq *s)
{
    size_t wrong = 0;
    for (size_t j = 0; j < s->base.d; j++) {
        double r = s->reach[j], bend = fabs(s->bends[j]) * r * r;
        double factor = sqrt(s->at->clear * s->level[j] / fmax(bend, DBL_MIN));
        wrong += s->level[j] > 0 && (factor < 0.25 || (factor > 4 && r < near_longest(s)));
    }
    set_radii(s);
    return wrong;
}

static void end_look(inq *s)
{
    struct progress *at = s->at;
    sum_looks(s);
    at->cursor = 0;
    if (at->crossed) axes_matrix(s);
    if (at->metric == 0 && correct_radii(s) > s->base.d / 2 && ++at->looks < MOST_LOOKS)
        return; /* again */
    if (!at->crossed && at->metric) {
        near_fit_diagonal(s);
        near_learn_change(s);
    } else if (!at->crossed) {
        near_from_axes(s);
    }
    at->metric++;
    near_try_step(s);
}

void axes_tell_look(inq *s, const double *answers)
{
    const zo_fan *fan = &s->base.fan;
    size_t rank = axes_asked(s), set = zo_fan_set(fan);
    for (size_t e = 0; e < fan->ncomp; e++) {
        uint64_t i = fan->comp[e];
        if (!method_mine(&s->base, i)) continue;
        if (rank == WIDE)
            learn_wide(s, i, answers + e * set);
        else
            learn_narrow(s, i, rank, answers + e * set);
    }
    s->at->cursor += fan->ncomp;
    if (s->at->cursor == s->at->todo) end_look(s);
}
