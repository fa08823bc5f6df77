/* Signals: the first one asks a run to end, the second ends the process.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "core/tool.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t stop_signal;

const volatile int *stop_flag(void) { return &stop_signal; }

static void on_signal(int number)
{
    stop_signal = number;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGUSR1, SIG_DFL);
}

void catch_signals(void)
{
    const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1}; /* the last: mpirun hands it on */
    for (size_t k = 0; k < sizeof caught / sizeof caught[0]; k++) {
        struct sigaction act;
        sigaction(caught[k], NULL, &act);
        if (act.sa_handler == SIG_IGN) continue; /* nohup means it */
        memset(&act, 0, sizeof act);
        act.sa_handler = on_signal;
        act.sa_flags = SA_RESTART;
        sigaction(caught[k], &act, NULL);
    }
}
