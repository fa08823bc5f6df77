/* What a method keeps between a tell and the next ask, registered by name: what checkpoints are made of. And scratch.
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

/* In front of each, in the room of its alignment: where the one before is. */
enum { FRONT = 64 };

void *scratch_new(method *m, size_t count, size_t size)
{
    char *p = count <= (SIZE_MAX - FRONT) / size ? mem_new(count * size + FRONT, 1) : NULL;
    if (!p) return NULL;
    *(void **)p = m->room;
    m->room = p;
    return p + FRONT;
}

void scratch_free(method *m)
{
    while (m->room) {
        void *p = m->room;
        m->room = *(void **)p;
        mem_free(p);
    }
}
