/* The rough functions.
 * SPDX-License-Identifier: MIT */
#include "rough.h"

#include <math.h>

static double rosenbrock(size_t d, const double *x)
{
    double sum = 0;
    for (size_t j = 0; j + 1 < d; j++) {
        double valley = x[j + 1] - x[j] * x[j], rest = 1 - x[j];
        sum += 100 * valley * valley + rest * rest;
    }
    return sum;
}

static double whole_bowl(size_t d, const double *x)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++) sum += floor(x[j] + 0.5) * floor(x[j] + 0.5);
    return sum;
}

static double absolute(size_t d, const double *x)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++) sum += fabs(x[j] - sqrt((double)j));
    return sum;
}

static void rosenbrock_start(size_t d, double *x)
{
    for (size_t j = 0; j < d; j++) x[j] = j % 2 ? 1 : -1.2;
}

static void far(size_t d, double *x)
{
    for (size_t j = 0; j < d; j++) x[j] = j % 2 ? 10.2 : -7.3;
}

const rough_problem rough_problems[ROUGH_COUNT] = {
    {"Rosenbrock 10 noise 1e-3", 10, 1e-3, rosenbrock, rosenbrock_start},
    {"Rosenbrock 10 noise 0.1", 10, 0.1, rosenbrock, rosenbrock_start},
    {"Rosenbrock 30 noise 1e-3", 30, 1e-3, rosenbrock, rosenbrock_start},
    {"Rosenbrock 30 noise 0.1", 30, 0.1, rosenbrock, rosenbrock_start},
    {"bowl of whole numbers 10", 10, 0, whole_bowl, far},
    {"sum of absolute values 10", 10, 0, absolute, far},
};
