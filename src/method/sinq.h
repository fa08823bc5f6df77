/* sinq: components that fit in memory.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_SINQ_H
#define ZO_METHOD_SINQ_H

#include "method/core/method.h"

size_t sinq_part(size_t n, size_t d, double sides, double memory);
int sinq_suits(const method *m, const handover *known); /* do they say something of the whole? */

#endif
