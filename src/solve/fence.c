/* The fence: no question leaves the box of psi. fence.h says how.
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "problem/gather.h"
#include "problem/problem.h"
#include "problem/ranks/together.h"
#include "prox/prox.h"
#include "solve/fence_parts.h"

/* ---- Life ---------------------------------------------------------------------------------------- */

/* psi's set, if it is more than a box and is to be kept. */
static zo_status keep_region(fence *f, const zo_prox *psi, size_t d, int inside, zo_error *err)
{
    if (!inside) return ZO_OK;
    zo_status status = region_new(&f->region, psi, d, err);
    if (status || !f->region) return status;
    if (!(f->spare = mem_new(3 * d, sizeof *f->spare))) return out_of_memory(err, "inside", d);
    region_box(f->region, f->bounds, f->bounds + d);
    return ZO_OK;
}

zo_status fence_new(fence **out, const zo_prox *psi, size_t d, int inside,
                    const struct zo_together *together, zo_error *err)
{
    *out = NULL;
    fence *f = mem_new(1, sizeof *f);
    if (!f) return out_of_memory(err, "bounds", d);
    f->bounds = mem_new(2 * d, sizeof *f->bounds);
    f->base = mem_new(2 * d, sizeof *f->base);
    f->point = mem_new(d, sizeof *f->point);
    f->together = together;
    if (!f->bounds || !f->base || !f->point ||
        (together && !together->reserve_rows(together->ctx, 0))) {
        fence_free(f);
        return out_of_memory(err, "bounds", d);
    }
    f->box = (box){d, f->bounds, f->bounds + d};
    int bounded = prox_bounds(psi, d, f->bounds, f->bounds + d);
    zo_status status = keep_region(f, psi, d, inside, err);
    if (!status && (bounded || f->region))
        *out = f;
    else
        fence_free(f);
    return status;
}

void fence_free(fence *f)
{
    if (!f) return;
    void *all[] = {f->bounds,  f->base, f->point,  f->recipes, f->axis,  f->radii, f->rows,
                   f->answers, f->comp, f->counts, f->marks,   f->mixes, f->spare};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
    region_free(f->region);
    mem_free(f);
}

/* ---- What is outside ----------------------------------------------------------------------------- */

static int point_inside(const box *b, const double *x)
{
    for (size_t j = 0; j < b->d; j++)
        if (!(x[j] >= b->lo[j] && x[j] <= b->hi[j])) return 0;
    return 1;
}

static int axes_inside(const fence *f, const zo_fan *fan)
{
    for (size_t b = 0; b < fan->nbase; b++)
        for (size_t k = 0; k < fan->naxis; k++)
            for (size_t side = 0; side < (size_t)fan->sides; side++) {
                size_t j = fence_axis(fan, k);
                double y = fan->base[b][j] + fan_reach(fan, k, side);
                if (!(y >= f->box.lo[j] && y <= f->box.hi[j])) return 0;
            }
    return 1;
}

static int rows_inside(const fence *f, const zo_fan *fan)
{
    size_t head = !fan->known, per = zo_fan_set(fan) / fan->nbase,
           first = head + (size_t)fan->sides * fan->naxis;
    for (size_t b = 0; b < fan->nbase; b++)
        for (size_t k = first; k < per; k++) {
            zo_fan_point(fan, 0, b * per + k, f->point);
            if (!point_inside(&f->box, f->point)) return 0;
        }
    return 1;
}

static int bases_inside(const fence *f, const zo_fan *fan)
{
    for (size_t b = 0; b < fan->nbase; b++)
        if (f->region ? !region_has(f->region, fan->base[b]) : !point_inside(&f->box, fan->base[b]))
            return 0;
    return 1;
}

/* A base that is outside, by rounding or because a method went there, is asked where it is nearest. */
static void clamp_bases(fence *f)
{
    for (size_t b = 0; b < f->of.nbase; b++) {
        double *x = f->base + b * f->box.d;
        if (f->region) region_nearest(f->region, f->of.base[b], x);
        for (size_t j = 0; !f->region && j < f->box.d; j++)
            x[j] = fmin(fmax(f->of.base[b][j], f->box.lo[j]), f->box.hi[j]);
        f->of.base[b] = x;
    }
}

/* ---- Bases moved inwards -------------------------------------------------------------------------- */

/* The farthest that the rows go up and down along coordinate j, times the radius. */
static void reach_along(const zo_fan *fan, size_t j, double *up, double *down)
{
    *up = *down = 0;
    for (size_t k = 0; k < fan->naxis + fan->ndir; k++) {
        double u = k < fan->naxis ? fence_axis(fan, k) == j
                                  : fan->dir[(k - fan->naxis) * fan->d + j],
               r = fan_reach(fan, k, 0) * u, most = fmax(r, 0), least = fmax(-r, 0);
        if (fan->sides == 2) most = least = fabs(r);
        *up = fmax(*up, most);
        *down = fmax(*down, least);
    }
}

/* Rounding of base + r u. */
static double slack(double lo, double hi)
{
    return 8 * DBL_EPSILON * fmax(isfinite(lo) ? fabs(lo) : 0, isfinite(hi) ? fabs(hi) : 0);
}

static void move_bases(fence *f)
{
    zo_fan *fan = &f->fan;
    const box *b = &f->box;
    double *up = f->radii, *down = up + b->d, scale = 1;
    for (size_t j = 0; j < b->d; j++) {
        reach_along(&f->of, j, &up[j], &down[j]);
        double wide = b->hi[j] - b->lo[j] - 2 * slack(b->lo[j], b->hi[j]),
               needs = (up[j] + down[j]) * (1 + 1e-9);
        if (needs > wide) scale = fmin(scale, wide / needs * (1 - 1e-9));
    }
    f->shrunk = scale;
    fan->radius *= scale;
    for (size_t k = 0; k < fan->nbase; k++) {
        double *x = f->base + k * b->d;
        for (size_t j = 0; j < b->d; j++) {
            double more = slack(b->lo[j], b->hi[j]),
                   low = b->lo[j] + scale * down[j] * (1 + 1e-9) + more,
                   high = b->hi[j] - scale * up[j] * (1 + 1e-9) - more;
            x[j] = f->of.base[k][j];
            if (up[j] > 0 || down[j] > 0) x[j] = fmax(fmin(x[j], high), low);
        }
        fan->base[k] = x;
    }
}

/* D(+-r) from D(+-r'): the odd part grows as r, the even one as r^2. */
static void tell_moved(fence *f, const double *answers)
{
    const zo_fan *fan = &f->of;
    double more = 1 / f->shrunk;
    size_t count = zo_fan_answers(fan), per = zo_fan_set(fan) / fan->nbase;
    for (size_t k = 0; k < count; k += per) {
        const double *a = answers + k;
        double *to = f->answers + k;
        to[0] = a[0];
        for (size_t e = 1; e < per; e += (size_t)fan->sides) {
            if (fan->sides == 1) {
                to[e] = more * a[e];
                continue;
            }
            double odd = 0.5 * more * (a[e] - a[e + 1]),
                   even = 0.5 * more * more * (a[e] + a[e + 1]);
            to[e] = even + odd;
            to[e + 1] = even - odd;
        }
    }
}

/* ---- Points that all components share -------------------------------------------------------------- */

/* f(base) is wanted, and nobody has told it. */
static int wants_base(const fence *f, const recipe *r)
{
    return f->of.known && r->base != 0 && isnan(f->value);
}

static void list_axes(fence *f)
{
    const zo_fan *of = &f->of;
    const double *x = of->base[0], *lo = f->box.lo, *hi = f->box.hi;
    size_t count = 0, same = 1, sides = (size_t)of->sides;
    for (size_t k = 0; k < of->naxis; k++) {
        size_t j = fence_axis(of, k);
        recipe *to = f->recipes + k * sides;
        for (size_t side = 0; side < sides; side++) {
            double r = fan_reach(of, k, side);
            to[side] = recipe_axis(&f->box, x, j, r, fence_is_fine(f, x, fabs(r)));
            same = same && to[side].count == 1;
            if (wants_base(f, &to[side])) f->zero = 0;
        }
        recipe_places(to, sides, &count);
        for (size_t side = 0; side < sides; side++)
            for (size_t e = 0; e < to[side].count; e++) {
                f->axis[to[side].at[e]] = (uint32_t)j;
                f->radii[to[side].at[e]] =
                    prox_step(x[j], to[side].t[e] * fan_reach(of, k, side), lo[j], hi[j]);
            }
    }
    if (f->zero == 0) { /* with a radius of 0 */
        f->zero = count;
        f->axis[count] = 0;
        f->radii[count++] = 0;
    }
    f->fan.naxis = count;
    f->fan.axis = !of->axis && same && count == f->box.d && of->sides == 1 ? NULL : f->axis;
    f->fan.radii = f->radii;
}

static void list_rows(fence *f)
{
    const zo_fan *of = &f->of;
    size_t sides = (size_t)of->sides, count = 0, d = f->box.d, from = f->fan.naxis;
    for (size_t k = of->naxis; k < of->naxis + of->ndir; k++) {
        recipe *to = f->recipes + k * sides;
        for (size_t side = 0; side < sides; side++)
            to[side] = fence_recipe(f, 0, k * sides + side + !of->known);
        recipe_places(to, sides, &count);
        for (size_t side = 0; side < sides; side++) {
            fence_displacement(f, 0, k * sides + side + !of->known, f->point);
            for (size_t e = 0; e < to[side].count; e++)
                recipe_put(&to[side], e, &f->box, of->base[0], f->point,
                           f->rows + to[side].at[e] * d);
            for (size_t e = 0; e < to[side].count; e++) to[side].at[e] += from;
            if (wants_base(f, &to[side]) && f->zero == SIZE_MAX) {
                f->zero = from + count;
                vec_zero(d, f->rows + count++ * d);
            }
        }
    }
    for (size_t k = 0; k < count; k++) f->radii[from + k] = 1;
    f->fan.ndir = count;
    f->fan.dir = f->rows;
}

static int list_points(fence *f)
{
    const zo_fan *of = &f->of;
    size_t sides = (size_t)of->sides, axes = 2 * sides * of->naxis + 1,
           rows = 3 * sides * of->ndir + 1;
    if (of->ndir == 0) rows = 0;
    if (!gather_room((void **)&f->recipes, &f->nrecipes, sides * (of->naxis + of->ndir),
                     sizeof *f->recipes) ||
        !gather_room((void **)&f->axis, &f->naxis, axes, sizeof *f->axis) ||
        !gather_room((void **)&f->radii, &f->nradii, axes + rows, sizeof *f->radii) ||
        !gather_room((void **)&f->rows, &f->nrows, rows * f->box.d, sizeof *f->rows))
        return 0;
    f->how = LISTED;
    f->zero = SIZE_MAX;
    f->fan.sides = 1;
    f->fan.base[0] = of->base[0];
    list_axes(f);
    list_rows(f);
    return 1;
}

static void tell_listed(fence *f, const double *answers)
{
    size_t sets = f->of.each ? f->of.ncomp : 1, from = zo_fan_set(&f->fan), to = zo_fan_set(&f->of),
           head = !f->of.known;
    for (size_t e = 0; e < sets; e++) {
        const double *a = answers + e * from;
        double *out = f->answers + e * to, base = f->of.known ? f->value : 0;
        if (head) out[0] = a[0];
        if (f->zero != SIZE_MAX) base = a[f->zero];
        for (size_t k = 0; k < to - head; k++)
            out[head + k] = f->region ? mix_of(&f->mixes[k], a + head, base)
                                      : fence_mix(&f->recipes[k], a + head, base);
    }
}

/* ---- Both ways ------------------------------------------------------------------------------------ */

/* Differences around a base that nobody compares with other values. */
static int may_move(const method *m, const zo_fan *fan)
{
    return !fan->known && !fan->own && !fan->radii &&
           (fan->nbase == 2 || (fan->ndir && !m->row->compares && fan->radius != 1));
}

static int cast(fence *f, const method *m)
{
    const zo_fan *of = &f->of;
    int changed = 0;
    if (of->own) return fence_pair(f, &changed);
    if (f->region) return fence_into(f, may_move(m, of));
    if (axes_inside(f, of) && rows_inside(f, of)) return 1;
    if (!may_move(m, of)) return list_points(f);
    if (!gather_room((void **)&f->radii, &f->nradii, 2 * f->box.d, sizeof *f->radii)) return 0;
    f->how = MOVED;
    move_bases(f);
    return 1;
}

const zo_fan *fence_ask(fence *f, const method *m, const zo_fan *fan)
{
    f->of = *fan;
    f->value = m->told;
    f->each = m->row->known;
    f->m = m;
    f->how = PLAIN;
    int moved = !bases_inside(f, fan);
    if (moved) clamp_bases(f);
    f->fan = f->of;
    if (!cast(f, m)) return NULL;
    if (f->how == PLAIN) return moved ? &f->fan : fan;
    if (!gather_room((void **)&f->answers, &f->nanswers, zo_fan_answers(fan), sizeof *f->answers))
        return NULL;
    return &f->fan;
}

const double *fence_tell(fence *f, const double *answers)
{
    switch (f->how) {
    case MOVED: tell_moved(f, answers); return f->answers;
    case LISTED: tell_listed(f, answers); return f->answers;
    case PAIRED: fence_tell_paired(f, answers); return f->answers;
    default: return answers;
    }
}
