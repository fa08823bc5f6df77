/* What all methods share: life, state, the way from auto to numbers, small arithmetic on answers.
 * SPDX-License-Identifier: MIT */
#include "method/method.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/sum.h"
#include "base/text.h"
#include "base/vec.h"
#include "method/curvature.h"
#include "method/gauge.h"
#include "problem/together.h"

/* ---- State --------------------------------------------------------------------------------------- */

static void keep(method *m, const char *name, void *at, size_t words, int owned)
{
    assert(m->nstates < MAX_STATES);
    m->state[m->nstates++] = (state_entry){name, at, words, owned, 0};
}

static void *keep_new(method *m, const char *name, size_t count)
{
    void *p = mem_new(count, 8);
    if (p) keep(m, name, p, count, 1);
    return p;
}

double *state_numbers(method *m, const char *name, size_t count) { return keep_new(m, name, count); }
uint64_t *state_indices(method *m, const char *name, size_t count) { return keep_new(m, name, count); }

double *state_shared(method *m, const char *name, size_t width)
{
    double *p = keep_new(m, name, m->count * width);
    if (p) m->state[m->nstates - 1].width = width;
    return p;
}

void state_number(method *m, const char *name, double *at) { keep(m, name, at, 1, 0); }
void state_array(method *m, const char *name, double *at, size_t count) { keep(m, name, at, count, 0); }
void state_count(method *m, const char *name, uint64_t *at) { keep(m, name, at, 1, 0); }

/* What every method has, and every number of the settings: what auto became belongs to the trajectory. */
static zo_status keep_common(method *m, zo_error *err)
{
    zo_settings *s = &m->set;
    struct {
        const char *name;
        double *at;
    } numbers[] = {
        {"set.step", &s->step},     {"set.radius", &s->radius},         {"set.sides", &s->sides},
        {"set.batch", &s->batch},   {"set.directions", &s->directions}, {"set.refresh", &s->refresh},
        {"set.epoch", &s->epoch},   {"set.decay", &s->decay},           {"set.horizon", &s->horizon},
        {"set.memory", &s->memory}, {"set.noise", &s->noise},           {"residual", &m->residual},
        {"error", &m->error}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        state_number(m, numbers[k].name, numbers[k].at);
    state_count(m, "step", &m->step);
    state_count(m, "stage", &m->stage);
    state_count(m, "settled", &m->settled);
    state_count(m, "gauged", &m->gauged);
    state_number(m, "zoom", &m->zoom);
    state_number(m, "steep", &m->steep);
    keep(m, "curve", &m->curve, sizeof m->curve / 8, 0);
    keep(m, "chosen", m->chosen, sizeof m->chosen / 8, 0);
    keep(m, "warning", m->warning, sizeof m->warning / 8, 0);
    m->x = state_numbers(m, "x", m->d);
    return m->x ? ZO_OK : out_of_memory(err, "the point", m->d);
}

/* ---- Life ---------------------------------------------------------------------------------------- */

static zo_status unknown_method(const char *name, zo_error *err)
{
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    const char *near = text_nearest(name, &rows->name, count, sizeof *rows);
    return fail(err, ZO_BAD_ARGUMENT, "method: '%s' is not known%s%s%s", name, near ? "; did you mean '" : "",
                near ? near : "", near ? "'?" : "");
}

/* The struct of row, filled with what is given; NULL: out of memory. */
static method *blank(const method_row *row, const zo_problem *p, const zo_settings *set)
{
    method *m = mem_new(1, row->size);
    if (!m) return NULL;
    m->row = row;
    m->n = p->n;
    m->d = p->d;
    m->set = *set;
    m->psi = &p->psi;
    m->means_only = p->means_only;
    m->together = p->together;
    m->first = p->together ? p->together->first : 0;
    m->count = p->together ? p->together->count : p->n;
    m->residual = m->error = NAN;
    m->zoom = 1;
    m->curve = (curvature){NAN, NAN, NAN};
    if (isnan(m->set.sides)) m->set.sides = 1;
    return m;
}

/* A row that chooses is asked once, on a struct of its own; its note comes first in the report. Frees m. */
static method *follow_choice(method *m, const zo_problem *p)
{
    if (!m || !m->row->choose) return m;
    const method_row *pick = method_find(m->row->choose(m));
    assert(pick && !pick->choose);
    method *chosen = blank(pick, p, &m->set);
    if (chosen) memcpy(chosen->chosen, m->chosen, sizeof m->chosen);
    mem_free(m);
    return chosen;
}

static zo_status build(method *m, zo_error *err)
{
    zo_status status = keep_common(m, err);
    if (status) return status;
    m->scratch = mem_new(m->d, sizeof *m->scratch);
    if (!m->scratch || !gauge_reserve(m)) return out_of_memory(err, "the proximal map", m->d);
    status = m->row->open(m, err);
    if (status || !m->row->needs || m->row->needs(m) == NEEDS_NOTHING) return status;
    return probe_new(m, err);
}

zo_status method_new(method **out, const zo_problem *p, const zo_settings *set, zo_error *err)
{
    *out = NULL;
    const method_row *row = method_find(set->method);
    if (!row) return unknown_method(set->method, err);
    method *m = follow_choice(blank(row, p, set), p);
    if (!m) return out_of_memory(err, "a method", 1);
    zo_status status = build(m, err);
    if (status)
        method_free(m);
    else
        *out = m;
    return status;
}

void method_free(method *m)
{
    if (!m) return;
    if (m->row->close) m->row->close(m);
    probe_free(m->probe);
    for (size_t k = 0; k < m->nstates; k++)
        if (m->state[k].owned) mem_free(m->state[k].at);
    mem_free(m->scratch);
    mem_free(m);
}

void method_start(method *m, const double *x0)
{
    if (x0)
        vec_copy(m->d, x0, m->x);
    else
        vec_zero(m->d, m->x);
}

/* ---- Asking and telling -------------------------------------------------------------------------- */

static void plain_fan(method *m)
{
    m->fan = (zo_fan){.n = m->n,
                      .d = m->d,
                      .nbase = 1,
                      .base = {m->x, NULL},
                      .radius = method_radius(m, 1),
                      .sides = (int)m->set.sides,
                      .ncomp = m->n};
}

/* The curvature first, if settle needs it; then auto becomes numbers, once. Doing this in ask keeps ask pure
 * in effect: asked again, it finds the same numbers. */
const zo_fan *method_ask(method *m)
{
    plain_fan(m);
    if (!m->settled && m->probe && probe_ask(m, &m->fan)) return &m->fan;
    if (!m->settled) {
        if (m->row->settle) m->row->settle(m);
        m->settled = 1;
    }
    plain_fan(m);
    return m->row->ask(m, &m->fan) ? &m->fan : NULL;
}

void method_tell(method *m, const double *answers)
{
    if (m->settled && gauge_again(m, answers)) return;
    if (m->settled)
        m->row->tell(m, answers);
    else
        probe_tell(m, answers);
}

/* ---- For methods --------------------------------------------------------------------------------- */

static void append(char *text, size_t size, const char *format, va_list args)
{
    size_t used = strlen(text);
    if (used && used + 3 < size) {
        memcpy(text + used, "; ", 3);
        used += 2;
    }
    vsnprintf(text + used, size - used, format, args);
}

void method_note(method *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    append(m->chosen, sizeof m->chosen, format, args);
    va_end(args);
}

void method_warn(method *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    append(m->warning, sizeof m->warning, format, args);
    va_end(args);
}

zo_status method_whole(method *m, const char *name, double *at, double automatic, double high, size_t *out,
                       zo_error *err)
{
    if (isnan(*at)) {
        *at = fmin(fmax(1, floor(automatic)), high);
        method_note(m, "%s %.0f", name, *at);
    }
    if (!(*at >= 1 && *at <= high))
        return fail(err, ZO_BAD_ARGUMENT, "%s: %g is outside [1, %.0f]", name, *at, high);
    *out = (size_t)*at;
    return ZO_OK;
}

double method_bend(const method *m, double measured)
{
    if (measured > 0) return measured;
    double size = fabs(m->curve.trace);
    return size > 0 ? size : 1;
}

void method_auto_batch(method *m, double most)
{
    double top = method_bend(m, m->curve.top), each = method_bend(m, m->curve.each), batch = 1;
    while (2 * batch <= most && each / batch > top) batch *= 2;
    m->set.batch = batch;
    method_note(m, "batch %.0f", batch);
}

void method_auto_step(method *m)
{
    double top = method_bend(m, m->curve.top), each = method_bend(m, m->curve.each);
    m->set.step = 1 / (top + each / m->set.batch);
    method_note(m, "step %.3g (1/(top + each/batch); top %.3g, each %.3g)", m->set.step, m->curve.top,
                m->curve.each);
}

double method_most_directions(const method *m, double sets)
{
    return fmax(1, floor(m->set.memory / (16 * sets * (double)m->d)));
}

/* Not a round number: at x + radius e_j even an f of round numbers then uses all its digits (gauge.c). */
static const double odd = 1.0823922002923940;

double method_radius(const method *m, double length)
{
    const zo_settings *s = &m->set;
    if (!isnan(s->radius)) return s->radius;
    double noise = s->noise > 0 ? s->noise : 0;
    double base = s->sides == 1 ? fmax(1e-7, 2 * sqrt(noise)) : fmax(1e-5, 2 * cbrt(noise));
    return m->zoom * odd * base * fmax(1, vec_norm(m->d, m->x)) / length;
}

double method_unseen(const method *m, double objective, double scale)
{
    double noise = m->set.noise > 0 ? 2 * m->set.noise / sqrt((double)m->n) : 0;
    return fmax(1e-15 * fmax(fabs(objective), 1e-3 * scale), noise);
}

void method_prox(method *m, double step, const double *v, double *x)
{
    const zo_prox *psi = m->psi;
    if (!psi->apply) {
        vec_copy(m->d, v, x);
        return;
    }
    if (v == x) { /* somebody's own map may not expect that */
        vec_copy(m->d, v, m->scratch);
        v = m->scratch;
    }
    psi->apply(psi, m->d, step, v, x, m->prox_work);
}

void method_move(method *m, double step, const double *g)
{
    vec_step(m->d, m->x, step, g, m->scratch);
    method_prox(m, step, m->scratch, m->x);
    m->step++;
}

double prox_residual(method *m, const double *x, double step, const double *g, double *work)
{
    vec_step(m->d, x, step, g, m->scratch);
    method_prox(m, step, m->scratch, work);
    return vec_distance(m->d, x, work) / step;
}

double memory_residual(method *m, const double *x, const double *h, const double *g, double spread,
                       double *work)
{
    return prox_residual(m, x, m->set.step, h, work) + vec_distance(m->d, g, h) / sqrt(spread);
}

/* Where the answers along direction k begin: a base has its value first unless known. */
static const double *along(const zo_fan *fan, const double *set, size_t b, size_t k)
{
    size_t head = fan->known ? 0 : 1, sides = (size_t)fan->sides;
    return set + b * (head + sides * (fan->naxis + fan->ndir)) + head + sides * k;
}

double quotient(const zo_fan *fan, const double *set, size_t b, size_t k)
{
    const double *a = along(fan, set, b, k);
    assert(fan->sides == 2 || !fan->known);
    return fan->sides == 1 ? a[0] / fan->radius : (a[0] - a[1]) / (2 * fan->radius);
}

double second_difference(const zo_fan *fan, const double *set, size_t b, size_t k)
{
    const double *a = along(fan, set, b, k);
    assert(fan->sides == 2 && !fan->known);
    return (a[0] + a[1]) / (fan->radius * fan->radius);
}

void read_slopes(const zo_fan *fan, const double *set, size_t b, size_t first, size_t count, double *slope)
{
    const double *a = along(fan, set, b, first);
    double radius = fan->radius, twice = 2 * radius; /* not read again while slope is written */
    assert(fan->sides == 2 || !fan->known);
    if (fan->sides == 1)
        for (size_t k = 0; k < count; k++) slope[k] = a[k] / radius;
    else
        for (size_t k = 0; k < count; k++) slope[k] = (a[2 * k] - a[2 * k + 1]) / twice;
}

void sum_rows(size_t count, const uint64_t *comp, size_t m, const double *rows, double *total, double *work,
              uint64_t *index)
{
    sum_tree tree;
    sum_open(&tree, m, work);
    if (comp) sum_order(comp, count, index, index + count);
    double *leaf = NULL;
    uint64_t last = UINT64_MAX;
    for (size_t e = 0; e < count; e++) {
        size_t at = comp ? (size_t)index[e] : e;
        uint64_t block = (comp ? comp[at] : at) / SUM_BLOCK;
        if (block != last) leaf = sum_leaf(&tree, last = block);
        vec_add(m, 1, rows + at * m, leaf);
    }
    sum_close(&tree, total);
}

/* ---- Components that may live on other ranks ------------------------------------------------------ */

int method_each(const method *m) { return m->together ? ZO_MINE : 1; }

void method_gather(method *m)
{
    m->together = NULL;
    m->first = 0;
    m->count = m->n;
}

int method_same(const method *m, uint64_t i, uint64_t k)
{
    return !m->together || m->together->same(m->together->ctx, (size_t)i, (size_t)k);
}

int method_reserve(const method *m, size_t width, size_t ncomp)
{
    return !m->together || m->together->reserve(m->together->ctx, width, ncomp);
}

void method_sum(const method *m, size_t count, const uint64_t *comp, size_t width, const double *rows,
                double *total, double *work, uint64_t *index)
{
    if (m->together)
        m->together->sum(m->together->ctx, count, comp, width, rows, total);
    else
        sum_rows(count, comp, width, rows, total, work, index);
}

void total_open(method_total *t, const method *m, size_t width, double *work)
{
    t->m = m;
    t->leaf = NULL;
    if (m->together)
        m->together->open(m->together->ctx, width, work);
    else
        sum_open(&t->tree, width, work);
}

double *total_leaf(method_total *t, uint64_t i)
{
    const struct zo_together *together = t->m->together;
    if (together) return together->leaf(together->ctx, i / SUM_BLOCK);
    if (!t->leaf || t->block != i / SUM_BLOCK) t->leaf = sum_leaf(&t->tree, t->block = i / SUM_BLOCK);
    return t->leaf;
}

void total_expect(method_total *t, uint64_t i)
{
    const struct zo_together *together = t->m->together;
    if (together) together->expect(together->ctx, i / SUM_BLOCK);
}

void total_close(method_total *t, double *total)
{
    const struct zo_together *together = t->m->together;
    if (together)
        together->close(together->ctx, total);
    else
        sum_close(&t->tree, total);
}

int method_reserve_rows(const method *m, size_t numbers)
{
    return !m->together || m->together->reserve_rows(m->together->ctx, numbers);
}

void method_marks(const method *m, const unsigned char *mine, unsigned char *all)
{
    if (m->together)
        m->together->marks(m->together->ctx, mine, all);
    else if (all != mine)
        memcpy(all, mine, m->n);
}

void method_rows(const method *m, size_t count, const uint64_t *comp, size_t width, double *rows)
{
    if (m->together) m->together->rows(m->together->ctx, count, comp, width, rows);
}
