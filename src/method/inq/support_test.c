/* inq with noise: do components depend on their supports alone?
 * SPDX-License-Identifier: MIT
 *
 * A derivative may be 0 at x and not elsewhere. So supports are tested, when they are found, from time to time, and before
 * the run ends: each component once more, with all coordinates outside its support moved a long way, by p or, every other one,
 * by -p. That changes nothing but the ridge, by mu(+-x'p + p'p/2), which mu is measured by. What is left must be noise in
 * every component, and in the sums over those moved by p and by -p, which show what all have in common sqrt(n) times
 * better. */
#include "base/rng.h"
#include "base/vec.h"
#include "method/inq/support.h"

static double side(uint64_t i) { return i % 2 ? -1 : 1; }

static int values_known(const inq *s) { return s->points.valued == s->base.step + 1; }

void ask_outside(inq *s, zo_fan *fan)
{
    size_t d = s->base.d;
    support_move(s, s->work);
    plan_chunk(&s->plan, fan, s->chunk > SPREAD ? s->chunk : SPREAD);
    for (size_t e = 0; e < fan->ncomp; e++) {
        uint64_t i = fan->comp[e];
        if (!method_mine(&s->base, i)) continue;
        double *to = s->dir + e * d;
        size_t rank = support_rank(s, i);
        for (size_t j = 0; j < d; j++) to[j] = rank == WIDE ? 0 : side(i) * s->work[j];
        for (size_t k = 0; k < rank && rank < WIDE; k++) to[support_at(s, i, k)] = 0;
    }
    fan->own = fan->sides = 1;
    fan->known = values_known(s);
    fan->ndir = 1;
    fan->dir = s->dir;
    fan->radius = 1;
}

/* ---- What changes say --------------------------------------------------------------------------- */

typedef struct tally { /* numbers only: sums over components within a bound */
    double against, square, count;
    double up, down, up_count, down_count, far; /* what is left, of those moved by p and by -p */
    double error;
} tally;

/* What |x|^2/2 changes by; odd = x'p and even = p'p/2 where S_i is empty. */
static double ridge_change(const inq *s, uint64_t i, const double *p, double odd, double even)
{
    size_t rank = support_rank(s, i);
    if (rank == WIDE) return 0;
    for (size_t k = 0; k < rank; k++) {
        size_t j = support_at(s, i, k);
        odd -= s->base.x[j] * p[j];
        even -= 0.5 * p[j] * p[j];
    }
    return side(i) * odd + even;
}

static void count_change(tally *to, int up, double change, double far, double rest)
{
    to->against += change * far;
    to->square += far * far;
    to->count++;
    to->far += fabs(far);
    to->error += rest * rest;
    *(up ? &to->up : &to->down) += rest;
    *(up ? &to->up_count : &to->down_count) += 1;
}

/* left[i] = the change that mu does not explain. */
static tally tell_apart(inq *s, double mu, double bound, double *left)
{
    method *m = &s->base;
    double odd, even, *p = s->work;
    tally total;
    method_total sum;
    support_move(s, p);
    odd = vec_dot(m->d, m->x, p);
    even = 0.5 * vec_dot(m->d, p, p);
    total_open(&sum, m, sizeof total / 8, s->tree);
    for (uint64_t i = m->first; i < inq_end(s); i++) {
        tally *leaf = (tally *)total_leaf(&sum, i);
        if (!(inq_span(s, i)->bends > 0)) continue; /* its support is not known */
        double far = ridge_change(s, i, p, odd, even), change = inq_span(s, i)->weight;
        double rest = left[inq_at(s, i)] = change - mu * far;
        if (fabs(rest) <= bound) count_change(leaf, side(i) > 0, change, far, rest);
    }
    total_close(&sum, &total.against);
    return total;
}

/* Standard deviation of a change. */
static double noise_of(const inq *s) { return sqrt(2) * s->base.set.noise; }

/* Is what is left of both sums noise, as large as what is left of single components says, and, where mu was not measured by
 * them, what mu may be off by? */
static int is_noise(const inq *s, const tally *t)
{
    double off = s->supports.state == RULING ? s->outside.error * t->far : 0, one = noise_of(s),
           clear = changed_clear;
    if (t->count >= MANY) one = sqrt(t->error / t->count), clear = sum_clear;
    return fabs(t->up) <= clear * sqrt(one * one * t->up_count + off * off) &&
           fabs(t->down) <= clear * sqrt(one * one * t->down_count + off * off);
}

/* mu by least squares, the worst left out, unless that explains less; 0: it is not what it was before. */
static int measure_ridge(inq *s, double bound, double explained, double *left)
{
    double before = s->outside.mu, was = s->outside.error, mu = before, error = was,
           most = INFINITY;
    for (int k = 0; k < RIDGE_PASSES; k++) {
        tally t = tell_apart(s, mu, most, left);
        mu = t.square > 0 ? fmax(t.against / t.square, 0) : 0;
        error = t.square > 0 ? noise_of(s) / sqrt(t.square) : 0;
        t = tell_apart(s, mu, most, left);
        most = fmax(bound, outlying * sqrt(t.error / fmax(t.count, 1)));
    }
    if (mu < changed_clear * error) mu = error = 0; /* it is no more than noise */
    if (!(tell_apart(s, mu, bound, left).count >= still_explained * explained))
        mu = before, error = was;
    support_set_ridge(s, mu, error);
    return !(was > 0) || fabs(mu - before) <= changed_clear * (was + error);
}

/* ---- Judgement ---------------------------------------------------------------------------------- */

/* The queue: those with more left than the bound. */
static void list_changed(inq *s, double bound, const double *left)
{
    method *m = &s->base;
    for (size_t i = 0; i < m->count; i++)
        s->mark[i] = s->spans[i].bends > 0 && !(fabs(left[i]) <= bound);
    method_marks(m, s->mark, s->marks);
    plan_clear(&s->plan);
    for (uint64_t k = 0; k < s->supports.supported; k++)
        if (s->marks[s->plan.order[k]]) plan_add(&s->plan, s->plan.order[k]);
}

/* Most of the first sample, where asking them is not cheap, or more than all: what a gradient shows is not what components
 * depend on. */
static int too_many_changed(inq *s)
{
    uint64_t changed = s->plan.queued;
    return support_widened(s, changed) > 2 * s->base.n ||
           (s->supports.state == OF_SAMPLE && 4 * changed > 3 * s->supports.supported &&
            20 * changed > s->base.n);
}

support_verdict support_judge(inq *s)
{
    double bound = changed_clear * noise_of(s), *left = s->slope;
    int same = 1;
    tally t = tell_apart(s, s->outside.mu, bound, left);
    if (s->supports.state != RULING &&
        (s->outside.error > 0 || t.count < mostly * (double)s->supports.supported ||
         !is_noise(s, &t))) {
        same = measure_ridge(s, bound, t.count, left);
        t = tell_apart(s, s->outside.mu, bound, left);
    }
    if (s->supports.supported == s->base.n) inq_values_told(s, 1);
    list_changed(s, bound, left);
    int changed = s->plan.queued > 0,
        waits = changed || (s->supports.state == RULING &&
                            !s->supports.leaving); /* faint now, it may show in time */
    if ((!waits && (!same || !is_noise(s, &t))) || (changed && too_many_changed(s))) return WRONG;
    return changed ? CHANGED : COMPLETE;
}

void support_learn_test(inq *s, const double *answers)
{
    const zo_fan *fan = &s->base.fan;
    size_t set = zo_fan_set(fan);
    for (size_t e = 0; e < fan->ncomp; e++) {
        uint64_t i = fan->comp[e];
        if (!method_mine(&s->base, i)) continue;
        const double *a = answers + e * set;
        span *of = inq_span(s, i);
        if (!fan->known) inq_curve(s, i)->f = a[0];
        of->weight = fan->known ? a[0] - inq_curve(s, i)->f : a[1];
        of->bends = 1;
    }
}
