/* inq: the sample. How large it is, what is asked of it, passes and sums over it.
 * SPDX-License-Identifier: MIT
 *
 * The sample is walked in the order in which components lie in memory, block by block (base/sum.h). Every block has a leaf,
 * whether the sample has components in it or not: ranks know of each other's blocks, not of their samples. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/vec.h"
#include "method/component/row.h"
#include "method/component/sample.h"

/* ---- Sizes ---------------------------------------------------------------------------------------- */

/* A sample that what is left of the horizon can pay for after so many queries: the gradients of its new components, and so many values of
 * all of it. */
static double paid_for(const inq *s, double queries, double after)
{
    const method *m = &s->base;
    double full = m->set.sides * (double)m->d + 2, known = (double)s->sample.filled,
           left = m->set.horizon - (double)s->sample.asked - queries,
           each = fmin(recovery_price(&s->recovery), full);
    return fmax((left + known * each) / (each + after), 1);
}

/* Where the sample's x is near that of all, their steps are few. Recovering gradients may cost more than it has until now. */
static double affordable_after(const inq *s, double queries)
{
    const method *m = &s->base;
    double n = (double)m->n, full = m->set.sides * (double)m->d + 2;
    if (!(m->set.horizon > 0)) return n;
    if (s->spans_on) return fmin(paid_for(s, queries, spans_after * full), n);
    int near = (double)s->sample.size >= near_rows * (double)m->d;
    double more = recovery_pays(&s->recovery) ? price_doubt * recovery_price(&s->recovery) : 0;
    if (near && paid_for(s, queries, values_near + more) >= n) return n;
    return fmin(paid_for(s, queries, values_after), n);
}

double inq_affordable(const inq *s) { return affordable_after(s, 0); }

int inq_last_chance(const inq *s, double next)
{
    double n = (double)s->base.n, stage = stage_after * next;
    int dear = stage > dear_stage * n && !recovery_pays(&s->recovery);
    return inq_affordable(s) >= n && affordable_after(s, stage + (dear ? values_spare * n : 0)) < n;
}

int inq_gives_way(const inq *s)
{
    const method *m = &s->base;
    return method_few_beside(m) && m->set.horizon > 0 && inq_rule(s, RULE_GIVES_WAY) &&
           inq_affordable(s) < (double)m->n && method_may_follow(m, "zosgd", NULL);
}

int inq_looks_on(const inq *s, double common)
{
    double price = RECOVERY_ROWS * ((double)s->base.d + 2);
    return s->sample.filled < RECOVERY_ROWS && s->base.n > RECOVERY_ROWS &&
           common > fmax(some_common, not_by_chance / (double)s->base.d) &&
           longer_look * price <= s->base.set.horizon;
}

double inq_next_size(const inq *s)
{
    return s->sample.size < RECOVERY_ROWS && inq_gives_way(s) ? RECOVERY_ROWS
                                                              : 2 * (double)s->sample.size;
}

double inq_least_size(const inq *s)
{
    return fmax(fmax(LEAST_SAMPLE, (double)s->base.n / MOST_SAMPLES),
                FIRST_GRADIENTS / (double)s->base.d);
}

/* Samples double from so many that judging a step is cheap beside asking them, or where that is most of what can be paid
 * for from fewer, so that the last but one holds a little more than half. */
uint64_t inq_first_size(const inq *s)
{
    double size = (double)s->base.n / last_part, most = fmax(first_part * inq_affordable(s), 1);
    double least = fmin(inq_least_size(s), most);
    if (inq_gives_way(s)) return (uint64_t)fmin(LOOK, most);
    if (size < least || !inq_rule(s, RULE_SAMPLES)) return s->base.n;
    while (size / 2 >= least) size /= 2;
    return (uint64_t)fmin(ceil(size), (double)s->base.n);
}

/* ---- Questions ----------------------------------------------------------------------------------- */

/* Of full gradients with spans. What forward differences take for slope is not known before the curvature is, and does not average out
 * over components, as rounding does: where x is a matrix, so that one gradient gives a span away and none of its entries has to be told
 * from 0, radii are shorter. */
double inq_span_radius(const inq *s, double r)
{
    double bend = s->model.bend / (double)s->base.d + s->ridge.mu;
    int matrix = s->shape.kind && s->shape.outputs > 1;
    if (!matrix || s->base.set.noise > 0 || s->base.set.sides != 1 || !(bend > 0)) return r;
    double even = sqrt(DBL_EPSILON * s->scale.value / bend);
    return fmin(fmax(even, r / span_radius), r);
}

void ask_gradients(inq *s, zo_fan *fan)
{
    plan_chunk(&s->plan, fan, s->chunk);
    fan->base[0] = inq_place(s);
    fan->naxis = s->base.d;
    if (s->spans_on) fan->radius = inq_span_radius(s, fan->radius);
}

static void ask_at(zo_fan *fan, const double *at, const uint64_t *list, uint64_t count, int each)
{
    fan->base[0] = at;
    fan->comp = count == fan->n ? NULL : list;
    fan->ncomp = (size_t)count;
    fan->each = each;
}

void ask_fresh(inq *s, zo_fan *fan) /* few, and everybody judges by them */
{
    ask_at(fan, s->base.x, s->plan.order + s->sample.size, s->step.judges, 1);
}

void ask_try(inq *s, zo_fan *fan)
{
    const double *z = s->cand + s->step.pick * s->base.d;
    if (inq_all(s))
        ask_at(fan, z, NULL, s->base.n, method_each(&s->base));
    else
        ask_at(fan, z, s->plan.order + s->sample.size, s->step.judges, 1);
}

void ask_values(inq *s, zo_fan *fan)
{
    ask_at(fan, s->base.x, s->plan.order, s->sample.size, method_each(&s->base));
}

void ask_entered(inq *s, zo_fan *fan)
{
    ask_at(fan, s->base.x, s->plan.order + s->sample.begin, s->sample.size - s->sample.begin,
           method_each(&s->base));
}

/* ---- Passes --------------------------------------------------------------------------------------- */

void inq_relist(inq *s) { s->listed_at = UINT64_MAX; }

static void count_voices(const inq *s, voices *of)
{
    const uint64_t *order = s->plan.order, filled = s->sample.filled, begin = s->sample.begin;
    memset(of, 0, s->base.count * sizeof *of);
    for (uint64_t k = 0; k < filled; k++) { /* in a random order */
        if (s->seeks && k + SOON < filled) __builtin_prefetch(&s->elder[order[k + SOON]]);
        uint64_t i = inq_speaker(s, order[k]);
        if (!method_mine(&s->base, i)) continue;
        of[inq_at(s, i)].all++;
        of[inq_at(s, i)].fresh += k >= begin;
    }
}

/* Does it count, or is it in the matrix still? */
static size_t is_listed(const inq *s, size_t at)
{
    return (s->voices[at].all > 0) | (s->weights[at] != 0);
}

static size_t count_listed(void *ctx, size_t from, size_t to)
{
    const inq *s = ctx;
    size_t count = 0;
    for (size_t at = from; at < to; at++) count += is_listed(s, at);
    return count;
}

static size_t put_listed(void *ctx, size_t from, size_t to, size_t before)
{
    const inq *s = ctx;
    size_t count = before;
    for (size_t some, at = from; at < to; at += some) {
        uint64_t list[SUM_BLOCK], found = 0;
        some = to - at < SUM_BLOCK ? to - at : SUM_BLOCK;
        for (size_t k = 0; k < some; k++) { /* no branch: a sample is random */
            list[found] = s->base.first + at + k;
            found += is_listed(s, at + k);
        }
        memcpy(s->list + count, list, found * sizeof *list);
        count += found;
    }
    return count;
}

void inq_list(inq *s)
{
    if (s->listed_at == s->sample.filled && s->listed_from == s->sample.begin) return;
    count_voices(s, s->voices);
    s->listed = method_pick(&s->base, s->base.count, FEW_NUMBERS,
                            &(method_list){count_listed, put_listed, s});
    s->listed_at = s->sample.filled;
    s->listed_from = s->sample.begin;
}

/* A block of mine: components first ... end - 1, of which list[from..to) are in the sample. */
typedef struct part {
    uint64_t first, end;
    size_t from, to;
} part;

/* Where in list the first component from i on is. */
static size_t find_listed(const inq *s, uint64_t i)
{
    size_t low = 0, high = s->listed;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (s->list[mid] < i)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Block k; list[from] is the first component in it, or behind it. */
static part part_of(const inq *s, size_t k, size_t from)
{
    part q = {block_first(&s->base, k), block_end(&s->base, k), from, from};
    while (q.to < s->listed && s->list[q.to] < q.end) q.to++;
    return q;
}

static void fetch_later(const inq *s, size_t k)
{
    if (k + AHEAD >= s->listed) return;
    inq_fetch_curve(s, s->list[k + AHEAD]);
    inq_fetch(s, s->list[k + AHEAD]);
}

/* Is a product of matrix and vector, in which components that are not in the sample count 0, the cheaper way? */
static int at_once(const inq *s, const part *p)
{
    size_t count = (size_t)(p->end - p->first);
    return 2 * (p->to - p->from) >= count && inq_rows_whole(s, p->first, count);
}

static void project_part(inq *s, const part *p)
{
    const method *m = &s->base;
    double now[SUM_BLOCK];
    int whole = at_once(s, p);
    if (whole)
        dense_times((size_t)(p->end - p->first), m->d, inq_row(s, p->first), m->d, m->x, now);
    for (size_t k = p->from; k < p->to; k++) {
        uint64_t i = s->list[k];
        if (!whole) fetch_later(s, k);
        inq_curve(s, i)->now = whole ? now[i - p->first] : inq_row_dot(s, i, m->x);
    }
}

static void project_blocks(void *ctx, size_t part_number, size_t from, size_t to)
{
    (void)part_number;
    inq *s = ctx;
    size_t at = find_listed(s, block_first(&s->base, from));
    for (size_t k = from; k < to; k++) {
        part p = part_of(s, k, at);
        project_part(s, &p);
        at = p.to;
    }
}

void inq_project(inq *s)
{
    inq_list(s);
    method_share(&s->base, method_blocks(&s->base), SUM_BLOCK * CURVE_NUMBERS, project_blocks, s);
}

/* Sums of width numbers over the blocks of the sample. */
static void sum_sample(inq *s, size_t width, void (*fill)(void *, size_t, size_t, double *),
                       void *ctx, double *total)
{
    inq_list(s);
    block_sum sum = {.width = width,
                     .numbers = SUM_BLOCK * CURVE_NUMBERS,
                     .tree = s->tree,
                     .leaves = s->block,
                     .room = 2 * SUM_BLOCK * s->base.d,
                     .fill = fill,
                     .ctx = ctx};
    method_sum_blocks(&s->base, &sum, total);
}

typedef struct total_of {
    inq *s;
    inq_pair (*pair)(const inq *s, uint64_t i);
    double (*one)(const inq *s, uint64_t i); /* NULL: pair */
} total_of;

static void add_up(void *ctx, size_t from, size_t to, double *leaves)
{
    const total_of *t = ctx;
    const inq *s = t->s;
    size_t at = find_listed(s, block_first(&s->base, from));
    for (size_t k = from; k < to; k++) {
        part p = part_of(s, k, at);
        inq_pair sum = {0, 0};
        for (; at < p.to; at++) {
            uint64_t i = s->list[at];
            uint32_t times = s->voices[inq_at(s, i)].all;
            if (!times) continue;
            inq_pair v = t->one ? (inq_pair){t->one(s, i), 0} : t->pair(s, i);
            sum.one += times * v.one;
            sum.two += times * v.two;
        }
        if (t->one)
            leaves[k - from] = sum.one;
        else
            leaves[2 * (k - from)] = sum.one, leaves[2 * (k - from) + 1] = sum.two;
    }
}

double inq_total(inq *s, double (*of)(const inq *s, uint64_t i))
{
    double total;
    sum_sample(s, 1, add_up, &(total_of){s, .one = of}, &total);
    return total;
}

inq_pair inq_totals(inq *s, inq_pair (*of)(const inq *s, uint64_t i))
{
    double total[2];
    sum_sample(s, 2, add_up, &(total_of){s, .pair = of}, total);
    return (inq_pair){total[0], total[1]};
}

/* Of a component's new voices, or of its others. */
static double voices_of(const inq *s, size_t at, int fresh)
{
    return fresh ? s->voices[at].fresh : s->voices[at].all - s->voices[at].fresh;
}

/* to += sum of slope_i u_i over a part, of its new components or of the others. */
static void multiply(inq *s, const part *p, int fresh, double *to)
{
    double slope[SUM_BLOCK] = {0};
    for (size_t k = p->from; k < p->to; k++) {
        size_t at = inq_at(s, s->list[k]);
        slope[s->list[k] - p->first] = voices_of(s, at, fresh) * s->slope[at];
    }
    dense_across((size_t)(p->end - p->first), s->base.d, inq_row(s, p->first), s->base.d, slope,
                 to);
}

/* Slopes and bends at x. leaf: sum of slope_i u_i over old and over new components, and of bend_i. */
static void add_part(inq *s, const part *p, double *leaf)
{
    size_t d = s->base.d;
    int whole = at_once(s, p);
    for (size_t k = p->from; k < p->to; k++) {
        uint64_t i = s->list[k];
        size_t at = inq_at(s, i);
        const curve *c = inq_curve(s, i);
        if (!whole) fetch_later(s, k);
        if (!s->voices[at].all) continue;
        curve_value v = curve_at(c, c->now);
        s->slope[at] = v.slope;
        s->bend[at] = v.bend > 0 ? v.bend : 0;
        if (!inq_is_wall(s, i)) leaf[2 * d] += s->voices[at].all * s->bend[at];
        for (int fresh = 0; fresh < 2 && !whole; fresh++)
            if (voices_of(s, at, fresh) > 0)
                inq_row_add(s, i, voices_of(s, at, fresh) * v.slope, leaf + (fresh ? d : 0));
    }
    for (int fresh = 0; fresh < 2 && whole; fresh++) multiply(s, p, fresh, leaf + (fresh ? d : 0));
}

static void add_parts(void *ctx, size_t from, size_t to, double *leaves)
{
    inq *s = ctx;
    size_t at = find_listed(s, block_first(&s->base, from));
    for (size_t k = from; k < to; k++) {
        part p = part_of(s, k, at);
        add_part(s, &p, leaves + (k - from) * (2 * s->base.d + 1));
        at = p.to;
    }
}

void inq_sum_curves(inq *s)
{
    method *m = &s->base;
    size_t d = m->d;
    sum_sample(s, 2 * d + 1, add_parts, s, s->block);
    double size = (double)s->sample.filled, fresh = (double)(s->sample.filled - s->sample.begin);
    for (size_t j = 0; j < d; j++) {
        s->fresh_g[j] = s->block[d + j] / fresh + s->ridge.mu * m->x[j];
        s->g[j] = (s->block[j] + s->block[d + j]) / size + s->ridge.mu * m->x[j];
    }
    s->model.bend = s->block[2 * d] / size;
}

typedef struct told {
    const method *m;
    const double *answers;
} told;

static void add_answers(void *ctx, size_t from, size_t to, double *leaves)
{
    const told *t = ctx;
    for (size_t k = from; k < to; k++)
        for (uint64_t i = block_first(t->m, k); i < block_end(t->m, k); i++)
            leaves[k - from] += t->answers[i];
}

double inq_mean_of(inq *s, const double *answers)
{
    double total;
    sum_sample(s, 1, add_answers, &(told){&s->base, answers}, &total);
    return total / (double)s->base.n;
}

static double value_of(const inq *s, uint64_t i) { return inq_curve(s, i)->f; }

double inq_mean_value(inq *s) { return inq_total(s, value_of) / (double)s->sample.filled; }

quad inq_quad(inq *s, double damping)
{
    method *m = &s->base;
    return (quad){.d = m->d,
                  .matrix = s->dense ? s->full : NULL,
                  .sparse = s->is_sparse ? &s->sparse : NULL,
                  .col = s->col,
                  .rows = (size_t)s->held,
                  .stride = m->n,
                  .ridge = s->ridge.mu,
                  .damping = damping,
                  .g = s->g,
                  .x = m->x,
                  .psi = m->psi,
                  .prox_work = m->prox_work};
}
