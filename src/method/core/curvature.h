/* Curvature at the start, measured by second differences before a method's first fan.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_CURVATURE_H
#define ZO_CURVATURE_H

#include "method/core/method.h"

zo_status probe_new(method *m, zo_error *err); /* sets m->probe, registers its state */
int probe_fits(const struct probe *p); /* its state was read from a file: is it one that can be? */
void probe_free(struct probe *p);
double probe_trace_price(const method *m); /* queries */
int probe_ask(method *m, zo_fan *fan);     /* 0: m->curve is known */
void probe_tell(method *m, const double *answers);

#endif
