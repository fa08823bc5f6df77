/* psi from text and from structs: what is understood, what is refused and in which words, what is owned; the
 * fingerprint; the table in docs/proxes.md.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* mkstemp */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/mem.h"
#include "oom.h"
#include "own_prox.h"
#include "prox/prox.h"

enum { D = 20 };

static char weights_file[64], bounds_file[64]; /* D lines each */
static char rows_file[64];                     /* a row of D + 1 numbers */

static void write_file(char *path, const char *line, int lines)
{
    strcpy(path, "/tmp/zoprox-test-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    for (int k = 0; k < lines; k++) fprintf(file, "%s\n", line);
    fclose(file);
}

static int set_up(void **state)
{
    (void)state;
    write_file(weights_file, "0.5", D);
    write_file(bounds_file, "-1 \t2.5", D);
    write_file(rows_file, "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 2", 1);
    return 0;
}

/* A file with this text, of which NULL is the end. */
static const char *file_of(const char *text)
{
    static char path[64];
    strcpy(path, "/tmp/zoprox-test-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    return path;
}

/* Rows of a file, or what is wrong with them. */
static void rows_from_a_file(void **state)
{
    (void)state;
    static const struct {
        const char *spec, *text, *word; /* with bounds too; word NULL: it is fine */
        zo_status status;
    } t[] = {{"polyhedron:%s", "1 2 3\n-1,0,0.5\r\n\n0\t1\t2\n", NULL, ZO_OK},
             {"affine:%s", "1 1 1", NULL, ZO_OK},
             {"polyhedron:%s box:0,1", "-1 -1 -1.5\n", NULL, ZO_OK},
             {"affine:%s nonnegative", "1 1 1\n", NULL, ZO_OK},
             {"polyhedron:%s", "1 2\n", "line 1: has 2 numbers, must have 3", ZO_BAD_INPUT},
             {"polyhedron:%s", "1 2 3 4\n", "line 1: \"4\" is not expected", ZO_BAD_INPUT},
             {"affine:%s", "1 2 3\n1 x 3\n", "line 2: \"x\" is not a number", ZO_BAD_INPUT},
             {"affine:%s", "\n\n", "has no rows", ZO_BAD_INPUT},
             {"affine:%s", "1 2 inf\n", "row 1 has a number that is not finite", ZO_BAD_ARGUMENT},
             {"affine:%s", "1 2 3\n2 4 7\n", "the set is empty", ZO_BAD_ARGUMENT},
             {"polyhedron:%s", "1 0 -1\n-1 0 -1\n", "the set is empty", ZO_BAD_ARGUMENT},
             {"polyhedron:%s", "0 0 -1\n", "the set is empty", ZO_BAD_ARGUMENT},
             {"polyhedron:%s box:0,1", "1 1 -1\n", "no x meets all of its rows and bounds",
              ZO_BAD_ARGUMENT},
             {"affine:%s l1:1", "1 1 1\n", "cannot be added", ZO_BAD_ARGUMENT}};
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        char spec[128];
        const char *path = file_of(t[k].text);
        snprintf(spec, sizeof spec, t[k].spec, path);
        zo_prox psi;
        zo_error e;
        zo_status status = zo_prox_parse(&psi, spec, 2, &e);
        if (status != t[k].status || (t[k].word && !strstr(e.text, t[k].word)))
            fail_msg("%s: status %d, '%s'", t[k].text, status, e.text);
        double x[2] = {3, -2}, *work = mem_new(prox_work(&psi, 2) + 1, sizeof *work);
        prox_apply(&psi, 2, 1, x, x, work);
        assert_true(status || prox_value(&psi, 2, x) == 0);
        mem_free(work);
        zo_prox_free(&psi);
        remove(path);
    }
    zo_prox psi;
    zo_error e;
    assert_int_equal(zo_prox_parse(&psi, "affine:/nowhere", 2, &e), ZO_IO);
    double lo[2], hi[2], a[] = {-2, 0, 0, 4, 1, 1}, b[] = {1, 2, 9};
    psi = zo_polyhedron(a, b, 3); /* a row with one coefficient is a bound */
    assert_true(prox_bounds(&psi, 2, lo, hi) && lo[0] == -0.5 && hi[1] == 0.5 && isinf(hi[0]));
    psi = zo_affine(a, b, 2);
    assert_true(prox_bounds(&psi, 2, lo, hi) && lo[0] == -0.5 && hi[0] == -0.5 && lo[1] == 0.5);
    a[5] = 2; /* the fingerprint sees all of it */
    uint64_t hash = prox_hash(&(zo_prox){.name = "affine", .lo = a, .hi = b, .rows = 3}, 2);
    a[5] = 3;
    assert_true(hash != prox_hash(&(zo_prox){.name = "affine", .lo = a, .hi = b, .rows = 3}, 2));
}

static int tear_down(void **state)
{
    (void)state;
    remove(weights_file);
    remove(bounds_file);
    remove(rows_file);
    return 0;
}

static void check_equal(const char *spec, const zo_prox *got, const zo_prox *expected)
{
    if (prox_hash(got, D) != prox_hash(expected, D)) fail_msg("%s: not what it says", spec);
    if (got->apply != expected->apply || got->one != expected->one)
        fail_msg("%s: other functions", spec);
}

static void understood(void **state)
{
    (void)state;
    zo_block two[] = {{0, 10, zo_box(-1, 1)}, {10, 20, zo_l2(0.5)}};
    zo_block tail = {12, 20, zo_simplex(1)}, head = {0, 3, zo_l1(2)},
             all[] = {{0, 5, zo_zero()}, {5, 20, zo_l1(1)}};
    struct {
        const char *spec;
        zo_prox psi;
    } t[] = {{"zero", zo_zero()},
             {"l1:1e-4", zo_l1(1e-4)},
             {"l2:0.5", zo_l2(0.5)},
             {"squared-l2:3", zo_squared_l2(3)},
             {"elastic-net:1e-3,1e-2", zo_elastic_net(1e-3, 1e-2)},
             {"nonnegative", zo_nonnegative()},
             {"box:-inf,1", zo_box(-INFINITY, 1)},
             {"l1-ball:3", zo_l1_ball(3)},
             {"l2-ball:3", zo_l2_ball(3)},
             {"simplex", zo_simplex(1)},
             {"simplex:2", zo_simplex(2)},
             {"linf:0.25", zo_linf(0.25)},
             {"group-lasso:0.1,5", zo_group_lasso(0.1, 5)},
             {"group-lasso:0.1,7", zo_group_lasso(0.1, 7)},
             {"sparse-group-lasso:0.1,0.2,5", zo_sparse_group_lasso(0.1, 0.2, 5)},
             {"tv:0.5", zo_total_variation(0.5)},
             {"nuclear:0.1,4x5", zo_nuclear(0.1, 4, 5)},
             {"box:-1,1@0:10 l2:0.5@10:20", zo_blocks(two, 2)},
             {"  box:-1,1@:10\t\n l2:0.5@10:  ", zo_blocks(two, 2)},
             {"simplex@12:", zo_blocks(&tail, 1)},
             {"l1:2@:3", zo_blocks(&head, 1)},
             {"l1:2@0:20", zo_l1(2)},
             {"l1:2@:", zo_l1(2)},
             {"zero@:5 l1:1@5:", zo_blocks(all, 2)}};
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        zo_prox psi;
        zo_error err;
        if (zo_prox_parse(&psi, t[k].spec, D, &err)) fail_msg("%s: %s", t[k].spec, err.text);
        assert_string_equal(err.text, "");
        check_equal(t[k].spec, &psi, &t[k].psi);
        assert_int_equal(zo_prox_check(&psi, D, &err), ZO_OK);
        zo_prox_free(&psi);
        assert_true(!psi.apply && !psi.ctx);
    }
    assert_int_equal(living, 0);
}

static void files(void **state)
{
    (void)state;
    char spec[200];
    double w[D], lo[D], hi[D];
    for (size_t j = 0; j < D; j++) {
        w[j] = 0.5;
        lo[j] = -1;
        hi[j] = 2.5;
    }
    zo_prox psi, weighted = zo_weighted_l1(0.1, w), bounds = zo_bounds(lo, hi);
    zo_error err;
    snprintf(spec, sizeof spec, "weighted-l1:0.1,%s", weights_file);
    assert_int_equal(zo_prox_parse(&psi, spec, D, &err), ZO_OK);
    check_equal(spec, &psi, &weighted);
    zo_prox_free(&psi);
    snprintf(spec, sizeof spec, "bounds:%s", bounds_file);
    assert_int_equal(zo_prox_parse(&psi, spec, D, &err), ZO_OK);
    check_equal(spec, &psi, &bounds);
    zo_prox_free(&psi);
    assert_int_equal(living, 0);
}

static void check_refused(const char *spec, zo_status status, const char *words)
{
    zo_prox psi;
    zo_error err;
    zo_status got = zo_prox_parse(&psi, spec, D, &err);
    if (got != status || err.status != status)
        fail_msg("\"%s\": status %d, \"%s\"", spec, (int)got, err.text);
    if (!strstr(err.text, words))
        fail_msg("\"%s\": \"%s\" does not say \"%s\"", spec, err.text, words);
    assert_true(!psi.apply && !psi.ctx && !psi.part);
    assert_int_equal(zo_prox_parse(&psi, spec, D, NULL), status); /* err may be NULL */
    if (living) fail_msg("\"%s\": leaks", spec);
}

static void refused(void **state)
{
    (void)state;
    static const char *const t[][2] = {
        {"", "names nothing, \"zero\" means no regulariser"},
        {" \t ", "names nothing"},
        {"ll:1", "prox \"ll:1\": name \"ll\" is unknown, the nearest is l1"},
        {"elasticnet:1,2", "the nearest is elastic-net"},
        {"blocks", "name \"blocks\" is unknown"},
        {"qqqqqqqqqqqq", "zoprox proxes lists them"},
        {":1", "name \"\" is unknown"},
        {"L1:1", "the nearest is l1"},
        {"l1", "prox \"l1\": has too few arguments, must be l1:A"},
        {"l1:", "A \"\" must be a number"},
        {"l1:x", "prox \"l1:x\": A \"x\" must be a number"},
        {"l1:1x", "A \"1x\" must be a number"},
        {"l1:1,2", "has too many arguments, must be l1:A"},
        {"zero:1", "has too many arguments, must be zero"},
        {"elastic-net:1", "has too few arguments, must be elastic-net:A,B"},
        {"elastic-net:1,", "B \"\" must be a number"},
        {"simplex:1,2", "has too many arguments, must be simplex:[R]"},
        {"l1:-1", "prox \"l1:-1\": A is -1, must be a finite number of at least 0"},
        {"l1:nan", "A is nan, must be"},
        {"l1:inf", "A is inf, must be"},
        {"l1:1e999", "A \"1e999\" must be a number"},
        {"elastic-net:1,-2", "B is -2"},
        {"l2-ball:-3", "R is -3"},
        {"box:2,1", "LO is 2 and HI is 1, must be LO <= HI"},
        {"box:nan,1", "LO is nan"},
        {"box:inf,inf", "LO is inf"},
        {"box:-inf,-inf", "HI is -inf"},
        {"group-lasso:1,0", "SIZE is 0, must be within 1 and the 20 coordinates"},
        {"group-lasso:1,21", "SIZE is 21"},
        {"group-lasso:1,2.5", "SIZE \"2.5\" must be a whole number"},
        {"group-lasso:1,-2", "SIZE \"-2\" must be a whole number"},
        {"sparse-group-lasso:1,-1,2", "B is -1"},
        {"nuclear:1,4x6", "ROWSxCOLS is 4x6, must have as many entries as coordinates, 20"},
        {"nuclear:1,0x0", "ROWSxCOLS is 0x0"},
        {"nuclear:1,4", "ROWSxCOLS \"4\" must be two whole numbers, as in 20x30"},
        {"nuclear:1,4xx5", "ROWSxCOLS \"4xx5\" must be"},
        {"nuclear:1,4x5@0:10", "as many entries as coordinates, 10"},
        {"nuclear:1,2147483648x8589934592",
         "must have as many entries"}, /* the product is 0 modulo 2^64 */
        {"l1:1@0:21", "range \"0:21\" must have FROM < TO within 0:20"},
        {"l1:1@5:5", "range \"5:5\" must have FROM < TO"},
        {"l1:1@7:5", "range \"7:5\" must have FROM < TO"},
        {"l1:1@20:", "range \"20:\" must have FROM < TO"},
        {"l1:1@5", "range \"5\" must be FROM:TO"},
        {"l1:1@", "range \"\" must be FROM:TO"},
        {"l1:1@a:b", "range \"a:b\" must be FROM:TO, two whole numbers"},
        {"l1:1@-1:3", "range \"-1:3\" must be"},
        {"l1:1@0:99999999999999999999", "must be FROM:TO, two whole numbers"},
        {"l1:1 l2:1", "l2 cannot be added to others on the same coordinates"},
        {"l1:1@10:20 simplex l2:1@0:5",
         "prox \"simplex\": its coordinates 0:20 overlap those of l1, 10:20"},
        {"l1:1@0:10 l2:1@9:20", "its coordinates 9:20 overlap those of l1, 0:10"},
        {"l1:1@0:10 l2:-1@10:20", "prox \"l2:-1@10:20\": A is -1"},
    };
    for (size_t k = 0; k < sizeof t / sizeof *t; k++)
        check_refused(t[k][0], ZO_BAD_ARGUMENT, t[k][1]);
    assert_int_equal(zo_prox_parse(NULL, "l1:1", D, NULL), ZO_BAD_ARGUMENT);
    zo_prox psi;
    assert_int_equal(zo_prox_parse(&psi, NULL, D, NULL), ZO_BAD_ARGUMENT);
}

static void refused_file(const char *spec, const char *line, int lines, const char *words)
{
    char path[64], full[200];
    write_file(path, line, lines);
    snprintf(full, sizeof full, spec, path);
    int value = words[0] == '!'; /* the file is well formed, a number in it is not allowed */
    check_refused(full, value ? ZO_BAD_ARGUMENT : ZO_BAD_INPUT, words + value);
    remove(path);
}

static void refused_files(void **state)
{
    (void)state;
    check_refused("weighted-l1:1,/no/such/file", ZO_IO,
                  "/no/such/file\" cannot be opened: No such file");
    check_refused("bounds:/", ZO_IO, "/: cannot be");
    refused_file("weighted-l1:1,%s", "1", D - 1,
                 "has 19 lines, must have one for each of the 20 coordinates");
    refused_file("weighted-l1:1,%s", "1", 0, "has 0 lines");
    refused_file("weighted-l1:1,%s", "1", D + 1, "line 21: \"1\" is not expected");
    refused_file("weighted-l1:1,%s", "", D, "line 1: \"\" is not a number");
    refused_file("weighted-l1:1,%s", "one", D, "line 1: \"one\" is not a number");
    refused_file("weighted-l1:1,%s", "1 2", D,
                 "line 1: \"2\" is more than the 1 number(s) of a line");
    refused_file("weighted-l1:1,%s", "-1", D, "!w[0] is -1, must be");
    refused_file("weighted-l1:1,%s", "nan", D, "!w[0] is nan, must be");
    refused_file("weighted-l1:1,%s@:10 l1:1@10:", "1", D, "line 11: \"1\" is not expected");
    refused_file("bounds:%s", "1", D, "line 1: \"\" is not a number");
    refused_file("bounds:%s", "2 1", D, "!lo[0] is 2 and hi[0] is 1, must be lo <= hi");
    char wide[700];
    memset(wide, '1', sizeof wide - 1);
    wide[sizeof wide - 1] = 0;
    refused_file("weighted-l1:1,%s", wide, D, "line 1: is too long for numbers");
}

static void check_struct(const zo_prox *psi, zo_status status, const char *words)
{
    zo_error err;
    zo_status got = zo_prox_check(psi, D, &err);
    if (got != status || !strstr(err.text, words))
        fail_msg("%d, \"%s\" where \"%s\" was expected", (int)got, err.text, words);
}

static void structs(void **state)
{
    (void)state;
    double w[D] = {0}, lo[D] = {0}, hi[D] = {0};
    zo_prox t[20];
    zo_block part[] = {{0, 5, zo_l1(1)}, {4, 20, zo_l2(1)}}, deep[] = {{3, 8, zo_l1(-2)}},
             out[] = {{3, 21, zo_zero()}};
    zo_block separable[] = {{0, 5, zo_l1(1)}, {5, 20, zo_zero()}};
    check_struct(NULL, ZO_BAD_ARGUMENT, "psi: is NULL");
    check_struct(&(zo_prox){0}, ZO_OK, "");
    check_struct(&(zo_prox){.value = own_value, .apply = own_apply}, ZO_OK, "");
    check_struct(&(zo_prox){.name = "l1", .value = own_value, .apply = own_apply, .a = -1}, ZO_OK,
                 "");
    check_struct(&(zo_prox){.name = "mine", .value = own_value}, ZO_BAD_ARGUMENT,
                 "psi (mine): apply is NULL");
    check_struct(&(zo_prox){.name = "mine", .apply = own_apply}, ZO_BAD_ARGUMENT,
                 "psi (mine): value is NULL");
    check_struct(&(zo_prox){.name = "mine"}, ZO_BAD_ARGUMENT, "value is NULL");
    t[0] = zo_l1(-1);
    check_struct(&t[0], ZO_BAD_ARGUMENT, "psi (l1): A is -1");
    t[1] = zo_weighted_l1(1, NULL);
    check_struct(&t[1], ZO_BAD_ARGUMENT, "w is NULL, must be an array of 20 numbers");
    w[7] = -3;
    t[2] = zo_weighted_l1(1, w);
    check_struct(&t[2], ZO_BAD_ARGUMENT, "w[7] is -3");
    t[3] = zo_bounds(lo, NULL);
    check_struct(&t[3], ZO_BAD_ARGUMENT, "hi is NULL");
    hi[3] = NAN;
    t[4] = zo_bounds(lo, hi);
    check_struct(&t[4], ZO_BAD_ARGUMENT, "lo[3] is 0 and hi[3] is nan");
    t[5] = zo_blocks(part, 2);
    check_struct(&t[5], ZO_BAD_ARGUMENT,
                 "part 1, 4:20, overlaps part 0, 0:5; they must be disjoint");
    t[6] = zo_blocks(deep, 1);
    check_struct(&t[6], ZO_BAD_ARGUMENT, "psi (blocks), part 0 (l1): A is -2");
    t[7] = zo_blocks(out, 1);
    check_struct(&t[7], ZO_BAD_ARGUMENT, "part 0 is 3:21, must be a range within 0:20");
    t[8] = zo_blocks(NULL, 2);
    check_struct(&t[8], ZO_BAD_ARGUMENT, "part is NULL");
    t[9] = zo_blocks(NULL, 0);
    check_struct(&t[9], ZO_OK, "");
    t[10] = zo_blocks(separable, 2);
    check_struct(&t[10], ZO_OK, "");
    assert_true(prox_separable(&t[10]));
    separable[1].psi = zo_l2(1);
    check_struct(&t[10], ZO_BAD_ARGUMENT, "was changed after zo_blocks");
    t[11] = zo_nuclear(1, SIZE_MAX / 2 + 1, 2);
    check_struct(&t[11], ZO_BAD_ARGUMENT, "must have as many entries");
    zo_error err;
    t[12] = zo_nuclear(1, 20000, 20000);
    assert_int_equal(zo_prox_check(&t[12], 400000000, &err), ZO_OK);
}

/* Freeing what was not parsed leaves the caller's arrays and ctx alone. */
static void free_leaves_what_is_borrowed(void **state)
{
    (void)state;
    double *mine = mem_new(D, sizeof *mine);
    zo_prox weighted = zo_weighted_l1(1, mine),
            own = {.value = own_value, .apply = own_apply, .ctx = mine};
    zo_block part = {0, 5, weighted};
    zo_prox blocks = zo_blocks(&part, 1);
    zo_prox_free(&weighted);
    zo_prox_free(&own);
    zo_prox_free(&blocks);
    zo_prox_free(NULL);
    assert_int_equal(living, 1);
    mem_free(mine);
}

static zo_status parse_and_free(const void *spec, zo_error *err)
{
    zo_prox psi;
    zo_status status = zo_prox_parse(&psi, spec, 80, err);
    zo_prox_free(&psi);
    return status;
}

static void each_allocation_fails(void **state)
{
    (void)state;
    char spec[300];
    snprintf(spec, sizeof spec,
             "weighted-l1:1,%s@:20 bounds:%s@20:40 nuclear:1,4x5@40:60 l1:1@60:", weights_file,
             bounds_file);
    fail_each(parse_and_free, spec, "zo_prox_parse");
    assert_int_equal(made, 4); /* blocks, a copy of the text, two files */
}

/* It has no scratch of its own, and no other way to say that memory is out. */
static void nuclear_value_without_memory(void **state)
{
    (void)state;
    static const double x[] = {1, 2, 3, 4};
    zo_prox nuclear = zo_nuclear(1, 2, 2);
    made = 0;
    fails_at = 1;
    assert_true(isnan(prox_value(&nuclear, 4, x)));
    fails_at = 0;
    assert_true(isfinite(prox_value(&nuclear, 4, x)));
    assert_int_equal(living, 0);
}

/* Whatever shapes the map changes the fingerprint; where it lies in memory does not. */
static void fingerprints(void **state)
{
    (void)state;
    double w[D] = {0}, copy[D] = {0}, other[D] = {0};
    other[D - 1] = 1;
    zo_block one[] = {{0, 5, zo_l1(1)}}, moved[] = {{0, 6, zo_l1(1)}}, inner[] = {{0, 5, zo_l1(2)}};
    zo_prox t[] = {zo_zero(),
                   zo_l1(1),
                   zo_l1(2),
                   zo_l2(1),
                   zo_elastic_net(1, 2),
                   zo_elastic_net(2, 1),
                   zo_weighted_l1(1, w),
                   zo_weighted_l1(1, other),
                   zo_bounds(w, other),
                   zo_bounds(w, w),
                   zo_nuclear(1, 4, 5),
                   zo_nuclear(1, 5, 4),
                   zo_group_lasso(1, 5),
                   zo_blocks(one, 1),
                   zo_blocks(moved, 1),
                   zo_blocks(inner, 1),
                   zo_box(0, INFINITY),
                   zo_nonnegative()};
    for (size_t k = 0; k < sizeof t / sizeof *t; k++)
        for (size_t e = 0; e < k; e++)
            if (prox_hash(&t[k], D) == prox_hash(&t[e], D)) fail_msg("%zu and %zu", k, e);
    zo_prox zeroed = {0}, same = zo_weighted_l1(1, copy);
    assert_true(prox_hash(&zeroed, D) == prox_hash(&t[0], D));
    assert_true(prox_hash(&same, D) == prox_hash(&t[6], D));
}

/* Every row's name is understood with its arguments, and gives the family of that name. */
static void rows_are_names(void **state)
{
    (void)state;
    size_t count;
    const zo_prox_row *rows = zo_prox_rows(&count);
    assert_int_equal(count, 19);
    for (size_t k = 0; k < count; k++) {
        char spec[200];
        const char *file = strcmp(rows[k].name, "bounds") ? weights_file : bounds_file;
        if (strchr(rows[k].formula, '=') && strchr(rows[k].formula, 'A')) file = rows_file;
        int length = snprintf(spec, sizeof spec, "%s", rows[k].name);
        const char *rest = rows[k].arguments;
        for (char sign = ':'; *rest && *rest != '['; sign = ',') {
            size_t word = strcspn(rest, ",");
            const char *text = !strncmp(rest, "FILE", 4)   ? file
                               : !strncmp(rest, "ROWS", 4) ? "4x5"
                                                           : "2";
            length += snprintf(spec + length, sizeof spec - (size_t)length, "%c%s", sign, text);
            rest += word + (rest[word] != 0);
        }
        zo_prox psi;
        zo_error err;
        if (zo_prox_parse(&psi, spec, D, &err)) fail_msg("%s", err.text);
        assert_string_equal(psi.name, rows[k].name);
        assert_true(rows[k].formula[0] && rows[k].help[0] && rows[k].prox[0]);
        zo_prox_free(&psi);
    }
}

/* The page holds the table exactly as prox_markdown gives it. */
static void page_is_the_table(void **state)
{
    (void)state;
    static char page[1 << 16], table[1 << 14];
    FILE *file = fopen(ZO_SOURCE_DIR "/docs/proxes.md", "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = 0;
    fclose(file);
    char line[1024];
    size_t k = 0, length = 0;
    for (; prox_markdown(k, line, sizeof line); k++)
        length += (size_t)snprintf(table + length, sizeof table - length, "%s\n", line);
    assert_int_equal(k, 2 + 19);
    assert_int_equal(prox_markdown(2, line, 10), 0);
    if (!strstr(page, table)) fail_msg("docs/proxes.md must hold this table:\n%s", table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_from_a_file),
        cmocka_unit_test(understood),
        cmocka_unit_test(files),
        cmocka_unit_test(refused),
        cmocka_unit_test(refused_files),
        cmocka_unit_test(structs),
        cmocka_unit_test(free_leaves_what_is_borrowed),
        cmocka_unit_test(each_allocation_fails),
        cmocka_unit_test(nuclear_value_without_memory),
        cmocka_unit_test(fingerprints),
        cmocka_unit_test(rows_are_names),
        cmocka_unit_test(page_is_the_table),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
