/* What a run came to: for people, and as JSON.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "files/parameters.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/text.h"

json_t *json_number(double v) { return isfinite(v) ? json_real(v) : json_null(); }

json_t *json_text(const char *text)
{
    json_t *value = json_string(text);
    return value ? value : json_null();
}

/* A seed may be beyond the whole numbers that jansson writes: as text it keeps its digits. */
static json_t *json_count(uint64_t v)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, v);
    return v <= INT64_MAX ? json_integer((json_int_t)v) : json_string(text);
}

int print_json(json_t *value)
{
    int bad = !value || json_dumpf(value, stdout, JSON_REAL_PRECISION(17) | JSON_INDENT(2));
    json_decref(value);
    if (bad)
        return complain(FAILED, "standard output: JSON was not written: %s",
                        strerror(errno ? errno : ENOMEM));
    putchar('\n');
    return DONE;
}

/* Peak of resident memory; Linux counts it in kilobytes. */
static uint64_t peak_bytes(void)
{
    struct rusage used;
    return getrusage(RUSAGE_SELF, &used) ? 0 : (uint64_t)used.ru_maxrss * 1024;
}

/* ---- Settings ------------------------------------------------------------------------------------ */

static int listed(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *p = names; p && *p; p += strcspn(p, " "), p += strspn(p, " "))
        if (strcspn(p, " ") == length && !strncmp(p, name, length)) return 1;
    return 0;
}

/* Was setting k given though the method does not use it? */
static int is_unused(const outcome *o, size_t k)
{
    size_t count, methods;
    const zo_setting_row *row = &zo_setting_rows(&count)[k];
    const zo_method_row *rows = zo_method_rows(&methods);
    if (!(o->asked->given >> k & 1) || !strcmp(row->name, "method") ||
        !strcmp(row->name, "nonfinite") || !strcmp(row->name, "point") ||
        !strcmp(row->name, "inside") ||
        !strcmp(row->name, "seed")) /* an automatic step is found with its help */
        return 0;
    for (size_t m = 0; m < methods; m++)
        if (!strcmp(rows[m].name, o->report->method)) return !listed(rows[m].settings, row->name);
    return 0;
}

static json_t *settings_json(const zo_settings *set)
{
    size_t count;
    const zo_setting_row *rows = zo_setting_rows(&count);
    json_t *all = json_object();
    for (size_t k = 0; k < count; k++) {
        char text[64];
        double v;
        uint64_t whole;
        zo_get(set, rows[k].name, text, sizeof text);
        json_t *value = text_whole(text, &whole)               ? json_count(whole)
                        : text_number(text, &v) && isfinite(v) ? json_real(v)
                                                               : json_string(text);
        json_object_set_new(all, rows[k].name, value);
    }
    return all;
}

static json_t *unused_json(const outcome *o)
{
    size_t count;
    const zo_setting_row *rows = zo_setting_rows(&count);
    json_t *all = json_array();
    for (size_t k = 0; k < count; k++)
        if (is_unused(o, k)) json_array_append_new(all, json_string(rows[k].name));
    return all;
}

static const char *signal_name(int number)
{
    return number == SIGINT    ? "SIGINT"
           : number == SIGTERM ? "SIGTERM"
           : number == SIGHUP  ? "SIGHUP"
                               : "SIGUSR1";
}

/* ---- JSON ---------------------------------------------------------------------------------------- */

/* NULL: a black box has none. */
static const char *loss_name(const outcome *o)
{
    size_t count;
    return o->from->model ? zo_loss_rows(&count)[o->asked->loss].name : o->asked->residuals;
}

static const char *source_name(const outcome *o)
{
    return o->from->model ? o->asked->words[0] : box_name(o->asked);
}

/* Queries that were answered by the past. */
static uint64_t known(const outcome *o)
{
    return o->history ? zo_history_look(o->history).used : 0;
}

/* Parameters as people know them, and what residuals say about them: standard error and sensitivity (root mean square of
 * r's change when x_j changes by a relative amount). */
typedef struct told {
    size_t d, lost; /* lost: that are not determined */
    int fitted;     /* error and sensitivity are known */
    double *value, *error, *sensitivity, *jac;
} told;

static double slope_rms(const told *t, size_t n, size_t j)
{
    double squares = 0;
    for (size_t i = 0; i < n; i++) squares += t->jac[i * t->d + j] * t->jac[i * t->d + j];
    return sqrt(squares / (double)n);
}

static int is_fixed(const parameters *known, size_t j)
{
    return known && known->low[j] == known->high[j];
}

/* 0: there is nothing to tell. */
static int find_parameters(const outcome *o, told *t)
{
    size_t n = o->from->problem.n, d = o->from->problem.d;
    const parameters *known = o->from->known;
    const double *x = zo_point(o->solver);
    *t = (told){.d = d, .value = calloc(3 * d + n * d, sizeof *t->value)};
    if (!t->value) return 0;
    t->error = t->value + d;
    t->sensitivity = t->error + d;
    t->jac = t->sensitivity + d;
    t->fitted = o->from->problem.outer.value && /* else f_i is no residual */
                !zo_residuals(o->solver, NULL, t->jac, NULL) &&
                !zo_covariance(o->solver, NULL, t->error, &t->lost, NULL);
    for (size_t j = 0; j < d; j++) {
        int log = known && known->at[j].log; /* d/dlog v = v d/dv */
        double v = t->value[j] = known ? parameter_value(known, j, x[j]) : x[j];
        t->sensitivity[j] = t->fitted ? slope_rms(t, n, j) * (log ? 1 : fabs(v)) : NAN;
        if (log) t->error[j] *= v;
        if (is_fixed(known, j) && t->lost) t->lost--; /* nobody asked */
    }
    int any = t->fitted || known;
    if (!any) free(t->value);
    return any;
}

/* A bound at which parameter j ended: -1, 1; 0: none. */
static int at_bound(const parameters *known, const double *x, size_t j)
{
    if (!known || is_fixed(known, j)) return 0;
    return x[j] <= known->low[j] ? -1 : x[j] >= known->high[j] ? 1 : 0;
}

static json_t *parameters_json(const outcome *o)
{
    told t;
    if (!find_parameters(o, &t)) return json_null();
    const parameters *known = o->from->known;
    json_t *all = json_array();
    for (size_t j = 0; j < t.d; j++) {
        json_t *one = json_object();
        if (known) {
            json_object_set_new(one, "name", json_string(known->at[j].name));
            json_object_set_new(one, "unit", json_text(known->at[j].unit));
        }
        json_object_set_new(one, "value", json_number(t.value[j]));
        if (t.fitted) {
            json_object_set_new(one, "error", json_number(t.error[j])); /* null: not determined */
            json_object_set_new(one, "sensitivity", json_number(t.sensitivity[j]));
        }
        json_array_append_new(all, one);
    }
    free(t.value);
    return all;
}

int nothing_known(const zo_report *r)
{
    return isnan(r->objective) && isnan(r->best_objective) && !r->steps && r->reason != ZO_AT_END;
}

const double *result_of(const zo_solver *solver, const zo_report *r)
{
    return r->reason == ZO_AT_NONFINITE ? zo_best(solver) : zo_point(solver);
}

/* Coordinate j of x as the program gets it. */
static double coordinate(const outcome *o, const double *x, size_t j)
{
    return o->from->known ? parameter_value(o->from->known, j, x[j]) : x[j];
}

enum { MOST_X = 12, MOST_X_JSON = 1000 }; /* coordinates of a black box that are shown */

static int x_is_shown(const outcome *o, size_t most)
{
    return !o->from->model && o->from->problem.d <= most && !nothing_known(o->report);
}

static json_t *x_json(const outcome *o)
{
    if (!x_is_shown(o, MOST_X_JSON)) return json_null();
    const double *x = result_of(o->solver, o->report);
    json_t *all = json_array();
    for (size_t j = 0; j < o->from->problem.d; j++)
        json_array_append_new(all, json_number(coordinate(o, x, j)));
    return all;
}

void report_json(const outcome *o)
{
    const zo_report *r = o->report;
    json_t *all = json_object();
    json_object_set_new(all, "status", json_string(o->failed ? "failed" : "ok"));
    json_object_set_new(all, "reason", json_string(zo_reason_name(r->reason)));
    json_object_set_new(all, "signal",
                        o->signal ? json_string(signal_name(o->signal)) : json_null());
    json_object_set_new(all, "method", json_string(r->method));
    json_object_set_new(all, "source", json_text(source_name(o)));
    json_object_set_new(all, "loss", loss_name(o) ? json_string(loss_name(o)) : json_null());
    json_object_set_new(all, "n", json_count(o->from->problem.n));
    json_object_set_new(all, "d", json_count(o->from->problem.d));
    json_object_set_new(all, "steps", json_count(r->steps));
    json_object_set_new(all, "queries", json_count(r->queries));
    json_object_set_new(all, "points",
                        o->from->problem.by_point ? json_count(r->queries) : json_null());
    json_object_set_new(all, "units", json_number(r->units));
    json_object_set_new(all, "watched", json_count(r->watched));
    json_object_set_new(all, "seconds", json_number(r->seconds));
    json_object_set_new(all, "objective", json_number(r->objective));
    json_object_set_new(all, "optimum", json_number(o->optimum));
    json_object_set_new(all, "gap", json_number(r->gap));
    json_object_set_new(all, "residual", json_number(r->residual));
    json_object_set_new(all, "error", json_number(r->error));
    json_object_set_new(all, "x", x_json(o));
    json_object_set_new(all, "nonzeros", json_count(r->nonzeros));
    json_object_set_new(all, "seed", json_count(o->asked->set.seed));
    json_object_set_new(all, "best_objective", json_number(r->best_objective));
    json_object_set_new(all, "retried", json_count(r->retried));
    json_object_set_new(all, "failures", json_count(r->failures));
    json_object_set_new(all, "extra", json_count(r->extra));
    json_object_set_new(all, "known", json_count(known(o)));
    json_object_set_new(all, "starts_queries", json_count(o->spent));
    json_object_set_new(all, "valleys", o->valleys ? json_count(o->valleys) : json_null());
    json_object_set_new(all, "chosen", json_string(r->chosen));
    json_object_set_new(all, "warning", json_string(r->warning));
    json_object_set_new(all, "peak_bytes", json_count(peak_bytes()));
    json_object_set_new(all, "settings", settings_json(&r->settings));
    json_object_set_new(all, "unused", unused_json(o));
    json_object_set_new(all, "parameters", parameters_json(o));
    print_json(all);
}

/* ---- For people ---------------------------------------------------------------------------------- */

static void print_number(const char *name, double v, int digits)
{
    if (!isnan(v)) printf("%-15s %.*g\n", name, digits, v);
}

static void print_reason(const outcome *o)
{
    zo_reason reason = o->report->reason;
    printf("%-15s %s", "stopped at", zo_reason_name(reason));
    if (reason == ZO_AT_END) printf(" (converged)");
    if (reason == ZO_AT_QUERIES) printf(" (the next question would pass the budget)");
    if (reason == ZO_AT_NOISE) printf(" (nothing more can be learnt above the noise)");
    if (reason == ZO_AT_STALLED)
        printf(" (no better point was found, and the slopes do not vanish)");
    if (reason == ZO_AT_UNBOUNDED) printf(" (the objective falls without end)");
    if (o->signal) printf(" (interrupted by %s)", signal_name(o->signal));
    putchar('\n');
}

static void print_unused(const outcome *o)
{
    size_t count, found = 0;
    const zo_setting_row *rows = zo_setting_rows(&count);
    for (size_t k = 0; k < count; k++)
        if (is_unused(o, k)) printf("%s%s", found++ ? ", " : "unused          ", rows[k].name);
    if (found) putchar('\n');
}

enum { MOST_SHOWN = 30 }; /* parameters */

static void print_parameter(const outcome *o, const told *t, size_t j)
{
    const parameters *known = o->from->known;
    int bound = at_bound(known, zo_point(o->solver), j);
    char plain[32];
    snprintf(plain, sizeof plain, "x_%zu", j);
    printf("  %-14s%-17.8g", known ? known->at[j].name : plain, t->value[j]);
    int width = known ? 13 : 0, fixed = is_fixed(known, j);
    if (t->fitted && (fixed || isinf(t->error[j])))
        printf("%-17s%-*.3g", fixed ? "fixed" : "not determined", width, t->sensitivity[j]);
    else if (t->fitted)
        printf("%-17.4g%-*.3g", t->error[j], width, t->sensitivity[j]);
    if (known) printf("%s", known->at[j].unit);
    if (fixed && !t->fitted) printf(" (fixed)");
    if (bound) printf(" (at its %s bound)", bound < 0 ? "lower" : "upper");
    putchar('\n');
}

/* 0: there are none. */
static int print_parameters(const outcome *o)
{
    told t;
    if ((o->from->problem.d > MOST_SHOWN && !o->from->known) || !find_parameters(o, &t)) return 0;
    printf("parameters      value%s\n", t.fitted ? "            standard error   sensitivity" : "");
    for (size_t j = 0; j < t.d; j++) print_parameter(o, &t, j);
    if (t.lost) printf("%zu of %zu parameters are not determined by the residuals\n", t.lost, t.d);
    free(t.value);
    return 1;
}

/* Where no parameters are. */
static void print_x(const outcome *o)
{
    if (!x_is_shown(o, MOST_X)) return;
    const double *x = result_of(o->solver, o->report);
    printf("%-15s", "x");
    for (size_t j = 0; j < o->from->problem.d; j++) printf(" %.8g", coordinate(o, x, j));
    putchar('\n');
}

/* Of a run that may have ended in one of several minima. */
static void print_hint(const outcome *o)
{
    if (o->valleys && o->lowest < o->report->objective)
        printf("%-15s F is %.9g elsewhere within the bounds, which is less; --starts 8 begins at "
               "several points\n",
               "hint", o->lowest);
    else if (o->valleys > 1)
        printf("%-15s F has %zu valleys on the line through start and end, so this may not be the "
               "least minimum; --starts 8 begins at several points\n",
               "hint", o->valleys);
}

void report_table(const outcome *o)
{
    const zo_report *r = o->report;
    printf("%-15s %s (%s, n %zu, d %zu)\n", "problem", source_name(o),
           loss_name(o) ? loss_name(o) : "a black box", o->from->problem.n, o->from->problem.d);
    printf("%-15s %s\n", "method", r->method);
    if (*r->chosen) printf("%-15s %s\n", "chosen", r->chosen);
    print_unused(o);
    print_number("objective", r->objective, 17);
    if (r->best_objective < r->objective) print_number("best objective", r->best_objective, 17);
    print_number("optimum", o->optimum, 17);
    print_number("gap", r->gap, 4);
    print_number("residual", r->residual, 4);
    printf("%-15s %zu of %zu\n", "nonzeros", r->nonzeros, o->from->problem.d);
    printf("%-15s %" PRIu64 "\n", "steps", r->steps);
    printf("%-15s %" PRIu64 " (%.6g units), %" PRIu64 " more to watch\n",
           o->from->problem.by_point ? "points" : "queries", r->queries, r->units, r->watched);
    if (o->spent) printf("%-15s %" PRIu64 " more queries before it\n", "starts", o->spent);
    if (!print_parameters(o)) print_x(o);
    if (known(o))
        printf("%-15s %" PRIu64 " of these, which were not asked again\n", "known", known(o));
    if (r->failures)
        printf("%-15s %" PRIu64 "; %" PRIu64 " %s asked again\n", "bad answers", r->failures,
               r->extra, o->from->problem.by_point ? "points" : "queries");
    print_number("seconds", r->seconds, 4);
    print_reason(o);
    print_hint(o);
}
