/* Directions: E[u u'] = I, the spread of each kind, the memory's best step; bounds of four standard errors.
 * SPDX-License-Identifier: MIT */
#include "tally.h"
#include "toy.h"

#include "direction/direction.h"

enum { D = 7, DRAWS = 20000 };

/* E g = (weight/q) sum_j (u_j'g) u_j */
static void estimate(const directions *r, const double *g, double *out)
{
    double a[D];
    for (size_t j = 0; j < r->q; j++) a[j] = directions_dot(r, j, g);
    vec_zero(D, out);
    directions_combine(r, a, out);
}

static void spread_is_right(void **state)
{
    (void)state;
    double g[D] = {1, -2, 0.5, 0, 3, -1, 0.25}, size = vec_dot(D, g, g);
    for (int kind = ZO_GAUSSIAN; kind <= ZO_ORTHOGONAL; kind++)
        for (size_t q = 1; q <= 5; q += 2) {
            directions r;
            assert_int_equal(directions_new(&r, kind, q, D, NULL), 0);
            tally spread = {0}, along = {0}, coordinate[D] = {{0}};
            for (uint64_t k = 0; k < DRAWS; k++) {
                double e[D];
                directions_draw(&r, 3, FOR_DIRECTION, k);
                estimate(&r, g, e);
                count(&spread, vec_dot(D, e, e) / size);
                count(&along, vec_dot(D, e, g) / size);
                for (size_t j = 0; j < D; j++) count(&coordinate[j], e[j]);
            }
            for (size_t j = 0; j < D; j++)
                assert_true(fabs(mean(&coordinate[j]) - g[j]) <= error4(&coordinate[j]));
            assert_true(fabs(mean(&spread) - r.spread) <= error4(&spread));
            /* E|h + theta E r - r|^2 / |r|^2 = 1 - 2 theta a + theta^2 b is least at a/b, and that is 1/spread */
            double best = mean(&along) / mean(&spread);
            assert_true(fabs(best * r.spread - 1) <= error4(&along) + error4(&spread) / r.spread);
            directions_free(&r);
        }
}

static void memory_step_is_least(void **state)
{
    (void)state;
    double g[D] = {1, -2, 0.5, 0, 3, -1, 0.25}, zero[D] = {0};
    const double scale[3] = {0.8, 1, 1.25};
    for (int kind = ZO_GAUSSIAN; kind <= ZO_ORTHOGONAL; kind++) {
        directions r;
        tally left[3] = {{0}};
        assert_int_equal(directions_new(&r, kind, 3, D, NULL), 0);
        for (uint64_t k = 0; k < DRAWS; k++) {
            double a[3], h[D];
            directions_draw(&r, 4, FOR_DIRECTION, k);
            for (size_t s = 0; s < 3; s++) {
                for (size_t j = 0; j < 3; j++) a[j] = scale[s] * directions_dot(&r, j, g);
                vec_copy(D, zero, h);
                directions_correct(&r, a, 0, h);
                double off = vec_distance(D, h, g);
                count(&left[s], off * off);
            }
        }
        /* a theta off by a fifth loses about a twenty-fifth of what is gained */
        assert_true(mean(&left[1]) < mean(&left[0]) && mean(&left[1]) < mean(&left[2]));
        double gain = 1 - 1 / r.spread;
        assert_true(fabs(mean(&left[1]) / vec_dot(D, g, g) - gain) <=
                    error4(&left[1]) / vec_dot(D, g, g));
        directions_free(&r);
    }
}

static void normalized_memory_projects(void **state)
{
    (void)state;
    double g[D] = {1, -2, 0.5, 0, 3, -1, 0.25}, h[D] = {0.5, 0.5, 0, 0, 0, 1, 0};
    directions r;
    assert_int_equal(directions_new(&r, ZO_GAUSSIAN, 1, D, NULL), 0);
    for (uint64_t k = 0; k < 50; k++) { /* one direction: u'h = u'g afterwards */
        directions_draw(&r, 1, FOR_DIRECTION, k);
        double a = directions_dot(&r, 0, g);
        directions_beyond(&r, h, &a);
        directions_correct(&r, &a, 1, h);
        assert_true(fabs(directions_dot(&r, 0, h) - directions_dot(&r, 0, g)) < 1e-12);
    }
    assert_true(vec_distance(D, g, h) < 0.1);
    directions_free(&r);
}

static void rows_are_what_they_are_called(void **state)
{
    (void)state;
    directions r, s;
    assert_int_equal(directions_new(&r, ZO_ORTHOGONAL, D, D, NULL), 0);
    directions_draw(&r, 1, FOR_DIRECTION, 9);
    for (size_t j = 0; j < D; j++)
        for (size_t k = 0; k < D; k++) {
            double dot = vec_dot(D, r.row + j * D, r.row + k * D);
            assert_true(fabs(dot - (j == k ? D : 0)) < 1e-12);
        }
    directions_free(&r);
    assert_int_equal(directions_new(&r, ZO_AXIS, D, D, NULL), 0);
    directions_draw(&r, 1, FOR_DIRECTION, 9);
    int seen[D] = {0};
    for (size_t j = 0; j < D; j++) assert_int_equal(seen[r.axis[j]]++, 0);
    directions_free(&r);
    assert_int_equal(directions_pair(&r, &s, ZO_SPHERE, 2, D, NULL), 0);
    directions_draw(&r, 1, FOR_DIRECTION, 1);
    directions_draw(&s, 1, FOR_DIRECTION, 2);
    assert_ptr_equal(s.row, r.row + 2 * D);
    for (size_t j = 0; j < 2; j++) assert_true(fabs(directions_square(&s, j) - D) < 1e-12);
    directions_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spread_is_right),
        cmocka_unit_test(memory_step_is_least),
        cmocka_unit_test(normalized_memory_projects),
        cmocka_unit_test(rows_are_what_they_are_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
