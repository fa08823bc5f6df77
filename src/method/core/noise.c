/* Values with noise.
 * SPDX-License-Identifier: MIT */
#include "method/core/noise.h"

#include "base/rng.h"
#include "base/vec.h"

static const double rungs[LADDER_RUNGS] = {1e-3, 1e-2, 0.1, 0.5}; /* of max(1, |x|_max) */
static const double ladder_clear = 5; /* standard errors of a bend that is seen */
static const double most_unit = 2;    /* radii grow with the length over which F bends, to this */

/* ---- How much ------------------------------------------------------------------------------------- */

void noise_ask(const method *m, const uint64_t *order, int again, uint64_t *comp, zo_fan *fan)
{
    size_t count = m->n < NOISE_REPEATED ? m->n : NOISE_REPEATED,
           times = again ? 1 + (NOISE_FREE + count - 1) / count : 2;
    for (size_t k = 0; k < times * count; k++) comp[k] = order[k % count];
    fan->each = 1;
    fan->comp = comp;
    fan->ncomp = times * count;
}

/* The variance of answers about the mean of their component; every component is in the question equally often. */
static double variance_of(const zo_fan *fan, size_t components, const double *answers)
{
    double sum = 0;
    for (size_t k = 0; k < components; k++) {
        double mean = 0, each = (double)(fan->ncomp / components);
        for (size_t e = k; e < fan->ncomp; e += components) mean += answers[e] / each;
        for (size_t e = k; e < fan->ncomp; e += components)
            sum += (answers[e] - mean) * (answers[e] - mean);
    }
    return sum / (double)(fan->ncomp - components);
}

int noise_learn(method *m, int again, const double *answers)
{
    size_t count = m->fan.ncomp / 2, components = count < m->n ? count : m->n;
    double sum = variance_of(&m->fan, components, answers);
    if (sum > 0 && m->fan.ncomp - components < NOISE_FREE && !again) return 0;
    m->set.noise = sqrt(sum);
    if (sum > 0) method_note(m, "noise %.2g (measured)", m->set.noise);
    return 1;
}

/* ---- Over which lengths F bends ------------------------------------------------------------------- */

double method_farthest(const method *m)
{
    double most = 1;
    for (size_t j = 0; j < m->d; j++) most = fmax(most, fabs(m->x[j]));
    return most;
}

void ladder_rows(const method *m, double *rows)
{
    size_t d = m->d;
    double far = method_farthest(m), *signs = rows + (LADDER_RUNGS - 1) * d;
    rng_signs(m->set.seed, FOR_CURVATURE, m->step, 0, d, signs);
    for (size_t k = 0; k < LADDER_RUNGS; k++)
        for (size_t j = 0; j < d; j++) rows[k * d + j] = rungs[k] * far * signs[j];
}

void ladder_ask(const method *m, const uint64_t *order, double *rows, zo_fan *fan)
{
    ladder_rows(m, rows);
    fan->comp = order;
    fan->ncomp = m->n < LADDER_MANY ? m->n : LADDER_MANY;
    ask_rows(fan, LADDER_RUNGS, rows, 2);
}

double ladder_unit(const method *m, const double *answers)
{
    double noise = sqrt(6) * m->set.noise / sqrt((double)m->fan.ncomp), far = method_farthest(m);
    for (size_t k = 0; k < LADDER_RUNGS; k++) {
        double bend = fabs(second_difference(&m->fan, answers, 0, k));
        if (isfinite(bend) && bend > ladder_clear * noise)
            return rungs[k] * far * sqrt((double)m->d / bend);
    }
    return INFINITY;
}

void ladder_radius(method *m, double unit, int longer)
{
    if (!isnan(m->set.radius) || !(unit > 0) || (unit >= 1 && !longer)) return;
    m->set.radius = fmin(unit, most_unit) * method_radius(m, 1) / fmax(1, vec_norm(m->d, m->x));
}
