/* Studies: many trials over one problem, kept in a run store.
 * SPDX-License-Identifier: MIT
 *
 * A trial is one run with settings, seed and budget. Its key says all that its result depends on, so that a trial
 * that is in the store is never run again. Trials run side by side, each in one thread with a model of its own over
 * the shared data; a finished one is one transaction. */
#ifndef ZO_TOOL_STUDY_H
#define ZO_TOOL_STUDY_H

#include "core/tool.h"

enum { SELECT, REPORT, GROWTH };                 /* what a trial is for */
enum { TRIAL_OK, TRIAL_DIVERGED, TRIAL_FAILED }; /* what it came to */
enum { REPORT_SEEDS = 1000 }; /* report seeds begin so far above those of the selection */

typedef struct trial_row {
    uint64_t step, queries;
    double units, seconds, objective, residual;
    size_t nonzeros;
} trial_row;

typedef struct trial {
    zo_settings set;          /* with its seed */
    double units, every, gap; /* gap: 0, or where to stop */
    int role;
    long long id; /* in the store */
    int done;     /* 1: what follows is known */
    int status;
    char reason[24];
    double objective, used, seconds; /* used: units */
    uint64_t steps, queries, watched;
    char chosen[256], warning[256];
    trial_row *row; /* while it runs, until it is stored */
    size_t nrows, room;
} trial;

typedef struct runs runs; /* an open run store */

typedef struct study {
    const char *name; /* of the problem, as people say it */
    char text[512];   /* and as the store knows it: source, loss, l2, psi, fingerprint */
    const zo_data *data;
    const zo_problem *own; /* instead of data; its function is called from many threads */
    const request *box;    /* instead of both: a black box, each job has one of its own */
    const double *start;   /* where trials begin; NULL: 0 */
    zo_loss loss;
    double l2;
    zo_prox psi;
    size_t n, d;
    double optimum; /* NaN: not known */
    double known;   /* F* is at most so much below it */
    long long id;   /* of the problem in the store */
    runs *store;
    /* trials at once, or threads of each rank where a group of ranks runs a trial */
    unsigned jobs, group;
    int quiet;
    int ranks; /* 1: all ranks run this study, and share its trials; the store is rank 0's */
} study;

/* ---- The store ----------------------------------------------------------------------------------- */

/* For writing it is made where it is not yet there, and locked: one run at a time. DONE, or after a line REFUSED or
 * FAILED. */
int runs_open(runs **out, const char *path, int write);
/* Do the first RUNS_HEAD bytes of an SQLite file bear the mark of a store? */
enum { RUNS_HEAD = 72 };
int runs_marked(const char *head, size_t got);
struct sqlite3_stmt;
int runs_next(runs *s, struct sqlite3_stmt *q); /* 1: a row; 0: no more, or runs_failed */
int runs_failed(const runs *s);                 /* DONE, or the code of a failure, after a line */
void runs_close(runs *s);
struct sqlite3 *runs_base(runs *s);
/* Finds or makes the problem's row: sets id, and optimum and known where the store has them. */
int runs_problem(runs *s, study *u);
int runs_optimum(runs *s, const study *u); /* keeps optimum and known */
/* fills t and sets t->done where the key is there */
int runs_find(runs *s, const char *key, trial *t);
int runs_put(runs *s, const study *u, const char *key, trial *t); /* sets its id */
/* Why these settings: the least median score of so many tried. */
int runs_choice(runs *s, const study *u, const trial *best, const char *from, double score,
                size_t tried, size_t diverged);
/* The gaps of a trial's rows in order, where they are known. */
int runs_gaps(runs *s, long long id, int (*take)(void *ctx, double units, double gap), void *ctx);

/* Keeps a command line, as words between tabs, and gives them all in order; one that was given again is the last. */
int runs_call(runs *s, const char *line);
int runs_calls(runs *s, int (*take)(void *ctx, const char *line), void *ctx);

/* A store that is checked: so many of its trials, any that took less than a minute, are run again when somebody asks for
 * them, and compared with what is there instead of being put; none that it does not have is run. */
int runs_again(runs *s, size_t count);
void runs_be_checked(runs *s);
int runs_is_checked(const runs *s);
int runs_again_wants(runs *s, trial *t);   /* takes t->done back where it is one of them */
int runs_compare(runs *s, const trial *t); /* every number of every row, bit for bit */
int runs_again_count(runs *s, size_t *wanted, size_t *run, size_t *same);

/* ---- Trials -------------------------------------------------------------------------------------- */

/* The settings that the trial's method uses, as a JSON object without the seed. */
void trial_settings(const trial *t, char *text, size_t size);
/* What the request says of the problem; jobs and quiet too. */
void study_name(study *u, const request *r, const task *s);
/* Runs those of the trials that are not in the store. title begins the progress line. */
int study_run(study *u, const char *title, trial *t, size_t count);
/* Finds or makes the problem in the store, on all ranks what rank 0 has there; then F*. */
int study_begin(study *u);
/* F* of the study's problem: from the store, or found and kept. */
int study_optimum(study *u);
double trial_gap(const study *u, const trial *t); /* at its end; infinite if it diverged */

/* Chooses among count settings by the median over seeds of the last gap, after rungs - 1 halvings by thirds: of rungs r the
 * k-th has a share of k/r of the seeds. *best is an index, *score its median. */
typedef struct choice {
    size_t best, tried, diverged;
    double score;
} choice;
int study_choose(study *u, const char *title, const zo_settings *set, size_t count, uint64_t seed,
                 size_t seeds, double units, double every, int rungs, choice *out, double *scores);
/* The chosen settings on report seeds: t has room for seeds trials. */
int study_report(study *u, const char *title, const zo_settings *set, uint64_t seed, size_t seeds,
                 double units, double every, trial *t);
double median_of(double *v, size_t count); /* sorts v */

/* ---- Grids --------------------------------------------------------------------------------------- */

typedef struct axis {
    char name[24];
    size_t count;
    char (*value)[32];
    double low, high; /* of a single range; NaN: a list */
    int ratio, whole;
} axis;

typedef struct grid {
    axis axis[8];
    size_t naxes, count; /* count: of all combinations */
} grid;

/* DONE, or REFUSED after a line */
int grid_parse(grid *g, const char *text, const zo_settings *base);
void grid_free(grid *g);
void grid_at(const grid *g, size_t k, zo_settings *set); /* the k-th combination */
void grid_draw(const grid *g, uint64_t seed, uint64_t k, zo_settings *set); /* the k-th at random */
/* "step 0.5, refresh 0.01" */
void grid_label(const grid *g, const zo_settings *set, char *text, size_t size);

#endif
