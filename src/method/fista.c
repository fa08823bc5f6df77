/* fista: accelerated proximal gradient on difference gradients, with restart.
 * SPDX-License-Identifier: MIT
 *
 *   y = x_k + (t_k - 1)/t_{k+1} (x_k - x_{k-1}),  t_{k+1} = (1 + sqrt(1 + 4 t_k^2))/2;
 *   x_{k+1} = prox(y - step G(y))
 *   restart (the gradient scheme): when (y - x_{k+1})'(x_{k+1} - x_k) > 0 the momentum points uphill: t = 1
 *
 * Beck, Teboulle, 2009; O'Donoghue, Candes, 2015. */
#include <math.h>

#include "base/error.h"
#include "base/vec.h"
#include "method/core/method.h"
#include "method/core/rows.h"
#include "method/core/safeguard.h"

typedef struct fista {
    method base;
    watch watch;
    double *old;          /* d: x_{k-1} (state) */
    double t;             /* t_k (state) */
    double push;          /* (t_k - 1)/t_{k+1} (state) */
    double *y, *g, *next; /* d each (scratch) */
} fista;

static zo_status fista_open(method *m, zo_error *err)
{
    fista *f = (fista *)m;
    f->old = state_numbers(m, "old", m->d);
    state_number(m, "t", &f->t);
    state_number(m, "push", &f->push);
    f->y = scratch_new(m, m->d, sizeof *f->y);
    f->g = scratch_new(m, m->d, sizeof *f->g);
    f->next = scratch_new(m, m->d, sizeof *f->next);
    f->t = 1;
    if (!f->old || !f->y || !f->g || !f->next) return out_of_memory(err, "fista", 4 * m->d);
    f->watch.settles = 1; /* a step that comes and goes would break the momentum again and again */
    return watch_open(m, &f->watch, err);
}

static int fista_needs(const method *m) { return isnan(m->set.step) ? NEEDS_TOP : NEEDS_NOTHING; }

static void fista_settle(method *m)
{
    if (!isnan(m->set.step)) return;
    m->set.step = 0.9 / method_bend(m, m->curve.top);
    method_note(m, "step %.3g (0.9/top, top %.3g)", m->set.step, m->curve.top);
}

static int fista_ask(method *m, zo_fan *fan)
{
    fista *f = (fista *)m;
    vec_copy(m->d, m->x, f->y);
    if (f->push > 0) {
        vec_add(m->d, f->push, m->x, f->y);
        vec_add(m->d, -f->push, f->old, f->y);
    }
    method_clamp(m, f->y);
    fan->base[0] = f->y;
    fan->naxis = m->d;
    return 1;
}

static int uphill(const fista *f)
{
    const method *m = &f->base;
    double s = 0;
    for (size_t j = 0; j < m->d; j++) s += (f->y[j] - f->next[j]) * (f->next[j] - m->x[j]);
    return s > 0;
}

static void fista_tell(method *m, const double *answers)
{
    fista *f = (fista *)m;
    double *g = f->g;
    read_slopes(&m->fan, answers, 0, 0, m->d, g);
    int back = watch_step(m, &f->watch, f->y, answers[0], g);
    if (back) {
        vec_copy(m->d, f->watch.last, f->y);
        g = f->watch.g;
    }
    m->residual = prox_residual(m, f->y, m->set.step, g, f->next);
    if (back || (m->set.restart && uphill(f))) f->t = 1;
    vec_copy(m->d, m->x, f->old);
    vec_copy(m->d, f->next, m->x);
    double t = (1 + sqrt(1 + 4 * f->t * f->t)) / 2;
    f->push = (f->t - 1) / t;
    f->t = t;
    m->step++;
}

const method_row fista_row = {.info = ROW_FISTA,
                              .size = sizeof(fista),
                              .open = fista_open,
                              .needs = fista_needs,
                              .settle = fista_settle,
                              .ask = fista_ask,
                              .tell = fista_tell};
