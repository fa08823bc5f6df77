/* zoprox eval: F, its parts and its slopes at a point.
 * SPDX-License-Identifier: MIT */
#include "files/parameters.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problem/outer.h"
#include "prox/prox.h"

enum { WORST = 5, SHOWN = 30 }; /* cases, parameters */
#define RADIUS 1e-7             /* of max(1, |x_j|) */

typedef struct point {
    const request *asked;
    task *from;
    double *x, *value,
        *slope; /* d, n (f_i or r_i, before its target is taken off; means: one), d (of the mean of f) */
    size_t count; /* of value */
    double mean, psi;
    uint64_t queries;
} point;

/* f_i, where r is what the box gives for case i. */
static double f_of(const point *t, size_t i, double r)
{
    const zo_outer *h = &t->from->problem.outer;
    return h->value ? outer_value(h, i, r) : r;
}

static int ask(point *t, zo_fan *fan, double *out)
{
    const zo_problem *p = &t->from->problem;
    fan->log = p->log;
    fan->by_point = p->by_point;
    t->queries += zo_fan_queries(fan);
    if (!p->answer(p->ctx, fan, out)) return DONE;
    const char *text = p->health ? p->health(p->ctx).text : NULL;
    return complain(FAILED, "eval: %s", text ? text : "the black box failed");
}

/* ---- values ------------------------------------------------------------------------------------------------ */

static int find_values(point *t)
{
    const zo_problem *p = &t->from->problem;
    zo_fan fan = {.n = p->n,
                  .d = p->d,
                  .nbase = 1,
                  .base = {t->x},
                  .radius = 1,
                  .sides = 1,
                  .ncomp = p->n,
                  .each = !p->means_only};
    int code = ask(t, &fan, t->value);
    t->count = zo_fan_answers(&fan);
    for (size_t i = 0; i < t->count; i++) t->mean += f_of(t, i, t->value[i]) / (double)t->count;
    t->psi = prox_value(&p->psi, p->d, t->x);
    return code;
}

/* ---- slopes ------------------------------------------------------------------------------------------------ */

/* Differences are taken inwards where a bound is near. */
static int set_radii(const point *t, double *radii)
{
    const zo_problem *p = &t->from->problem;
    double *lo = calloc(2 * p->d, sizeof *lo), *hi = lo + p->d;
    if (!lo) return 0;
    int bounded = prox_bounds(&p->psi, p->d, lo, hi);
    for (size_t j = 0; j < p->d; j++) {
        double r = isnan(t->from->radius) ? RADIUS : t->from->radius;
        radii[j] = r * fmax(1, fabs(t->x[j]));
        if (bounded && t->x[j] + radii[j] > hi[j]) radii[j] = -radii[j];
        if (bounded && t->x[j] + radii[j] < lo[j]) radii[j] = 0; /* held in one place */
    }
    free(lo);
    return 1;
}

static zo_fan axes_of(const point *t, const double *radii)
{
    const zo_problem *p = &t->from->problem;
    return (zo_fan){.n = p->n,
                    .d = p->d,
                    .nbase = 1,
                    .base = {t->x},
                    .naxis = p->d,
                    .radius = 1,
                    .radii = radii,
                    .sides = 1,
                    .ncomp = p->n};
}

/* Of a mean, by its changes. */
static int slopes_of_mean(point *t, const double *radii)
{
    size_t d = t->from->problem.d;
    double *answers = calloc(d + 1, sizeof *answers);
    zo_fan fan = axes_of(t, radii);
    int code = answers ? ask(t, &fan, answers) : complain(FAILED, "eval: out of memory");
    for (size_t j = 0; !code && j < d; j++) t->slope[j] = answers[1 + j];
    free(answers);
    return code;
}

/* Of a black box whose values are known here: those at the other points, and how many digits they have. */
static int slopes_of_values(point *t, const double *radii, int *digits)
{
    const zo_problem *p = &t->from->problem;
    double *moved = calloc(p->n * p->d, sizeof *moved);
    zo_fan fan = axes_of(t, radii);
    fan.each = fan.known = 1;
    int code = moved ? ask(t, &fan, moved) : complain(FAILED, "eval: out of memory");
    for (size_t j = 0; !code && j < p->d; j++) t->slope[j] = 0;
    for (size_t i = 0; !code && i < p->n; i++)
        for (size_t j = 0; j < p->d; j++)
            t->slope[j] +=
                (f_of(t, i, moved[i * p->d + j]) - f_of(t, i, t->value[i])) / (double)p->n;
    *digits = code ? 17 : value_digits(p->n * p->d, moved);
    free(moved);
    return code;
}

/* Values with p digits show slopes where half of these are left: they are asked once more, farther apart. */
static int find_slopes(point *t)
{
    const zo_problem *p = &t->from->problem;
    double *radii = calloc(p->d, sizeof *radii);
    int by_value = !t->from->model && !p->means_only, digits = 17;
    int code = radii && set_radii(t, radii) ? DONE : complain(FAILED, "eval: out of memory");
    if (!code) code = by_value ? slopes_of_values(t, radii, &digits) : slopes_of_mean(t, radii);
    if (!code && digits <= FEW_DIGITS && isnan(t->from->radius)) {
        t->from->radius = pow(10, -digits / 2.0);
        if (!t->asked->quiet)
            fprintf(stderr,
                    "zoprox: eval: values have %d digits: differences are taken %.1e apart\n",
                    digits, t->from->radius);
        code = set_radii(t, radii) ? slopes_of_values(t, radii, &digits)
                                   : complain(FAILED, "eval: out of memory");
    }
    for (size_t j = 0; !code && j < p->d; j++)
        t->slope[j] = radii[j] != 0 ? t->slope[j] / radii[j] : 0;
    free(radii);
    return code;
}

/* ---- what came of it ---------------------------------------------------------------------------------------- */

/* As people know it: of a parameter on a log scale dF/dv = (dF/dlog v)/v. */
static double slope_of(const point *t, size_t j, double v)
{
    const parameters *known = t->from->known;
    return known && known->at[j].log ? t->slope[j] / v : t->slope[j];
}

static double value_of(const point *t, size_t j)
{
    return t->from->known ? parameter_value(t->from->known, j, t->x[j]) : t->x[j];
}

static json_t *parameters_json(const point *t)
{
    const parameters *known = t->from->known;
    json_t *all = json_array();
    for (size_t j = 0; j < t->from->problem.d; j++) {
        double v = value_of(t, j);
        json_t *one = json_object();
        if (known) json_object_set_new(one, "name", json_string(known->at[j].name));
        json_object_set_new(one, "value", json_number(v));
        if (t->asked->gradient) {
            json_object_set_new(one, "gradient", json_number(slope_of(t, j, v)));
            json_object_set_new(one, "sensitivity", json_number(fabs(slope_of(t, j, v) * v)));
        }
        json_array_append_new(all, one);
    }
    return all;
}

static int print_as_json(const point *t)
{
    json_t *all = json_object(), *values = json_array();
    const zo_outer *h = &t->from->problem.outer;
    for (size_t i = 0; i < t->count; i++) /* what was measured is no residual */
        json_array_append_new(values, json_number(t->value[i] - (h->target ? h->target[i] : 0)));
    json_object_set_new(all, "objective", json_number(t->mean + t->psi));
    json_object_set_new(all, "mean", json_number(t->mean));
    json_object_set_new(all, "psi", json_number(t->psi));
    json_object_set_new(all, "queries", json_integer((json_int_t)t->queries));
    json_object_set_new(all, h->value ? "residuals" : "values", values);
    json_object_set_new(all, "parameters", parameters_json(t));
    return print_json(all);
}

/* The cases with the greatest f_i, one after the other. */
static void print_worst(const point *t)
{
    const double *target = t->from->problem.outer.target;
    char *seen = calloc(t->count, 1);
    if (seen && t->count > 1) printf("%-15s", "worst cases");
    for (size_t k = 0; seen && t->count > 1 && k < WORST && k < t->count; k++) {
        size_t worst = t->count;
        for (size_t i = 0; i < t->count; i++)
            if (!seen[i] &&
                (worst == t->count || f_of(t, i, t->value[i]) > f_of(t, worst, t->value[worst])))
                worst = i;
        seen[worst] = 1;
        printf("%s %zu (%.4g", k ? "," : "", worst, t->value[worst]);
        if (target) printf(", %+.2g off", t->value[worst] - target[worst]);
        putchar(')');
    }
    if (seen && t->count > 1) printf("\n");
    free(seen);
}

static void print_as_table(const point *t)
{
    const parameters *known = t->from->known;
    size_t d = t->from->problem.d;
    printf("%-15s %.17g\n%-15s %.17g\n", "objective", t->mean + t->psi, "mean of f", t->mean);
    if (t->psi != 0) printf("%-15s %.17g\n", "psi", t->psi);
    print_worst(t);
    printf("%-15s %llu\n", "queries", (unsigned long long)t->queries);
    if (!known && !t->asked->gradient) return;
    printf("%-15s value%s\n", "parameters",
           t->asked->gradient ? "            gradient         sensitivity" : "");
    for (size_t j = 0; j < d && (known || j < SHOWN); j++) {
        char plain[32];
        double v = value_of(t, j);
        snprintf(plain, sizeof plain, "x_%zu", j);
        printf("  %-14s%-17.8g", known ? known->at[j].name : plain, v);
        if (t->asked->gradient)
            printf("%-17.6g%-13.3g", slope_of(t, j, v), fabs(slope_of(t, j, v) * v));
        printf("%s\n", known ? known->at[j].unit : "");
    }
    if (!known && d > SHOWN) printf("  and %zu more: --json has all\n", d - SHOWN);
}

static int evaluate(point *t)
{
    const zo_problem *p = &t->from->problem;
    t->x = calloc(2 * p->d + p->n, sizeof *t->x);
    if (!t->x) return complain(FAILED, "eval: out of memory");
    t->slope = t->x + p->d;
    t->value = t->slope + p->d;
    int code = task_start(t->from, t->asked, t->x);
    if (!code) code = task_settle(t->from);
    if (!code) code = find_values(t);
    if (!code && t->asked->gradient) code = find_slopes(t);
    if (!code && t->asked->json)
        code = print_as_json(t);
    else if (!code)
        print_as_table(t);
    free(t->x);
    return code;
}

int command_eval(int argc, char **argv)
{
    request r;
    task s;
    int code = request_parse(&r, argc, argv);
    if (!code && r.nwords + (size_t)box_wanted(&r) != 1)
        code = complain(REFUSED, "eval takes a SOURCE or a black box; see 'zoprox eval --help'");
    if (!code) code = box_fits(&r);
    if (!code) code = task_open(&s, &r);
    if (code) return code;
    point t = {.asked = &r, .from = &s};
    code = evaluate(&t);
    task_close(&s);
    return code;
}
