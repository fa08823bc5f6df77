/* Functions of one number, with the same bytes on every machine and with every libc: libm's own differ in the last digit.
 * SPDX-License-Identifier: MIT
 *
 * sqrt, fma, floor, ldexp and the like are exact everywhere and need no other name. */
#ifndef ZO_BASE_REAL_H
#define ZO_BASE_REAL_H

static inline double square(double x) { return x * x; }
double real_exp(double x);
double real_log(double x);
double real_log1p(double x);         /* log(1 + x), x > -1 */
double real_pow(double x, double y); /* x^y, x >= 0: relative error about |y log x| 2^-52 */
double real_cbrt(double x);          /* x >= 0 */
double real_sin(double x);           /* absolute error about |x| 2^-53 */
double real_cos(double x);
double real_erfc(double x); /* relative error about (1 + x^2) 2^-51 */

#endif
