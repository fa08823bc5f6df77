/* Mending: a question some of whose points could not be evaluated.
 * SPDX-License-Identifier: MIT
 *
 * It stands between a method and the fence, so no method knows of it. Where f(x) at a base x cannot be had there is nothing to
 * mend, and the point is refused. Where it can, and f(x + p) cannot, other points on the line are asked instead, one after
 * the other until one can be evaluated:
 *
 *   differences on one side:  x - p, x + p/8, x - p/8, x + p/64, x - p/64, and the method is told what the line through f(x)
 *       and this value has at x + p: the difference turns round, or its radius shrinks;
 *   on both sides:  x - 2p, x + p/8, x - p/2, x + p/64, and the parabola through f(x - p), f(x) and this value; where
 *       x - p fails too, lines.
 *
 * Only what failed is asked: points, or with directions of their own single components. Where bad answers are to be asked again
 * (nonfinite=retry, and nobody below has done so) x + p itself comes first. */
#ifndef ZO_MEND_H
#define ZO_MEND_H

#include "method/core/method.h"
#include "zoprox.h"

typedef struct mend mend;

/* The answers are whole; a question is to be asked first; no answers can be made; out of memory. */
enum { MEND_DONE, MEND_ASKS, MEND_REFUSES, MEND_NO_MEMORY };

zo_status mend_new(mend **out, size_t d, const struct zo_together *together, zo_error *err);
void mend_free(mend *x); /* takes NULL */
/* m's question was answered so, and not all of it can be used; again: times to ask the same once more. */
int mend_begin(mend *x, const method *m, const double *answers, unsigned again);
const zo_fan *mend_fan(const mend *x); /* what is to be asked; NULL: nothing is being mended */
int mend_tell(mend *x, const double *answers);
const double *mend_answers(const mend *x); /* for the method, when MEND_DONE */
void mend_drop(mend *x);                   /* as if the method's question had not been asked */

#endif
