/* Built-in problems: f_i(x) = loss(z_i'x, y_i) + (l2/2)|x|^2, with what first-order code may see of them.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_MODEL_H
#define ZO_MODEL_H

#include <pthread.h>

#include "base/pool.h"
#include "data/data.h"
#include "zoprox_data.h"

struct zo_model {
    const zo_data *data;
    zo_loss loss;
    double l2;
    size_t n, d;
    size_t classes; /* softmax: d = classes * features; 1 otherwise */
    /* of the rows that are here: the label as the loss wants it (-1/+1, a class number, or
     * itself) */
    double *target;
    pool *threads;
    /* scratch of the kernels */
    struct kernel *kernel;
    /* one fan at a time: the scratch is the model's, and solvers in several threads may share it */
    pthread_mutex_t one;
};

int model_answer(void *model, const zo_fan *fan, double *out);
extern const struct zo_inside model_inside;

/* Derivatives of loss(m, y) in m: for src/optimum only, never for a method. */
double loss_value(zo_loss loss, double m, double y);
double loss_slope(zo_loss loss, double m, double y);
/* generalised where the loss has kinks in its slope */
double loss_curvature(zo_loss loss, double m, double y);

#endif
