/* zoprox_data.h - data sets and the built-in problems over them.
 * SPDX-License-Identifier: MIT */
#ifndef ZOPROX_DATA_H
#define ZOPROX_DATA_H

#include "zoprox.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Data: n rows (z_i, y_i), z_i in R^features, sparse or dense ------------------------------- */

typedef struct zo_data zo_data;

typedef struct zo_data_facts {
    /* of a part that a rank has (zoprox_spread.h): n of the whole, the rest of the part */
    size_t n, features, nonzeros;
    int dense;              /* 1: stored as full rows */
    double least, greatest; /* label */
    size_t labels;          /* distinct ones, counted up to 1001 */
    uint64_t fingerprint;   /* of the values */
} zo_data_facts;

/* A LIBSVM file, plain or compressed (gz, bz2, xz, zst); "-" is standard input. Every fault is named with
 * line and column. features: 0 takes the largest index. */
ZO_API zo_status zo_data_read(zo_data **out, const char *path, size_t features, zo_error *err);
/* "n=1000,d=20,density=0.1,...": see docs/data.md. "" is the embedded default, sized like a9a. */
ZO_API zo_status zo_data_synth(zo_data **out, const char *spec, zo_error *err);
/* Borrowed arrays: row has n+1 offsets into col and val; columns rise within a row. */
ZO_API zo_status zo_data_csr(zo_data **out, size_t n, size_t features, const uint64_t *row,
                             const uint32_t *col, const double *val, const double *label,
                             zo_error *err);
ZO_API zo_status zo_data_dense(zo_data **out, size_t n, size_t features, const double *val,
                               const double *label, zo_error *err);
ZO_API zo_data_facts zo_data_look(const zo_data *data);
ZO_API void zo_data_free(zo_data *data);

/* ---- Losses: f_i(x) = loss(z_i'x, y_i) + (l2/2) |x|^2 ------------------------------------------ */

typedef enum zo_loss {
    ZO_LOGISTIC,     /* log(1 + exp(-y m)),  y = -1, +1 */
    ZO_SQUARED,      /* (m - y)^2 / 2 */
    ZO_HUBER,        /* r = m - y: r^2/2 if |r| <= 1, |r| - 1/2 otherwise */
    ZO_SMOOTH_HINGE, /* t = 1 - y m: 0, t^2/2, t - 1/2 for t <= 0, 0 < t < 1, t >= 1 */
    ZO_SIGMOID,      /* 1/(1 + exp(y m)), not convex */
    ZO_SOFTMAX       /* log sum_c exp(m_c) - m_y, x = one row of features per class */
} zo_loss;

typedef struct zo_loss_row {
    const char *name, *formula, *labels;
    int convex;
} zo_loss_row;
ZO_API const zo_loss_row *zo_loss_rows(size_t *count);
ZO_API zo_status zo_loss_parse(zo_loss *out, const char *name, zo_error *err);

/* A built-in problem over data, which must outlive it. Fill in problem->psi yourself. threads: 0 means all
 * cores; the answers' bytes never depend on it. Solvers in several threads may share it; it answers one fan at a time. */
typedef struct zo_model zo_model;
ZO_API zo_status zo_model_new(zo_model **out, const zo_data *data, zo_loss loss, double l2,
                              int threads, zo_problem *problem, zo_error *err);
ZO_API void zo_model_free(zo_model *model);

/* ---- The reference optimum of a convex built-in problem, by first-order means ------------------ */

typedef struct zo_optimum {
    double objective;  /* F at x */
    double bound;      /* objective - F* is at most this, rounding included */
    const char *proof; /* "prox-gradient norm", "duality gap", "F is not negative", or "none" */
    size_t iterations;
} zo_optimum;

/* x: d numbers, the start on entry and the minimizer on return, an output of the prox. psi NULL: zero. relative: the
 * wanted bound / |F|, 1e-13 say. Where it cannot be proved (no strong convexity, and a psi without a usable dual) the
 * best that can be is in out->bound: look there. A loss that is not convex is refused. Memory: the square of the
 * coordinates that are not at a kink of psi, at most. */
ZO_API zo_status zo_find_optimum(zo_optimum *out, const zo_model *model, const zo_prox *psi,
                                 double relative, double *x, zo_error *err);

#ifdef __cplusplus
}
#endif
#endif
