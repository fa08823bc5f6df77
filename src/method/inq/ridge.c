/* inq: mu, the ridge that all components share, and what is seen of it.
 * SPDX-License-Identifier: MIT
 *
 * Spot checks and questions across directions measure mu with a standard error (learn.c, across.c); full gradients
 * show it across spans that are complete (span_learn.c), second differences beside the curvature of spans
 * (scale.c). Here it is decided what becomes of that. */
#include "method/inq/ridge.h"

#include <math.h>

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

/* gam matters where it is far from 1; below, only while the sample grows. */
void ridge_scaled(inq *s, double mu, double gam)
{
    int matters = gam > gam_more || (gam < gam_less && s->sample.size < s->base.n);
    if (!s->ridge.seen && inq_rule(s, RULE_SCALE_MU)) s->ridge.mu = mu;
    s->ridge.gam = matters && inq_rule(s, RULE_SCALE) ? gam : 1;
}

void ridge_scaling(inq *s, uint64_t components)
{
    s->ridge.scaled = components;
    s->ridge.scaled_at = s->base.step + 1;
    s->ridge.scalings++;
}

void ridge_scale_at(inq *s, size_t k, double away) { s->ridge.away[k] = away; }

void ridge_enter_spans(inq *s)
{
    s->ridge.gam = 1;
    s->ridge.scalings = 0;
}

void ridge_spans_complete(inq *s) { s->ridge.gam = 1; }
