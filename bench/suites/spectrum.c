/* Four peaks, measured with a small ripple that no peak explains.
 * SPDX-License-Identifier: MIT */
#include "spectrum.h"

#include <math.h>

static const double truth[SPECTRUM_D] = {1.0, 2.0, 0.4, 0.7, 4.0, 0.6,
                                         1.3, 6.3, 0.5, 0.5, 8.3, 0.7};
static const double guess[SPECTRUM_D] = {0.8, 2.3, 0.6, 0.8, 4.3, 0.6,
                                         1.0, 6.0, 0.6, 0.8, 8.0, 0.6};

static double spectrum(const double *x, double t)
{
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        double u = (t - x[3 * k + 1]) / x[3 * k + 2];
        sum += x[3 * k] * exp(-0.5 * u * u);
    }
    return sum;
}

void spectrum_start(double *x)
{
    for (int j = 0; j < SPECTRUM_D; j++) x[j] = guess[j];
}

void spectrum_residuals(const double *x, double *r)
{
    for (int i = 0; i < SPECTRUM_N; i++) {
        double t = 10.0 * i / (SPECTRUM_N - 1), ripple = 0.01 * sin(37.0 * i * i + 11.0 * i);
        r[i] = spectrum(x, t) - spectrum(truth, t) - ripple;
    }
}

double spectrum_least(void) { return 3.2983551281e-03; }
