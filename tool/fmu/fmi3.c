/* FMI 3.0, co-simulation: the few functions that a run needs, declared as the standard says.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdbool.h>

#include "fmu/fmu.h"

/* zoprox passes on the last words of a worker that fails. */
static void put_log(void *ctx, int status, const char *category, const char *message)
{
    (void)ctx, (void)category;
    if (status > FMU_WARNING && message) fprintf(stderr, "%s\n", message);
}

typedef void log_function(void *, int, const char *, const char *);
typedef void update_function(void *, double, bool, bool, bool, bool, bool *, double *);

static const char *begin(fmu_unit *u)
{
    void *(*instantiate)(const char *, const char *, const char *, bool, bool, bool, bool,
                         const uint32_t *, size_t, void *, log_function *, update_function *);
    if (!fmu_function(u, "fmi3InstantiateCoSimulation", &instantiate, sizeof instantiate))
        return "fmi3InstantiateCoSimulation is not there";
    /* neither event mode nor early returns: the FMU handles its events within a step */
    u->instance = instantiate("zoprox", u->model->token, u->resources, false, false, false, false,
                              NULL, 0, NULL, put_log, NULL);
    return u->instance ? NULL : "fmi3InstantiateCoSimulation";
}

static const char *set(fmu_unit *u, unsigned reference, double v)
{
    int (*f)(void *, const uint32_t *, size_t, const double *, size_t);
    uint32_t which = reference;
    if (!fmu_function(u, "fmi3SetFloat64", &f, sizeof f)) return "fmi3SetFloat64 is not there";
    return f(u->instance, &which, 1, &v, 1) <= FMU_WARNING ? NULL : "fmi3SetFloat64";
}

static const char *get(fmu_unit *u, unsigned reference, double *v)
{
    int (*f)(void *, const uint32_t *, size_t, double *, size_t);
    uint32_t which = reference;
    if (!fmu_function(u, "fmi3GetFloat64", &f, sizeof f)) return "fmi3GetFloat64 is not there";
    return f(u->instance, &which, 1, v, 1) <= FMU_WARNING ? NULL : "fmi3GetFloat64";
}

static const char *enter(fmu_unit *u, double stop)
{
    int (*f)(void *, bool, double, double, bool, double);
    double tolerance = u->model->tolerance;
    bool known = !isnan(tolerance);
    if (!fmu_function(u, "fmi3EnterInitializationMode", &f, sizeof f))
        return "fmi3EnterInitializationMode is not there";
    int status = f(u->instance, known, known ? tolerance : 0, u->model->start, true, stop);
    return status <= FMU_WARNING ? NULL : "fmi3EnterInitializationMode";
}

static const char *step(fmu_unit *u, double from, double by)
{
    int (*f)(void *, double, double, bool, bool *, bool *, bool *, double *);
    bool event = false, over = false, early = false;
    double reached = from;
    if (!fmu_function(u, "fmi3DoStep", &f, sizeof f)) return "fmi3DoStep is not there";
    if (f(u->instance, from, by, true, &event, &over, &early, &reached) > FMU_WARNING)
        return "fmi3DoStep";
    return over ? "the FMU ends the simulation: fmi3DoStep" : NULL;
}

const fmu_standard *fmu_standard_3(void)
{
    static const fmu_standard row = {
#if defined(__linux__) && defined(__x86_64__)
        "x86_64-linux",
#elif defined(__linux__) && defined(__aarch64__)
        "aarch64-linux",
#elif defined(__linux__) && defined(__i386__)
        "x86-linux",
#elif defined(__APPLE__) && defined(__aarch64__)
        "aarch64-darwin",
#elif defined(__APPLE__)
        "x86_64-darwin",
#else
        NULL,
#endif
        begin,
        set,
        get,
        enter,
        step,
        "fmi3ExitInitializationMode",
        "fmi3Terminate",
        "fmi3FreeInstance"
    };
    return &row;
}
