/* A spectrum of four peaks on 80 channels: d = 12 (height, centre, width of each), n = 80.
 * SPDX-License-Identifier: MIT
 *
 *     r_i = sum_k h_k exp(-((t_i - c_k)/s_k)^2/2) - y_i,   t_i = 10 i/79 */
#ifndef BENCH_SPECTRUM_H
#define BENCH_SPECTRUM_H

enum { SPECTRUM_D = 12, SPECTRUM_N = 80 };

void spectrum_start(double *x);
void spectrum_residuals(const double *x, double *r);
double spectrum_least(void); /* the least sum of squares known */

#endif
