/* What the bindings share: options by name, one call that minimizes. Octave and R bring the function and the numbers.
 * SPDX-License-Identifier: MIT */
#ifndef ZOPROX_MINIMIZE_H
#define ZOPROX_MINIMIZE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zoprox.h"

typedef struct minimize {
    zo_problem problem; /* n is 1 when nobody says otherwise */
    zo_settings set;
    zo_control control;
    char prox[1024];             /* as --prox takes it; "": none */
    const double *lower, *upper; /* d numbers each, or NULL */
    zo_prox psi;                 /* that was parsed */
    zo_block part[2];
    double *low, *high, *x; /* d each; x is the result */
    zo_report report;
    zo_error error;
} minimize;

static void minimize_begin(minimize *m, size_t d)
{
    memset(m, 0, sizeof *m);
    m->problem.n = 1;
    m->problem.d = d;
    m->set = zo_defaults();
    m->control = zo_no_limits();
}

static void minimize_budget(minimize *m)
{
    zo_control *c = &m->control;
    if (isinf(c->max_units) && c->max_queries == UINT64_MAX && c->max_steps == UINT64_MAX &&
        isinf(c->max_seconds))
        c->max_units = zo_usual_units(&m->problem);
}

static int minimize_wrong(minimize *m, const char *name, const char *value, const char *right)
{
    m->error.status = ZO_BAD_ARGUMENT;
    snprintf(m->error.text, sizeof m->error.text, "%.60s: '%.60s' is not %s", name, value, right);
    return 1;
}

/* An option by its name: n, prox, a budget, tol, target, or any setting. Not 0: error says why. */
static int minimize_option(minimize *m, const char *name, const char *value)
{
    static const char *const numbers[] = {"n",     "units", "queries", "seconds",
                                          "steps", "tol",   "target"};
    size_t k = 0, count = sizeof numbers / sizeof *numbers;
    if (!strcmp(name, "prox")) {
        if (strlen(value) >= sizeof m->prox) return minimize_wrong(m, name, value, "short enough");
        strcpy(m->prox, value);
        return 0;
    }
    while (k < count && strcmp(numbers[k], name)) k++;
    if (k == count) return zo_set(&m->set, name, value, &m->error) != ZO_OK;
    char *end;
    double v = strtod(value, &end);
    int whole = k == 0 || k == 2 || k == 4;
    if (end == value || *end || !isfinite(v) || (k < 6 && !(v > 0)) || (whole && v != floor(v)))
        return minimize_wrong(m, name, value, whole ? "a whole number of 1 or more" : "a number");
    switch (k) {
    case 0: m->problem.n = (size_t)v; break;
    case 1: m->control.max_units = v; break;
    case 2: m->control.max_queries = (uint64_t)v; break;
    case 3: m->control.max_seconds = v; break;
    case 4: m->control.max_steps = (uint64_t)v; break;
    case 5: m->control.tol = v; break;
    default: m->control.target = v;
    }
    return 0;
}

/* psi: what prox says, with bounds or without. */
static int minimize_psi(minimize *m)
{
    size_t d = m->problem.d;
    if (*m->prox && zo_prox_parse(&m->psi, m->prox, d, &m->error)) return 1;
    m->problem.psi = *m->prox ? m->psi : zo_zero();
    if (!m->lower && !m->upper) return 0;
    for (size_t j = 0; j < d; j++) {
        m->low[j] = m->lower ? m->lower[j] : -INFINITY;
        m->high[j] = m->upper ? m->upper[j] : INFINITY;
    }
    zo_prox bounds = zo_bounds(m->low, m->high);
    m->part[0].to = m->part[1].to = d;
    m->part[0].psi = m->psi;
    m->part[1].psi = bounds;
    m->problem.psi = *m->prox ? zo_sum(m->part, 2) : bounds;
    return zo_prox_check(&m->problem.psi, d, &m->error) != ZO_OK;
}

/* From x0; the result is in x and report. Not 0: error says why. minimize_end in any case. */
static int minimize_run(minimize *m, const double *x0)
{
    size_t d = m->problem.d;
    zo_solver *solver = NULL;
    m->low = calloc(3 * d, sizeof *m->low);
    if (!m->low) return minimize_wrong(m, "x0", "", "small enough for this machine");
    minimize_budget(m);
    m->high = m->low + d;
    m->x = m->high + d;
    int bad = minimize_psi(m) || zo_new(&solver, &m->problem, &m->set, &m->error) ||
              zo_start(solver, x0, &m->error) || zo_run(solver, &m->control, &m->report, &m->error);
    if (solver) memcpy(m->x, zo_point(solver), d * sizeof *m->x);
    zo_free(solver);
    return bad;
}

static void minimize_end(minimize *m)
{
    zo_prox_free(&m->psi);
    free(m->low);
    m->low = NULL;
}

#endif
