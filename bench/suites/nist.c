/* The formulas of NIST's nonlinear regression sets, and a reader of their files.
 * SPDX-License-Identifier: MIT */
#include "nist.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static double misra1a(const double *b, const double *x) { return b[0] * (1 - exp(-b[1] * x[0])); }

static double chwirut(const double *b, const double *x)
{
    return exp(-b[0] * x[0]) / (b[1] + b[2] * x[0]);
}

static double lanczos(const double *b, const double *x)
{
    return b[0] * exp(-b[1] * x[0]) + b[2] * exp(-b[3] * x[0]) + b[4] * exp(-b[5] * x[0]);
}

static double peak(double height, double centre, double width, double x)
{
    double t = (x - centre) / width;
    return height * exp(-t * t);
}

static double gauss(const double *b, const double *x)
{
    return b[0] * exp(-b[1] * x[0]) + peak(b[2], b[3], b[4], x[0]) + peak(b[5], b[6], b[7], x[0]);
}

static double danwood(const double *b, const double *x) { return b[0] * pow(x[0], b[1]); }

static double misra1b(const double *b, const double *x)
{
    double t = 1 + b[1] * x[0] / 2;
    return b[0] * (1 - 1 / (t * t));
}

static double misra1c(const double *b, const double *x)
{
    return b[0] * (1 - 1 / sqrt(1 + 2 * b[1] * x[0]));
}

static double misra1d(const double *b, const double *x)
{
    return b[0] * b[1] * x[0] / (1 + b[1] * x[0]);
}

static double kirby2(const double *b, const double *x)
{
    double t = x[0];
    return (b[0] + t * (b[1] + t * b[2])) / (1 + t * (b[3] + t * b[4]));
}

static double cubic_ratio(const double *b, const double *x)
{
    double t = x[0];
    return (b[0] + t * (b[1] + t * (b[2] + t * b[3]))) / (1 + t * (b[4] + t * (b[5] + t * b[6])));
}

static double nelson(const double *b, const double *x)
{
    return b[0] - b[1] * x[0] * exp(-b[2] * x[1]);
}

static double mgh17(const double *b, const double *x)
{
    return b[0] + b[1] * exp(-x[0] * b[3]) + b[2] * exp(-x[0] * b[4]);
}

static double roszman1(const double *b, const double *x)
{
    return b[0] - b[1] * x[0] - atan(b[2] / (x[0] - b[3])) / PI;
}

static double wave(double period, double a, double b, double x)
{
    double t = 2 * PI * x / period;
    return a * cos(t) + b * sin(t);
}

static double enso(const double *b, const double *x)
{
    return b[0] + wave(12, b[1], b[2], x[0]) + wave(b[3], b[4], b[5], x[0]) +
           wave(b[6], b[7], b[8], x[0]);
}

static double mgh09(const double *b, const double *x)
{
    double t = x[0];
    return b[0] * (t * t + t * b[1]) / (t * t + t * b[2] + b[3]);
}

static double rat42(const double *b, const double *x)
{
    return b[0] / (1 + exp(b[1] - b[2] * x[0]));
}

static double rat43(const double *b, const double *x)
{
    return b[0] / pow(1 + exp(b[1] - b[2] * x[0]), 1 / b[3]);
}

static double mgh10(const double *b, const double *x) { return b[0] * exp(b[1] / (x[0] + b[2])); }

static double eckerle4(const double *b, const double *x)
{
    double t = (x[0] - b[2]) / b[1];
    return b[0] / b[1] * exp(-t * t / 2);
}

static double bennett5(const double *b, const double *x)
{
    return b[0] * pow(b[1] + x[0], -1 / b[2]);
}

static const struct {
    const char *name;
    double (*model)(const double *b, const double *x);
} models[] = {
    {"Misra1a", misra1a},     {"Chwirut2", chwirut},  {"Chwirut1", chwirut},  {"Lanczos3", lanczos},
    {"Gauss1", gauss},        {"Gauss2", gauss},      {"DanWood", danwood},   {"Misra1b", misra1b},
    {"Kirby2", kirby2},       {"Hahn1", cubic_ratio}, {"Nelson", nelson},     {"MGH17", mgh17},
    {"Lanczos1", lanczos},    {"Lanczos2", lanczos},  {"Gauss3", gauss},      {"Misra1c", misra1c},
    {"Misra1d", misra1d},     {"Roszman1", roszman1}, {"ENSO", enso},         {"MGH09", mgh09},
    {"Thurber", cubic_ratio}, {"BoxBOD", misra1a},    {"Rat42", rat42},       {"MGH10", mgh10},
    {"Eckerle4", eckerle4},   {"Rat43", rat43},       {"Bennett5", bennett5},
};

const char *const nist_names[NIST_COUNT] = {
    "Misra1a", "Chwirut2", "Chwirut1", "Lanczos3", "Gauss1", "Gauss2",   "DanWood",
    "Misra1b", "Kirby2",   "Hahn1",    "Nelson",   "MGH17",  "Lanczos1", "Lanczos2",
    "Gauss3",  "Misra1c",  "Misra1d",  "Roszman1", "ENSO",   "MGH09",    "Thurber",
    "BoxBOD",  "Rat42",    "MGH10",    "Eckerle4", "Rat43",  "Bennett5"};

/* The text behind the next '=' as four numbers: both starts, the certified value and its error. */
static int read_parameter(nist_set *s, const char *line)
{
    const char *at = strchr(line, '=');
    double v[4];
    if (!at || s->d == NIST_MOST || sscanf(at + 1, "%lf %lf %lf %lf", v, v + 1, v + 2, v + 3) != 4)
        return -1;
    s->start[0][s->d] = v[0];
    s->start[1][s->d] = v[1];
    s->certified[s->d] = v[2];
    s->error[s->d++] = v[3];
    return 0;
}

static int read_row(nist_set *s, const char *line)
{
    double v[3] = {0};
    int count = sscanf(line, "%lf %lf %lf", v, v + 1, v + 2);
    if (count < 2) return 0; /* an empty line at the end */
    if (s->m == NIST_MOST_ROWS) return -1;
    s->y[s->m] = s->model == nelson ? log(v[0]) : v[0];
    s->x[s->m][0] = v[1];
    s->x[s->m++][1] = v[2];
    return 0;
}

static int read_file(nist_set *s, FILE *file)
{
    char line[256];
    int first = 0, last = 0, from = 0, flaw = 0;
    for (int number = 1; fgets(line, sizeof line, file) && !flaw; number++) {
        const char *at;
        if ((at = strstr(line, "Starting Values")) && strchr(at, '('))
            sscanf(strchr(at, '('), "(lines %d to %d", &first, &last);
        if (!strncmp(line, "               Data ", 20) && (at = strchr(line, '(')))
            sscanf(at, "(lines %d", &from);
        if ((at = strstr(line, "Residual Sum of Squares:"))) s->best = strtod(at + 24, NULL);
        if (first && number >= first && number <= last) flaw = read_parameter(s, line);
        if (from && number >= from) flaw = read_row(s, line);
    }
    return flaw || !s->d || !s->m ? -1 : 0;
}

int nist_read(nist_set *s, const char *name)
{
    const char *folder = getenv("ZOPROX_DATA");
    char path[4096];
    memset(s, 0, sizeof *s);
    for (size_t k = 0; k < NIST_COUNT; k++)
        if (!strcmp(models[k].name, name)) {
            s->name = models[k].name;
            s->model = models[k].model;
        }
    if (!s->model || !folder) return -1;
    snprintf(path, sizeof path, "%s/nist/%s.dat", folder, name);
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    int status = read_file(s, file);
    fclose(file);
    return status;
}

void nist_residuals(const nist_set *s, const double *b, double *r)
{
    for (size_t i = 0; i < s->m; i++) r[i] = s->model(b, s->x[i]) - s->y[i];
}
