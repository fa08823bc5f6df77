/* inq: how exact values and differences are. Rounding, forward error, noise; and the radii that follow.
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>

#include "base/real.h"
#include "base/rng.h"
#include "base/vec.h"
#include "method/inq/inq.h"

/* ---- Noise --------------------------------------------------------------------------------------- */

double inq_noise(const inq *s) { return s->base.set.noise > 0 ? s->base.set.noise : 0; }

/* The first few components twice: an answer that is not the same again is noisy. Where that was fewer repetitions than
 * one can measure noise by, all of them so often that it is enough. */
void ask_noise(inq *s, zo_fan *fan)
{
    size_t count = s->base.n < REPEATED ? s->base.n : REPEATED,
           times = s->scale.repeats ? 1 + (FREE + count - 1) / count : 2;
    for (size_t k = 0; k < times * count; k++) s->comp[k] = s->plan.order[k % count];
    fan->each = 1;
    fan->comp = s->comp;
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

/* Of components asked several times; 0: too few to go by. */
int inq_learn_noise(inq *s, const double *answers)
{
    method *m = &s->base;
    size_t count = m->fan.ncomp / 2, components = count < m->n ? count : m->n;
    double sum = variance_of(&m->fan, components, answers);
    if (sum > 0 && m->fan.ncomp - components < FREE && !s->scale.repeats++) return 0;
    m->set.noise = sqrt(sum);
    if (sum > 0) method_note(m, "noise %.2g (measured)", m->set.noise);
    return 1;
}

/* ---- Errors -------------------------------------------------------------------------------------- */

double inq_unseen(const inq *s)
{
    return method_unseen(&s->base, s->step.objective, s->scale.value);
}

/* What a value near f may be off by: so many roundings, or what is known as noise. */
double inq_coarse(const inq *s, double times, double f)
{
    double rounding = DBL_EPSILON * fabs(f), noise = inq_noise(s);
    return (2 * noise >= rounding ? 0 : times * rounding) + noise_clear * noise;
}

/* How large a difference gradient with radius r rounding, noise, an error of mu and the bends along the axes make of
 * nothing; far = |x|. */
double inq_blur_at(const inq *s, double r, double far, double f, double bend)
{
    const method *m = &s->base;
    double rounding = inq_coarse(s, roundings_of_slope, f);
    double forward = m->set.sides == 1 ? r : 0, side = sqrt((double)m->d), mu = s->ridge.mu;
    double curved = forward * ((inq_noise(s) > 0 ? 1 : bent_axes) * fabs(bend) + side * mu);
    return rounding * side / r + fmax(mu_exact * mu, mu_standard * s->ridge.error) * far + curved;
}

int inq_measured(const inq *s) { return s->scale.value > least_scale; }

/* ---- Radii --------------------------------------------------------------------------------------- */

/* Radii along u_i: a small part of the length over which f_i bends, and where answers are noisy as much more
 * as keeps the difference above the noise. */
static double length_of(const inq *s, uint64_t i)
{
    double size = inq_curve(s, i)->size, value = s->scale.value;
    if (!inq_measured(s)) value = fmax(value, fabs(inq_curve(s, i)->f)); /* all were 0 so far */
    return size > 0 ? fmin(s->scale.length, value / size) : s->scale.length;
}

double inq_bend_part(const inq *s)
{
    double noise = inq_noise(s);
    return noise > 0 ? fmax(bend_away, noisy_bend * sqrt(sqrt(noise / s->scale.value))) : bend_away;
}

double inq_renew_part(const inq *s)
{
    double noise = inq_noise(s);
    return noise > 0 ? fmax(renew_away, noisy_renewal * real_cbrt(noise / s->scale.value))
                     : renew_away;
}

double inq_bend_radius(const inq *s, uint64_t i) { return length_of(s, i) * inq_bend_part(s); }
double inq_renew_radius(const inq *s, uint64_t i) { return length_of(s, i) * inq_renew_part(s); }

/* ---- Over which lengths does F bend, under noise? ------------------------------------------------- */

/* No axis needs a longer radius than this. */
double inq_farthest(const inq *s)
{
    double most = 1;
    for (size_t j = 0; j < s->base.d; j++) most = fmax(most, fabs(s->base.x[j]));
    return most;
}

/* One direction of signs at several lengths: how far is it until F bends? */
void ask_ladder(inq *s, zo_fan *fan)
{
    size_t d = s->base.d;
    double far = inq_farthest(s);
    rng_signs(s->base.set.seed, FOR_CURVATURE, s->base.step, 0, d, s->work);
    for (size_t k = 0; k < RUNGS; k++)
        for (size_t j = 0; j < d; j++) s->dir[k * d + j] = rungs[k] * far * s->work[j];
    fan->comp = s->plan.order;
    fan->ncomp = s->base.n < MANY ? s->base.n : MANY;
    ask_rows(fan, RUNGS, s->dir, 2);
}

/* The radius that is best for values of single components: where F bends by h along an axis, unit = 1/sqrt(h) times what it
 * is for h = 1. The automatic one grows with |x|, which serves curves well, but nothing else, and is far too long where
 * unit is below 1. */
void inq_settle_radius(inq *s)
{
    method *m = &s->base;
    double unit = s->scale.unit;
    if (!isnan(m->set.radius) || !(unit > 0) || (unit >= 1 && !inq_doubted(s))) return;
    m->set.radius = fmin(unit, most_unit) * method_radius(m, 1) / fmax(1, vec_norm(m->d, m->x));
}

/* The shortest length at which the bend stands clear gives the radius for all axes. */
void inq_learn_ladder(inq *s, const double *answers)
{
    const method *m = &s->base;
    double noise = sqrt(6) * s->base.set.noise / sqrt((double)m->fan.ncomp), unit = INFINITY,
           far = inq_farthest(s);
    for (size_t k = 0; k < RUNGS; k++) {
        double length = rungs[k] * far, bend = fabs(second_difference(&m->fan, answers, 0, k));
        if (!isfinite(bend) || !(bend > ladder_clear * noise)) continue;
        unit = length * sqrt((double)m->d / bend);
        break;
    }
    s->scale.unit = unit < INFINITY ? unit : 0;
    inq_settle_radius(s);
}

/* ---- How large things are ------------------------------------------------------------------------- */

static double height_of(const inq *s, uint64_t i) { return fabs(inq_curve(s, i)->f); }
static double steepness_of(const inq *s, uint64_t i) { return square(inq_curve(s, i)->size); }
static double steepness_now(const inq *s, uint64_t i)
{
    const curve *c = inq_curve(s, i);
    return square(curve_at(c, c->now).slope);
}

static void measure(inq *s, double height, double (*steepness)(const inq *s, uint64_t i))
{
    double steep = sqrt(inq_total(s, steepness) / (double)s->sample.filled);
    double far = fmax(1, vec_norm(s->base.d, s->base.x));
    if (height < no_height * steep * far) height = guessed_height * steep * far;
    s->scale.value = fmax(height, least_scale);
    s->scale.steep = steep;
    s->scale.length =
        fmin(fmax(s->scale.value / fmax(steep, least_scale), shortest * far), longest * far);
}

static double height(inq *s) { return inq_total(s, height_of) / (double)s->sample.filled; }

void inq_measure(inq *s) { measure(s, height(s), steepness_of); }

/* Far below the start what was small there is not small any more: errors, and the radii that follow from them, are those of x. */
void inq_measure_again(inq *s)
{
    double now = height(s);
    if (now < fallen * s->scale.value) measure(s, now, steepness_now);
}
