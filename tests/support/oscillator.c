/* An FMU for tests: a mass on a spring with friction, for FMI 2 and for FMI 3 (-DFMI=2, -DFMI=3).
 * SPDX-License-Identifier: MIT
 *
 *     x'' = force - k x - c x',    x(0) = from,    by Runge-Kutta's fourth order, 1e-2 or less at a time
 *
 * k < 0 is an error, k > 1000 ends the process. References: 0 time, 1 x, 2 v, 3 k, 4 c, 5 from, 6 force. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIME, X, V, K, C, FROM, FORCE, COUNT };
enum { OK = 0, ERROR = 3 };

typedef struct mass {
    double v[COUNT];
    int phase; /* 0: new, 1: initialization mode, 2: steps */
} mass;

static mass *make(const char *token, const char *resources, const char *scheme)
{
    char path[4096];
    FILE *f;
    if (strcmp(token, "one of these") || strncmp(resources, scheme, strlen(scheme))) return NULL;
    size_t at = 0;
    for (const char *c = resources + strlen(scheme); *c && at < sizeof path - 16; c++) {
        int coded = *scheme && *c == '%'; /* an address */
        path[at++] = coded ? (char)strtol((char[]){c[1], c[2], 0}, NULL, 16) : *c;
        c += 2 * coded;
    }
    snprintf(path + at, sizeof path - at, "/about.txt");
    if (!(f = fopen(path, "r"))) return NULL; /* what it has brought along */
    fclose(f);
    mass *m = calloc(1, sizeof *m);
    if (m) m->v[K] = m->v[FROM] = 1;
    return m;
}

/* Parameters before initialization mode, inputs in it or later. */
static int set(mass *m, unsigned reference, double value)
{
    int before = reference == K || reference == C || reference == FROM;
    if (reference >= COUNT || (before ? m->phase != 0 : reference != FORCE || m->phase == 0))
        return ERROR;
    m->v[reference] = value;
    return OK;
}

static int get(const mass *m, unsigned reference, double *value)
{
    if (reference >= COUNT) return ERROR;
    *value = m->v[reference];
    return OK;
}

static void slopes(const mass *m, const double at[2], double out[2])
{
    out[0] = at[1];
    out[1] = m->v[FORCE] - m->v[K] * at[0] - m->v[C] * at[1];
}

static void advance(mass *m, double h)
{
    static const double part[4] = {0, .5, .5, 1}, weight[4] = {1, 2, 2, 1};
    double at[2], slope[2] = {0, 0}, sum[2] = {0, 0};
    for (int k = 0; k < 4; k++) {
        for (int j = 0; j < 2; j++) at[j] = m->v[X + j] + part[k] * h * slope[j];
        slopes(m, at, slope);
        for (int j = 0; j < 2; j++) sum[j] += weight[k] * slope[j];
    }
    for (int j = 0; j < 2; j++) m->v[X + j] += h / 6 * sum[j];
    m->v[TIME] += h;
}

static int go(mass *m, double from, double by)
{
    if (m->phase != 2 || fabs(from - m->v[TIME]) > 1e-9 || !(by > 0)) return ERROR;
    if (m->v[K] > 1000) abort();
    if (m->v[K] < 0) return ERROR;
    double parts = ceil(by / 1e-2 - 1e-9);
    for (double k = 0; k < parts; k++) advance(m, by / parts);
    return OK;
}

static int enter(mass *m, double start)
{
    if (m->phase++) return ERROR;
    m->v[TIME] = start;
    m->v[X] = m->v[FROM];
    return OK;
}

static int leave(mass *m) { return m->phase++ == 1 ? OK : ERROR; }

#define SEEN __attribute__((visibility("default")))

#if FMI == 2
typedef struct callbacks {
    void (*log)(void *, const char *, int, const char *, const char *, ...);
} callbacks;
static const callbacks *theirs;

SEEN void *fmi2Instantiate(const char *name, int type, const char *token, const char *resources,
                           const callbacks *c, int visible, int logging);
void *fmi2Instantiate(const char *name, int type, const char *token, const char *resources,
                      const callbacks *c, int visible, int logging)
{
    (void)name, (void)visible, (void)logging;
    theirs = c;
    return type == 1 ? make(token, resources, "file://") : NULL;
}

SEEN int fmi2SetupExperiment(mass *m, int tolerates, double tolerance, double start, int ends,
                             double end);
int fmi2SetupExperiment(mass *m, int tolerates, double tolerance, double start, int ends,
                        double end)
{
    (void)tolerates, (void)tolerance;
    m->v[TIME] = start;
    return ends && end >= start ? OK : ERROR;
}

SEEN int fmi2EnterInitializationMode(mass *m);
int fmi2EnterInitializationMode(mass *m) { return enter(m, m->v[TIME]); }
SEEN int fmi2ExitInitializationMode(mass *m);
int fmi2ExitInitializationMode(mass *m) { return leave(m); }

SEEN int fmi2SetReal(mass *m, const unsigned *reference, size_t count, const double *value);
int fmi2SetReal(mass *m, const unsigned *reference, size_t count, const double *value)
{
    int status = OK;
    for (size_t k = 0; k < count && !status; k++) status = set(m, reference[k], value[k]);
    return status;
}

SEEN int fmi2GetReal(mass *m, const unsigned *reference, size_t count, double *value);
int fmi2GetReal(mass *m, const unsigned *reference, size_t count, double *value)
{
    int status = OK;
    for (size_t k = 0; k < count && !status; k++) status = get(m, reference[k], &value[k]);
    return status;
}

SEEN int fmi2DoStep(mass *m, double from, double by, int no_return);
int fmi2DoStep(mass *m, double from, double by, int no_return)
{
    (void)no_return;
    int status = go(m, from, by);
    if (status)
        theirs->log(NULL, "oscillator", status, "logStatusError", "a spring of %g", m->v[K]);
    return status;
}

SEEN int fmi2Terminate(mass *m);
int fmi2Terminate(mass *m) { return m->phase == 2 ? OK : ERROR; }
SEEN void fmi2FreeInstance(mass *m);
void fmi2FreeInstance(mass *m) { free(m); }

#else
typedef void log_function(void *, int, const char *, const char *);
static log_function *say;

SEEN void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources,
                                       bool visible, bool logging, bool events, bool early,
                                       const uint32_t *needed, size_t count, void *ctx,
                                       log_function *log, void (*update)(void));
void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources,
                                  bool visible, bool logging, bool events, bool early,
                                  const uint32_t *needed, size_t count, void *ctx,
                                  log_function *log, void (*update)(void))
{
    (void)name, (void)visible, (void)logging, (void)needed, (void)ctx, (void)update;
    say = log;
    return !events && !early && !count ? make(token, resources, "") : NULL;
}

SEEN int fmi3EnterInitializationMode(mass *m, bool tolerates, double tolerance, double start,
                                     bool ends, double end);
int fmi3EnterInitializationMode(mass *m, bool tolerates, double tolerance, double start, bool ends,
                                double end)
{
    (void)tolerates, (void)tolerance;
    return ends && end >= start ? enter(m, start) : ERROR;
}

SEEN int fmi3ExitInitializationMode(mass *m);
int fmi3ExitInitializationMode(mass *m) { return leave(m); }

SEEN int fmi3SetFloat64(mass *m, const uint32_t *reference, size_t count, const double *value,
                        size_t values);
int fmi3SetFloat64(mass *m, const uint32_t *reference, size_t count, const double *value,
                   size_t values)
{
    int status = count == values ? OK : ERROR;
    for (size_t k = 0; k < count && !status; k++) status = set(m, reference[k], value[k]);
    return status;
}

SEEN int fmi3GetFloat64(mass *m, const uint32_t *reference, size_t count, double *value,
                        size_t values);
int fmi3GetFloat64(mass *m, const uint32_t *reference, size_t count, double *value, size_t values)
{
    int status = count == values ? OK : ERROR;
    for (size_t k = 0; k < count && !status; k++) status = get(m, reference[k], &value[k]);
    return status;
}

SEEN int fmi3DoStep(mass *m, double from, double by, bool no_return, bool *event, bool *over,
                    bool *early, double *reached);
int fmi3DoStep(mass *m, double from, double by, bool no_return, bool *event, bool *over,
               bool *early, double *reached)
{
    (void)no_return;
    int status = go(m, from, by);
    *event = *over = *early = false;
    *reached = m->v[TIME];
    if (status) say(NULL, status, "logStatusError", "a spring that pushes");
    return status;
}

SEEN int fmi3Terminate(mass *m);
int fmi3Terminate(mass *m) { return m->phase == 2 ? OK : ERROR; }
SEEN void fmi3FreeInstance(mass *m);
void fmi3FreeInstance(mass *m) { free(m); }
#endif
