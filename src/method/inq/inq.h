/* inq: what its loop has beside steps.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_INQ_H
#define ZO_METHOD_INQ_H

#include "method/component/component.h"

/* proof.c: before it is said that a run has converged */
void ask_proof(inq *s, zo_fan *fan);
inq_next inq_proof(inq *s, const double *answers);

/* sane.c: state that was read from a file */
const char *inq_check(const method *m); /* NULL: it can be gone on with */

#endif
