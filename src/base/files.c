/* What this process may have open.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* syscall */
#include "base/files.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    MOST = 65536
}; /* looked at one by one where the kernel does not close them all at a stroke */

/* Without the C library's wrapper, which musl does not have. */
void files_close_from(int first)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0) return;
#endif
    struct rlimit may = {MOST, MOST};
    getrlimit(RLIMIT_NOFILE, &may);
    int end = may.rlim_cur < MOST ? (int)may.rlim_cur : MOST;
    for (int fd = first; fd < end; fd++) close(fd);
}
