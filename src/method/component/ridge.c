/* inq: mu, the ridge that all components share, and what is seen of it.
 * SPDX-License-Identifier: MIT
 *
 * Spot checks measure mu with a standard error (curves/spot.c); full gradients show it across spans that are complete
 * (subspaces/span_learn.c); and second differences do, beside the curvature that spans miss (subspaces/scaling.c). */
#include "method/component/ridge.h"

#include <math.h>

#include "method/component/accuracy.h"

int ridge_is_wrong(inq *s, double more, double error)
{
    /* what is known far better now is taken sooner */
    double sure = error < much_better * s->ridge.error ? mu_wrong_soon : mu_wrong;
    int wrong = fabs(more) > mu_exact * s->ridge.mu && fabs(more) > sure * error;
    if (!(inq_noise(s) > 0) && (wrong || s->check.count == 1 || error < s->ridge.error))
        s->ridge.error = wrong ? error : fmax(error, fabs(more));
    return wrong;
}

void ridge_correct(inq *s, double more) { s->ridge.mu += more; }
void ridge_set(inq *s, double mu) { s->ridge.mu = mu; }

void ridge_see(inq *s, const ridge_sum *sum)
{
    s->ridge.along += sum->along;
    s->ridge.square += sum->square;
    s->ridge.count += sum->count;
}

double ridge_more(const inq *s)
{
    return s->ridge.count >= LEAST_RIDGES && inq_rule(s, RULE_SPAN_RIDGE)
               ? s->ridge.along / s->ridge.square
               : 0;
}

void ridge_from_spans(inq *s)
{
    if (s->ridge.count >= LEAST_RIDGES) s->ridge.seen = 1;
    s->ridge.mu = fmax(s->ridge.mu + ridge_more(s), 0);
    s->ridge.along = s->ridge.square = s->ridge.count = 0;
}
