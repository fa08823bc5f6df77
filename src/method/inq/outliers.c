/* inq: outliers. Which components are walls (walls.c), and what samples are worth where there are such.
 * SPDX-License-Identifier: MIT
 *
 * A few components whose slopes are ten times the mean, and nine tenths of the sum of squares of all: judged by components that lack
 * them, a sample's steps lead to where they are huge. So samples that have such take no steps, x goes back to where the run began, and
 * all components are asked there; their directions once more, by central differences with a radius of their own.
 *
 * Others are seen at refused steps: those whose values are off by ten times the mean, where they make most of what all are off by. */
#include <float.h>
#include <math.h>

#include "base/real.h"
#include "base/vec.h"
#include "method/component/accuracy.h"
#include "method/component/row.h"
#include "method/component/sample.h"
#include "method/curves/curves.h"
#include "method/inq/inq.h"

/* ---- Who is one ------------------------------------------------------------------------------------- */

static int rule_holds(const inq *s)
{
    const method *m = &s->base;
    return inq_rule(s, RULE_WALLS) && !s->spans_on && s->dense && m->set.own && !m->bounds &&
           !(m->set.noise > 0);
}

static double size_of(const inq *s, uint64_t i) { return inq_curve(s, i)->size; }
static inq_pair size_and_one(const inq *s, uint64_t i)
{
    return (inq_pair){size_of(s, i), !inq_is_flat(s, i)};
}
static double size_square(const inq *s, uint64_t i) { return square(inq_curve(s, i)->size); }
static double marked_square(const inq *s, uint64_t i)
{
    return s->mark[inq_at(s, i)] ? size_square(s, i) : 0;
}

/* Which of my components are larger; and parts that have some. */
typedef struct marking {
    inq *s;
    double least;
    int some[METHOD_PARTS];
} marking;

static void mark_some(void *ctx, size_t part, size_t from, size_t to)
{
    marking *m = ctx;
    inq *s = m->s;
    int some = 0;
    for (uint64_t i = s->base.first + from; i < s->base.first + to; i++)
        some |= s->mark[inq_at(s, i)] = s->asked[i].full && size_of(s, i) > m->least;
    m->some[part] |= some;
}

/* mark: a few components that are so much steeper than the others that a sample says nothing of those it lacks. 1: there are. */
static int mark_outliers(inq *s)
{
    inq_pair sizes = inq_totals(s, size_and_one);
    marking m = {.s = s, .least = outlying_size * sizes.one / fmax(sizes.two, 1)};
    int some = 0;
    method_share(&s->base, s->base.count, sizeof(curve) / sizeof(double), mark_some, &m);
    for (size_t k = 0; k < METHOD_PARTS; k++) some |= m.some[k];
    if (!some && !s->base.together) return 0; /* other ranks may have some */
    return inq_total(s, marked_square) > outlying_part * inq_total(s, size_square);
}

/* By what its value at the refused point is off; in slope. */
static void measure_misses(inq *s, const double *answers)
{
    double ridge = inq_ridge(s, s->cand);
    uint64_t i;
    for (size_t e = 0; inq_entry(s, &s->base.fan, &e, &i); e++) {
        double told = curve_at(inq_curve(s, i), inq_row_dot(s, i, s->cand)).h,
               off = fabs(answers[e] - ridge - told);
        s->slope[inq_at(s, i)] = isfinite(off) ? off : 0;
    }
}

static double miss_of(const inq *s, uint64_t i) { return s->slope[inq_at(s, i)]; }
static double marked_miss(const inq *s, uint64_t i)
{
    return s->mark[inq_at(s, i)] ? miss_of(s, i) : 0;
}

/* To those there are; who is rising. */
static void add_marked(inq *s)
{
    uint64_t count = 0, most = inq_most_walls(s);
    for (uint64_t k = 0; k < s->outliers.count; k++) s->marks[s->who[k]] = 1;
    twins_mark(s);
    for (uint64_t i = 0; i < s->base.n; i++) count += s->marks[i];
    if (count > most || count == s->outliers.count) return;
    twins_part_marked(s);
    s->outliers.count = 0;
    for (uint64_t i = 0; i < s->base.n; i++)
        if (s->marks[i]) s->who[s->outliers.count++] = i;
    walls_stray(s);
}

void walls_find(inq *s, const double *answers)
{
    const method *m = &s->base;
    if (!rule_holds(s)) return;
    measure_misses(s, answers);
    s->modelled = 0;
    double total = inq_total(s, miss_of), mean = total / (double)m->n;
    for (uint64_t i = m->first; i < inq_end(s); i++)
        s->mark[inq_at(s, i)] =
            miss_of(s, i) > wall_miss * mean && !inq_is_flat(s, i) && inq_speaker(s, i) == i;
    if (!(inq_total(s, marked_miss) > walls_part * total)) return;
    method_marks(m, s->mark, s->marks);
    add_marked(s);
}

/* ---- Their directions ------------------------------------------------------------------------------- */

/* Radii that suit the others are too long for these. */
static inq_next begin_rows(inq *s)
{
    method_marks(&s->base, s->mark, s->marks);
    add_marked(s);
    s->outliers.state = WALLS_KNOWN;
    if (!s->outliers.count) return ROUND;
    inq_measure(s); /* how large the others are */
    for (uint64_t k = 0; k < s->outliers.count; k++)
        if (method_mine(&s->base, s->who[k])) s->wall[k].next = inq_renew_radius(s, s->who[k]);
    method_rows(&s->base, (size_t)s->outliers.count, s->who, sizeof(wall) / 8, (double *)s->wall);
    walls_queue(s);
    inq_forget_matrix(s);
    return inq_go(s, ASK_WALL_ROWS);
}

/* One at a time: each has a radius. */
void ask_wall_rows(inq *s, zo_fan *fan)
{
    plan_chunk(&s->plan, fan, 1);
    fan->base[0] = s->base.x;
    fan->naxis = s->base.d;
    fan->radius = inq_wall(s, fan->comp[0])->next;
    fan->sides = 2;
}

void walls_learn_row(inq *s, const double *answers)
{
    const method *m = &s->base;
    uint64_t i = m->fan.comp[0];
    if (!method_mine(m, i)) return;
    curve *c = inq_curve(s, i);
    double bend = curve_at(c, c->now).bend;
    c->f = answers[0];
    c->size = inq_learn_row(s, i, answers);
    c->angle = DBL_EPSILON * fabs(c->f) * sqrt((double)m->d) / m->fan.radius / c->size;
    c->now = inq_row_dot(s, i, m->x);
    curve_base(c, c->now, c->f - inq_ridge(s, m->x), c->size, bend);
}

/* ---- What comes first ------------------------------------------------------------------------------- */

/* Where all components can be had a sample with outliers takes no steps, nor do those that follow, until all are known. */
inq_next walls_first(inq *s)
{
    if (!rule_holds(s) || s->sample.rounds || s->outliers.state == WALLS_KNOWN || !mark_outliers(s))
        return ROUND;
    if (s->outliers.state == NO_OUTLIERS) {
        s->outliers.state = AT_HOME;
        if (vec_distance(s->base.d, s->base.x, inq_point(s, 1)) > 0) return HOME;
    }
    if (inq_all(s)) return begin_rows(s);
    return inq_affordable(s) >= (double)s->base.n ? LARGER : ROUND;
}
