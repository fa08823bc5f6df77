/* inq: is the end what it seems? The mean of all components at a few points around x, beside what the model says.
 * SPDX-License-Identifier: MIT
 *
 * Components that were taken for flat, directions that were misread and a start at a maximum all look like an end to the model.
 * The mean f at x, x + v and x + 2v, v random and a part of each coordinate's size, does not depend on it:
 *
 *     seen = 2 f(x + v) - f(x + 2v)/2 - 3 f(x)/2 = grad f(x)'v + O(|v|^3),   bend = f(x + 2v) - 2 f(x + v) + f(x),
 *
 * on one side, so that bounds leave room for it. It is proven where seen is g'v within part of the bend (the minimum along v is
 * then within a part of v) and rounding, and F lower at none of the points; once close by, once farther away. */
#include <float.h>
#include <math.h>

#include "base/rng.h"
#include "base/vec.h"
#include "method/component/accuracy.h"
#include "method/component/sample.h"
#include "method/inq/inq.h"
#include "prox/prox.h"

enum { POINTS_EACH = 2, PROVEN_AT = POINTS_EACH * PROOFS };

/* What is large for a coordinate: itself, or a part of the others. */
static double size_of(const inq *s, size_t j, double others)
{
    const method *m = &s->base;
    double own = fmax(fabs(m->x[j]), others);
    return m->scale ? fmax(own, m->scale[j]) : own;
}

static double height_of(const inq *s, uint64_t i) { return fabs(inq_curve(s, i)->f); }

/* f(x), the mean of all. */
static double value_at_x(const inq *s)
{
    return s->step.objective - prox_value(s->base.psi, s->base.d, s->base.x);
}

static double rounding_of(inq *s)
{
    return proof_roundings * DBL_EPSILON *
           fmax(inq_total(s, height_of) / (double)s->base.n, fabs(value_at_x(s)));
}

/* Is coordinate j at a bound, and falls beyond it? */
static int is_held(const inq *s, size_t j)
{
    const method *m = &s->base;
    return m->bounds && ((m->x[j] <= m->bounds[j] && s->g[j] > 0) ||
                         (m->x[j] >= m->bounds[m->d + j] && s->g[j] < 0));
}

/* Close by every coordinate turns inwards by itself. One that its bound holds has a large slope, of which a small part is off
 * where models are right: it goes so far that the slope shows above rounding, and its error does not drown the others'. */
static void turn_inwards(const inq *s, double rounding, double *p)
{
    const method *m = &s->base;
    for (size_t j = 0; m->bounds && j < m->d; j++) {
        p[j] = prox_turn(m->x[j], p[j], m->bounds[j], m->bounds[m->d + j]);
        if (is_held(s, j))
            p[j] = copysign(fmin(fabs(p[j]), proof_held * rounding / fabs(s->g[j])), p[j]);
    }
}

/* Rows v and 2v for each length. Close by numbers of either sign that are far from 0, and not alike: they feel every coordinate, and
 * differences of two. Farther away normal ones, which feel a downhill curvature that the mean of the others hides. */
static void put_points(inq *s, double rounding)
{
    const method *m = &s->base;
    size_t d = m->d;
    double others = proof_others * vec_norm(d, m->x) / sqrt((double)d),
           least = proof_radii * method_radius(m, 1);
    if (!(others > 0)) others = 1;
    for (uint32_t k = 0; k < PROOFS; k++) {
        double *v = s->dir + POINTS_EACH * k * d, *twice = v + d;
        rng_normals(m->set.seed, FOR_CHECK, m->step, k, d, twice);
        for (size_t j = 0; j < d && k == 0; j++)
            twice[j] = copysign(0.5 + 0.5 * fabs(twice[j]), twice[j]);
        for (size_t j = 0; j < d; j++)
            twice[j] *= 2 * fmax(proof_away[k] * size_of(s, j, others), least);
        double length = vec_norm(d, twice), shown = proof_seen * DBL_EPSILON * vec_norm(d, m->x);
        vec_scale(d, fmax(walls_within(s, length), fmin(shown / length, 1)), twice);
        if (k == 0)
            turn_inwards(s, rounding, twice);
        else
            method_turn(m, m->x, twice);
        for (size_t j = 0; j < d; j++) v[j] = 0.5 * twice[j];
    }
}

void ask_proof(inq *s, zo_fan *fan)
{
    inq_model(s); /* says which coordinates are held */
    put_points(s, rounding_of(s));
    fan->known = 1;
    s->base.told = value_at_x(s);
    fan->sides = 1;
    fan->radius = 1;
    fan->dir = s->dir;
    fan->ndir = PROVEN_AT;
}

/* The lowest of the points that were asked, F there less F(x) below *falls; -1: there is none. */
static long lowest_of(inq *s, const double *answers, double falls)
{
    const method *m = &s->base;
    long found = -1;
    for (size_t k = 0; k < PROVEN_AT; k++) {
        vec_copy(m->d, m->x, s->work);
        vec_add(m->d, 1, s->dir + k * m->d, s->work);
        double won = s->step.objective - answers[k] - prox_value(m->psi, m->d, s->work);
        if (won > falls) falls = won, found = (long)k;
    }
    return found;
}

/* A lower value that is no reason to go on, beside what f is and what was won. */
static double little(const inq *s)
{
    return proof_falls * s->scale.value + proof_won * fmax(s->scale.first - fabs(value_at_x(s)), 0);
}

/* Is the model's slope along v that of F? off: by how much it is not, above rounding. What is off counts where it promises a
 * fall: off^2/bend along each coordinate, or off for each v as far as a coordinate's size. */
static int slope_agrees(inq *s, size_t k, const double *answers, double rounding, double *off)
{
    double d = (double)s->base.d, f = value_at_x(s);
    const double *v = s->dir + POINTS_EACH * k * s->base.d;
    double up = answers[POINTS_EACH * k] - f, far = answers[POINTS_EACH * k + 1] - f;
    double differs = fabs(2 * up - 0.5 * far - vec_dot(s->base.d, s->g, v)),
           bend = fabs(far - 2 * up);
    *off = fmax(differs - rounding, 0);
    double gain = *off * fmin(d * *off / bend, 1 / proof_away[k]);
    return !isfinite(differs) || *off <= proof_part * bend || gain <= proof_falls * s->scale.value;
}

/* The length of a gradient that is off along the first direction by so much: as much for each coordinate, in units of its size. */
static double length_of(const inq *s, double off)
{
    const method *m = &s->base;
    double squares = 0;
    for (size_t j = 0; j < m->d; j++)
        if (s->dir[j] != 0 && !is_held(s, j)) squares += 1 / (s->dir[j] * s->dir[j]);
    return off * sqrt(squares / (double)m->d);
}

/* All components were asked along one direction: the mean slope is off by at least what that shows, and where models say that it may be
 * off by more, by no more than a direction does not feel. */
static void state_error(inq *s, double off, double rounding)
{
    inq_residual(s, length_of(s, off), proof_unfelt * length_of(s, fmax(off, rounding)));
}

/* Another way goes on, if there is one. */
static inq_next disproved(inq *s, const char *why)
{
    method *m = &s->base;
    if (method_few_in_all(m)) return inq_leave(s, "lm", why);
    if (s->dense) return inq_leave(s, "mean", why);
    method_warn(m, "not converged: %s, and d = %zu leaves no other way", why, m->d);
    m->ended = ZO_AT_STALLED;
    m->stage = ASK_NOTHING;
    return ASKED;
}

inq_next inq_proof(inq *s, const double *answers)
{
    method *m = &s->base;
    double falls = s->offer[0].falls, off, farther, rounding = rounding_of(s);
    inq_model(s);
    put_points(s, rounding);
    int agrees = slope_agrees(s, 0, answers, rounding, &off) &
                 slope_agrees(s, 1, answers, rounding, &farther);
    long lower = lowest_of(s, answers, rounding + little(s));
    state_error(s, off, rounding);
    if (lower >= 0) {
        vec_add(m->d, 1, s->dir + (size_t)lower * m->d, m->x);
        m->step++;
        return disproved(s, "F is lower beside the end of its components' models");
    }
    if (!agrees) return disproved(s, "its components' slopes are not those of F");
    if (falls > fmax(proof_unseen * inq_unseen(s), proof_falls * s->scale.value))
        return disproved(s, "steps that components promise are not there");
    m->stage = ASK_NOTHING;
    return ASKED;
}
