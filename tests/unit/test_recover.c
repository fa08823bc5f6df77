/* Gradients recovered from a few differences: what is learnt, what is read, what is split, and that nothing wrong passes.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "recover/code.h"
#include "recover/split.h"

enum { GROUPS = 12, OPTIONS = 8, D = GROUPS * OPTIONS + 2, ROWS = 600 };
static const double radius = 1e-6;

/* Answers to GROUPS questions with OPTIONS each, and two measured numbers behind them. */
static void make_row(size_t i, double *row)
{
    memset(row, 0, D * sizeof *row);
    for (size_t g = 0; g < GROUPS; g++)
        row[g * OPTIONS + (size_t)(OPTIONS * rng_uniform(3, FOR_SYNTH, i, g))] = 1;
    row[D - 2] = rng_uniform(3, FOR_SYNTH, i, 98) - 0.5;
    row[D - 1] = rng_uniform(3, FOR_SYNTH, i, 99) - 0.5;
}

static double loss(double t) { return fmax(-t, 0) + log1p(exp(-fabs(t))); }

static double at(const double *row, size_t d, const double *x)
{
    double t = 0;
    for (size_t j = 0; j < d; j++) t += row[j] * x[j];
    return loss(t);
}

static size_t scaled_row(const void *ctx, size_t k, uint32_t *place, double *value)
{
    double row[D], scale = 0.1 + rng_uniform(4, FOR_SYNTH, k, 0);
    size_t count = 0;
    (void)ctx;
    make_row(k, row);
    for (size_t j = 0; j < D; j++)
        if (row[j] != 0) place[count] = (uint32_t)j, value[count++] = -scale * row[j];
    return count;
}

typedef struct scene {
    book book;
    book_room *room;
    code *code;
    splitter *splitter;
} scene;

static scene learn_from(book_row rows, double entries)
{
    scene s = {.book = {.d = D}};
    s.book.often = calloc(D, 8);
    s.book.group = calloc(D, 8);
    s.book.count = calloc(D, 8);
    s.book.value = calloc(D * BOOK_VALUES, 8);
    s.book.rows = calloc(2, 8);
    s.room = book_room_new(ROWS, D);
    s.code = code_new(D, 7);
    s.splitter = splitter_new(D, 7);
    double mean = book_learn(&s.book, s.room, ROWS, rows, NULL);
    assert_true(isnan(entries) || mean == entries);
    code_make(s.code, &s.book);
    splitter_order(s.splitter, s.book.often, *s.book.rows, NULL);
    return s;
}

static scene learn(void) { return learn_from(scaled_row, GROUPS + 2); }

static void forget(scene *s)
{
    free(s->book.often);
    free(s->book.group);
    free(s->book.count);
    free(s->book.value);
    free(s->book.rows);
    book_room_free(s->room);
    code_free(s->code);
    splitter_free(s->splitter);
}

static void the_unit_is_what_occurs_most_often(void **state)
{
    (void)state;
    double work[5];
    assert_true(book_unit(5, (double[]){2, -3, 2, 7, 2}, work) == 2);
    assert_true(book_unit(4, (double[]){2, -3, 2, -3}, work) == -3); /* the largest of these */
    assert_true(book_unit(3, (double[]){1, 2, 3}, work) == 0);       /* none */
    assert_true(book_unit(1, (double[]){4}, work) == 4);
}

/* Row `changed` alone is another one: longer, or only other numbers. */
typedef struct changing {
    size_t changed;
    int longer;
    size_t read; /* rows that were asked for */
} changing;

static size_t changing_row(const void *ctx, size_t k, uint32_t *place, double *value)
{
    changing *c = (changing *)ctx;
    size_t count = scaled_row(NULL, k, place, value);
    c->read++;
    if (k != c->changed) return count;
    if (c->longer) place[count] = 1, value[count++] = 0.3;
    value[0] *= 1.5;
    return count;
}

/* What is learnt of rows that are held is what is learnt of them at first sight. */
static void a_book_is_learnt_again_where_a_row_has_changed(void **state)
{
    (void)state;
    enum { MANY = BOOK_ENOUGH + 5, SOME = BOOK_ROWS + 20 };
    const changing seen[] = {
        {MANY, 0, 0}, {MANY, 0, 0},          {3, 0, 0},        {3, 0, 0}, {MANY, 0, 0},
        {9, 1, 0},    {BOOK_ROWS - 1, 1, 0}, {BOOK_ROWS, 0, 0}};
    scene s = learn(), fresh = learn();
    book_room_free(s.room);
    s.room = book_room_new(MANY, D);
    for (size_t k = 0; k < sizeof seen / sizeof *seen; k++) {
        changing c = seen[k], once = seen[k];
        book_room *room = book_room_new(MANY, D);
        book_hold(s.room, changing_row, &c);
        /* the first time nothing is known; then rows differ from those before, or do not */
        assert_int_equal(book_still(s.room, MANY), k == 1 || k == 3);
        book_learn_held(&s.book, s.room, k % 2 ? SOME : MANY);
        book_learn(&fresh.book, room, k % 2 ? SOME : MANY, changing_row, &once);
        assert_memory_equal(s.book.often, fresh.book.often, 8 * D);
        assert_memory_equal(s.book.group, fresh.book.group, 8 * D);
        assert_memory_equal(s.book.count, fresh.book.count, 8 * D);
        assert_memory_equal(s.book.value, fresh.book.value, 8 * D * BOOK_VALUES);
        assert_memory_equal(s.book.rows, fresh.book.rows, 16);
        assert_true(c.read <= BOOK_HELD);
        book_room_free(room);
    }
    forget(&s);
    forget(&fresh);
}

static void columns_that_exclude_each_other_are_a_group(void **state)
{
    (void)state;
    scene s = learn();
    assert_int_equal(s.code->groups, GROUPS);
    assert_int_equal(s.code->naxis, 2); /* those of any value */
    for (size_t j = 0; j < GROUPS * OPTIONS; j++) {
        size_t first = j / OPTIONS * OPTIONS;
        assert_true(s.book.group[j] == s.book.group[first]);
        assert_true(s.book.count[j] == 1 && fabs(s.book.value[j * BOOK_VALUES] - 1) < 1e-12);
    }
    forget(&s);
}

/* The differences that a code asks for, at x = 0.3. */
static double ask(const scene *s, const double *row, double *difference)
{
    double x[D], y[D], u[D];
    for (size_t j = 0; j < D; j++) x[j] = 0.3 * cos((double)j);
    double f = at(row, D, x);
    for (size_t k = 0; k < s->code->naxis + code_rows(s->code); k++) {
        memset(u, 0, sizeof u);
        if (k < s->code->naxis)
            u[s->code->axis[k]] = s->code->turned ? s->code->turned[s->code->axis[k]] : radius;
        else
            code_row(s->code, k - s->code->naxis, radius, u);
        for (size_t j = 0; j < D; j++) y[j] = x[j] + u[j];
        difference[k] = at(row, D, y) - f;
        if (k < s->code->naxis && u[s->code->axis[k]] < 0)
            difference[k] *= -1; /* as the fence does */
    }
    return f;
}

static double slope_of(const double *row)
{
    double t = 0;
    for (size_t j = 0; j < D; j++) t += row[j] * 0.3 * cos((double)j);
    return -1 / (1 + exp(t));
}

static void check_gradient(const recovered *g, const double *row)
{
    double s = slope_of(row), left[D];
    for (size_t j = 0; j < D; j++) left[j] = s * row[j];
    for (size_t k = 0; k < g->count; k++) left[g->place[k]] -= g->slope[k];
    for (size_t j = 0; j < D; j++)
        if (!(fabs(left[j]) < 2e-8)) fail_msg("coordinate %zu is off by %g", j, left[j]);
}

/* bend: how well f'' has to be known, of itself. */
static void read_rows(scene s, double bend)
{
    double row[D], difference[2 * D], slope[D];
    uint32_t place[D];
    recovered g = {.place = place, .slope = slope};
    assert_true(1 + s.code->naxis + code_rows(s.code) < D / 8);
    for (size_t i = ROWS; i < ROWS + 500; i++) {
        make_row(i, row);
        double f = ask(&s, row, difference);
        if (!code_read(s.code, f, radius, difference, &g)) fail_msg("row %zu is not read", i);
        check_gradient(&g, row);
        double h = slope_of(row);
        assert_true(fabs(g.bend - (1 + h) / -h) < bend * (1 + h) / -h); /* f''/f'^2 */
    }
    forget(&s);
}

static void a_tenth_of_the_differences_give_the_gradient(void **state)
{
    (void)state;
    read_rows(learn(), 1e-3);
}

/* Coordinates at their upper bounds are asked downwards, the last axis among them. */
static void directions_are_turned_where_bounds_say_so(void **state)
{
    double way[D], turned[D], row[D];
    scene s = learn();
    (void)state;
    for (size_t j = 0; j < D; j++) {
        way[j] = j % 3 ? 1 : -1;
        turned[j] = (j == D - 1 ? -1 : 1) * radius;
    }
    code_turn(s.code, way);
    code_make(s.code, &s.book);
    s.code->turned = turned;
    for (size_t k = 0; k < code_rows(s.code); k++) {
        code_row(s.code, k, 1, row);
        for (size_t j = 0; j < D; j++) assert_true(row[j] * way[j] >= 0);
    }
    read_rows(s, INFINITY); /* slopes of both signs cancel along the check */
}

/* Every column is 1, some -1, or 0 by itself, those in front most often; those before empty are 0. */
static void make_free_row(size_t i, size_t empty, double *row)
{
    for (size_t j = 0; j < D; j++) {
        int on = j >= empty && rng_uniform(8, FOR_SYNTH, i, j) < 0.5 - 0.004 * (double)j;
        row[j] = on ? (j % 7 ? 1 : -1) : 0;
    }
}

static size_t free_row(const void *ctx, size_t k, uint32_t *place, double *value)
{
    double row[D];
    size_t count = 0;
    (void)ctx;
    make_free_row(k, 0, row);
    for (size_t j = 0; j < D; j++)
        if (row[j] != 0) place[count] = (uint32_t)j, value[count++] = 0.7 * row[j];
    return count;
}

/* Where the words with few states are 0, one with thousands tells the unit; and a row that no state leads to is not read. */
static void an_anchor_may_have_many_states(void **state)
{
    (void)state;
    enum { EMPTY = 45, TRIED = 60 };
    scene s = learn_from(free_row, NAN);
    double row[D], difference[2 * D], slope[D];
    uint32_t place[D];
    size_t found = 0;
    recovered g = {.place = place, .slope = slope};
    assert_true(s.code->words > CODE_ANCHORS + 2 && s.code->word[CODE_ANCHORS + 1].entries > 8192);
    for (size_t i = ROWS; i < ROWS + TRIED; i++) {
        make_free_row(i, EMPTY, row);
        double f = ask(&s, row, difference);
        if (code_read(s.code, f, radius, difference, &g)) {
            check_gradient(&g, row);
            found++;
        }
        row[EMPTY + i % (D - EMPTY)] += 0.37;
        f = ask(&s, row, difference);
        assert_false(code_read(s.code, f, radius, difference, &g));
    }
    if (found < TRIED - 2) fail_msg("%zu of %d are read", found, TRIED);
    forget(&s);
}

/* Every sum is found by its step, and its cell is marked. */
static void sums_are_in_their_steps(void **state)
{
    (void)state;
    scene s = learn_from(free_row, NAN);
    for (size_t k = 0; k < s.code->words; k++) {
        const code_word *w = &s.code->word[k];
        const double *sum = s.code->sum + w->table;
        const code_step *step = s.code->step + w->stair;
        assert_true(sum[0] == w->low && sum[w->entries - 1] == w->high);
        for (size_t e = 0; e < w->entries; e++) {
            size_t cell = code_cell(w, sum[e]);
            assert_true(e == 0 || sum[e - 1] <= sum[e]);
            assert_true(step[cell / CODE_CELLS].first <= e &&
                        e < step[cell / CODE_CELLS + 1].first);
            assert_true(step[cell / CODE_CELLS].cells >> cell % CODE_CELLS & 1);
        }
    }
    forget(&s);
}

/* A row unlike those that were learnt from: two of one group, a value never seen, a column of any value that is 1. None is
 * read wrongly, and splitting finds what is left over with few questions. */
static void what_does_not_fit_is_split(void **state)
{
    (void)state;
    scene s = learn();
    double row[D], difference[2 * D], slope[D], u[D], x[D], y[D], questions = 0;
    uint32_t place[D];
    recovered g = {.place = place, .slope = slope};
    split_case *c = malloc(8 * split_width(s.splitter));
    for (size_t j = 0; j < D; j++) x[j] = 0.3 * cos((double)j);
    for (size_t i = ROWS; i < ROWS + 300; i++) {
        make_row(i, row);
        row[i % 16] += i % 3 ? 1 : 0.37;
        double f = ask(&s, row, difference);
        assert_false(code_read(s.code, f, radius, difference, &g));
        split_begin(c, s.splitter, &g);
        while (c->status == SPLIT_ASKS) {
            memset(u, 0, sizeof u);
            split_row(c, s.splitter, radius, u);
            for (size_t j = 0; j < D; j++) y[j] = x[j] + u[j];
            split_tell(c, s.splitter, radius, at(row, D, y) - f, D);
        }
        assert_true(c->status == SPLIT_DONE);
        g.count = (size_t)c->count;
        for (size_t k = 0; k < g.count; k++) {
            g.place[k] = (uint32_t)c->list[k];
            g.slope[k] = split_slope(c, s.splitter)[k];
        }
        check_gradient(&g, row);
        questions += c->asked;
    }
    if (!(questions < 300 * 0.25 * D)) fail_msg("%g questions a row", questions / 300);
    free(c);
    forget(&s);
}

/* Few entries among many coordinates, any values, nothing known: about two questions an entry. */
static void splitting_alone(void **state)
{
    (void)state;
    enum { WIDE = 5000, ENTRIES = 15 };
    splitter *s = splitter_new(WIDE, 9);
    double *often = calloc(WIDE, 8), *g = calloc(WIDE, 8), *u = calloc(WIDE, 8), asked = 0;
    split_case *c = malloc(8 * split_width(s));
    splitter_order(s, often, 1, NULL);
    for (size_t i = 0; i < 100; i++) {
        memset(g, 0, WIDE * 8);
        for (size_t k = 0; k < ENTRIES; k++)
            g[(size_t)(WIDE * rng_uniform(5, FOR_SYNTH, i, k))] =
                rng_uniform(6, FOR_SYNTH, i, k) - 0.5;
        split_begin(c, s, &(recovered){.floor = 1e-10, .whole = NAN});
        while (c->status == SPLIT_ASKS) {
            double sum = 0, nodes = c->nodes;
            c->nodes =
                0; /* a question about a half of nothing cannot be gone on with; a check can */
            assert_int_equal(split_sane(c, s), c->weights >= 2);
            c->nodes = nodes;
            assert_true(split_sane(c, s));
            split_clear(s, 0, WIDE, u);
            split_row(c, s, 1, u);
            for (size_t j = 0; j < WIDE; j++) sum += u[j] * g[j];
            split_tell(c, s, 1, sum, WIDE);
        }
        assert_true(c->status == SPLIT_DONE);
        for (size_t k = 0; k < (size_t)c->count; k++) g[(size_t)c->list[k]] -= split_slope(c, s)[k];
        for (size_t j = 0; j < WIDE; j++) assert_true(fabs(g[j]) < 1e-6);
        asked += c->asked;
    }
    if (!(asked < 100 * 8 * ENTRIES)) fail_msg("%g questions for %d entries", asked / 100, ENTRIES);
    free(often);
    free(g);
    free(u);
    free(c);
    splitter_free(s);
}

static size_t latent_row(const void *ctx, size_t k, uint32_t *place, double *value)
{
    const size_t *rank = ctx;
    for (size_t j = 0; j < D; j++) {
        place[j] = (uint32_t)j;
        value[j] = 0;
        for (size_t e = 0; e < *rank; e++)
            value[j] += (rng_uniform(7, FOR_SYNTH, k, e) - 0.5) *
                        (rng_uniform(7, FOR_SYNTH, ROWS + e, j) - 0.5);
    }
    return D;
}

/* Orthonormal, of as many rows as the span has; none where it has too many. */
static void a_span_of_few_dimensions_is_found(void **state)
{
    (void)state;
    enum { COUNT = 64 };
    uint32_t place[D];
    double *work = calloc((COUNT + 1) * D, 8), rank[2];
    basis b = {.d = D, .rank = rank, .row = calloc(BASIS_MOST * D, 8)};
    for (size_t want = 1; want <= 40; want += 13) {
        size_t found = basis_learn(&b, 30, COUNT, latent_row, &want, work, place);
        assert_int_equal(found, want <= 30 ? want : 0);
        for (size_t k = 0; k < found * found; k++) {
            double dot = 0;
            for (size_t j = 0; j < D; j++)
                dot += b.row[k / found * D + j] * b.row[k % found * D + j];
            assert_true(fabs(dot - (k / found == k % found)) < 1e-9);
        }
    }
    free(work);
    free(b.row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_unit_is_what_occurs_most_often),
        cmocka_unit_test(a_book_is_learnt_again_where_a_row_has_changed),
        cmocka_unit_test(columns_that_exclude_each_other_are_a_group),
        cmocka_unit_test(a_tenth_of_the_differences_give_the_gradient),
        cmocka_unit_test(directions_are_turned_where_bounds_say_so),
        cmocka_unit_test(an_anchor_may_have_many_states),
        cmocka_unit_test(sums_are_in_their_steps),
        cmocka_unit_test(what_does_not_fit_is_split),
        cmocka_unit_test(splitting_alone),
        cmocka_unit_test(a_span_of_few_dimensions_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
