/* What methods see of x: the coordinates that are free, each in a scale of its own. fixed.h says how.
 * SPDX-License-Identifier: MIT */
#include "solve/fixed.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "problem/gather.h"
#include "problem/problem.h"

static const double no_width = 1e-9; /* of max(|lo|, |hi|), whatever the units */
static const double ordinary = 128;  /* sizes between 1/128 and 128 are left as they are */

struct fixed {
    prox_free free;
    int all;
    zo_block whole; /* psi of all coordinates */
    double *
        numbers; /* 6 d: where the fixed ones are, bounds and scales of the free ones, room for bases */
    uint32_t *places;
    double *rows, *radii;
    uint32_t *axis;
    size_t nrows, nradii, naxis;
    zo_fan fan;
};

static int is_fixed(double lo, double hi)
{
    double wide = hi - lo;
    return isfinite(wide) && wide <= no_width * fmax(fabs(lo), fabs(hi));
}

/* How large x_j is, as far as is known: as the user says, or else the number nearest to 1 that its bounds allow. A power of
 * two, so that nothing is rounded; 1 where it is not far from that. */
static double size_of(double lo, double hi, double said)
{
    double least = lo > 0   ? lo
                   : hi < 0 ? -hi
                            : 0,
           most = fmax(fabs(lo), fabs(hi)), size = said > 0 ? said : fmin(fmax(1, least), most);
    if (size >= 1 / ordinary && size <= ordinary) return 1;
    int exponent;
    frexp(size, &exponent);
    return ldexp(1, exponent < DBL_MAX_EXP ? exponent : DBL_MAX_EXP - 1);
}

/* Bounds are d numbers each; in the end those of the free coordinates, in their scale. Returns whether any scale is not 1. */
static int set_scales(fixed *f, double *lo, double *hi, const double *said, double *scale)
{
    int any = 0;
    for (size_t k = 0; k < f->free.count; k++) { /* places rise: nothing is lost */
        size_t j = f->places[k];
        scale[k] = prox_separable(&f->whole.psi) ? size_of(lo[j], hi[j], said ? said[j] : 0) : 1;
        any |= scale[k] != 1;
        lo[k] = lo[j] / scale[k];
        hi[k] = hi[j] / scale[k];
    }
    if (any) f->free.scale = scale;
    return any;
}

zo_status fixed_new(fixed **out, const zo_prox *psi, size_t d, const double *said, zo_error *err)
{
    *out = NULL;
    fixed *f = mem_new(1, sizeof *f);
    if (!f) return out_of_memory(err, "bounds", d);
    f->numbers = mem_new(6 * d, sizeof *f->numbers);
    f->places = mem_new(d, sizeof *f->places);
    if (!f->numbers || !f->places) {
        fixed_free(f);
        return out_of_memory(err, "bounds", d);
    }
    double *full = f->numbers, *lo = full + d, *hi = lo + d, *scale = hi + d;
    f->whole = (zo_block){0, d, *psi};
    f->free = (prox_free){.d = d, .at = f->places, .full = full};
    prox_bounds(psi, d, lo, hi);
    for (size_t j = 0; j < d; j++) {
        full[j] = is_fixed(lo[j], hi[j]) ? lo[j] : 0;
        if (!is_fixed(lo[j], hi[j])) f->places[f->free.count++] = (uint32_t)j;
    }
    f->all = f->free.count == 0;
    if (f->all) f->free.count = 1;
    if (!set_scales(f, lo, hi, said, scale) && f->free.count == d && !f->all) {
        fixed_free(f);
        return ZO_OK;
    }
    *out = f;
    return ZO_OK;
}

void fixed_free(fixed *f)
{
    if (!f) return;
    mem_free(f->numbers);
    mem_free(f->places);
    mem_free(f->rows);
    mem_free(f->radii);
    mem_free(f->axis);
    mem_free(f);
}

size_t fixed_count(const fixed *f) { return f->free.count; }
int fixed_all(const fixed *f) { return f->all; }

zo_prox fixed_psi(const fixed *f)
{
    return prox_of_free(&f->free, &f->whole, f->numbers + f->free.d, f->numbers + 2 * f->free.d);
}

void fixed_widen(const fixed *f, const double *x, double *wide) { prox_widen(&f->free, x, wide); }

static double scale_of(const fixed *f, size_t k) { return f->free.scale ? f->free.scale[k] : 1; }

void fixed_narrow(const fixed *f, const double *wide, double *x)
{
    for (size_t k = 0; k < f->free.count; k++) x[k] = wide[f->places[k]] / scale_of(f, k);
}

void fixed_widen_slopes(const fixed *f, const double *slopes, double *wide)
{
    vec_zero(f->free.d, wide);
    for (size_t k = 0; k < f->free.count; k++) wide[f->places[k]] = slopes[k] / scale_of(f, k);
}

static void widen_rows(fixed *f, size_t count, const double *from)
{
    size_t d = f->free.d, few = f->free.count;
    vec_zero(count * d, f->rows);
    for (size_t r = 0; r < count; r++)
        for (size_t k = 0; k < few; k++)
            f->rows[r * d + f->places[k]] = scale_of(f, k) * from[r * few + k];
}

/* Along an axis the radius grows with its scale. */
static void widen_axes(fixed *f, const zo_fan *fan)
{
    for (size_t k = 0; k < fan->naxis; k++) {
        size_t j = fan->axis ? fan->axis[k] : k;
        f->axis[k] = f->places[j];
        f->radii[k] = fan_reach(fan, k, 0) * scale_of(f, j);
    }
    for (size_t k = fan->naxis; k < fan->naxis + fan->ndir; k++) f->radii[k] = fan_reach(fan, k, 0);
}

const zo_fan *fixed_ask(fixed *f, const zo_fan *fan)
{
    size_t d = f->free.d, count = fan->ndir * (fan->own ? fan->ncomp : 1);
    if (!gather_room((void **)&f->rows, &f->nrows, count * d, sizeof *f->rows) ||
        !gather_room((void **)&f->axis, &f->naxis, fan->naxis, sizeof *f->axis) ||
        !gather_room((void **)&f->radii, &f->nradii, fan->naxis + fan->ndir, sizeof *f->radii))
        return NULL;
    f->fan = *fan;
    f->fan.d = d;
    for (size_t b = 0; b < fan->nbase; b++) {
        double *base = f->numbers + (4 + b) * d;
        fixed_widen(f, fan->base[b], base);
        f->fan.base[b] = base;
    }
    widen_axes(f, fan);
    widen_rows(f, count, fan->dir);
    if (fan->naxis) f->fan.axis = f->axis;
    if (fan->naxis && f->free.scale) f->fan.radii = f->radii;
    if (count) f->fan.dir = f->rows;
    return &f->fan;
}
