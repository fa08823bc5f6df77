/* inq: walls. A few components that bend over far shorter lengths than the others.
 * SPDX-License-Identifier: MIT
 *
 * A row that is 100 times as long as the others makes a loss with a kink of its own: every Newton step of all components crosses it, and F
 * refuses. To ask n components for a few of them is dear, and to ask these few, W, is cheap. So the step of all is argmin of
 *
 *     P(z) = q(z) + (1/n) sum_W h_i(u_i'z) + |z - x|^2 damping/2 + psi(z),    q: the quadratic of the others at x,
 *
 * with h_i as they are. W are known by parabolas, each at a place t_i of its own; z minimizes P with these. As the others see it, wall i
 * would be at aim_i without itself, and gives way by give_i for its slope: it belongs where
 *
 *     give_i h_i'(t) + t - aim_i = 0,    give_i = u_i'(M + damping)^-1 u_i/n without wall i.
 *
 * That root is sought for every wall by itself, by its values along u_i (three a place): Newton's step while it helps, and where the
 * root lies between two places known, which a kink may do too, where their tangents meet. Parabolas there, z again, until P at z is as
 * foretold. A Newton step on P would see kinks only one at a time, after it has crossed them.
 * Who is in W: outliers.c. All ranks know all of what walls say. */
#include <math.h>

#include "base/vec.h"
#include "method/component/accuracy.h"
#include "method/component/row.h"
#include "method/component/sample.h"
#include "method/inq/inq.h"

static double *best_point(const inq *s) { return s->cand + s->base.d; }

/* ---- What is known of them ------------------------------------------------------------------------- */

static curve_value parabola_at(const wall *w, double t)
{
    double d = t - w->at;
    return (curve_value){w->h + d * (w->slope + 0.5 * w->bend * d), w->slope + w->bend * d,
                         w->bend};
}

/* at[k] = u'z of all walls. */
static void project(inq *s, const double *z, double *at)
{
    for (uint64_t k = 0; k < s->outliers.count; k++)
        if (method_mine(&s->base, s->who[k])) at[k] = inq_row_dot(s, s->who[k], z);
    method_rows(&s->base, (size_t)s->outliers.count, s->who, 1, at);
}

/* Their parabolas are those of the model. */
static void install(inq *s)
{
    for (uint64_t k = 0; k < s->outliers.count; k++) {
        const wall *w = &s->wall[k];
        if (method_mine(&s->base, s->who[k]))
            curve_base(inq_curve(s, s->who[k]), w->at, w->h, w->slope, fmax(w->bend, 0));
    }
    s->modelled = 0;
}

/* The parabolas of the model at x. */
static void look_up(inq *s)
{
    double ridge = inq_ridge(s, s->base.x);
    for (uint64_t k = 0; k < s->outliers.count; k++) {
        if (!method_mine(&s->base, s->who[k])) continue;
        const curve *c = inq_curve(s, s->who[k]);
        curve_value v = curve_at(c, c->now);
        s->wall[k] = (wall){c->now,
                            v.h,
                            v.slope,
                            fmax(v.bend, 0),
                            .here = c->f - ridge,
                            .length = inq_length(s, s->who[k])};
    }
    method_rows(&s->base, (size_t)s->outliers.count, s->who, sizeof(wall) / 8, (double *)s->wall);
}

/* ---- Questions ------------------------------------------------------------------------------------- */

enum { PLACES = 3 };                             /* a place, and on both sides of it: */
static const double beside[PLACES] = {0, 1, -1}; /* radii */

void ask_walls(inq *s, zo_fan *fan)
{
    uint64_t i;
    plan_chunk(&s->plan, fan, SPREAD / PLACES);
    fan->base[0] = s->cand;
    fan->known = fan->own = fan->each = 1;
    ask_rows(fan, PLACES, s->dir, 1);
    for (size_t e = 0; inq_entry(s, fan, &e, &i); e++) {
        double far = inq_wall(s, i)->next - inq_row_dot(s, i, s->cand), r = inq_renew_radius(s, i);
        for (int k = 0; k < PLACES; k++)
            inq_row_put(s, i, far + beside[k] * r, s->dir + (e * PLACES + (size_t)k) * s->base.d);
    }
}

/* A root lies between lower and upper, where these are known. */
static void keep_side(wall *w)
{
    double *side = w->give * w->slope + w->at - w->aim > 0 ? w->upper : w->lower;
    side[0] = w->at;
    side[1] = w->h;
    side[2] = w->slope;
}

void walls_learn(inq *s, const double *answers)
{
    const method *m = &s->base;
    double square = vec_dot(m->d, s->cand, s->cand), mu = s->ridge.mu;
    size_t count = m->fan.ncomp;
    /* what each has at cand, and its radius: of all, whoever keeps them */
    for (size_t e = 0; e < count; e++) {
        uint64_t i = m->fan.comp[e];
        if (!method_mine(m, i)) continue;
        s->entry[2 * e] = inq_row_dot(s, i, s->cand);
        s->entry[2 * e + 1] = inq_renew_radius(s, i);
    }
    method_rows(m, count, m->fan.comp, 2, s->entry);
    for (size_t e = 0; e < count; e++) {
        wall *w = inq_wall(s, m->fan.comp[e]);
        double far = w->next - s->entry[2 * e], r = s->entry[2 * e + 1], h[PLACES];
        for (int k = 0; k < PLACES; k++) {
            double p = far + beside[k] * r;
            h[k] = answers[e * PLACES + (size_t)k] -
                   0.5 * mu * (square + p * (2 * s->entry[2 * e] + p));
        }
        if (!isfinite(h[0]) || !isfinite(h[1]) || !isfinite(h[2])) continue;
        w->at = w->next;
        w->h = h[0];
        w->slope = (h[1] - h[2]) / (2 * r);
        w->bend = ((h[1] - h[0]) + (h[2] - h[0])) / (r * r);
        keep_side(w);
    }
}

/* ---- Where a wall belongs -------------------------------------------------------------------------- */

/* Where two tangents and the pull towards aim balance. */
static double where_tangents_meet(const wall *w)
{
    const double *a = w->lower, *b = w->upper;
    double meet = (b[1] - a[1] + a[2] * a[0] - b[2] * b[0]) / (a[2] - b[2]),
           left = w->aim - w->give * a[2], right = w->aim - w->give * b[2];
    double t = left < meet ? left : right > meet ? right : meet;
    return t > a[0] && t < b[0] ? t : 0.5 * (a[0] + b[0]);
}

/* The next place to ask at; 0: this one is good. */
static int seek(wall *w)
{
    double off = w->give * w->slope + w->at - w->aim,
           newton = w->at - off / (1 + w->give * fmax(w->bend, 0));
    int closed = w->lower[0] > -INFINITY && w->upper[0] < INFINITY,
        helps = fabs(off) < newton_helps * w->off && newton > w->lower[0] && newton < w->upper[0];
    w->off = fabs(off);
    w->next = closed && !helps ? where_tangents_meet(w) : newton;
    return fabs(off) > wall_balance * (fabs(w->give * w->slope) + fabs(w->at - w->aim)) &&
           w->next != w->at;
}

/* ---- Steps on P ------------------------------------------------------------------------------------ */

void walls_queue(inq *s)
{
    plan_clear(&s->plan);
    for (uint64_t k = 0; k < s->outliers.count; k++) plan_add(&s->plan, s->who[k]);
}

/* Some are new, and their parabolas not those at x. */
void walls_stray(inq *s) { s->walls.astray = 1; }

/* x is where they were asked last. */
void walls_moved(inq *s) { s->walls.astray = 0; }

/* Their parabolas are those at x again: a refused step has left them elsewhere. */
int walls_return(inq *s)
{
    if (!s->outliers.count || !s->walls.astray) return 0;
    vec_copy(s->base.d, s->base.x, s->cand);
    look_up(s);
    for (uint64_t k = 0; k < s->outliers.count; k++) s->wall[k].next = s->wall[k].at;
    walls_queue(s);
    s->walls.rounds = 0;
    s->walls.astray = 0;
    inq_go(s, ASK_WALLS);
    return 1;
}

/* give: from rows of the walls, so many at a time. */
static void measure_give(inq *s)
{
    const method *m = &s->base;
    quad q = inq_quad(s, s->step.damping);
    double give[SPREAD], n = (double)m->n;
    for (uint64_t from = 0, count; from < s->outliers.count; from += count) {
        count = s->outliers.count - from < SPREAD ? s->outliers.count - from : SPREAD;
        for (uint64_t k = 0; k < count; k++)
            if (method_mine(m, s->who[from + k]))
                inq_row_put(s, s->who[from + k], 1, s->some + k * m->d);
        method_rows(m, (size_t)count, s->who + from, m->d, s->some);
        quad_compliance(&q, &s->room, s->cand, (size_t)count, s->some, s->dir, give);
        for (uint64_t k = 0; k < count; k++) {
            wall *w = &s->wall[from + k];
            double all = give[k] / n, alone = fmax(1 - all * w->bend, least_alone);
            w->give = all / alone;
        }
    }
    s->fetched = 0;
}

/* cand minimizes P with the parabolas of the model: walls are asked there. */
static inq_next offered(inq *s)
{
    const method *m = &s->base;
    size_t count = (size_t)s->outliers.count;
    double *here = s->entry, *there = s->entry + count, far = vec_distance(m->d, s->cand, m->x);
    quad q = inq_quad(s, s->step.damping);
    s->walls.promise = quad_decrease(&q, &s->room, s->cand) - 0.5 * s->step.damping * far * far;
    s->walls.told = 0;
    measure_give(s);
    project(s, m->x, here);
    project(s, s->cand, there);
    for (size_t k = 0; k < count; k++) {
        wall *w = &s->wall[k];
        curve_value at = parabola_at(w, there[k]);
        s->walls.told += at.h;
        s->walls.promise += (w->here - parabola_at(w, here[k]).h) / (double)m->n;
        w->aim = there[k] + w->give * at.slope;
        w->lower[0] = -INFINITY;
        w->upper[0] = INFINITY;
        keep_side(w);
        w->next = there[k];
        w->off = INFINITY;
    }
    walls_queue(s);
    s->walls.places = 0;
    return inq_go(s, ASK_WALLS);
}

inq_next walls_begin(inq *s)
{
    if (!s->outliers.count) return inq_go(s, ASK_TRY);
    look_up(s);
    s->walls.rounds = 1;
    s->walls.falls = -INFINITY;
    return offered(s);
}

/* Along a random direction. */
double walls_within(const inq *s, double far)
{
    double least = INFINITY;
    for (uint64_t k = 0; k < s->outliers.count; k++) least = fmin(least, s->wall[k].length);
    return fmin(1, wall_part * least * sqrt((double)s->base.d) / far);
}

static inq_next close_walls(inq *s)
{
    double far = vec_distance(s->base.d, best_point(s), s->base.x);
    install(s);
    s->walls.astray = 1;
    vec_copy(s->base.d, best_point(s), s->cand);
    s->offer[0].falls = s->walls.falls + 0.5 * s->step.damping * far * far;
    return inq_go(s, ASK_TRY);
}

/* Walls are known where cand is; 1: as they were foretold. */
static int judge_walls(inq *s)
{
    double sum = 0;
    for (uint64_t k = 0; k < s->outliers.count; k++) sum += s->wall[k].h;
    double falls = s->walls.promise + (s->walls.told - sum) / (double)s->base.n;
    if (falls > s->walls.falls || s->walls.rounds == 1) {
        s->walls.falls = falls;
        vec_copy(s->base.d, s->cand, best_point(s));
    }
    return fabs(falls - s->walls.promise) <= wall_promise * falls;
}

inq_next walls_told(inq *s)
{
    if (s->walls.rounds == 0) {
        install(s);
        return RETRY;
    }
    if (s->walls.places++ == 0 && (judge_walls(s) || s->walls.rounds >= MOST_WALL_ROUNDS))
        return close_walls(s);
    plan_clear(&s->plan);
    for (uint64_t k = 0; k < s->outliers.count; k++)
        if (seek(&s->wall[k])) plan_add(&s->plan, s->who[k]);
    if (s->plan.queued && s->walls.places < MOST_WALL_PLACES) return inq_go(s, ASK_WALLS);
    install(s);
    inq_model(s);
    inq_solve_full(s, s->cand);
    s->walls.rounds++;
    return offered(s);
}
