/* A port on this machine that a page is served on. SPDX-License-Identifier: MIT */
#ifndef ZO_TOOL_DOOR_H
#define ZO_TOOL_DOOR_H

#include <stdint.h>

int door_open(uint64_t port); /* 0: any that is free. A socket that listens, or -1: see errno */
int door_port(int fd);        /* which it became */

#endif
