/* Curvature at the start, measured by second differences before a method's first fan.
 * SPDX-License-Identifier: MIT
 *
 * trace: the mean of u'Hu over a few gaussian u, E[u'Hu] = tr H, on a sample of components.
 * top:   the largest Ritz value of the sample's mean Hessian in a Krylov space of a few products
 *        Hv = (G(x + rho v) - G(x))/rho, G the difference gradient; it starts from the gradient and a
 *        random vector.
 * each:  mean |H_i y|^2 / y'Hy at its Ritz vector y: what the components add to top when they are sampled.
 *
 * Where f is flat at x but must bend elsewhere (huber far away, sigmoid at 0), all of them are raised to a floor: a
 * nonnegative f with gradient g has somewhere at least the curvature |g|^2/(2 f), because f(x - g/L) >= 0. The floor
 * is never so high that a step g/floor would be shorter than max(1, |x|).
 *
 * The sample is as large as a fiftieth of the horizon and a tenth of a unit allow, at most 256 components.
 * Below 8 components only the trace is taken, and stands for top (which it bounds) and for each (which it
 * equals where every f_i sees x through one index). */
#include "method/core/curvature.h"

#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/vec.h"

enum { TRIALS = 8, PRODUCTS = 4, MOST = 256, FEW = 16, LEAST = 8 };
enum { AT_TRACE, AT_HOME, AT_PRODUCT, AT_EACH, DONE };

struct probe {
    uint64_t stage;    /* (state) */
    uint64_t products; /* products taken so far (state) */
    double scale;      /* |mean f| at x (state) */
    double floor;      /* |g|^2/(2 f), or less (state) */
    double *basis;     /* PRODUCTS + 1 rows: orthonormal v_t; the last holds y in the end (state) */
    double *image;     /* PRODUCTS rows: H v_t (state) */
    double *home;      /* d: the sample's mean difference gradient at x (state) */
    double *dir;       /* TRIALS rows (scratch) */
    double *point;     /* d (scratch) */
    size_t rows;       /* in image */
    uint64_t comp[MOST];
};

/* ---- Plan ---------------------------------------------------------------------------------------- */

/* Queries for one component's part in top and each: home 1, PRODUCTS products, each 2 difference gradients. */
static double price(const method *m) { return (m->set.sides * (double)m->d + 1) * (PRODUCTS + 3); }

/* Queries that the probe may cost. */
static double allowance(const method *m)
{
    double most = fmax(0.1 * (double)m->n * (double)m->d, FEW * price(m));
    return isnan(m->set.horizon) ? most : fmin(most, 0.02 * m->set.horizon);
}

static size_t at_most(double count, size_t n)
{
    double most = n < MOST ? (double)n : MOST;
    return (size_t)fmin(fmax(count, 1), most);
}

static size_t trace_sample(const method *m)
{
    return at_most(fmax(LEAST, 0.1 * allowance(m) / (2 * TRIALS + 1)), m->n);
}

double probe_trace_price(const method *m) { return (double)trace_sample(m) * (2 * TRIALS + 1); }

static size_t top_sample(const method *m) { return at_most(allowance(m) / price(m), m->n); }

static int wants_top(const method *m)
{
    size_t s = top_sample(m);
    return (m->row->needs(m) & NEEDS_TOP) && (s >= LEAST || s == m->n);
}

/* ---- Asking -------------------------------------------------------------------------------------- */

static void choose_sample(method *m, size_t count, zo_fan *fan)
{
    struct probe *p = m->probe;
    fan->ncomp = count;
    fan->comp = NULL;
    if (count == m->n) return;
    rng_indices(m->set.seed, FOR_CURVATURE, 0, m->n, count, p->comp);
    fan->comp = p->comp;
}

static void ask_trace(method *m, zo_fan *fan)
{
    struct probe *p = m->probe;
    for (size_t k = 0; k < TRIALS; k++)
        rng_normals(m->set.seed, FOR_CURVATURE, 1, (uint32_t)k, m->d, p->dir + k * m->d);
    double noise = m->set.noise > 0 ? m->set.noise : 0;
    double length = fmax(1e-4, 2 * sqrt(sqrt(noise))) * fmax(1, vec_norm(m->d, m->x));
    choose_sample(m, trace_sample(m), fan);
    fan->ndir = TRIALS;
    fan->dir = p->dir;
    fan->sides = 2;
    fan->radius = length / sqrt((double)m->d);
}

/* How far to go for a product: a little against the scale on which f changes. */
static double reach(const method *m)
{
    double size = fmax(1, vec_norm(m->d, m->x)), curved = fabs(m->curve.trace);
    double near =
        curved > 0 && m->probe->scale > 0 ? 0.02 * sqrt(m->probe->scale / curved) : INFINITY;
    double noise = m->set.noise > 0 ? 10 * sqrt(m->set.noise) : 0;
    return fmax(fmin(1e-2 * size, near), noise);
}

static void ask_gradient(method *m, const double *v, zo_fan *fan)
{
    struct probe *p = m->probe;
    choose_sample(m, top_sample(m), fan);
    fan->naxis = m->d;
    if (!v) return;
    vec_copy(m->d, m->x, p->point);
    vec_add(m->d, reach(m), v, p->point);
    fan->base[0] = p->point;
}

int probe_ask(method *m, zo_fan *fan)
{
    struct probe *p = m->probe;
    switch (p->stage) {
    case AT_TRACE: ask_trace(m, fan); return 1;
    case AT_HOME: ask_gradient(m, NULL, fan); return 1;
    case AT_PRODUCT: ask_gradient(m, p->basis + p->products * m->d, fan); return 1;
    case AT_EACH:
        ask_gradient(m, p->basis + PRODUCTS * m->d, fan);
        fan->nbase = 2;
        fan->base[1] = m->x;
        fan->each = 1;
        return 1;
    default: return 0;
    }
}

/* ---- Telling ------------------------------------------------------------------------------------- */

/* Everything is known: nothing stays below the floor. */
static void finish(method *m)
{
    curvature *c = &m->curve;
    double least = m->probe->floor;
    if (c->top < least) method_note(m, "curvature raised from %.2g to %.2g", c->top, least);
    c->top = fmax(c->top, least);
    c->trace = fmax(c->trace, least);
    c->each = fmax(c->each, least);
    m->probe->stage = DONE;
}

static void tell_trace(method *m, const double *answers)
{
    struct probe *p = m->probe;
    double sum = 0, square = 0;
    for (size_t k = 0; k < TRIALS; k++) {
        double slope = quotient(&m->fan, answers, 0, k);
        sum += second_difference(&m->fan, answers, 0, k);
        square += slope * slope; /* E (u'g)^2 = |g|^2 */
    }
    m->curve.trace = sum / TRIALS;
    p->scale = fabs(answers[0]);
    double g = sqrt(square / TRIALS), short_step = g / fmax(1, vec_norm(m->d, m->x));
    p->floor = p->scale > 0 ? fmin(g * g / (2 * p->scale), short_step) : 0;
    if (wants_top(m)) {
        p->stage = AT_HOME;
        return;
    }
    m->curve.top = m->curve.each = m->curve.trace;
    if (m->row->needs(m) & NEEDS_TOP) method_note(m, "curvature: trace %.3g alone", m->curve.trace);
    finish(m);
}

static void tell_home(method *m, const double *answers)
{
    struct probe *p = m->probe;
    double *v = p->basis;
    read_slopes(&m->fan, answers, 0, 0, m->d, p->home);
    rng_normals(m->set.seed, FOR_CURVATURE, 2, 0, m->d, v);
    vec_scale(m->d, 1 / vec_norm(m->d, v), v);
    double size = vec_norm(m->d, p->home);
    if (size > 0) vec_add(m->d, 1 / size, p->home, v);
    if (vec_norm(m->d, v) < 1e-6)
        vec_copy(m->d, p->home, v); /* they cancel, as they may with d = 1 */
    vec_scale(m->d, 1 / vec_norm(m->d, v), v);
    p->stage = AT_PRODUCT;
}

/* The top eigenvector of the symmetric part of a (k x k), by powers of a shifted matrix; returns its value.
 */
static double top_of(size_t k, double a[PRODUCTS][PRODUCTS], double *y)
{
    double shift = 0, size = 1;
    for (size_t s = 0; s < k; s++)
        for (size_t t = 0; t < k; t++) shift += fabs(a[s][t]);
    for (size_t s = 0; s < k; s++) y[s] = 1;
    for (int round = 0; round < 2000 && size > 0; round++) {
        double z[PRODUCTS];
        for (size_t s = 0; s < k; s++) {
            z[s] = shift * y[s];
            for (size_t t = 0; t < k; t++) z[s] += 0.5 * (a[s][t] + a[t][s]) * y[t];
        }
        size = vec_norm(k, z);
        for (size_t s = 0; s < k; s++) y[s] = size > 0 ? z[s] / size : y[s];
    }
    return size - shift;
}

/* Rayleigh and Ritz in the space spanned so far: top, and y in the basis' last row. */
static void ritz(method *m)
{
    struct probe *p = m->probe;
    double a[PRODUCTS][PRODUCTS], y[PRODUCTS], *last = p->basis + PRODUCTS * m->d;
    for (size_t s = 0; s < p->products; s++)
        for (size_t t = 0; t < p->products; t++)
            a[s][t] = vec_dot(m->d, p->basis + s * m->d, p->image + t * m->d);
    m->curve.top = top_of(p->products, a, y);
    vec_zero(m->d, last);
    for (size_t t = 0; t < p->products; t++) vec_add(m->d, y[t], p->basis + t * m->d, last);
}

static void tell_product(method *m, const double *answers)
{
    struct probe *p = m->probe;
    double *w = p->image + p->products * m->d, *v = p->basis + (p->products + 1) * m->d,
           far = reach(m);
    read_slopes(&m->fan, answers, 0, 0, m->d, w);
    vec_add(m->d, -1, p->home, w);
    vec_scale(m->d, 1 / far, w);
    p->products++;
    vec_copy(m->d, w, v);
    for (int pass = 0; pass < 2; pass++)
        for (size_t t = 0; t < p->products; t++) {
            const double *u = p->basis + t * m->d;
            vec_add(m->d, -vec_dot(m->d, u, v), u, v);
        }
    double rest = vec_norm(m->d, v), size = vec_norm(m->d, w);
    if (p->products < PRODUCTS && rest > 1e-4 * size) {
        vec_scale(m->d, 1 / rest, v);
        return;
    }
    ritz(m);
    m->curve.each = fabs(m->curve.trace);
    p->stage = AT_EACH;
    if (m->means_only) finish(m);
}

static void tell_each(method *m, const double *answers)
{
    double far = reach(m), sum = 0;
    size_t set = zo_fan_set(&m->fan);
    for (size_t e = 0; e < m->fan.ncomp; e++)
        for (size_t j = 0; j < m->d; j++) {
            const double *a = answers + e * set;
            double hv = (quotient(&m->fan, a, 0, j) - quotient(&m->fan, a, 1, j)) / far;
            sum += hv * hv;
        }
    if (m->curve.top > 0) m->curve.each = sum / (double)m->fan.ncomp / m->curve.top;
    finish(m);
}

void probe_tell(method *m, const double *answers)
{
    switch (m->probe->stage) {
    case AT_TRACE: tell_trace(m, answers); break;
    case AT_HOME: tell_home(m, answers); break;
    case AT_PRODUCT: tell_product(m, answers); break;
    default: tell_each(m, answers); break;
    }
}

/* ---- Life ---------------------------------------------------------------------------------------- */

zo_status probe_new(method *m, zo_error *err)
{
    struct probe *p = mem_new(1, sizeof *p);
    if (!p) return out_of_memory(err, "the curvature probe", 1);
    m->probe = p;
    size_t rows = m->row->needs(m) & NEEDS_TOP ? PRODUCTS : 0;
    p->rows = rows;
    state_count(m, "probe.stage", &p->stage, DONE);
    state_count(m, "probe.products", &p->products, PRODUCTS);
    state_number(m, "probe.scale", &p->scale);
    state_number(m, "probe.floor", &p->floor);
    p->basis = state_numbers(m, "probe.basis", rows ? (rows + 1) * m->d : 0);
    p->image = state_numbers(m, "probe.image", rows * m->d);
    p->home = state_numbers(m, "probe.home", rows ? m->d : 0);
    p->dir = mem_new(TRIALS * m->d, sizeof *p->dir);
    p->point = mem_new(m->d, sizeof *p->point);
    if (!p->basis || !p->image || !p->home || !p->dir || !p->point)
        return out_of_memory(err, "the curvature probe", (2 * rows + TRIALS + 3) * m->d);
    return ZO_OK;
}

/* Beyond the trace there are rows only where top is wanted, and one for every product. */
int probe_fits(const struct probe *p)
{
    if (p->stage == DONE) return 1;
    if (p->stage == AT_TRACE || p->stage == AT_HOME)
        return p->products == 0 && (p->rows || p->stage == AT_TRACE);
    return p->rows && (p->stage != AT_PRODUCT || p->products < PRODUCTS);
}

void probe_free(struct probe *p)
{
    if (!p) return;
    mem_free(p->dir);
    mem_free(p->point);
    mem_free(p);
}
