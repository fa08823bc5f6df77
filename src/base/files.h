/* What this process may have open.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_BASE_FILES_H
#define ZO_BASE_FILES_H

void files_close_from(int first); /* every descriptor from first on; safe after a fork */

#endif
