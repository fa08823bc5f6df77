/* The chosen lambda and the least values known (choose.py). Some counts cannot be halved: coordinates that are alike vanish together,
 * Powell's function is least at 0, of linear functions of rank 1 one coordinate is best.
 * SPDX-License-Identifier: MIT */
#include "l1.h"

/* clang-format off */
const l1_problem l1_problems[L1_COUNT] = {
    {0, 1, 42.75}, /* 0 of 9 vanish */
    {1, 0.995, 42.72744375}, /* 0 of 9 vanish */
    {2, 0.001, 8.3802877887}, /* 4 of 7 vanish */
    {3, 0.000181, 8.3802827829}, /* 3 of 7 vanish */
    {4, 3.16e+03, 27.92797155}, /* 6 of 7 vanish */
    {5, 0.0001, 9.8805978045}, /* 5 of 7 vanish */
    {6, 1.78, 0.99168159981}, /* 1 of 2 vanish */
    {7, 1.78, 0.99168159981}, /* 1 of 2 vanish */
    {8, 100, 75}, /* 2 of 3 vanish */
    {9, 100, 75}, /* 2 of 3 vanish */
    {10, 1e+06, 0}, /* 4 of 4 vanish */
    {11, 1e+06, 0}, /* 4 of 4 vanish */
    {12, 100, 249.06977192}, /* 1 of 2 vanish */
    {13, 100, 249.06977192}, /* 1 of 2 vanish */
    {14, 10, 28.348052508}, /* 1 of 3 vanish */
    {15, 10, 28.348052508}, /* 1 of 3 vanish */
    {16, 0.1, 0.022931686052}, /* 2 of 4 vanish */
    {17, 1.8e+06, 1165718621.8}, /* 0 of 3 vanish */
    {18, 25.5, 22.396193343}, /* 3 of 6 vanish */
    {19, 25.5, 22.396193343}, /* 3 of 6 vanish */
    {20, 0.1, 0.15207042206}, /* 4 of 9 vanish */
    {21, 0.1, 0.15207042206}, /* 4 of 9 vanish */
    {22, 0.1, 0.15194074299}, /* 6 of 12 vanish */
    {23, 0.1, 0.15194074299}, /* 6 of 12 vanish */
    {24, 0.000676, 0.0078713566414}, /* 0 of 3 vanish */
    {25, 3.16e+03, 1198.9552243}, /* 1 of 2 vanish */
    {26, 1e+04, 289389.31235}, /* 2 of 4 vanish */
    {27, 1e+04, 289389.31235}, /* 2 of 4 vanish */
    {28, 3.16, 2.7916963492}, /* 2 of 6 vanish */
    {29, 10, 4.5047984617}, /* 2 of 7 vanish */
    {30, 10, 4.7432805813}, /* 3 of 8 vanish */
    {31, 10, 4.9449714383}, /* 4 of 9 vanish */
    {32, 10, 5.1293053391}, /* 4 of 10 vanish */
    {33, 10, 5.2944205101}, /* 4 of 11 vanish */
    {34, 220, 1090}, /* 7 of 10 vanish */
    {35, 6.22, 4.7570996605}, /* 2 of 5 vanish */
    {36, 0.316, 1.023247701}, /* 5 of 11 vanish */
    {37, 0.1, 1.4057477115}, /* 5 of 11 vanish */
    {38, 0.0316, 10.296478336}, /* 4 of 8 vanish */
    {39, 23.9, 53.999062533}, /* 4 of 10 vanish */
    {40, 23.9, 62.998906293}, /* 4 of 11 vanish */
    {41, 23.9, 71.998750052}, /* 4 of 12 vanish */
    {42, 0.316, 0.41927581251}, /* 2 of 5 vanish */
    {43, 0.316, 0.41927581251}, /* 3 of 6 vanish */
    {44, 0.1, 0.18442155466}, /* 4 of 8 vanish */
    {45, 2.74e+08, 54037456689}, /* 2 of 5 vanish */
    {46, 2.74e+08, 54037456689}, /* 2 of 5 vanish */
    {47, 2.64e+08, 72789336517}, /* 4 of 8 vanish */
    {48, 2.55e+08, 81270788014}, /* 5 of 10 vanish */
    {49, 2.37e+08, 86800115360}, /* 6 of 12 vanish */
    {50, 2.37e+08, 86800115360}, /* 6 of 12 vanish */
    {51, 31.6, 127.77741641}, /* 5 of 8 vanish */
    {52, 31.6, 127.77741641}, /* 5 of 8 vanish */
};
/* clang-format on */
