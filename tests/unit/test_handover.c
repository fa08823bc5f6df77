/* A method that ends with another that goes on from here: one run, whoever asks and wherever it is cut.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "runs.h"

#include "rank_threads.h"
#include "record.h"
#include "solve/solver.h"

#define FILE_NAME "test_handover.checkpoint"

/* ---- Two toys: gradient steps with a step that is too short, then with the curvature the first has seen ---- */

typedef struct walk {
    method base;
    double *matrix;
    double bend; /* 1/step (state) */
    uint64_t passes;
} walk;

enum { PASSES = 3, KEPT = 2 };
static const double noise = 1e-9, unit = 2.5, height = 7;

static zo_status walk_open(method *m, zo_error *err)
{
    walk *w = (walk *)m;
    (void)err;
    w->bend = 50;
    state_number(m, "bend", &w->bend);
    state_count(m, "passes", &w->passes, MOST_COUNTED);
    w->matrix = state_numbers(m, "matrix", m->d * m->d);
    return w->matrix ? ZO_OK : ZO_NO_MEMORY;
}

static int walk_ask(method *m, zo_fan *fan)
{
    fan->naxis = m->d;
    return 1;
}

static void step_down(walk *w, const double *answers)
{
    double g[FAULTY_D];
    read_slopes(&w->base.fan, answers, 0, 0, w->base.d, g);
    method_move(&w->base, 1 / w->bend, g);
    w->passes++;
}

static void walk_tell(method *m, const double *answers)
{
    walk *w = (walk *)m;
    step_down(w, answers);
    m->height = height;
    if (w->passes < PASSES) return;
    for (size_t j = 0; j < m->d; j++) w->matrix[j * m->d + j] = 4;
    handover *next = method_hand_over(m, "second", "it is time");
    next->noise = noise;
    next->unit = unit;
    next->value = answers[0];
    next->curvature = w->matrix;
}

static void second_tell(method *m, const double *answers) { step_down((walk *)m, answers); }

static void second_know(method *m, const handover *known)
{
    walk *w = (walk *)m;
    assert_true(known->noise == noise && known->unit == unit && isfinite(known->value));
    assert_true(m->set.noise == noise && m->step == PASSES && m->height == height);
    if (known->curvature) w->bend = known->curvature[0];
}

static const method_row first_row = {.info = {"first", "", "", "", ""},
                                     .size = sizeof(walk),
                                     .open = walk_open,
                                     .ask = walk_ask,
                                     .tell = walk_tell},
                        second_row = {.info = {"second", "", "", "", ""},
                                      .size = sizeof(walk),
                                      .open = walk_open,
                                      .ask = walk_ask,
                                      .tell = second_tell,
                                      .know = second_know};

const method_row *__real_method_find(const char *name);
const method_row *__wrap_method_find(const char *name);
const method_row *__wrap_method_find(const char *name)
{
    if (!strcmp(name, "first")) return &first_row;
    return !strcmp(name, "second") ? &second_row : __real_method_find(name);
}

/* ---- What holds ---------------------------------------------------------------------------------------- */

static void the_report_says_who_went_on(void **state)
{
    (void)state;
    zo_problem p;
    faulty *t = faulty_new(&p);
    zo_settings s = settings_of("first");
    zo_solver *solver = solver_of(&p, &s);
    zo_report r = run_units(solver, 8);
    assert_string_equal(r.method, "second");
    assert_int_equal(r.steps, r.queries / (FAULTY_N * (FAULTY_D + 1)));
    assert_non_null(strstr(r.chosen, "first; then second after "));
    assert_non_null(strstr(r.chosen, "units: it is time"));
    assert_true(((walk *)solver->method)->bend == 4 && r.settings.noise == noise);
    zo_free(solver);
    free(t);
}

/* Cut after every row, before, at and behind the hand-over. */
static void cut_anywhere_it_is_the_same_run(void **state)
{
    (void)state;
    zo_problem p;
    faulty *t = faulty_new(&p);
    static trace whole, part, joined;
    zo_settings s = settings_of("first");
    double x[FAULTY_D], y[FAULTY_D];
    straight(&p, &s, 10, &whole, x);
    zo_report r = {.reason = ZO_AT_REQUEST};
    zo_error e;
    for (int leg = 0; leg < 40 && r.reason == ZO_AT_REQUEST; leg++) {
        zo_solver *solver = begin(&p, &s);
        must(leg ? zo_load(solver, FILE_NAME, &e) : zo_start(solver, NULL, &e), &e);
        zo_control c = budget(10, &part);
        part.stop_after = KEPT;
        c.checkpoint = FILE_NAME;
        r = run_to(solver, &c);
        memcpy(y, zo_last(solver), sizeof y);
        for (size_t k = 0; k < part.count; k++)
            if (part.row[k].queries <= r.row_queries || r.reason != ZO_AT_REQUEST)
                joined.row[joined.count++] = part.row[k];
        zo_free(solver);
    }
    remove(FILE_NAME);
    assert_memory_equal(x, y, sizeof x);
    assert_int_equal(whole.count, joined.count);
    assert_memory_equal(whole.row, joined.row, whole.count * sizeof whole.row[0]);
    assert_string_equal(r.method, "second");
    free(t);
}

static void ask_and_tell_go_the_same_way(void **state)
{
    (void)state;
    zo_problem p;
    faulty *t = faulty_new(&p);
    zo_settings s = settings_of("first");
    zo_solver *run = solver_of(&p, &s), *told = solver_of(&p, &s);
    zo_report r = run_units(run, 8), q;
    zo_error e;
    for (uint64_t k = 0; k < r.steps; k++) {
        const zo_fan *fan;
        must(zo_ask(told, &fan, &e), &e);
        double *answers = calloc(zo_fan_answers(fan), sizeof *answers);
        assert_int_equal(run->problem.answer(run->problem.ctx, fan, answers), 0);
        must(zo_tell(told, answers, &e), &e);
        free(answers);
    }
    zo_look(told, &q);
    assert_memory_equal(zo_last(run), zo_last(told), FAULTY_D * sizeof(double));
    assert_string_equal(q.chosen, r.chosen);
    zo_free(run);
    zo_free(told);
    free(t);
}

static void act(place *p)
{
    zo_problem whole, spread;
    zo_spread *s;
    faulty *t = faulty_new(&whole);
    zo_ranks ranks = {.rank = p->rank, .size = p->w->size, .ctx = p, .gather = swap};
    must(zo_spread_new(&s, &whole, &ranks, &spread, &p->err), &p->err);
    zo_settings set = settings_of("first");
    zo_solver *solver = solver_of(&spread, &set);
    p->report = run_units(solver, 8);
    memcpy(p->out, zo_last(solver), FAULTY_D * sizeof *p->out);
    zo_free(solver);
    zo_spread_free(s);
    free(t);
}

static void ranks_go_the_same_way(void **state)
{
    (void)state;
    place alone[1] = {{0}}, three[3] = {{0}};
    on_ranks(1, alone, act, NULL, FAULTY_D);
    on_ranks(3, three, act, NULL, FAULTY_D);
    for (int r = 0; r < 3; r++) {
        assert_memory_equal(alone[0].out, three[r].out, FAULTY_D * sizeof(double));
        assert_string_equal(three[r].report.method, "second");
    }
    release(1, alone);
    release(3, three);
}

/* A next method that cannot be opened is a failure of the tell, and is tried again. */
static void a_failure_is_told_and_tried_again(void **state)
{
    (void)state;
    zo_problem p;
    faulty *t = faulty_new(&p);
    zo_settings s = settings_of("first");
    zo_solver *solver = solver_of(&p, &s);
    zo_error e;
    const zo_fan *fan;
    method_hand_over(solver->method, "nobody", "");
    assert_int_equal(zo_ask(solver, &fan, &e), ZO_BAD_ARGUMENT);
    assert_non_null(strstr(e.text, "nobody"));
    *solver->method->next.to = 0;
    assert_string_equal(run_units(solver, 8).method, "second");
    zo_free(solver);
    free(t);
}

/* ---- inq and mean: folds, whose spans fall short -------------------------------------------------------- */

enum { FOLDS = 5, FOLD_D = 12, FOLD_ROWS = 200 };

static int fold_value(void *ctx, size_t i, const double *x, double *f)
{
    double sum = 0;
    (void)ctx;
    for (uint64_t r = i; r < FOLD_ROWS; r += FOLDS) {
        double z[FOLD_D];
        rng_normals(5, FOR_SYNTH, r, 0, FOLD_D, z);
        double m = vec_dot(FOLD_D, z, x) * (z[0] > 0 ? 1 : -0.7);
        sum += fmax(-m, 0) + log1p(exp(-fabs(m)));
    }
    *f = sum * FOLDS / FOLD_ROWS + 0.5e-2 * vec_dot(FOLD_D, x, x);
    return 0;
}

static zo_problem folds(void)
{
    return (zo_problem){.n = FOLDS, .d = FOLD_D, .value = fold_value, .psi = zo_l1(1e-3)};
}

static zo_report run_folds(zo_problem *p, double *x, int cut)
{
    zo_settings set = settings_of("inq");
    zo_solver *solver = solver_of(p, &set);
    zo_control c = zo_no_limits();
    zo_error e;
    zo_report r = {0};
    c.max_units = 60;
    c.track = ZO_TRACK_OFF;
    c.max_steps = cut ? 1 : UINT64_MAX;
    for (r = run_to(solver, &c); cut && r.reason == ZO_AT_STEPS; r = run_to(solver, &c)) {
        must(zo_save(solver, FILE_NAME, &e), &e);
        zo_free(solver);
        solver = begin(p, &set);
        must(zo_load(solver, FILE_NAME, &e), &e);
        c.max_steps = r.steps + 1;
    }
    remove(FILE_NAME);
    memcpy(x, zo_point(solver), FOLD_D * sizeof *x);
    zo_free(solver);
    return r;
}

static void inq_hands_over_to_mean(void **state)
{
    (void)state;
    double x[FOLD_D], y[FOLD_D];
    zo_problem p = folds();
    zo_report r = run_folds(&p, x, 0), q = run_folds(&p, y, 1);
    assert_string_equal(r.method, "mean");
    assert_non_null(strstr(r.chosen, "then mean after "));
    assert_memory_equal(x, y, sizeof x);
    assert_string_equal(r.chosen, q.chosen);
    assert_int_equal(r.queries, q.queries);
}

/* Slopes of a chain of squares die out at the origin, inq's directions with them: its proof fails far down for some seeds, and mean goes
 * on. What is left is nothing beside the start, and it ends. */
enum { CHAIN = 80 };

static int chain(void *ctx, size_t i, const double *x, double *f)
{
    double r = i ? 2 * x[i] - x[i - 1] : x[0] - 1;
    (void)ctx;
    *f = (double)(i + 1) * r * r;
    return 0;
}

static void the_next_knows_how_high_it_was(void **state)
{
    zo_problem p = {.n = CHAIN, .d = CHAIN, .value = chain};
    zo_settings set = settings_of("auto");
    double x[CHAIN], start = CHAIN * (CHAIN + 1) / 2.0 / CHAIN;
    int followed = 0;
    zo_error e = {0};
    (void)state;
    for (size_t j = 0; j < CHAIN; j++) x[j] = 1;
    for (set.seed = 1; set.seed <= 6; set.seed++) {
        zo_solver *s;
        if (zo_new(&s, &p, &set, &e) || zo_start(s, x, &e)) fail_msg("%s", e.text);
        zo_report r = run_units(s, 95);
        if (r.reason != ZO_AT_END) fail_msg("%s after %g", r.chosen, (double)r.queries);
        if (!(r.objective < 1e-9 * start)) fail_msg("seed %d: F %g", (int)set.seed, r.objective);
        followed += !strcmp(r.method, "mean");
        zo_free(s);
    }
    assert_true(followed > 0);
}

static void folds_on_ranks(place *p)
{
    zo_problem whole = folds(), spread;
    zo_spread *s;
    zo_ranks ranks = {.rank = p->rank, .size = p->w->size, .ctx = p, .gather = swap};
    must(zo_spread_new(&s, &whole, &ranks, &spread, &p->err), &p->err);
    p->report = run_folds(&spread, p->out, 0);
    zo_spread_free(s);
}

static void inq_hands_over_on_ranks(void **state)
{
    (void)state;
    double x[FOLD_D];
    place three[3] = {{0}};
    zo_problem p = folds();
    run_folds(&p, x, 0);
    on_ranks(3, three, folds_on_ranks, NULL, FOLD_D);
    for (int r = 0; r < 3; r++) {
        assert_memory_equal(x, three[r].out, sizeof x);
        assert_string_equal(three[r].report.method, "mean");
    }
    release(3, three);
}

/* Nobody hands over for ever: who has been there is not come back to, but by those that return. */
static void who_may_follow(void **state)
{
    (void)state;
    zo_problem p;
    faulty *t = faulty_new(&p);
    static const struct {
        const char *from, *to;
        int first, again;
    } cases[] = {{"inq", "lm", 1, 0},       {"lm", "inq", 1, 0},      {"lm", "mean", 1, 0},
                 {"supports", "inq", 1, 1}, {"supports", "lm", 0, 0}, {"mean", "inq", 0, 0},
                 {"inq", "supports", 0, 0}}; /* of which nothing is known */
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        zo_settings s = settings_of(cases[k].from);
        method *m;
        zo_error e;
        must(method_new(&m, &p, &s, &e), &e);
        assert_int_equal(method_may_follow(m, cases[k].to, NULL), cases[k].first);
        m->been = UINT64_MAX;
        assert_int_equal(method_may_follow(m, cases[k].to, NULL), cases[k].again);
        method_is_part(m);
        assert_int_equal(method_may_follow(m, cases[k].to, NULL), 0);
        method_free(m);
    }
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_knows_how_high_it_was),
        cmocka_unit_test(who_may_follow),
        cmocka_unit_test(the_report_says_who_went_on),
        cmocka_unit_test(cut_anywhere_it_is_the_same_run),
        cmocka_unit_test(ask_and_tell_go_the_same_way),
        cmocka_unit_test(ranks_go_the_same_way),
        cmocka_unit_test(a_failure_is_told_and_tried_again),
        cmocka_unit_test(inq_hands_over_to_mean),
        cmocka_unit_test(inq_hands_over_on_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
