/* inq: what supports (src/method/supports) is given, and what it gives back.
 * SPDX-License-Identifier: MIT
 *
 * Under noise, components that depend on a few coordinates each are asked along these alone, unless they have one index:
 * then curves come first, and supports at their end. */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "method/component/accuracy.h"
#include "method/component/row.h"
#include "method/curves/curves.h"

/* Standard error of each of its slopes, where its direction was found. */
static double slope_error(const inq *s, uint64_t i)
{
    const method *m = &s->base;
    double r = method_radius(m, 1);
    if (isnan(m->set.radius))
        r *= fmax(1, vec_norm(m->d, inq_found_at(s, i))) / fmax(1, vec_norm(m->d, m->x));
    return m->set.noise * (m->set.sides == 1 ? sqrt(2) : sqrt(0.5)) / r;
}

static int lend_component(const method *m, uint64_t i, known_component *to, double *slopes)
{
    const inq *s = (const inq *)m;
    const curve *c = inq_curve(s, i);
    if (!(s->asked[i].full > 0)) return 0;
    inq_row_put(s, i, c->size, slopes);
    *to = (known_component){.f = c->f, .bend = NAN, .error = slope_error(s, i)};
    return 1;
}

static handover known_of(const inq *s)
{
    handover known = method_nothing_known(&s->base);
    known.noise = s->base.set.noise;
    known.spent = (double)s->sample.asked;
    if (s->scale.unit > 0) known.unit = s->scale.unit;
    known.component = lend_component;
    known.sample = s->sample.filled;
    return known;
}

static int hand_over(inq *s, const handover *known, const char *why)
{
    if (!method_may_follow(&s->base, "supports", known)) return 0;
    handover *next = method_hand_over(&s->base, "supports", why), named = *next;
    *next = *known;
    memcpy(next->to, named.to, sizeof named.to);
    memcpy(next->why, named.why, sizeof named.why);
    s->base.stage = ASK_NOTHING;
    return 1;
}

int inq_lend_sample(inq *s)
{
    handover known = known_of(s);
    if (s->lending.sought || s->points.count > 1 || !inq_rule(s, RULE_SUPPORTS) ||
        !(s->base.set.noise > rounded_only * s->scale.value))
        return 0;
    s->lending.sought = 1;
    return hand_over(s, &known, "noise, and few slopes of each component");
}

int inq_lend_all(inq *s)
{
    handover known = known_of(s);
    if (!s->lending.returns || s->sample.filled < s->base.n || s->spans_on) return 0;
    known.ridge = s->ridge.mu;
    known.curvature = s->full;
    return hand_over(s, &known, "noise");
}

/* Its direction and curve as they were. */
static void take_component(inq *s, uint64_t i, const known_component *k)
{
    curve *c = inq_curve(s, i);
    double bend = isnan(k->bend) ? 0 : k->bend;
    c->f = k->f;
    c->size = inq_take_row(s, i, s->lost);
    if (c->size <= (isnan(k->bend) ? 0
                                   : inq_blur_at(s, method_radius(&s->base, 1),
                                                 vec_norm(s->base.d, s->base.x), c->f, bend)))
        c->size = s->kept[inq_at(s, i)] = bend = 0;
    c->point = inq_place_number(s);
    c->angle =
        c->size > 0 ? inq_row_error(s, i, method_radius(&s->base, 1), 0, c->f, bend) / c->size : 0;
    c->now = inq_row_dot(s, i, s->base.x);
    curve_base(c, c->now, c->f - inq_ridge(s, s->base.x), c->size, bend);
}

void inq_take_sample(inq *s, const handover *known)
{
    known_component k;
    s->lending = (struct lending){.sought = 1, .returns = known->returns > 0};
    for (uint64_t e = 0; e < known->sample; e++) {
        uint64_t i = s->plan.order[e];
        inq_visit(s, i);
        if (!method_mine(&s->base, i) || !known->component(known->from, i, &k, s->lost)) continue;
        take_component(s, i, &k);
    }
}
