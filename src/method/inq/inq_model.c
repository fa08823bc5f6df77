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
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/real.h"
#include "base/vec.h"
#include "method/inq/inq_row.h"
#include "prox/prox.h"

static double value_of(const inq *s, uint64_t i) { return inq_curve(s, i)->f; }

static double height_of(const inq *s, uint64_t i) { return fabs(inq_curve(s, i)->f); }
static double square(double v) { return v * v; }
static double steepness_of(const inq *s, uint64_t i) { return square(inq_curve(s, i)->size); }
static double slope_square(const inq *s, uint64_t i) { return square(s->slope[inq_at(s, i)]); }

void inq_measure(inq *s)
{
    double size = (double)s->at->filled, steep = sqrt(inq_total(s, steepness_of) / size);
    double far = fmax(1, vec_norm(s->base.d, s->base.x));
    double height = inq_total(s, height_of) / size;
    if (height < no_height * steep * far) height = guessed_height * steep * far;
    s->at->scale = fmax(height, least_scale);
    s->at->steep = steep;
    s->at->length =
        fmin(fmax(s->at->scale / fmax(steep, least_scale), shortest * far), longest * far);
}

double inq_mean_value(inq *s) { return inq_total(s, value_of) / (double)s->at->filled; }

/* sqrt|change_i| u_i */
static size_t put_row(const inq *s, uint64_t i, double *to)
{
    inq_row_put(s, i, sqrt(fabs(inq_change(s, i))), to);
    return 1;
}

/* Which weights have changed enough. */
static void mark_changes(inq *s)
{
    double least = (inq_all(s) ? stale : stale_in_samples) * s->at->bend;
    memset(s->mark, LEFT_OUT, s->base.count);
    for (size_t k = 0; k < s->listed; k++) {
        size_t at = inq_at(s, s->list[k]);
        double change = inq_change(s, s->list[k]);
        int way = inq_is_short(s, s->list[k]) ? SHORT_ROW : change > 0 ? ADDED : TAKEN_AWAY;
        s->mark[at] =
            (unsigned char)(fabs(change) > (s->weights[at] == 0 ? 0 : least) ? way : LEFT_OUT);
    }
}

static void update_matrix(inq *s)
{
    method *m = &s->base;
    size_t d = m->d;
    mark_changes(s);
    inq_gram(s, put_row, 1);
    for (size_t k = 0; k < s->listed; k++) {
        size_t at = inq_at(s, s->list[k]);
        if (s->mark[at]) s->weights[at] = s->bend[at];
    }
    double part = 1 / (double)s->at->filled;
    for (size_t j = 0; j < d; j++) vec_add(d - j, 1, s->full + j * d + j, s->matrix + j * d + j);
    for (size_t j = 0; j < d; j++)
        for (size_t k = j; k < d; k++)
            s->full[j * d + k] = s->full[k * d + j] = part * s->matrix[j * d + k];
}

/* Column j holds coordinate j of sqrt(bend_i/s) u_i, i in order[0..s); eight components at a time, a cache line. */
static void fill_columns(inq *s)
{
    method *m = &s->base;
    uint64_t size = s->at->filled;
    for (uint64_t k = 0; k < size; k += 8) {
        size_t count = size - k < 8 ? (size_t)(size - k) : 8;
        const double *u[8];
        for (size_t e = 0; e < count; e++) {
            uint64_t i = s->order[k + e];
            u[e] = s->block + e * m->d;
            inq_row_put(s, i, sqrt(s->bend[inq_at(s, i)] / (double)size), s->block + e * m->d);
        }
        for (size_t j = 0; j < m->d; j++)
            for (size_t e = 0; e < count; e++) s->col[j * m->n + k + e] = u[e][j];
    }
}

void inq_curve_model(inq *s)
{
    inq_sum_curves(s);
    if (s->dense)
        update_matrix(s);
    else
        fill_columns(s);
    s->modelled = 1;
}

void inq_model(inq *s)
{
    if (s->at->secants)
        inq_span_model(s);
    else
        inq_curve_model(s);
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

/* to = the gradient of component i of mine but for the ridge; with spans the last that was asked. */
static void gradient_of(const inq *s, uint64_t i, double *to)
{
    inq_row_put(s, i, s->at->secants ? 1 : s->slope[inq_at(s, i)], to);
}

/* The same sum of squares by d rows instead of count: J'J = LL', of L the columns. Worth it where several candidates are
 * to come. Left as it is where J'J is singular. */
static void fold(inq *s)
{
    size_t d = s->base.d;
    double *c = s->block, top = 0;
    dense_square(d, s->few, 1, s->some, DENSE_UPPER, 1, c, d);
    for (size_t j = 0; j < d; j++) top = fmax(top, c[j * d + j]);
    for (size_t j = 0; j < d; j++) c[j * d + j] += nearly_singular * top;
    if (dense_cholesky(d, c)) return;
    for (size_t k = 0; k < d; k++)
        for (size_t j = 0; j < d; j++) s->some[k * d + j] = j < k ? 0 : c[k * d + j];
    s->few = d;
}

/* some = J, gradients of count components spread evenly over the sample, less their mean; once a round. */
static void few_gradients(inq *s, size_t count)
{
    const method *m = &s->base;
    double ridge = s->at->secants ? 0 : s->at->mu;
    if (s->fetched) return;
    for (size_t e = 0; e < count; e++) {
        s->comp[e] = s->order[e * s->at->filled / count];
        if (method_mine(m, s->comp[e])) gradient_of(s, s->comp[e], s->some + e * m->d);
    }
    method_rows(m, count, s->comp, m->d, s->some);
    for (size_t j = 0; j < m->d; j++) s->work[j] = s->g[j] - ridge * m->x[j];
    for (size_t e = 0; e < count; e++) vec_add(m->d, -1, s->work, s->some + e * m->d);
    s->few = count;
    s->fetched = 1;
    if (s->at->rounds == 0 && count > m->d) fold(s);
}

/* phi, from at most SPREAD components. */
static double spread_of(inq *s, const quad *q, const double *z)
{
    uint64_t size = s->at->filled;
    size_t count = size < SPREAD ? (size_t)size : SPREAD;
    few_gradients(s, count);
    double sum = quad_spread(q, &s->room, z, s->few, s->some, s->dir);
    if (isnan(sum)) return spread_unknown * s->at->scale;
    return sum / (double)count / (2 * (double)size);
}

/* A curvature to measure damping by: the mean eigenvalue, or where the components do not bend at x (hinges, sigmoids at
 * 0) a little of what they must bend somewhere, steep^2/scale. */
double inq_unit(const inq *s)
{
    double least = least_unit * s->at->steep * s->at->steep / s->at->scale;
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
    for (size_t j = 0; j < m->d; j++)
        pulled[j] = s->g[j] + s->at->centred * (m->x[j] - s->centre[j]);
    q.g = pulled;
    quad_solve(&q, &s->room,
               (quad_effort){SAMPLE_SWEEPS, sample_accuracy * s->at->scale, step_accuracy}, z);
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
    struct progress *at = s->at;
    double unit = inq_unit(s) * real_pow(boost, (double)at->boosts);
    at->first = at->offers = 0;
    for (size_t k = 0; k < CANDIDATES && k <= at->first + 2; k++) {
        offer(s, k, dampings[k] * unit, k ? s->cand + (k - 1) * s->base.d : s->base.x);
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
    s->offer[0] = (candidate){.damping = fmax(safer * kept, safer_unit * unit), .expect = NAN};
    s->offer[1] = (candidate){.damping = fmax(safe * kept, safe_unit * unit), .expect = NAN};
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
    if (!s->modelled) inq_model(s);
    offer(s, k, s->offer[k].damping, s->base.x);
}

void inq_offer_full(inq *s)
{
    method *m = &s->base;
    if (isnan(s->at->damping)) s->at->damping = first_damping * inq_unit(s);
    quad q = inq_quad(s, s->at->damping);
    vec_copy(m->d, m->x, s->cand);
    quad_solve(&q, &s->room,
               (quad_effort){FULL_SWEEPS, full_accuracy * s->at->scale, step_accuracy}, s->cand);
    s->offer[0] =
        (candidate){.damping = s->at->damping, .falls = quad_decrease(&q, &s->room, s->cand)};
    s->at->pick = 0;
}

/* |slope u + mu x|^2, but for |mu x|^2 */
static double gradient_square(const inq *s, uint64_t i)
{
    double slope = s->slope[inq_at(s, i)];
    return slope * (slope + 2 * s->at->mu * inq_curve(s, i)->now);
}

/* Curves: of s gradients g_i with mean g, the mean of g_i'g_k over i != k beside that of |g_i|^2:
 * (s |g|^2/mean |g_i|^2 - 1)/(s - 1). */
double inq_alike(inq *s)
{
    const method *m = &s->base;
    double size = (double)s->at->filled, ridge = square(s->at->mu * vec_norm(m->d, m->x));
    double each = inq_total(s, gradient_square) / size + ridge;
    return (size * vec_dot(m->d, s->g, s->g) / each - 1) / (size - 1);
}

double inq_missed(const inq *s)
{
    const struct progress *at = s->at;
    if (!(at->missed_count > 0)) return 0;
    return (vec_norm(s->base.d, s->missed) + sqrt(at->missed_square)) / at->missed_count;
}

/* How far off the gradient may be where components were not asked in full at x: as much as those were that have been,
 * in the worst of the last rounds that asked a quarter of all. A few whose spans are complete do not speak for the others. */
static double stale_error(const inq *s)
{
    const struct progress *at = s->at;
    double unasked = 0, off = inq_missed(s), heard = at->missed_count;
    if (!at->secants) return 0;
    for (int k = 0; k < ROUNDS && 4 * heard < (double)s->base.n; k++) {
        off = fmax(off, at->off[k]);
        heard += at->off_count[k];
    }
    for (size_t i = 0; i < s->base.n; i++) unasked += s->asked[i].full != at->points;
    return unasked / (double)s->base.n * off;
}

/* |x - prox(x - g)|, and what the sample cannot know of it. */
void inq_residual(inq *s)
{
    method *m = &s->base;
    double r = prox_residual(m, m->x, 1, s->g, s->work),
           left = 1 - (double)s->at->filled / (double)m->n;
    double old = stale_error(s), second = left > 0 ? inq_total(s, slope_square) : 0;
    if (s->at->secants && left > 0) r = NAN; /* stale gradients of a sample say too little */
    m->residual =
        sqrt(r * r + old * old + left * second / (double)s->at->filled / (double)s->at->filled);
}
