/* saga: a table of one difference gradient per component.
 * SPDX-License-Identifier: MIT
 *
 *   table_i = G_i(x_0), all i;  then  g = mean_B(G_i(x) - table_i) + mean(table),  x = prox(x - step g),
 *   table_i = G_i(x before the step), i in B
 *
 * Components are drawn with replacement and asked one by one; the table is filled in chunks that fit `memory`,
 * each spread over all components, so that all ranks have work; with `recover` on from a few differences (core/filling.h).
 * State: n (d + 1) numbers, kept where the components are. Defazio, Bach, Lacoste-Julien, 2014. */
#include <math.h>

#include "base/error.h"
#include "base/rng.h"
#include "base/sum.h"
#include "base/vec.h"
#include "method/core/filling.h"
#include "method/core/method.h"
#include "method/core/rows.h"

enum { FILL, STEP }; /* stage */
enum { MOST_BATCH = 256, CHUNK_BYTES = 1 << 24 };
#define FORGET 0.05 /* weight of one batch in the running mean that the residual uses */

typedef struct saga {
    method base;
    size_t room;     /* components in a batch, at most */
    size_t chunk;    /* components asked at once while the table is filled, at most */
    size_t unit;     /* so many neighbours stay together in a chunk */
    size_t chunks;   /* unit u belongs to chunk u % chunks */
    double *table;   /* of my components: rows of d (state) */
    double *mean;    /* d: of the table (state) */
    double *drift;   /* d: running mean of mean_B(G_i - table_i), how far the table lags (state) */
    uint64_t filled; /* chunks of the table that are set (state) */
    filling filling; /* or by this, where recover is on */
    uint64_t tries;  /* 1: the step was auto, passes are judged (state) */
    double *value;   /* the f_i last seen, of my components (state) */
    double seen;     /* of them in this pass (state) */
    double best
        [3]; /* F at the start, of the best pass, and the squared standard error of that (state) */
    double *rows;    /* room rows of d: G_i - table_i (scratch) */
    double *spare;   /* a number for each of my components (scratch) */
    double *g;       /* d (scratch) */
    double *change;  /* d: of the table's sum (scratch) */
    double *work;    /* sum_work(d) (scratch) */
    uint64_t *comp;  /* max(room, chunk) (scratch) */
    uint64_t *index; /* 2 room (scratch) */
} saga;

/* Does the table fit? As many components at once as their answers have room for beside it, and no more than
 * 16 MiB. */
static zo_status size_chunks(saga *s, zo_error *err)
{
    const method *m = &s->base;
    double n = (double)m->n, d = (double)m->d, bytes = 8 * n * (d + 1),
           each = 8 * (m->set.sides * d + 1);
    if (bytes + each > m->set.memory)
        return fail(err, ZO_BAD_ARGUMENT,
                    "memory: saga keeps %zu x %zu numbers, %.0f bytes, and memory allows "
                    "%.0f; raise it, or "
                    "take psvrg",
                    m->n, m->d + 1, bytes, m->set.memory);
    double count = fmin(fmin(m->set.memory - bytes, CHUNK_BYTES) / each, n);
    s->chunk = count < 1 ? 1 : (size_t)count;
    s->unit = s->chunk < SUM_BLOCK ? 1 : SUM_BLOCK;
    size_t units = (m->n + s->unit - 1) / s->unit, at_once = s->chunk / s->unit;
    s->chunks = s->chunk == m->n ? 1 : (units + at_once - 1) / at_once;
    return ZO_OK;
}

static zo_status saga_open(method *m, zo_error *err)
{
    saga *s = (saga *)m;
    size_t room = m->n < MOST_BATCH ? m->n : MOST_BATCH;
    zo_status status = size_chunks(s, err);
    if (!status && !isnan(m->set.batch))
        status = method_whole(m, "batch", &m->set.batch, 1, (double)m->n, &room, err);
    if (status) return status;
    s->room = room;
    s->table = state_shared(m, "table", m->d);
    s->mean = state_numbers(m, "mean", m->d);
    s->drift = state_numbers(m, "drift", m->d);
    state_count(m, "filled", &s->filled, s->chunks);
    s->tries = isnan(m->set.step) ? 1u : 0u;
    s->value = state_shared(m, "values", 1);
    state_count(m, "tries", &s->tries, 1);
    state_number(m, "seen", &s->seen);
    state_array(m, "best", s->best, 3);
    s->rows = scratch_new(m, room * m->d, sizeof *s->rows);
    s->spare = scratch_new(m, m->count, sizeof *s->spare);
    s->g = scratch_new(m, m->d, sizeof *s->g);
    s->change = scratch_new(m, m->d, sizeof *s->change);
    s->work = scratch_new(m, sum_work(m->d), sizeof *s->work);
    s->comp = scratch_new(m, s->chunk > room ? s->chunk : room, sizeof *s->comp);
    s->index = scratch_new(m, 2 * room, sizeof *s->index);
    if (!s->table || !s->value || !s->mean || !s->drift || !s->rows || !s->spare || !s->g ||
        !s->change || !s->work || !s->comp || !s->index || !method_reserve(m, m->d, room) ||
        !filling_open(&s->filling, m, s->chunk, s->table, s->value))
        return out_of_memory(err, "saga's table", m->n * m->d);
    return ZO_OK;
}

static int saga_needs(const method *m)
{
    return isnan(m->set.step) || isnan(m->set.batch) ? NEEDS_TOP : NEEDS_NOTHING;
}

static void saga_settle(method *m)
{
    if (isnan(m->set.batch)) method_auto_batch(m, fmin((double)m->n, MOST_BATCH));
    if (isnan(m->set.step)) method_auto_step(m);
}

static int saga_ask(method *m, zo_fan *fan)
{
    saga *s = (saga *)m;
    fan->naxis = m->d;
    fan->each = method_each(m);
    fan->comp = s->comp;
    if (m->stage == STEP) {
        fan->ncomp = (size_t)m->set.batch;
        rng_indices(m->set.seed, FOR_COMPONENT, m->step, m->n, fan->ncomp, s->comp);
        return 1;
    }
    if (s->filling.on) {
        fan->naxis = 0;
        filling_ask(&s->filling, fan);
        return 1;
    }
    fan->ncomp = 0;
    for (size_t from = (size_t)s->filled * s->unit; from < m->n; from += s->chunks * s->unit)
        for (size_t i = from; i < from + s->unit && i < m->n; i++) s->comp[fan->ncomp++] = i;
    return 1;
}

/* F as the values last seen have it, and the squared standard error of a sample of n of them. */
static void look(saga *s, double *objective, double *square)
{
    method *m = &s->base;
    double sum, squares;
    method_sum(m, m->n, NULL, 1, s->value, &sum, s->work, NULL);
    double mean = sum / (double)m->n;
    for (size_t i = 0; i < m->count; i++) s->spare[i] = (s->value[i] - mean) * (s->value[i] - mean);
    method_sum(m, m->n, NULL, 1, s->spare, &squares, s->work, NULL);
    *objective = mean + (m->psi->value ? m->psi->value(m->psi, m->d, m->x) : 0);
    *square = squares / (double)m->n / (double)m->n;
}

static void tell_fill(saga *s, const double *answers)
{
    method *m = &s->base;
    size_t set = zo_fan_set(&m->fan);
    for (size_t e = 0; e < m->fan.ncomp && !s->filling.on; e++) {
        if (!method_mine(m, s->comp[e])) continue;
        size_t i = (size_t)s->comp[e] - m->first;
        read_slopes(&m->fan, answers + e * set, 0, 0, m->d, s->table + i * m->d);
        s->value[i] = answers[e * set];
    }
    if (s->filling.on ? !filling_tell(&s->filling, answers) : ++s->filled < s->chunks) return;
    method_sum(m, m->n, NULL, m->d, s->table, s->mean, s->work, NULL);
    vec_scale(m->d, 1 / (double)m->n, s->mean);
    look(s, &s->best[1], &s->best[2]);
    s->best[0] = s->best[1];
    m->stage = STEP;
}

/* spare_i = e, the one draw of component i in this batch, or -1 - e where e is the first of several. 1: there are such. */
static int mark_draws(saga *s)
{
    const method *m = &s->base;
    int repeats = 0;
    for (size_t e = m->fan.ncomp; e-- > 0;)
        if (method_mine(m, s->comp[e])) s->spare[s->comp[e] - m->first] = (double)e;
    for (size_t e = 0; e < m->fan.ncomp; e++) {
        if (!method_mine(m, s->comp[e])) continue;
        double *first = &s->spare[s->comp[e] - m->first];
        if (*first < 0 || *first == (double)e) continue;
        *first = -1 - *first;
        repeats = 1;
    }
    return repeats;
}

/* The row of the component that is e-th in the batch comes from anywhere in a large table: on its way before it is needed. */
static void fetch(const saga *s, size_t e)
{
    const method *m = &s->base;
    if (e < m->fan.ncomp && method_mine(m, s->comp[e]))
        vec_fetch(m->d, s->table + (size_t)(s->comp[e] - m->first) * m->d);
}

/* to = sum over the batch of G_i - table_i; then table_i = G_i, but for a component drawn twice, whose rows both look at the
 * old table. */
static void sum_changes(saga *s, const double *answers, double *to)
{
    enum { AHEAD = 2 };
    method *m = &s->base;
    size_t set = zo_fan_set(&m->fan), count = m->fan.ncomp, d = m->d;
    for (size_t e = 0; e < AHEAD; e++) fetch(s, e);
    for (size_t e = 0; e < count; e++) {
        fetch(s, e + AHEAD);
        if (!method_mine(m, s->comp[e])) continue;
        size_t i = (size_t)(s->comp[e] - m->first);
        double *row = s->rows + e * d, *kept = s->table + i * d;
        int once = s->spare[i] >= 0;
        read_slopes(&m->fan, answers + e * set, 0, 0, d, row);
        for (size_t j = 0; j < d; j++) {
            double slope = row[j], old = kept[j];
            row[j] = slope - old;
            kept[j] = once ? slope : old;
        }
    }
    method_sum(m, count, s->comp, d, s->rows, to, s->work, s->index);
}

/* The components drawn twice: table_i = G_i; to = the change of the table's sum, in which the later rows are the change from
 * the draw before. */
static void renew(saga *s, const double *answers, double *to)
{
    method *m = &s->base;
    size_t set = zo_fan_set(&m->fan), count = m->fan.ncomp, d = m->d;
    for (size_t e = 0; e < count; e++) {
        if (!method_mine(m, s->comp[e])) continue;
        size_t i = (size_t)(s->comp[e] - m->first);
        if (s->spare[i] >= 0) continue;
        double *row = s->rows + e * d, *kept = s->table + i * d;
        int again = -1 - s->spare[i] < (double)e;
        if (again) vec_copy(d, kept, row);
        read_slopes(&m->fan, answers + e * set, 0, 0, d, kept);
        for (size_t j = 0; again && j < d; j++) row[j] = kept[j] - row[j];
    }
    method_sum(m, count, s->comp, d, s->rows, to, s->work, s->index);
}

/* Is F rising from pass to pass? By more than chance explains, and than a thousandth of what was gained. */
static void judge(saga *s, const double *answers)
{
    method *m = &s->base;
    size_t set = zo_fan_set(&m->fan);
    for (size_t e = 0; e < m->fan.ncomp; e++)
        if (method_mine(m, s->comp[e])) s->value[s->comp[e] - m->first] = answers[e * set];
    s->seen += (double)m->fan.ncomp;
    if (s->seen < (double)m->n) return;
    double now, square, *best = s->best;
    look(s, &now, &square);
    if (now - best[1] > 4 * sqrt(2 * best[2]) + 1e-3 * (best[0] - best[1])) m->set.step *= 0.5;
    if (now < best[1]) {
        best[1] = now;
        best[2] = square;
    }
    s->seen = 0;
}

/* The residual at x, with mean(table) + drift for the gradient. */
static void measure(saga *s)
{
    method *m = &s->base;
    double *g = s->work + m->d; /* free between two sums */
    vec_copy(m->d, s->mean, g);
    vec_add(m->d, 1, s->drift, g);
    m->residual = prox_residual(m, m->x, m->set.step, g, s->work);
}

static void saga_tell(method *m, const double *answers)
{
    saga *s = (saga *)m;
    if (m->stage == FILL) {
        tell_fill(s, answers);
        return;
    }
    if (s->tries) judge(s, answers);
    int repeats = mark_draws(s);
    sum_changes(s, answers, s->g);
    vec_copy(m->d, s->g, s->change);
    vec_scale(m->d, 1 / (double)m->fan.ncomp, s->g);
    vec_scale(m->d, 1 - FORGET, s->drift);
    vec_add(m->d, FORGET, s->g, s->drift);
    measure(s);
    vec_add(m->d, 1, s->mean, s->g);
    method_move(m, m->set.step, s->g);
    if (repeats || m->together)
        renew(s, answers, s->change); /* ranks sum together, and see only their own draws */
    vec_add(m->d, 1 / (double)m->n, s->change, s->mean);
}

static const char *saga_check(const method *m)
{
    const saga *s = (const saga *)m;
    if (m->stage == FILL && s->filled >= s->chunks) return "the table is full, and still filled";
    if (m->settled && !is_whole(m->set.batch, (double)s->room))
        return "'set.batch' is outside of its room";
    return m->stage == FILL ? filling_check(&s->filling) : NULL;
}

static void saga_close(method *m) { filling_close(&((saga *)m)->filling); }

const method_row saga_row = {.info = ROW_SAGA,
                             .size = sizeof(saga),
                             .last_stage = STEP,
                             .open = saga_open,
                             .needs = saga_needs,
                             .settle = saga_settle,
                             .ask = saga_ask,
                             .tell = saga_tell,
                             .check = saga_check,
                             .close = saga_close};
