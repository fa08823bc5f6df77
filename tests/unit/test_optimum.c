/* Reference optima of every loss with every kind of psi: against slow code of our own, and their proofs against better
 * points.
 * SPDX-License-Identifier: MIT */
#include "little.h"

#include "optimum/proof.h"

static const char *const kinds[] = {"zero",
                                    "l1:0.02",
                                    "l2:0.05",
                                    "squared-l2:0.1",
                                    "elastic-net:0.02,0.1",
                                    "nonnegative",
                                    "box:-0.3,0.5",
                                    "l1-ball:1.5",
                                    "l2-ball:0.7",
                                    "simplex:1",
                                    "linf:0.1",
                                    "group-lasso:0.03,4",
                                    "sparse-group-lasso:0.01,0.02,3",
                                    "tv:0.02",
                                    "nuclear:0.03,3x4@0:12",
                                    "l1:0.1@0:4 box:-1,1@4:8 group-lasso:0.02,2@8:12"};
enum { KINDS = sizeof kinds / sizeof *kinds };
static const zo_loss losses[] = {ZO_LOGISTIC, ZO_SQUARED, ZO_HUBER, ZO_SMOOTH_HINGE, ZO_SOFTMAX};
enum { LOSSES = sizeof losses / sizeof *losses };

typedef void visitor(const little *p, const zo_prox *psi, const char *name);

static void visit_all(visitor *visit)
{
    for (size_t l = 0; l < LOSSES; l++)
        for (int k = 0; k < 4; k++) { /* strongly convex or not, sparse or not */
            little p;
            open_little(&p, losses[l], k & 1 ? 0 : 0.01, k & 2);
            for (size_t s = 0; s < KINDS; s++) {
                zo_prox psi;
                zo_error err;
                char name[128];
                snprintf(name, sizeof name, "%s, %s, l2 %g, %s", zo_loss_rows(NULL)[losses[l]].name,
                         kinds[s], p.l2, k & 2 ? "sparse" : "dense");
                if (zo_prox_parse(&psi, kinds[s], p.problem.d, &err))
                    fail_msg("%s: %s", name, err.text);
                visit(&p, &psi, name);
                zo_prox_free(&psi);
            }
            close_little(&p);
        }
}

/* |x - prox_t(x - t g)|/t with t = 0.01 */
static double slow_residual(const little *p, const zo_prox *psi, const double *x)
{
    double g[MOST], v[MOST], work[8 * MOST + 1000], s = 0;
    size_t d = p->problem.d;
    slow_objective(p, psi, x, g);
    for (size_t j = 0; j < d; j++) v[j] = x[j] - 0.01 * g[j];
    assert_true(prox_work(psi, d) <= sizeof work / sizeof *work);
    prox_apply(psi, d, 0.01, v, v, work);
    for (size_t j = 0; j < d; j++) s += (x[j] - v[j]) * (x[j] - v[j]);
    return sqrt(s) / 0.01;
}

/* Feasible, stationary, and F is what it says it is; with l2 the bound is what was asked for. */
static void is_optimal(const little *p, const zo_prox *psi, const char *name)
{
    double x[MOST];
    zo_optimum found = find(p, psi, 1e-13, x, name);
    double f = slow_objective(p, psi, x, NULL), residual = slow_residual(p, psi, x);
    if (!(fabs(found.objective - f) <= 1e-15 * (1 + fabs(f))))
        fail_msg("%s: F is %.17g, reported %.17g", name, f, found.objective);
    if (!(residual <= 1e-5 * (1 + sqrt(f))))
        fail_msg("%s: residual %g (%s, bound %g)", name, residual, found.proof, found.bound);
    if (p->l2 > 0 && !(found.bound <= 1e-13 * f))
        fail_msg("%s: bound %g, %s", name, found.bound, found.proof);
    if (!(found.bound >= 0)) fail_msg("%s: bound %g", name, found.bound);
}

static void test_optimal(void **state)
{
    (void)state;
    visit_all(is_optimal);
}

/* A search that stops early, and any other point: neither may get below F - bound. */
static void bound_holds(const little *p, const zo_prox *psi, const char *name)
{
    double best[MOST], x[MOST], v[MOST], work[8 * MOST + 1000];
    zo_optimum found = find(p, psi, 1e-13, best, name);
    for (double relative = 1; relative > 1e-7; relative /= 100) {
        zo_optimum early = find(p, psi, relative, x, name);
        if (!(early.objective - found.objective <= early.bound + 1e-15))
            fail_msg("%s: the gap is %g, the bound %g by %s (relative %g)", name,
                     early.objective - found.objective, early.bound, early.proof, relative);
    }
    uint64_t seed = 3;
    for (int k = 0; k < 40; k++) { /* other points, some of them near */
        for (size_t j = 0; j < p->problem.d; j++)
            v[j] = best[j] + pow(0.1, (double)(k / 4)) * noise(&seed);
        prox_apply(psi, p->problem.d, 1e-9, v, v, work);
        double f = slow_objective(p, psi, v, NULL);
        if (!(found.objective - found.bound <= f + 1e-15 * fabs(f)))
            fail_msg("%s: F* >= %.17g by %s, but F is %.17g at a point", name,
                     found.objective - found.bound, found.proof, f);
    }
}

static void test_bound(void **state)
{
    (void)state;
    visit_all(bound_holds);
}

/* Without l2: the dual proves norms and bounded sets, curvature proves the rest where there are enough rows. */
static void is_proved(const little *p, const zo_prox *psi, const char *name)
{
    double x[MOST];
    if (p->l2 > 0 || p->loss == ZO_SOFTMAX) return;
    zo_optimum found = find(p, psi, 1e-13, x, name);
    if (!(found.bound <= 1e-13 * found.objective))
        fail_msg("%s: bound %g by %s", name, found.bound, found.proof);
}

static void test_proved_without_l2(void **state)
{
    (void)state;
    visit_all(is_proved);
}

/* At x = 0 the dual bound is made of the losses' terms alone: (1/n) sum B_i(c). It must hold, and not be idle. */
static void test_dual_at_zero(void **state)
{
    (void)state;
    for (size_t l = 0; l < LOSSES; l++) {
        little p;
        smooth f;
        prover w;
        double x[MOST], zero[MOST] = {0}, far[MOST], margins[ROWS * CLASSES],
                        slopes[ROWS * CLASSES];
        zo_prox psi = zo_l1(0.1);
        open_little(&p, losses[l], 0, 0);
        double least = find(&p, &psi, 1e-13, x, "dual").objective,
               f0 = slow_objective(&p, &psi, zero, NULL);
        for (size_t j = 0; j < MOST; j++) far[j] = 1e9; /* a subgradient that proves nothing */
        assert_int_equal(smooth_new(&f, p.model, NULL), ZO_OK);
        assert_int_equal(prover_new(&w, f.d, &psi, NULL), ZO_OK);
        smooth_margins(&f, zero, margins);
        smooth_slopes(&f, margins, slopes);
        evidence e = {&f, &psi, zero, margins, slopes, 10 * f0, far, zero, 0};
        proof found = prove(&w, &e, 1e-13);
        if (!(f0 - least <= found.bound) || !(found.bound <= f0))
            fail_msg("loss %zu: the gap at 0 is %g, the bound %g by %s", l, f0 - least, found.bound,
                     found.how);
        assert_string_equal(found.how, "duality gap");
        prover_free(&w);
        smooth_free(&f);
        close_little(&p);
    }
}

static void same_bytes(const little *p, const zo_prox *psi, const char *name)
{
    double x[MOST], y[MOST];
    zo_optimum a = find(p, psi, 1e-13, x, name), b = find(p, psi, 1e-13, y, name);
    assert_memory_equal(x, y, p->problem.d * sizeof *x);
    assert_true(a.objective == b.objective && a.bound == b.bound && a.iterations == b.iterations);
}

static void test_same(void **state)
{
    (void)state;
    visit_all(same_bytes);
}

/* Against a long run of the plainest method. */
static void test_long_run(void **state)
{
    (void)state;
    for (size_t l = 0; l < LOSSES; l++) {
        little p;
        open_little(&p, losses[l], 0.05, 0);
        zo_prox psi = zo_l1(0.02);
        double x[MOST] = {0}, g[MOST], best[MOST];
        for (int k = 0; k < 4000; k++) {
            slow_objective(&p, &psi, x, g);
            for (size_t j = 0; j < p.problem.d; j++) x[j] -= 0.05 * g[j];
            psi.apply(&psi, p.problem.d, 0.05, x, x, NULL);
        }
        zo_optimum found = find(&p, &psi, 1e-13, best, "long run");
        double f = slow_objective(&p, &psi, x, NULL);
        assert_true(found.objective - found.bound <= f + 1e-15 * f);
        assert_true(fabs(f - found.objective) <= 1e-11 * f);
        for (size_t j = 0; j < p.problem.d; j++) assert_true(fabs(x[j] - best[j]) < 5e-5);
        close_little(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_optimal),
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_proved_without_l2),
        cmocka_unit_test(test_dual_at_zero),
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_long_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
