/* Components and starts of the partially separable functions, from the published formulas.
 * SPDX-License-Identifier: MIT
 *
 * Coordinates and components count from 0 here, from 1 in the papers. */
#include "separable.h"

#include <math.h>

#define PI 3.14159265358979323846

static double square(double v) { return v * v; }
static double fourth(double v) { return square(square(v)); }

/* ---- components: f_i(x) ------------------------------------------------------------------------------ */

static double arwhead(size_t d, size_t i, const double *x)
{
    return square(square(x[i]) + square(x[d - 1])) - 4 * x[i] + 3;
}

static double bdqrtic(size_t d, size_t i, const double *x)
{
    return square(3 - 4 * x[i]) +
           square(square(x[i]) + 2 * square(x[i + 1]) + 3 * square(x[i + 2]) +
                  4 * square(x[i + 3]) + 5 * square(x[d - 1]));
}

static double beale(size_t d, size_t i, const double *x)
{
    double u = x[2 * i], v = x[2 * i + 1];
    (void)d;
    return square(1.5 - u * (1 - v)) + square(2.25 - u * (1 - v * v)) +
           square(2.625 - u * (1 - v * v * v));
}

static double tridiagonal(size_t d, size_t i, const double *x)
{
    double before = i ? x[i - 1] : 0, behind = i + 1 < d ? x[i + 1] : 0;
    return (3 - 2 * x[i]) * x[i] - before - 2 * behind + 1;
}

static double broyden3(size_t d, size_t i, const double *x) { return square(tridiagonal(d, i, x)); }

static double broyden7(size_t d, size_t i, const double *x)
{
    double f = pow(fabs(tridiagonal(d, i, x)), 7.0 / 3);
    return i < d / 2 ? f + pow(fabs(x[i] + x[i + d / 2]), 7.0 / 3) : f;
}

static double banded(size_t d, size_t i, const double *x)
{
    double r = x[i] * (2 + 5 * square(x[i])) + 1;
    for (size_t j = i < 5 ? 0 : i - 5; j <= i + 1 && j < d; j++)
        if (j != i) r -= x[j] * (1 + x[j]);
    return square(r);
}

static double cosine(size_t d, size_t i, const double *x)
{
    (void)d;
    return cos(square(x[i]) - 0.5 * x[i + 1]);
}

static double cragg_levy(size_t d, size_t i, const double *x)
{
    const double *v = x + 2 * i;
    (void)d;
    return fourth(exp(v[0]) - v[1]) + 100 * square(v[1] - v[2]) * fourth(v[1] - v[2]) +
           fourth(tan(v[2] - v[3]) + v[2] - v[3]) + square(fourth(v[0])) + square(v[3] - 1);
}

/* Dixon and Maany's A and E: 1 is spread over the components. */
static double maany(size_t d, size_t i, const double *x, double a)
{
    size_t m = d / 3;
    double f = a * square(x[i]) + 1 / (double)d;
    if (i < 2 * m) f += 0.125 * square(x[i]) * fourth(x[i + m]);
    if (i < m) f += 0.125 * a * x[i] * x[i + 2 * m];
    return f;
}

static double maany_a(size_t d, size_t i, const double *x) { return maany(d, i, x, 1); }

static double maany_e(size_t d, size_t i, const double *x)
{
    return maany(d, i, x, (double)(i + 1) / (double)d);
}

static double dixon(size_t d, size_t i, const double *x)
{
    if (i == 0) return square(x[0] - 1);
    return square(i < d ? x[i - 1] - x[i] : x[d - 1] - 1);
}

static double dqdrtic(size_t d, size_t i, const double *x)
{
    (void)d;
    return square(x[i]) + 100 * square(x[i + 1]) + 100 * square(x[i + 2]);
}

static double quartic(size_t d, size_t i, const double *x)
{
    (void)d;
    return fourth(x[i] - (double)(i + 1));
}

static double edensch(size_t d, size_t i, const double *x)
{
    return 16 / (double)(d - 1) + fourth(x[i] - 2) + square(x[i] * x[i + 1] - 2 * x[i + 1]) +
           square(x[i + 1] + 1);
}

static double eg2(size_t d, size_t i, const double *x)
{
    return i + 1 < d ? sin(x[0] + square(x[i]) - 1) : 0.5 * sin(square(x[i]));
}

static double engval(size_t d, size_t i, const double *x)
{
    (void)d;
    return square(square(x[i]) + square(x[i + 1])) - 4 * x[i] + 3;
}

static double extended_rosenbrock(size_t d, size_t i, const double *x)
{
    (void)d;
    return i ? 100 * square(x[i] - square(x[i - 1])) : square(x[0] - 1);
}

static double fletcher(size_t d, size_t i, const double *x)
{
    (void)d;
    return 100 * square(x[i + 1] - square(x[i])) + square(x[i] - 1);
}

static double freudenstein(size_t d, size_t i, const double *x)
{
    double u = x[i], v = x[i + 1];
    (void)d;
    return square(u - 13 + ((5 - v) * v - 2) * v) + square(u - 29 + ((v + 1) * v - 14) * v);
}

static double genrose(size_t d, size_t i, const double *x)
{
    return 1 / (double)(d - 1) + 100 * square(x[i + 1] - square(x[i])) + square(x[i + 1] - 1);
}

static double himmelblau(size_t d, size_t i, const double *x)
{
    double u = x[2 * i], v = x[2 * i + 1];
    (void)d;
    return square(u * u + v - 11) + square(u + v * v - 7);
}

static double liarwhd(size_t d, size_t i, const double *x)
{
    (void)d;
    return 4 * square(square(x[i]) - x[0]) + square(x[i] - 1);
}

static double boundary(size_t d, size_t i, const double *x)
{
    double h = 1 / (double)(d + 1), t = (double)(i + 1) * h, u = x[i] + t + 1;
    double before = i ? x[i - 1] : 0, behind = i + 1 < d ? x[i + 1] : 0;
    return square(2 * x[i] - before - behind + h * h / 2 * u * u * u);
}

static double noncvxun(size_t d, size_t i, const double *x)
{
    double u = x[i] + x[(2 * i + 1) % d] + x[(3 * i + 2) % d];
    return square(u) + 4 * cos(u);
}

static double nondia(size_t d, size_t i, const double *x)
{
    (void)d;
    return i ? 100 * square(x[0] - square(x[i - 1])) : square(x[0] - 1);
}

static double nondquar(size_t d, size_t i, const double *x)
{
    if (i + 2 < d) return fourth(x[i] + x[i + 1] + x[d - 1]);
    return i + 2 == d ? square(x[0] - x[1]) : square(x[d - 2] - x[d - 1]);
}

static double powell(size_t d, size_t i, const double *x)
{
    const double *v = x + 4 * i;
    (void)d;
    return square(v[0] + 10 * v[1]) + 5 * square(v[2] - v[3]) + fourth(v[1] - 2 * v[2]) +
           10 * fourth(v[0] - v[3]);
}

static double schmidt_vetters(size_t d, size_t i, const double *x)
{
    double u = x[i], v = x[i + 1], w = x[i + 2];
    (void)d;
    return -1 / (1 + square(u - v)) - sin((PI * v + w) / 2) - exp(-square((u + w) / v - 2));
}

static double sinquad(size_t d, size_t i, const double *x)
{
    if (i == 0) return fourth(x[0] - 1);
    if (i + 1 == d) return square(square(x[i]) - square(x[0]));
    return square(sin(x[i] - x[d - 1]) - square(x[0]) + square(x[i]));
}

static double sparsine(size_t d, size_t i, const double *x)
{
    double sum = sin(x[i]);
    for (size_t k = 2; k <= 11; k++)
        if (k == 2 || k == 3 || k == 5 || k == 7 || k == 11) sum += sin(x[(k * i + k - 1) % d]);
    return 0.5 * (double)(i + 1) * square(sum);
}

static double rosenbrock(size_t d, size_t i, const double *x)
{
    (void)d;
    return 100 * square(x[2 * i + 1] - square(x[2 * i])) + square(x[2 * i] - 1);
}

static double toint_gauss(size_t d, size_t i, const double *x)
{
    double w = square(x[i + 2]);
    return (10 / (double)(d - 2) + w) * (2 - exp(-square(x[i] - x[i + 1]) / (0.1 + w)));
}

static double tquartic(size_t d, size_t i, const double *x)
{
    (void)d;
    return i ? square(square(x[0]) - square(x[i])) : square(x[0] - 1);
}

static double tridia(size_t d, size_t i, const double *x)
{
    (void)d;
    return i ? (double)(i + 1) * square(2 * x[i] - x[i - 1]) : square(x[0] - 1);
}

static double wood(size_t d, size_t i, const double *x)
{
    const double *v = x + 4 * i;
    (void)d;
    return 100 * square(v[1] - square(v[0])) + square(1 - v[0]) + 90 * square(v[3] - square(v[2])) +
           square(1 - v[2]) + 10 * square(v[1] + v[3] - 2) + 0.1 * square(v[1] - v[3]);
}

/* ---- starts ------------------------------------------------------------------------------------------ */

static void repeat(size_t d, size_t period, const double *v, double *x)
{
    for (size_t j = 0; j < d; j++) x[j] = v[j % period];
}

static void zero(size_t d, double *x) { repeat(d, 1, (double[]){0}, x); }
static void one(size_t d, double *x) { repeat(d, 1, (double[]){1}, x); }
static void minus_one(size_t d, double *x) { repeat(d, 1, (double[]){-1}, x); }
static void two(size_t d, double *x) { repeat(d, 1, (double[]){2}, x); }
static void three(size_t d, double *x) { repeat(d, 1, (double[]){3}, x); }
static void four(size_t d, double *x) { repeat(d, 1, (double[]){4}, x); }
static void eight(size_t d, double *x) { repeat(d, 1, (double[]){8}, x); }
static void half(size_t d, double *x) { repeat(d, 1, (double[]){0.5}, x); }
static void tenth(size_t d, double *x) { repeat(d, 1, (double[]){0.1}, x); }
static void beale_start(size_t d, double *x) { repeat(d, 2, (double[]){1, 0.8}, x); }
static void rosenbrock_start(size_t d, double *x) { repeat(d, 2, (double[]){-1.2, 1}, x); }
static void alternating(size_t d, double *x) { repeat(d, 2, (double[]){1, -1}, x); }
static void powell_start(size_t d, double *x) { repeat(d, 4, (double[]){3, -1, 0, 1}, x); }
static void wood_start(size_t d, double *x) { repeat(d, 2, (double[]){-3, -1}, x); }

static void cragg_levy_start(size_t d, double *x)
{
    two(d, x);
    x[0] = 1;
}

static void freudenstein_start(size_t d, double *x)
{
    zero(d, x);
    x[0] = 0.5;
    x[1] = -2;
}

static void parts(size_t d, double *x)
{
    for (size_t j = 0; j < d; j++) x[j] = (double)(j + 1) / (double)(d + 1);
}

static void boundary_start(size_t d, double *x)
{
    for (size_t j = 0; j < d; j++) {
        double t = (double)(j + 1) / (double)(d + 1);
        x[j] = t * (t - 1);
    }
}

static void counting(size_t d, double *x)
{
    for (size_t j = 0; j < d; j++) x[j] = (double)(j + 1);
}

/* clang-format off */
const ps_problem ps_problems[PS_COUNT] = {
    {"arwhead", 50, 49, 0, arwhead, one},
    {"bdqrtic", 100, 96, 378.769191809, bdqrtic, one},
    {"beale", 50, 25, 0, beale, beale_start},
    {"broyden tridiagonal", 100, 100, 0, broyden3, minus_one},
    {"broyden 7-diagonal", 60, 60, 18.78228516, broyden7, one},
    {"broyden banded", 50, 50, 0, banded, minus_one},
    {"cosine", 100, 99, -99, cosine, one},
    {"cragg-levy", 50, 24, 15.3725094654, cragg_levy, cragg_levy_start},
    {"dixon-maany a", 90, 90, 1, maany_a, two},
    {"dixon-maany e", 90, 90, 1, maany_e, two},
    {"dixon tridiagonal", 20, 21, 0, dixon, minus_one},
    {"dqdrtic", 100, 98, 0, dqdrtic, three},
    {"dqrtic", 40, 40, 0, quartic, two},
    {"edensch", 36, 35, 219.284592021, edensch, eight},
    {"eg2", 50, 50, -48.947413378, eg2, zero},
    {"engval", 50, 49, 53.5822148852, engval, two},
    {"rosenbrock chained", 10, 10, 0, extended_rosenbrock, minus_one},
    {"fletcher", 20, 19, 0, fletcher, zero},
    {"freudenstein-roth", 50, 49, 5880.95886194, freudenstein, freudenstein_start},
    {"rosenbrock generalised", 20, 19, 1, genrose, parts},
    {"himmelblau", 50, 25, 0, himmelblau, one},
    {"liarwhd", 100, 100, 0, liarwhd, four},
    {"boundary value", 20, 20, 0, boundary, boundary_start},
    {"noncvxun", 10, 10, 23.1680841979, noncvxun, counting},
    {"nondia", 30, 30, 0, nondia, minus_one},
    {"nondquar", 40, 40, 0, nondquar, alternating},
    {"powell singular", 60, 15, 0, powell, powell_start},
    {"schmidt-vetters", 100, 98, -294, schmidt_vetters, half},
    {"sinquad", 20, 20, 0, sinquad, tenth},
    {"sparsine", 20, 20, 0, sparsine, half},
    {"rosenbrock pairs", 200, 100, 0, rosenbrock, rosenbrock_start},
    {"toint gaussian", 50, 48, 10.2083333333, toint_gauss, three},
    {"tquartic", 20, 20, 0, tquartic, tenth},
    {"tridia", 100, 100, 0, tridia, one},
    {"wood", 100, 25, 0, wood, wood_start},
};
/* clang-format on */

double ps_sum(const ps_problem *p, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < p->n; i++) sum += p->component(p->d, i, x);
    return sum;
}
