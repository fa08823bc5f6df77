/* Points that lm asks: along axes, along the direction that is known least, beside a trial, at the end.
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/vec.h"
#include "method/lm/lm.h"
#include "prox/prox.h"

static double *next_point(lm *s) { return s->next + s->at->points * s->base.d; }

/* Keeps the point in the domain of psi; 0: that leaves nothing of the move. */
static int hold(lm *s, const double *from, double *point)
{
    method *m = &s->base;
    if (!isfinite(prox_value(m->psi, m->d, point)))
        prox_apply(m->psi, m->d, 1e-300, point, point, m->prox_work);
    return memcmp(from, point, m->d * sizeof *point) != 0;
}

int lm_add_point(lm *s, const double *point)
{
    if (s->at->points >= s->abreast) return 0;
    vec_copy(s->base.d, point, next_point(s));
    if (!hold(s, s->centre, next_point(s))) return 0;
    s->at->points++;
    return 1;
}

int lm_plan_least(lm *s)
{
    method *m = &s->base;
    double psi = prox_value(m->psi, m->d, s->centre), far = vec_dot(m->d, s->centre, s->centre);
    if (!m->by_point || !(psi > 0) || !(far > 0)) return 0;
    prox_apply(m->psi, m->d, PSI_ALONE * far / psi, s->centre, s->z, m->prox_work);
    s->at->points = 0;
    return prox_value(m->psi, m->d, s->z) < psi && lm_add_point(s, s->z);
}

/* ---- along the axes ----------------------------------------------------------------------------------- */

/* x + h e_j where psi allows it, or x - h e_j, or what is left of either. 0: the coordinate cannot move. */
static int axis_point(lm *s, const double *x, size_t j, double h, double *point)
{
    method *m = &s->base;
    for (int side = 0; side < 2; side++, h = -h) {
        vec_copy(m->d, x, point);
        point[j] += h;
        if (isfinite(prox_value(m->psi, m->d, point))) return point[j] != x[j];
    }
    for (int side = 0; side < 2; side++, h = -h) {
        vec_copy(m->d, x, point);
        point[j] += h;
        if (hold(s, x, point)) return 1;
    }
    return 0;
}

static double first_length(const lm *s, size_t j)
{
    double part = s->at->rooted ? ROOT_LENGTH : FIRST_LENGTH;
    return copysign(part * s->size[j], s->start[j] < 0 ? -1 : 1);
}

double lm_noisy_length(const lm *s)
{
    const lm_path *a = s->at;
    if (!(a->noise > 0)) return 0;
    double bend = sqrt(fmax(a->bend, DBL_MIN));
    return sqrt(2 * a->noise / bend);
}

double lm_fresh_length(const lm *s, size_t j)
{
    const lm_path *a = s->at;
    double x = fabs(s->centre[j]), own = fmax(x, SMALL_COORDINATE * s->size[j]);
    double h = fmin(FRESH_LENGTH * own, FRESH_OF_RADIUS * a->radius / s->metric[j]);
    h = fmax(h, SHORTEST * own);
    double noisy = fmin(lm_noisy_length(s) / s->metric[j], 0.3 * fmax(x, s->size[j]));
    h = fmax(h, noisy);
    int turn = (s->centre[j] < 0) ^ (int)(a->renewals % 2 == 0);
    return turn ? -h : h;
}

/* A parameter that was lost is sought at other sizes. */
static double lost_length(const lm *s, size_t j)
{
    const double parts[LOST_SIZES] = {0.3, 0.1, 0.03, 0.01, 3, 10};
    return (parts[(size_t)s->turn[j]] - 1) * s->centre[j];
}

static double length_along(const lm *s, size_t j)
{
    if (s->base.stage == LM_LOST) return lost_length(s, j);
    double h = s->base.stage == LM_AXES ? first_length(s, j) : lm_fresh_length(s, j);
    return s->turn[j] == 1 ? -h : h;
}

int lm_axes_leave(lm *s)
{
    method *m = &s->base;
    for (size_t j = 0; j < m->d; j++) {
        int inside = 0;
        for (int side = -1; side <= 1; side += 2) {
            vec_copy(m->d, s->centre, s->work);
            s->work[j] += side * first_length(s, j);
            inside |= isfinite(prox_value(m->psi, m->d, s->work));
        }
        if (!inside && !(m->bounds && m->bounds[j] == m->bounds[m->d + j])) return 1;
    }
    return 0;
}

int lm_plan_axes(lm *s)
{
    lm_path *a = s->at;
    a->points = 0;
    for (size_t j = 0; j < s->base.d && a->points < s->abreast; j++) {
        if (s->turn[j] >= AXIS_DONE) continue;
        if (axis_point(s, s->centre, j, length_along(s, j), next_point(s)))
            a->points++;
        else
            s->turn[j] = AXIS_DONE;
    }
    return a->points > 0;
}

size_t lm_axes_paid(const lm *s)
{
    const method *m = &s->base;
    double points = m->set.horizon / (m->by_point ? 1 : (double)m->n);
    if (!(points > 0) || points >= (double)(m->d + 1 + LEAST_TRIALS)) return m->d;
    return points < 4 ? 1 : (size_t)((points - 1) / 2);
}

int lm_is_dwarfed(lm *s, size_t j, const double *r)
{
    size_t n = s->base.n;
    double most = 1, h = FIRST_LENGTH * s->size[j], changed = vec_distance(n, r, s->r);
    for (size_t k = 0; k < s->base.d; k++) most = fmax(most, fabs(s->start[k]));
    double felt = HARDLY * vec_norm(n, s->r), x = fabs(s->start[j]);
    if (s->base.scale || s->size[j] != x || !(x < DWARFED * most) || changed > felt) return 0;
    s->size[j] = fmin(most, h * vec_norm(n, s->r) / fmax(changed, DBL_MIN));
    return s->size[j] > x;
}

size_t lm_next_axis(const lm *s, size_t from)
{
    while (from + 1 < s->base.d && s->turn[from] >= AXIS_DONE) from++;
    return from;
}

/* ---- geometry, and company of a trial ------------------------------------------------------------------- */

double lm_unknown_point(lm *s, double *point)
{
    size_t n = s->base.n, d = s->base.d;
    double variance = model_unknown(&s->model, 1, s->y), slope = 0;
    lm_weights(s, s->r, s->by, NULL);
    for (size_t i = 0; i < n; i++) slope += s->by[i] * vec_dot(d, s->model.slope + i * d, s->y);
    double length = fmax(GEOMETRY_LENGTH, lm_noisy_length(s) / s->at->radius);
    double t = slope > 0 ? -length : length;
    for (size_t j = 0; j < d; j++) point[j] = s->centre[j] + t * s->y[j] / s->model.scale[j];
    return variance;
}

/* The models' minimizers at other radii. */
static void add_candidates(lm *s)
{
    const double at[] = {SHORTER, LONGER};
    for (size_t k = 0; k < 2 && s->abreast >= CANDIDATES_FROM; k++) {
        lm_minimize(s, at[k], s->ways);
        if (memcmp(s->ways, s->next, s->base.d * sizeof *s->ways))
            s->at->others += (uint64_t)lm_add_point(s, s->ways);
    }
}

void lm_add_company(lm *s)
{
    lm_path *a = s->at;
    size_t d = s->base.d;
    add_candidates(s);
    size_t room = s->abreast - (size_t)a->points, count = room < d ? room : d;
    model_unknown(&s->model, count, s->ways);
    double length = COMPANY_LENGTH * a->length / a->radius;
    for (size_t k = 0; k < count; k++) {
        for (size_t j = 0; j < d; j++)
            s->z[j] = s->next[j] + length * s->ways[k * d + j] / s->model.scale[j];
        if (memcmp(s->z, s->next, d * sizeof *s->z)) lm_add_point(s, s->z);
    }
}

/* ---- the end ------------------------------------------------------------------------------------------- */

double lm_probe_size(const lm *s, size_t j)
{
    return fmax(fabs(s->centre[j]), PROBE_SIZE * s->size[j]);
}

/* Signs times a part of each coordinate's size, longer from one direction to the next. */
static void probe_point(lm *s, uint64_t k, double *point)
{
    method *m = &s->base;
    double part = PROBE_LEAST;
    for (uint64_t t = 0; t < k; t++) part *= PROBE_MORE;
    rng_signs(m->set.seed, FOR_CHECK, m->step, (uint32_t)k, m->d, point);
    for (size_t j = 0; j < m->d; j++)
        point[j] = s->centre[j] + part * lm_probe_size(s, j) * point[j];
}

int lm_plan_proof(lm *s)
{
    lm_path *a = s->at;
    for (a->points = 0; a->probes < PROBES && a->points < s->abreast; a->probes++) {
        probe_point(s, a->probes, s->z);
        lm_add_point(s, s->z);
    }
    return a->points > 0;
}
