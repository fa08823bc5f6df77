/* Sums over components, some of which may live on other ranks.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/sum.h"
#include "base/vec.h"
#include "method/core/method.h"
#include "problem/ranks/together.h"

void sum_rows(size_t count, const uint64_t *comp, size_t m, const double *rows, double *total,
              double *work, uint64_t *index)
{
    sum_tree tree;
    sum_open(&tree, m, work);
    if (comp) sum_order(comp, count, index, index + count);
    double *leaf = NULL;
    uint64_t last = UINT64_MAX;
    for (size_t e = 0; e < count; e++) {
        size_t at = comp ? (size_t)index[e] : e;
        uint64_t block = (comp ? comp[at] : at) / SUM_BLOCK;
        if (block != last) leaf = sum_leaf(&tree, last = block);
        if (m == 1)
            *leaf += rows[at];
        else
            vec_add(m, 1, rows + at * m, leaf);
    }
    sum_close(&tree, total);
}

int method_each(const method *m) { return m->together ? ZO_MINE : 1; }

void method_gather(method *m)
{
    m->together = NULL;
    m->first = 0;
    m->count = m->n;
}

int method_same(const method *m, uint64_t i, uint64_t k)
{
    return !m->together || m->together->same(m->together->ctx, (size_t)i, (size_t)k);
}

int method_reserve(const method *m, size_t width, size_t ncomp)
{
    return !m->together || m->together->reserve(m->together->ctx, width, ncomp);
}

void method_sum(const method *m, size_t count, const uint64_t *comp, size_t width,
                const double *rows, double *total, double *work, uint64_t *index)
{
    if (m->together)
        m->together->sum(m->together->ctx, count, comp, width, rows, total);
    else
        sum_rows(count, comp, width, rows, total, work, index);
}

void total_open(method_total *t, const method *m, size_t width, double *work)
{
    t->m = m;
    t->leaf = NULL;
    if (m->together)
        m->together->open(m->together->ctx, width, work);
    else
        sum_open(&t->tree, width, work);
}

double *total_leaf(method_total *t, uint64_t i)
{
    const struct zo_together *together = t->m->together;
    if (together) return together->leaf(together->ctx, i / SUM_BLOCK);
    if (!t->leaf || t->block != i / SUM_BLOCK)
        t->leaf = sum_leaf(&t->tree, t->block = i / SUM_BLOCK);
    return t->leaf;
}

void total_expect(method_total *t, uint64_t i)
{
    const struct zo_together *together = t->m->together;
    if (together) together->expect(together->ctx, i / SUM_BLOCK);
}

void total_close(method_total *t, double *total)
{
    const struct zo_together *together = t->m->together;
    if (together)
        together->close(together->ctx, total);
    else
        sum_close(&t->tree, total);
}

int method_reserve_rows(const method *m, size_t numbers)
{
    return !m->together || m->together->reserve_rows(m->together->ctx, numbers);
}

void method_marks(const method *m, const unsigned char *mine, unsigned char *all)
{
    if (m->together)
        m->together->marks(m->together->ctx, mine, all);
    else if (all != mine)
        memcpy(all, mine, m->n);
}

void method_rows(const method *m, size_t count, const uint64_t *comp, size_t width, double *rows)
{
    if (m->together) m->together->rows(m->together->ctx, count, comp, width, rows);
}
