/* inq with noise: what a gradient shows of the coordinates that a component depends on, and what is kept of it.
 * SPDX-License-Identifier: MIT
 *
 * A difference gradient shows what a component depends on: the entries that stand clear of noise. Where most of the first
 * sample have a few each, and bend across their gradients too, all components are asked in full once, and from then on
 * along their supports (support_look.c), as long as these stand the test (support_test.c). Components that fail it are
 * asked in full at the moved point; too many of them, and there are no supports. */
#include "method/inq/support.h"

#include "base/rng.h"
#include "base/vec.h"

static double square(double v) { return v * v; }

/* More are not a few. */
static size_t most_axes(const inq *s)
{
    size_t few = s->base.d / SUPPORT_PART;
    return few < s->layers ? few : s->layers;
}

void support_add(inq *s, uint64_t i, size_t j)
{
    size_t rank = support_rank(s, i);
    if (rank == WIDE) return;
    for (size_t k = 0; k < rank; k++)
        if (support_at(s, i, k) == j) return;
    if (rank < most_axes(s))
        inq_layer(s, i, 0)[rank++] = (float)j;
    else
        rank = WIDE;
    inq_span(s, i)->rank = (double)rank;
}

/* slope: of d numbers, each with an error. */
static void find_support(inq *s, uint64_t i, const double *slope, double error)
{
    *inq_span(s, i) = (span){0};
    for (size_t j = 0; j < s->base.d; j++)
        if (fabs(slope[j]) > shown_clear * error) support_add(s, i, j);
}

/* Standard error of a difference gradient of radius r. */
static double slope_error(const inq *s, double r)
{
    return s->base.set.noise * (s->base.set.sides == 1 ? sqrt(2) : sqrt(0.5)) / r;
}

/* Wide components cost 2d queries in every look. */
int support_too_wide(inq *s)
{
    uint64_t wide = 0;
    inq_mark_ranks(s);
    for (uint64_t k = 0; k < s->supports.supported; k++) wide += s->marks[s->plan.order[k]] == WIDE;
    return wide > 1 + s->supports.supported / s->base.d;
}

/* Those with no support at all say nothing. */
static int some_depend(const inq *s)
{
    uint64_t count = 0;
    for (uint64_t k = 0; k < s->supports.supported; k++) count += s->marks[s->plan.order[k]] > 0;
    return 2 * count > s->supports.supported;
}

/* What a difference quotient makes of |x|^2/2. */
static double ridge_slope(const inq *s, size_t j)
{
    return s->base.x[j] + (s->base.set.sides == 1 ? 0.5 * method_radius(&s->base, 1) : 0);
}

/* size u_i, without the ridge. */
static const double *slopes_of(inq *s, uint64_t i)
{
    for (size_t j = 0; j < s->base.d; j++)
        s->work[j] = inq_curve(s, i)->size * inq_row(s, i)[j] - s->outside.mu * ridge_slope(s, j);
    return s->work;
}

/* mu by least squares over all slopes of the sample; most are 0 but for the ridge, and those that are not are left out as
 * they are found out. */
static void guess_ridge(inq *s, double error)
{
    method *m = &s->base;
    double bound = INFINITY;
    for (int k = 0; k < GUESSES; k++) {
        double sum[4]; /* J'x, x'x, J'J, count */
        method_total total;
        total_open(&total, m, 4, s->tree);
        for (uint64_t i = m->first; i < inq_end(s); i++) {
            double *leaf = total_leaf(&total, i);
            if (!(s->asked[i].full > 0)) continue;
            const double *slope = slopes_of(s, i);
            for (size_t j = 0; j < m->d; j++) {
                if (!(fabs(slope[j]) <= bound)) continue;
                leaf[0] += slope[j] * ridge_slope(s, j);
                leaf[1] += square(ridge_slope(s, j));
                leaf[2] += slope[j] * slope[j];
                leaf[3]++;
            }
        }
        total_close(&total, sum);
        if (!(sum[1] > 0)) return;
        s->outside.mu = fmax(s->outside.mu + sum[0] / sum[1], 0);
        bound = fmax(shown_clear * error, outlying_slope * sqrt(sum[2] / sum[3]));
        if (s->outside.mu < changed_clear * error / sqrt(sum[1])) s->outside.mu = 0;
    }
}

double support_mean_rank(const inq *s)
{
    double sum = 0;
    for (uint64_t k = 0; k < s->supports.supported; k++) sum += s->marks[s->plan.order[k]];
    return fmax(sum / (double)s->supports.supported, 1);
}

/* Can the horizon pay for finding all supports, and four looks along them? */
static int is_paid_for(const inq *s)
{
    double n = (double)s->base.n, d = (double)s->base.d,
           left = s->base.set.horizon - (double)s->sample.asked;
    double rank = support_mean_rank(s), find = fmin(2 * sqrt(rank * d), d),
           look = rank * (rank + 3) / 2 + 1;
    return !(s->base.set.horizon > 0) || left > n * (find + LEAST_LOOKS * fmin(look, 2 * rank + d));
}

int support_may_be(const inq *s)
{
    const method *m = &s->base;
    return s->supports.state == NOT_SOUGHT && s->points.count <= 1 &&
           m->set.noise > rounded_only * s->scale.value && s->dense && m->set.own &&
           !m->means_only && most_axes(s) > 0 && inq_rule(s, RULE_SUPPORTS);
}

int support_from_gradients(inq *s)
{
    const method *m = &s->base;
    double error = slope_error(s, method_radius(m, 1));
    s->outside = (struct outside){0};
    guess_ridge(s, error);
    for (uint64_t i = m->first; i < inq_end(s); i++)
        if (s->asked[i].full > 0) find_support(s, i, slopes_of(s, i), error);
    if (support_too_wide(s) || !some_depend(s) || !is_paid_for(s)) return 0;
    return 1;
}

/* Of each component its direction is known, and with it its support. */
int support_from_curves(inq *s)
{
    const method *m = &s->base;
    s->outside = (struct outside){.mu = s->ridge.mu};
    inq_values_told(s, 0);
    for (uint64_t i = m->first; i < inq_end(s); i++) {
        const curve *c = inq_curve(s, i);
        double r = method_radius(m, 1),
               far = vec_norm(m->d, s->point + ((size_t)c->point - 1) * m->d);
        if (isnan(m->set.radius)) r *= fmax(1, far) / fmax(1, vec_norm(m->d, m->x)); /* of then */
        for (size_t j = 0; j < m->d; j++) s->work[j] = c->size * inq_row(s, i)[j];
        find_support(s, i, s->work, slope_error(s, r));
    }
    return !support_too_wide(s);
}

/* The error of u_i: of how large an angle. */
double support_error(const inq *s, uint64_t i)
{
    double size = inq_curve(s, i)->size, rank = (double)support_rank(s, i);
    return size > 0 ? sqrt(rank) * slope_error(s, method_radius(&s->base, 1)) / size : INFINITY;
}

/* As long as differences of gradients are, or longer: what two coordinates do together shows. */
double support_move(inq *s, double *p)
{
    const method *m = &s->base;
    double part = rng_uniform(m->set.seed, FOR_SUPPORT, s->supports.tests, m->d);
    double length = (move_least + move_more * part) *
                    fmax(inq_farthest(s), 2 * method_radius(m, 1)); /* as gradients */
    rng_signs(m->set.seed, FOR_SUPPORT, s->supports.tests, 1, m->d, p);
    vec_scale(m->d, length, p);
    return length;
}

double support_noise(const inq *s)
{
    double sum = 0;
    for (size_t j = 0; j < s->base.d; j++) sum += s->level[j];
    return sum;
}

void support_set_ridge(inq *s, double mu, double error)
{
    s->outside.mu = mu;
    s->outside.error = error;
}

uint64_t support_widened(inq *s, uint64_t more) { return s->outside.widened += more; }
