/* The way from auto to numbers, and what is said of it.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/real.h"
#include "base/vec.h"
#include "method/core/method.h"

static void append(char *text, size_t size, const char *format, va_list args)
{
    size_t used = strlen(text);
    if (used && used + 3 < size) {
        memcpy(text + used, "; ", 3);
        used += 2;
    }
    vsnprintf(text + used, size - used, format, args);
}

void method_note(method *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    append(m->chosen, sizeof m->chosen, format, args);
    va_end(args);
}

void method_warn(method *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    append(m->warning, sizeof m->warning, format, args);
    va_end(args);
}

zo_status method_whole(method *m, const char *name, double *at, double automatic, double high,
                       size_t *out, zo_error *err)
{
    if (isnan(*at)) {
        *at = fmin(fmax(1, floor(automatic)), high);
        method_note(m, "%s %.0f", name, *at);
    }
    if (!(*at >= 1 && *at <= high))
        return fail(err, ZO_BAD_ARGUMENT, "%s: %g is outside [1, %.0f]", name, *at, high);
    *out = (size_t)*at;
    return ZO_OK;
}

double method_bend(const method *m, double measured)
{
    if (measured > 0) return measured;
    double size = fabs(m->curve.trace);
    return size > 0 ? size : 1;
}

void method_auto_batch(method *m, double most)
{
    double top = method_bend(m, m->curve.top), each = method_bend(m, m->curve.each), batch = 1;
    while (2 * batch <= most && each / batch > top) batch *= 2;
    m->set.batch = batch;
    method_note(m, "batch %.0f", batch);
}

void method_auto_step(method *m)
{
    double top = method_bend(m, m->curve.top), each = method_bend(m, m->curve.each);
    m->set.step = 1 / (top + each / m->set.batch);
    method_note(m, "step %.3g (1/(top + each/batch); top %.3g, each %.3g)", m->set.step,
                m->curve.top, m->curve.each);
}

double method_most_directions(const method *m, double sets)
{
    return fmax(1, floor(m->set.memory / (16 * sets * (double)m->d)));
}

/* Not a round number: at x + radius e_j even an f of round numbers then uses all its digits (gauge.c). */
static const double odd = 1.0823922002923940;

double method_radius(const method *m, double length)
{
    const zo_settings *s = &m->set;
    if (!isnan(s->radius)) return s->radius;
    double noise = s->noise > 0 ? s->noise : 0;
    double base = s->sides == 1 ? fmax(1e-7, 2 * sqrt(noise)) : fmax(1e-5, 2 * real_cbrt(noise));
    return m->zoom * odd * base * fmax(1, vec_norm(m->d, m->x)) / length;
}

double method_unseen(const method *m, double objective, double scale)
{
    double noise = m->set.noise > 0 ? 2 * m->set.noise / sqrt((double)m->n) : 0;
    return fmax(1e-15 * fmax(fabs(objective), 1e-3 * scale), noise);
}
