/* inq: shapes. What the spans of all components have in common, so that one gradient gives a span away.
 * SPDX-License-Identifier: MIT
 *
 * To add one: a file with its row, the row's name in INQ_SHAPES, and a test (tests/inq/test_inq_guess.c). */
#ifndef ZO_METHOD_SUBSPACES_SHAPE_H
#define ZO_METHOD_SUBSPACES_SHAPE_H

#include "method/subspaces/span.h"

typedef struct form {
    const struct shape_row *is; /* NULL: there is none */
    size_t outputs, inputs;     /* rows and columns of x as a matrix; 1: it is none */
    double mu;                  /* the ridge that gradients have beside it */
} form;

/* A component's gradient at z, and what is left of it without the ridge mu; blur: what errors of differences make of nothing. */
typedef struct sight {
    uint64_t i;
    const double *gradient, *z, *slope;
    double blur;
} sight;

/* What is looked at: components with a gradient each, in rows (dir), of which the first few have another one at x. */
typedef struct pairs {
    uint64_t comp[CHECKED + TESTED];
    size_t count, twice;
    const double *now; /* rows: the other one */
} pairs;

/* Curvature within a span of so many directions that is measured, once for each component (curvature.c): those that a less special shape
 * guessed, too, so it is for any rank. */
typedef struct shape_curvature {
    size_t (*count)(size_t rank);                     /* points, 1 to SPAN (SPAN + 1)/2; */
    void (*point)(size_t rank, size_t q, double c[]); /* the q-th is x + radius U'c: c is 0 */
    /* half[q] = c'Bc/2 of each: B, which is 0, and need not be known from all of it. */
    void (*learn)(size_t rank, const double *half, double b[SPAN][SPAN]);
} shape_curvature;
extern const shape_curvature all_second_differences; /* of any B */

typedef struct shape_row {
    const char *says; /* for the report */
    int special;      /* of two that leave as little unexplained the one with more of it wins */
    int axes;         /* 1: spans are a few axes */
    int (*suits)(const inq *s, size_t outputs); /* may x be so, with as many outputs? */
    /* Does the gradient look so? Its span: *rank rows of d numbers, or none where rows is NULL. told is in use. */
    int (*span)(inq *s, form f, const sight *g, double *rows, size_t *rank);
    /* Is a slope with so many entries more than one that any shape has? NULL: always. */
    int (*tells)(form f, size_t entries);
    /* The ridge: beside one gradient; NULL: f.mu. And of all, where they do not look so with f.mu; or NULL. */
    double (*ridge_at)(inq *s, const double *gradient, const double *z);
    double (*ridge)(inq *s, form f, const pairs *seen);
    size_t (*place)(form f, size_t k, size_t j); /* matrices: where entry (k, j) of X is in x */
    const shape_curvature *curvature;            /* NULL: it is learnt from changes of slopes */
} shape_row;

const shape_row *inq_shape(const inq *s); /* that spans have; NULL: none (guess.c) */

/* All of them: shape.kind is the place in this list, from 1 on, and a new one goes to its end. */
/* clang-format off */
#define INQ_SHAPES(SHAPE) \
    SHAPE(axes) \
    SHAPE(by_rows) \
    SHAPE(by_columns) \
    SHAPE(by_rows_and_ends) \
    SHAPE(fewer_axes)
/* clang-format on */
#define SHAPE_ROW(name) extern const shape_row shape_##name;
INQ_SHAPES(SHAPE_ROW)
#undef SHAPE_ROW

#endif
