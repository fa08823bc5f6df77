/* mean: quasi-Newton on the mean of all components, whose values have noise eps >= 0.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "method/core/rows.h"
#include "method/mean/mean.h"
#include "method/mean/state.h"
#include "prox/prox.h"

/* ---- Memory ------------------------------------------------------------------------------------------ */

static size_t rows_of(size_t d)
{
    size_t cross = d <= CROSS    ? d * (d + 1) / 2 + d
                   : d <= TURNED ? d
                                 : 0,
           probes = 2 * PROBES + 2 * TABLE, points = search_points(d),
           most = cross > probes ? cross : probes;
    return most > points ? most : points;
}

/* Components of a question, copies included. */
static size_t room_for(size_t n) { return n > MOST_COPIES ? n : MOST_COPIES; }

double mean_bytes(size_t d)
{
    double numbers = 4.0 * (double)(d * d) + (double)((rows_of(d) + 30) * d);
    return 8 * numbers + quad_bytes(d, 0, d);
}

int mean_suits(size_t d) { return d <= DENSE; }

static int open_state(mean *s)
{
    method *m = &s->base;
    size_t d = m->d;
    struct {
        const char *name;
        double **at;
        size_t count;
    } all[] = {{"slopes", &s->g, d},          {"slopes before", &s->g_before, d},
               {"before", &s->before, d},     {"centre", &s->centre, d},
               {"candidate", &s->cand, d},    {"best", &s->best, d},
               {"size", &s->size, d},         {"reach", &s->reach, d},
               {"bends", &s->bends, d},       {"drift", &s->drift, d},
               {"kept", &s->kept, d},         {"middle", &s->middle, d},
               {"path", &s->path, d},         {"pull", &s->pull, d},
               {"spread", &s->spread, d * d}, {"matrix", &s->matrix, d * d},
               {"steady", &s->steady, d * d}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!(*all[k].at = state_numbers(m, all[k].name, all[k].count))) return 0;
    s->at = (known *)state_numbers(m, "known", sizeof(known) / 8);
    s->noise = (noise_state *)state_numbers(m, "noise", sizeof(noise_state) / 8);
    s->walk = (walk *)state_numbers(m, "walk", sizeof(walk) / 8);
    s->look = (look *)state_numbers(m, "look", sizeof(look) / 8);
    s->descent = (descent *)state_numbers(m, "descent", sizeof(descent) / 8);
    s->proof = (proof *)state_numbers(m, "proof", sizeof(proof) / 8);
    s->search = (search *)state_numbers(m, "search", sizeof(search) / 8);
    s->axes = (uint32_t *)state_indices(m, "axes", (d + 1) / 2, UINT64_MAX);
    return s->at && s->noise && s->walk && s->look && s->descent && s->proof && s->search &&
           s->axes;
}

static int open_scratch(mean *s)
{
    size_t d = s->base.d;
    s->work = mem_new(d, sizeof *s->work);
    s->image = mem_new(d, sizeof *s->image);
    s->y = mem_new(d, sizeof *s->y);
    s->radii = mem_new(2 * d + MIXED, sizeof *s->radii);
    s->asked = mem_new(2 * d, sizeof *s->asked);
    s->dir = mem_new(rows_of(d) * d, sizeof *s->dir);
    s->root = mem_new(d * d, sizeof *s->root);
    s->comp = mem_new(room_for(s->base.n), sizeof *s->comp);
    return s->work && s->image && s->y && s->radii && s->asked && s->dir && s->root && s->comp &&
           !quad_open(&s->room, d, 0, d);
}

static zo_status mean_open(method *m, zo_error *err)
{
    mean *s = (mean *)m;
    double bytes = mean_bytes(m->d);
    if (bytes > m->set.memory)
        return fail(err, ZO_BAD_ARGUMENT,
                    "memory: mean keeps a matrix of %zu x %zu, %.0f bytes in all, and memory "
                    "allows %.0f; raise it, or take fista",
                    m->d, m->d, bytes, m->set.memory);
    if (!open_state(s) || !open_scratch(s)) return out_of_memory(err, "mean's matrix", m->d * m->d);
    s->noise->copies = 1;
    s->at->least = INFINITY;
    m->stage = ASK_NOISE;
    int tiny =
        m->set.horizon > 0 && m->set.horizon < (double)m->n * (double)(m->d + 1 + MOST_TRIED);
    if (tiny && isnan(m->set.noise)) m->set.noise = 0; /* no value is to spare */
    if (!isnan(m->set.noise)) exact_begin(s);
    if (m->set.noise > 0) noisy_begin(s, NULL);
    s->noise->level = m->set.noise;
    return ZO_OK;
}

static void mean_close(method *m)
{
    mean *s = (mean *)m;
    void *all[] = {s->work, s->image, s->y, s->radii, s->asked, s->dir, s->root, s->comp};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
    quad_close(&s->room);
}

/* ---- The loop ----------------------------------------------------------------------------------------- */

/* One phase asks and hears its stages. */
typedef struct phase {
    uint64_t first, last;
    void (*ask)(mean *s, zo_fan *fan);
    verdict (*tell)(mean *s, const double *answers);
} phase;

/* f(x) again and again: values that differ have noise. */
static void ask_noise(mean *s, zo_fan *fan)
{
    fan->nbase = 2;
    fan->base[1] = s->base.x;
}

/* Two values that differ say little of their variance: then there are more. */
static verdict tell_noise(mean *s, const double *answers)
{
    method *m = &s->base;
    noise_state *at = s->noise;
    for (int k = 0; k < 2; k++) {
        double off = answers[k] - at->average;
        at->average += off / (double)++at->repeats;
        at->squares += off * (answers[k] - at->average);
    }
    int same = answers[0] == answers[1] && at->repeats == 2;
    m->set.noise = same ? 0 : sqrt(fmax(at->squares, 0) / (double)(at->repeats - 1) * (double)m->n);
    if (!same && at->repeats < REPEATS) return GOES_ON;
    return same ? EXACT : NOISY;
}

static void measure_noise(mean *s)
{
    s->noise->repeats = 0;
    s->noise->average = s->noise->squares = 0;
    s->base.stage = ASK_NOISE;
}

static const phase *phase_of(uint64_t stage)
{
    static const phase phases[] = {{ASK_NOISE, ASK_NOISE, ask_noise, tell_noise},
                                   {ASK_SLOPES, ASK_POINT, exact_ask, exact_tell},
                                   {ASK_LADDER, ASK_STEP, noisy_ask, noisy_tell},
                                   {ASK_PROOF, ASK_PROOF, proof_ask, proof_tell},
                                   {ASK_SEARCH, ASK_SEARCH, search_ask, search_tell}};
    for (size_t k = 0; k < sizeof phases / sizeof *phases; k++)
        if (stage >= phases[k].first && stage <= phases[k].last) return &phases[k];
    return NULL;
}

/* ---- What comes next --------------------------------------------------------------------------------- */

/* Where values repeat the best point is known, and no way leads from it for good. */
static int repeats(const mean *s) { return !(s->base.set.noise > 0) || s->noise->fixed > 0; }

static void keep_best(mean *s)
{
    if (!repeats(s) || !s->at->begun || !(s->at->objective < s->at->least)) return;
    s->at->least = s->at->objective;
    vec_copy(s->base.d, s->base.x, s->kept);
}

static void end(mean *s, zo_reason why)
{
    method *m = &s->base;
    if (repeats(s) && s->at->least < s->at->objective) {
        vec_copy(m->d, s->kept, m->x);
        m->step++;
    }
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
        if (3 * price > left(s) || values > (double)room_for(m->n)) {
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
        end(s, s->base.set.noise > 0 ? ZO_AT_NOISE : ZO_AT_STALLED);
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

static void decide(mean *s, uint64_t stage, verdict v)
{
    if (stage == ASK_NOISE && v != GOES_ON) {
        after_noise(s, v);
        return;
    }
    switch (v) {
    case GOES_ON: break;
    case RIPPLES: suspect(s, stage); break;
    case EXACT: /* no ripples were seen */
        if (s->noise->fell)
            noise_there(s, 0);
        else if (s->noise->fixed > 0)
            direct_search(s);
        else
            exact_go_on(s);
        break;
    case NOISY:
        if (stage == ASK_PROOF) {
            ripples(s);
        } else {
            s->noise->level = s->base.set.noise;
            noisy_begin(s, NULL); /* values come rounded */
        }
        break;
    case STILL: stands_still(s, stage); break;
    case PROVEN: end(s, 0); break;
    case SUSPECT:
        if (s->noise->fell)
            noise_there(s, 0);
        else
            direct_search(s);
        break;
    case LOWER: begin_anew(s); break;
    case ENDLESS: end(s, ZO_AT_UNBOUNDED); break;
    }
}

static int mean_ask(method *m, zo_fan *fan)
{
    const phase *now = phase_of(m->stage);
    if (now) now->ask((mean *)m, fan);
    return now != NULL;
}

static void mean_tell(method *m, const double *answers)
{
    mean *s = (mean *)m;
    uint64_t stage = m->stage;
    s->at->asked += zo_fan_queries(&m->fan);
    verdict v = phase_of(stage)->tell(s, answers);
    if (v != GOES_ON) keep_best(s);
    decide(s, stage, v);
}

static void mean_know(method *m, const handover *what)
{
    mean *s = (mean *)m;
    m->gauged = 1;
    s->at->spent = what->spent;
    s->noise->level = m->set.noise;
    if (!(m->set.noise > 0)) {
        exact_begin(s);
        return;
    }
    noisy_begin(s, what->curvature);
    if (what->guessed != 0) noisy_doubt(s);
}

static int mean_bears(const method *m)
{
    switch (m->stage) {
    case ASK_POINT:
    case ASK_STEP:
    case ASK_LADDER:
    case ASK_LOOK:
    case ASK_PROOF:
    case ASK_SEARCH: return 1;
    default: return 0;
    }
}

/* A power of MORE_COPIES, that noise_again could have come to. */
static int copies_fit(const mean *s)
{
    double copies = s->noise->copies, values = copies * (double)s->base.n, power = 1;
    while (power < copies && power < MOST_COPIES) power *= MORE_COPIES;
    if (!(copies == power)) return 0;
    return copies == 1 || (values <= (double)room_for(s->base.n) &&
                           values * (2 * (double)s->base.d + 1) <= s->base.set.horizon);
}

static const char *mean_check(const method *m)
{
    const mean *s = (const mean *)m;
    for (size_t j = 0; j < m->d; j++)
        if (s->axes[j] >= m->d) return "'axes' has a number that is no axis";
    if (s->walk->axes > m->d || s->walk->unasked > m->d)
        return "'walk' has more axes than there are";
    if (s->proof->tables > 2) return "'proof' has more tables than there are";
    if (s->walk->pending > ASK_POINT) return "'walk' has no such stage";
    if (s->walk->per > 2 || s->look->sides > 2) return "'walk' or 'look' has more than two sides";
    if (m->stage == ASK_LOOK && s->look->sides < 1) return "'look' has no sides";
    if ((m->stage == ASK_SLOPES || m->stage == ASK_BENDS) && s->walk->per < 1)
        return "'walk' has no sides";
    int bends = m->stage == ASK_BENDS || s->walk->pending == ASK_BENDS;
    if (bends && (s->walk->per != 1 || s->walk->axes != m->d))
        return "'walk' does not have all axes";
    if (m->stage == ASK_CROSS && m->d > CROSS)
        return "there are no cross differences in so many dimensions";
    return copies_fit(s) ? NULL : "'noise' has more copies than the horizon pays for";
}

const method_row mean_row = {.info = ROW_MEAN,
                             .size = sizeof(mean),
                             .compares = 1,
                             .open = mean_open,
                             .ask = mean_ask,
                             .tell = mean_tell,
                             .bears = mean_bears,
                             .know = mean_know,
                             .last_stage = ASK_NOTHING,
                             .check = mean_check,
                             .close = mean_close};
