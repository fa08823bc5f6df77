/* Residuals and starts of the Moré-Wild problems, from the published formulas.
 * SPDX-License-Identifier: MIT */
#include "morewild.h"

#include <math.h>

#define PI 3.14159265358979323846

/* clang-format off */
const mw_problem mw_problems[MW_COUNT] = {
    {1, 9, 45, 0, 36},                {1, 9, 45, 1, 36},
    {2, 7, 35, 0, 8.380281690140845}, {2, 7, 35, 1, 8.380281690140845},
    {3, 7, 35, 0, 9.880597014925373}, {3, 7, 35, 1, 9.880597014925373},
    {4, 2, 2, 0, 0},                  {4, 2, 2, 1, 0},
    {5, 3, 3, 0, 0},                  {5, 3, 3, 1, 0},
    {6, 4, 4, 0, 0},                  {6, 4, 4, 1, 0},
    {7, 2, 2, 0, 48.98425368},        {7, 2, 2, 1, 0},
    {8, 3, 15, 0, 0.008214877307},    {8, 3, 15, 1, 0.008214877307},
    {9, 4, 11, 0, 0.0003075056038},   {10, 3, 16, 0, 87.94585517},
    {11, 6, 31, 0, 0.002287670054},   {11, 6, 31, 1, 0.002287670054},
    {11, 9, 31, 0, 1.399760138e-06},  {11, 9, 31, 1, 1.399760138e-06},
    {11, 12, 31, 0, 4.7224366e-10},   {11, 12, 31, 1, 4.72238239e-10},
    {12, 3, 10, 0, 0},                {13, 2, 10, 0, 124.3621824},
    {14, 4, 20, 0, 85822.20163},      {14, 4, 20, 1, 85822.20163},
    {15, 6, 6, 0, 0},                 {15, 7, 7, 0, 0},
    {15, 8, 8, 0, 0.003516873726},    {15, 9, 9, 0, 0},
    {15, 10, 10, 0, 0.004772713696},  {15, 11, 11, 0, 0.002799761552},
    {16, 10, 10, 0, 0},               {17, 5, 33, 0, 5.464894697e-05},
    {18, 11, 65, 0, 0.04013773629},   {18, 11, 65, 1, 1.789813587},
    {19, 8, 8, 0, 10.23897342},       {19, 10, 12, 0, 18.28116175},
    {19, 11, 14, 0, 22.26059173},     {19, 12, 16, 0, 26.2727664},
    {20, 5, 5, 0, 0},                 {20, 6, 6, 0, 0},
    {20, 8, 8, 0, 0},                 {21, 5, 5, 0, 0},
    {21, 5, 5, 1, 0},                 {21, 8, 8, 0, 0},
    {21, 10, 10, 0, 0},               {21, 12, 12, 0, 0},
    {21, 12, 12, 1, 0},               {22, 8, 8, 0, 0},
    {22, 8, 8, 1, 0},
};

const double mw_least_absolute[MW_COUNT] = {
    22.5, 22.5, 14.2, 14.2, 15.375, 15.375, 0, 0, 0, 0, 0, 0, 9.8979041902, 0, 0.12433831573, 0.12433831573,
    0.038767973359, 26.337357961, 0.19357913433, 0.19357913433, 0.005107246107, 0.005107246107,
    8.5454523307e-05, 8.5454523307e-05, 0, 32.091941057, 903.2343318, 903.2343318, 0, 0, 0.068697402856, 0,
    0.1277756888, 0.059272413885, 0, 0.029391187568, 1.1552475811, 8.7343323021, 7.1625, 12.3625, 14.9625,
    17.5625, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

static const double bard_y[15] = {.14, .18, .22, .25, .29, .32, .35, .39, .37, .58, .73, .96, 1.34, 2.1, 4.39};
static const double kowalik_y[11] = {.1957, .1947, .1735, .16, .0844, .0627, .0456, .0342, .0323, .0235, .0246};
static const double kowalik_u[11] = {4, 2, 1, .5, .25, .167, .125, .1, .0833, .0714, .0625};
static const double meyer_y[16] = {34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427,
                                   3820, 3307, 2872};
static const double osborne1_y[33] = {.844, .908, .932, .936, .925, .908, .881, .85, .818, .784, .751, .718, .685, .658,
                                      .628, .603, .58, .558, .538, .522, .506, .49, .478, .467, .457, .448, .438, .431,
                                      .424, .42, .414, .411, .406};
static const double osborne2_y[65] = {1.366, 1.191, 1.112, 1.013, .991, .885, .831, .847, .786, .725, .746, .679, .608,
                                      .655, .616, .606, .602, .626, .651, .724, .649, .649, .694, .644, .624, .661, .612,
                                      .558, .533, .495, .5, .423, .395, .375, .372, .391, .396, .405, .428, .429, .523,
                                      .562, .607, .653, .672, .708, .633, .668, .645, .632, .591, .559, .597, .625, .739,
                                      .71, .729, .72, .636, .581, .428, .292, .162, .098, .054};
/* clang-format on */

static double square(double v) { return v * v; }

/* ---- one function each: r_i(x), i < m ---------------------------------------------------------------- */

static void linear_full(size_t d, size_t m, const double *x, double *r)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++) sum += x[j];
    for (size_t i = 0; i < m; i++) r[i] = (i < d ? x[i] : 0) - 2 * sum / (double)m - 1;
}

static void linear_one(size_t d, size_t m, const double *x, double *r)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++) sum += (double)(j + 1) * x[j];
    for (size_t i = 0; i < m; i++) r[i] = (double)(i + 1) * sum - 1;
}

static void linear_inner(size_t d, size_t m, const double *x, double *r)
{
    double sum = 0;
    for (size_t j = 1; j + 1 < d; j++) sum += (double)(j + 1) * x[j];
    for (size_t i = 0; i < m; i++) r[i] = (double)i * sum - 1;
    r[m - 1] = -1;
}

static void rosenbrock(size_t d, size_t m, const double *x, double *r)
{
    (void)d, (void)m;
    r[0] = 10 * (x[1] - x[0] * x[0]);
    r[1] = 1 - x[0];
}

static void helical(size_t d, size_t m, const double *x, double *r)
{
    (void)d, (void)m;
    double turn = x[0] > 0   ? atan(x[1] / x[0]) / (2 * PI)
                  : x[0] < 0 ? atan(x[1] / x[0]) / (2 * PI) + 0.5
                             : 0.25;
    r[0] = 10 * (x[2] - 10 * turn);
    r[1] = 10 * (sqrt(x[0] * x[0] + x[1] * x[1]) - 1);
    r[2] = x[2];
}

static void powell(size_t d, size_t m, const double *x, double *r)
{
    (void)d, (void)m;
    r[0] = x[0] + 10 * x[1];
    r[1] = sqrt(5) * (x[2] - x[3]);
    r[2] = square(x[1] - 2 * x[2]);
    r[3] = sqrt(10) * square(x[0] - x[3]);
}

static void freudenstein(size_t d, size_t m, const double *x, double *r)
{
    (void)d, (void)m;
    r[0] = -13 + x[0] + ((5 - x[1]) * x[1] - 2) * x[1];
    r[1] = -29 + x[0] + ((1 + x[1]) * x[1] - 14) * x[1];
}

static void bard(size_t d, size_t m, const double *x, double *r)
{
    (void)d;
    for (size_t i = 0; i < m; i++) {
        double u = (double)(i + 1), v = 16 - u, w = fmin(u, v);
        r[i] = bard_y[i] - (x[0] + u / (v * x[1] + w * x[2]));
    }
}

static void kowalik(size_t d, size_t m, const double *x, double *r)
{
    (void)d;
    for (size_t i = 0; i < m; i++) {
        double u = kowalik_u[i];
        r[i] = kowalik_y[i] - x[0] * u * (u + x[1]) / (u * (u + x[2]) + x[3]);
    }
}

static void meyer(size_t d, size_t m, const double *x, double *r)
{
    (void)d;
    for (size_t i = 0; i < m; i++)
        r[i] = x[0] * exp(x[1] / (5 * (double)(i + 1) + 45 + x[2])) - meyer_y[i];
}

static void watson(size_t d, size_t m, const double *x, double *r)
{
    (void)m;
    for (size_t i = 0; i < 29; i++) {
        double t = (double)(i + 1) / 29, slope = 0, value = 0, power = 1;
        for (size_t j = 1; j < d; j++, power *= t) slope += (double)j * power * x[j];
        power = 1;
        for (size_t j = 0; j < d; j++, power *= t) value += power * x[j];
        r[i] = slope - value * value - 1;
    }
    r[29] = x[0];
    r[30] = x[1] - x[0] * x[0] - 1;
}

static void box3(size_t d, size_t m, const double *x, double *r)
{
    (void)d;
    for (size_t i = 0; i < m; i++) {
        double k = (double)(i + 1), t = k / 10;
        r[i] = exp(-t * x[0]) - exp(-t * x[1]) + (exp(-k) - exp(-t)) * x[2];
    }
}

static void jennrich(size_t d, size_t m, const double *x, double *r)
{
    (void)d;
    for (size_t i = 0; i < m; i++) {
        double k = (double)(i + 1);
        r[i] = 2 + 2 * k - exp(k * x[0]) - exp(k * x[1]);
    }
}

static void brown_dennis(size_t d, size_t m, const double *x, double *r)
{
    (void)d;
    for (size_t i = 0; i < m; i++) {
        double t = (double)(i + 1) / 5;
        r[i] = square(x[0] + t * x[1] - exp(t)) + square(x[2] + x[3] * sin(t) - cos(t));
    }
}

static void chebyquad(size_t d, size_t m, const double *x, double *r)
{
    for (size_t i = 0; i < m; i++) r[i] = 0;
    for (size_t j = 0; j < d; j++) {
        double before = 1, now = 2 * x[j] - 1, twice = 2 * now;
        for (size_t i = 0; i < m; i++) {
            r[i] += now;
            double next = twice * now - before;
            before = now;
            now = next;
        }
    }
    for (size_t i = 0; i < m; i++) {
        double k = (double)(i + 1);
        r[i] = r[i] / (double)d + (i % 2 ? 1 / (k * k - 1) : 0);
    }
}

static void brown_linear(size_t d, size_t m, const double *x, double *r)
{
    double sum = -(double)(d + 1), product = 1;
    for (size_t j = 0; j < d; j++) {
        sum += x[j];
        product *= x[j];
    }
    for (size_t i = 0; i + 1 < m; i++) r[i] = x[i] + sum;
    r[m - 1] = product - 1;
}

static void osborne1(size_t d, size_t m, const double *x, double *r)
{
    (void)d;
    for (size_t i = 0; i < m; i++) {
        double t = 10 * (double)i;
        r[i] = osborne1_y[i] - (x[0] + x[1] * exp(-x[3] * t) + x[2] * exp(-x[4] * t));
    }
}

static void osborne2(size_t d, size_t m, const double *x, double *r)
{
    (void)d;
    for (size_t i = 0; i < m; i++) {
        double t = (double)i / 10;
        double sum = x[0] * exp(-x[4] * t);
        for (size_t k = 0; k < 3; k++) sum += x[1 + k] * exp(-x[5 + k] * square(t - x[8 + k]));
        r[i] = osborne2_y[i] - sum;
    }
}

static void bdqrtic(size_t d, size_t m, const double *x, double *r)
{
    (void)m;
    for (size_t i = 0; i < d - 4; i++) {
        r[i] = -4 * x[i] + 3;
        r[d - 4 + i] = square(x[i]) + 2 * square(x[i + 1]) + 3 * square(x[i + 2]) +
                       4 * square(x[i + 3]) + 5 * square(x[d - 1]);
    }
}

static void cube(size_t d, size_t m, const double *x, double *r)
{
    (void)m;
    r[0] = x[0] - 1;
    for (size_t i = 1; i < d; i++) r[i] = 10 * (x[i] - x[i - 1] * x[i - 1] * x[i - 1]);
}

static double mancino_sum(size_t d, size_t i, const double *x)
{
    double sum = 0, a = (double)(i + 1);
    for (size_t j = 0; j < d; j++) {
        double v = sqrt(x[i] * x[i] + a / (double)(j + 1)), l = log(v);
        sum += v * (pow(sin(l), 5) + pow(cos(l), 5));
    }
    return sum;
}

static void mancino(size_t d, size_t m, const double *x, double *r)
{
    (void)m;
    for (size_t i = 0; i < d; i++)
        r[i] = 1400 * x[i] + pow((double)(i + 1) - 50, 3) + mancino_sum(d, i, x);
}

static void heart(size_t d, size_t m, const double *x, double *r)
{
    (void)d, (void)m;
    double a = x[0], b = x[1], c = x[2], e = x[3], t = x[4], u = x[5], v = x[6], w = x[7];
    r[0] = a + b + 0.69;
    r[1] = c + e + 0.044;
    r[2] = t * a + u * b - v * c - w * e + 1.57;
    r[3] = v * a + w * b + t * c + u * e + 1.31;
    r[4] = a * (t * t - v * v) - 2 * c * t * v + b * (u * u - w * w) - 2 * e * u * w + 2.65;
    r[5] = c * (t * t - v * v) + 2 * a * t * v + e * (u * u - w * w) + 2 * b * u * w - 2;
    r[6] = a * t * (t * t - 3 * v * v) + c * v * (v * v - 3 * t * t) + b * u * (u * u - 3 * w * w) +
           e * w * (w * w - 3 * u * u) + 12.6;
    r[7] = c * t * (t * t - 3 * v * v) - a * v * (v * v - 3 * t * t) + e * u * (u * u - 3 * w * w) -
           b * w * (w * w - 3 * u * u) - 9.48;
}

/* ---- starts ----------------------------------------------------------------------------------------- */

static void same(size_t d, double v, double *x)
{
    for (size_t j = 0; j < d; j++) x[j] = v;
}

static void equal_parts(size_t d, double *x)
{
    for (size_t j = 0; j < d; j++) x[j] = (double)(j + 1) / (double)(d + 1);
}

static void mancino_start(size_t d, double *x)
{
    double zero[MW_MOST] = {0};
    for (size_t i = 0; i < d; i++)
        x[i] = -8.710996e-4 * (pow((double)(i + 1) - 50, 3) + mancino_sum(d, i, zero));
}

typedef struct function {
    const char *name;
    void (*residuals)(size_t d, size_t m, const double *x, double *r);
    const double *start; /* d numbers; NULL: all equal to all, or by begin */
    double all;
    void (*begin)(size_t d, double *x);
} function;

/* clang-format off */
static const double rosenbrock_x[] = {-1.2, 1}, helical_x[] = {-1, 0, 0}, powell_x[] = {3, -1, 0, 1},
    freudenstein_x[] = {.5, -2}, kowalik_x[] = {.25, .39, .415, .39}, meyer_x[] = {.02, 4000, 250}, box3_x[] = {0, 10, 20},
    jennrich_x[] = {.3, .4}, brown_dennis_x[] = {25, 5, -5, -1}, osborne1_x[] = {.5, 1.5, 1, .01, .02},
    osborne2_x[] = {1.3, .65, .65, .7, .6, 3, 5, 7, 2, 4.5, 5.5},
    heart_x[] = {-.3, -.39, .3, -.344, -1.2, 2.69, 1.59, -1.5};

static const function functions[] = {
    {"linear full rank", linear_full, NULL, 1, NULL},
    {"linear rank 1", linear_one, NULL, 1, NULL},
    {"linear rank 1 zero columns", linear_inner, NULL, 1, NULL},
    {"Rosenbrock", rosenbrock, rosenbrock_x, 0, NULL},
    {"helical valley", helical, helical_x, 0, NULL},
    {"Powell singular", powell, powell_x, 0, NULL},
    {"Freudenstein and Roth", freudenstein, freudenstein_x, 0, NULL},
    {"Bard", bard, NULL, 1, NULL},
    {"Kowalik and Osborne", kowalik, kowalik_x, 0, NULL},
    {"Meyer", meyer, meyer_x, 0, NULL},
    {"Watson", watson, NULL, .5, NULL},
    {"Box 3-d", box3, box3_x, 0, NULL},
    {"Jennrich and Sampson", jennrich, jennrich_x, 0, NULL},
    {"Brown and Dennis", brown_dennis, brown_dennis_x, 0, NULL},
    {"Chebyquad", chebyquad, NULL, 0, equal_parts},
    {"Brown almost-linear", brown_linear, NULL, .5, NULL},
    {"Osborne 1", osborne1, osborne1_x, 0, NULL},
    {"Osborne 2", osborne2, osborne2_x, 0, NULL},
    {"bdqrtic", bdqrtic, NULL, 1, NULL},
    {"cube", cube, NULL, .5, NULL},
    {"Mancino", mancino, NULL, 0, mancino_start},
    {"heart 8", heart, heart_x, 0, NULL},
};
/* clang-format on */

const char *mw_name(int number) { return functions[number - 1].name; }

void mw_start(const mw_problem *p, double *x)
{
    const function *f = &functions[p->function - 1];
    if (f->begin)
        f->begin(p->d, x);
    else if (f->start)
        for (size_t j = 0; j < p->d; j++) x[j] = f->start[j];
    else
        same(p->d, f->all, x);
    for (size_t j = 0; j < p->d && p->far; j++) x[j] *= 10;
}

void mw_residuals(const mw_problem *p, const double *x, double *r)
{
    functions[p->function - 1].residuals(p->d, p->m, x, r);
}

/* ---- sums ------------------------------------------------------------------------------------------- */

double mw_sum(const mw_problem *p, const double *x)
{
    double r[MW_MOST_RESIDUALS], sum = 0;
    mw_residuals(p, x, r);
    for (size_t i = 0; i < p->m; i++) sum += r[i] * r[i];
    return sum;
}

double mw_absolute(const mw_problem *p, const double *x)
{
    double r[MW_MOST_RESIDUALS], sum = 0;
    mw_residuals(p, x, r);
    for (size_t i = 0; i < p->m; i++) sum += fabs(r[i]);
    return sum;
}

/* T_3(phi_0), phi_0 = 0.9 sin(100 |x|_1) cos(100 |x|_inf) + 0.1 cos(|x|_2). */
double mw_wild_factor(size_t d, const double *x)
{
    double one = 0, most = 0, two = 0;
    for (size_t j = 0; j < d; j++) {
        one += fabs(x[j]);
        most = fmax(most, fabs(x[j]));
        two += x[j] * x[j];
    }
    double phi = 0.9 * sin(100 * one) * cos(100 * most) + 0.1 * cos(sqrt(two));
    return phi * (4 * phi * phi - 3);
}

double mw_wild(const mw_problem *p, const double *x)
{
    return mw_sum(p, x) * (1 + 1e-3 * mw_wild_factor(p->d, x));
}
