/* The point that is returned is the best one whose F is known, for every method; and calls are the budget.
 * SPDX-License-Identifier: MIT */
#include "toy.h"

#include "settings_of.h"

static const double l1 = 1e-3;

typedef struct seen {
    double best, last;
    uint64_t rows;
} seen;

static int watch(void *ctx, const zo_row *row)
{
    seen *w = ctx;
    if (!isnan(row->objective)) w->best = fmin(w->best, row->objective);
    assert_true(isnan(row->objective) || row->best <= row->objective);
    w->last = row->objective;
    w->rows++;
    return 0;
}

/* ---- The best point -------------------------------------------------------------------------------- */

/* Steps that are far too long: what comes last is worse than what was there before. */
static void the_best_is_returned(void **state)
{
    (void)state;
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t k = 0; k < count; k++)
        for (int last = 0; last < 2; last++) {
            toy t;
            toy_fill(&t, 0.01);
            zo_problem p = toy_problem(&t, l1);
            zo_settings set = settings_of(rows[k].name);
            set.step = 60;
            set.point = last ? ZO_LAST : ZO_BEST;
            zo_control c = zo_no_limits();
            zo_solver *solver;
            zo_report r;
            seen w = {INFINITY, NAN, 0};
            c.max_units = 6;
            c.watch = watch;
            c.watch_ctx = &w;
            assert_int_equal(zo_new(&solver, &p, &set, NULL), ZO_OK);
            assert_int_equal(zo_start(solver, NULL, NULL), ZO_OK);
            assert_int_equal(zo_run(solver, &c, &r, NULL), ZO_OK);
            double f = toy_F(&t, l1, zo_point(solver)), end = toy_F(&t, l1, zo_last(solver)),
                   best = toy_F(&t, l1, zo_best(solver));
            assert_true(fabs(f - r.objective) < 1e-12 && fabs(best - r.best_objective) < 1e-12);
            assert_true(best <= end + 1e-12 && best <= w.best + 1e-12);
            assert_true(fabs(f - (last ? end : best)) < 1e-12);
            if (!last && !(f <= log(2) + 1e-12))
                fail_msg("%s ends at %g, above its start", set.method, f);
            zo_free(solver);
        }
}

/* ---- Calls are the budget --------------------------------------------------------------------------- */

enum { SLOTS = 1 << 17 };

/* Which (component, point) have been asked; hashes of both. */
typedef struct asked {
    toy toy;
    uint64_t seen[SLOTS], calls, twice;
} asked;

static int asked_value(void *ctx, size_t i, const double *x, double *f)
{
    asked *a = ctx;
    uint64_t h = 0x9e3779b97f4a7c15u * (i + 1), w;
    for (size_t j = 0; j < TOY_D; j++) {
        memcpy(&w, x + j, 8);
        h = (h ^ w) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    size_t at = h % SLOTS;
    while (a->seen[at] && a->seen[at] != h) at = (at + 1) % SLOTS;
    a->twice += a->seen[at] == h;
    a->seen[at] = h;
    a->calls++;
    return toy_value(&a->toy, i, x, f);
}

static zo_report run_counted(asked *a, const char *method, uint64_t budget, uint64_t horizon,
                             int track)
{
    memset(a, 0, sizeof *a);
    toy_fill(&a->toy, 0.01);
    zo_problem p = toy_problem(&a->toy, l1);
    p.ctx = a;
    p.value = asked_value;
    zo_settings set = settings_of(method);
    set.noise = 0;
    set.horizon = (double)horizon;
    zo_control c = zo_no_limits();
    zo_solver *solver;
    zo_report r;
    c.max_queries = budget;
    c.track = track;
    c.watch = watch;
    seen w = {INFINITY, NAN, 0};
    c.watch_ctx = &w;
    assert_int_equal(zo_new(&solver, &p, &set, NULL), ZO_OK);
    assert_int_equal(zo_start(solver, NULL, NULL), ZO_OK);
    assert_int_equal(zo_run(solver, &c, &r, NULL), ZO_OK);
    if (!isnan(r.objective))
        assert_true(fabs(toy_F(&a->toy, l1, zo_point(solver)) - r.objective) < 1e-12);
    zo_free(solver);
    return r;
}

static int compares(const char *method)
{
    const char *all = " auto inq sinq mean lm ", *at = strstr(all, method);
    return at && at[-1] == ' ' && at[strlen(method)] == ' ';
}

/* What was called is what was counted, and never more than was allowed; F is known where it could be; looking at F asks
 * nothing that the method has asked or will ask. */
static void calls_are_the_budget(void **state)
{
    (void)state;
    static const uint64_t budgets[] = {1,   59,  60,  61,  119,  130,  200,  354,
                                       480, 540, 600, 975, 1900, 5000, 20000};
    asked *a = malloc(sizeof *a);
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    for (size_t k = 0; k < count; k++)
        for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
            zo_report r = run_counted(a, rows[k].name, budgets[b], budgets[b], ZO_TRACK_ON);
            uint64_t twice = a->twice;
            assert_int_equal(a->calls, r.queries + r.watched);
            if (a->calls > budgets[b])
                fail_msg("%s: %d calls of %d", rows[k].name, (int)a->calls, (int)budgets[b]);
            if (isnan(r.objective) != (budgets[b] < TOY_N))
                fail_msg("%s, budget %d: F %g", rows[k].name, (int)budgets[b], r.objective);
            if (budgets[b] >= 200 && !(r.objective < log(2)))
                fail_msg("%s, budget %d: F %g", rows[k].name, (int)budgets[b], r.objective);
            run_counted(a, rows[k].name, r.queries ? r.queries : 1, budgets[b], ZO_TRACK_OFF);
            uint64_t some = compares(rows[k].name) ? 0 : TOY_N / 2; /* means over some components */
            if (!strcmp(rows[k].name, "zosgd")) some = 2 * TOY_N;   /* which looks back by itself */
            if (budgets[b] < 2000 && twice > a->twice + some)
                fail_msg("%s, budget %d: looking at F asked %d values again", rows[k].name,
                         (int)budgets[b], (int)(twice - a->twice));
        }
    free(a);
}

/* ---- Points that are tried -------------------------------------------------------------------------- */

enum { BOWLS = 300, WIDE = 40 };

/* f_i(x) = x'Ax/2 - b_i'x; least: of F, where every component was asked at one point in a row. */
typedef struct bowls {
    double b[BOWLS][WIDE], at[WIDE], sum, least;
    uint64_t row;
} bowls;

/* A = H diag(a) H, H = I - 2 vv'/v'v, a from 1 to 1e-3 */
static double bowl(const bowls *q, size_t i, const double *x)
{
    double f = 0, along = 0, size = 0;
    for (size_t j = 0; j < WIDE; j++) {
        double v = cos((double)(j * j));
        along += v * x[j];
        size += v * v;
    }
    for (size_t j = 0; j < WIDE; j++) {
        double turned = x[j] - 2 * along / size * cos((double)(j * j));
        f += pow(1e-3, (double)j / (WIDE - 1)) * turned * turned / 2 - q->b[i][j] * x[j];
    }
    return f;
}

static int bowl_value(void *ctx, size_t i, const double *x, double *f)
{
    bowls *q = ctx;
    if (memcmp(x, q->at, sizeof q->at)) {
        q->row = 0;
        q->sum = 0;
    }
    memcpy(q->at, x, sizeof q->at);
    q->sum += *f = bowl(q, i, x);
    if (++q->row == BOWLS) q->least = fmin(q->least, q->sum / BOWLS);
    return 0;
}

/* Several points may be asked of every component before the method moves to one of them. */
static void none_is_forgotten(void **state)
{
    (void)state;
    static bowls q;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        for (size_t i = 0; i < BOWLS; i++) {
            rng_normals(5, FOR_SYNTH, i, 0, WIDE, q.b[i]);
            for (size_t j = 0; j < WIDE; j++) q.b[i][j] += sin(3.0 * (double)j);
        }
        q.least = INFINITY;
        zo_problem p = {.n = BOWLS, .d = WIDE, .value = bowl_value, .ctx = &q, .psi = zo_zero()};
        zo_settings set = settings_of("inq");
        zo_control c = zo_no_limits();
        zo_solver *solver;
        zo_report r;
        set.seed = seed;
        c.max_units = set.horizon = 1.04 + 0.02 * (double)(seed % 20);
        set.horizon *= BOWLS * WIDE;
        c.track = ZO_TRACK_OFF;
        assert_int_equal(zo_new(&solver, &p, &set, NULL), ZO_OK);
        assert_int_equal(zo_start(solver, NULL, NULL), ZO_OK);
        assert_int_equal(zo_run(solver, &c, &r, NULL), ZO_OK);
        double f = 0;
        for (size_t i = 0; i < BOWLS; i++) f += bowl(&q, i, zo_point(solver)) / BOWLS;
        if (!(f <= q.least + 1e-9)) fail_msg("seed %d: F %g, %g seen", (int)seed, f, q.least);
        zo_free(solver);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_best_is_returned),
                                       cmocka_unit_test(none_is_forgotten),
                                       cmocka_unit_test(calls_are_the_budget)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
