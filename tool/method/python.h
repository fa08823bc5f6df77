/* A method that is a Python class, in a process of its own: python3 -m zoprox.serve.
 * SPDX-License-Identifier: MIT
 *
 * Messages in both directions are a tag, a size and so many bytes, in the numbers of this machine. zoprox says
 *
 *     'n'                          a new object of the class, please
 *     'o' n d, zo_settings         begin; answered by 'k' and the state
 *     'a' radius sides, x, state   ask; answered by 'q' and a question, or 'e': there is none
 *     't' radius sides, x, answers tell; answered by 'p': moved residual, x, state
 *
 * and any of them may be answered by 'x' and a sentence, or by 'P' and step, v: then zoprox says 'P' and prox(v, step), and
 * waits on. This is between the command and the package of one version, and may change with it. */
#ifndef ZO_TOOL_PYTHON_H
#define ZO_TOOL_PYTHON_H

#include <sys/types.h>

#include "core/tool.h"

typedef struct message {
    char *at;
    size_t size, room;
} message;

typedef struct python {
    pid_t pid;
    int fd;
    zo_method *method; /* that this is the inside of */
    const zo_prox *psi;
    size_t d;
    double *state;
    message question, reply;
    char failed[256];    /* "": nothing has */
    struct python *next; /* of those that nobody uses */
} python;

/* Starts the process for FILE.py[:CLASS], and hears its name. NULL after a line. */
python *python_start(const char *spec, char name[16]);
int python_begin(python *p, zo_method *method); /* fills in the method; not 0: failed says why */
void python_stop(python *p);                    /* takes NULL */

#endif
