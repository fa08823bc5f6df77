/* auto: chooses a method from n, d, memory and horizon; docs/methods/auto.md has the rules.
 * SPDX-License-Identifier: MIT
 *
 *   horizon below 1.2 n(d+1): zosgd, because one difference gradient of everything would use it up
 *   n <= 4: fista, because there is no sum to sample from
 *   the table of n d numbers fits in half of memory, and components can be asked one by one: saga;  else
 * psvrg */
#include <math.h>

#include "method/method.h"
#include "method/rows.h"

static const char *auto_choose(method *m)
{
    double n = (double)m->n, d = (double)m->d;
    if (m->set.horizon < 1.2 * n * (d + 1)) {
        method_note(m, "method zosgd (the horizon is below 1.2 units)");
        return "zosgd";
    }
    if (m->n <= 4) {
        method_note(m, "method fista (n is %zu)", m->n);
        return "fista";
    }
    if (!m->means_only && 16 * n * d <= m->set.memory) {
        method_note(m, "method saga (its table fits in memory)");
        return "saga";
    }
    method_note(m, "method psvrg (%s)", m->means_only ? "the problem answers means only" : "memory is short");
    return "psvrg";
}

const method_row auto_row = {.info = ROW_AUTO, .size = sizeof(method), .choose = auto_choose};
