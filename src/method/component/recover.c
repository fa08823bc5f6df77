/* inq: directions of new components recovered from a few differences (docs/methods/recover.md).
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>

#include "base/real.h"
#include "base/vec.h"
#include "method/component/component.h"
#include "method/component/sample.h"
#include "method/component/row.h"

/* Directions of the sample, in the order in which components entered. */
typedef struct sampled {
    inq *s;
    double radius; /* of an axis */
    size_t from;   /* those from here on are in dir */
} sampled;

/* Directions that are known too little say nothing: a slope that had died out. */
static int is_sharp(const inq *s, uint64_t i, double radius)
{
    const curve *c = inq_curve(s, i);
    return c->size * radius > sharp * DBL_EPSILON * fabs(c->f);
}

static void gather(sampled *at, size_t k)
{
    inq *s = at->s;
    size_t count =
        (size_t)s->sample.filled - k < GATHERED ? (size_t)s->sample.filled - k : GATHERED;
    at->from = k;
    for (size_t e = 0; e < count; e++) {
        uint64_t i = s->comp[e] = inq_speaker(s, s->plan.order[k + e]);
        double *row = s->dir + e * s->base.d;
        if (!method_mine(&s->base, i)) continue;
        inq_row_put(s, i, s->spans_on ? 1 : is_sharp(s, i, at->radius), row);
        if (s->spans_on) vec_add(s->base.d, -s->ridge.mu, inq_point(s, s->asked[i].full), row);
    }
    method_rows(&s->base, count, s->comp, s->base.d, s->dir);
}

/* A short row as it is kept. */
static size_t short_row(const sampled *at, uint64_t i, uint32_t *place, double *value)
{
    const inq *s = at->s;
    size_t kept = is_sharp(s, i, at->radius) ? inq_kept(s, i) : 0, count = 0;
    for (size_t k = 0; k < kept; k++) {
        place[count] = inq_places(s, i)[k];
        value[count] = inq_short(s, i)[k];
        count += fabs(value[count]) > 0;
    }
    return count;
}

/* Entries of a gradient that are above what differences may be off by. */
static size_t sampled_row(const void *ctx, size_t k, uint32_t *place, double *value)
{
    sampled *at = (sampled *)ctx;
    const inq *s = at->s;
    uint64_t i = inq_speaker(s, s->plan.order[k]);
    if (!s->base.together && !s->spans_on && inq_is_short(s, i)) {
        if (k + AHEAD < s->sample.filled) {
            uint64_t later = inq_speaker(s, s->plan.order[k + AHEAD]);
            inq_fetch_curve(s, later);
            inq_fetch(s, later);
        }
        return short_row(at, i, place, value);
    }
    size_t d = at->s->base.d, count = 0;
    if (k < at->from || k >= at->from + GATHERED) gather(at, k / GATHERED * GATHERED);
    const double *row = at->s->dir + (k - at->from) * d;
    double least = at->s->spans_on ? inq_blur(at->s) : 0;
    for (size_t j = 0; j < d; j++)
        if (fabs(row[j]) > least) place[count] = (uint32_t)j, value[count++] = row[j];
    return count;
}

/* sin^2 of the angle to the direction in told. */
static double turned(const inq *s, uint64_t i)
{
    return inq_is_flat(s, i) ? 0 : fmax(1 - square(inq_row_dot(s, i, s->told)), 0);
}

double inq_in_common(inq *s)
{
    sampled all = {s, method_radius(&s->base, 1), 0};
    size_t d = s->base.d, size = s->sample.filled < GATHERED ? s->sample.filled : GATHERED;
    double sum = 0;
    gather(&all, 0);
    for (size_t i = 0; i < size; i++)
        for (size_t k = 0; k < i; k++) sum += square(vec_dot(d, s->dir + i * d, s->dir + k * d));
    return size > 1 ? sum / ((double)size * (double)(size - 1) / 2) : 0;
}

/* Columns with a large common offset: all components have nearly the same direction, and what they differ by is less than what is
 * recovered may be off by. Rows that are the same but for rounding are not meant. */
static int nearly_parallel(inq *s)
{
    const uint64_t *one = s->plan.order;
    if (method_mine(&s->base, *one)) inq_row_put(s, *one, 1, s->told);
    method_rows(&s->base, 1, one, s->base.d, s->told);
    double mean = inq_total(s, turned) / (double)s->sample.filled;
    return mean < parallel && mean > same_direction;
}

/* Ablations: the ways that are not gone. */
static uint64_t ways_without(const inq *s)
{
    static const int rule[] = {[BY_SPLITTING] = RULE_SPLITTING,
                               [BY_WORDS] = RULE_WORDS,
                               [BY_BASIS] = RULE_BASIS,
                               [BY_OFFSET] = RULE_OFFSET};
    uint64_t bits = 0;
    for (int way = 0; way <= BY_OFFSET; way++) bits |= (uint64_t)!inq_rule(s, rule[way]) << way;
    return bits;
}

int inq_begin_recovery(inq *s)
{
    sampled all = {s, method_radius(&s->base, 1), SIZE_MAX / 2};
    s->recovery.without = ways_without(s);
    if (s->base.set.noise > 0 || s->sample.filled == 0) return 0;
    if (!s->spans_on && nearly_parallel(s)) return 0;
    recovery_learn(&s->recovery, 1 + s->spans_on, (size_t)s->sample.filled, sampled_row, &all);
    if (!recovery_pays(&s->recovery)) return 0;
    recovery_begin(&s->recovery);
    if (s->start.faint == AT_X_ALONE) s->start.faint = AT_X;
    s->start.there = s->start.faint == AT_START && !s->spans_on ? THERE : 0;
    return 1;
}

typedef struct hearing {
    inq *s;
    finding at;
} hearing;

static void found(void *ctx, uint64_t i, double f, const recovered *g)
{
    const hearing *h = ctx;
    inq_kind(h->s)->learn_recovered(h->s, i, &h->at, f, g);
}

static void twins_of(method *m, size_t count, const uint64_t *comp, const double *row,
                     const double *seen, double *told)
{
    inq *s = (inq *)m;
    inq_kind(s)->twins(s, count, comp, row, seen, told);
}

/* Where some components are as others the next ones may be, too. */
static void seek_twins(inq *s)
{
    s->recovery.twins = s->twins.count >= LEAST_TWINS && inq_kind(s)->twins ? twins_of : NULL;
}

void inq_ask_recovery(inq *s, zo_fan *fan)
{
    seek_twins(s);
    fan->base[0] = inq_place(s);
    recovery_ask(&s->recovery, fan, s->plan.order + s->sample.begin,
                 s->sample.size - s->sample.begin);
}

static int may_leave_x(const inq *s)
{
    return s->start.faint == AT_X && s->base.step > 0 && !s->spans_on && inq_rule(s, RULE_AT_START);
}

/* The same list from its beginning, at the other place. */
static int begin_elsewhere(inq *s, uint64_t where, uint64_t there)
{
    s->start.faint = where;
    s->start.there = there;
    recovery_begin(&s->recovery);
    return 0;
}

/* It will be written. */
static void fetch_new(const method *m, uint64_t i)
{
    const inq *s = (const inq *)m;
    if (!method_mine(m, i)) return;
    inq_fetch_curve(s, i);
    inq_fetch_new(s, i);
}

/* Where slopes have died out at x, the start is better; where they have there, x may be. */
static int learn_some(inq *s, const double *answers)
{
    recovery *r = &s->recovery;
    uint64_t count = s->sample.size - s->sample.begin;
    const double *x = inq_place(s);
    hearing h = {s, {method_radius(&s->base, 1), vec_norm(s->base.d, x), inq_ridge(s, x)}};
    r->at_once = s->dense && !s->spans_on; /* rows have their places, and nothing is guessed */
    r->soon = r->at_once ? fetch_new : NULL;
    seek_twins(s);
    int said = recovery_tell(r, answers, count, s->ridge.mu, found, &h);
    if (said != RECOVERY_FAINT) return said == RECOVERY_DONE;
    if (may_leave_x(s)) return begin_elsewhere(s, AT_START, THERE_AFTER_X);
    if (s->start.there == THERE) return begin_elsewhere(s, AT_X_ALONE, 0);
    recovery_concede(r, s->plan.order + s->sample.begin, count);
    if (r->at->cursor == count) s->start.there = s->start.faint = 0; /* in full, x is as good */
    return r->at->cursor == count && r->at->opened == 0;
}

/* Those that are asked in full cost more than values at x of all would: the next are asked at the start; where that is no better, at x
 * (targets of 0 with squares: half of the slopes are 0 at the origin, and few at x). */
static void choose_place(inq *s)
{
    const struct recovery_state *at = s->recovery.at;
    double full = (double)s->base.d + 2;
    if ((double)at->failed * full < entering * (double)at->tried) return;
    if (s->start.there)
        s->start.faint = AT_X_FOR_GOOD;
    else if (may_leave_x(s))
        s->start.faint = AT_START;
}

/* All new components were asked at the last point. */
static void visit_some(void *ctx, size_t part, size_t from, size_t to)
{
    inq *s = ctx;
    (void)part;
    for (uint64_t k = s->sample.begin + from; k < s->sample.begin + to; k++) {
        uint64_t i = s->plan.order[k];
        inq_visit(s, i);
        if (method_mine(&s->base, i) && !inq_is_twin(s, i))
            inq_curve(s, i)->point = inq_place_number(s);
    }
}

int inq_learn_recovered(inq *s, const double *answers)
{
    recovery *r = &s->recovery;
    if (!learn_some(s, answers)) return 0;
    choose_place(s);
    method_share(&s->base, (size_t)(s->sample.size - s->sample.begin),
                 sizeof(curve) / sizeof(double), visit_some, s);
    if (inq_all(s)) recovery_note(r);
    plan_clear_tail(&s->plan);
    for (uint64_t k = 0; k < r->at->failed; k++) plan_add_tail(&s->plan, r->failed[k]);
    return 1;
}

void inq_start_here(inq *s) { s->start.place = s->points.count - 1; }

int inq_leave_start(inq *s)
{
    int there = s->start.there > 0;
    s->start.there = 0;
    return there;
}
