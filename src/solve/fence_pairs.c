/* The fence where components are asked along directions of their own: each point in bounds that is wanted becomes an entry
 * (component, point) of one question, and what was asked is mixed of their answers.
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "problem/gather.h"
#include "problem/ranks/together.h"
#include "solve/fence_parts.h"

static int is_mine(const fence *f, uint64_t i)
{
    return !f->together || f->of.each != ZO_MINE || i - f->together->first < f->together->count;
}

static size_t own_points(const zo_fan *of) { return zo_fan_set(of) - !of->known; }

/* f_i(base) is wanted, and nobody has it: it comes last. */
static int wants_own_base(const fence *f, const recipe *r)
{
    return f->of.known && r->base != 0 && !f->each;
}

/* The same where a set is kept. */
static size_t entry_mixes(fence *f, size_t e, double *rows, int *changed)
{
    int wants, head = !f->of.known;
    size_t count =
        fence_entry_into(f, e, rows ? rows + (size_t)head * f->box.d : NULL, &wants, changed) +
        (size_t)head;
    wants = wants && !head && !f->each;
    if (rows && wants) vec_zero(f->box.d, rows + count * f->box.d);
    return count + (size_t)wants;
}

/* Finds the recipes of an entry; returns how many evaluations it takes. */
static size_t entry_recipes(fence *f, size_t e, int *changed)
{
    const zo_fan *of = &f->of;
    size_t points = own_points(of), sides = (size_t)of->sides, count = !of->known, base = 0;
    if (f->region) return entry_mixes(f, e, NULL, changed);
    recipe *to = f->recipes + e * points;
    for (size_t k = 0; k < points; k++) {
        to[k] = fence_recipe(f, e, k + !of->known);
        base |= (size_t)wants_own_base(f, &to[k]);
        for (size_t j = 0; j < f->box.d && !*changed; j++) {
            double y = of->base[0][j] + f->point[j];
            *changed = !(y >= f->box.lo[j] && y <= f->box.hi[j]);
        }
    }
    for (size_t k = 0; k < points; k += sides) recipe_places(to + k, sides, &count);
    return count + base;
}

/* Where components are on other ranks, so are their directions: how many points these take is heard, a byte at a time. */
static int hear_counts(fence *f)
{
    const zo_fan *of = &f->of;
    const struct zo_together *t = f->together;
    if (!f->marks && !(f->marks = mem_new(2 * of->n, 1))) return 0;
    unsigned char *mine = f->marks, *all = mine + of->n;
    for (size_t shift = 0; shift < 16; shift += 8) {
        memset(mine, 0, of->n);
        for (size_t e = 0; e < of->ncomp; e++) {
            size_t i = gather_component(of, e);
            if (is_mine(f, i)) mine[i - t->first] = (unsigned char)(f->counts[e] >> shift & 255);
        }
        t->marks(t->ctx, mine, all);
        for (size_t e = 0; e < of->ncomp; e++) {
            size_t i = gather_component(of, e);
            if (is_mine(f, i)) continue;
            if (shift == 0) f->counts[e] = 0;
            f->counts[e] |= (size_t)all[i] << shift;
        }
    }
    return 1;
}

/* counts: twice the evaluations of each entry, and 1 where some of its points were outside. */
static int count_points(fence *f, size_t *total, int *changed)
{
    const zo_fan *of = &f->of;
    for (size_t e = 0; e < of->ncomp; e++) {
        int out = 0;
        f->counts[e] = 0;
        if (!is_mine(f, gather_component(of, e))) continue;
        size_t count = entry_recipes(f, e, &out);
        f->counts[e] = 2 * count + (size_t)out;
    }
    if (f->together && of->each == ZO_MINE && !hear_counts(f)) return 0;
    *total = 0;
    for (size_t e = 0; e < of->ncomp; e++) {
        *changed |= (int)(f->counts[e] % 2);
        *total += f->counts[e] /= 2;
    }
    return 1;
}

static void put_entry(fence *f, size_t e, size_t count, size_t first)
{
    const zo_fan *of = &f->of;
    size_t points = own_points(of), d = f->box.d;
    double *rows = f->rows + first * d;
    for (size_t k = 0; k < count; k++) f->comp[first + k] = gather_component(of, e);
    if (!is_mine(f, f->comp[first])) return;
    if (!of->known) vec_zero(d, rows);
    if (f->region) {
        int changed;
        entry_mixes(f, e, rows, &changed);
        return;
    }
    for (size_t k = 0; k < points; k++) {
        const recipe *r = f->recipes + e * points + k;
        fence_displacement(f, e, k + !of->known, f->point);
        for (size_t c = 0; c < r->count; c++)
            recipe_put(r, c, &f->box, of->base[0], f->point, rows + r->at[c] * d);
    }
    for (size_t k = 0; k < points; k++)
        if (wants_own_base(f, f->recipes + e * points + k)) vec_zero(d, rows + (count - 1) * d);
}

int fence_pair(fence *f, int *changed)
{
    const zo_fan *of = &f->of;
    size_t total;
    size_t points = of->ncomp * own_points(of);
    if (!(f->region
              ? gather_room((void **)&f->mixes, &f->nmixes, points, sizeof *f->mixes)
              : gather_room((void **)&f->recipes, &f->nrecipes, points, sizeof *f->recipes)) ||
        !gather_room((void **)&f->counts, &f->ncounts, of->ncomp, sizeof *f->counts) ||
        !count_points(f, &total, changed))
        return 0;
    if (!*changed) return 1;
    if (!gather_room((void **)&f->rows, &f->nrows, total * f->box.d, sizeof *f->rows) ||
        !gather_room((void **)&f->comp, &f->ncomp, total, sizeof *f->comp))
        return 0;
    size_t at = 0;
    for (size_t e = 0; e < of->ncomp; e++) {
        put_entry(f, e, f->counts[e], at);
        at += f->counts[e];
    }
    f->how = PAIRED;
    f->fan.base[0] = of->base[0];
    f->fan.own = f->fan.known = f->fan.sides = 1;
    f->fan.naxis = 0;
    f->fan.ndir = 1;
    f->fan.radius = 1;
    f->fan.radii = NULL;
    f->fan.dir = f->rows;
    f->fan.comp = f->comp;
    f->fan.ncomp = total;
    return 1;
}

void fence_tell_paired(fence *f, const double *answers)
{
    const zo_fan *of = &f->of;
    size_t points = own_points(of), set = zo_fan_set(of), head = !of->known;
    const double *a = answers;
    for (size_t e = 0; e < of->ncomp; e++) {
        size_t count = f->counts[e];
        double *out = f->answers + e * set;
        memset(out, 0, set * sizeof *out);
        if (is_mine(f, gather_component(of, e))) {
            double base = head      ? a[0]
                          : f->each ? f->each(f->m, gather_component(of, e))
                                    : a[count - 1];
            if (head) out[0] = a[0];
            for (size_t k = 0; k < points; k++)
                out[head + k] = (f->region ? mix_of(&f->mixes[e * points + k], a + head, base)
                                           : fence_mix(&f->recipes[e * points + k], a, base)) -
                                (head ? a[0] : 0);
        }
        a += count;
    }
}
