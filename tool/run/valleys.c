/* A run on a box ends in one minimum, and cannot know of others. A few values of F along the line through its start and its end, from
 * bound to bound, can: where they fall, rise and fall again there are two valleys on that line. That is no proof of a second
 * minimum (a bent valley may cross a line twice), and one valley is no proof that there is none: it is a reason to try --starts.
 * SPDX-License-Identifier: MIT */
#include "run/valleys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "prox/prox.h"

enum { LEAST_PLACES = 4, PLACES = 8 };
#define SHARE 0.1  /* of what the run has asked */
#define CLEAR 0.01 /* of the range of values: a rise that is none of noise or of rounding */

/* F at x by a run whose budget is a look at F. NaN: not known. */
static double value_at(const task *s, const zo_control *limits, const double *x, uint64_t *queries)
{
    zo_solver *solver;
    zo_error err;
    zo_report report = {.objective = NAN};
    zo_settings set = zo_defaults();
    zo_control c = *limits;
    snprintf(set.method, sizeof set.method, "pgd");
    *(s->problem.by_point ? &c.max_points : &c.max_queries) =
        s->problem.by_point ? 1 : s->problem.n;
    if (zo_new(&solver, &s->problem, &set, &err)) return NAN;
    if (!zo_start(solver, x, &err) && !zo_run(solver, &c, &report, &err))
        *queries += report.queries + report.watched + report.extra;
    zo_free(solver);
    return report.objective;
}

/* x + t u is inside for t from low to high; 0: there are coordinates without bounds. */
static int reach(const task *s, const double *x, const double *u, double *low, double *high)
{
    size_t d = s->problem.d;
    double *lo = calloc(2 * d, sizeof *lo), *hi = lo + d;
    int bounded = lo && prox_bounds(&s->problem.psi, d, lo, hi);
    *low = -INFINITY;
    *high = INFINITY;
    for (size_t j = 0; bounded && j < d; j++) {
        bounded = isfinite(lo[j]) && isfinite(hi[j]);
        if (u[j] == 0) continue;
        double a = (lo[j] - x[j]) / u[j], b = (hi[j] - x[j]) / u[j];
        *low = fmax(*low, fmin(a, b));
        *high = fmin(*high, fmax(a, b));
    }
    free(lo);
    return bounded && isfinite(*low) && isfinite(*high) && *low <= 0 && *high > *low;
}

/* How often values fall and rise again, by more than clear. */
static size_t count_valleys(const double *f, size_t count, double clear)
{
    size_t found = 0;
    double low = INFINITY, high = INFINITY; /* since the last turn; at first it may only fall */
    int falls = 1;
    for (size_t k = 0; k < count; k++) {
        if (falls) {
            low = fmin(low, f[k]);
            if (f[k] > low + clear) falls = 0, high = f[k], found++;
        } else {
            high = fmax(high, f[k]);
            if (f[k] < high - clear) falls = 1, low = f[k];
        }
    }
    return found + (falls ? 1 : 0);
}

static valleys look_along(const task *s, const zo_control *limits, const double *end,
                          const double *u, double low, double high, size_t places, double at_end)
{
    double f[PLACES + 1], most = at_end, *x = calloc(s->problem.d, sizeof *x);
    valleys v = {.lowest = INFINITY};
    size_t count = 0;
    int seen = 0; /* is the end among them? Between the others, at t = 0 */
    for (size_t k = 0; x && k < places; k++) {
        double t = low + (high - low) * ((double)k + 0.5) / (double)places;
        for (size_t j = 0; j < s->problem.d; j++) x[j] = end[j] + t * u[j];
        if (!seen && t > 0) f[count++] = at_end, seen = 1;
        double value = value_at(s, limits, x, &v.queries);
        if (*limits->stop) break;
        if (!isfinite(value)) continue;
        f[count++] = value;
        most = fmax(most, value);
        v.lowest = fmin(v.lowest, value);
    }
    if (!seen) f[count++] = at_end;
    v.count = count_valleys(f, count, CLEAR * (most - fmin(at_end, v.lowest)));
    free(x);
    return v;
}

valleys valleys_look(const request *r, const task *s, const zo_control *control,
                     const zo_report *report, const double *x0, const double *end)
{
    size_t d = s->problem.d;
    double price = s->problem.by_point ? 1 : (double)s->problem.n, low, high;
    double spent = (double)(report->queries + report->watched + report->extra),
           f = report->objective;
    double left =
        fmin((double)control->max_queries, control->max_units * price * (double)d) - spent;
    if (s->problem.by_point) left = fmin(left, (double)control->max_points - spent);
    double places = fmin(PLACES, floor(fmin(SHARE * spent, left) / price));
    valleys none = {0};
    if (!box_wanted(r) || r->starts || report->reason != ZO_AT_END || !isfinite(f) ||
        !(places >= LEAST_PLACES))
        return none;
    double *u = calloc(d, sizeof *u);
    for (size_t j = 0; u && j < d; j++) u[j] = x0[j] - end[j];
    zo_control limits = zo_no_limits();
    limits.stop = control->stop;
    limits.history = control->history;
    valleys v = u && reach(s, end, u, &low, &high)
                    ? look_along(s, &limits, end, u, low, high, (size_t)places, f)
                    : none;
    free(u);
    return v;
}
