/* One point outside of a box, from points inside: which, and with which weights.
 * SPDX-License-Identifier: MIT */
#include "solve/fence_line.h"

#include <math.h>

#include "prox/prox.h"

static const double almost = 1 - 1e-9;  /* of the way: what is missing is rounding */
static const double least_room = 0.25;  /* of p, on the side of a line */
static const double too_narrow = 0.05;  /* of e: a coordinate that is not extended */
static const double most_stretch = 100; /* of a parabola */
static const double no_room = 1e-4;     /* of p: extended 1e4 times, noise is all */

static int is_inside(double y, double lo, double hi) { return y >= lo && y <= hi; }

static recipe plain(void) { return (recipe){.count = 1, .c = {1}, .t = {1}}; }

/* Room for up p on this side and down p on the other: through f(x) and f(x + ap), or also f(x + 2ap). */
static recipe on_line(double up, double down, int fine)
{
    double side = up >= down ? 1 : -1, room = fmax(up, down), a = fmin(1, 0.5 * room);
    if (!(room > no_room)) return (recipe){.base = 1}; /* f does not change along what is fixed */
    if (room >= 1 && room < 2)
        a = 0.5; /* x + p itself, if the other side asks for it, serves both */
    if (fine || a * most_stretch < 1) {
        a = side * fmin(1, room);
        return (recipe){.count = 1, .c = {1 / a}, .t = {a}, .base = 1 - 1 / a};
    }
    a *= side;
    double t = 1 / a, first = t * (2 - t), second = 0.5 * t * (t - 1);
    return (recipe){.count = 2, .c = {first, second}, .t = {a, 2 * a}, .base = 1 - first - second};
}

recipe recipe_axis(const box *b, const double *x, size_t j, double r, int fine)
{
    double lo = b->lo[j], hi = b->hi[j];
    if (is_inside(x[j] + r, lo, hi) || r == 0) return plain();
    double above = (hi - x[j]) / fabs(r), below = (x[j] - lo) / fabs(r);
    double up = r > 0 ? above : below, down = r > 0 ? below : above;
    if (up >= almost) return plain();
    return on_line(up, down, fine);
}

/* f(P + e) = sum of f(P), f(P - te), f(P - 2te) */
static recipe at_corner(double t, int fine)
{
    recipe r = {.count = fine ? 2 : 3, .corner = 1, .t = {0, t, 2 * t}};
    if (fine) {
        r.c[0] = 1 + 1 / t;
        r.c[1] = -1 / t;
        return r;
    }
    r.c[0] = (1 + t) * (1 + 2 * t) / (2 * t * t);
    r.c[1] = -(1 + 2 * t) / (t * t);
    r.c[2] = (1 + t) / (2 * t * t);
    return r;
}

/* What of p is outside at coordinate j; a coordinate far narrower than that is taken to end there. */
static double beyond(const box *b, const double *x, const double *p, size_t j)
{
    double y = x[j] + p[j], lo = b->lo[j], hi = b->hi[j], e = y < lo ? y - lo : y > hi ? y - hi : 0;
    return hi - lo < too_narrow * fabs(e) ? 0 : e;
}

recipe recipe_row(const box *b, const double *x, const double *p, int fine)
{
    double up = INFINITY, down = INFINITY, t = 1;
    int inside = 1, ends = 1;
    for (size_t j = 0; j < b->d; j++) {
        if (p[j] == 0) continue;
        double above = (b->hi[j] - x[j]) / fabs(p[j]), below = (x[j] - b->lo[j]) / fabs(p[j]);
        up = fmin(up, p[j] > 0 ? above : below);
        down = fmin(down, p[j] > 0 ? below : above);
        if (is_inside(x[j] + p[j], b->lo[j], b->hi[j])) continue;
        inside = 0;
        double e = beyond(b, x, p, j);
        if (e == 0) continue;
        ends = 0;
        t = fmin(t, (b->hi[j] - b->lo[j]) / fabs(e) * (fine ? 1 : 0.5));
    }
    if (inside || up >= almost) return plain();
    if (fmax(up, down) >= (fine ? 1 : 2) * least_room) return on_line(up, down, fine);
    return ends ? plain() : at_corner(t, fine);
}

static int is_plain(const recipe *r) { return r->count == 1 && r->t[0] == 1 && !r->corner; }

void recipe_places(recipe *sides, size_t nsides, size_t *count)
{
    for (size_t k = 0; k < nsides; k++)
        if (is_plain(&sides[k])) sides[k].at[0] = (*count)++;
    for (size_t k = 0; k < nsides; k++) {
        if (is_plain(&sides[k])) continue;
        const recipe *other = nsides == 2 && is_plain(&sides[1 - k]) ? &sides[1 - k] : NULL;
        for (size_t e = 0; e < sides[k].count; e++)
            sides[k].at[e] =
                other && sides[k].t[e] == -1 && !sides[k].corner ? other->at[0] : (*count)++;
    }
}

void recipe_put(const recipe *r, size_t k, const box *b, const double *x, const double *p,
                double *row)
{
    for (size_t j = 0; j < b->d; j++) {
        double step = p[j] * (r->corner ? 1 : r->t[k]);
        if (r->corner) {
            double e = beyond(b, x, p, j);
            step = prox_step(x[j], step, b->lo[j], b->hi[j]);
            if (e != 0) step -= r->t[k] * e;
        }
        row[j] = prox_step(x[j], step, b->lo[j], b->hi[j]);
    }
}
