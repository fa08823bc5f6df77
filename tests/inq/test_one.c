/* inq where there is one function, or a few without structure of their own: slopes are dear, values are cheap.
 * SPDX-License-Identifier: MIT */
#include "runs.h"

enum { MOST_D = 60, ROWS = 200 };

/* f_i = mean over every n-th of so many rows of log(1 + exp(z'x)) + (ridge/2)|x|^2; or another function of x. */
typedef struct lone {
    size_t n, d;
    double z[ROWS][MOST_D], scale[MOST_D], ridge;
    double (*f)(const struct lone *p, size_t i, const double *x);
    double best, l1; /* least F known; weight of the l1 norm */
} lone;

static double logistic(const lone *p, size_t i, const double *x)
{
    double sum = 0, count = 0;
    for (size_t r = i; r < ROWS; r += p->n, count++) {
        double m = vec_dot(p->d, p->z[r], x);
        sum += fmax(m, 0) + log1p(exp(-fabs(m)));
    }
    return sum / count + 0.5 * p->ridge * vec_dot(p->d, x, x);
}

/* Each coordinate at its own scale, neighbours coupled. */
static double scaled(const lone *p, size_t i, const double *x)
{
    double sum = 0;
    for (size_t j = 0; j < p->d; j++) {
        double t = p->scale[j] * x[j], u = j ? p->scale[j - 1] * x[j - 1] : 0;
        sum += (t - 1) * (t - 1) + 0.3 * (t - u) * (t - u) + 0.1 * pow(t - 1, 4);
    }
    return sum + (double)i * 0;
}

/* A curved valley for every pair of coordinates, each of another steepness. */
static double valley(const lone *p, size_t i, const double *x)
{
    double sum = (double)i * 0;
    for (size_t j = 0; j + 1 < p->d; j += 2) {
        double off = x[j + 1] - x[j] * x[j], left = 1 - x[j];
        sum += (10 + (double)(j % 7)) * off * off + left * left;
    }
    return sum;
}

/* Defined for x > 0 only: least at x_j = 1/(j + 1). */
static double walled(const lone *p, size_t i, const double *x)
{
    double sum = (double)i * 0;
    for (size_t j = 0; j < p->d; j++) sum += x[j] > 0 ? (double)(j + 1) * x[j] - log(x[j]) : NAN;
    return sum;
}

/* Coordinate 1 has a slope only where coordinate 0 has gone. */
static double late(const lone *p, size_t i, const double *x)
{
    double sum = (double)i * 0 - 0.1 * x[0] * x[0] * x[1];
    for (size_t j = 0; j < p->d; j++)
        sum += 0.5 * (x[j] - (j ? 0.01 : 2)) * (x[j] - (j ? 0.01 : 2));
    return sum;
}

static double F_of(const lone *p, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < p->n; i++) sum += p->f(p, i, x) / (double)p->n;
    for (size_t j = 0; j < p->d; j++) sum += p->l1 * fabs(x[j]);
    return sum;
}

static int lone_value(void *ctx, size_t i, const double *x, double *f)
{
    const lone *p = ctx;
    *f = p->f(p, i, x);
    return 0;
}

static void lone_fill(lone *p, size_t n, size_t d)
{
    *p = (lone){.n = n, .d = d, .ridge = 1e-2, .f = logistic};
    for (size_t r = 0; r < ROWS; r++) {
        rng_normals(4, FOR_SYNTH, r, 0, d, p->z[r]);
        for (size_t j = 0; j < d; j++) p->z[r][j] = 0.4 * p->z[r][j] + (j < 5 ? 0.5 : 0);
    }
    for (size_t j = 0; j < d; j++) p->scale[j] = 1;
}

/* Started at x, if that is given. */
static zo_solver *lone_solver(lone *p, const double *x)
{
    zo_problem problem = {.n = p->n, .d = p->d, .value = lone_value, .ctx = p, .psi = zo_l1(p->l1)};
    if (!(p->l1 > 0)) problem.psi = zo_zero();
    zo_settings set = settings_of("auto");
    set.horizon = 1e6; /* the same plan for every budget */
    zo_solver *solver;
    zo_error e = {0};
    if (zo_new(&solver, &problem, &set, &e) || (x && zo_start(solver, x, &e)))
        fail_msg("%s", e.text);
    return solver;
}

/* Units until the gap is goal times the first, step by step; infinite: not within most. */
static double units_to(lone *p, const double *x, double goal, double most)
{
    zo_solver *solver = lone_solver(p, x);
    zo_control c = zo_no_limits();
    c.max_units = most;
    c.track = ZO_TRACK_OFF;
    double first = F_of(p, x) - p->best, left = first;
    zo_report r = {0};
    do {
        c.max_steps = r.steps + 1;
        r = run_to(solver, &c);
        left = F_of(p, zo_point(solver)) - p->best;
    } while (r.reason == ZO_AT_STEPS && !(left <= goal * first));
    zo_free(solver);
    return left <= goal * first ? (double)r.queries / (double)(p->n * p->d) : INFINITY;
}

/* F* as well as a long run finds it. */
static void settle_best(lone *p, const double *x)
{
    zo_solver *solver = lone_solver(p, x);
    run_units(solver, 400);
    p->best = F_of(p, zo_point(solver));
    zo_free(solver);
}

static void scales_of_coordinates_do_not_matter(void **state)
{
    (void)state;
    static lone p;
    double x[MOST_D] = {0}, units[2];
    for (int k = 0; k < 2; k++) {
        lone_fill(&p, 1, 30);
        p.f = scaled;
        for (size_t j = 0; j < p.d; j++)
            p.scale[j] = k ? pow(10, -1 + 2 * (double)(j * 7 % 30) / 29) : 1;
        settle_best(&p, x);
        units[k] = units_to(&p, x, 1e-6, 40);
    }
    if (!(units[0] < 12 && units[1] < 1.2 * units[0] + 1))
        fail_msg("%g and %g units", units[0], units[1]);
}

static void values_choose_the_step(void **state)
{
    (void)state;
    static lone p;
    double x[MOST_D];
    lone_fill(&p, 1, 50);
    p.f = valley;
    for (size_t j = 0; j < p.d; j++) x[j] = j % 2 ? 1 : -1.2;
    double units = units_to(&p, x, 1e-3, 40);
    if (!(units < 25)) fail_msg("%g units", units);
}

/* With most coordinates at 0, slopes cost much less than d a step; and none of them is wrong in the end. */
static void what_psi_holds_is_not_asked(void **state)
{
    (void)state;
    static lone p;
    double x[MOST_D] = {0}, r = 1e-5;
    lone_fill(&p, 1, 60);
    p.l1 = 0.03;
    zo_solver *solver = lone_solver(&p, x);
    zo_report report = run_units(solver, 60);
    assert_int_equal(report.reason, ZO_AT_END);
    double *at = (double *)zo_point(solver),
           each = ((double)report.queries - 2 * 60) / (double)report.steps;
    size_t zeros = 60 - vec_nonzeros(60, at);
    for (size_t j = 0; j < p.d; j++) {
        double keep = at[j], up, down;
        at[j] = keep + r, up = logistic(&p, 0, at);
        at[j] = keep - r, down = logistic(&p, 0, at);
        at[j] = keep;
        double g = (up - down) / (2 * r),
               off = fabs(keep) < 1e-7 ? fabs(g) - p.l1 : fabs(g + copysign(p.l1, keep));
        if (off > 1e-6) fail_msg("coordinate %zu: slope %g beside %g", j, g, p.l1);
    }
    zo_free(solver);
    if (!(zeros > 30 && each < 45)) fail_msg("%zu zeros, %g queries a step", zeros, each);
}

static void what_was_passed_over_is_asked_before_the_end(void **state)
{
    (void)state;
    static lone p;
    double x[MOST_D] = {0};
    lone_fill(&p, 1, 10);
    p.f = late;
    p.l1 = 0.05;
    zo_solver *solver = lone_solver(&p, x);
    assert_int_equal(run_units(solver, 60).reason, ZO_AT_END);
    const double *at = zo_point(solver);
    /* x0 - 2 - x0 x1/5 + l1 = 0,  x1 - 0.01 - x0^2/10 + l1 = 0 */
    assert_true(at[1] > 0.1 && fabs(at[0] - 1.95 - 0.2 * at[0] * at[1]) < 1e-6);
    assert_true(fabs(at[1] + 0.04 - 0.1 * at[0] * at[0]) < 1e-6);
    zo_free(solver);
}

static void a_few_folds_become_one_function(void **state)
{
    (void)state;
    static lone p;
    double x[MOST_D] = {0};
    lone_fill(&p, 1, 40);
    for (size_t r = 0; r < ROWS; r++)
        rng_normals(6, FOR_SYNTH, r, 0, p.d, p.z[r]), p.z[r][r % 5] += 1;
    settle_best(&p, x);
    p.n = 5;
    double coarse = units_to(&p, x, 1e-3, 40), fine = units_to(&p, x, 1e-8, 40);
    if (!(coarse < 12 && fine < 20)) fail_msg("%g and %g units", coarse, fine);
}

static void walls_are_kept_away_from(void **state)
{
    (void)state;
    static lone p;
    double x[MOST_D], least[MOST_D];
    lone_fill(&p, 1, 20);
    p.f = walled;
    for (size_t j = 0; j < p.d; j++) x[j] = 1, least[j] = 1 / (double)(j + 1);
    p.best = F_of(&p, least);
    double units = units_to(&p, x, 1e-6, 60);
    if (!(units < 45)) fail_msg("%g units", units);
}

#define FILE_NAME "test_one.checkpoint"

/* Stopped after every so many queries, saved, and loaded into a new solver. */
static void a_resumed_run_is_the_same_run(void **state)
{
    (void)state;
    static lone p;
    double x[MOST_D] = {0};
    zo_error e = {0};
    for (size_t n = 1; n <= 5; n += 4) {
        lone_fill(&p, n, 20);
        p.l1 = 0.02;
        zo_solver *whole = lone_solver(&p, x), *part;
        zo_report r = run_queries(whole, 12 * n * p.d);
        for (uint64_t stop = 13;; stop += 17) {
            part = lone_solver(&p, stop > 13 ? NULL : x);
            if (stop > 13 && zo_load(part, FILE_NAME, &e)) fail_msg("%s", e.text);
            zo_control c = zo_no_limits();
            c.max_queries = stop * n < r.queries ? stop * n : r.queries;
            c.checkpoint = FILE_NAME;
            c.track = ZO_TRACK_OFF; /* what is watched is charged */
            zo_report now = run_to(part, &c);
            if (c.max_queries == r.queries || now.reason == ZO_AT_END) break;
            zo_free(part);
        }
        assert_memory_equal(zo_point(whole), zo_point(part), p.d * sizeof *x);
        zo_free(whole);
        zo_free(part);
        remove(FILE_NAME);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scales_of_coordinates_do_not_matter),
        cmocka_unit_test(values_choose_the_step),
        cmocka_unit_test(what_psi_holds_is_not_asked),
        cmocka_unit_test(what_was_passed_over_is_asked_before_the_end),
        cmocka_unit_test(a_few_folds_become_one_function),
        cmocka_unit_test(walls_are_kept_away_from),
        cmocka_unit_test(a_resumed_run_is_the_same_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
