/* FMI 2.0, co-simulation: the few functions that a run needs, declared as the standard says.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "fmu/fmu.h"

enum { CO_SIMULATION = 1 };

typedef struct callbacks {
    void (*log)(void *ctx, const char *instance, int status, const char *category,
                const char *format, ...);
    void *(*allocate)(size_t count, size_t size);
    void (*release)(void *memory);
    void (*finished)(void *ctx, int status);
    void *ctx;
} callbacks;

/* zoprox passes on the last words of a worker that fails. */
static void put_log(void *ctx, const char *instance, int status, const char *category,
                    const char *format, ...)
{
    va_list more;
    (void)ctx, (void)instance, (void)category;
    if (status <= FMU_WARNING || !format) return;
    va_start(more, format);
    vfprintf(stderr, format, more);
    va_end(more);
    fputc('\n', stderr);
}

static const callbacks ours = {put_log, calloc, free, NULL, NULL};

static const char *begin(fmu_unit *u)
{
    void *(*instantiate)(const char *, int, const char *, const char *, const callbacks *, int,
                         int);
    if (!fmu_function(u, "fmi2Instantiate", &instantiate, sizeof instantiate))
        return "fmi2Instantiate is not there";
    u->instance = instantiate("zoprox", CO_SIMULATION, u->model->token, u->resources, &ours, 0, 0);
    return u->instance ? NULL : "fmi2Instantiate";
}

static const char *set(fmu_unit *u, unsigned reference, double v)
{
    int (*f)(void *, const unsigned *, size_t, const double *);
    if (!fmu_function(u, "fmi2SetReal", &f, sizeof f)) return "fmi2SetReal is not there";
    return f(u->instance, &reference, 1, &v) <= FMU_WARNING ? NULL : "fmi2SetReal";
}

static const char *get(fmu_unit *u, unsigned reference, double *v)
{
    int (*f)(void *, const unsigned *, size_t, double *);
    if (!fmu_function(u, "fmi2GetReal", &f, sizeof f)) return "fmi2GetReal is not there";
    return f(u->instance, &reference, 1, v) <= FMU_WARNING ? NULL : "fmi2GetReal";
}

static const char *enter(fmu_unit *u, double stop)
{
    int (*setup)(void *, int, double, double, int, double), (*mode)(void *);
    double tolerance = u->model->tolerance;
    if (!fmu_function(u, "fmi2SetupExperiment", &setup, sizeof setup) ||
        !fmu_function(u, "fmi2EnterInitializationMode", &mode, sizeof mode))
        return "fmi2EnterInitializationMode is not there";
    int known = !isnan(tolerance);
    if (setup(u->instance, known, known ? tolerance : 0, u->model->start, 1, stop) > FMU_WARNING)
        return "fmi2SetupExperiment";
    return mode(u->instance) <= FMU_WARNING ? NULL : "fmi2EnterInitializationMode";
}

static const char *step(fmu_unit *u, double from, double by)
{
    int (*f)(void *, double, double, int);
    if (!fmu_function(u, "fmi2DoStep", &f, sizeof f)) return "fmi2DoStep is not there";
    return f(u->instance, from, by, 1) <= FMU_WARNING ? NULL : "fmi2DoStep";
}

const fmu_standard *fmu_standard_2(void)
{
    static const fmu_standard row = {
#if defined(__linux__) && defined(__x86_64__)
        "linux64",
#elif defined(__linux__) && defined(__i386__)
        "linux32",
#elif defined(__APPLE__)
        "darwin64",
#else
        NULL,
#endif
        begin,
        set,
        get,
        enter,
        step,
        "fmi2ExitInitializationMode",
        "fmi2Terminate",
        "fmi2FreeInstance"
    };
    return &row;
}
