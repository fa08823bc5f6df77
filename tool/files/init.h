/* What zoprox init writes.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_INIT_H
#define ZO_TOOL_INIT_H

typedef struct init_text {
    const char *kind, *name; /* NULL: the table's end */
    int runs;                /* 1: the file can be run */
    const char *text;
} init_text;

#define INIT_ONE_VALUE "one value" /* the kind of files with one case */

extern const init_text init_texts[];

#endif
