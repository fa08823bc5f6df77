/* Few components: the true F along the points that auto stands for never rises by more than the error it states.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "runs.h"

enum { MOST_N = 30, MOST_D = 40, FOLD = 10 };

/* f_i over rows z_i from counters; families that bend upwards, and such that do not. */
typedef struct few {
    size_t n, d;
    double z[MOST_N][MOST_D], y[MOST_N], weight[MOST_N];
    double fold[MOST_N][FOLD]
               [MOST_D]; /* rows times their labels: they differ little from fold to fold */
    double (*loss)(const struct few *p, size_t i, const double *x);
} few;

static double margin(const few *p, size_t i, const double *x) { return vec_dot(p->d, p->z[i], x); }

static double logistic(const few *p, size_t i, const double *x)
{
    double m = p->y[i] * margin(p, i, x);
    return fmax(-m, 0) + log1p(exp(-fabs(m))) + 5e-4 * vec_dot(p->d, x, x);
}

static double sigmoid(const few *p, size_t i, const double *x)
{
    return 1 / (1 + exp(2 * p->y[i] * margin(p, i, x)));
}

/* Counts: steep on one side. */
static double poisson(const few *p, size_t i, const double *x)
{
    double m = margin(p, i, x);
    return exp(fmin(m, 300)) - (2 + p->y[i]) * m;
}

/* Components of very different size. */
static double weighted(const few *p, size_t i, const double *x)
{
    double left = p->y[i] - margin(p, i, x);
    return p->weight[i] * (sqrt(1 + left * left) - 1);
}

/* Curved valleys, another pair of coordinates for each. */
static double valley(const few *p, size_t i, const double *x)
{
    size_t k = i % (p->d - 1);
    double off = x[k + 1] - x[k] * x[k], left = 1 + 0.3 * p->z[i][0] - x[k];
    return p->weight[i] * off * off + left * left;
}

/* Many minima. */
static double waves(const few *p, size_t i, const double *x)
{
    double sum = 0;
    for (size_t j = 0; j < p->d; j++) {
        double far = x[j] - p->z[i][j];
        sum += 0.05 * far * far + 1 - cos(2 * far);
    }
    return sum / (double)p->d;
}

/* Two units with tanh, d/2 inputs each. */
static double net(const few *p, size_t i, const double *x)
{
    size_t half = p->d / 2;
    double a = tanh(vec_dot(half, p->z[i], x) + 0.3),
           b = tanh(vec_dot(half, p->z[i], x + half) - 0.3);
    double left = p->y[i] - 1.5 * a + 1.5 * b;
    return left * left;
}

/* A logarithm that hardly bends far away, and bends the other way. */
static double cauchy(const few *p, size_t i, const double *x)
{
    double left = 3 * p->y[i] - margin(p, i, x);
    return log1p(left * left);
}

/* Means over folds of rows, which have much in common: samples of them take steps. */
static double folds(const few *p, size_t i, const double *x)
{
    double sum = 0.01 * vec_dot(p->d, x, x);
    for (size_t r = 0; r < FOLD; r++) {
        double m = vec_dot(p->d, p->fold[i][r], x);
        sum += (fmax(-m, 0) + log1p(exp(-fabs(m)))) / FOLD;
    }
    return sum;
}

static const struct family {
    const char *name;
    double (*loss)(const few *p, size_t i, const double *x);
} families[] = {{"logistic", logistic}, {"sigmoid", sigmoid}, {"poisson", poisson},
                {"weighted", weighted}, {"valley", valley},   {"waves", waves},
                {"net", net},           {"cauchy", cauchy},   {"folds", folds}};

static int few_value(void *ctx, size_t i, const double *x, double *f)
{
    const few *p = ctx;
    *f = p->loss(p, i, x);
    return 0;
}

static void few_fill(few *p, size_t n, size_t d, uint64_t seed)
{
    *p = (few){.n = n, .d = d};
    for (size_t i = 0; i < n; i++) {
        rng_normals(seed, FOR_SYNTH, i, 0, d, p->z[i]);
        p->y[i] = rng_uniform(seed, FOR_SYNTH, i, 1000) < 0.5 ? -1 : 1;
        p->weight[i] = pow(10, 2 * rng_uniform(seed, FOR_SYNTH, i, 1001));
        rng_normals(seed, FOR_CHECK, i, 0, FOLD * MOST_D, p->fold[i][0]);
        for (size_t r = 0; r < FOLD; r++)
            for (size_t j = 0; j < 3; j++) p->fold[i][r][j] += 1.5;
    }
}

static double few_F(const few *p, const zo_prox *psi, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < p->n; i++) sum += p->loss(p, i, x);
    return sum / (double)p->n + psi->value(psi, p->d, x);
}

/* The largest rise of F from one step to the next beyond what was stated, relative to what F has fallen in all. */
static double worst_rise(few *p, zo_prox psi, uint64_t seed, double units)
{
    zo_problem problem = {.n = p->n, .d = p->d, .value = few_value, .ctx = p, .psi = psi};
    zo_settings set = settings_of("auto");
    set.seed = seed;
    zo_solver *solver = solver_of(&problem, &set);
    zo_control c = zo_no_limits();
    c.max_units = units;
    c.track = ZO_TRACK_OFF;
    double start = few_F(p, &psi, zo_point(solver)), F = start, worst = 0;
    zo_report r = {0};
    do {
        c.max_steps = r.steps + 1;
        r = run_to(solver, &c);
        double next = few_F(p, &psi, zo_point(solver)), stated = r.error > 0 ? r.error : 0;
        worst = fmax(worst, next - F - stated -
                                1e-13 * fmax(fabs(F), 1e-5 * start)); /* but for rounding */
        F = next;
    } while (r.reason == ZO_AT_STEPS);
    int stays = !strcmp(r.method, "inq") || !strcmp(r.method, "lm"); /* or the mean went on */
    assert_true(stays || strstr(r.chosen, "then mean after"));
    zo_free(solver);
    return worst / fmax(start - F, 1e-3 * start);
}

static void never_rises_by_more_than_it_states(void **state)
{
    (void)state;
    static few p;
    static const size_t dims[] = {4, 12, 40};
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (size_t n = 2; n <= MOST_N; n++)
            for (size_t k = 0; k < 3; k++) {
                if (!getenv("ZO_LONG") && (n + f) % 5) continue;
                few_fill(&p, n, dims[k], n);
                p.loss = families[f].loss;
                zo_prox psi[] = {zo_zero(), zo_l1(0.01), zo_box(-1, 1.5)};
                double worst = worst_rise(&p, psi[(n + k) % 3], n, 8);
                if (worst > 0)
                    fail_msg("%s, n %zu, d %zu: F rose by %g of its fall", families[f].name, n, p.d,
                             worst);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(never_rises_by_more_than_it_states)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
