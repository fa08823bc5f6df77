/* thin: the ridge that all components share, and how many entries their gradients have.
 * Parts of the coordinates that hold no entry change f by the ridge alone.
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>

#include "base/real.h"
#include "base/rng.h"
#include "base/vec.h"
#include "method/thin/thin.h"

enum {
    LAST_LEVELS = 2, /* most of these hold no entry: these agree on mu, */
    AGREE = 4,       /* half of them at least */
    FAR = 100        /* usual radii: the longest question */
};
static const double probe_away = 1e-2; /* of max(1, |x|) */
static const double agrees = 1e-6;     /* of mu */
static const double steepest = 1e-2;   /* of f: what the longest question may change it by */
static const double few_part = 0.5;    /* of d: queries for a component that has few entries */
static const double questions = 2.5;   /* for an entry */
enum { LARGE_LEVELS = 3 }; /* of these some hold entries: they say how steep components are */

static double sign_of(const thin *t, size_t j) { return t->splitter->weight[0][j] < 1.5 ? -1 : 1; }

/* Part k of component e: coordinates whose random number is below 4^-(k + 1), with random signs and weights, so that entries do not cancel.
 * Each has parts of its own: components have coordinates in common, so that the same parts would say the same of all. */
static void draw_parts(const thin *t, size_t e, double *rows)
{
    const method *m = &t->base;
    double away = probe_away * thin_size_of_x(m);
    vec_zero(LEVELS * m->d, rows);
    for (size_t j = 0; j < m->d; j++) {
        double u = rng_uniform(m->set.seed, FOR_CHECK, e, j);
        for (size_t k = 0; k < LEVELS && (u *= 4) < 1; k++)
            rows[k * m->d + j] = sign_of(t, j) * t->splitter->weight[1][j];
    }
    for (size_t k = 0; k < LEVELS; k++)
        vec_scale(m->d, away / fmax(1, vec_norm(m->d, rows + k * m->d)), rows + k * m->d);
}

void thin_ask_probe(thin *t, zo_fan *fan)
{
    size_t d = t->base.d, n = t->base.n;
    fan->comp = t->list;
    fan->ncomp = n < PROBED ? n : PROBED;
    fan->own = 1;
    for (size_t e = 0; e < fan->ncomp; e++) draw_parts(t, e, t->own + e * LEVELS * d);
    thin_touched(t, fan->ncomp * LEVELS);
    ask_rows(fan, LEVELS, t->own, 2);
}

static const double *part_row(const thin *t, size_t e, size_t k)
{
    return t->own + (e * LEVELS + k) * t->base.d;
}

/* What component e has along part k. */
typedef struct part {
    double slope, bend, error; /* error: of the bend, by rounding */
} part;

static part part_of(const thin *t, const double *answers, size_t e, size_t k)
{
    size_t d = t->base.d;
    const double *row = part_row(t, e, k), *told = answers + e * (1 + 2 * LEVELS);
    double square = vec_dot(d, row, row), up = told[1 + 2 * k], down = told[2 + 2 * k];
    double error = rounded * DBL_EPSILON * fabs(told[0]) / square;
    return (part){0.5 * (up - down), (up + down) / square, error};
}

/* The bend that most of the smallest parts have; NaN: no four do. */
static double common_bend(const thin *t, const double *answers, size_t count)
{
    part all[PROBED * LAST_LEVELS];
    size_t of = 0, best = 0;
    double mu = NAN;
    for (size_t e = 0; e < count; e++)
        for (size_t k = LEVELS - LAST_LEVELS; k < LEVELS; k++) {
            part p = part_of(t, answers, e, k);
            if (isfinite(p.bend)) all[of++] = p;
        }
    for (size_t a = 0; a < of; a++) {
        size_t same = 0;
        for (size_t b = 0; b < of; b++)
            same += fabs(all[a].bend - all[b].bend) <=
                    agrees * fabs(all[a].bend) + all[a].error + all[b].error;
        if (same > best) best = same, mu = fabs(all[a].bend) > all[a].error ? all[a].bend : 0;
    }
    return best >= AGREE * count / PROBED ? mu : NAN;
}

/* Parts in which component e has an entry. */
static double levels_of(const thin *t, const double *answers, size_t e, double mu)
{
    double f = answers[e * (1 + 2 * LEVELS)];
    double count = 0;
    for (size_t k = 0; k < LEVELS; k++) {
        part p = part_of(t, answers, e, k);
        double ridge = mu * vec_dot(t->base.d, part_row(t, e, k), t->base.x);
        double least = rounded * DBL_EPSILON * fabs(f) + 2 * agrees * fabs(ridge);
        count +=
            fabs(p.slope - ridge) > least || fabs(p.bend - mu) > 2 * (agrees * fabs(mu) + p.error);
    }
    return count;
}

/* By how much of itself will f change along the weights, FAR radii away? Steep f is asked nearer. */
static double zoom_of(const thin *t, const double *answers, size_t count)
{
    const method *m = &t->base;
    double moved = probe_away * thin_size_of_x(m), most = 0;
    double far = 2 * FAR * method_radius(m, 1) * sqrt((double)m->d);
    for (size_t e = 0; e < count; e++) {
        const double *told = answers + e * (1 + 2 * LEVELS);
        most = fmax(most, fabs(told[1] - told[2]) / moved * far / fmax(fabs(told[0]), DBL_MIN));
    }
    return isnan(m->set.radius) ? fmin(1, steepest / most) : 1;
}

/* E|g_i|^2: a part's direction has a square of d |g'u|^2 in it, where parts and signs are random. */
static double steepness(const thin *t, const double *answers, size_t count)
{
    const method *m = &t->base;
    double sum = 0, away = probe_away * thin_size_of_x(m);
    for (size_t e = 0; e < count; e++)
        for (size_t k = 0; k < LARGE_LEVELS; k++) {
            double ridge = t->probe.mu * vec_dot(m->d, part_row(t, e, k), m->x);
            double slope = (part_of(t, answers, e, k).slope - ridge) / away;
            sum += slope * slope;
        }
    return (double)m->d * sum / (double)(count * LARGE_LEVELS);
}

/* Of f that falls by size while x goes so far in all directions: what psi takes. */
static double share_of_psi(const thin *t, double far, double size)
{
    const method *m = &t->base;
    double each = far / sqrt((double)m->d);
    for (size_t j = 0; j < m->d; j++) t->full[j] = m->x[j] + each * sign_of(t, j);
    return (prox_value(m->psi, m->d, t->full) - prox_value(m->psi, m->d, m->x)) / size;
}

/* The part of f that random directions bring down with H queries. k of them, of four components each, bring
 *     k |g|^4/(G tr/4 + k g'Hg)/2,  G = E|g_i|^2,  tr = G/(2|f|) + d mu, what f would bend by if it fell to 0 along g_i, and the ridge;
 * where components have nothing in common |g|^2 = G/n and g'Hg = |g|^2 tr/n, and k = H/4: H/(H + n^2 (1 + 2 d mu |f|/G)).
 * x has to go |f| n sqrt(d/(H G)) for that, and what psi takes of a slope is taken twice: of what is won, and of how far it is worth to go. */
static double by_random(const thin *t, const double *answers, size_t count)
{
    const method *m = &t->base;
    double n = (double)m->n, d = (double)m->d, horizon = m->set.horizon, size = 0;
    double steep = steepness(t, answers, count);
    for (size_t e = 0; e < count; e++) size += fabs(answers[e * (1 + 2 * LEVELS)]) / (double)count;
    if (!(horizon < INFINITY) || !(steep > 0) || !(size > 0)) return 0;
    double bends = 1 + 2 * d * fmax(t->probe.mu, 0) * size / steep;
    double share = share_of_psi(t, size * n * sqrt(d / (horizon * steep)), size),
           left = fmin(fmax(1 - share, 0), 1);
    return horizon / (horizon + n * n * bends) * left * left;
}

/* Queries for a component. */
double thin_price(const thin *t) { return questions * (t->probe.entries + 2); }

const char *thin_tell_probe(thin *t, const double *answers)
{
    method *m = &t->base;
    size_t count = m->fan.ncomp;
    double sum = 0;
    if (m->d < LEAST_D || !prox_is_loose(m->psi, m->d) || m->set.noise > 0)
        return "thin is not for this";
    t->probe.mu = common_bend(t, answers, count);
    for (size_t e = 0; e < count; e++) sum += levels_of(t, answers, e, t->probe.mu);
    t->probe.entries = real_pow(4, sum / (double)count);
    t->probe.zoom = zoom_of(t, answers, count);
    t->probe.random = by_random(t, answers, count);
    int full = sum > (LEVELS - 0.5) * (double)count; /* no part is without entries */
    int many = isnan(t->probe.mu) || full || thin_price(t) > few_part * (double)m->d;
    return many ? "gradients of components have many entries" : NULL;
}
