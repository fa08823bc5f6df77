/* The command in one process: what mpi/ranks.c does for several.
 * SPDX-License-Identifier: MIT */
#include "core/tool.h"

void ranks_begin(int *argc, char ***argv) { (void)argc, (void)argv; }
int ranks_end(int code) { return code; }
int ranks_me(void) { return 0; }
int ranks_size(void) { return 1; }
void ranks_share(void *bytes, size_t size, int from) { (void)bytes, (void)size, (void)from; }
int ranks_any(int flag) { return flag; }
void ranks_say(const char *text) { fprintf(stderr, "zoprox: %s\n", text); }
int ranks_agree(int code) { return code; }

int ranks_same_line(const request *r)
{
    (void)r;
    return DONE;
}

zo_status ranks_read(zo_data **out, const char *path, size_t features, int threads, zo_error *err)
{
    (void)threads;
    return zo_data_read(out, path, features, err);
}

zo_status ranks_keep(zo_data *data, zo_error *err)
{
    (void)data, (void)err;
    return ZO_OK;
}

int ranks_same(uint64_t v, const char *what)
{
    (void)v, (void)what;
    return DONE;
}

int ranks_join(task *s)
{
    (void)s;
    return DONE;
}

const volatile int *ranks_stop(void) { return stop_flag(); }
int ranks_ask_stop(void) { return 1; }
void ranks_clock(zo_control *c, double spent) { (void)c, (void)spent; }
zo_reason ranks_reason(zo_reason reason) { return reason; }
void ranks_failed(const zo_error *err) { (void)err; }

int ranks_group(const request *r)
{
    if (r->group <= 1) return DONE;
    char text[96];
    snprintf(text, sizeof text, "--group: %llu ranks are wanted, and there is one; see zoprox-mpi",
             (unsigned long long)r->group);
    ranks_say(text);
    return REFUSED;
}

zo_status ranks_group_join(zo_problem *p, zo_error *err)
{
    (void)p, (void)err;
    return ZO_OK;
}

const volatile int *ranks_group_stop(void) { return stop_flag(); }
