/* The words of a line for a shell, and which of them name files here. SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_LINE_H
#define ZO_TOOL_LINE_H

#include "core/tool.h"

typedef struct line_word {
    const char *at; /* where it stands in the line */
    size_t size;
    char text[4096]; /* without quotes; "": a shell makes it, or it is too long */
    int command;     /* it is a program's name */
    int written;     /* it stands behind > */
} line_word;

/* The next word; at first w is {.at = the line}. 0: there is none. */
int line_next(line_word *w);
/* Does it name a file here, which the program reads? Not those of a run's own folder. */
int line_reads(const request *r, const line_word *w);

#endif
