/* mean: what comes next, where a phase has come to a verdict.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/vec.h"
#include "method/mean/state.h"
#include "prox/prox.h"

double mean_most_copies(const mean *s) { return fmax((double)s->base.n, MOST_COPIES); }

static void measure_noise(mean *s)
{
    s->noise->repeats = 0;
    s->noise->average = s->noise->squares = 0;
    s->base.stage = ASK_NOISE;
}

/* Where values repeat the best point is known, and no way leads from it for good. */
static int repeats(const mean *s) { return !(s->base.set.noise > 0) || s->noise->fixed > 0; }

static void keep_best(mean *s)
{
    if (!repeats(s) || !s->at->begun || !(s->at->objective < s->at->least)) return;
    s->at->least = s->at->objective;
    vec_copy(s->base.d, s->base.x, s->kept);
}

static void back_to_best(mean *s)
{
    if (!(s->at->least < s->at->objective)) return;
    vec_copy(s->base.d, s->kept, s->base.x);
    s->at->objective = s->at->least;
    s->base.step++;
}

static void end(mean *s, zo_reason why)
{
    if (repeats(s)) back_to_best(s);
    s->base.ended = why;
    s->base.stage = ASK_NOTHING;
}

static double left(const mean *s)
{
    double horizon = s->base.set.horizon;
    return horizon > 0 ? horizon - s->at->spent - (double)s->at->asked : 0;
}

static void direct_search(mean *s)
{
    zo_reason why = s->base.set.noise > 0 ? ZO_AT_NOISE : ZO_AT_STALLED;
    if (s->base.n >= FEW || s->base.d > SEARCHED || s->at->searches++ >= MOST_ANEW)
        end(s, why);
    else {
        s->noise->copies = 1;
        search_begin(s, SEARCH_FROM);
    }
}

/* Noise was measured for the first time. */
static void begin_noisy(mean *s)
{
    s->noise->level = s->base.set.noise;
    s->noise->height = fabs(s->noise->average);
    method_note(&s->base, "noise %.2g (measured)", s->noise->level);
    noisy_begin(s, NULL);
}

/* f has fallen far since noise was measured, and it was measured again: two that are alike are better than one. */
static void noise_there(mean *s, double now)
{
    noise_state *at = s->noise;
    at->fell = 0;
    if (!(now > 0)) {
        at->fixed = at->level = s->base.set.noise = 0;
        exact_begin(s);
        return;
    }
    int same = now > at->level / SAME_NOISE;
    at->height = fabs(s->at->objective - prox_value(s->base.psi, s->base.d, s->base.x));
    at->level = same ? sqrt(0.5 * (at->level * at->level + now * now)) : now;
    s->base.set.noise = at->level;
    s->base.stage = ASK_LOOK;
    if (!same) noisy_begin(s, s->matrix);
}

/* Nothing more was to be seen, and noise was measured again: it is less where f is, or values are averaged, as far as the
 * horizon goes; where values repeat it is a function of x, and averages do not help. */
static void noise_again(mean *s)
{
    method *m = &s->base;
    noise_state *at = s->noise;
    double now = m->set.noise, values = MORE_COPIES * at->copies * (double)m->n,
           price = (2 * (double)m->d + 1) * values;
    if (!(now > 0)) {
        m->set.noise = at->level;
        at->fixed = 1;
        direct_search(s);
        return;
    }
    if (now > at->level / SAME_NOISE && now < SAME_NOISE * at->level) {
        if (3 * price > left(s) || values > mean_most_copies(s)) {
            if (left(s) > 0)
                direct_search(s);
            else
                end(s, ZO_AT_NOISE);
            return;
        }
        at->copies *= MORE_COPIES;
    }
    at->level = now;
    at->height = fabs(at->average);
    noisy_begin(s, s->matrix);
}

/* A table of differences shows noise that repeats do not: as much as before, and nothing more was to be seen above it; or it is
 * less where f is. */
static void ripples(mean *s)
{
    method *m = &s->base;
    double now = s->noise->seen * sqrt((double)m->n);
    int again = s->noise->fixed > 0;
    if (s->noise->fell) {
        noise_there(s, now);
        return;
    }
    s->noise->height = fabs(s->walk->value);
    if (again && now > s->noise->level / SAME_NOISE) {
        direct_search(s);
        return;
    }
    s->noise->fixed = 1;
    s->at->rough.jumps = JUMPS_RIPPLES;
    s->noise->level = m->set.noise = now;
    if (!again) method_note(m, "noise %.2g (differences)", now);
    noisy_begin(s, again ? s->matrix : NULL);
}

static void begin_anew(mean *s)
{
    if (s->at->anew++ >= MOST_ANEW)
        direct_search(s);
    else if (s->base.set.noise > 0)
        noisy_begin(s, NULL);
    else
        exact_begin(s);
}

/* Slopes that jump within steps: kinks, or ripples, which tables show. */
static void follow_kinks(mean *s)
{
    if (kinks_suit(s)) {
        s->at->rough.jumps = JUMPS_FOLLOWED;
        kinks_begin(s);
    } else {
        s->at->rough.jumps = JUMPS_RIPPLES;
        exact_go_on(s);
    }
}

static void search_from_best(mean *s)
{
    back_to_best(s);
    direct_search(s);
}

/* Nothing better is in sight, and slopes do not say why. Where f has kinks: along them, from near the best point; then a search. */
static void look_around(mean *s)
{
    known *at = s->at;
    int stepped = at->rough.jumps != JUMPS_NONE || s->base.step > 0;
    if (!at->rough.kinked || !stepped || !kinks_suit(s)) {
        direct_search(s);
        return;
    }
    if (at->rough.around++ % 2) {
        search_from_best(s);
    } else {
        back_to_best(s);
        at->rough.around_from = at->least;
        kinks_begin_near(s, KINK_NEAR);
    }
}

/* A search is over, and x may be lower. Where f has kinks that has to be worth it: what was won since the last look around. */
static void after_search(mean *s, int lower)
{
    const known *at = s->at;
    int won = at->rough.around_from - at->least > WORTH * (at->first - at->least);
    if (at->rough.around ? won && lower : lower)
        begin_anew(s);
    else if (at->rough.around && won)
        look_around(s);
    else
        end(s, s->base.set.noise > 0 ? ZO_AT_NOISE : ZO_AT_STALLED);
}

/* Noise that repeats, measured again. */
static void look_for_ripples(mean *s)
{
    s->walk->value = s->at->objective - prox_value(s->base.psi, s->base.d, s->base.x);
    proof_begin(s, 1);
}

/* Steps win suspiciously little; or f has fallen far since noise was measured. */
static void suspect(mean *s, uint64_t stage)
{
    s->noise->fell = stage >= ASK_LADDER && stage <= ASK_STEP;
    if (!s->noise->fell)
        proof_begin(s, 1);
    else if (s->noise->fixed > 0)
        look_for_ripples(s);
    else
        measure_noise(s);
}

/* Nothing better is in sight. */
static void stands_still(mean *s, uint64_t stage)
{
    int noisy = stage >= ASK_LADDER && stage <= ASK_STEP;
    if (stage == ASK_SEARCH)
        after_search(s, 0);
    else if (stage >= ASK_KINK_SLOPES && s->at->rough.around == 0)
        exact_begin_at(s, s->kinks->value);
    else if (stage >= ASK_KINK_SLOPES)
        look_around(s);
    else if (!noisy)
        proof_begin(s, 0);
    else if (s->base.n >= FEW)
        end(s, ZO_AT_NOISE);
    else if (s->noise->fixed > 0 && s->noise->seen > 0)
        look_for_ripples(s);
    else if (s->noise->fixed > 0)
        direct_search(s);
    else
        measure_noise(s);
}

/* The values of a phase that had to look at x again and again. */
static void after_noise(mean *s, verdict v)
{
    if (s->noise->fell)
        noise_there(s, s->base.set.noise);
    else if (s->noise->level > 0)
        noise_again(s);
    else if (v == NOISY)
        begin_noisy(s);
    else
        exact_begin_at(s, s->noise->average);
}

/* Ripples were looked for in the middle of a run, and there are none. */
static void no_ripples(mean *s)
{
    s->walk->doubts.calm = 1;
    if (s->noise->fell)
        noise_there(s, 0);
    else if (s->noise->fixed > 0)
        direct_search(s);
    else if (s->at->rough.jumps == JUMPS_SEEN)
        follow_kinks(s);
    else
        exact_go_on(s);
}

/* f is not smooth at x. */
static void is_suspect(mean *s, uint64_t stage)
{
    int creeps = stage >= ASK_KINK_SLOPES, early = stage == ASK_PROOF && s->proof->early;
    if (creeps || (stage == ASK_PROOF && s->proof->kinked)) s->at->rough.kinked = 1;
    if (s->noise->fell)
        noise_there(s, 0);
    else if (creeps)
        search_from_best(s);
    else if (early && s->at->rough.jumps == JUMPS_SEEN)
        follow_kinks(s);
    else
        look_around(s);
}

/* Values have noise that was not known. What a table takes for noise may be kinks, where slopes were seen to jump. */
static void is_noisy(mean *s, uint64_t stage)
{
    int jumpy = s->at->rough.jumps == JUMPS_SEEN || s->at->rough.jumps == JUMPS_FOLLOWED;
    if (stage != ASK_PROOF) { /* values come rounded */
        s->noise->level = s->base.set.noise;
        noisy_begin(s, NULL);
    } else if (jumpy && !s->proof->swings && kinks_suit(s)) {
        s->at->rough.kinked = 1;
        is_suspect(s, stage);
    } else {
        ripples(s);
    }
}

static void decide(mean *s, uint64_t stage, verdict v)
{
    if (stage == ASK_NOISE && v != GOES_ON) {
        after_noise(s, v);
        return;
    }
    switch (v) {
    case GOES_ON: break;
    case JUMPY:
        if (s->walk->doubts.calm || !kinks_suit(s))
            follow_kinks(s);
        else
            proof_begin(s, 1);
        break;
    case RIPPLES: suspect(s, stage); break;
    case EXACT: no_ripples(s); break;
    case NOISY: is_noisy(s, stage); break;
    case STILL: stands_still(s, stage); break;
    case PROVEN: end(s, 0); break;
    case SUSPECT: is_suspect(s, stage); break;
    case LOWER:
        if (stage == ASK_SEARCH)
            after_search(s, 1);
        else
            begin_anew(s);
        break;
    case ENDLESS: end(s, ZO_AT_UNBOUNDED); break;
    }
}

void mean_next(mean *s, uint64_t stage, verdict v)
{
    if (v != GOES_ON) keep_best(s);
    decide(s, stage, v);
}
