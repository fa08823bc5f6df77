/* Other programs that draw and print: gnuplot, Chromium.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_PRINT_H
#define ZO_TOOL_PRINT_H

enum { SPAWN_ABSENT = -1 };

/* Runs argv in the folder, without its output (muted: nor its complaints), and waits: 0, SPAWN_ABSENT where there is no such program, or what it came to. */
int spawn_in(const char *folder, char **argv, int muted);
/* FOLDER/report.html as report.pdf, by Chromium; a remark where there is none. DONE, or FAILED after a line. */
int page_print(const char *folder, int quiet);

#endif
