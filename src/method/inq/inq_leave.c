/* inq: where the mean of all components is all that is worth asking: mean goes on, from here.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "method/inq/inq_axes.h"

static const double most_units = 4; /* of gradients, before spans are given up */
static const double least_left =
    4; /* units of the horizon: slopes and bends come before the first step */
static const double fall_short = 0.25; /* of changes that spans leave unexplained */

/* Few components, without noise. */
static int may_leave(const inq *s)
{
    return s->base.n < FEW && s->dense && !(s->base.set.noise > 0);
}

void inq_keep_share(inq *s)
{
    double whole = s->at->inside + s->at->outside;
    if (!(whole > 0)) return;
    double part = s->at->outside / whole;
    s->one->share = s->one->looks++ ? 0.8 * s->one->share + 0.2 * part : part;
}

/* Few components whose spans fall short of what they do after so many gradients of each: in the last look, and in the mean of
 * a few before. */
int inq_mean_due(const inq *s)
{
    double spent = (double)(s->at->asked - s->one->entered),
           unit = (double)s->base.n * (double)s->base.d;
    if (!s->at->secants || !may_leave(s) || !inq_all(s) || inq_shares(s)) return 0;
    double left = s->base.set.horizon - (double)s->at->asked;
    if (s->base.set.horizon > 0 && left < least_left * unit) return 0;
    return spent > most_units * unit && inq_incomplete(s) && s->one->share > fall_short;
}

void inq_leave(inq *s, const char *why)
{
    method_hand_over(&s->base, "mean", why)->noise = s->base.set.noise;
    s->base.stage = ASK_NOTHING;
}

/* Noise: what components can tell one by one is lost in it; their mean is not yet. */
void inq_begin_near(inq *s)
{
    if (axes_begin_near(s)) return;
    inq_leave(s, "their noise");
    s->base.ended = ZO_AT_NOISE;
    if (s->at->filled == 0) return;
    inq_model(s);
    for (size_t j = 0; j < s->base.d; j++) s->full[j * s->base.d + j] += s->at->mu;
    s->base.next.curvature = s->full;
    s->base.next.guessed = inq_doubted(s);
}
