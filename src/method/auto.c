/* auto: chooses a method from n, d, memory and horizon; docs/methods/auto.md has the rules.
 * SPDX-License-Identifier: MIT
 *
 *   one evaluation at a point gives all components: lm
 *   components can be asked one by one, and the horizon pays for 4 difference gradients of components, or, where there are
 *   no more than d/2 of them, for those of all, or 12 times for a look at 4 (inq gives way to zosgd where these say nothing of the others):
 *     n = 1: mean
 *     all of few are asked at the first point anyway: lm, which finds out whether they are squares, and hands over if not
 *     what inq keeps fits in memory, or will where the first gradients show few entries: inq
 *     a part of the components does, and is large enough to say something of the whole: sinq
 *   n = 1, and d is too large for mean: sparse, which hands over where the gradient has many entries
 *   otherwise, where psi leaves coordinates to themselves: thin, which looks for components of few entries, and hands over where there
 *   are none, as follows
 *   otherwise, the horizon is below 1.2 n(d+1): zosgd, because one difference gradient of everything would use it up
 *   otherwise, n <= 4: fista, because there is no sum to sample from;  else psvrg */
#include <math.h>

#include "method/component/state.h"
#include "method/core/method.h"
#include "method/core/rows.h"
#include "method/lm/bytes.h"
#include "method/mean/mean.h"
#include "method/sinq.h"
#include "method/sparse.h"
#include "method/thin/suits.h"

/* Below so many gradients random directions are ahead. Where components are few beside d a part of them may say nothing about most of
 * the dimensions, and inq looks at a few first: that should cost a small part of the horizon. */
enum { LEAST_GRADIENTS = 4 };
enum { LEAST_SPARSE = 100 }; /* values: a gradient of a few entries and a step */

static int gradients_pay(const method *m, double horizon)
{
    double n = (double)m->n, d = (double)m->d, look = m->set.noise > 0 ? n : look_part * LOOK,
           least = fmin(method_few_beside(m) ? look : LEAST_GRADIENTS, n);
    return !m->means_only && horizon >= least * (d + 2);
}

/* So few that inq too would ask all of them at the first point; nothing is said of noise or radii. */
static int few_in_all(const method *m, double horizon)
{
    return method_few_in_all(m) && horizon >= (double)m->n * ((double)m->d + 4) &&
           !(m->set.noise > 0) && isnan(m->set.radius);
}

static const char *auto_choose(method *m)
{
    double n = (double)m->n, d = (double)m->d,
           horizon = isnan(m->set.horizon) ? INFINITY : m->set.horizon;
    double need = inq_bytes(m->n, m->d, m->set.sides);
    if (m->by_point && !m->means_only && lm_bytes(m->n, m->d) <= m->set.memory) {
        method_note(m, "method lm (a point gives all %zu %s)", m->n,
                    m->outer ? "residuals" : "components");
        return "lm";
    }
    int pays = gradients_pay(m, horizon);
    if (pays && m->n == 1 && mean_suits(m->d) && mean_bytes(m->d) <= m->set.memory) {
        method_note(m, "method mean (one function)");
        return "mean";
    }
    if (sparse_suits(m->n, m->d, m->psi) && horizon >= LEAST_SPARSE && !(m->set.noise > 0)) {
        method_note(m, "method sparse (one function of %zu coordinates)", m->d);
        return "sparse";
    }
    if (pays && few_in_all(m, horizon) && lm_bytes(m->n, m->d) <= m->set.memory) {
        method_note(m, "method lm (few components: are they squares?)");
        return "lm";
    }
    if (pays && inq_least_bytes(m->n, m->d, m->set.sides) <= m->set.memory) {
        method_note(m, "method inq (each component along the direction in which it changes)");
        return "inq";
    }
    if (pays && sinq_suits(m, NULL)) {
        method_note(m, "method sinq (inq on all would keep %.3g bytes)", need);
        return "sinq";
    }
    if (thin_suits(m, horizon)) {
        method_note(m, "method thin (do components have few entries?)");
        return "thin";
    }
    if (horizon < 1.2 * n * (d + 1)) {
        method_note(m, "method zosgd (the horizon is %.2g units, below 1.2%s)", horizon / n / d,
                    pays || m->means_only ? "" : " and a few gradients");
        return "zosgd";
    }
    if (m->n <= 4) {
        method_note(m, "method fista (n is %zu)", m->n);
        return "fista";
    }
    if (m->means_only)
        method_note(m, "method psvrg (the problem answers means only)");
    else
        method_note(m, "method psvrg (inq would keep %.3g bytes, memory is short)", need);
    return "psvrg";
}

const method_row auto_row = {.info = ROW_AUTO, .size = sizeof(method), .choose = auto_choose};
