/* inq: how exact values and differences are. Rounding, forward error, noise; and the radii that follow.
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>

#include "base/real.h"
#include "base/vec.h"
#include "method/component/accuracy.h"
#include "method/component/sample.h"
#include "method/core/noise.h"

/* ---- Noise --------------------------------------------------------------------------------------- */

double inq_noise(const inq *s) { return s->base.set.noise > 0 ? s->base.set.noise : 0; }

void ask_noise(inq *s, zo_fan *fan)
{
    noise_ask(&s->base, s->plan.order, s->scale.repeats > 0, s->comp, fan);
}

int inq_learn_noise(inq *s, const double *answers)
{
    int done = noise_learn(&s->base, s->scale.repeats > 0, answers);
    s->scale.repeats += !done;
    return done;
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
double inq_length(const inq *s, uint64_t i)
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

double inq_bend_radius(const inq *s, uint64_t i) { return inq_length(s, i) * inq_bend_part(s); }
double inq_renew_radius(const inq *s, uint64_t i) { return inq_length(s, i) * inq_renew_part(s); }

/* ---- Over which lengths does F bend, under noise? ------------------------------------------------- */

void ask_ladder(inq *s, zo_fan *fan) { ladder_ask(&s->base, s->plan.order, s->dir, fan); }

void inq_settle_radius(inq *s) { ladder_radius(&s->base, s->scale.unit, inq_doubted(s)); }

void inq_know_unit(inq *s, double unit)
{
    s->scale.unit = unit < INFINITY ? unit : 0;
    inq_settle_radius(s);
}

void inq_learn_ladder(inq *s, const double *answers)
{
    inq_know_unit(s, ladder_unit(&s->base, answers));
}

/* ---- How large things are ------------------------------------------------------------------------- */

static double height_of(const inq *s, uint64_t i) { return fabs(inq_curve(s, i)->f); }
static double steepness_of(const inq *s, uint64_t i)
{
    return inq_is_wall(s, i) ? 0 : square(inq_curve(s, i)->size);
}
static double steepness_now(const inq *s, uint64_t i)
{
    const curve *c = inq_curve(s, i);
    return inq_is_wall(s, i) ? 0 : square(curve_at(c, c->now).slope);
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

void inq_measure(inq *s)
{
    measure(s, height(s), steepness_of);
    if (!(s->scale.first > 0)) s->scale.first = s->scale.value;
    s->base.height = fmax(s->base.height, s->scale.first);
}

/* Is the mean height above this for sure? No height is below 0: mostly a part of them says so. Ranks have but their own. */
static int stands_above(inq *s, double least)
{
    double sum = 0, enough = (1 + no_doubt) * least * (double)s->sample.filled;
    inq_list(s);
    for (size_t k = 0; k < s->listed && sum <= enough && !s->base.together; k++)
        sum += s->voices[inq_at(s, s->list[k])].all * height_of(s, s->list[k]);
    return sum > enough;
}

/* Far below the start what was small there is not small any more: errors, and the radii that follow from them, are those of x. */
void inq_measure_again(inq *s)
{
    double least = fallen * s->scale.value;
    if (stands_above(s, least)) return;
    double now = height(s);
    if (now < least) measure(s, now, steepness_now);
}
