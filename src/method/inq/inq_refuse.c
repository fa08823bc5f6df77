/* inq: what a refused step says of components that have no direction.
 * SPDX-License-Identifier: MIT
 *
 * A component whose gradient at x is below rounding counts as constant. Where its value at a refused candidate z is
 * another, the step was refused because of it: it is asked in full at z, and from then on has a direction along which it
 * is flat at x. */
#include <math.h>

#include "base/vec.h"
#include "method/inq/inq_row.h"

/* Is component i without a direction, and other at z than at x? */
static int has_changed(const inq *s, const curve *c, double value, double more_ridge)
{
    double noise = inq_coarse(s, 20, fabs(value) + fabs(more_ridge));
    return c->size == 0 && fabs(value - c->f - more_ridge) > 1e-8 * s->at->scale + noise;
}

/* Values of all components at z: those that have changed go to the end of todo. */
int inq_ask_aside(inq *s, const double *z, const double *answers)
{
    method *m = &s->base;
    double more_ridge = inq_ridge(s, z) - inq_ridge(s, m->x);
    if (s->at->points >= POINTS - 8) return 0; /* the last places are for larger samples */
    for (uint64_t i = m->first; i < inq_end(s); i++) {
        curve *c = inq_curve(s, i);
        int changed = isfinite(answers[i]) && has_changed(s, c, answers[i], more_ridge);
        s->mark[inq_at(s, i)] = (unsigned char)(changed ? DIRECTION_IN_DOUBT : CERTAIN);
        if (changed) c->here = c->f;
    }
    method_marks(m, s->mark, s->marks);
    s->at->redo = 0;
    for (size_t i = 0; i < m->n; i++)
        if (s->marks[i] == DIRECTION_IN_DOUBT) s->todo[m->n - ++s->at->redo] = i;
    /* many, the first time: the step was too long, and most of them may not matter */
    if (!s->at->redo || (s->at->failures < 2 && s->at->redo * (m->d + 1) > 2 * m->n)) {
        s->at->redo = 0;
        return 0;
    }
    s->at->aside = 1;
    s->at->cursor = 0;
    inq_keep_point(s);
    m->stage = ASK_REDO;
    return 1;
}

/* They have been asked: back to x. */
void inq_end_aside(inq *s)
{
    method *m = &s->base;
    double ridge = inq_ridge(s, m->x);
    for (uint64_t k = 0; k < s->at->redo; k++) {
        uint64_t i = s->todo[m->n - 1 - k];
        if (!method_mine(m, i)) continue;
        curve *c = inq_curve(s, i);
        c->f = c->here;
        c->now = inq_row_dot(s, i, m->x);
        curve_base(c, c->now, c->f - ridge, 0, 0);
    }
    s->at->redo = s->at->aside = 0;
    inq_begin_full(s);
}
