/* Functional Mock-up Units, for co-simulation: unpacked, described, run. SPDX-License-Identifier: MIT
 *
 *     model.fmu -> folder (unpack.c) -> modelDescription.xml (describe.c) -> a run (run.c) by its functions (fmi2.c, fmi3.c)
 *
 * What is declared here of FMI 2.0 and 3.0 is written from the standard (fmi-standard.org). */
#ifndef ZO_TOOL_FMU_H
#define ZO_TOOL_FMU_H

#include "files/files.h"

typedef struct fmu_variable {
    char *name;
    unsigned reference;
    unsigned char real;  /* a double, and one of it */
    unsigned char may;   /* FMU_...: when it may be set */
    unsigned char shown; /* 1: a parameter of the model's */
} fmu_variable;

enum { FMU_NEVER, FMU_BEFORE, FMU_WITHIN }; /* initialization mode */
enum { FMU_WARNING = 1 };                   /* a status above it: a call has failed */

typedef struct fmu_model {
    int version; /* 2 or 3 */
    char *token; /* FMI 2: guid */
    char *identifier;
    int any_step;                        /* communication steps may differ */
    double start, stop, step, tolerance; /* NaN: not said */
    fmu_variable *at;
    size_t count;
} fmu_model;

/* ---- unpack.c -------------------------------------------------------------------------------------------- */

typedef struct fmu_folder {
    char path[LONGEST_PATH];
    int held; /* descriptor: as long as somebody has it, the folder stays */
} fmu_folder;

/* The folder in where with the FMU's files; fmu_release lets go of it, and removes it if nobody else holds it. DONE, or
 * after a line. */
int fmu_unpack(fmu_folder **f, const char *where, const char *path);

/* ---- describe.c ------------------------------------------------------------------------------------------ */

/* modelDescription.xml in the folder. DONE, or REFUSED after a line; either way fmu_forget releases it. */
int fmu_describe(fmu_model *m, const char *where, const char *path);
void fmu_forget(fmu_model *m);
const fmu_variable *fmu_find(const fmu_model *m, const char *name); /* NULL: there is none */

/* ---- fmi2.c, fmi3.c: a row for each version of the standard ----------------------------------------------- */

typedef struct fmu_unit { /* its shared object, and the instance of a run */
    const fmu_model *model;
    void *object;
    char resources[3 * LONGEST_PATH];
    void *instance;
} fmu_unit;

typedef struct fmu_standard {
    const char *platform; /* folder of binaries for this machine; NULL: the standard knows none */
    /* Each: 0, or what failed. */
    const char *(*begin)(fmu_unit *u); /* a new instance */
    const char *(*set)(fmu_unit *u, unsigned reference, double v);
    const char *(*get)(fmu_unit *u, unsigned reference, double *v);
    const char *(*enter)(fmu_unit *u, double stop); /* initialization mode */
    const char *(*step)(fmu_unit *u, double from, double by);
    /* Names of functions that have the same form in each: out of initialization mode, and the end. */
    const char *leave, *terminate, *release;
} fmu_standard;

const fmu_standard *fmu_standard_2(void);
const fmu_standard *fmu_standard_3(void);

/* ---- object.c -------------------------------------------------------------------------------------------- */

int fmu_load(fmu_unit *u, const char *path, const char *where); /* DONE, or after a line */
/* Fills the pointer to the function of this name. 0: there is none. */
int fmu_function(fmu_unit *u, const char *name, void *function, size_t size);
const char *fmu_leave(fmu_unit *u, const fmu_standard *by); /* 0, or what failed */
void fmu_end(fmu_unit *u, const fmu_standard *by);          /* of its instance */

/* ---- moments.c: which values are read, and when ------------------------------------------------------------ */

typedef struct fmu_moment {
    double time;
    unsigned reference;
    size_t place; /* among the values of a run */
} fmu_moment;

typedef struct fmu_moments {
    fmu_moment *at; /* by time */
    size_t count, room;
    double step;
} fmu_moments;

/* --read NAME, NAME@TIME, NAME@FROM:STEP:TO, NAME@FILE. DONE, or REFUSED after a line. */
int fmu_moments_of(fmu_moments *out, const fmu_model *m, const request *r);

#endif
