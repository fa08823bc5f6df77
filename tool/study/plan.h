/* What a reproduction runs on a data set: which (batch, directions), which curves, on how many seeds.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_PLAN_H
#define ZO_TOOL_PLAN_H

#include "study/map.h"

enum plan_kind { PLAN_FIGURE, PLAN_MAP, PLAN_READINGS };

/* One curve of every panel. */
typedef struct curve {
    const char *method;
    int grid; /* the row of the appendix that its settings are chosen from; -1: settings at auto */
    const char *reading; /* of zpdvr; NULL: not said */
} curve;

typedef struct plan {
    enum plan_kind kind;
    const request *asked;
    runs *store;
    curve curve[MAX_LINES];
    size_t ncurves;
    uint64_t batch[MAP_CELLS], directions[MAP_CELLS];
    size_t npairs;        /* 0: those of the map, which depend on the set */
    size_t seeds, choose; /* seeds that report, and that choose */
    double units;
    int halving, rungs; /* rungs: of a halving */
} plan;

/* What the request asks for; DONE, or REFUSED after a line. */
int plan_make(plan *p, const request *r, enum plan_kind kind);
/* Runs the plan on a set whose data and problem s has, and adds its panels. */
int plan_run(const plan *p, const paper_set *set, const char *name, const request *r, const task *s,
             panel **panels, size_t *count);

/* The readings of zpdvr beside each other, for people and in the store. */
int readings_leave(FILE *out, runs *store, panel *const *p, size_t count);

#endif
