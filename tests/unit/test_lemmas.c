/* The paper's lemmas about its estimators, and the bias of the frozen direction; bounds of four standard errors.
 * SPDX-License-Identifier: MIT
 *
 * f_i(x) = (1/2) sum_j a_ij x_j^2 + b_i'x with 0.2 L <= a_ij <= L: gradients are known, f_i is L-smooth. */
#include "settings_of.h"
#include "tally.h"
#include "toy.h"

#include <stdio.h>

#include "direction/direction.h"
#include "method/core/method.h"
#include "problem/problem.h"

enum { N = 4, MOST = 50 };

typedef struct bowl {
    size_t d;
    double a[N][MOST], b[N][MOST];
} bowl;

static const double L = 2;

static int bowl_value(void *ctx, size_t i, const double *x, double *f)
{
    const bowl *q = ctx;
    double s = 0;
    for (size_t j = 0; j < q->d; j++) s += x[j] * (0.5 * q->a[i][j] * x[j] + q->b[i][j]);
    *f = s;
    return 0;
}

static void bowl_fill(bowl *q, size_t d)
{
    q->d = d;
    for (size_t i = 0; i < N; i++) {
        rng_normals(8, FOR_SYNTH, i, 0, d, q->b[i]);
        for (size_t j = 0; j < d; j++)
            q->a[i][j] = L * (0.2 + 0.8 * rng_uniform(9, FOR_SYNTH, i, j));
    }
}

static void gradient_of(const bowl *q, size_t i, const double *x, double *g)
{
    for (size_t j = 0; j < q->d; j++) g[j] = q->a[i][j] * x[j] + q->b[i][j];
}

static void gradient(const bowl *q, const double *x, double *g)
{
    double one[MOST];
    vec_zero(q->d, g);
    for (size_t i = 0; i < N; i++) {
        gradient_of(q, i, x, one);
        vec_add(q->d, 1.0 / N, one, g);
    }
}

/* ---- Lemma 3.1 and Corollary 3.2 ------------------------------------------------------------------- */

typedef struct sample {
    tally mean[MOST], off; /* of the estimate by coordinate; of |estimate - grad f|^2 */
} sample;

/* The estimator of (3), component i, or of (4), i = N: (f(x + v u) - f(x))/v u, over many u. */
static void estimate(const bowl *q, size_t i, const double *x, double v, sample *s)
{
    zo_problem p = {.n = N, .d = q->d, .value = bowl_value, .ctx = (void *)q, .psi = zo_zero()};
    callback *c;
    directions r;
    uint64_t which = i;
    double g[MOST], full[MOST], answers[2];
    *s = (sample){0};
    gradient(q, x, full);
    assert_int_equal(callback_new(&c, &p, NULL), 0);
    assert_int_equal(directions_new(&r, ZO_GAUSSIAN, 1, q->d, NULL), 0);
    zo_fan fan = {
        .n = N, .d = q->d, .nbase = 1, .base = {x, NULL}, .radius = v, .sides = 1, .ncomp = N};
    if (i < N) fan.ncomp = 1, fan.comp = &which;
    for (uint64_t k = 0; k < 40000; k++) {
        directions_draw(&r, 21, FOR_DIRECTION, k);
        directions_ask(&r, &fan);
        callback_answer(c, &fan, answers);
        double slope = quotient(&fan, answers, 0, 0);
        vec_zero(q->d, g);
        directions_combine(&r, &slope, g);
        for (size_t j = 0; j < q->d; j++) count(&s->mean[j], g[j]);
        double off = vec_distance(q->d, g, full);
        count(&s->off, off * off);
    }
    directions_free(&r);
    callback_free(c);
}

static void check_mean(const bowl *q, const sample *s, const double *g, double v)
{
    double most = L * v / 2 * pow((double)q->d + 3, 1.5), off = 0;
    for (size_t j = 0; j < q->d; j++) {
        double miss = fmax(fabs(mean(&s->mean[j]) - g[j]) - error4(&s->mean[j]), 0);
        off += miss * miss;
    }
    assert_true(sqrt(off) <= most);
}

static void lemma_3_1_and_corollary_3_2(void **state)
{
    (void)state;
    static sample s;
    bowl q;
    bowl_fill(&q, 10);
    double x[10], g[10], full[10], d = 10, v[2] = {1e-6, 0.05};
    rng_normals(3, FOR_SYNTH, 50, 0, 10, x);
    gradient(&q, x, full);
    double size = vec_dot(10, full, full);
    for (int k = 0; k < 2; k++) {
        double bump = L * L * v[k] * v[k] * pow(d + 6, 3);
        gradient_of(&q, 1, x, g);
        double apart = vec_distance(10, g, full);
        estimate(&q, 1, x, v[k], &s);
        check_mean(&q, &s, g, v[k]);
        assert_true(mean(&s.off) - error4(&s.off) <=
                    3 * (d + 1) * size + 0.75 * bump + 3 * (d + 2) * apart * apart);
        /* for v -> 0 the value itself: E|uu'g - f|^2 = (d+2)|g|^2 - 2 g'f + |f|^2 */
        double exact = (d + 2) * vec_dot(10, g, g) - 2 * vec_dot(10, g, full) + size;
        if (k == 0) assert_true(fabs(mean(&s.off) - exact) <= error4(&s.off));
        estimate(&q, N, x, v[k], &s);
        check_mean(&q, &s, full, v[k]);
        assert_true(mean(&s.off) - error4(&s.off) <= 0.5 * bump + 2 * (d + 1) * size);
        if (k == 0) assert_true(fabs(mean(&s.off) - (d + 1) * size) <= error4(&s.off));
    }
}

/* ---- Lemma 3.5, and where it stops holding ---------------------------------------------------------- */

typedef struct runner {
    bowl q;
    zo_problem p;
    callback *c;
    method *m;
} runner;

static double *named(method *m, const char *name)
{
    for (size_t k = 0; k < m->nstates; k++)
        if (!strcmp(m->state[k].name, name)) return m->state[k].at;
    fail_msg("no state '%s'", name);
    return NULL;
}

static void runner_open(runner *r, size_t d, uint64_t seed, double step, double refresh)
{
    zo_settings s = settings_of("zpdvr");
    s.seed = seed, s.step = step, s.refresh = refresh, s.radius = 1e-6, s.batch = 1,
    s.directions = 1;
    r->p = (zo_problem){.n = N, .d = d, .value = bowl_value, .ctx = &r->q, .psi = zo_zero()};
    assert_int_equal(callback_new(&r->c, &r->p, NULL), 0);
    assert_int_equal(method_new(&r->m, &r->p, &s, NULL), 0);
    method_start(r->m, NULL);
}

static void runner_close(runner *r)
{
    method_free(r->m);
    callback_free(r->c);
}

/* Fans until the point has moved; psi = 0, so that g = (x - x_new)/step. */
static void next_g(runner *r, double *x, double *g)
{
    method *m = r->m;
    double answers[8];
    uint64_t before = m->step;
    vec_copy(m->d, m->x, x);
    while (m->step == before) {
        callback_answer(r->c, method_ask(m), answers);
        method_tell(m, answers);
    }
    for (size_t j = 0; j < m->d; j++) g[j] = (x[j] - m->x[j]) / m->set.step;
}

/* E[g_k] = grad f(x_k) in the first step after a refresh: x, w, h are fixed by hand, u, u_k and i are drawn. */
static void lemma_3_5_in_the_first_step(void **state)
{
    (void)state;
    enum { D = 10 };
    runner r;
    bowl_fill(&r.q, D);
    double at[D], w[D], h[D], full[D], x[D], g[D];
    rng_normals(3, FOR_SYNTH, 60, 0, D, at);
    rng_normals(3, FOR_SYNTH, 61, 0, D, w);
    rng_normals(3, FOR_SYNTH, 62, 0, D, h);
    gradient(&r.q, at, full);
    tally t[D] = {{0}};
    for (uint64_t seed = 0; seed < 20000; seed++) {
        runner_open(&r, D, seed, 1e-3, 0.5);
        vec_copy(D, at, r.m->x);
        vec_copy(D, w, named(r.m, "reference"));
        vec_copy(D, h, named(r.m, "memory"));
        r.m->stage = 2; /* a refresh is due at w */
        r.m->step = 7;
        next_g(&r, x, g);
        for (size_t j = 0; j < D; j++) count(&t[j], g[j]);
        runner_close(&r);
    }
    for (size_t j = 0; j < D; j++) {
        assert_true(fabs(mean(&t[j]) - full[j]) <= error4(&t[j]) + L * 1e-6 * pow(D + 3, 1.5));
        assert_true(error4(&t[j]) < 1); /* and the bound says something */
    }
}

/* |mean over the epoch of g_k - grad f(x_k)|^2 / |grad f(w) - h|^2, h = 0, w = x_0. */
static double bias(size_t d, uint64_t seed, double refresh, int steps)
{
    runner r;
    double x[MOST], g[MOST], full[MOST], sum[MOST] = {0}, start[MOST];
    bowl_fill(&r.q, d);
    vec_zero(d, x);
    gradient(&r.q, x, start);
    runner_open(&r, d, seed, 1e-6, refresh);
    for (int k = 0; k < steps; k++) {
        next_g(&r, x, g);
        gradient(&r.q, x, full);
        vec_add(d, 1.0 / steps, g, sum);
        vec_add(d, -1.0 / steps, full, sum);
    }
    runner_close(&r);
    return vec_dot(d, sum, sum) / vec_dot(d, start, start);
}

static void frozen_direction_is_a_bias(void **state)
{
    (void)state;
    const size_t sizes[2] = {10, 50};
    for (int k = 0; k < 2; k++) {
        double d = (double)sizes[k];
        tally frozen = {0}, redrawn = {0};
        for (uint64_t seed = 0; seed < 1500; seed++)
            count(&frozen, bias(sizes[k], seed, 1e-12, 50));
        for (uint64_t seed = 0; seed < 100; seed++) count(&redrawn, bias(sizes[k], seed, 1, 50));
        assert_true(fabs(mean(&frozen) - (d + 1)) <= error4(&frozen));
        assert_true(mean(&redrawn) + error4(&redrawn) <=
                    2 * (d + 1) / 50); /* redrawn at every step it averages out */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lemma_3_1_and_corollary_3_2),
        cmocka_unit_test(lemma_3_5_in_the_first_step),
        cmocka_unit_test(frozen_direction_is_a_bias),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
