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
    s->kinks = (kinks *)state_numbers(m, "kinks", sizeof(kinks) / 8);
    s->axes = (uint32_t *)state_indices(m, "axes", (d + 1) / 2, UINT64_MAX);
    return s->at && s->noise && s->walk && s->look && s->descent && s->proof && s->search &&
           s->kinks && s->axes;
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
    s->comp = mem_new((size_t)mean_most_copies(s), sizeof *s->comp);
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

static const phase *phase_of(uint64_t stage)
{
    static const phase phases[] = {{ASK_NOISE, ASK_NOISE, ask_noise, tell_noise},
                                   {ASK_SLOPES, ASK_POINT, exact_ask, exact_tell},
                                   {ASK_LADDER, ASK_STEP, noisy_ask, noisy_tell},
                                   {ASK_PROOF, ASK_PROOF, proof_ask, proof_tell},
                                   {ASK_SEARCH, ASK_SEARCH, search_ask, search_tell},
                                   {ASK_KINK_SLOPES, ASK_KINK_BEYOND, kinks_ask, kinks_tell}};
    for (size_t k = 0; k < sizeof phases / sizeof *phases; k++)
        if (stage >= phases[k].first && stage <= phases[k].last) return &phases[k];
    return NULL;
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
    mean_next(s, stage, v);
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
    case ASK_SEARCH:
    case ASK_KINK_POINT:
    case ASK_KINK_BEYOND: return 1;
    default: return 0;
    }
}

/* A power of MORE_COPIES, that noise_again could have come to. */
static int copies_fit(const mean *s)
{
    double copies = s->noise->copies, values = copies * (double)s->base.n, power = 1;
    while (power < copies && power < MOST_COPIES) power *= MORE_COPIES;
    if (!(copies == power)) return 0;
    return copies == 1 || (values <= mean_most_copies(s) &&
                           values * (2 * (double)s->base.d + 1) <= s->base.set.horizon);
}

static const char *mean_check(const method *m)
{
    const mean *s = (const mean *)m;
    for (size_t j = 0; j < m->d; j++)
        if (s->axes[j] >= m->d) return "'axes' has a number that is no axis";
    if (s->walk->axes > m->d || s->walk->unasked > m->d)
        return "'walk' has more axes than there are";
    if (s->proof->tables > (m->stage == ASK_PROOF ? TABLES - 1 : TABLES))
        return "'proof' has more tables than there are";
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
