/* A method's life: what all of them keep, asking and telling.
 * SPDX-License-Identifier: MIT */
#include "method/core/method.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/vec.h"
#include "method/core/curvature.h"
#include "method/core/gauge.h"
#include "problem/problem.h"
#include "problem/ranks/together.h"
#include "prox/prox.h"

/* ---- State --------------------------------------------------------------------------------------- */

/* What every method has, and every number of the settings: what auto became belongs to the trajectory. */
static zo_status keep_common(method *m, zo_error *err)
{
    zo_settings *s = &m->set;
    struct {
        const char *name;
        double *at;
    } numbers[] = {{"set.step", &s->step},
                   {"set.radius", &s->radius},
                   {"set.sides", &s->sides},
                   {"set.batch", &s->batch},
                   {"set.directions", &s->directions},
                   {"set.refresh", &s->refresh},
                   {"set.epoch", &s->epoch},
                   {"set.decay", &s->decay},
                   {"set.horizon", &s->horizon},
                   {"set.memory", &s->memory},
                   {"set.noise", &s->noise},
                   {"curve.top", &m->curve.top},
                   {"curve.trace", &m->curve.trace},
                   {"curve.each", &m->curve.each},
                   {"set.abreast", &s->abreast},
                   {"residual", &m->residual},
                   {"error", &m->error},
                   {"height", &m->height}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        state_number(m, numbers[k].name, numbers[k].at);
    state_count(m, "step", &m->step, MOST_COUNTED);
    state_count(m, "stage", &m->stage, m->row->last_stage);
    state_count(m, "settled", &m->settled, 1);
    state_count(m, "gauged", &m->gauged, GAUGE_LAST);
    state_count(m, "followed", &m->followed, MOST_COUNTED);
    state_count(m, "been", &m->been, UINT64_MAX);
    state_number(m, "zoom", &m->zoom);
    state_number(m, "steep", &m->steep);
    state_words(m, "chosen", m->chosen, sizeof m->chosen / 8);
    state_words(m, "warning", m->warning, sizeof m->warning / 8);
    state_words(m, "next", &m->next, offsetof(handover, curvature) / 8);
    m->x = state_numbers(m, "x", m->d);
    return m->x ? ZO_OK : out_of_memory(err, "the point", m->d);
}

/* ---- Life ---------------------------------------------------------------------------------------- */

static zo_status unknown_method(const char *name, zo_error *err)
{
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    const char *near = text_nearest(name, &rows->name, count, sizeof *rows);
    char all[256] = "";
    if (near)
        return fail(err, ZO_BAD_ARGUMENT, "method: '%s' is not known; did you mean '%s'?", name,
                    near);
    for (size_t k = 0; k < count; k++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "", rows[k].name);
    return fail(err, ZO_BAD_ARGUMENT,
                "method: '%s' is not known; leave it out (auto chooses), or take one of %s", name,
                all);
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
    m->outer = p->outer.value ? &p->outer : NULL;
    m->scale = p->scale;
    m->by_point = p->by_point;
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

static const double least_memory = 1 << 20, less_memory = 0.5;

static zo_status build(method *m, zo_error *err)
{
    zo_status status = keep_common(m, err);
    if (status) return status;
    m->scratch = mem_new(m->d, sizeof *m->scratch);
    if (!m->scratch || !gauge_reserve(m)) return out_of_memory(err, "the proximal map", m->d);
    m->bounds = mem_new(2 * m->d, sizeof *m->bounds);
    if (!m->bounds) return out_of_memory(err, "bounds", 2 * m->d);
    if (!prox_bounds(m->psi, m->d, m->bounds, m->bounds + m->d)) {
        mem_free(m->bounds);
        m->bounds = NULL;
    }
    status = m->row->open(m, err);
    m->made = m->set;
    if (status || !m->row->needs || m->row->needs(m) == NEEDS_NOTHING) return status;
    return probe_new(m, err);
}

zo_status method_new(method **out, const zo_problem *p, const zo_settings *set, zo_error *err)
{
    *out = NULL;
    const method_row *row = method_find(set->method);
    return row ? method_of_row(out, row, p, set, err) : unknown_method(set->method, err);
}

static zo_status try_row(method **out, const method_row *row, const zo_problem *p,
                         const zo_settings *set, int again, zo_error *err)
{
    method *m = follow_choice(blank(row, p, set), p);
    if (!m) return out_of_memory(err, "a method", 1);
    if (again) method_note(m, "memory %.3g bytes: more was not to be had", set->memory);
    zo_status status = build(m, err);
    if (status)
        method_free(m);
    else
        *out = m;
    return status;
}

/* The memory setting is what may be had, not what there is: a row that chooses does so again for a part of it, as long as
 * memory runs out. Ranks would not choose alike. */
zo_status method_of_row(method **out, const method_row *row, const zo_problem *p,
                        const zo_settings *set, zo_error *err)
{
    zo_settings less = *set;
    *out = NULL;
    zo_status status = try_row(out, row, p, &less, 0, err);
    while (status == ZO_NO_MEMORY && row->choose && !p->together && less.memory > least_memory) {
        less.memory *= less_memory;
        status = try_row(out, row, p, &less, 1, err);
    }
    return status;
}

void method_free(method *m)
{
    if (!m) return;
    if (m->row->close) m->row->close(m);
    probe_free(m->probe);
    for (size_t k = 0; k < m->nstates; k++)
        if (m->state[k].owned) mem_free(m->state[k].at);
    scratch_free(m);
    mem_free(m->scratch);
    mem_free(m->bounds);
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
    m->told = NAN;
    m->fan = (zo_fan){.n = m->n,
                      .d = m->d,
                      .nbase = 1,
                      .base = {m->x, NULL},
                      .radius = method_radius(m, 1),
                      .sides = (int)m->set.sides,
                      .by_point = m->by_point,
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
