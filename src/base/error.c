/* Failures: one sentence for the caller.
 * SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

/* One sentence is one line, whatever a file's name or another library's words have in them. */
static void keep_to_a_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127) *text = ' ';
}

zo_status fail(zo_error *err, zo_status status, const char *format, ...)
{
    if (!err) return status;
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    keep_to_a_line(err->text);
    err->status = status;
    return status;
}

zo_status succeed(zo_error *err)
{
    if (err) *err = (zo_error){ZO_OK, ""};
    return ZO_OK;
}

zo_status out_of_memory(zo_error *err, const char *what, size_t count)
{
    return fail(err, ZO_NO_MEMORY, "out of memory for %s (%zu)", what, count);
}

const char *zo_version(void) { return ZO_VERSION; }

const char *zo_status_name(zo_status status)
{
    switch (status) {
    case ZO_OK: return "ok";
    case ZO_BAD_ARGUMENT: return "bad argument";
    case ZO_BAD_INPUT: return "bad input";
    case ZO_BAD_STATE: return "call out of order";
    case ZO_NO_MEMORY: return "out of memory";
    case ZO_IO: return "input/output";
    case ZO_PROBLEM: return "problem failed";
    case ZO_MISMATCH: return "checkpoint mismatch";
    case ZO_UNSUPPORTED: return "unsupported";
    case ZO_HALTED: return "halted";
    }
    return "unknown status";
}
