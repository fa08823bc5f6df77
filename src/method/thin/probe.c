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
static const double questions = 3;     /* for an entry */

/* Part k: coordinates whose random number is below 4^-(k + 1). */
void thin_ask_probe(thin *t, zo_fan *fan)
{
    method *m = &t->base;
    double count[LEVELS] = {0}, away = probe_away * thin_size_of_x(m);
    vec_zero(LEVELS * m->d, t->own);
    thin_touched(t, LEVELS);
    for (size_t j = 0; j < m->d; j++) {
        double u = rng_uniform(m->set.seed, FOR_CHECK, 0, j);
        for (size_t k = 0; k < LEVELS && (u *= 4) < 1; k++) t->own[k * m->d + j] = 1, count[k]++;
    }
    for (size_t k = 0; k < LEVELS; k++)
        vec_scale(m->d, away / sqrt(fmax(1, count[k])), t->own + k * m->d);
    fan->comp = t->list;
    fan->ncomp = m->n < PROBED ? m->n : PROBED;
    ask_rows(fan, LEVELS, t->own, 2);
}

/* What component e has along part k beyond a ridge. */
typedef struct part {
    double slope, bend, error; /* error: of the bend, by rounding */
} part;

static part part_of(const thin *t, const double *told, size_t k)
{
    size_t d = t->base.d;
    const double *row = t->own + k * d;
    double square = vec_dot(d, row, row), up = told[1 + 2 * k], down = told[2 + 2 * k];
    double error = rounded * DBL_EPSILON * fabs(told[0]) / square;
    return (part){0.5 * (up - down), (up + down) / square, error};
}

/* The bend that most of the smallest parts have; NaN: no four do. */
static double common_bend(const thin *t, const double *answers, size_t count)
{
    part all[PROBED * LAST_LEVELS];
    size_t of = 0, set = 1 + 2 * LEVELS, best = 0;
    double mu = NAN;
    for (size_t e = 0; e < count; e++)
        for (size_t k = LEVELS - LAST_LEVELS; k < LEVELS; k++) {
            part p = part_of(t, answers + e * set, k);
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
static double levels_of(const thin *t, const double *told, double mu)
{
    double count = 0;
    for (size_t k = 0; k < LEVELS; k++) {
        part p = part_of(t, told, k);
        double ridge = mu * vec_dot(t->base.d, t->own + k * t->base.d, t->base.x);
        double least = rounded * DBL_EPSILON * fabs(told[0]) + 2 * agrees * fabs(ridge);
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
    for (size_t e = 0; e < count; e++)
        sum += levels_of(t, answers + e * (1 + 2 * LEVELS), t->probe.mu);
    t->probe.entries = real_pow(4, sum / (double)count);
    t->probe.zoom = zoom_of(t, answers, count);
    int full = sum > (LEVELS - 0.5) * (double)count; /* no part is without entries */
    int many = isnan(t->probe.mu) || full || thin_price(t) > few_part * (double)m->d;
    return many ? "gradients of components have many entries" : NULL;
}
