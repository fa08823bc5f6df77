/* The settings table, seen from inside.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_SETTINGS_H
#define ZO_SETTINGS_H

#include "zoprox.h"

const zo_setting_row *setting_find(const char *name); /* NULL: unknown */
/* every field in its range */
zo_status settings_check(const zo_settings *s, size_t n, zo_error *err);

#endif
