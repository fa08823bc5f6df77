/* thin, from outside.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_THIN_SUITS_H
#define ZO_METHOD_THIN_SUITS_H

#include "method/core/method.h"

int thin_suits(const method *m, double horizon); /* 1: it is tried */

#endif
