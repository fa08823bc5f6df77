/* A method of the user's, as a row like any other.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_OWN_H
#define ZO_METHOD_OWN_H

#include "method/core/method.h"

typedef struct own_row {
    method_row row; /* first: m->row of such a method is a pointer to this */
    const zo_method *with;
} own_row;

/* ZO_BAD_ARGUMENT: its functions or its name are missing, or the name is one of the library's. */
zo_status own_fill(own_row *own, const zo_method *with, zo_error *err);

#endif
