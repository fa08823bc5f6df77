/* psi as the layers above use it: zeroed structs mean zero; fingerprints.
 * SPDX-License-Identifier: MIT */
#include "prox/prox.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"

double prox_value(const zo_prox *psi, size_t d, const double *x)
{
    return psi->value ? psi->value(psi, d, x) : 0;
}

void prox_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x, double *work)
{
    if (psi->apply)
        psi->apply(psi, d, step, v, x, work);
    else
        vec_copy(d, v, x);
}

size_t prox_work(const zo_prox *psi, size_t d) { return psi->work ? psi->work(psi, d) : 0; }

int prox_separable(const zo_prox *psi) { return psi->one || !psi->apply; }

double prox_one(const zo_prox *psi, size_t j, double step, double v)
{
    return psi->one ? psi->one(psi, j, step, v) : v;
}

void prox_undefined(size_t d, double *x)
{
    for (size_t j = 0; j < d; j++) x[j] = NAN;
}

static uint64_t hash_words(uint64_t h, size_t count, const double *x)
{
    uint64_t there = x ? count : UINT64_MAX; /* absent is not the same as empty */
    h = text_hash(h, &there, sizeof there);
    return x ? text_hash(h, x, count * sizeof *x) : h;
}

uint64_t prox_hash(const zo_prox *psi, size_t d)
{
    const char *name = psi->name ? psi->name : psi->apply ? "" : "zero";
    uint64_t shape[3] = {psi->rows, psi->cols, psi->nparts};
    uint64_t h = text_hash(TEXT_HASH, name, strlen(name) + 1);
    h = text_hash(h, &psi->a, sizeof psi->a);
    h = text_hash(h, &psi->b, sizeof psi->b);
    h = text_hash(h, shape, sizeof shape);
    h = hash_words(h, psi->rows ? psi->rows * d : d, psi->lo);
    h = hash_words(h, psi->rows ? psi->rows : d, psi->hi);
    for (size_t k = 0; k < psi->nparts; k++) {
        const zo_block *part = &psi->part[k];
        uint64_t block[3] = {part->from, part->to, prox_hash(&part->psi, part->to - part->from)};
        h = text_hash(h, block, sizeof block);
    }
    return h;
}
