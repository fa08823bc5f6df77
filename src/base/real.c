/* Functions of one number, from those of vmath.
 * SPDX-License-Identifier: MIT */
#include "base/real.h"

#include <math.h>

#include "base/vmath.h"

double real_exp(double x) { return vmath_best()->exp_one(x); }

double real_log(double x) { return vmath_best()->log_one(x); }

/* What 1 + x rounds off is made good (W. Kahan). */
double real_log1p(double x)
{
    double u = 1 + x;
    return u == 1 ? x : real_log(u) * x / (u - 1);
}

double real_pow(double x, double y)
{
    if (y == 0) return 1;
    return real_exp(y * real_log(x));
}

/* One step of Newton from a good start. */
double real_cbrt(double x)
{
    if (!(x > 0) || isinf(x)) return x;
    double y = real_exp(real_log(x) / 3);
    return y - (y - x / (y * y)) / 3;
}

static void turn(double x, double *cosine, double *sine)
{
    double u = x * 0x1.45f306dc9c883p-3; /* 1/(2 pi) */
    vmath_best()->turn(u - floor(u), cosine, sine);
}

double real_sin(double x)
{
    double c, s;
    turn(x, &c, &s);
    return s;
}

double real_cos(double x)
{
    double c, s;
    turn(x, &c, &s);
    return c;
}

static const double root_pi = 0x1.c5bf891b4ef6bp+0;

/* erf(x) = (2/sqrt(pi)) e^(-x^2) sum_k 2^k x^(2k+1)/(1 3 5 ... (2k+1)): all terms are positive. */
static double erf_series(double x)
{
    double term = x, sum = x;
    for (int k = 1; k < 200 && fabs(term) > 0x1p-60 * fabs(sum); k++) {
        term *= 2 * x * x / (2 * k + 1);
        sum += term;
    }
    return 2 / root_pi * real_exp(-x * x) * sum;
}

/* erfc(x) = e^(-x^2)/sqrt(pi) / (x + (1/2)/(x + (2/2)/(x + (3/2)/(x + ...)))), x > 5/4 */
static double erfc_fraction(double x)
{
    double t = x;
    for (int k = 200; k > 0; k--) t = x + 0.5 * k / t;
    return real_exp(-x * x) / (root_pi * t);
}

double real_erfc(double x)
{
    if (x > 1.25) return erfc_fraction(x);
    if (x < -1.25) return 2 - erfc_fraction(-x);
    return x == x ? 1 - erf_series(x) : x;
}
