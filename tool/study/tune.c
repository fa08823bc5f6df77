/* zoprox tune: settings chosen on some seeds, reported on others.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "study/study.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

enum { DEFAULT_UNITS = 100, DEFAULT_REPORT = 3, ROWS = 100, MAX_SEEDS = 256, MAX_METHODS = 32 };

/* The best settings of a method, on other seeds. */
typedef struct winner {
    size_t index; /* of its settings */
    trial *report;
} winner;

typedef struct tuning {
    const request *asked;
    study study;
    grid grid;
    zo_settings *set;
    double *score; /* NaN: fell out at an earlier rung */
    double *start; /* d: where trials begin */
    size_t count, report_seeds;
    double units, every;
    choice choice;
    winner
        winner[MAX_METHODS]; /* one for each method that did not diverge, the best of all first */
    size_t nwinners;
} tuning;

static int check(const request *r)
{
    if (r->nwords + (size_t)box_wanted(r) != 1)
        return complain(REFUSED, "tune takes one SOURCE (a file, a name or synth:) or a black box; "
                                 "see 'zoprox tune --help'");
    if (!r->grid) return complain(REFUSED, "tune needs --grid, such as --grid 'step=0.1,0.5,1'");
    if (r->seeds > MAX_SEEDS || r->report_seeds > MAX_SEEDS)
        return complain(REFUSED, "--seeds: more than %d of them", MAX_SEEDS);
    int code = check_method("method", r->set.method);
    return code ? code : box_fits(r);
}

static int spread_out(tuning *t)
{
    const request *r = t->asked;
    int code = grid_parse(&t->grid, r->grid, &r->set);
    if (code) return code;
    t->count = r->random ? r->random : t->grid.count;
    if (t->count > 1000000) return complain(REFUSED, "--random: more than 1000000 trials");
    t->set = calloc(t->count, sizeof *t->set);
    t->score = calloc(t->count, sizeof *t->score);
    if (!t->set || !t->score)
        return complain(FAILED, "--grid: out of memory for %zu settings", t->count);
    for (size_t k = 0; k < t->count; k++) {
        t->set[k] = r->set;
        if (r->random)
            grid_draw(&t->grid, r->set.seed, k, &t->set[k]);
        else
            grid_at(&t->grid, k, &t->set[k]);
        if ((code = check_method("--grid: method", t->set[k].method))) return code;
    }
    return DONE;
}

void study_name(study *u, const request *r, const task *s)
{
    size_t count;
    char l2[32], l1[32];
    u->name = box_wanted(r) ? box_name(r) : r->words[0];
    u->data = s->data;
    u->loss = r->loss;
    u->l2 = r->l2;
    u->psi = s->problem.psi;
    u->n = s->problem.n;
    u->d = s->problem.d;
    u->optimum = r->optimum;
    u->known = NAN;
    u->box = box_wanted(r) ? r : NULL;
    u->jobs = r->jobs  ? (unsigned)(r->jobs < 256 ? r->jobs : 256)
              : u->box ? 1 /* its workers take all cores */
                       : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    u->group = r->group ? (unsigned)r->group : 1;
    u->quiet = r->quiet;
    snprintf(
        u->text, sizeof u->text, "%s %016llx n=%zu d=%zu %s l2=%s l1=%s", u->name,
        (unsigned long long)s->problem.fingerprint, u->n, u->d,
        u->box ? (r->residuals ? r->residuals : "a black box") : zo_loss_rows(&count)[u->loss].name,
        text_short(u->l2, l2, sizeof l2), isnan(r->l1) ? "none" : text_short(r->l1, l1, sizeof l1));
    for (size_t k = 0; k < r->nprox; k++)
        snprintf(u->text + strlen(u->text), sizeof u->text - strlen(u->text), " %s", r->prox[k]);
}

static int begin(tuning *t, const task *s)
{
    const request *r = t->asked;
    study_name(&t->study, r, s);
    t->units = isinf(r->units) ? DEFAULT_UNITS : r->units;
    if (!(t->start = calloc(s->problem.d, sizeof *t->start)))
        return complain(FAILED, "tune: out of memory for %zu numbers", s->problem.d);
    int wrong = task_start(s, r, t->start);
    if (wrong) return wrong;
    if (r->start || s->known) t->study.start = t->start;
    t->every = isnan(r->every) ? fmax(t->units / ROWS, 1 / (double)t->study.d) : r->every;
    t->report_seeds = r->report_seeds ? r->report_seeds : DEFAULT_REPORT;
    study *u = &t->study;
    int code = DONE; /* rank 0 has the store */
    if (ranks_me() == 0) code = runs_open(&u->store, r->store ? r->store : "zoprox.runs", 1);
    code = ranks_agree(code);
    return code ? code : study_begin(u);
}

/* Keeps why these settings, and runs them on other seeds. */
static int report_winner(tuning *t, size_t index)
{
    const request *r = t->asked;
    study *u = &t->study;
    winner *w = &t->winner[t->nwinners];
    trial which = {.set = t->set[index], .units = t->units};
    w->index = index;
    w->report = calloc(t->report_seeds, sizeof *w->report);
    if (!w->report) return complain(FAILED, "tune: out of memory");
    t->nwinners++;
    int code = DONE;
    if (ranks_me() == 0)
        code = runs_choice(u->store, u, &which, r->grid, t->score[index], t->choice.tried,
                           t->choice.diverged);
    return code ? code
                : study_report(u, "report", &t->set[index], r->set.seed, t->report_seeds, t->units,
                               t->every, w->report);
}

/* The first of the best settings whose method has no winner yet; count: there is none. */
static size_t next_winner(const tuning *t)
{
    size_t best = t->count;
    for (size_t k = 0; k < t->count; k++) {
        int has = 0;
        for (size_t w = 0; w < t->nwinners; w++)
            has |= !strcmp(t->set[t->winner[w].index].method, t->set[k].method);
        if (!has && isfinite(t->score[k]) && (best == t->count || t->score[k] < t->score[best]))
            best = k;
    }
    return best;
}

static int search(tuning *t)
{
    const request *r = t->asked;
    int code = study_choose(&t->study, "tune", t->set, t->count, r->set.seed, r->seeds, t->units,
                            t->every, r->halving ? 3 : 1, &t->choice, t->score);
    if (code || isinf(t->choice.score)) return code; /* all diverged: nothing to report */
    code = report_winner(t, t->choice.best);
    for (size_t k; !code && t->nwinners < MAX_METHODS && (k = next_winner(t)) < t->count;)
        code = report_winner(t, k);
    return code;
}

/* ---- What came of it -------------------------------------------------------------------------------- */

static double report_median(const tuning *t, const winner *w)
{
    double gap[MAX_SEEDS];
    for (size_t s = 0; s < t->report_seeds; s++) gap[s] = trial_gap(&t->study, &w->report[s]);
    return median_of(gap, t->report_seeds);
}

static void print_score(double v)
{
    if (isnan(v))
        printf("%12s", "halved");
    else if (isinf(v))
        printf("%12s", "diverged");
    else
        printf("%12.4e", v);
}

static int print_table(const tuning *t)
{
    const study *u = &t->study;
    char label[256];
    printf("problem         %s (n %zu, d %zu)", u->name, u->n, u->d);
    if (!isnan(u->optimum)) printf(", optimum %.12g", u->optimum);
    printf("\n%12s   settings (median %s at %g units, %llu seed%s)\n", "score",
           isnan(u->optimum) ? "F" : "gap", t->units, (unsigned long long)t->asked->seeds,
           t->asked->seeds > 1 ? "s" : "");
    for (size_t k = 0; k < t->count; k++) {
        grid_label(&t->grid, &t->set[k], label, sizeof label);
        print_score(t->score[k]);
        printf(" %c %s\n", k == t->choice.best && isfinite(t->choice.score) ? '*' : ' ', label);
    }
    if (isinf(t->choice.score)) {
        puts("every trial diverged");
        return finish_output(DONE);
    }
    grid_label(&t->grid, &t->set[t->choice.best], label, sizeof label);
    printf("best            %s; %zu trial%s, %zu diverged\n", label, t->choice.tried,
           t->choice.tried == 1 ? "" : "s", t->choice.diverged);
    printf("reported        %.4e, the median of %zu other seed%s\n", report_median(t, t->winner),
           t->report_seeds, t->report_seeds == 1 ? "" : "s");
    for (size_t k = 1; k < t->nwinners; k++) { /* the other methods of the grid */
        grid_label(&t->grid, &t->set[t->winner[k].index], label, sizeof label);
        printf("                %.4e with %s\n", report_median(t, &t->winner[k]), label);
    }
    return finish_output(DONE);
}

static json_t *settings_json(const tuning *t, size_t k)
{
    json_t *all = json_object();
    for (size_t a = 0; a < t->grid.naxes; a++) {
        char value[64];
        double v;
        zo_get(&t->set[k], t->grid.axis[a].name, value, sizeof value);
        json_object_set_new(all, t->grid.axis[a].name,
                            text_number(value, &v) ? json_number(v) : json_string(value));
    }
    return all;
}

static json_t *gaps_json(const tuning *t, const winner *w)
{
    json_t *report = json_array();
    for (size_t s = 0; s < t->report_seeds; s++)
        json_array_append_new(report, json_number(trial_gap(&t->study, &w->report[s])));
    return report;
}

/* The best of each method. */
static json_t *methods_json(const tuning *t)
{
    json_t *all = json_array();
    for (size_t k = 0; k < t->nwinners; k++) {
        const winner *w = &t->winner[k];
        json_t *one = json_object();
        json_object_set_new(one, "method", json_string(t->set[w->index].method));
        json_object_set_new(one, "best", settings_json(t, w->index));
        json_object_set_new(one, "score", json_number(t->score[w->index]));
        json_object_set_new(one, "reported", json_number(report_median(t, w)));
        json_object_set_new(one, "report", gaps_json(t, w));
        json_array_append_new(all, one);
    }
    return all;
}

static int print_as_json(const tuning *t)
{
    json_t *all = json_object(), *trials = json_array();
    int found = isfinite(t->choice.score);
    for (size_t k = 0; k < t->count; k++) {
        json_t *one = json_object();
        json_object_set_new(one, "settings", settings_json(t, k));
        json_object_set_new(one, "score", json_number(t->score[k]));
        json_object_set_new(one, "status",
                            json_string(isnan(t->score[k])   ? "halved"
                                        : isinf(t->score[k]) ? "diverged"
                                                             : "ok"));
        json_array_append_new(trials, one);
    }
    json_object_set_new(all, "status", json_string("ok"));
    json_object_set_new(all, "optimum", json_number(t->study.optimum));
    json_object_set_new(all, "units", json_number(t->units));
    json_object_set_new(all, "tried", json_integer((json_int_t)t->choice.tried));
    json_object_set_new(all, "diverged", json_integer((json_int_t)t->choice.diverged));
    json_object_set_new(all, "best", found ? settings_json(t, t->choice.best) : json_null());
    json_object_set_new(all, "score", json_number(t->choice.score));
    json_object_set_new(all, "reported",
                        json_number(found ? report_median(t, t->winner) : INFINITY));
    json_object_set_new(all, "report", found ? gaps_json(t, t->winner) : json_array());
    json_object_set_new(all, "methods", methods_json(t));
    json_object_set_new(all, "trials", trials);
    return finish_output(print_json(all));
}

int command_tune(int argc, char **argv)
{
    request r;
    task s;
    tuning t = {.asked = &r};
    int code = request_parse(&r, argc, argv);
    if (!code) code = check(&r);
    if (!code) code = spread_out(&t);
    code = ranks_agree(code);
    if (!code) code = ranks_same_line(&r);
    if (!code) code = ranks_group(&r);
    int opened = code ? 0 : !(code = task_open(&s, &r));
    code = ranks_agree(code);
    if (!code) {
        catch_signals();
        code = begin(&t, &s);
        if (!code) code = search(&t);
        if (!code) code = r.json ? print_as_json(&t) : print_table(&t);
        runs_close(t.study.store);
    }
    if (opened) task_close(&s);
    grid_free(&t.grid);
    free(t.set);
    free(t.score);
    free(t.start);
    for (size_t k = 0; k < t.nwinners; k++) free(t.winner[k].report);
    return code;
}
