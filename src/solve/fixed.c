/* Coordinates that bounds hold in one place: methods do not see them.
 * SPDX-License-Identifier: MIT */
#include "solve/fixed.h"

#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "problem/gather.h"

static const double no_width = 1e-12; /* of max(1, |lo|, |hi|) */

struct fixed {
    prox_free free;
    int all;
    zo_block whole;  /* psi of all coordinates */
    double *numbers; /* 4 d: where the fixed ones are, bounds of the free ones, room for a base */
    uint32_t *places;
    double *rows;
    uint32_t *axis;
    size_t nrows, naxis;
    zo_fan fan;
};

static int is_fixed(double lo, double hi)
{
    double wide = hi - lo;
    return isfinite(wide) && wide <= no_width * fmax(1, fmax(fabs(lo), fabs(hi)));
}

zo_status fixed_new(fixed **out, const zo_prox *psi, size_t d, zo_error *err)
{
    *out = NULL;
    fixed *f = mem_new(1, sizeof *f);
    if (!f) return out_of_memory(err, "bounds", d);
    f->numbers = mem_new(5 * d, sizeof *f->numbers);
    f->places = mem_new(d, sizeof *f->places);
    if (!f->numbers || !f->places) {
        fixed_free(f);
        return out_of_memory(err, "bounds", d);
    }
    double *full = f->numbers, *lo = full + d, *hi = lo + d;
    f->whole = (zo_block){0, d, *psi};
    f->free = (prox_free){d, 0, f->places, full};
    if (prox_bounds(psi, d, lo, hi))
        for (size_t j = 0; j < d; j++) {
            full[j] = is_fixed(lo[j], hi[j]) ? lo[j] : 0;
            if (!is_fixed(lo[j], hi[j])) f->places[f->free.count++] = (uint32_t)j;
        }
    else
        f->free.count = d;
    if (f->free.count == d) {
        fixed_free(f);
        return ZO_OK;
    }
    f->all = f->free.count == 0;
    if (f->all) f->free.count = 1;
    for (size_t k = 0; k < f->free.count; k++) { /* places rise: nothing is lost */
        lo[k] = lo[f->places[k]];
        hi[k] = hi[f->places[k]];
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

void fixed_narrow(const fixed *f, const double *wide, double *x)
{
    for (size_t k = 0; k < f->free.count; k++) x[k] = wide[f->places[k]];
}

static void widen_rows(fixed *f, size_t count, const double *from)
{
    size_t d = f->free.d, few = f->free.count;
    vec_zero(count * d, f->rows);
    for (size_t r = 0; r < count; r++)
        for (size_t k = 0; k < few; k++) f->rows[r * d + f->places[k]] = from[r * few + k];
}

const zo_fan *fixed_ask(fixed *f, const zo_fan *fan)
{
    size_t d = f->free.d, count = fan->ndir * (fan->own ? fan->ncomp : 1);
    if (!gather_room((void **)&f->rows, &f->nrows, count * d, sizeof *f->rows) ||
        !gather_room((void **)&f->axis, &f->naxis, fan->naxis, sizeof *f->axis))
        return NULL;
    f->fan = *fan;
    f->fan.d = d;
    for (size_t b = 0; b < fan->nbase; b++) {
        double *base = f->numbers + (3 + b) * d;
        fixed_widen(f, fan->base[b], base);
        f->fan.base[b] = base;
    }
    for (size_t k = 0; k < fan->naxis; k++) f->axis[k] = f->places[fan->axis ? fan->axis[k] : k];
    widen_rows(f, count, fan->dir);
    if (fan->naxis) f->fan.axis = f->axis;
    if (count) f->fan.dir = f->rows;
    return &f->fan;
}
