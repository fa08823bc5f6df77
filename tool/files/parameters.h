/* Parameters by name: units, ranges, log scale, fixed values, as a small TOML or JSON file says.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_PARAMETERS_H
#define ZO_TOOL_PARAMETERS_H

#include "core/tool.h"

enum { LONGEST_NAME = 63, LONGEST_UNIT = 31 };

/* All numbers are in the parameter's own unit, whatever the solver's coordinate is. */
typedef struct parameter {
    char name[LONGEST_NAME + 1], unit[LONGEST_UNIT + 1];
    double low, high; /* infinite: no bound; equal: fixed */
    double start;
    int log; /* the solver's coordinate is its logarithm */
} parameter;

typedef struct parameters {
    parameter *at;
    size_t count;
    const char **names; /* count of them */
    unsigned char *log; /* count flags; NULL: none is */
    double *low, *high; /* bounds of coordinates; */
    double *start;      /* where they begin; */
    double *scale;      /* a large change of each, NULL: not known of all */
    zo_block part[2];   /* of psi: what is asked for, and the bounds */
    int bounded;        /* 1: there are any */
} parameters;

/* DONE, or REFUSED after a line. NULL for a path that is NULL. */
int parameters_open(parameters **out, const char *path);
void parameters_free(parameters *p); /* takes NULL */

/* Between the solver's coordinate j and the parameter. */
double parameter_value(const parameters *p, size_t j, double coordinate);
double parameter_coordinate(const parameters *p, size_t j, double value);

/* "NAME = VALUE", a line each, in full or not at all; and back, or plain numbers. DONE, or after a line. */
int parameters_save(const parameters *p, const char *path, const double *x);
int parameters_load(const parameters *p, const char *path, double *x);

#endif
