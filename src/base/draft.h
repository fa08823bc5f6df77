/* Files that are whole or not there, and one writer at a time.
 * SPDX-License-Identifier: MIT
 *
 * A draft has no name while it is written (O_TMPFILE): a kill leaves nothing behind. Then it is synced and takes its target's
 * place by rename. For that moment, and on file systems without nameless files, it is called .NAME.zoprox-K in the target's
 * folder, with the least K that no living process has locked; what a kill left there is taken over the next time. */
#ifndef ZO_DRAFT_H
#define ZO_DRAFT_H

#include <stddef.h>

enum { DRAFT_PATH = 4096 };

typedef struct draft {
    int fd;
    int named;
    char path[DRAFT_PATH], target[DRAFT_PATH];
} draft;

/* Each returns 0, or errno. After a failed open or keep there is nothing to drop. */
int draft_open(draft *t, const char *target);
int draft_keep(draft *t);
void draft_drop(draft *t);
int draft_write(const draft *t, const void *bytes, size_t size);

/* 1: target is there and neither a file nor a folder: it is not replaced, draft_open gives ENODEV. */
int draft_is_device(const char *target);
int draft_too_long(const char *target); /* 1: there is no room for the names beside it */

/* The only writer of target, as long as it is held: a lock on .NAME.zoprox-lock, gone with the process. */
typedef struct hold {
    int fd; /* -1: not held */
    char path[DRAFT_PATH];
} hold;

/* 0; EBUSY: somebody else has it; ENAMETOOLONG; or another errno. */
int hold_take(hold *h, const char *target);
void hold_release(hold *h); /* also one that was never taken, with fd -1 */

/* 1: path is a name that a draft or lock of target may take. */
int draft_clashes(const char *path, const char *target);

#endif
