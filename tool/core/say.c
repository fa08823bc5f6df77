/* What the command says when something is wrong: one line, and the exit code.
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "core/tool.h"

int complain(int code, const char *format, ...)
{
    char text[8192];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    for (char *p = text; *p; p++) /* a program's words, or a name, may have had several lines */
        if ((unsigned char)*p < ' ') *p = ' ';
    ranks_say(text);
    return code;
}

int complain_of(const zo_error *err)
{
    switch (err->status) {
    case ZO_NO_MEMORY:
    case ZO_IO:
    case ZO_PROBLEM:
    case ZO_BAD_STATE: return complain(FAILED, "%s", err->text);
    default: return complain(REFUSED, "%s", err->text);
    }
}

int finish_output(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    return complain(FAILED, "standard output: %s",
                    errno ? strerror(errno) : "not all could be written");
}
