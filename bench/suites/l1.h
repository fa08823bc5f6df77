/* Moré-Wild's problems with an l1 term that makes half of the coordinates vanish (bench/suites/choose.py found lambda).
 * SPDX-License-Identifier: MIT
 *
 *     minimize  sum_i r_i(x)^2 + lambda |x|_1 */
#ifndef BENCH_L1_H
#define BENCH_L1_H

#include <stddef.h>

typedef struct l1_problem {
    size_t morewild; /* index in mw_problems */
    double lambda;
    double best;     /* the least value known */
    double peers[3]; /* evaluations of the best of seven peers (suites.sh l1) to 1e-3, 1e-5, 1e-7 */
} l1_problem;

enum { L1_COUNT = 53 };
extern const l1_problem l1_problems[L1_COUNT];

#endif
