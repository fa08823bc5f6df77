/* Programs that read and write files of their own: folders, templates, and what is read back.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_FILES_H
#define ZO_TOOL_FILES_H

#include <jansson.h>

#include "files/parameters.h"
#include "problem/process/worker.h"

enum { LONGEST_PATH = 4096 };

/* The table as an object, in order; NULL after a line. */
json_t *toml_parse(const char *text, const char *path);
/* All of a file, 0 behind it; free takes it. NULL: errno. */
char *read_whole(const char *path, size_t *size);
/* The same, but what this process or the one whose worker it is has once read does not change any more (once.c). */
char *read_once(const char *path, size_t *size);
void once_inherit(void); /* before a worker reads anything */

/* ---- folder.c: a folder for each run ------------------------------------------------------------------- */

#define FOLDER "ZOPROX_FILES" /* environment of the worker: where folders are made */
#define KEEP "ZOPROX_KEEP"    /* set: they stay */
#define FROM "ZOPROX_FROM"    /* of the program: where zoprox was started */

typedef struct folder {
    char path[LONGEST_PATH];
    char name[12]; /* of this worker: its folders are NAME.ID */
} folder;

/* What goes wrong is told on standard error, which zoprox passes on; 0 then. */
int folder_make(folder *f, unsigned long long id);
void folder_remove(const folder *f);
void folder_in(const folder *f, const char *name, char *path); /* path has LONGEST_PATH bytes */
/* NAME appears when it is whole. */
int folder_write(const folder *f, const char *name, const char *text, size_t size);
/* NAME is what the program is called in messages; stdout.txt has its words. DONE, or WORKER_... after words. */
int folder_run(const folder *f, const char *name, char *const *argv);
int folder_say(const char *what, const char *path); /* a line with errno; 0 */
/* Is where fit to hold folders, and does everybody know it? DONE, or after a line. */
int folder_prepare(const request *r, const char *where);

/* ---- question.c: the protocol, seen by a worker --------------------------------------------------------- */

typedef struct asked {
    unsigned long long id;
    size_t npoints, ncomp;
    int each; /* every component has points of its own */
    char *text;
    size_t size, room;
} asked;

int asked_read(asked *q); /* 0: there is none */

typedef struct numbers {
    double *at;
    size_t count, room;
} numbers;

typedef struct answerer { /* who finds values */
    size_t d;
    int by_case; /* a run gives the value of one case, and not those of all */
    /* Puts them into got. DONE, or WORKER_...: it failed, and said why on standard error. */
    int (*run)(void *ctx, const double *x, size_t component);
    void *ctx;
    const numbers *got;
} answerer;

int asked_answer(const asked *q, const answerer *a); /* on standard output. DONE, or WORKER_... */

/* ---- template.c ------------------------------------------------------------------------------------------ */

typedef struct template
{
    char *text;
    size_t size;
    char file[256]; /* that it becomes */
}
template;

typedef struct values {      /* what stands for names */
    const parameters *known; /* or NULL: x0, x1, ... */
    size_t d;
    const double *x; /* parameters in their own units */
    size_t component;
} values;

/* "TPL=FILE". DONE, or REFUSED after a line. */
int template_open(template *t, const char *spec);
void template_close(template *t);
/* The text with its names replaced; free takes it. NULL: out of memory. */
char *template_fill(const char *text, const values *v, size_t *size);
/* What text names: used gets a mark for each of d parameters; 1: {case} is named. digits: the fewest that a format keeps.
 * -1 after a line, with where in it: a format that is none, or a name that is none of the parameters. */
int template_names(const char *text, const char *where, const values *v, unsigned char *used,
                   int *digits);

/* ---- reader.c: numbers out of files ----------------------------------------------------------------------- */

int reader_check(const char *spec); /* DONE, or REFUSED after a line */
/* Adds what spec names. DONE, or WORKER_... after words on standard error. */
int reader_take(const char *spec, const folder *f, numbers *out);
int numbers_add(numbers *n, double v); /* 0: out of memory */

/* ---- dakota.c ---------------------------------------------------------------------------------------------- */

char *dakota_params(const values *v, size_t functions, unsigned long long id, int aprepro,
                    size_t *size);
/* DONE, or WORKER_... after words on standard error. */
int dakota_results(const folder *f, size_t functions, numbers *out);

#endif
