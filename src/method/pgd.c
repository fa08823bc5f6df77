/* pgd: x = prox(x - step G(x)), G the difference gradient over all components.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/error.h"
#include "base/vec.h"
#include "method/core/method.h"
#include "method/core/rows.h"
#include "method/core/safeguard.h"

typedef struct pgd {
    method base;
    watch watch;
    double *g, *work; /* d each (scratch) */
} pgd;

static zo_status pgd_open(method *m, zo_error *err)
{
    pgd *p = (pgd *)m;
    p->g = scratch_new(m, m->d, sizeof *p->g);
    p->work = scratch_new(m, m->d, sizeof *p->work);
    if (!p->g || !p->work) return out_of_memory(err, "a gradient", 2 * m->d);
    return watch_open(m, &p->watch, err);
}

static int pgd_needs(const method *m) { return isnan(m->set.step) ? NEEDS_TOP : NEEDS_NOTHING; }

static void pgd_settle(method *m)
{
    if (!isnan(m->set.step)) return;
    m->set.step = 0.9 / method_bend(m, m->curve.top);
    method_note(m, "step %.3g (0.9/top, top %.3g)", m->set.step, m->curve.top);
}

static int pgd_ask(method *m, zo_fan *fan)
{
    fan->naxis = m->d;
    return 1;
}

static void pgd_tell(method *m, const double *answers)
{
    pgd *p = (pgd *)m;
    read_slopes(&m->fan, answers, 0, 0, m->d, p->g);
    const double *g = p->g;
    if (watch_step(m, &p->watch, m->x, answers[0], p->g)) {
        vec_copy(m->d, p->watch.last, m->x);
        g = p->watch.g;
    }
    m->residual = prox_residual(m, m->x, m->set.step, g, p->work);
    vec_copy(m->d, p->work, m->x);
    m->step++;
}

const method_row pgd_row = {.info = ROW_PGD,
                            .size = sizeof(pgd),
                            .open = pgd_open,
                            .needs = pgd_needs,
                            .settle = pgd_settle,
                            .ask = pgd_ask,
                            .tell = pgd_tell};
