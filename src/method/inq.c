/* inq: every component asked once along all axes, and from then on along its own direction.
 * SPDX-License-Identifier: MIT
 *
 * Where each f_i(x) = h_i(a_i'x) + (mu/2)|x|^2, one difference gradient (d + 1 queries) gives the direction
 * u_i of a_i for good. Then f_i is a curve of one number (curve.h) and every further value of f_i, one query,
 * improves its slope and bend: a Newton step on all n components costs n queries. docs/methods/inq.md.
 *
 *   sample = n/256 components or more;  loop
 *     new components: difference gradients at x, one more value along u_i
 *     model of the sample; candidates over several dampings; the one with the best expected change is judged by
 *       values on fresh components (all in the sample: by F); move; values of the sample at the new x
 *     curves in doubt: two more values;  a few components in full: is what is believed true? how large is mu?
 *     until the step's promise is small beside the statistical error
 *     sample = twice as large; all: until the promise vanishes */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/vec.h"
#include "method/inq.h"
#include "method/rows.h"
#include "prox/prox.h"

enum { CHUNK_BYTES = 1 << 24, MOST_ROUNDS = 6, MOST_CHECKS = 6, MOST_FAILURES = 14 };
enum { LEAST_FRESH = 32, MOST_FRESH = 1024, REPEATED = 16 };

/* ---- Life ---------------------------------------------------------------------------------------- */

static size_t tree_rows(size_t n)
{
    size_t rows = 3;
    for (size_t blocks = (n + SUM_BLOCK - 1) / SUM_BLOCK; blocks > 1; blocks = (blocks + 1) / 2) rows++;
    return rows;
}

/* The largest system a step solves: all coordinates, or in factor form as many as there are components. */
static size_t order_of(const inq *s)
{
    size_t n = s->base.n, d = s->base.d;
    return s->dense ? d : (n < 3000 ? (n > 1500 ? n : 1500) : 3000);
}

static size_t tree_numbers(const inq *s)
{
    size_t d = s->base.d;
    return tree_rows(s->base.n) * (s->dense && d > 3 ? d * d : 3 * d);
}

static double bytes_needed(const inq *s)
{
    double n = (double)s->base.n, d = (double)s->base.d;
    double numbers = n * (d * (s->dense ? 1.5 : 2.5) + sizeof(curve) / 8 + 8) + (double)tree_numbers(s) +
                     (s->dense ? 2 * d * d : 0) + (d <= WHOLE ? d * d * (1 + 0.5 * (d + 1)) : 0) +
                     (POINTS + CANDIDATES + 2 * SUM_BLOCK + SPREAD + 2 * PAIRS + 9) * d;
    return 8 * numbers + quad_bytes(s->base.d, s->dense ? 0 : s->base.n, order_of(s));
}

double inq_bytes(size_t n, size_t d, double sides)
{
    inq s = {.base = {.n = n, .d = d}, .dense = d <= DENSE};
    return bytes_needed(&s) + SPREAD * 8 * (sides * (double)d + 1);
}

static zo_status plan_memory(inq *s, zo_error *err)
{
    const method *m = &s->base;
    double need = bytes_needed(s), each = 8 * (m->set.sides * (double)m->d + 1);
    if (inq_bytes(m->n, m->d, m->set.sides) > m->set.memory)
        return fail(err, ZO_BAD_ARGUMENT,
                    "memory: inq keeps a direction of %zu numbers for each of %zu components, %.0f bytes in "
                    "all, and memory allows %.0f; raise it, or take psvrg",
                    m->d, m->n, need, m->set.memory);
    double count = fmin(fmin(m->set.memory - need, CHUNK_BYTES) / each, (double)m->n);
    s->chunk = count < 1 ? 1 : (size_t)count;
    return ZO_OK;
}

static int open_state(inq *s)
{
    method *m = &s->base;
    size_t n = m->n, d = m->d;
    s->at = (struct progress *)state_numbers(m, "progress", sizeof *s->at / 8);
    s->row = state_numbers(m, "directions", n * d);
    s->curves = (curve *)state_numbers(m, "curves", n * (sizeof(curve) / 8));
    s->secant = (float *)state_numbers(m, "secants", (n * d + 1) / 2);
    s->pairs = state_numbers(m, "pairs", PAIRS * 2 * d);
    s->pair_sum = state_numbers(m, "pair_sum", d);
    s->whole = d <= WHOLE ? state_numbers(m, "whole", d * d) : NULL;
    s->matrix = s->dense ? state_numbers(m, "matrix", d * d) : NULL;
    s->point = state_numbers(m, "points", POINTS * d);
    s->centre = state_numbers(m, "centre", d);
    s->cand = state_numbers(m, "candidates", CANDIDATES * d);
    s->offer = (candidate *)state_numbers(m, "offers", CANDIDATES * (sizeof(candidate) / 8));
    s->fresh = state_numbers(m, "fresh", MOST_FRESH);
    s->todo = state_indices(m, "todo", n);
    return s->at && s->row && s->secant && s->pairs && s->pair_sum && (s->whole || d > WHOLE) && s->curves &&
           (s->matrix || !s->dense) && s->point && s->centre && s->cand && s->offer && s->fresh && s->todo;
}

static int open_scratch(inq *s)
{
    size_t n = s->base.n, d = s->base.d;
    s->order = mem_new(n, sizeof *s->order);
    s->slope = mem_new(n, sizeof *s->slope);
    s->bend = mem_new(n, sizeof *s->bend);
    s->g = mem_new(d, sizeof *s->g);
    s->fresh_g = mem_new(d, sizeof *s->fresh_g);
    s->work = mem_new(d, sizeof *s->work);
    s->lost = mem_new(d, sizeof *s->lost);
    s->corner = d <= WHOLE ? mem_new(d * (d + 1) / 2 * d, sizeof *s->corner) : NULL;
    s->is_new = mem_new(n, 1);
    s->full = s->dense ? mem_new(d * d, sizeof *s->full) : NULL;
    s->col = s->dense ? NULL : mem_new(d * n, sizeof *s->col);
    s->dir = mem_new((s->chunk > SPREAD ? s->chunk : SPREAD) * d, sizeof *s->dir);
    s->block = mem_new(2 * SUM_BLOCK * d, sizeof *s->block);
    s->tree = mem_new(tree_numbers(s), sizeof *s->tree);
    s->comp = mem_new(SPREAD, sizeof *s->comp);
    return s->order && s->slope && s->bend && s->g && s->fresh_g && s->work && s->lost && s->is_new &&
           (s->corner || d > WHOLE) && (s->dense ? s->full : s->col) && s->dir && s->block && s->tree &&
           s->comp && !quad_open(&s->room, d, s->dense ? 0 : n, order_of(s));
}

/* The order in which components enter: a permutation of all, by exchanges. */
static void draw_order(inq *s)
{
    size_t n = s->base.n;
    for (size_t k = 0; k < n; k++) s->order[k] = k;
    for (size_t k = 0; k + 1 < n; k++) {
        size_t e = k + (size_t)(rng_uniform(s->base.set.seed, FOR_PERMUTATION, 0, k) * (double)(n - k));
        uint64_t kept = s->order[k];
        s->order[k] = s->order[e];
        s->order[e] = kept;
    }
}

/* Components that the horizon can pay for, with a fifth left over for steps. */
static double affordable(const inq *s)
{
    const method *m = &s->base;
    double n = (double)m->n, each = m->set.sides * (double)m->d + 2;
    return m->set.horizon > 0 && m->set.horizon < 1.1 * n * each ? fmax(0.8 * m->set.horizon / each, 1) : n;
}

/* Samples double from at least n/256, and from so many that judging a step is cheap beside asking them, so
 * that the last but one holds a little more than half. */
static uint64_t first_size(const inq *s)
{
    double n = (double)s->base.n, least = fmax(fmax(8, n / 256), 1600 / (double)s->base.d), size = n / 1.8;
    least = fmin(least, fmax(0.25 * affordable(s), 1));
    if (size < least) return s->base.n;
    while (size / 2 >= least) size /= 2;
    return (uint64_t)ceil(size);
}

static zo_status inq_open(method *m, zo_error *err)
{
    inq *s = (inq *)m;
    s->dense = m->d <= DENSE;
    zo_status status = plan_memory(s, err);
    if (status) return status;
    if (!open_state(s) || !open_scratch(s)) return out_of_memory(err, "inq's directions", m->n * m->d);
    draw_order(s);
    s->at->size = first_size(s);
    if (s->at->size > m->n) s->at->size = m->n;
    s->at->damping = NAN;
    m->stage = ASK_GRADIENT;
    if (isnan(m->set.noise)) m->stage = ASK_NOISE;
    return ZO_OK;
}

static void inq_close(method *m)
{
    inq *s = (inq *)m;
    void *all[] = {s->order, s->slope, s->bend, s->g,    s->fresh_g, s->work,   s->full,  s->col,
                   s->dir,   s->block, s->tree, s->comp, s->lost,    s->is_new, s->corner};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
    quad_close(&s->room);
}

/* ---- Asking --------------------------------------------------------------------------------------- */

static size_t at_most(uint64_t count, size_t most) { return count < most ? (size_t)count : most; }

/* A chunk of list[from..to), one set of answers each. */
static void ask_some(inq *s, zo_fan *fan, const uint64_t *list, uint64_t from, uint64_t to)
{
    fan->each = 1;
    fan->comp = list + from;
    fan->ncomp = at_most(to - from, s->chunk);
}

/* Each along its own direction, whose row is scaled to its own radius. */
static void ask_own(inq *s, zo_fan *fan, double (*radius)(const inq *s, uint64_t i))
{
    size_t d = s->base.d;
    for (size_t e = 0; e < fan->ncomp; e++) {
        const double *u = inq_row(s, fan->comp[e]);
        double v = radius(s, fan->comp[e]), *to = s->dir + e * d;
        for (size_t j = 0; j < d; j++) to[j] = v * u[j];
    }
    fan->own = fan->known = 1;
    fan->ndir = 1;
    fan->dir = s->dir;
    fan->radius = 1;
}

static void ask_values(zo_fan *fan, const double *at, const uint64_t *list, uint64_t count)
{
    fan->each = 1;
    fan->base[0] = at;
    fan->comp = count == fan->n ? NULL : list;
    fan->ncomp = (size_t)count;
}

static void ask_check(inq *s, zo_fan *fan)
{
    uint32_t place[CHECKED];
    size_t count = at_most(s->at->size / 100, CHECKED);
    if (count < 2) count = at_most(s->at->size, 2);
    rng_distinct(s->base.set.seed, FOR_CHECK, s->base.step, (uint32_t)s->at->size, count, place);
    for (size_t k = 0; k < count; k++) s->comp[k] = s->order[place[k]];
    ask_some(s, fan, s->comp, 0, count);
    fan->naxis = s->base.d;
}

/* The mean of a few components that have secants along the directions in cand. */
static void ask_scale(inq *s, zo_fan *fan)
{
    fan->ncomp = inq_scaled(s);
    fan->comp = s->comp;
    fan->ndir = CANDIDATES;
    fan->dir = s->cand;
    fan->radius = 1;
    fan->sides = 2;
}

/* The mean of a few components along the axes and along e_j + e_k, k <= j. */
static void ask_whole(inq *s, zo_fan *fan)
{
    size_t d = s->base.d, count = inq_whole_sample(s), at = 0;
    for (size_t e = 0; e < count; e++) s->comp[e] = s->order[e * s->base.n / count];
    vec_zero(d * (d + 1) / 2 * d, s->corner);
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k <= j; k++, at++) {
            s->corner[at * d + j] += 1;
            s->corner[at * d + k] += 1;
        }
    fan->comp = s->comp;
    fan->ncomp = count;
    fan->naxis = d;
    fan->ndir = at;
    fan->dir = s->corner;
    fan->sides = 1;
    fan->radius = 1e-3 * fmax(1, vec_norm(d, s->base.x));
}

/* The first few components twice: an answer that is not the same again is noisy. */
static void ask_noise(inq *s, zo_fan *fan)
{
    size_t count = at_most(s->base.n, REPEATED);
    for (size_t k = 0; k < count; k++) s->comp[k] = s->comp[count + k] = s->order[k];
    fan->each = 1;
    fan->comp = s->comp;
    fan->ncomp = 2 * count;
}

static int inq_ask(method *m, zo_fan *fan)
{
    inq *s = (inq *)m;
    const struct progress *at = s->at;
    switch (m->stage) {
    case ASK_NOISE: ask_noise(s, fan); return 1;
    case ASK_GRADIENT:
        ask_some(s, fan, s->order, at->filled, at->size);
        fan->naxis = m->d;
        return 1;
    case ASK_BEND:
        ask_some(s, fan, s->order, at->cursor, at->size);
        fan->sides = 1;
        ask_own(s, fan, inq_bend_radius);
        return 1;
    case ASK_FRESH: ask_values(fan, m->x, s->order + at->size, at->fresh); return 1;
    case ASK_TRY:
        if (at->size < m->n)
            ask_values(fan, s->cand + at->pick * m->d, s->order + at->size, at->fresh);
        else
            ask_values(fan, s->cand, s->order, m->n);
        return 1;
    case ASK_VALUE: ask_values(fan, m->x, s->order, at->size); return 1;
    case ASK_RENEW:
        ask_some(s, fan, s->todo, at->cursor, at->todo);
        fan->sides = 2;
        ask_own(s, fan, inq_renew_radius);
        return 1;
    case ASK_REDO:
        ask_some(s, fan, s->todo + m->n - at->redo, at->cursor, at->redo);
        fan->naxis = m->d;
        return 1;
    case ASK_REBEND:
        ask_some(s, fan, s->todo + m->n - at->redo, at->cursor, at->redo);
        fan->sides = 1;
        ask_own(s, fan, inq_bend_radius);
        return 1;
    case ASK_CHECK: ask_check(s, fan); return 1;
    case ASK_AGAIN:
        ask_some(s, fan, s->todo, at->cursor, at->todo);
        fan->naxis = m->d;
        return 1;
    case ASK_SCALE: ask_scale(s, fan); return 1;
    case ASK_WHOLE: ask_whole(s, fan); return 1;
    default: return 0;
    }
}

/* ---- Rounds: model, step, sample size ------------------------------------------------------------- */

static int full(const inq *s) { return s->at->size == s->base.n; }

/* A decrease that F cannot show: rounding, or noise over n components. */
static double nothing(const inq *s)
{
    double noise = s->base.set.noise > 0 ? 2 * s->base.set.noise / sqrt((double)s->base.n) : 0;
    return fmax(1e-15 * fmax(fabs(s->at->objective), 1e-3 * s->at->scale), noise);
}

static void finish(inq *s)
{
    if (s->base.set.noise > 0) s->base.ended = ZO_AT_NOISE;
    s->base.stage = ASK_NOTHING;
}

static void model(inq *s)
{
    if (s->at->secants)
        inq_secant_model(s);
    else
        inq_model(s);
}

static void offer_full(inq *s)
{
    method *m = &s->base;
    model(s);
    inq_residual(s);
    inq_offer_full(s);
    m->stage = ASK_TRY;
    int vanished = !(s->offer[0].falls > nothing(s));
    if (vanished && s->at->pairs &&
        !(m->residual < 1e-7 * s->at->steep)) { /* the matrix, not the slope, is at fault */
        s->at->pairs = 0;
        s->at->damping = fmax(s->at->damping, 1e-2 * inq_unit(s));
        model(s);
        inq_offer_full(s);
        vanished = !(s->offer[0].falls > nothing(s));
    }
    if (vanished || s->at->flat >= 2) finish(s);
}

/* Secants: is it time to measure their scale? With every sample, three times more with all. */
static int scale_due(inq *s)
{
    struct progress *at = s->at;
    if (!at->secants || at->scaled_at == s->base.step + 1) return 0;
    return at->size < s->base.n || at->scalings < 3 || at->failures > 0;
}

/* Secants are slow, four steps that promise no less than a third of the first: is the Hessian perhaps the same in
 * all components? */
static int whole_due(const inq *s)
{
    const struct progress *at = s->at;
    return at->secants && at->whole == 0 && at->past[3] > 0 && at->past[0] > 0.3 * at->past[3] &&
           inq_whole_sample(s) > 0;
}

static void begin_round(inq *s)
{
    method *m = &s->base;
    struct progress *at = s->at;
    if (scale_due(s) && inq_scaled(s) >= 4) {
        model(s);
        inq_scale_directions(s);
        at->scaled_at = m->step + 1;
        m->stage = ASK_SCALE;
        return;
    }
    if (full(s)) {
        if (at->secants && at->valued != m->step + 1) {
            m->stage = ASK_VALUE;
            return;
        }
        if (whole_due(s)) {
            m->stage = ASK_WHOLE;
            return;
        }
        if (!at->secants) at->objective = inq_mean_value(s) + prox_value(m->psi, m->d, m->x);
        at->failures = 0;
        offer_full(s);
        return;
    }
    model(s);
    inq_residual(s);
    inq_offer(s);
    double want = fmin(fmax(LEAST_FRESH, 0.0025 * (double)at->size * (double)m->d), MOST_FRESH);
    at->fresh = (uint64_t)fmin(want, (double)(m->n - at->size));
    m->stage = ASK_FRESH;
}

static void grow(inq *s)
{
    method *m = &s->base;
    struct progress *at = s->at;
    double next = 2 * (double)at->size, most = affordable(s);
    if (1.2 * next > (double)m->n) next = (double)m->n;
    if (next > most) next = most;
    if (full(s) || next <= (double)at->size || (at->points >= POINTS && !at->secants)) {
        finish(s);
        return;
    }
    at->begin = at->size;
    at->size = (uint64_t)next;
    m->stage = ASK_GRADIENT;
}

static void next_round(inq *s)
{
    struct progress *at = s->at;
    int enough = at->falls < 0.3 * at->spread || at->rounds >= MOST_ROUNDS;
    if (!full(s) && enough)
        grow(s);
    else
        begin_round(s);
}

static void after_renewal(inq *s)
{
    struct progress *at = s->at;
    at->todo = 0;
    if (at->redo && at->points < POINTS - 8) { /* the last places are for larger samples */
        inq_keep_point(s);
        at->cursor = 0;
        s->base.stage = ASK_REDO;
        return;
    }
    int due = at->rounds == 1 && (at->checks < MOST_CHECKS || full(s));
    if (due && s->base.step != at->checked) {
        at->checked = s->base.step;
        s->base.stage = ASK_CHECK;
    } else {
        next_round(s);
    }
}

static void renew(inq *s)
{
    s->at->cursor = 0;
    s->base.stage = ASK_RENEW;
    if (s->at->todo == 0) after_renewal(s);
}

static void move(inq *s, const double *z)
{
    method *m = &s->base;
    const candidate *c = &s->offer[s->at->pick];
    if (s->at->rounds == 0 && !full(s) && !s->at->secants) s->at->centred = c->damping;
    s->at->falls = c->falls;
    s->at->spread = c->spread;
    s->at->rounds++;
    vec_copy(m->d, z, m->x);
    m->step++;
    if (!s->at->secants) inq_project(s);
}

/* Secants: count components that were asked longest ago are asked in full at x. */
static void ask_again(inq *s, uint64_t count)
{
    inq_list_oldest(s, count);
    s->at->cursor = 0;
    s->base.stage = ASK_AGAIN;
    if (s->at->todo > 0) return;
    if (s->at->growing)
        grow(s);
    else
        begin_round(s);
}

/* ---- Judging -------------------------------------------------------------------------------------- */

typedef struct judgement {
    double mean, error; /* of F_i(z) - F_i(x) over fresh components; its standard error */
} judgement;

static judgement judge(const inq *s, const double *answers, double psi_change)
{
    size_t count = (size_t)s->at->fresh;
    double sum = 0, square = 0;
    for (size_t e = 0; e < count; e++) {
        double change = answers[e] - s->fresh[e];
        sum += change;
        square += change * change;
    }
    double mean = sum / (double)count;
    return (judgement){mean + psi_change,
                       sqrt(fmax(square / (double)count - mean * mean, 0) / (double)count)};
}

/* What to go by: the expectation and the values together where they agree, else the values, with a margin. */
static double score(const inq *s, judgement j, double expect)
{
    double count = (double)s->at->fresh, entered = (double)(s->at->size - (s->at->rounds ? 0 : s->at->begin));
    if (fabs(j.mean - expect) > 2 * j.error) return j.mean + 0.5 * j.error;
    return (expect * entered + j.mean * count) / (entered + count);
}

enum { FIRST = 0, SAFER = 1, BOLDER = 2 }; /* way: which candidates are tried */

/* The next candidate to try, or -1: the first alone if it is as good as expected; else towards more damping
 * while that is better, or if that never was towards less. */
static int next_pick(inq *s)
{
    struct progress *at = s->at;
    const candidate *c = &s->offer[at->pick];
    int better = c->score < s->offer[at->best].score;
    if (better) at->best = at->pick;
    if (at->way == FIRST) {
        if (c->score <= 0.5 * c->expect && c->score < 0) return -1;
        at->way = SAFER;
        if (at->first > 0) return (int)at->first - 1;
    } else if (better) {
        if (at->way == SAFER) return at->pick > 0 ? (int)at->pick - 1 : -1;
        return at->pick + 1 < at->offers ? (int)at->pick + 1 : -1;
    }
    if (at->way == BOLDER || at->best != at->first || at->first + 1 >= at->offers) return -1;
    at->way = BOLDER;
    return (int)at->first + 1;
}

/* Secants: the same sample again while steps are worth more than the next sample's error, else so many of its
 * components as the matrix needs, and a larger one. */
static void after_sample_step(inq *s)
{
    struct progress *at = s->at;
    at->growing = at->falls < 3 * at->spread || at->rounds >= 3 || 4 * at->size > s->base.n;
    uint64_t need = 4 * s->base.d;
    ask_again(s, at->growing && need < at->filled ? need : at->filled);
}

/* No candidate is better than x: all of them were too long, or the sample is too small. */
static void refuse_sample(inq *s)
{
    struct progress *at = s->at;
    if (at->rounds || at->best != 0 || at->boosts >= 3) {
        grow(s);
        return;
    }
    at->boosts++;
    model(s);
    inq_offer(s);
}

static void tell_try(inq *s, const double *answers)
{
    method *m = &s->base;
    struct progress *at = s->at;
    candidate *c = &s->offer[at->pick];
    double *z = s->cand + at->pick * m->d;
    double change = prox_value(m->psi, m->d, z) - prox_value(m->psi, m->d, m->x);
    c->score = score(s, judge(s, answers, change), c->expect);
    if (!isfinite(c->score)) c->score = INFINITY; /* never the one to take */
    int next = next_pick(s);
    if (next >= 0) {
        at->pick = (uint64_t)next;
        return;
    }
    c = &s->offer[at->best];
    at->pick = at->best;
    at->damping = fmin(c->damping / 100, 1e-2 * inq_unit(s));
    if (c->score >= 0) {
        refuse_sample(s);
        return;
    }
    move(s, s->cand + at->pick * m->d);
    m->stage = ASK_VALUE;
    if (at->secants) after_sample_step(s);
}

/* ---- Steps on all components ---------------------------------------------------------------------- */

static double mean_of(inq *s, const double *answers)
{
    double mean;
    sum_rows(s->base.n, NULL, 1, answers, &mean, s->tree, NULL);
    return mean / (double)s->base.n;
}

/* Refused: every curve is asked again at x if it was not, then more damping. */
static void refuse(inq *s)
{
    struct progress *at = s->at;
    at->damping = fmax(8 * at->damping, 1e-6 * inq_unit(s));
    at->failures++;
    /* what difference gradients cannot resolve is not worth more questions */
    int lost = s->offer[0].falls < 1e-12 * fmax(fabs(at->objective), 1e-3 * at->scale);
    if (at->secants && at->failures == 3) {
        inq_list_oldest(s, at->filled);
        if (at->todo) {
            at->failures = 1;
            at->growing = 0;
            ask_again(s, at->filled);
            return;
        }
    }
    if ((lost && !at->secants) || at->failures >= MOST_FAILURES) {
        finish(s);
    } else if (!at->secants && at->failures == 2 && at->renewed != s->base.step + 1) {
        at->renewed = s->base.step + 1;
        at->todo = s->base.n;
        at->redo = 0;
        for (size_t k = 0; k < s->base.n; k++) s->todo[k] = k;
        renew(s);
    } else {
        offer_full(s);
    }
}

static void tell_full(inq *s, const double *answers)
{
    method *m = &s->base;
    double psi = prox_value(m->psi, m->d, s->cand), objective = mean_of(s, answers) + psi;
    double least = 0.05 * fmax(s->offer[0].falls, 0);
    if (!isfinite(objective) || objective > s->at->objective - least + nothing(s)) {
        refuse(s);
        return;
    }
    double ratio = (s->at->objective - objective) / fmax(s->offer[0].falls, DBL_MIN);
    if (!s->at->secants || (s->at->failures == 0 && ratio > 0.5)) s->at->damping /= 30;
    s->at->flat = objective < s->at->objective ? 0 : s->at->flat + 1;
    move(s, s->cand);
    if (s->at->secants) {
        memmove(s->at->past + 1, s->at->past, 3 * sizeof *s->at->past);
        s->at->past[0] = s->offer[0].falls;
        s->at->objective = objective;
        s->at->valued = m->step + 1;
        s->at->growing = 0;
        ask_again(s, (m->n + 3) / 4);
        return;
    }
    inq_learn_values(s, answers);
    renew(s);
}

/* ---- Telling -------------------------------------------------------------------------------------- */

static int at_last_point(const inq *s)
{
    const double *last = s->point + (size_t)((s->at->points - 1) % POINTS) * s->base.d;
    return !memcmp(s->base.x, last, s->base.d * sizeof *last);
}

static void tell_gradient(inq *s, const double *answers)
{
    method *m = &s->base;
    struct progress *at = s->at;
    if (at->filled == at->begin) { /* the first chunk of a stage */
        if (!at->secants || !at_last_point(s)) inq_keep_point(s);
        vec_copy(m->d, m->x, s->centre);
        at->centred = 0;
        at->rounds = at->boosts = 0;
    }
    if (at->secants)
        inq_learn_again(s, answers);
    else
        inq_learn_gradient(s, answers);
    at->filled += m->fan.ncomp;
    if (at->filled < at->size) return;
    if (at->secants) {
        begin_round(s);
        return;
    }
    if (at->points == 1) inq_measure(s);
    at->cursor = at->begin;
    m->stage = ASK_BEND;
}

static void tell_bend(inq *s, const double *answers)
{
    inq_learn_bend(s, answers);
    s->at->cursor += s->base.fan.ncomp;
    if (s->at->cursor == s->at->size) begin_round(s);
}

static void tell_renewed(inq *s, const double *answers)
{
    inq_learn_renewed(s, answers);
    s->at->cursor += s->base.fan.ncomp;
    if (s->at->cursor == s->at->todo) after_renewal(s);
}

/* Components that do not have one direction each: everything is asked again at x, and secants begin. */
static void tell_check(inq *s, const double *answers)
{
    inq_learn_check(s, answers);
    if (s->at->misfit > 1e-3 && !(s->base.set.noise > 1e-11 * s->at->scale)) {
        inq_enter_secants(s);
        s->at->growing = 0;
        ask_again(s, s->at->filled);
    } else {
        renew(s);
    }
}

static void tell_again(inq *s, const double *answers)
{
    inq_learn_again(s, answers);
    s->at->cursor += s->base.fan.ncomp;
    if (s->at->cursor < s->at->todo) return;
    if (s->at->pair_count) inq_close_pair(s);
    if (s->at->whole == 1 && s->at->secant_error > 0)
        s->at->whole = s->at->whole_error < s->at->secant_error ? 2 : 3;
    if (s->at->growing)
        grow(s);
    else
        begin_round(s);
}

/* With secants, values are asked of all components alone, for F. */
static void tell_values(inq *s, const double *answers)
{
    method *m = &s->base;
    if (!s->at->secants) {
        inq_learn_values(s, answers);
        renew(s);
        return;
    }
    s->at->objective = mean_of(s, answers) + prox_value(m->psi, m->d, m->x);
    s->at->valued = m->step + 1;
    begin_round(s);
}

static void tell_redo(inq *s, const double *answers)
{
    int gradients = s->base.stage == ASK_REDO;
    if (gradients)
        inq_learn_gradient(s, answers);
    else
        inq_learn_bend(s, answers);
    s->at->cursor += s->base.fan.ncomp;
    if (s->at->cursor < s->at->redo) return;
    s->at->cursor = 0;
    s->base.stage = ASK_REBEND;
    if (gradients) return;
    s->at->redo = 0;
    after_renewal(s);
}

static void tell_noise(inq *s, const double *answers)
{
    method *m = &s->base;
    size_t count = m->fan.ncomp / 2;
    double sum = 0;
    for (size_t k = 0; k < count; k++) {
        double change = answers[k] - answers[count + k];
        sum += 0.5 * change * change / (double)count;
    }
    m->set.noise = sqrt(sum);
    if (sum > 0) method_note(m, "noise %.2g (measured)", m->set.noise);
    m->stage = ASK_GRADIENT;
}

static void inq_tell(method *m, const double *answers)
{
    inq *s = (inq *)m;
    s->at->asked += zo_fan_queries(&m->fan);
    switch (m->stage) {
    case ASK_NOISE: tell_noise(s, answers); break;
    case ASK_GRADIENT: tell_gradient(s, answers); break;
    case ASK_BEND: tell_bend(s, answers); break;
    case ASK_FRESH:
        vec_copy(m->fan.ncomp, answers, s->fresh);
        m->stage = ASK_TRY;
        break;
    case ASK_TRY: full(s) ? tell_full(s, answers) : tell_try(s, answers); break;
    case ASK_VALUE: tell_values(s, answers); break;
    case ASK_RENEW: tell_renewed(s, answers); break;
    case ASK_REDO:
    case ASK_REBEND: tell_redo(s, answers); break;
    case ASK_AGAIN: tell_again(s, answers); break;
    case ASK_WHOLE:
        inq_learn_whole(s, answers);
        begin_round(s);
        break;
    case ASK_SCALE:
        inq_learn_scale(s, answers);
        begin_round(s);
        break;
    default: tell_check(s, answers);
    }
}

static int inq_bears(const method *m) { return m->stage == ASK_TRY; }

const method_row inq_method_row = {.info = ROW_INQ,
                                   .size = sizeof(inq),
                                   .compares = 1,
                                   .open = inq_open,
                                   .ask = inq_ask,
                                   .tell = inq_tell,
                                   .bears = inq_bears,
                                   .close = inq_close};
