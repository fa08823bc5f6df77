/* Who is ahead among the paper's methods, over (batch, directions).
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_MAP_H
#define ZO_TOOL_MAP_H

#include "study/paper.h"

enum { MAP_BATCHES = 6, MAP_DIRECTIONS = 5, MAP_CELLS = MAP_BATCHES * MAP_DIRECTIONS };

/* batch 1, 16, 128, 1024, n/8, n and directions 1, 10, 50, d/2, d, each once and none above n or d, batch by batch. Returns
 * how many cells. */
size_t map_cells(size_t n, size_t d, uint64_t batch[MAP_CELLS], uint64_t directions[MAP_CELLS]);

/* One cell of a map: zpdvr against the best other of the paper's methods. */
typedef struct cell {
    double ratio, low,
        high; /* of median gaps, zpdvr over the best other, with a 95 % interval; NaN: not known */
    const char *best, *other; /* the least median; the least of the others than zpdvr */
    int tie;                  /* zpdvr and the best other cannot be told apart */
    size_t seeds;
} cell;
cell map_cell(const panel *p, size_t mark);
/* Which marks of a budget a map shows: 5, 20, 100 units and the whole. */
size_t map_marks(double units, double mark[MAX_MARKS], size_t which[MAX_MARKS]);
/* The panels of one set are neighbours: how many there are from p on. */
size_t map_same_set(panel *const *p, size_t count);

/* Which map it is of those of its set: rows, grids that go on beyond their ends, a budget other than 100 units; and the
 * name of its files, which no other map of a folder has. */
enum { MAP_TITLE = 128 };
void map_title(const panel *p, char *text, size_t size);
void map_file(const panel *p, char *text, size_t size);

/* Tables of the map that the panels of one set are, for people and in the store; and DIR/map-SET.svg. */
int map_leave(FILE *out, runs *store, const char *folder, panel *const *p, size_t count);

#endif
