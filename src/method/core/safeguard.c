/* Is an automatic step too long? A free check for methods that ask f and its gradient at every base.
 * SPDX-License-Identifier: MIT */
#include "method/core/safeguard.h"

#include <math.h>

#include "base/error.h"
#include "base/vec.h"

zo_status watch_open(method *m, watch *w, zo_error *err)
{
    w->on = isnan(m->set.step) ? 1u : 0u;
    state_count(m, "watch.on", &w->on, 1);
    w->grows = 1;
    state_count(m, "watch.full", &w->full, 1);
    state_count(m, "watch.grows", &w->grows, 1);
    state_number(m, "watch.f", &w->f);
    w->last = state_numbers(m, "watch.last", m->d);
    w->g = state_numbers(m, "watch.g", m->d);
    return w->last && w->g ? ZO_OK : out_of_memory(err, "the last gradient", 2 * m->d);
}

int watch_step(method *m, watch *w, const double *base, double f, const double *g)
{
    if (!w->on) return 0;
    double far = w->full ? vec_distance(m->d, base, w->last) : 0;
    /* Nearer than this the error of the differences, not the curvature, rules f(b) - f(a) - g'(b - a). */
    if (far > 100 * method_radius(m, 1)) {
        double bend = f - w->f - vec_dot(m->d, w->g, base) + vec_dot(m->d, w->g, w->last);
        double met = 2 * bend / (far * far);
        if (met * m->set.step > 1) {
            m->set.step = 0.9 / met;
            if (w->settles) w->grows = 0;
            return 1;
        }
        if (w->grows && met * m->set.step < 0.7) m->set.step *= 1.1;
    }
    vec_copy(m->d, base, w->last);
    vec_copy(m->d, g, w->g);
    w->f = f;
    w->full = 1;
    return 0;
}
