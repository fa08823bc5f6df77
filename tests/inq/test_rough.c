/* inq on rough ground: starts far from 0, where slopes are dead and gradients are little but the ridge.
 * Budgets that do not pay for all components. A Hessian that is shared in many dimensions.
 * SPDX-License-Identifier: MIT */
#include "inq_rows.h"

#include "stopped.h"

#include "base/rng.h"
#include "data/data.h"
#include "method/component/state.h"
#include "solve/solver.h"
#include "zoprox_data.h"

typedef struct built {
    zo_data *data, *plain; /* plain: what data was changed from, or NULL */
    double *numbers;
    zo_model *model;
    zo_problem p;
    double optimum;
} built;

/* Every hundredth row times outliers, and shift on top. */
static void change(built *b, double outliers, double shift)
{
    size_t n = b->data->n, d = b->data->features;
    b->plain = b->data;
    b->numbers = calloc(n * d, sizeof *b->numbers);
    for (size_t k = 0; k < n * d; k++)
        b->numbers[k] = b->plain->dense[k] * (k / d % 100 == 50 ? outliers : 1) + shift;
    assert_int_equal(zo_data_dense(&b->data, n, d, b->numbers, b->plain->label, NULL), 0);
}

static built build_with(const char *spec, zo_loss loss, double l2, double outliers, double shift)
{
    built b = {0};
    zo_optimum best;
    assert_int_equal(zo_data_synth(&b.data, spec, NULL), 0);
    if (outliers != 1 || shift != 0) change(&b, outliers, shift);
    assert_int_equal(zo_model_new(&b.model, b.data, loss, l2, 1, &b.p, NULL), 0);
    b.p.psi = zo_l1(1e-4);
    double *x = calloc(b.p.d, sizeof *x);
    assert_int_equal(zo_find_optimum(&best, b.model, &b.p.psi, 1e-13, x, NULL), 0);
    b.optimum = best.objective;
    free(x);
    return b;
}

static built build(const char *spec, zo_loss loss, double l2)
{
    return build_with(spec, loss, l2, 1, 0);
}

static void drop(built *b)
{
    zo_model_free(b->model);
    zo_data_free(b->data);
    if (b->plain) zo_data_free(b->plain);
    free(b->numbers);
}

static double F(const built *b, const double *x)
{
    double mean;
    zo_fan fan = {.n = b->p.n,
                  .d = b->p.d,
                  .nbase = 1,
                  .base = {x},
                  .radius = 1,
                  .sides = 1,
                  .ncomp = b->p.n};
    assert_int_equal(b->p.answer(b->p.ctx, &fan, &mean), 0);
    return mean + b->p.psi.value(&b->p.psi, b->p.d, x);
}

/* From far N(0,1), perhaps without a rule: the gap at the end of at most so many units. */
static double gap_from(const built *b, double far, const char *without, uint64_t seed, double most,
                       double *units)
{
    zo_settings set = zo_defaults();
    zo_solver *solver;
    double *x = calloc(b->p.d, sizeof *x);
    rng_normals(seed, FOR_SYNTH, 7, 0, b->p.d, x);
    for (size_t j = 0; j < b->p.d; j++) x[j] *= far;
    set.seed = seed;
    set.horizon =
        most * (double)b->p.n * (double)b->p.d; /* or the run makes inq anew, with the rule */
    assert_int_equal(zo_set(&set, "method", "inq", NULL), 0);
    assert_int_equal(zo_new(&solver, &b->p, &set, NULL), 0);
    assert_int_equal(zo_start(solver, x, NULL), 0);
    if (without) assert_int_equal(solver->method->row->without(solver->method, without), 1);
    *units = run(solver, most).units;
    double gap = F(b, zo_point(solver)) - b->optimum;
    zo_free(solver);
    free(x);
    return gap;
}

/* Slopes of one component in twenty die out on the way: to ask these in full costs more than to ask all others. They are asked where the
 * run began. */
static void slopes_that_die_out(void **state)
{
    (void)state;
    double sum = 0;
    built b = build("kind=onehot,n=2000,d=400", ZO_LOGISTIC, 1e-4);
    for (uint64_t seed = 0; seed < 4; seed++) {
        double units, gap = gap_from(&b, 0, NULL, seed, 1.5, &units);
        if (!(gap < 1e-10)) fail_msg("seed %d: gap %g", (int)seed, gap);
        sum += units / 4;
    }
    if (!(sum < 0.18)) fail_msg("%g units", sum);
    drop(&b);
}

/* Without the origin as a first step directions have to be found where slopes are dead, and found again; scales and radii that fit
 * the start do not fit the optimum. */
static void far_starts(void **state)
{
    (void)state;
    static const struct {
        double far, most, without; /* units; and where the origin is not tried */
    } starts[] = {{1, 1.6, 1.6}, {10, 1.6, 2.6}, {100, 1.6, 3.6}, {1000, 1.6, 3.9}};
    built b = build("kind=gaussian,n=1000,d=40", ZO_LOGISTIC, 1e-4);
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
        for (uint64_t seed = 1; seed < 4; seed++)
            for (int origin = 0; origin < 2; origin++) {
                double units,
                    most = origin ? starts[k].most : starts[k].without,
                    gap = gap_from(&b, starts[k].far, origin ? NULL : "origin", seed, most, &units);
                if (!(gap < 1e-10))
                    fail_msg("from %g, origin %d, seed %d: gap %g at %g units", starts[k].far,
                             origin, (int)seed, gap, most);
            }
    drop(&b);
}

/* Toint's tridia. */
enum { CHAIN = 100 };
static int chain(void *ctx, size_t i, const double *x, double *f)
{
    double miss = i ? 2 * x[i] - x[i - 1] : x[0] - 1;
    (void)ctx;
    *f = (double)(i + 1) * miss * miss;
    return 0;
}

static double chain_slope(const double *x)
{
    double g[CHAIN] = {2 * (x[0] - 1) / CHAIN};
    for (size_t i = 1; i < CHAIN; i++) {
        double by = 2 * (double)(i + 1) * (2 * x[i] - x[i - 1]) / CHAIN;
        g[i] += 2 * by;
        g[i - 1] -= by;
    }
    return vec_norm(CHAIN, g);
}

/* What is stated at the end is true, also where walls are so near that x does not show their lengths. */
static void ends_beside_near_walls(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        zo_problem p = {.n = CHAIN, .d = CHAIN, .value = chain};
        zo_settings set = zo_defaults();
        zo_solver *solver;
        double x0[CHAIN];
        for (size_t j = 0; j < CHAIN; j++) x0[j] = 1;
        set.seed = seed;
        set.horizon = 80.0 * CHAIN * CHAIN;
        assert_int_equal(zo_set(&set, "method", "inq", NULL), 0);
        assert_int_equal(zo_new(&solver, &p, &set, NULL), 0);
        assert_int_equal(zo_start(solver, x0, NULL), 0);
        assert_int_equal(solver->method->row->without(solver->method, "origin"), 1);
        zo_report r = run(solver, 80);
        double slope = chain_slope(zo_point(solver));
        if (r.reason == ZO_AT_END && !(slope < 10 * r.residual))
            fail_msg("seed %d: slope %g, %g stated", (int)seed, slope, r.residual);
        zo_free(solver);
    }
}

/* The same for flat sides, where there is no slope at all. */
static void far_starts_of_hinges(void **state)
{
    (void)state;
    built b = build("kind=gaussian,n=1000,d=40", ZO_SMOOTH_HINGE, 1e-4);
    for (uint64_t seed = 1; seed < 4; seed++) {
        double units, gap = gap_from(&b, 100, NULL, seed, 2, &units);
        if (!(gap < 1e-10)) fail_msg("seed %d: gap %g", (int)seed, gap);
    }
    drop(&b);
}

/* Away from 0 gradients of models with several outputs are of rank one beside the ridge. */
static void matrices_beside_a_ridge(void **state)
{
    (void)state;
    built b = build("kind=multiclass,classes=4,n=600,d=15", ZO_SOFTMAX, 1e-3);
    for (uint64_t seed = 1; seed < 3; seed++) {
        double units, gap = gap_from(&b, 1, NULL, seed, 3.5, &units);
        if (!(gap < 1e-10)) fail_msg("seed %d: gap %g", (int)seed, gap);
    }
    drop(&b);
}

/* |x - prox(x - g)| with psi = 1e-4 |x|_1, g by differences that are exact to 1e-10. */
static double residual_at(const built *b, const double *x)
{
    double away = 1e-5, lambda = 1e-4, squares = 0, *z = calloc(b->p.d, sizeof *z);
    for (size_t j = 0; j < b->p.d; j++) z[j] = x[j];
    for (size_t j = 0; j < b->p.d; j++) {
        z[j] = x[j] + away;
        double up = F(b, z) - lambda * fabs(z[j]);
        z[j] = x[j] - away;
        double down = F(b, z) - lambda * fabs(z[j]);
        z[j] = x[j];
        double to = x[j] - (up - down) / (2 * away),
               moved = x[j] - copysign(fmax(fabs(to) - lambda, 0), to);
        squares += moved * moved;
    }
    free(z);
    return sqrt(squares);
}

/* Gradients of spans that were not asked at x may be off by much less than a few of them say: the look at the end sees all. */
static void residuals_of_spans(void **state)
{
    (void)state;
    built b = build("kind=multiclass,classes=5,n=1000,d=20", ZO_SOFTMAX, 1e-3);
    for (uint64_t seed = 0; seed < 5; seed++) {
        zo_solver *solver = started(&b.p, seed);
        double stated = run(solver, 12).residual, found = residual_at(&b, zo_point(solver));
        if (!(stated < 10 * found && stated > found / 10))
            fail_msg("seed %d: stated %g, found %g", (int)seed, stated, found);
        zo_free(solver);
    }
    drop(&b);
}

/* A few rows are 100 or 1e4 times as long as the others: kinks that every step of all components would cross. */
static void outlying_rows(void **state)
{
    (void)state;
    static const double outliers[] = {100, 1e4};
    for (size_t k = 0; k < sizeof outliers / sizeof *outliers; k++) {
        built b = build_with("kind=gaussian,n=1000,d=40", ZO_LOGISTIC, 1e-4, outliers[k], 0);
        for (uint64_t seed = 1; seed < 4; seed++) {
            double units, gap = gap_from(&b, 0, NULL, seed, 1.6, &units);
            if (!(gap < 1e-10)) fail_msg("times %g, seed %d: gap %g", outliers[k], (int)seed, gap);
            gap = gap_from(&b, 0, NULL, seed, 0.6, &units);
            if (!(gap < log(2) - b.optimum + 1e-3))
                fail_msg("times %g, seed %d: gap %g with .6 units", outliers[k], (int)seed, gap);
        }
        drop(&b);
    }
}

/* Most rows have one of a few columns in common, and are soon on the flat side; those that are not make no outliers. */
static void flat_sides_make_no_outliers(void **state)
{
    (void)state;
    enum { ROWS = 2000, COLUMNS = 30 };
    built b = {.numbers = calloc((size_t)ROWS * COLUMNS, sizeof(double))};
    double *label = calloc(ROWS, sizeof *label), x[COLUMNS] = {0}, u[4], units;
    for (size_t i = 0; i < ROWS; i++) {
        double *row = b.numbers + i * COLUMNS;
        for (size_t k = 0; k < 4; k++) u[k] = rng_uniform(3, FOR_CHECK, k, i);
        label[i] = u[0] < 0.5 ? -1 : 1;
        rng_normals(3, FOR_SYNTH, i, 2, COLUMNS, row);
        vec_scale(COLUMNS, 0.1, row);
        if (u[1] < 0.02)
            row[5 + (size_t)(20 * u[2])] += u[3] < 0.9 ? label[i] : -label[i];
        else
            row[(size_t)(4 * u[2])] += 3 * label[i];
    }
    zo_optimum best;
    assert_int_equal(zo_data_dense(&b.data, ROWS, COLUMNS, b.numbers, label, NULL), 0);
    assert_int_equal(zo_model_new(&b.model, b.data, ZO_SMOOTH_HINGE, 1e-4, 1, &b.p, NULL), 0);
    b.p.psi = zo_l1(1e-4);
    assert_int_equal(zo_find_optimum(&best, b.model, &b.p.psi, 1e-13, x, NULL), 0);
    b.optimum = best.objective;
    for (uint64_t seed = 1; seed < 4; seed++) {
        double gap = gap_from(&b, 0, NULL, seed, 2.5, &units);
        if (!(gap < 1e-8)) fail_msg("seed %d: gap %g", (int)seed, gap);
    }
    free(label);
    drop(&b);
}

/* Columns from 1 to 1e4, Huber's loss, residuals beyond its corner: a component whose direction is asked for again where its slope is
 * less than 100 times its bend times the radius keeps a direction. Without the rule `bent` it counts as constant for good, and most
 * runs end too early, at gaps of up to 1e-6. */
static void small_slopes_along_one_column_are_slopes(void **state)
{
    (void)state;
    enum { ROWS = 2000, COLUMNS = 6 };
    built b = {.numbers = calloc((size_t)ROWS * COLUMNS, sizeof(double))};
    double *label = calloc(ROWS, sizeof *label), x[COLUMNS] = {0}, noise, units;
    for (size_t i = 0; i < ROWS; i++) {
        rng_normals(3, FOR_SYNTH, i, 2, 1, &noise);
        label[i] = 3 * noise * noise * noise;
        for (size_t j = 0; j < COLUMNS; j++) {
            double u = rng_uniform(3, FOR_CHECK, j, i);
            b.numbers[i * COLUMNS + j] = u * pow(10, 4 * (double)j / (COLUMNS - 1));
            label[i] += (j % 2 ? 5 : -3) * u;
        }
    }
    zo_optimum best;
    assert_int_equal(zo_data_dense(&b.data, ROWS, COLUMNS, b.numbers, label, NULL), 0);
    assert_int_equal(zo_model_new(&b.model, b.data, ZO_HUBER, 1e-4, 1, &b.p, NULL), 0);
    b.p.psi = zo_l1(1e-4);
    assert_int_equal(zo_find_optimum(&best, b.model, &b.p.psi, 1e-13, x, NULL), 0);
    b.optimum = best.objective;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        double gap = gap_from(&b, 0, NULL, seed, 12, &units);
        if (!(gap < 1e-8)) fail_msg("seed %d: gap %g after %g units", (int)seed, gap, units);
    }
    free(label);
    drop(&b);
}

/* Columns + 1e4: all directions are the same but for a ten thousandth, and that is what matters. */
static void columns_with_an_offset(void **state)
{
    (void)state;
    built b = build_with("kind=gaussian,n=1000,d=40", ZO_LOGISTIC, 1e-4, 1, 1e4);
    for (uint64_t seed = 1; seed < 4; seed++) {
        double units, gap = gap_from(&b, 0, NULL, seed, 1.8, &units);
        if (!(gap < 1e-10)) fail_msg("seed %d: gap %g", (int)seed, gap);
    }
    drop(&b);
}

/* One Hessian for all, d = 170: its price decides, not d. */
enum { WIDE = 170, SHARERS = 100 };

static int quadratic(void *ctx, size_t i, const double *x, double *f)
{
    double sum = 0, all = 0;
    (void)ctx;
    for (size_t j = 0; j < WIDE; j++) {
        double r = x[j] - 1 - rng_uniform(5, FOR_SYNTH, i, j);
        sum += pow(1e3, -(double)j / WIDE) * r * r;
        all += r;
    }
    *f = 0.5 * (sum + all * all / WIDE);
    return 0;
}

static double mean_of_quadratics(const double *x)
{
    double sum = 0, f;
    for (size_t i = 0; i < SHARERS; i++) {
        quadratic(NULL, i, x, &f);
        sum += f / SHARERS;
    }
    return sum;
}

static double gap_of_quadratics(const double *x)
{
    double best[WIDE] = {0};
    for (size_t i = 0; i < SHARERS; i++)
        for (size_t j = 0; j < WIDE; j++)
            best[j] += (1 + rng_uniform(5, FOR_SYNTH, i, j)) / SHARERS;
    return mean_of_quadratics(x) - mean_of_quadratics(best);
}

static void a_hessian_is_shared_in_many_dimensions(void **state)
{
    (void)state;
    zo_problem p = {.n = SHARERS, .d = WIDE, .value = quadratic};
    zo_solver *solver = started(&p, 1);
    run(solver, 4);
    double gap = gap_of_quadratics(zo_point(solver));
    if (!(gap < 1e-9)) fail_msg("gap %g", gap);
    zo_free(solver);
}

static int by_value(const void *a, const void *b)
{
    double v = *(const double *)a, w = *(const double *)b;
    return (v > w) - (v < w);
}

/* The median gap of five seeds at a fifth of a unit; says: what the report must say of methods. */
static double gap_of_a_fifth(const char *name, const char *without, const char *says)
{
    enum { SEEDS = 5 };
    double gap[SEEDS];
    zo_problem p = {.n = SHARERS, .d = WIDE, .value = quadratic};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        zo_settings set = zo_defaults();
        zo_solver *solver;
        set.seed = seed;
        set.horizon = 0.2 * SHARERS * WIDE;
        assert_int_equal(zo_set(&set, "method", name, NULL), 0);
        assert_int_equal(zo_new(&solver, &p, &set, NULL), 0);
        assert_int_equal(zo_start(solver, NULL, NULL), 0);
        if (without) assert_int_equal(solver->method->row->without(solver->method, without), 1);
        zo_report report = run(solver, 0.2);
        if (says && !strstr(report.chosen, says)) fail_msg("chosen: %s", report.chosen);
        gap[seed] = gap_of_quadratics(zo_point(solver));
        zo_free(solver);
    }
    qsort(gap, SEEDS, sizeof *gap, by_value);
    return gap[SEEDS / 2];
}

/* Before spans are worth something a quarter of a unit is gone: what is less goes to random directions. */
static void spans_that_cannot_be_paid_for(void **state)
{
    (void)state;
    double gap = gap_of_a_fifth("inq", NULL, "then zosgd"),
           random = gap_of_a_fifth("zosgd", NULL, NULL),
           without = gap_of_a_fifth("inq", "gives-way", NULL);
    if (!(gap < 1.5 * random)) fail_msg("gap %g, by random directions %g", gap, random);
    if (!(gap < 0.7 * without)) fail_msg("gap %g, and %g without the rule", gap, without);
    zo_problem p = {.n = SHARERS, .d = WIDE, .value = quadratic};
    zo_settings set = settings_of("inq");
    set.horizon = 0.2 * SHARERS * WIDE;
    stopped_often(&p, &set, "test_rough.zo", 3, 60);
}

/* What can be paid for is used, and more is never worse. */
static void budgets_are_used(void **state)
{
    (void)state;
    enum { SEEDS = 5 };
    static const double budgets[] = {0.3, 0.5, 0.9, 1, 1.1, 1.2, 1.4};
    double least = INFINITY;
    built b = build("kind=gaussian,n=2000,d=50", ZO_LOGISTIC, 1e-4);
    for (size_t k = 0; k < sizeof budgets / sizeof *budgets; k++) {
        double gap[SEEDS], units;
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            gap[seed] = gap_from(&b, 0, NULL, seed, budgets[k], &units);
            if (gap[seed] > 1e-9 && units < 0.85 * budgets[k])
                fail_msg("%g of %g units used, gap %g", units, budgets[k], gap[seed]);
        }
        qsort(gap, SEEDS, sizeof *gap, by_value);
        if (!(gap[SEEDS / 2] <= fmax(1.01 * least, 1e-12)))
            fail_msg("at %g units %g, and %g with less", budgets[k], gap[SEEDS / 2], least);
        least = gap[SEEDS / 2];
    }
    if (!(least < 1e-10)) fail_msg("gap %g at the end", least);
    drop(&b);
}

static void is_enough(const char *spec, double units)
{
    built b = build(spec, ZO_LOGISTIC, 1e-4);
    for (uint64_t seed = 1; seed < 4; seed++) {
        double used, gap = gap_from(&b, 0, NULL, seed, units, &used);
        if (!(gap < 1e-9)) fail_msg("%s, seed %d: gap %g at %g units", spec, (int)seed, gap, used);
    }
    drop(&b);
}

/* n(d + 10) queries are 1.034 units: all components are asked while they can be paid for, whatever the samples' own steps cost, and what
 * is left goes into steps before it goes into curves. Where the sample says nearly as much as all, d + 6 do (here of the price of recovering a gradient, and a tenth of it, for d + 2). */
static void all_are_asked_while_they_can_be(void **state)
{
    (void)state;
    is_enough("kind=gaussian,n=1000,d=300", 1.05);
    is_enough("kind=onehot,n=4000,d=40", 0.38);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(far_starts),
                                       cmocka_unit_test(ends_beside_near_walls),
                                       cmocka_unit_test(far_starts_of_hinges),
                                       cmocka_unit_test(matrices_beside_a_ridge),
                                       cmocka_unit_test(residuals_of_spans),
                                       cmocka_unit_test(slopes_that_die_out),
                                       cmocka_unit_test(outlying_rows),
                                       cmocka_unit_test(flat_sides_make_no_outliers),
                                       cmocka_unit_test(small_slopes_along_one_column_are_slopes),
                                       cmocka_unit_test(columns_with_an_offset),
                                       cmocka_unit_test(a_hessian_is_shared_in_many_dimensions),
                                       cmocka_unit_test(spans_that_cannot_be_paid_for),
                                       cmocka_unit_test(budgets_are_used),
                                       cmocka_unit_test(all_are_asked_while_they_can_be)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
