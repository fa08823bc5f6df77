/* inq where components see two coordinates each, through curvature that changes sign and direction on the way.
 * SPDX-License-Identifier: MIT */
#include "inq_rows.h"

enum { MEMBERS = 1000, MOST_D = 300 };

/* f_i(x) = a_i (x_{k+1} - x_k^2)^2 + (c_i - x_k)^2, k even and of each i; least at x_k = mean c_i, x_{k+1} = x_k^2. */
typedef struct valley {
    size_t d;
    double steep[MEMBERS], end[MEMBERS];
} valley;

static size_t pair_of(const valley *v, size_t i) { return 2 * (i * 7919 % (v->d / 2)); }

static int valley_value(void *ctx, size_t i, const double *x, double *f)
{
    const valley *v = ctx;
    size_t k = pair_of(v, i);
    double off = x[k + 1] - x[k] * x[k], left = v->end[i] - x[k];
    *f = v->steep[i] * off * off + left * left;
    return 0;
}

static double valley_mean(valley *v, const double *x)
{
    double sum = 0, f;
    for (size_t i = 0; i < MEMBERS; i++) {
        valley_value(v, i, x, &f);
        sum += f / MEMBERS;
    }
    return sum;
}

static double valley_optimum(valley *v)
{
    double x[MOST_D] = {0}, count[MOST_D] = {0};
    for (size_t i = 0; i < MEMBERS; i++) {
        x[pair_of(v, i)] += v->end[i];
        count[pair_of(v, i)]++;
    }
    for (size_t k = 0; k < v->d; k += 2) {
        x[k] /= count[k];
        x[k + 1] = x[k] * x[k];
    }
    return valley_mean(v, x);
}

static void valley_fill(valley *v, size_t d)
{
    v->d = d;
    rng_normals(3, FOR_CHECK, 0, 0, MEMBERS, v->end);
    for (size_t i = 0; i < MEMBERS; i++) {
        v->end[i] = 1 + 0.1 * v->end[i];
        v->steep[i] = 5 + 15 * rng_uniform(3, FOR_CHECK, 1, i);
    }
}

/* The gap of a run of so many units, from (-1.2, 1) in every pair. */
static double valley_gap(valley *v, uint64_t seed, double units)
{
    zo_problem p = {.n = MEMBERS, .d = v->d, .value = valley_value, .ctx = v};
    zo_settings set = zo_defaults();
    zo_solver *solver = NULL;
    zo_error e = {0};
    double x[MOST_D];
    for (size_t j = 0; j < v->d; j++) x[j] = j % 2 ? 1 : -1.2;
    set.seed = seed;
    if (zo_set(&set, "method", "inq", &e) || zo_new(&solver, &p, &set, &e) ||
        zo_start(solver, x, &e))
        fail_msg("%s", e.text);
    run(solver, units);
    double gap = valley_mean(v, zo_point(solver)) - valley_optimum(v);
    zo_free(solver);
    return gap;
}

static void reaches_the_end_of_the_valley(void **state)
{
    (void)state;
    static const size_t dims[] = {10, 50, 300};
    static const double units[] = {
        14, 9, 0.8}; /* of 300 coordinates a component shows its two by splitting */
    static valley v;
    for (size_t k = 0; k < 3; k++)
        for (uint64_t seed = 6; seed < (k < 2 ? 12 : 8);
             seed++) { /* in 9 and 11 few components would misjudge a step */
            valley_fill(&v, dims[k]);
            double gap = valley_gap(&v, seed, units[k]);
            if (!(gap < 1e-6)) fail_msg("d %d seed %d: gap %g", (int)v.d, (int)seed, gap);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reaches_the_end_of_the_valley)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
