/* The defaults, for a method by name.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TESTS_SETTINGS_OF_H
#define ZO_TESTS_SETTINGS_OF_H

#include <stdio.h>

#include "zoprox.h"

static inline zo_settings settings_of(const char *method)
{
    zo_settings s = zo_defaults();
    snprintf(s.method, sizeof s.method, "%s", method);
    return s;
}

#endif
