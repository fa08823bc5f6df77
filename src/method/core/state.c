/* What a method keeps between a tell and the next ask, registered by name: what checkpoints are made of.
 * SPDX-License-Identifier: MIT */
#include <assert.h>

#include "base/mem.h"
#include "method/core/method.h"

static state_entry *keep(method *m, const char *name, void *at, size_t words, int owned)
{
    assert(m->nstates < MAX_STATES);
    m->state[m->nstates] = (state_entry){name, at, words, owned, 0, UINT64_MAX};
    return &m->state[m->nstates++];
}

static void *keep_new(method *m, const char *name, size_t count)
{
    void *p = mem_new(count, 8);
    if (p) keep(m, name, p, count, 1);
    return p;
}

double *state_numbers(method *m, const char *name, size_t count)
{
    return keep_new(m, name, count);
}
uint64_t *state_indices(method *m, const char *name, size_t count, uint64_t most)
{
    uint64_t *p = keep_new(m, name, count);
    if (p) m->state[m->nstates - 1].most = most;
    return p;
}

double *state_shared(method *m, const char *name, size_t width)
{
    double *p = keep_new(m, name, m->count * width);
    if (p) m->state[m->nstates - 1].width = width;
    return p;
}

void state_number(method *m, const char *name, double *at) { keep(m, name, at, 1, 0); }
void state_array(method *m, const char *name, double *at, size_t count)
{
    keep(m, name, at, count, 0);
}
void state_count(method *m, const char *name, uint64_t *at, uint64_t most)
{
    keep(m, name, at, 1, 0)->most = most;
}

void state_words(method *m, const char *name, void *at, size_t words)
{
    keep(m, name, at, words, 0);
}
