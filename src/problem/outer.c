/* Losses on top of residuals, and the problem that they make of a box that gives residuals.
 * SPDX-License-Identifier: MIT */
#include "problem/outer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/real.h"
#include "base/text.h"
#include "problem/gather.h"

/* ---- The families ----------------------------------------------------------------------------------- */

static double squares_value(const zo_outer *h, double r) { return (void)h, 0.5 * r * r; }
static double squares_slope(const zo_outer *h, double r) { return (void)h, r; }
static double squares_curvature(const zo_outer *h, double r) { return (void)h, (void)r, 1; }

static double huber_value(const zo_outer *h, double r)
{
    return fabs(r) <= h->a ? 0.5 * r * r : h->a * (fabs(r) - 0.5 * h->a);
}
static double huber_slope(const zo_outer *h, double r)
{
    return fabs(r) <= h->a ? r : copysign(h->a, r);
}
static double huber_curvature(const zo_outer *h, double r) { return fabs(r) <= h->a; }

static double soft_value(const zo_outer *h, double r)
{
    double t = r / h->a, root = sqrt(1 + t * t);
    return h->a * h->a * (t * t / (root + 1));
}
static double soft_slope(const zo_outer *h, double r)
{
    double t = r / h->a;
    return r / sqrt(1 + t * t);
}
static double soft_curvature(const zo_outer *h, double r)
{
    double t = r / h->a, root = sqrt(1 + t * t);
    return 1 / (root * root * root);
}

static double cauchy_value(const zo_outer *h, double r)
{
    double t = r / h->a;
    return 0.5 * h->a * h->a * real_log1p(t * t);
}
static double cauchy_slope(const zo_outer *h, double r)
{
    double t = r / h->a;
    return r / (1 + t * t);
}
static double cauchy_curvature(const zo_outer *h, double r)
{
    double t = r / h->a, s = 1 + t * t;
    return (1 - t * t) / (s * s);
}

static double logistic_value(const zo_outer *h, double r)
{
    return (void)h, fmax(-r, 0) + real_log1p(real_exp(-fabs(r)));
}
static double logistic_slope(const zo_outer *h, double r)
{
    (void)h;
    double e = real_exp(-fabs(r));
    return r > 0 ? -e / (1 + e) : -1 / (1 + e);
}
static double logistic_curvature(const zo_outer *h, double r)
{
    (void)h;
    double e = real_exp(-fabs(r));
    return e / ((1 + e) * (1 + e));
}

static const struct {
    zo_outer outer;
    int number; /* 1: it has one, more than 0 */
} families[] = {
    {{"squares", squares_value, squares_slope, squares_curvature, 0, NULL, NULL, NULL}, 0},
    {{"huber", huber_value, huber_slope, huber_curvature, 0, NULL, NULL, NULL}, 1},
    {{"soft-l1", soft_value, soft_slope, soft_curvature, 0, NULL, NULL, NULL}, 1},
    {{"cauchy", cauchy_value, cauchy_slope, cauchy_curvature, 0, NULL, NULL, NULL}, 1},
    {{"logistic", logistic_value, logistic_slope, logistic_curvature, 0, NULL, NULL, NULL}, 0},
};
enum { FAMILIES = sizeof families / sizeof *families };

static zo_outer family(size_t k, double a)
{
    zo_outer h = families[k].outer;
    h.a = a;
    return h;
}

zo_outer zo_squares(void) { return family(0, 0); }
zo_outer zo_huber(double a) { return family(1, a); }
zo_outer zo_soft_l1(double a) { return family(2, a); }
zo_outer zo_cauchy(double a) { return family(3, a); }
zo_outer zo_logistic(void) { return family(4, 0); }

zo_status zo_outer_parse(zo_outer *out, const char *spec, zo_error *err)
{
    memset(out, 0, sizeof *out);
    size_t length = strcspn(spec, ":");
    for (size_t k = 0; k < FAMILIES; k++) {
        const char *name = families[k].outer.name;
        if (strlen(name) != length || strncmp(name, spec, length)) continue;
        double a = 1;
        char *end = NULL;
        if (spec[length]) a = strtod(spec + length + 1, &end);
        int right = spec[length] ? families[k].number && end != spec + length + 1 && !*end &&
                                       a > 0 && isfinite(a)
                                 : 1;
        if (!right)
            return fail(err, ZO_BAD_ARGUMENT,
                        families[k].number ? "residuals: '%s' wants a number more than 0 after ':'"
                                           : "residuals: '%s' has a number, and takes none",
                        spec);
        *out = family(k, a);
        return succeed(err);
    }
    return fail(err, ZO_BAD_ARGUMENT,
                "residuals: '%s' is not one of squares, huber:A, soft-l1:A, cauchy:A, logistic",
                spec);
}

/* ---- In a component ----------------------------------------------------------------------------------- */

static double weight_of(const zo_outer *h, size_t i) { return h->weight ? h->weight[i] : 1; }
static double less_target(const zo_outer *h, size_t i, double r)
{
    return h->target ? r - h->target[i] : r;
}

double outer_value(const zo_outer *h, size_t i, double r)
{
    return h ? weight_of(h, i) * h->value(h, less_target(h, i, r)) : r;
}

double outer_slope(const zo_outer *h, size_t i, double r)
{
    return h ? weight_of(h, i) * h->slope(h, less_target(h, i, r)) : 1;
}

double outer_bend(const zo_outer *h, size_t i, double r)
{
    const double part = 0.1;
    if (!h) return 0;
    r = less_target(h, i, r);
    double bend = h->curvature(h, r), above = r != 0 ? h->slope(h, r) / r : 0;
    return weight_of(h, i) * fmax(bend, fmax(part * above, 0));
}

/* ---- The problem that they make --------------------------------------------------------------------- */

struct composed {
    zo_problem p;
    double *rows;
    size_t nrows;
};

zo_status composed_new(composed **out, const zo_problem *p, zo_error *err)
{
    composed *c = *out = mem_new(1, sizeof *c);
    if (!c) return out_of_memory(err, "a loss of residuals", 1);
    c->p = *p;
    return ZO_OK;
}

void composed_free(composed *c)
{
    if (!c) return;
    mem_free(c->rows);
    mem_free(c);
}

/* A set of answers, of component i: from residuals and their differences to values of f_i. */
static void compose(const zo_fan *fan, const zo_outer *h, size_t i, double *set)
{
    size_t per = zo_fan_set(fan) / fan->nbase;
    for (size_t b = 0; b < fan->nbase; b++, set += per) {
        double at = fan->known ? 0 : set[0];
        for (size_t k = per; k-- > 0;)
            set[k] = outer_value(h, i, fan->known || k == 0 ? set[k] : at + set[k]);
    }
}

int composed_answer(void *ctx, const zo_fan *fan, double *out)
{
    composed *c = ctx;
    zo_fan inner = *fan;
    size_t set = zo_fan_set(fan);
    inner.each = 1;
    if (!gather_room((void **)&c->rows, &c->nrows, fan->ncomp * set, sizeof *c->rows))
        return ZO_NO_MEMORY;
    int code = c->p.answer(c->p.ctx, &inner, c->rows);
    if (code) return code;
    for (size_t k = 0; k < fan->ncomp; k++)
        compose(fan, &c->p.outer, gather_component(fan, k), c->rows + k * set);
    return zo_fan_answer(fan, c->rows, out, NULL) ? ZO_NO_MEMORY : 0;
}
