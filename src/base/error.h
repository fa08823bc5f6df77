/* Failures: one sentence for the caller.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_BASE_ERROR_H
#define ZO_BASE_ERROR_H

#include "zoprox.h"

/* Sets err (which may be NULL) and returns status, so that "return fail(...)" is the whole error path. */
zo_status fail(zo_error *err, zo_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
zo_status succeed(zo_error *err); /* clears err, returns ZO_OK */
zo_status out_of_memory(zo_error *err, const char *what, size_t count);

#endif
