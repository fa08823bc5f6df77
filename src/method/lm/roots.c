/* Components that are squares: f_i = r_i^2/2, and r_i = +-sqrt(2 f_i) is what is modelled.
 * SPDX-License-Identifier: MIT
 *
 * Nobody says that they are squares. Where no f_i is negative, roots are tried; the first trials show whether they are smoother
 * than the f_i (signs.h). If not, or if a value is negative after all, the f_i themselves are modelled where a run gives all of
 * them, and inq goes on where they are asked one by one. */
#include <math.h>
#include <string.h>

#include "base/vec.h"
#include "method/core/gauge.h"
#include "method/lm/lm.h"

/* ---- no roots ------------------------------------------------------------------------------------------ */

static void square(size_t n, double *r)
{
    for (size_t i = 0; i < n; i++) r[i] *= 0.5 * r[i];
}

/* Slopes of f_i = r_i^2/2, and f. */
static void square_slopes(size_t n, size_t d, double *r, double *slopes)
{
    for (size_t i = 0; i < n; i++) vec_scale(d, r[i], slopes + i * d);
    square(n, r);
}

/* From r_i to f_i, all that is kept. */
static void forget_roots(lm *s)
{
    size_t n = s->base.n, d = s->base.d;
    secants *w = &s->secants;
    for (size_t k = 0; k < w->count * n; k++) {
        double b = w->value[k], a = b - w->change[k];
        w->change[k] = 0.5 * (b - a) * (b + a);
        w->value[k] = 0.5 * b * b;
    }
    square_slopes(n, d, s->start_r, s->first);
    square(n, s->r);
    square(n, s->lower_r);
    s->at->rooted = 0;
    lm_first_metric(s, LEAST_SCALE);
}

void lm_leave_roots(lm *s, const char *why)
{
    s->base.stage = LM_NOTHING;
    method_hand_over(&s->base, method_may_follow(&s->base, "inq", NULL) ? "inq" : "mean", why);
}

/* 0: another method goes on. */
static int no_squares(lm *s)
{
    if (s->base.by_point) {
        forget_roots(s);
        return 1;
    }
    lm_leave_roots(s, "components are no squares");
    if (s->at->judged && s->base.d < INDEX_FROM) strcpy(s->base.next.to, "mean");
    return 0;
}

/* ---- roots --------------------------------------------------------------------------------------------- */

static int any_negative(size_t count, const double *f)
{
    for (size_t k = 0; k < count; k++)
        if (f[k] < 0) return 1;
    return 0;
}

int lm_find_roots(lm *s)
{
    if (s->base.outer) return 1;
    s->at->rooted = !any_negative(s->base.n, s->table);
    if (s->at->rooted || s->base.by_point) return 1;
    return no_squares(s);
}

/* What differs from f(x0), which may well be a round number, shows it. */
static int comes_rounded(const lm *s)
{
    size_t changed = 0;
    for (size_t i = 0; i < s->base.n; i++)
        if (sqrt(2 * s->table[i]) != s->r[i]) s->rm[changed++] = s->table[i];
    return gauge_coarse(changed, s->rm);
}

/* All of them are on top of a constant, and rounding takes most of the differences' digits. */
static int drowns(const lm *s)
{
    int changed = 0;
    for (size_t i = 0; i < s->base.n; i++) {
        double f = s->table[i], change = fabs(f - 0.5 * s->r[i] * s->r[i]);
        if (change > DROWNED * f) return 0;
        changed |= change > 0;
    }
    return changed;
}

int lm_take_roots(lm *s, size_t points)
{
    method *m = &s->base;
    if (!s->at->rooted) return 1;
    if (any_negative(points * m->n, s->table)) return no_squares(s);
    if (!m->by_point && m->stage == LM_AXES && (comes_rounded(s) || drowns(s))) {
        lm_leave_roots(s, "values come rounded");
        return 0;
    }
    int modelled = m->stage > LM_AXES;
    if (modelled) lm_build(s);
    for (size_t p = 0; p < points; p++) {
        double *r = s->table + p * m->n;
        if (modelled) lm_foretell(s, s->next + p * m->d, s->rm);
        for (size_t i = 0; i < m->n; i++)
            r[i] = copysign(sqrt(2 * r[i]), modelled ? s->rm[i] : s->r[i]);
    }
    return 1;
}

/* ---- evidence ------------------------------------------------------------------------------------------ */

/* Is it time to judge, and has F not fallen by so much since the last time? */
static int hardly_falls(lm_path *a, uint64_t every, double part)
{
    if (a->judged % every) return 0;
    int hardly = !(a->value < part * a->halved);
    a->halved = a->value;
    return hardly;
}

/* The first models decide; later ones are asked only where F hardly falls. What is hardly likely stays as long as F halves. */
int lm_judge_roots(lm *s)
{
    lm_path *a = s->at;
    int taught = s->base.stage == LM_TRIAL || s->base.stage == LM_GEOMETRY;
    if (!a->rooted || !taught) return 1;
    if (!a->judged) a->halved = a->origin;
    int first = a->judged < JUDGED || a->evidence < LIKELY;
    a->judged++;
    int doubted =
        first ? hardly_falls(a, JUDGED, 0.5) : hardly_falls(a, CRAWLED * (s->base.d + 1), 0.9);
    if (!first && !doubted) return 1;
    double now = signs_evidence(&s->signs, &s->model, &s->secants);
    a->evidence = first && a->judged > 1 ? fmax(a->evidence, now) : now;
    if (!doubted || a->evidence >= LIKELY) return 1;
    if (!no_squares(s)) return 0;
    lm_model(s);
    return 1;
}

void lm_unroot_slopes(const lm *s, double *r, double *slopes)
{
    if (s->at->rooted) square_slopes(s->base.n, s->base.d, r, slopes);
}
