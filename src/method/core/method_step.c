/* From answers to steps: difference quotients, and moves through the proximal map.
 * SPDX-License-Identifier: MIT */
#include <assert.h>
#include <math.h>

#include "base/vec.h"
#include "method/core/method.h"
#include "problem/problem.h"
#include "prox/prox.h"

void ask_rows(zo_fan *fan, size_t count, const double *rows, int sides)
{
    fan->ndir = count;
    fan->dir = rows;
    fan->radius = 1;
    fan->sides = sides;
}

/* Where the answers along direction k begin: a base has its value first unless known. */
static const double *along(const zo_fan *fan, const double *set, size_t b, size_t k)
{
    size_t head = fan->known ? 0 : 1, sides = (size_t)fan->sides;
    return set + b * (head + sides * (fan->naxis + fan->ndir)) + head + sides * k;
}

double quotient(const zo_fan *fan, const double *set, size_t b, size_t k)
{
    const double *a = along(fan, set, b, k);
    assert(fan->sides == 2 || !fan->known);
    double r = fan_reach(fan, k, 0);
    return fan->sides == 1 ? a[0] / r : (a[0] - a[1]) / (2 * r);
}

double second_difference(const zo_fan *fan, const double *set, size_t b, size_t k)
{
    const double *a = along(fan, set, b, k);
    assert(fan->sides == 2 && !fan->known);
    double r = fan_reach(fan, k, 0);
    return (a[0] + a[1]) / (r * r);
}

void read_slopes(const zo_fan *fan, const double *set, size_t b, size_t first, size_t count,
                 double *slope)
{
    const double *a = along(fan, set, b, first);
    double radius = fan->radius, twice = 2 * radius; /* not read again while slope is written */
    assert(fan->sides == 2 || !fan->known);
    if (fan->radii)
        for (size_t k = 0; k < count; k++) slope[k] = quotient(fan, set, b, first + k);
    else if (fan->sides == 1)
        for (size_t k = 0; k < count; k++) slope[k] = a[k] / radius;
    else
        for (size_t k = 0; k < count; k++) slope[k] = (a[2 * k] - a[2 * k + 1]) / twice;
}

void method_prox(method *m, double step, const double *v, double *x)
{
    if (v == x) { /* somebody's own map may not expect that */
        vec_copy(m->d, v, m->scratch);
        v = m->scratch;
    }
    prox_apply(m->psi, m->d, step, v, x, m->prox_work);
}

enum { MOST_PARAMETERS = 64, FEW_NUMBERS = 2000 };

int method_few_in_all(const method *m)
{
    return m->n > 1 && m->d <= MOST_PARAMETERS && m->n * m->d <= FEW_NUMBERS;
}

void method_offer(const method *m, const double *x, double objective)
{
    if (m->offer) m->offer(m->offer_ctx, x, objective);
}

void method_turn(const method *m, const double *x, double *p)
{
    if (!m->bounds) return;
    const double *lo = m->bounds, *hi = lo + m->d;
    double far[2] = {0};
    for (size_t j = 0; j < m->d; j++) {
        far[0] += p[j] * prox_step(x[j], p[j], lo[j], hi[j]);
        far[1] -= p[j] * prox_step(x[j], -p[j], lo[j], hi[j]);
    }
    double way = far[1] > far[0] ? -1 : 1;
    for (size_t j = 0; j < m->d; j++) p[j] = prox_step(x[j], way * p[j], lo[j], hi[j]);
}

double method_reach(const method *m, const double *x, size_t j, double r)
{
    return m->bounds ? prox_turn(x[j], r, m->bounds[j], m->bounds[m->d + j]) : r;
}

void method_clamp(const method *m, double *x)
{
    for (size_t j = 0; m->bounds && j < m->d; j++)
        x[j] = fmin(fmax(x[j], m->bounds[j]), m->bounds[m->d + j]);
}

void method_move(method *m, double step, const double *g)
{
    vec_step(m->d, m->x, step, g, m->scratch);
    method_prox(m, step, m->scratch, m->x);
    m->step++;
}

double prox_residual(method *m, const double *x, double step, const double *g, double *work)
{
    vec_step(m->d, x, step, g, m->scratch);
    method_prox(m, step, m->scratch, work);
    return vec_distance(m->d, x, work) / step;
}

double memory_residual(method *m, const double *x, const double *h, const double *g, double spread,
                       double *work)
{
    return prox_residual(m, x, m->set.step, h, work) + vec_distance(m->d, g, h) / sqrt(spread);
}
