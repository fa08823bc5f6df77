/* supports: do components depend on their supports alone, and through several indices?
 * SPDX-License-Identifier: MIT
 *
 * A derivative may be 0 at x and not elsewhere. So supports are tested, when they are found, from time to time, and before
 * the run ends: each component once more, with all coordinates outside its support moved a long way, by p or, every other one,
 * by -p. That changes nothing but the ridge, by mu(+-x'p + p'p/2), which mu is measured by. What is left must be noise in
 * every component, and in the sums over those moved by p and by -p, which show what all have in common sqrt(n) times
 * better. */
#include <float.h>

#include "base/real.h"
#include "method/supports/supports.h"

/* ---- The ridge ----------------------------------------------------------------------------------- */

void support_tally(tally *to, double y, double a, double mu, double bound, int up)
{
    double rest = y - mu * a;
    if (!(fabs(rest) <= bound)) return;
    to->against += y * a;
    to->square += a * a;
    to->error += rest * rest;
    to->count++;
    to->far += fabs(a);
    *(up ? &to->up : &to->down) += rest;
}

static tally tally_of(const method *m, support_observe each, void *ctx, double mu, double bound)
{
    double tree[SUM_DEPTH * sizeof(tally) / sizeof(double)];
    tally total;
    method_total sum;
    total_open(&sum, m, sizeof total / sizeof(double), tree);
    for (uint64_t i = m->first; i < m->first + m->count; i++)
        each(ctx, i, mu, bound, (tally *)(void *)total_leaf(&sum, i));
    total_close(&sum, (double *)(void *)&total);
    return total;
}

/* By least squares; what lies far off is left out, as it is found out. */
struct outside support_fit_ridge(const method *m, support_observe each, void *ctx, double noise)
{
    double mu = 0, error = 0, bound = INFINITY;
    for (int k = 0; k < RIDGE_PASSES; k++) {
        tally t = tally_of(m, each, ctx, mu, bound);
        mu = t.square > 0 ? fmax(t.against / t.square, 0) : 0;
        error = t.square > 0 ? noise / sqrt(t.square) : 0;
        bound = fmax(changed_clear * noise, outlying * sqrt(t.error / fmax(t.count, 1)));
    }
    if (mu < changed_clear * error) mu = error = 0; /* it is no more than noise */
    return (struct outside){.mu = mu, .error = error};
}

void support_known_ridge(supports *s, double mu) { s->outside = (struct outside){.mu = mu}; }

/* ---- Outside of supports -------------------------------------------------------------------------- */

/* far = what |x|^2/2 has changed by, of each of mine that was tested. */
static void measure_moves(supports *s)
{
    double *p = s->work, *x = s->base.x;
    support_move(s, p);
    double all = vec_dot(s->base.d, x, p), squares = 0.5 * vec_dot(s->base.d, p, p);
    for (uint64_t i = s->base.first; i < support_end(s); i++) {
        double *far = &s->far[support_place(s, i)];
        *far = support_side(i) * all + squares;
        for (size_t k = 0; k < support_count(s, i); k++) {
            size_t j = support_at(s, i, k);
            *far -= support_side(i) * x[j] * p[j] + 0.5 * p[j] * p[j];
        }
    }
}

static void observe_changes(void *ctx, uint64_t i, double mu, double bound, tally *to)
{
    const supports *s = ctx;
    if (support_of(s, i)->open > 0)
        support_tally(to, support_of(s, i)->change, s->far[support_place(s, i)], mu, bound,
                      support_side(i) > 0);
}

/* Standard deviation of a change. */
static double noise_of(const supports *s) { return sqrt(2) * s->base.set.noise; }

static tally left_over(supports *s)
{
    return tally_of(&s->base, observe_changes, s, s->outside.mu, changed_clear * noise_of(s));
}

/* Is what is left of both sums noise, as large as what is left of single components says, and, where mu was not measured by
 * them, what mu may be off by? */
static int is_noise(const supports *s, const tally *t)
{
    double off = s->at.state == RULING ? s->outside.error * t->far : 0, one = noise_of(s),
           clear = changed_clear;
    if (t->count >= MANY) one = sqrt(t->error / t->count), clear = sum_clear;
    double most = clear * sqrt(one * one * t->count + off * off);
    return fabs(t->up - t->down) <= most && fabs(t->up + t->down) <= most;
}

/* mu anew; 0: it is not what it was before. */
static int measure_ridge(supports *s)
{
    struct outside before = s->outside;
    s->outside = support_fit_ridge(&s->base, observe_changes, s, noise_of(s));
    s->outside.widened = before.widened;
    return !(before.error > 0) ||
           fabs(s->outside.mu - before.mu) <= changed_clear * (before.error + s->outside.error);
}

/* Intervals stay open where more is left than noise. */
static void close_unchanged(supports *s)
{
    for (uint64_t i = s->base.first; i < support_end(s); i++) {
        double rest = support_of(s, i)->change - s->outside.mu * s->far[support_place(s, i)];
        if (fabs(rest) <= changed_clear * noise_of(s)) support_of(s, i)->open = 0;
    }
}

support_verdict support_judge(supports *s)
{
    int same = 1, ruling = s->at.state == RULING;
    measure_moves(s);
    if (!ruling) same = measure_ridge(s);
    tally t = left_over(s);
    close_unchanged(s);
    if (support_listed(s)) {
        s->outside.widened += s->plan.queued;
        return s->outside.widened > 2 * s->base.n ? WRONG : CHANGED;
    }
    if (ruling && !s->at.leaving) return COMPLETE; /* faint now, it may show in time */
    return same && is_noise(s, &t) ? COMPLETE : WRONG;
}

/* ---- Within supports ------------------------------------------------------------------------------ */

/* Of its slopes: how large an angle. Where noise, or the error of forward differences, may be all there is: any. */
static double angle_error(const supports *s, uint64_t i)
{
    const method *m = &s->base;
    const support *of = support_of(s, i);
    double size = vec_norm(m->d, support_row(s, i)), r = method_radius(m, 1),
           hidden = slope_clear * m->set.noise * sqrt((double)m->d) / r;
    if (m->set.sides == 1) hidden += r * fabs(of->bend);
    return size > hidden ? sqrt(of->rank) * of->error / size : INFINITY;
}

/* v = signs within S_i, without what is along u_i; as long as the move of a test. 0: it says nothing. */
static int put_across(supports *s, uint64_t i, double length, double *v)
{
    size_t d = s->base.d, rank = support_rank(s, i);
    const double *u = support_row(s, i);
    double along = 0, part = 0;
    vec_zero(d, v);
    if (rank < 2 || rank == WIDE || !(angle_error(s, i) < most_angle)) return 0;
    for (size_t k = 0; k < rank; k++) {
        size_t j = support_at(s, i, k);
        along += s->work[j] * u[j];
        part += u[j] * u[j];
    }
    for (size_t k = 0; k < rank; k++) {
        size_t j = support_at(s, i, k);
        v[j] = s->work[j] - along / part * u[j];
    }
    double far = vec_norm(d, v);
    vec_scale(d, far > 0 ? length / far : 0, v);
    return far > 0;
}

void support_measure(supports *s)
{
    const method *m = &s->base;
    double tree[SUM_DEPTH * 2], sum[2], count = (double)s->at.sampled;
    method_total total;
    total_open(&total, m, 2, tree);
    for (uint64_t i = m->first; i < support_end(s); i++) {
        if (!support_is_sampled(s, i)) continue;
        double *leaf = total_leaf(&total, i);
        leaf[0] += fabs(support_of(s, i)->f);
        leaf[1] += vec_dot(m->d, support_row(s, i), support_row(s, i));
    }
    total_close(&total, sum);
    s->inside.value = sum[0] / count;
    s->inside.length = s->inside.value / fmax(sqrt(sum[1] / count), DBL_MIN);
}

/* How far away its bend is asked, over |slopes|: a part of the length it changes over, and more where noise is large. */
static double bend_part(const supports *s, uint64_t i)
{
    double size = vec_norm(s->base.d, support_row(s, i)), value = s->inside.value,
           away = fmax(bend_away, noisy_bend * sqrt(sqrt(s->base.set.noise / value)));
    return size > 0 && value > 0 ? away * fmin(s->inside.length, value / size) / size : 0;
}

void ask_along(supports *s, zo_fan *fan)
{
    size_t d = s->base.d;
    plan_chunk(&s->plan, fan, s->rows);
    fan->own = fan->known = 1;
    ask_rows(fan, 1, s->dir, 1);
    for (size_t e = 0; e < fan->ncomp; e++) {
        uint64_t i = fan->comp[e];
        if (!method_mine(&s->base, i)) continue;
        vec_copy(d, support_row(s, i), s->dir + e * d);
        vec_scale(d, bend_part(s, i), s->dir + e * d);
    }
}

/* Slopes J along u = J/|J|: f(x + t u) = f + t|J| + (t^2/2) bend; and forward differences have (r/2) bend u_j^2 in them. */
void support_learn_along(supports *s, const double *answers)
{
    const method *m = &s->base;
    double half = m->set.sides == 1 ? 0.5 * method_radius(m, 1) : 0;
    for (size_t e = 0; e < m->fan.ncomp; e++) {
        uint64_t i = m->fan.comp[e];
        if (!method_mine(m, i)) continue;
        support *of = support_of(s, i);
        double *row = support_row(s, i), size = vec_norm(m->d, row), t = bend_part(s, i) * size;
        of->bend = t > 0 ? 2 * ((answers[e] - of->f) - t * size) / (t * t) : 0;
        for (size_t j = 0; j < m->d && size > 0; j++)
            row[j] -= half * of->bend * square(row[j] / size);
    }
}

void ask_inside(supports *s, zo_fan *fan)
{
    double length = support_move(s, s->work);
    fan->comp = s->plan.order;
    fan->ncomp = s->at.supported < AT_ONCE ? (size_t)s->at.supported : AT_ONCE;
    fan->each = method_each(&s->base);
    fan->own = 1;
    ask_rows(fan, 1, s->dir, 2);
    for (size_t e = 0; e < fan->ncomp; e++)
        if (method_mine(&s->base, fan->comp[e]))
            put_across(s, fan->comp[e], length, s->dir + e * s->base.d);
}

/* Does it bend across u_i by more than noise, and than an error of u_i makes of its bend along u_i? */
static int bends_across(const supports *s, uint64_t i, double bend, double length)
{
    double off = angle_least + 4 * square(angle_error(s, i)),
           noise = sqrt(6) * s->base.set.noise / (length * length);
    return !(fabs(bend) <= off * fabs(support_of(s, i)->bend) + changed_clear * noise);
}

/* Of components of one index curves say more than supports do, unless noise hides their directions. */
int support_one_index(supports *s, const double *answers)
{
    method *m = &s->base;
    const zo_fan *fan = &m->fan;
    size_t set = zo_fan_set(fan);
    double length = support_move(s, s->work), count[3];
    for (size_t e = 0; e < fan->ncomp; e++) {
        uint64_t i = fan->comp[e];
        if (!method_mine(m, i)) continue;
        double bend = second_difference(fan, answers + e * set, 0, 0) / (length * length);
        int says = put_across(s, i, length, s->lost);
        s->entry[3 * e] = says;
        s->entry[3 * e + 1] = says && bends_across(s, i, bend - s->outside.mu, length);
        s->entry[3 * e + 2] = angle_error(s, i) < sharp_angle;
    }
    method_sum(m, fan->ncomp, fan->comp, 3, s->entry, count, s->tree, s->index);
    return !(count[1] > most_across * count[0] || 2 * count[2] < (double)fan->ncomp);
}
