/* auto: chooses a method from n, d, memory and horizon; docs/methods/auto.md has the rules.
 * SPDX-License-Identifier: MIT
 *
 *   components can be asked one by one, what inq keeps fits in memory, and the horizon pays for 40 difference gradients
 *     of components: inq
 *   otherwise, the horizon is below 1.2 n(d+1): zosgd, because one difference gradient of everything would use it up
 *   otherwise, n <= 4: fista, because there is no sum to sample from;  else psvrg */
#include <math.h>

#include "method/inq.h"
#include "method/method.h"
#include "method/rows.h"

enum { LEAST_GRADIENTS = 40 };

static const char *auto_choose(method *m)
{
    double n = (double)m->n, d = (double)m->d, horizon = isnan(m->set.horizon) ? INFINITY : m->set.horizon;
    int fits = inq_bytes(m->n, m->d, m->set.sides) <= m->set.memory;
    if (!m->means_only && fits && horizon >= fmin(LEAST_GRADIENTS, n) * (d + 2)) {
        method_note(m, "method inq (every component along its own direction)");
        return "inq";
    }
    if (horizon < 1.2 * n * (d + 1)) {
        method_note(m, "method zosgd (the horizon is below 1.2 units)");
        return "zosgd";
    }
    if (m->n <= 4) {
        method_note(m, "method fista (n is %zu)", m->n);
        return "fista";
    }
    method_note(m, "method psvrg (%s)", m->means_only ? "the problem answers means only" : "memory is short");
    return "psvrg";
}

const method_row auto_row = {.info = ROW_AUTO, .size = sizeof(method), .choose = auto_choose};
