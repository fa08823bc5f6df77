/* The paper's experiment as tables: data sets, lambdas, grids; and what a reproduction of it is made of.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_PAPER_H
#define ZO_TOOL_PAPER_H

#include "study/study.h"

enum { PAPER_METHODS = 4, MAX_LINES = 32, MAX_PANELS = 128, CURVE_POINTS = 121, MAX_MARKS = 16 };
enum { ROWS = 100, MAX_SEEDS = 256 }; /* ROWS: of a trial, evenly over its budget */
#define PAPER_RADIUS "1e-3"

typedef struct paper_set {
    /* stand_in: what takes its place where it is not at hand, or NULL */
    const char *name, *stand_in;
    double l1, l2; /* Table 2 */
    int periodic;  /* zpdvr renews its reference point after a pass instead of by a coin */
    size_t quick;  /* --quick takes every quick-th row; 0: not in it */
    const char *grid[PAPER_METHODS]; /* the appendix, in the order of paper_methods */
    int further; /* 1: not the paper's, run where it is named, with the grids of a9a */
} paper_set;

extern const char *const paper_methods[PAPER_METHODS];
const paper_set *paper_sets(size_t *count);
/* Further curves, not in the paper's figure; settings at auto. */
const char *const *paper_others(size_t *count);

/* One curve: a method with the settings that were chosen, on its report seeds. */
typedef struct line {
    char method[16], name[32]; /* name: as people see it, with the reading where there is one */
    zo_settings set;
    char label[128]; /* what was chosen among */
    choice choice;
    trial *t;
    size_t seeds;
    double marked[MAX_MARKS][MAX_SEEDS]; /* the gap of every seed at the budgets of marks_of */
    /* quartiles of the gap */
    double units[CURVE_POINTS], low[CURVE_POINTS], middle[CURVE_POINTS], high[CURVE_POINTS];
} line;

/* The Hessian of the mean at x = 0: its trace and largest value, and that of a component. */
typedef struct spectrum {
    double trace, top, each;
} spectrum;
spectrum spectrum_of(const zo_data *data);

/* One picture: a data set at one (batch, directions). */
typedef struct panel {
    const paper_set *set;
    char title[96], name[64];
    uint64_t batch, directions;
    spectrum spectrum; /* of a map's panel */
    study study;
    line line[MAX_LINES];
    size_t nlines;
    double units;
    int all_four; /* 1: all of the paper's methods were run, though all trials of one may have diverged */
    int halving; /* 1: settings were chosen by successive halving */
    int beyond;  /* 1: with steps beyond the ends of the grids */
} panel;

/* The budgets at which gaps are shown and judged: 5, 10, 20, 50, ... as far as the rows of a trial tell them, and the whole
 * budget. Returns how many. */
size_t marks_of(double units, double mark[MAX_MARKS]);

/* The paper's methods at a mark: the least median, and who ties with it by the rank test. */
typedef struct verdict {
    const line *best; /* NULL: nobody is known there */
    size_t nties;
    const line *tie[PAPER_METHODS];
} verdict;

/* Fills the line's quartiles and marked gaps from the rows in the store. */
int line_load(const panel *p, line *l);
verdict panel_verdict(const struct panel *p, size_t mark);
/* which: low, middle or high; NaN beyond the end */
double line_at(const line *l, double units, const double *which);

#define BEYOND                                                                                     \
    "Where the first or the last step of a grid was best, steps beyond it were tried, too.\n\n"

/* figure.svg, .png, .pdf */
int figure_draw(const char *folder, panel *const *p, size_t count, int quiet);
void summary_print(FILE *out, panel *const *p, size_t count);
struct json_t *summary_json(panel *const *p, size_t count);

/* Every k-th row of data and every k-th column; free with sample_free. */
typedef struct sample {
    zo_data *data;
    uint64_t *row;
    uint32_t *col;
    double *val, *label;
} sample;
int sample_part(sample *s, const zo_data *data, size_t rows, size_t columns);
void sample_free(sample *s);

#endif
