/* Fans: what they cost, how many numbers answer them, and the points they stand for.
 * SPDX-License-Identifier: MIT */
#include <assert.h>

#include "base/real.h"
#include "base/vec.h"
#include "problem/problem.h"
#include "zoprox.h"

static size_t points_per_base(const zo_fan *fan)
{
    return (fan->known ? 0 : 1) + (size_t)fan->sides * (fan->naxis + fan->ndir);
}

uint64_t zo_fan_queries(const zo_fan *fan)
{
    uint64_t copies = fan->by_point && !fan->own ? 1 : fan->ncomp;
    return copies * fan->nbase * points_per_base(fan);
}

size_t zo_fan_set(const zo_fan *fan) { return fan->nbase * points_per_base(fan); }

size_t zo_fan_answers(const zo_fan *fan) { return (fan->each ? fan->ncomp : 1) * zo_fan_set(fan); }

double zo_fan_radius(const zo_fan *fan, size_t k) { return fan_reach(fan, k, 0); }

size_t zo_fan_points(const zo_fan *fan) { return zo_fan_set(fan); }

/* As the asker has it: logarithms where coordinates are. */
static void place(const zo_fan *fan, size_t entry, size_t point, double *x)
{
    size_t per = points_per_base(fan), k = point % per;
    assert(point < fan->nbase * per);
    vec_copy(fan->d, fan->base[point / per], x);
    if (!fan->known) {
        if (k == 0) return;
        k--;
    }
    size_t direction = k / (size_t)fan->sides;
    double r = fan_reach(fan, direction, k % (size_t)fan->sides);
    if (direction < fan->naxis) {
        x[fan->axis ? fan->axis[direction] : direction] += r;
        return;
    }
    size_t row = direction - fan->naxis + (fan->own ? entry * fan->ndir : 0);
    vec_add(fan->d, r, fan->dir + row * fan->d, x);
}

void zo_fan_point(const zo_fan *fan, size_t entry, size_t point, double *x)
{
    place(fan, entry, point, x);
    for (size_t j = 0; fan->log && j < fan->d; j++)
        if (fan->log[j]) x[j] = real_exp(x[j]);
}

void zo_fan_fill(const zo_fan *fan, size_t entry, double *x)
{
    size_t points = zo_fan_points(fan);
    for (size_t k = 0; k < points; k++) zo_fan_point(fan, entry, k, x + k * fan->d);
}
