/* inq: spans that one gradient gives away, and those that it only seems to.
 * SPDX-License-Identifier: MIT */
#include "stopped.h"

enum { MEMBERS = 400, OUTPUTS = 4, INPUTS = 9, MATRIX = OUTPUTS * INPUTS, COORDINATES = 40 };
enum { BY_ROWS, BY_COLUMNS, ENDS_LAST }; /* where the matrix lies in x */

typedef struct many {
    int order;
    double ridge, a[MEMBERS][INPUTS], c[MEMBERS][2];
    size_t label[MEMBERS];
} many;

typedef int component(void *ctx, size_t i, const double *x, double *f);

static size_t place(const many *p, size_t k, size_t j)
{
    if (p->order == BY_COLUMNS) return j * OUTPUTS + k;
    if (p->order == BY_ROWS) return k * INPUTS + j;
    return j + 1 < INPUTS ? k * (INPUTS - 1) + j : OUTPUTS * (INPUTS - 1) + k;
}

static void fill(many *p, int order, double ridge)
{
    p->order = order;
    p->ridge = ridge;
    for (size_t i = 0; i < MEMBERS; i++) {
        rng_normals(4, FOR_SYNTH, i, 0, INPUTS, p->a[i]);
        rng_normals(4, FOR_SYNTH, i, 1, 2, p->c[i]);
        p->a[i][INPUTS - 1] = 1;
        p->label[i] = (size_t)(rng_uniform(4, FOR_CHECK, 0, i) < 0.5 ? (p->a[i][0] > 0)
                                                                     : 2 + (p->a[i][1] > 0));
    }
}

/* log sum_k exp(s_k) - s_label + (ridge/2)|x|^2, s = X a_i */
static int softmax(void *ctx, size_t i, const double *x, double *f)
{
    const many *p = ctx;
    double score[OUTPUTS] = {0}, sum = 0, most = -INFINITY;
    for (size_t k = 0; k < OUTPUTS; k++) {
        for (size_t j = 0; j < INPUTS; j++) score[k] += x[place(p, k, j)] * p->a[i][j];
        most = fmax(most, score[k]);
    }
    for (size_t k = 0; k < OUTPUTS; k++) sum += exp(score[k] - most);
    *f = most + log(sum) - score[p->label[i]] + 0.5 * p->ridge * vec_dot(MATRIX, x, x);
    return 0;
}

/* Three coordinates of 40 each. */
static void coordinates(size_t i, size_t at[3])
{
    at[0] = i % COORDINATES;
    at[1] = (i * 7 + 3) % COORDINATES;
    at[2] = (i * 11 + 5) % COORDINATES;
}

static int sparse(void *ctx, size_t i, const double *x, double *f)
{
    const many *p = ctx;
    size_t at[3];
    coordinates(i, at);
    double u = x[at[0]] - p->c[i][0], v = x[at[1]] - 0.5 * x[at[0]] * x[at[0]],
           w = x[at[2]] - sin(x[at[1]]);
    *f = u * u + 4 * v * v + log1p(w * w) + 0.5 * p->ridge * vec_dot(COORDINATES, x, x);
    return 0;
}

/* The first two of them. */
static int two(void *ctx, size_t i, const double *x, double *f)
{
    const many *p = ctx;
    size_t at[3];
    coordinates(i, at);
    double u = x[at[0]] - p->c[i][0], v = x[at[1]] - p->c[i][1] + 0.7 * u;
    *f = u * u + 0.1 * u * u * u * u + 2 * v * v + log1p(v * v) +
         0.5 * p->ridge * vec_dot(COORDINATES, x, x);
    return 0;
}

/* A valley that bends, in the same two. */
static int valley(void *ctx, size_t i, const double *x, double *f)
{
    const many *p = ctx;
    size_t at[3];
    coordinates(i, at);
    double off = x[at[1]] - x[at[0]] * x[at[0]], left = 1 + 0.1 * p->c[i][0] - x[at[0]];
    *f = 6.5 * off * off + left * left;
    return 0;
}

/* The third coordinate matters only where the first has left 0. */
static int late(void *ctx, size_t i, const double *x, double *f)
{
    const many *p = ctx;
    size_t at[3];
    coordinates(i, at);
    double u = x[at[0]] - 2 - p->c[i][0], v = x[at[1]] - 0.5 * x[at[0]],
           w = fmax(x[at[0]] + 2 * x[at[2]] - 0.5, 0);
    *f = u * u + v * v + w * w;
    return 0;
}

/* Of a few, two more coordinates matter where the first has left 0: a gradient shows one direction of both. */
static int few_more_later(void *ctx, size_t i, const double *x, double *f)
{
    const many *p = ctx;
    size_t at[3];
    coordinates(i, at);
    double u = x[at[0]] - 2 - p->c[i][0], v = fmax(x[at[1]] + x[at[0]] - 0.5, 0),
           w = fmax(2 * x[at[2]] + x[at[0]] - 0.5, 0);
    *f = u * u;
    if (i % 100 == 7)
        *f += 0.1 * (v * v + w * w);
    else
        *f += (x[at[1]] - 1) * (x[at[1]] - 1) + (x[at[2]] + 2) * (x[at[2]] + 2);
    return 0;
}

static zo_report run_for(many *p, size_t d, component *value, double start, uint64_t seed,
                         double units, double *F)
{
    zo_problem problem = {.n = MEMBERS, .d = d, .value = value, .ctx = p};
    zo_settings set = settings_of("inq");
    set.seed = seed;
    double x[COORDINATES], f;
    for (size_t j = 0; j < d; j++) x[j] = start;
    zo_solver *solver;
    zo_error e = {0};
    if (zo_new(&solver, &problem, &set, &e) || zo_start(solver, x, &e)) fail_msg("%s", e.text);
    zo_control c = zo_no_limits();
    c.max_units = units;
    zo_report r = run_to(solver, &c);
    *F = 0;
    for (size_t i = 0; i < MEMBERS; i++) {
        value(p, i, zo_point(solver), &f);
        *F += f / MEMBERS;
    }
    zo_free(solver);
    return r;
}

/* Within so many units as near to the best as a long run. */
static void arrives(many *p, size_t d, component *value, double start, double units,
                    const char *note)
{
    double best, F;
    run_for(p, d, value, start, 99, 40, &best);
    for (uint64_t seed = 1; seed <= 4; seed++) {
        zo_report r = run_for(p, d, value, start, seed, units, &F);
        if (!strstr(r.chosen, note)) fail_msg("seed %d: %s", (int)seed, r.chosen);
        if (!(F - best < 1e-8)) fail_msg("seed %d: gap %g", (int)seed, F - best);
    }
}

static void a_matrix_is_seen_however_it_lies(void **state)
{
    (void)state;
    static many p;
    for (int order = BY_ROWS; order <= ENDS_LAST; order++) {
        fill(&p, order, 1e-2);
        arrives(&p, MATRIX, softmax, 0, 2.5, "a matrix with 4 outputs");
    }
}

static void few_coordinates_are_seen(void **state)
{
    (void)state;
    static many p;
    fill(&p, BY_ROWS, 0);
    arrives(&p, COORDINATES, sparse, 0.3, 4, "few coordinates");
    fill(&p, BY_ROWS, 1e-2); /* and beside a ridge, away from 0 */
    arrives(&p, COORDINATES, sparse, 0.3, 4, "few coordinates");
}

/* Learnt from changes of slopes alone it takes up to 1.4 units. */
static void curvature_of_two_coordinates_is_measured(void **state)
{
    (void)state;
    static many p;
    fill(&p, BY_ROWS, 1e-2);
    arrives(&p, COORDINATES, two, 0.3, 1.32, "few coordinates");
    zo_problem problem = {
        .n = MEMBERS, .d = COORDINATES, .value = two, .ctx = &p, .psi = zo_zero()};
    zo_settings set = settings_of("inq");
    stopped_often(&problem, &set, "guess.save", 1, 200);
}

/* With curvature kept where it falls it takes up to 3.1 units or more. */
static void measured_curvature_does_not_fall(void **state)
{
    (void)state;
    static many p;
    fill(&p, BY_ROWS, 0);
    arrives(&p, COORDINATES, valley, 0.3, 2.6, "few coordinates");
}

static void a_coordinate_that_matters_later_is_found(void **state)
{
    (void)state;
    static many p;
    fill(&p, BY_ROWS, 0);
    arrives(&p, COORDINATES, late, 0, 12, "");
}

static void spans_that_are_no_axes_are_not_taken_for_such(void **state)
{
    (void)state;
    static many p;
    fill(&p, BY_ROWS, 0);
    arrives(&p, COORDINATES, few_more_later, 0, 6, "few coordinates");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_matrix_is_seen_however_it_lies),
        cmocka_unit_test(few_coordinates_are_seen),
        cmocka_unit_test(curvature_of_two_coordinates_is_measured),
        cmocka_unit_test(measured_curvature_does_not_fall),
        cmocka_unit_test(a_coordinate_that_matters_later_is_found),
        cmocka_unit_test(spans_that_are_no_axes_are_not_taken_for_such)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
