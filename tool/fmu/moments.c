/* Which values of a run are read, and when: --read NAME, NAME@TIME, NAME@FROM:STEP:TO, NAME@FILE.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* strtok_r */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fmu/fmu.h"

enum {
    MOST_MOMENTS = 10000000,
    STEPS = 500
};                               /* of a run; where an FMU does not say how long one is */
static const double near = 1e-6; /* parts of a step that a time may be off a communication point */

static int add(fmu_moments *out, double time, unsigned reference)
{
    if (out->count == out->room) {
        size_t room = 2 * out->room + 64;
        fmu_moment *grown = realloc(out->at, room * sizeof *grown);
        if (!grown) return complain(FAILED, "--read: out of memory");
        out->at = grown;
        out->room = room;
    }
    out->at[out->count] = (fmu_moment){time, reference, out->count};
    out->count++;
    return DONE;
}

/* FROM:STEP:TO. -1: it is none. */
static int add_range(fmu_moments *out, const char *spec, unsigned reference)
{
    char text[128];
    double number[3];
    char *rest = text, *word;
    size_t count = 0;
    if (snprintf(text, sizeof text, "%s", spec) >= (int)sizeof text) return -1;
    for (word = strtok_r(text, ":", &rest); word; word = strtok_r(NULL, ":", &rest))
        if (count == 3 || !text_number(word, &number[count++])) return -1;
    if (count != 3 || !(number[1] > 0) || !(number[2] >= number[0])) return -1;
    double last = floor((number[2] - number[0]) / number[1] + near);
    if (!(last < MOST_MOMENTS)) return -1;
    int code = DONE;
    for (double k = 0; k <= last && !code; k++)
        code = add(out, number[0] + k * number[1], reference);
    return code;
}

/* A time a line. */
static int add_file(fmu_moments *out, const char *spec, const char *path, unsigned reference)
{
    size_t size, before = out->count;
    char *text = read_once(path, &size), *rest = text, *word;
    int code = DONE;
    if (!text)
        return complain(REFUSED,
                        "--read: '%s': '%s' is no time, no FROM:STEP:TO and no file of times: %s",
                        spec, path, strerror(errno));
    for (word = strtok_r(text, " \t\r\n", &rest); word && !code;
         word = strtok_r(NULL, " \t\r\n", &rest)) {
        double v;
        code = text_number(word, &v)
                   ? add(out, v, reference)
                   : complain(REFUSED, "--read: '%s' has '%.40s', which is no time", path, word);
    }
    free(text);
    if (!code && out->count == before) code = complain(REFUSED, "--read: '%s' has no time", path);
    return code;
}

static int take(fmu_moments *out, const fmu_model *m, const char *spec)
{
    char name[512];
    const char *at = strrchr(spec, '@');
    double time;
    snprintf(name, sizeof name, "%.*s", at ? (int)(at - spec) : (int)strlen(spec), spec);
    const fmu_variable *v = fmu_find(m, name);
    if (!v) return complain(REFUSED, "--read: the FMU has no variable '%s'", name);
    if (!v->real)
        return complain(REFUSED, "--read: '%s' of the FMU is no single real number", name);
    if (!at) return add(out, m->stop, v->reference);
    if (text_number(at + 1, &time)) return add(out, time, v->reference);
    int code = add_range(out, at + 1, v->reference);
    return code < 0 ? add_file(out, spec, at + 1, v->reference) : code;
}

static int by_time(const void *a, const void *b)
{
    const fmu_moment *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

/* Where steps must not differ, times are whole numbers of them. */
static int check_times(const fmu_moments *out, const fmu_model *m)
{
    for (size_t k = 0; k < out->count; k++) {
        double steps = (out->at[k].time - m->start) / out->step;
        if (!isfinite(steps) || steps < -near)
            return complain(REFUSED, "--read: the time %g is before the start, %g", out->at[k].time,
                            m->start);
        if (!m->any_step && fabs(steps - nearbyint(steps)) > near)
            return complain(REFUSED,
                            "--read: the time %g is no whole number of steps of %g, and this FMU "
                            "allows no other steps; see --fmu-step",
                            out->at[k].time, out->step);
    }
    if ((out->at[out->count - 1].time - m->start) / out->step > MOST_MOMENTS)
        return complain(REFUSED, "--fmu-step: more than %d steps of %g", MOST_MOMENTS, out->step);
    return DONE;
}

int fmu_moments_of(fmu_moments *out, const fmu_model *m, const request *r)
{
    int code = DONE;
    if (!r->read.count)
        return complain(REFUSED, "--fmu: --read NAME@TIME is needed too: the value that counts");
    for (size_t k = 0; k < r->read.count && !code; k++) code = take(out, m, r->read.at[k]);
    if (code) return code;
    qsort(out->at, out->count, sizeof *out->at, by_time);
    double last = out->at[out->count - 1].time;
    out->step = !isnan(r->fmu_step) ? r->fmu_step
                : m->step > 0       ? m->step
                                    : (last - m->start) / STEPS;
    if (!(out->step > 0)) out->step = 1; /* all is read at the start */
    return check_times(out, m);
}
