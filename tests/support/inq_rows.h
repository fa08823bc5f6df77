/* Sums of simple losses over rows, for tests of inq.
 * SPDX-License-Identifier: MIT */
#ifndef INQ_ROWS_H
#define INQ_ROWS_H

#include "runs.h"

/* f_i(x) = loss(z_i'x) + (l2/2)|x|^2 over rows from counters; big enough for several samples. */
enum { N = 700, D = 12 };

typedef struct rows {
    size_t n, d;
    double *z, *y, l2;
    int kind; /* 0: logistic, 1: squared, 2: sigmoid, 3: logistic over two rows, i and n - 1 - i; 4: one Hessian for all; 5: times a weight; 6: of two coordinates each */
    double noise; /* standard deviation of what is added to each value */
    uint64_t calls;
} rows;

static inline double rows_weight(const rows *r, size_t i)
{
    return r->kind == 5 ? 0.5 + (double)(i % 3) : 1;
}

static inline int rows_value(void *ctx, size_t i, const double *x, double *f)
{
    rows *r = ctx;
    double m = r->y[i] * vec_dot(r->d, r->z + i * r->d, x), t = 1 - m;
    r->calls++;
    *f = 0.5 * r->l2 * vec_dot(r->d, x, x);
    if (r->kind == 0) *f += fmax(-m, 0) + log1p(exp(-fabs(m)));
    if (r->kind == 1) *f += 0.5 * t * t;
    if (r->kind == 2) *f += 1 / (1 + exp(m));
    for (size_t j = 0; j < r->d && (r->kind == 4 || r->kind == 5); j++) {
        double far = x[j] - 1 - r->z[i * r->d + j], w = rows_weight(r, i);
        *f += 0.5 * w * pow(300, -(double)j / (double)r->d) * far * far;
    }
    if (r->kind == 3) {
        size_t o = r->n - 1 - i;
        double other = r->y[o] * vec_dot(r->d, r->z + o * r->d, x);
        *f +=
            0.5 * (fmax(-m, 0) + log1p(exp(-fabs(m))) + fmax(-other, 0) + log1p(exp(-fabs(other))));
    }
    if (r->kind == 6) {
        const double *at = r->z + i * r->d;
        double u = x[i % r->d] - at[0], v = x[(i * 7 + 3) % r->d] - at[1] + 0.7 * u;
        *f += u * u + 0.1 * u * u * u * u + 2 * v * v + log1p(v * v);
    }
    if (r->noise > 0) *f += r->noise * sqrt(12) * (rng_uniform(9, FOR_CHECK, r->calls, 0) - 0.5);
    return 0;
}

static inline rows rows_new(size_t n, size_t d, int kind, double l2)
{
    rows r = {.n = n, .d = d, .kind = kind, .l2 = l2};
    r.z = malloc(n * d * sizeof *r.z);
    r.y = malloc(n * sizeof *r.y);
    for (size_t i = 0; i < n; i++) {
        rng_normals(5, FOR_SYNTH, i, 0, d, r.z + i * d);
        double s = r.z[i * d] - 0.7 * r.z[i * d + 1] + rng_uniform(5, FOR_SYNTH, i, 999) - 0.5;
        r.y[i] = s > 0 ? 1 : -1;
    }
    return r;
}

static inline void rows_free(rows *r)
{
    free(r->z);
    free(r->y);
}

static inline zo_problem rows_problem(rows *r, zo_prox psi)
{
    return (zo_problem){.n = r->n, .d = r->d, .value = rows_value, .ctx = r, .psi = psi};
}

static inline double rows_F(rows *r, const zo_prox *psi, const double *x)
{
    double sum = 0, f;
    uint64_t calls = r->calls;
    for (size_t i = 0; i < r->n; i++) {
        rows_value(r, i, x, &f);
        sum += f;
    }
    r->calls = calls;
    return sum / (double)r->n + psi->value(psi, r->d, x);
}

/* The least F by many exact accelerated proximal gradient steps (convex kinds). */
static inline double rows_optimum(rows *r, const zo_prox *psi)
{
    double x[D] = {0}, y[D] = {0}, g[D], v[D], old[D], *work = malloc(64 * D * sizeof *work), t = 1;
    for (int k = 0; k < 4000; k++) {
        vec_zero(r->d, g);
        for (size_t i = 0; i < r->n; i++) {
            double m = r->y[i] * vec_dot(r->d, r->z + i * r->d, y);
            double s = r->kind == 1 ? m - 1 : -1 / (1 + exp(m));
            vec_add(r->d, s * r->y[i] / (double)r->n, r->z + i * r->d, g);
        }
        vec_add(r->d, r->l2, y, g);
        vec_step(r->d, y, 0.3, g, v);
        vec_copy(r->d, x, old);
        psi->apply(psi, r->d, 0.3, v, x, work);
        double uphill = 0;
        for (size_t j = 0; j < r->d; j++) uphill += (y[j] - x[j]) * (x[j] - old[j]);
        if (uphill > 0) t = 1;
        double next = 0.5 * (1 + sqrt(1 + 4 * t * t)), beta = uphill > 0 ? 0 : (t - 1) / next;
        for (size_t j = 0; j < r->d; j++) y[j] = x[j] + beta * (x[j] - old[j]);
        t = next;
    }
    free(work);
    return rows_F(r, psi, x);
}

static inline zo_solver *started_with(const zo_problem *p, uint64_t seed, int own)
{
    zo_settings s = settings_of("inq");
    s.seed = seed;
    s.own = own;
    return solver_of(p, &s);
}

static inline zo_solver *started(const zo_problem *p, uint64_t seed)
{
    return started_with(p, seed, 1);
}

static inline zo_report run(zo_solver *solver, double units)
{
    zo_control c = zo_no_limits();
    c.max_units = units;
    c.track = ZO_TRACK_OFF;
    return run_to(solver, &c);
}

#endif
