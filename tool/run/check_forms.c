/* zoprox check: the forms that questions have in a run. One value at a time, many components, many points, points of
 * their own and "all" must give the same values. SPDX-License-Identifier: MIT
 *
 * How a fan is cut into questions is a fixed rule (docs/black-boxes.md): about 64 questions, so a fan of 128 values is asked
 * in pairs. The forms are made by fans of the right size; components are repeated where there are too few. */
#include "run/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

enum { MANY = 128, POINTS = 72, FEW = 12, OWN = 100, ALL_POINTS = 65 };
#define RADIUS 1e-2

typedef struct form {
    const char *name; /* as the report has it, and what a program may have overlooked */
    const char *hint;
    double change; /* greatest, against one value at a time */
} form;

static int ask(trial *t, const zo_fan *fan, double *out) { return !check_ask(t, fan, out); }

static zo_fan fan_at(const trial *t, size_t point, size_t ncomp, const uint64_t *comp)
{
    const zo_problem *p = &t->from->problem;
    return (zo_fan){.n = p->n,
                    .d = p->d,
                    .nbase = 1,
                    .base = {t->x + point * p->d},
                    .radius = RADIUS,
                    .sides = 1,
                    .ncomp = ncomp,
                    .comp = comp,
                    .each = !p->means_only};
}

static void worse(double *most, double a, double b)
{
    if (!(fabs(a - b) <= *most)) *most = fabs(a - b);
}

/* Many components in one question. With means: the mean of all against the mean of the single ones. */
static int many_components(trial *t, form *f)
{
    uint64_t comp[MANY];
    double out[MANY], single[16], mean = 0;
    for (size_t e = 0; e < MANY; e++) comp[e] = t->comp[e % t->ncomp];
    for (size_t e = 0; e < t->ncomp; e++) {
        zo_fan one = fan_at(t, 1, 1, t->comp + e);
        if (!ask(t, &one, single + e)) return 0;
    }
    zo_fan fan = fan_at(t, 1, MANY / t->ncomp * t->ncomp, comp);
    if (!ask(t, &fan, out)) return 0;
    for (size_t e = 0; e < t->ncomp; e++) mean += single[e] / (double)t->ncomp;
    for (size_t e = 0; fan.each && e < fan.ncomp; e++)
        worse(&f->change, out[e], single[e % t->ncomp]);
    if (!fan.each && fabs(out[0] - mean) > 1e-9 * fabs(mean)) worse(&f->change, out[0], mean);
    return 1;
}

/* Many points in one question, against the first few of them one by one. */
static int many_points(trial *t, form *f, const double *dir)
{
    double out[POINTS + 1], few[FEW + 1];
    zo_fan fan = fan_at(t, 1, 1, t->comp);
    fan.dir = dir;
    fan.ndir = FEW;
    if (!ask(t, &fan, few)) return 0;
    fan.ndir = POINTS;
    if (!ask(t, &fan, out)) return 0;
    for (size_t k = 0; k <= FEW; k++) worse(&f->change, out[k], few[k]);
    return 1;
}

/* Every component at points of its own: many in one question, against one. */
static int own_points(trial *t, form *f, const double *dir)
{
    uint64_t comp[OWN];
    double out[2 * OWN], few[2 * FEW];
    for (size_t e = 0; e < OWN; e++) comp[e] = t->comp[e % t->ncomp];
    zo_fan fan = fan_at(t, 1, FEW, comp);
    fan.own = 1;
    fan.ndir = 1;
    fan.dir = dir;
    if (!ask(t, &fan, few)) return 0;
    fan.ncomp = OWN;
    if (!ask(t, &fan, out)) return 0;
    for (size_t e = 0; e < FEW; e++) {
        zo_fan one = fan_at(t, 1, 1, comp + e);
        double answer[2];
        one.ndir = 1;
        one.dir = dir + e * t->from->problem.d;
        if (!ask(t, &one, answer)) return 0;
        for (size_t k = 0; k < 2; k++) {
            worse(&f->change, few[2 * e + k], answer[k]);
            worse(&f->change, out[2 * e + k], answer[k]);
        }
    }
    return 1;
}

/* "all" in place of the numbers: 64 points make a question of all components. */
static int all_components(trial *t, form *f, const double *dir)
{
    const zo_problem *p = &t->from->problem;
    zo_fan fan = fan_at(t, 1, p->n, NULL);
    fan.dir = dir;
    fan.ndir = ALL_POINTS - 1;
    double *out = calloc(zo_fan_answers(&fan), sizeof *out), single[2];
    int fine = out && ask(t, &fan, out);
    for (size_t e = 0; fine && fan.each && e < t->ncomp; e++) {
        zo_fan one = fan_at(t, 1, 1, t->comp + e);
        one.ndir = 1;
        one.dir = dir;
        fine = ask(t, &one, single);
        for (size_t k = 0; fine && k < 2; k++)
            worse(&f->change, out[t->comp[e] * zo_fan_set(&fan) + k], single[k]);
    }
    free(out);
    return fine;
}

/* "all" is tried where it takes a second at most. */
static int tries_all(const trial *t, double queries_a_second)
{
    size_t n = t->from->problem.n;
    return (double)n * ALL_POINTS <= queries_a_second && n <= 4096;
}

uint64_t check_forms_price(const trial *t)
{
    uint64_t components = t->ncomp + MANY / t->ncomp * t->ncomp, points = FEW + 1 + POINTS + 1,
             own = t->from->problem.means_only ? 0 : 2 * (FEW + OWN + FEW);
    return components + points + own;
}

int check_forms(trial *t, double noise, double queries_a_second)
{
    enum { COMPONENTS, MANY_POINTS, EACH, ALL, FORMS };
    form f[FORMS] = {
        {"components", "many components in one question", 0},
        {"points", "many points in one question", 0},
        {"each", "questions that begin with 'each': every component at other points", 0},
        {"all", "the word 'all' in place of the component numbers", 0}};
    const zo_problem *p = &t->from->problem;
    double *dir = calloc((OWN > POINTS ? OWN : POINTS) * p->d, sizeof *dir), size = 0;
    if (!dir) return complain(FAILED, "check: out of memory");
    enum { ROWS = OWN > POINTS ? OWN : POINTS };
    rng_normals(1, FOR_CHECK, 0, 1, ROWS * p->d, dir);
    check_directions(t, t->x + p->d, RADIUS, ROWS, dir);
    int all = tries_all(t, queries_a_second);
    int fine = many_components(t, &f[COMPONENTS]) && many_points(t, &f[MANY_POINTS], dir) &&
               (p->means_only || own_points(t, &f[EACH], dir)) &&
               (!all || all_components(t, &f[ALL], dir));
    free(dir);
    if (!fine) return check_broken(t);
    for (int k = 0; k < FORMS; k++) {
        if (f[k].change > fmax(10 * noise, 1e-12))
            return complain(FAILED,
                            "check: values change by up to %.2g with the form of the question: %s",
                            f[k].change, f[k].hint);
        size = fmax(size, f[k].change);
    }
    printf("forms        one value or many, %sgive the same values%s\n",
           p->means_only ? "" : "other points for each component, ",
           all ? "" : "; 'all' was not tried: too slow here");
    return DONE;
}
