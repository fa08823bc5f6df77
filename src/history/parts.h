/* What the parts of a history share: what is known, and the files.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_HISTORY_PARTS_H
#define ZO_HISTORY_PARTS_H

#include "history/history.h"

/* ---- what is known (known.c) ------------------------------------------------------------------------ */

typedef struct known known;
known *known_new(size_t n, size_t d);         /* NULL: out of memory */
void known_free(known *k);                    /* takes NULL */
int known_add(known *k, const evaluation *e); /* 0: out of memory */
void known_sort(known *k);                    /* all are there */
size_t known_left(const known *k);
void known_forget(known *k, uint64_t number); /* those before it are used */
int known_take(known *k, const double *x, uint64_t component, double *value);
/* The mean over all components of f_i at x (outer: on top of the values), where they are all known: 1, else 0. */
int known_mean(const known *k, const zo_outer *outer, const double *x, double *mean,
               uint64_t hash[2]);

/* ---- points written last (points.c) ------------------------------------------------------------------- */

typedef struct points {
    size_t d, count;
    double *x; /* count rows of d */
    unsigned char *filled;
} points;

int points_open(points *p, size_t d); /* 0: out of memory */
void points_close(points *p);
/* Its place, from now on, among count; there: it was there already. */
size_t points_find(points *p, const double *x, int *there);
uint64_t history_mix(uint64_t hash, const void *words, size_t count); /* of 8 bytes */

/* ---- files (csv.c, sqlite.c) -------------------------------------------------------------------------- */

typedef struct past {        /* what reading gives, row by row */
    const char *path, *what; /* what: "past" or "history", for messages */
    size_t n, d;             /* 0: whatever is there; d is filled in */
    /* begin there, and where the next reading is to begin: 0 first, then what was left here */
    uint64_t from;
    /* 0: out of memory */
    int (*row)(void *ctx, const evaluation *e);
    /* the name of coordinate j, size bytes; or NULL */
    void (*head)(void *ctx, size_t j, const char *name, size_t size);
    void *ctx;
    uint64_t rows, damaged;
} past;

typedef struct writer writer;
/* A file of one kind: reads one, and writes one that is new or (fresh = 0) goes on. */
typedef struct format {
    /* 0: nothing was written to the file that is there, as a full disk or a kill leaves it */
    int (*begun)(const char *path);
    zo_status (*read)(past *p, zo_error *err);
    zo_status (*open)(writer **out, const zo_history_options *o, int fresh, zo_error *err);
    int (*add)(writer *w, const evaluation *e); /* 0: failed */
    int (*flush)(writer *w, int sync);          /* 0: failed */
    const char *(*why)(const writer *w);        /* in words, after a failure */
    void (*close)(writer *w);
} format;

extern const format history_csv, history_sqlite;

/* Columns by their names: x0 ... x{d-1} and value must be there; component, number, seconds and failure may be. Where no x is
 * there the coordinates have names of their own, and are the columns before all of these. */
typedef struct columns {
    size_t d, count;
    size_t *role; /* of each column: j < d, or one of these */
    struct {
        const char *at;
        size_t size;
    } * name;      /* of each, where they stand while the head is read */
    size_t seen;   /* of the x */
    size_t beyond; /* the largest of them that is not below d; 0: none */
    int value;
} columns;
enum { IS_VALUE, IS_COMPONENT, IS_NUMBER, IS_SECONDS, IS_FAILURE, IS_CHECK, IS_OTHER, ROLES };

const format *history_format(const char *path);       /* by its name */
size_t columns_width(const char *name, size_t size);  /* of x7 it is 8; 0: no coordinate */
int columns_known(const char *name, size_t size);     /* 1: value, component, ... */
int columns_open(columns *c, size_t d, size_t count); /* 0: out of memory */
void columns_name(columns *c, size_t k, const char *name, size_t size);
zo_status columns_check(columns *c, const past *p, zo_error *err);
void columns_close(columns *c);

#endif
