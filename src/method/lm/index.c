/* Components of one index, f_i(x) = h_i(a_i'x) + (mu/2)|x|^2: inq knows more of these than lm does.
 * SPDX-License-Identifier: MIT
 *
 * Their gradients are J_i = h' a_i + mu x at the start x, and at the centre c they have changed by s_i a_i + mu (c - x). Along two
 * short random p, q from there the change of f_i less J_i'p, J_i'q is then
 *
 *     t_p = s_i (J_i - mu x)'p + mu (c - x)'p,     t_q = s_i (J_i - mu x)'q + mu (c - x)'q,
 *
 * and without the unknown s_i, with one mu for all of them, its square left out,
 *
 *     t_p J_i'q - t_q J_i'p = mu (t_p x'q - t_q x'p + (c - x)'p J_i'q - (c - x)'q J_i'p). */
#include <math.h>

#include "base/rng.h"
#include "base/vec.h"
#include "method/lm/lm.h"

static double *way(lm *s, size_t k) { return s->next + k * s->base.d; }

void lm_plan_index(lm *s)
{
    method *m = &s->base;
    m->stage = LM_INDEX;
    s->at->indexed = 1;
    s->at->points = LEAST_POINTS;
    s->at->others = 0;
    for (uint32_t k = 0; k < LEAST_POINTS; k++) {
        rng_signs(m->set.seed, FOR_SUPPORT, m->step, 0, m->d, way(s, k));
        for (size_t j = 0; j < m->d; j++) {
            double own = fmax(fabs(s->centre[j]), SMALL_COORDINATE * s->size[j]);
            way(s, k)[j] *= (k && j % 2 ? -1 : 1) * FRESH_LENGTH * own; /* across each other */
        }
        method_turn(m, s->centre, way(s, k));
        vec_add(m->d, 1, s->centre, way(s, k));
    }
}

/* Of one component: what is subtracted above (a, b), and what multiplies mu. */
typedef struct sides {
    double a, b, by;
} sides;

static double along(const lm *s, size_t k, const double *v)
{
    double sum = 0;
    for (size_t j = 0; j < s->base.d; j++)
        sum += v[j] * (s->next[k * s->base.d + j] - s->centre[j]);
    return sum;
}

static sides sides_of(const lm *s, size_t i)
{
    double t[LEAST_POINTS], before[LEAST_POINTS], x[LEAST_POINTS], moved[LEAST_POINTS];
    for (size_t k = 0; k < LEAST_POINTS; k++) {
        double r = s->table[k * s->base.n + i];
        before[k] = s->start_r[i] * along(s, k, s->first + i * s->base.d);
        t[k] = 0.5 * (r - s->r[i]) * (r + s->r[i]) - before[k];
        x[k] = along(s, k, s->start);
        moved[k] = along(s, k, s->centre) - x[k];
    }
    return (sides){t[0] * before[1], t[1] * before[0],
                   t[0] * x[1] - t[1] * x[0] + moved[0] * before[1] - moved[1] * before[0]};
}

/* The part of the components that change whose changes one index explains. */
static double explained(const lm *s, double mu)
{
    double one = 0, used = 0;
    for (size_t i = 0; i < s->base.n; i++) {
        sides v = sides_of(s, i);
        double off = fabs(v.a - v.b - mu * v.by), whole = fabs(v.a) + fabs(v.b);
        if (!(whole > 0)) continue;
        one += off <= ONE_INDEX * whole;
        used++;
    }
    return used > 0 ? one / used : 0;
}

int lm_has_index(lm *s)
{
    double top = 0, bottom = 0;
    for (size_t i = 0; i < s->base.n; i++) {
        sides v = sides_of(s, i);
        top += v.by * (v.a - v.b);
        bottom += v.by * v.by;
    }
    double mu = bottom > 0 && s->base.n >= LEAST_FOR_MU ? top / bottom : 0;
    return explained(s, 0) >= NEARLY_ALL || explained(s, mu) >= NEARLY_ALL;
}
