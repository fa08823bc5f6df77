/* Downloading a data set of the catalogue.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_DATA_FETCH_H
#define ZO_TOOL_DATA_FETCH_H

#include "data/catalogue.h"

/* One transfer of url, appended to the open file fd, which holds have bytes of it already. */
typedef struct transfer {
    const char *url, *name; /* name: for the progress line */
    const char *file;       /* what fd is, for messages */
    int fd;
    int shown;      /* 1: with a progress line on standard error */
    double most;    /* bytes that the set can have, at most */
    double timeout; /* seconds below SLOW bytes a second, after which it gives up */
} transfer;

/* data_transfer.c. ZO_OK: all of it is in the file. ZO_UNSUPPORTED: this build cannot download. Otherwise the file
 * keeps what has come, so that the next try goes on from there. */
zo_status transfer_run(const transfer *t, zo_error *err);

/* data_check.c. Is the file a copy of the set? By its hash where that is known to be exact, by its counts otherwise;
 * *note is then set to a remark ("" if there is none). */
zo_status data_check(const data_set *set, const char *file, char *note, size_t size, zo_error *err);

zo_status data_can_check(zo_error *err); /* ZO_UNSUPPORTED: this build cannot */

/* data_fetch.c. Fetches the set into the user's data folder; path is where it is. */
typedef struct fetching {
    const char *mirror; /* NULL: where it is published */
    int shown;          /* 1: with progress and remarks on standard error */
    double timeout;     /* seconds below SLOW bytes a second, after which it gives up; 0: 30 */
} fetching;
enum { SLOW = 1000, SLOW_SECONDS = 30 };
zo_status data_fetch(const data_set *set, const fetching *how, char *path, size_t size,
                     zo_error *err);

#endif
