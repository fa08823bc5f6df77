/* What earlier runs were answered: sorted by point, component, number and value, so that the order of a file has no say.
 * SPDX-License-Identifier: MIT
 *
 * A point is known by 128 bits of hashes of its numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "history/parts.h"

typedef struct fact {
    uint64_t point[2], component, number;
    double value;
    size_t used; /* of those with the same point and component, in the first of them */
} fact;

struct known {
    size_t n, d;
    fact *fact;
    size_t nfacts, room, left;
    uint64_t from;  /* numbers before it are used */
    double *point;  /* d: scratch, without negative zeros */
    double *hashed; /* d: the point hashed last */
    uint64_t hash[2];
};

known *known_new(size_t n, size_t d)
{
    known *k = mem_new(1, sizeof *k);
    if (!k) return NULL;
    *k = (known){.n = n, .d = d};
    k->point = mem_new(d, sizeof *k->point);
    k->hashed = mem_new(d, sizeof *k->hashed);
    if (k->point && k->hashed) {
        k->hashed[0] = NAN;
        return k;
    }
    known_free(k);
    return NULL;
}

void known_free(known *k)
{
    if (!k) return;
    mem_free(k->fact);
    mem_free(k->point);
    mem_free(k->hashed);
    mem_free(k);
}

size_t known_left(const known *k) { return k->left; }

/* -0 is 0: a file may not tell them apart. The same point often comes many times in a row. */
static void hash_of(const known *k, const double *x, uint64_t hash[2])
{
    size_t size = k->d * sizeof *x;
    if (memcmp(k->hashed, x, size)) {
        known *own = (known *)(uintptr_t)k; /* scratch */
        for (size_t j = 0; j < k->d; j++) own->point[j] = x[j] + 0.0;
        own->hash[0] = text_hash(TEXT_HASH, own->point, size);
        own->hash[1] = text_hash(~TEXT_HASH, own->point, size);
        memcpy(own->hashed, x, size);
    }
    hash[0] = k->hash[0];
    hash[1] = k->hash[1];
}

int known_add(known *k, const evaluation *e)
{
    if (k->nfacts == k->room) {
        size_t room = 2 * k->room + 64;
        fact *grown = mem_grow(k->fact, k->nfacts, room, sizeof *grown);
        if (!grown) return 0;
        k->fact = grown;
        k->room = room;
    }
    fact *f = &k->fact[k->nfacts++];
    *f = (fact){.component = e->component, .number = e->number, .value = e->value};
    hash_of(k, e->x, f->point);
    return 1;
}

static int order(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

static int by_place(const fact *a, const fact *b)
{
    int o = order(a->point[0], b->point[0]);
    if (!o) o = order(a->point[1], b->point[1]);
    return o ? o : order(a->component, b->component);
}

static int by_all(const void *va, const void *vb)
{
    const fact *a = va, *b = vb;
    int o = by_place(a, b);
    if (!o) o = order(a->number, b->number);
    return o ? o : (a->value > b->value) - (a->value < b->value);
}

void known_sort(known *k)
{
    if (k->nfacts) qsort(k->fact, k->nfacts, sizeof *k->fact, by_all);
    k->left = k->nfacts;
}

void known_forget(known *k, uint64_t number)
{
    k->from = number;
    k->left = 0;
    for (size_t a = 0, first = 0; a < k->nfacts; a++) {
        if (by_place(&k->fact[first], &k->fact[a])) first = a;
        k->left += k->fact[a].number >= number && a - first >= k->fact[first].used;
    }
}

/* The first with this point and component, or behind where it would be. */
static size_t find(const known *k, const fact *wanted)
{
    size_t low = 0, high = k->nfacts;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_place(&k->fact[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int known_take(known *k, const double *x, uint64_t component, double *value)
{
    fact wanted = {.component = component};
    hash_of(k, x, wanted.point);
    size_t first = find(k, &wanted);
    if (first == k->nfacts || by_place(&k->fact[first], &wanted)) return 0;
    size_t at = first + k->fact[first].used;
    while (at < k->nfacts && !by_place(&k->fact[at], &wanted) && k->fact[at].number < k->from) at++;
    if (at == k->nfacts || by_place(&k->fact[at], &wanted)) return 0;
    *value = k->fact[at].value;
    k->fact[first].used = at + 1 - first;
    k->left--;
    return 1;
}

/* w h(r - t), or r itself. */
static double on_top(const zo_outer *h, size_t i, double r)
{
    if (!h->value) return r;
    return (h->weight ? h->weight[i] : 1) * h->value(h, r - (h->target ? h->target[i] : 0));
}

int known_mean(const known *k, const zo_outer *outer, const double *x, double *mean,
               uint64_t hash[2])
{
    fact wanted = {.component = 0};
    hash_of(k, x, wanted.point);
    hash[0] = wanted.point[0];
    hash[1] = wanted.point[1];
    double sum = 0;
    size_t at = find(k, &wanted), i = 0;
    for (; i < k->n; i++) {
        wanted.component = i;
        while (at < k->nfacts && by_place(&k->fact[at], &wanted) < 0)
            at++; /* asked several times */
        if (at == k->nfacts || by_place(&k->fact[at], &wanted)) break;
        sum += on_top(outer, i, k->fact[at].value);
    }
    if (i == k->n) return *mean = sum / (double)k->n, 1;
    wanted.component = NO_COMPONENT; /* or somebody has written the mean itself */
    at = find(k, &wanted);
    if (at == k->nfacts || by_place(&k->fact[at], &wanted)) return 0;
    return *mean = k->fact[at].value, 1;
}
