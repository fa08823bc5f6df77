/* mean: a direct search, for plateaus, kinks and ripples, where slopes say nothing. Points are only ranked.
 * SPDX-License-Identifier: MIT
 *
 * Covariance matrix adaptation. A generation of q points x_k = c + sigma A z_k, z_k normal, AA' = C; the better half moves
 * the centre c, weighted by rank; paths of its moves say how long steps are to be (p_s) and where (p_c, C):
 *
 *     c += sigma y,  y = sum w_k A z_k        p_s = (1 - c_s) p_s + sqrt(c_s (2 - c_s) mu) A^-1 y
 *     sigma *= exp((c_s/d_s)(|p_s|/E|z| - 1)) p_c = (1 - c_c) p_c + h sqrt(c_c (2 - c_c) mu) y
 *     C = (1 - c_1 - c_m) C + c_1 p_c p_c' + c_m sum w_k (A z_k)(A z_k)'
 *
 * Hansen: The CMA evolution strategy, arXiv 1604.00772, with the triangular root of C in place of the symmetric one. */
#include <float.h>
#include <math.h>

#include "base/real.h"
#include "base/rng.h"
#include "base/vec.h"
#include "method/mean/state.h"
#include "prox/prox.h"

typedef struct rates {
    double mu, pull, damp, path, one, many, chi; /* mu_eff, c_s, d_s, c_c, c_1, c_m, E|z| */
} rates;

size_t search_points(size_t d) { return 4 + (size_t)(3 * real_log((double)d)); }

static double weight(size_t k, size_t points)
{
    double half = (double)(points / 2);
    return (double)k < half ? real_log(half + 0.5) - real_log((double)k + 1) : 0;
}

static rates rates_of(const mean *s)
{
    size_t points = search_points(s->base.d);
    double d = (double)s->base.d, sum = 0, squares = 0;
    for (size_t k = 0; k < points / 2; k++) {
        sum += weight(k, points);
        squares += weight(k, points) * weight(k, points);
    }
    rates r = {.mu = sum * sum / squares};
    r.pull = (r.mu + 2) / (d + r.mu + 5);
    r.damp = 1 + 2 * fmax(0, sqrt((r.mu - 1) / (d + 1)) - 1) + r.pull;
    r.path = (4 + r.mu / d) / (d + 4 + 2 * r.mu / d);
    r.one = 2 / ((d + 1.3) * (d + 1.3) + r.mu);
    r.many = fmin(1 - r.one, 2 * (r.mu - 2 + 1 / r.mu) / ((d + 2) * (d + 2) + r.mu));
    r.chi = sqrt(d) * (1 - 1 / (4 * d) + 1 / (21 * d * d));
    return r;
}

void search_begin(mean *s, double part)
{
    size_t d = s->base.d;
    search *w = s->search;
    *w = (search){
        .sigma = part, .lowest = s->at->objective, .begun = s->at->objective, .recent = INFINITY};
    vec_copy(d, s->base.x, s->middle);
    vec_zero(d, s->path);
    vec_zero(d, s->pull);
    vec_zero(d * d, s->spread);
    for (size_t j = 0; j < d; j++) s->spread[j * d + j] = s->size[j] * s->size[j];
    s->base.stage = ASK_SEARCH;
}

/* root = the lower triangle A with AA' = C; 0: C is no covariance any more. */
static int take_root(const mean *s, double *root)
{
    size_t d = s->base.d;
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k <= j; k++) {
            double rest = s->spread[j * d + k] - vec_dot(k, root + j * d, root + k * d);
            if (j == k && !(rest > 0)) return 0;
            root[j * d + k] = j == k ? sqrt(rest) : rest / root[k * d + k];
        }
    return 1;
}

/* row k: from the middle to the k-th point, inside psi's domain. */
static void draw(mean *s, size_t k, double *row)
{
    method *m = &s->base;
    size_t d = m->d;
    rng_normals(m->set.seed, FOR_DIRECTION, (s->at->searches << 32) + s->search->generation,
                (uint32_t)k, d, s->work);
    for (size_t j = 0; j < d; j++)
        row[j] = s->middle[j] + s->search->sigma * vec_dot(j + 1, s->root + j * d, s->work);
    prox_apply(m->psi, d, DBL_MIN, row, row, m->prox_work);
    for (size_t j = 0; j < d; j++) {
        row[j] -= s->middle[j];
        while (prox_separable(m->psi) && row[j] != 0 && !mean_inside(s, j, s->middle[j] + row[j]))
            row[j] = nextafter(row[j], 0);
    }
}

void search_ask(mean *s, zo_fan *fan)
{
    size_t points = search_points(s->base.d);
    take_root(s, s->root);
    for (size_t k = 0; k < points; k++) draw(s, k, s->dir + k * s->base.d);
    mean_components(s, fan, 1);
    fan->base[0] = s->middle;
    fan->known = 1;
    ask_rows(fan, points, s->dir, 1);
}

/* order: of the points, best first; F: their values, sorted with them. */
static void rank(const mean *s, const double *answers, size_t *order, double *F)
{
    size_t d = s->base.d, points = search_points(d);
    for (size_t k = 0; k < points; k++) {
        for (size_t j = 0; j < d; j++) s->work[j] = s->middle[j] + s->dir[k * d + j];
        double f = answers[k] + prox_value(s->base.psi, d, s->work);
        if (!isfinite(f)) f = INFINITY;
        size_t at = k;
        for (; at > 0 && F[at - 1] > f; at--) F[at] = F[at - 1], order[at] = order[at - 1];
        F[at] = f;
        order[at] = k;
    }
}

/* y = A^-1 y */
static void unroot(const mean *s, double *y)
{
    size_t d = s->base.d;
    for (size_t j = 0; j < d; j++)
        y[j] = (y[j] - vec_dot(j, s->root + j * d, y)) / s->root[j * d + j];
}

static void learn(mean *s, const size_t *order)
{
    size_t d = s->base.d, points = search_points(d);
    search *w = s->search;
    rates r = rates_of(s);
    double sum = 0, *y = s->image, *back = s->y;
    for (size_t k = 0; k < points / 2; k++) sum += weight(k, points);
    vec_zero(d, y);
    for (size_t k = 0; k < points / 2; k++)
        vec_add(d, weight(k, points) / sum / w->sigma, s->dir + order[k] * d, y);
    vec_add(d, w->sigma, y, s->middle);
    vec_copy(d, y, back);
    unroot(s, back);
    for (size_t j = 0; j < d; j++)
        s->pull[j] = (1 - r.pull) * s->pull[j] + sqrt(r.pull * (2 - r.pull) * r.mu) * back[j];
    double length = vec_norm(d, s->pull),
           usual = sqrt(1 - real_pow(1 - r.pull, 2 * (double)w->generation));
    int moves = length / usual < (1.4 + 2 / ((double)d + 1)) * r.chi;
    for (size_t j = 0; j < d; j++)
        s->path[j] =
            (1 - r.path) * s->path[j] + (moves ? sqrt(r.path * (2 - r.path) * r.mu) * y[j] : 0);
    vec_scale(d * d, 1 - r.one - r.many, s->spread);
    for (size_t j = 0; j < d; j++) vec_add(d, r.one * s->path[j], s->path, s->spread + j * d);
    for (size_t k = 0; k < points / 2; k++) {
        const double *row = s->dir + order[k] * d;
        double part = r.many * weight(k, points) / sum / (w->sigma * w->sigma);
        for (size_t j = 0; j < d; j++) vec_add(d, part * row[j], row, s->spread + j * d);
    }
    w->sigma *= real_exp(fmin(1, r.pull / r.damp * (length / r.chi - 1)));
}

/* Steps below what coordinates can show, a spread that is none, or nothing won for long. */
static int is_over(mean *s)
{
    const search *w = s->search;
    size_t d = s->base.d;
    double widest = 0, long_ago = 10 + ceil(30.0 * (double)d / (double)search_points(d));
    for (size_t j = 0; j < d; j++)
        widest = fmax(widest, w->sigma * sqrt(s->spread[j * d + j]) / s->size[j]);
    return !(widest > SEARCH_LEAST) || !(widest < 1e10) || !take_root(s, s->root) ||
           (double)w->idle > long_ago;
}

/* x is the best point so far; with noise, the centre of a generation that is better in the mean. */
static void keep_best(mean *s, const size_t *order, const double *F)
{
    method *m = &s->base;
    size_t points = search_points(m->d);
    double eps = s->noise->fixed > 0 ? 0 : mean_eps(s), value = F[0];
    for (size_t k = 1; k < points && eps > 0; k++) value += (F[k] - value) / (double)(k + 1);
    if (!(value < s->search->lowest - eps)) return;
    s->search->lowest = s->at->objective = value;
    for (size_t j = 0; j < m->d; j++)
        m->x[j] = s->middle[j] + (eps > 0 ? 0 : s->dir[order[0] * m->d + j]);
    m->step++;
    mean_measure_sizes(s);
}

verdict search_tell(mean *s, const double *answers)
{
    search *w = s->search;
    size_t order[MOST_POINTS];
    double F[MOST_POINTS];
    rank(s, answers, order, F);
    w->idle = F[0] < w->recent - 1e-10 * fabs(F[0]) ? 0 : w->idle + 1;
    w->recent = fmin(w->recent, F[0]);
    w->generation++;
    keep_best(s, order, F);
    if (isfinite(F[0])) learn(s, order);
    if (!is_over(s)) return GOES_ON;
    return w->lowest < w->begun ? LOWER : STILL;
}
