/* Scratch of the kernels, and which of them this machine runs.
 * SPDX-License-Identifier: MIT */
#include "problem/loss/kernel.h"

#include "base/mem.h"

const kernel_table *const kernel_tables[ISA_COUNT] = {&kernel_plain, &kernel_v3, &kernel_v4};

kernel *kernel_new(size_t seats)
{
    kernel *k = mem_new(1, sizeof *k);
    if (!k) return NULL;
    k->table = kernel_tables[isa_level()];
    k->seats = seats;
    k->piece = mem_new(seats, sizeof *k->piece);
    if (k->piece) return k;
    kernel_free(k);
    return NULL;
}

void kernel_free(kernel *k)
{
    if (!k) return;
    room *all[] = {&k->tree,  &k->leaves, &k->panel, &k->ridge, &k->order,   &k->sums,
                   &k->total, &k->start,  &k->head,  &k->next,  &k->classes, &k->margins};
    for (size_t r = 0; r < sizeof all / sizeof *all; r++) mem_free(all[r]->at);
    mem_free(k->piece);
    mem_free(k);
}

void *room_for(room *r, size_t count, size_t size)
{
    if (count <= r->bytes / size && r->at) return r->at;
    mem_free(r->at);
    r->at = mem_new(count, size);
    r->bytes = r->at ? count * size : 0;
    return r->at;
}
