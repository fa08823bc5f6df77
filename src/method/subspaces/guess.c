/* inq where components see x through several indices: spans that one gradient gives away.
 * SPDX-License-Identifier: MIT
 *
 * A span grows by one direction with every full gradient, unless what all components have in common, a shape (shape.h), says
 * more. A guess that is wrong, or was right at the start only, costs little: full gradients go on and spans grow. */
#include <math.h>

#include "base/vec.h"
#include "method/component/ridge.h"
#include "method/subspaces/shape.h"
#include "method/subspaces/subspaces.h"

#define SHAPE_ROW(name) &shape_##name,
static const shape_row *const shapes[] = {NULL, INQ_SHAPES(SHAPE_ROW)};
#undef SHAPE_ROW
enum { SHAPES = sizeof shapes / sizeof *shapes };

const shape_row *inq_shape(const inq *s) { return shapes[s->shape.kind]; }

static form form_of(const inq *s, const shape_row *is, uint64_t outputs)
{
    return (form){is, outputs, outputs ? s->base.d / outputs : 0, s->ridge.mu};
}

static int suits(const inq *s, const shape_row *is, uint64_t outputs)
{
    return outputs >= 1 && outputs <= s->layers && 2 * outputs <= s->base.d &&
           is->suits(s, outputs);
}

int inq_shape_fits(const inq *s)
{
    return s->shape.kind == 0 ||
           (s->shape.kind < SHAPES && suits(s, inq_shape(s), s->shape.outputs));
}

int inq_has_axes(const inq *s) { return inq_shape(s) && inq_shape(s)->axes; }
void inq_forget_shape(inq *s) { s->shape.kind = 0; }

/* Component i by its gradient at the point where it was last asked; work = its slope. 0: there is none. */
static int see(inq *s, form f, uint64_t i, const double *gradient, double blur, sight *to)
{
    *to = (sight){i, gradient, inq_point(s, s->asked[i].full), s->work, blur};
    return inq_slope(s, gradient, to->z, f.mu, s->work) > 0;
}

/* ---- What they have in common --------------------------------------------------------------------- */

/* Is the slope more than one that any shape has? */
static int tells(const inq *s, form f)
{
    size_t count = 0;
    double most = 0;
    for (size_t j = 0; j < s->base.d; j++) most = fmax(most, fabs(s->work[j]));
    for (size_t j = 0; j < s->base.d; j++) count += fabs(s->work[j]) > no_entry * most;
    return !f.is->tells || f.is->tells(f, count);
}

/* Do all gradients look so? */
static int all_fit(inq *s, form f, const pairs *seen)
{
    size_t steep = 0, rank;
    sight g;
    for (size_t e = 0; e < seen->count; e++) {
        if (!see(s, f, seen->comp[e], s->dir + e * s->base.d, 0, &g)) continue;
        if (!f.is->span(s, f, &g, NULL, &rank)) return 0;
        if (tells(s, f)) steep++;
    }
    return steep >= LEAST_STEEP;
}

/* The span that a gradient gives away: rank rows of d numbers, 0: none. */
static size_t span_of(inq *s, form f, uint64_t i, const double *gradient, double blur, double *rows)
{
    size_t rank;
    sight g;
    return see(s, f, i, gradient, blur, &g) && f.is->span(s, f, &g, rows, &rank) ? rank : 0;
}

/* How much of the gradients at x is across spans guessed from the others. It tells s a' from a s', and what is so at x from
 * what was so at the start only. */
static double unshaped(inq *s, form f, const pairs *seen)
{
    size_t d = s->base.d;
    double rest = 0, whole = 0, *v = s->lost;
    for (size_t e = 0; e < seen->twice; e++) {
        const double *x = s->base.x, *now = seen->now + e * d;
        size_t rank = span_of(s, f, seen->comp[e], s->dir + e * d, 0, s->block);
        if (!rank) continue;
        double mu = f.is->ridge_at ? f.is->ridge_at(s, now, x) : f.mu;
        for (size_t j = 0; j < d; j++) v[j] = now[j] - mu * x[j];
        whole += vec_dot(d, v, v);
        rest += vec_dot(d, v, v);
        for (size_t k = 0; k < rank; k++) {
            double t = vec_dot(d, s->block + k * d, v);
            rest -= t * t;
        }
    }
    return whole > 0 ? rest / whole : 1;
}

/* Does a leave less than the best so far, or as little and is more special? */
static int is_better(form a, double rest, form best, double least)
{
    if (!best.is || a.is->special == best.is->special) return rest < least;
    return a.is->special > best.is->special ? rest <= as_little * least + nothing_left
                                            : as_little * rest + nothing_left < least;
}

/* Of all shapes that gradients have the one that goes on at x, if there is one; 0: none. */
static uint64_t find(inq *s, const pairs *seen, form *best)
{
    uint64_t found = 0;
    double least = most_unshaped;
    for (uint64_t outputs = 1; outputs <= s->layers; outputs++)
        for (uint64_t kind = 1; kind < SHAPES; kind++) {
            form f = form_of(s, shapes[kind], outputs);
            if (!suits(s, f.is, outputs)) continue;
            if (f.is->ridge && !all_fit(s, f, seen)) f.mu = f.is->ridge(s, f, seen);
            double rest = all_fit(s, f, seen) ? unshaped(s, f, seen) : INFINITY;
            if (is_better(f, rest, *best, least)) least = rest, *best = f, found = kind;
        }
    return found;
}

/* answers: to a spot check, difference gradients at x of a few components. */
void inq_find_shape(inq *s, const double *answers)
{
    method *m = &s->base;
    size_t d = m->d, set = zo_fan_set(&m->fan),
           more = s->sample.filled < TESTED ? (size_t)s->sample.filled : TESTED;
    pairs seen = {.twice = m->fan.ncomp, .count = m->fan.ncomp + more};
    double *now = s->dir + seen.count * d;
    for (size_t e = 0; e < seen.count; e++) {
        seen.comp[e] = e < seen.twice ? m->fan.comp[e] : s->plan.order[e - seen.twice];
        if (!method_mine(m, seen.comp[e])) continue;
        vec_copy(d, inq_row(s, seen.comp[e]), s->dir + e * d);
        if (e < seen.twice) read_slopes(&m->fan, answers + e * set, 0, 0, d, now + e * d);
    }
    method_rows(m, seen.count, seen.comp, d, s->dir);
    method_rows(m, seen.twice, seen.comp, d, now);
    seen.now = now;
    form f = {0};
    s->shape.kind = inq_rule(s, RULE_SHAPES) ? find(s, &seen, &f) : 0;
    s->shape.outputs = f.outputs;
    if (!f.is) return;
    if (f.is->ridge) ridge_correct(s, f.mu - s->ridge.mu);
    if (f.outputs > 1)
        method_note(m, "%s with %zu outputs", f.is->says, f.outputs);
    else
        method_note(m, "%s", f.is->says);
}

/* Where a gradient is less exact than those that were looked at, a less special shape may still say more than nothing. */
static size_t guess(inq *s, uint64_t i)
{
    uint64_t outputs = s->shape.outputs;
    const shape_row *is = inq_shape(s);
    if (!is) return 0;
    size_t rank = span_of(s, form_of(s, is, outputs), i, inq_row(s, i), inq_blur(s), s->block);
    for (uint64_t kind = 1; kind < SHAPES && !rank; kind++)
        if (shapes[kind]->special < is->special && suits(s, shapes[kind], outputs))
            rank = span_of(s, form_of(s, shapes[kind], outputs), i, inq_row(s, i), inq_blur(s),
                           s->block);
    return rank;
}

/* bend: along the gradient, where that is known. */
int inq_guess_span(inq *s, uint64_t i, double bend)
{
    size_t d = s->base.d, rank = guess(s, i);
    double b[SPAN][SPAN], t[SPAN], whole = 0;
    if (rank == 0) return 0;
    *inq_span(s, i) = (span){.rank = (double)rank};
    for (size_t k = 0; k < rank; k++)
        for (size_t j = 0; j < d; j++) inq_layer(s, i, k)[j] = (float)s->block[k * d + j];
    inq_span_project(s, i, inq_row(s, i), t);
    for (size_t k = 0; k < rank; k++) whole += t[k] * t[k];
    for (size_t k = 0; k < rank; k++) {
        for (size_t j = 0; j < rank; j++) b[k][j] = whole > 0 ? bend * t[k] * t[j] / whole : 0;
        *inq_along(s, i, k) = 0;
    }
    inq_keep_curvature(s, i, b);
    return 1;
}
