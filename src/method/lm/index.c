/* Components of one index, f_i(x) = h_i(a_i'x) + (mu/2)|x|^2: inq knows more of these than lm does.
 * SPDX-License-Identifier: MIT
 *
 * Along short p, q their values change by J_i'p, J_i'q at the start x; a move m away the gradient J_i = h' a_i + mu x has changed by
 * s_i a_i + mu m, and the same p, q change values by t_p, t_q more than before:
 *
 *     t_p = s_i (J_i - mu x)'p + mu m'p,     t_q = s_i (J_i - mu x)'q + mu m'q,
 *
 * and without the unknown s_i, with one mu for all of them, its square left out,
 *
 *     t_p J_i'q - t_q J_i'p = mu (t_p x'q - t_q x'p + m'p J_i'q - m'q J_i'p).
 *
 * A few components are asked, at the start itself too: it is their noise that differs there. Those that depend on few coordinates each
 * are known to inq too: p moves an eighth of the coordinates, and most of these do not feel it. */
#include <math.h>

#include "base/rng.h"
#include "base/vec.h"
#include "method/lm/lm.h"

enum { SAME, P, Q, MOVED, MOVED_P, MOVED_Q }; /* rows of dir; SAME: x itself */

static double *row(const lm *s, size_t k) { return s->dir + k * s->base.d; }

/* Between half and all of that part of each coordinate's size, with signs; no two alike, or rows of zeros and ones, which are
 * common, would cancel them. */
static void put_signs(lm *s, size_t k, double part)
{
    const method *m = &s->base;
    rng_signs(m->set.seed, FOR_SUPPORT, m->step, (uint32_t)k, m->d, row(s, k));
    for (size_t j = 0; j < m->d; j++) {
        double turns = 0.618034 * (double)(j + 1) + 0.414214 * (double)k;
        row(s, k)[j] *= part * s->size[j] * (0.5 + 0.5 * (turns - floor(turns)));
    }
    method_turn(m, m->x, row(s, k));
}

/* But for a stretch of coordinates, 0. */
static void keep_stretch(const lm *s, double *p)
{
    const method *m = &s->base;
    size_t length = m->d / STRETCHES + 1,
           first = (size_t)(rng_uniform(m->set.seed, FOR_SUPPORT, m->step, 0) *
                            (double)(m->d + 1 - length));
    for (size_t j = 0; j < m->d; j++)
        if (j < first || j >= first + length) p[j] = 0;
}

static void put_ways(lm *s)
{
    size_t d = s->base.d;
    vec_zero(d, row(s, SAME));
    put_signs(s, P, FRESH_LENGTH);
    if (d >= INDEX_FROM) keep_stretch(s, row(s, P));
    put_signs(s, Q, FRESH_LENGTH);
    put_signs(s, MOVED, INDEX_MOVE);
    vec_scale(d, 0.5, row(s, MOVED)); /* p and q stay within bounds there, too */
    for (size_t k = P; k <= Q; k++) {
        double *both = row(s, MOVED_P + k - P);
        vec_copy(d, row(s, MOVED), both);
        vec_add(d, 1, row(s, k), both);
    }
}

/* In few dimensions it is not cheap where there are few components, and lm soon knows all of them. */
static int look_pays(const lm *s)
{
    size_t n = s->base.n, d = s->base.d;
    return d >= INDEX_FROM || (d > 1 && n * d >= LOOK_PAYS * LOOKED_AT * LOOKS);
}

void lm_ask_look(lm *s, zo_fan *fan)
{
    fan->ncomp = s->base.n < LOOKED_AT ? s->base.n : LOOKED_AT;
    fan->comp = s->comp;
    for (size_t e = 0; e < fan->ncomp; e++) s->comp[e] = e * s->base.n / fan->ncomp;
    put_ways(s);
    fan->known = 1;
    fan->sides = 1;
    fan->ndir = look_pays(s) ? LOOKS : 1;
    fan->dir = s->dir;
}

static const double *told_of(const lm *s, const double *answers, size_t e)
{
    return answers + e * s->base.fan.ndir;
}

int lm_same_twice(const lm *s, const double *answers)
{
    for (size_t e = 0; e < s->base.fan.ncomp; e++)
        if (sqrt(2 * *told_of(s, answers, e)) != s->r[s->comp[e]]) return 0;
    return 1;
}

/* Of one component: what is subtracted above (a, b), and what multiplies mu. flat: it has no slope at x, which says nothing of a_i. */
typedef struct sides {
    double a, b, by;
    int flat;
} sides;

static sides sides_of(const lm *s, const double *f)
{
    size_t d = s->base.d;
    const double *x = s->base.x, *m = row(s, MOVED), *p = row(s, P), *q = row(s, Q);
    double jp = f[P] - f[SAME], jq = f[Q] - f[SAME], tp = f[MOVED_P] - f[MOVED] - jp,
           tq = f[MOVED_Q] - f[MOVED] - jq;
    return (sides){tp * jq, tq * jp,
                   tp * vec_dot(d, x, q) - tq * vec_dot(d, x, p) + vec_dot(d, m, p) * jq -
                       vec_dot(d, m, q) * jp,
                   fabs(jp) + fabs(jq) <= ONE_INDEX * (fabs(tp) + fabs(tq))};
}

/* Does the root change by the same along p, here and there, though f does not? It is linear then, and lm knows all of it. */
static int has_linear_root(const double *f)
{
    double here = sqrt(f[P]) - sqrt(f[SAME]), there = sqrt(f[MOVED_P]) - sqrt(f[MOVED]),
           was = f[P] - f[SAME], more = f[MOVED_P] - f[MOVED] - was;
    return fabs(fabs(there) - fabs(here)) <= fabs(here) * (LINEAR * fabs(more / was) + ROUGHLY);
}

/* The part of the components that change whose changes one index explains. */
static double explained(const lm *s, const double *answers, double mu)
{
    double one = 0, used = 0;
    for (size_t e = 0; e < s->base.fan.ncomp; e++) {
        const double *f = told_of(s, answers, e);
        sides v = sides_of(s, f);
        double off = fabs(v.a - v.b - mu * v.by), whole = fabs(v.a) + fabs(v.b);
        if (whole == 0 || v.flat) continue;
        one += off <= ONE_INDEX * whole && !has_linear_root(f);
        used++;
    }
    return 4 * used >= (double)s->base.fan.ncomp ? one / used : 0;
}

int lm_has_few_coordinates(const lm *s, const double *answers)
{
    size_t still = 0;
    for (size_t e = 0; e < s->base.fan.ncomp && s->base.d >= INDEX_FROM; e++) {
        const double *f = told_of(s, answers, e);
        still += fabs(f[P] - f[SAME]) <= ONE_INDEX * fabs(f[Q] - f[SAME]); /* a ridge is felt */
    }
    return 2 * still > s->base.fan.ncomp;
}

int lm_has_index(lm *s, const double *answers)
{
    double top = 0, bottom = 0;
    if (s->base.fan.ndir < LOOKS) return 0;
    put_ways(s);
    for (size_t e = 0; e < s->base.fan.ncomp; e++) {
        sides v = sides_of(s, told_of(s, answers, e));
        top += v.by * (v.a - v.b);
        bottom += v.by * v.by;
    }
    double mu = bottom > 0 && s->base.n >= LEAST_FOR_MU ? top / bottom : 0;
    return explained(s, answers, 0) >= NEARLY_ALL || explained(s, answers, mu) >= NEARLY_ALL;
}
