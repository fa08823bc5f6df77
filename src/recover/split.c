/* What a guess leaves over, found by splitting; see split.h.
 * SPDX-License-Identifier: MIT */
#include "recover/split.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/sort.h"

enum { MOST = 2048 };                /* entries of a gradient, at most */
static const double relative = 5e-9; /* what is left of the forward error, of a slope */
static const double strict = 8;      /* so many errors above 0 is not 0 */
static const double sure = 1e-5;     /* of what is added up: a coarser check is made twice, */
static const double vague = 1e-4;    /* and one that is as coarse as this says nothing */
static const double by_chance =
    0.05;                         /* ratios that are as near as that to one of a node's, at most */
static const double unseen = 0.5; /* rows that a coordinate which was never seen counts for */

enum { HELD = 4096 }; /* questions whose sums are held */
struct split_sums {
    uint32_t which, from, to, there;
    double reach;         /* the question is so much shorter than its weights w */
    double along, square; /* u'x, u'u */
    double usual, size;   /* sum of usual w, and of its absolute values */
};

size_t split_most(size_t d) { return d < 2 * MOST ? d / 2 + 1 : MOST; }

size_t split_bytes(size_t d)
{
    return d * ((2 * SPLIT_TRIES + 2 + SPLIT_TRIES + 3) * 8 + (SPLIT_TRIES + 2) * 4) +
           HELD * sizeof(split_sums) + lists_bytes(d);
}

splitter *splitter_new(size_t d, uint64_t seed)
{
    splitter *s = mem_new(1, sizeof *s);
    if (!s) return NULL;
    int there = 1;
    s->d = d;
    s->most = split_most(d);
    for (size_t k = 0; k < 2 * SPLIT_TRIES + 2; k++) {
        s->weight[k] = mem_new(d, sizeof(double));
        for (size_t j = 0; s->weight[k] && j < d; j++)
            s->weight[k][j] = 1 + rng_uniform(seed, FOR_RECOVERY, k, j);
        there = there && s->weight[k];
    }
    for (size_t k = 0; k < SPLIT_TRIES; k++) {
        s->rising[k] = mem_new(d, sizeof **s->rising);
        s->ratio[k] = mem_new(d, sizeof **s->ratio);
        there = there && s->rising[k] && s->ratio[k];
    }
    s->order = mem_new(d, sizeof *s->order);
    s->at = mem_new(d, sizeof *s->at);
    s->share = mem_new(d + 1, sizeof *s->share);
    s->key = mem_new(d, sizeof *s->key);
    s->base = mem_new(d, sizeof *s->base);
    s->sums = mem_new(HELD, sizeof *s->sums);
    s->lists = lists_new(d);
    if (!there || !s->order || !s->at || !s->share || !s->key || !s->base || !s->sums ||
        !s->lists) {
        splitter_free(s);
        return NULL;
    }
    for (size_t t = 0; t < SPLIT_TRIES; t++) {
        for (size_t j = 0; j < d; j++)
            s->ratio[t][j] = s->weight[2 * t + 1][j] / s->weight[2 * t][j];
        sort_order(d, s->ratio[t], s->rising[t]);
    }
    return s;
}

void splitter_free(splitter *s)
{
    if (!s) return;
    for (size_t k = 0; k < 2 * SPLIT_TRIES + 2; k++) mem_free(s->weight[k]);
    for (size_t k = 0; k < SPLIT_TRIES; k++) {
        mem_free(s->rising[k]);
        mem_free(s->ratio[k]);
    }
    mem_free(s->order);
    mem_free(s->at);
    mem_free(s->share);
    mem_free(s->key);
    mem_free(s->base);
    mem_free(s->sums);
    lists_free(s->lists);
    mem_free(s);
}

static void forget_sums(splitter *s) { memset(s->sums, 0, HELD * sizeof *s->sums); }

void splitter_at(splitter *s, const double *x)
{
    if (!memcmp(s->base, x, s->d * sizeof *x)) return;
    memcpy(s->base, x, s->d * sizeof *x);
    forget_sums(s);
}

void splitter_order(splitter *s, const double *often, double rows, const double *usual)
{
    s->usual = usual;
    forget_sums(s);
    lists_forget(s->lists);
    for (size_t j = 0; j < s->d; j++) s->key[j] = -often[j];
    sort_order(s->d, s->key, s->order);
    s->share[0] = 0;
    for (size_t k = 0; k < s->d; k++) {
        s->at[s->order[k]] = (uint32_t)k;
        s->share[k + 1] = s->share[k] + (often[s->order[k]] + unseen) / (rows + 1);
    }
}

void splitter_turn(splitter *s, const double *way)
{
    forget_sums(s);
    lists_forget(s->lists);
    for (size_t k = 0; k < 2 * SPLIT_TRIES + 2; k++)
        for (size_t j = 0; j < s->d; j++) s->weight[k][j] = copysign(s->weight[k][j], way[j]);
}

/* ---- What is asked --------------------------------------------------------------------------------- */

enum {
    FIRST,
    SECOND,
    CHECK,
    RECHECK
}; /* weights of a question: w1, w2, or those of the next try */

static size_t attempt(const split_case *c) { return (size_t)c->attempt; }
static const double *weights(const split_case *c, const splitter *s, size_t which)
{
    return s->weight[2 * attempt(c) + which];
}

static void ask(split_case *c, double which, double from, double to)
{
    c->weights = which;
    c->from = from;
    c->to = to;
}

static void sum_up(const splitter *s, const double *w, split_sums *to)
{
    double along = 0, squares = 0, usual = 0, size = 0;
    for (size_t k = to->from; k < to->to; k++) {
        size_t j = s->order[k];
        along += w[j] * s->base[j];
        squares += w[j] * w[j];
    }
    for (size_t k = to->from; s->usual && k < to->to; k++) {
        double one = s->usual[s->order[k]] * w[s->order[k]];
        usual += one;
        size += fabs(one);
    }
    to->reach = s->usual ? 1 / sqrt(squares) : 1;
    to->along = to->reach * along;
    to->square = to->reach * to->reach * squares;
    to->usual = usual;
    to->size = size;
}

/* Of the question at hand. Halves follow from what was learnt, so that components ask about the same ones. */
static const split_sums *sums_of(const split_case *c, const splitter *s)
{
    split_sums key = {(uint32_t)(2 * attempt(c) + (size_t)c->weights),
                      (uint32_t)c->from,
                      (uint32_t)c->to,
                      1,
                      0,
                      0,
                      0,
                      0,
                      0};
    uint32_t at = (key.from * 0x9e3779b1u ^ key.to * 0x85ebca6bu ^ key.which * 0xc2b2ae35u) >> 7;
    split_sums *held = &s->sums[at % HELD];
    if (held->there && held->which == key.which && held->from == key.from && held->to == key.to)
        return held;
    *held = key;
    sum_up(s, s->weight[key.which], held);
    return held;
}

/* The question at hand is so much shorter than its weights. */
static double reach(const split_case *c, const splitter *s)
{
    return s->usual ? sums_of(c, s)->reach : 1;
}

void split_row(const split_case *c, const splitter *s, double radius, double *row)
{
    const double *w = weights(c, s, (size_t)c->weights);
    radius *= reach(c, s);
    for (size_t k = (size_t)c->from; k < (size_t)c->to; k++)
        row[s->order[k]] = radius * w[s->order[k]];
}

zo_sparse split_list(const split_case *c, const splitter *s)
{
    list_key key = {(uint32_t)(2 * attempt(c) + (size_t)c->weights), (uint32_t)c->from,
                    (uint32_t)c->to};
    return lists_row(s->lists, key, s->order, s->weight[key.which], reach(c, s));
}

void split_clear(const splitter *s, size_t from, size_t to, double *row)
{
    if (to - from == s->d)
        memset(row, 0, s->d * sizeof *row);
    else
        for (size_t k = from; k < to; k++) row[s->order[k]] = 0;
}

void split_lengths(const split_case *c, const splitter *s, double *along, double *square)
{
    const split_sums *held = sums_of(c, s);
    *along = held->along;
    *square = held->square;
}

/* What the guess foretells of the question at hand; *size: the same of its absolute values. */
static double foretell(const split_case *c, const splitter *s, double *size)
{
    const double *w = weights(c, s, (size_t)c->weights);
    const double *slope = split_slope(c, s);
    const split_sums *usual = s->usual ? sums_of(c, s) : NULL;
    double sum = usual ? c->offset * usual->usual : 0,
           all = usual ? fabs(c->offset) * usual->size : 0;
    int64_t count = (int64_t)((size_t)c->weights < CHECK ? c->known : c->count);
    uint32_t from = (uint32_t)c->from, some = (uint32_t)c->to - from;
    for (int64_t k = 0; k < count; k++) {
        int64_t j = (int64_t)c->list[k];
        if (s->at[j] - from >= some) continue; /* before it, too */
        sum += w[j] * slope[k];
        all += fabs(w[j] * slope[k]);
    }
    *size = all;
    return sum;
}

/* ---- What is known --------------------------------------------------------------------------------- */

static void find(split_case *c, const splitter *s, size_t j, double slope)
{
    double *to = split_slope(c, s);
    size_t known = (size_t)c->known;
    double place = (double)j;
    int is_known = 0; /* as hardly any are: no branch for each */
    for (size_t k = 0; k < known; k++) is_known |= c->list[k] == place;
    for (size_t k = 0; k < known && is_known; k++)
        if (c->list[k] == place) {
            to[k] += slope;
            return;
        }
    if ((size_t)c->count == s->most) {
        c->status = SPLIT_FAILED;
        return;
    }
    c->list[(size_t)c->count] = (double)j;
    to[(size_t)c->count++] = slope;
}

/* The one coordinate of the node whose ratio of weights is m2/m1; d: none, or several. */
static size_t single(const split_case *c, const splitter *s, const split_node *n)
{
    const double *ratios = s->ratio[attempt(c)];
    double ratio = n->m2 / n->m1, tol = strict * n->error * (1 + fabs(ratio)) / fabs(n->m1);
    if (tol * (n->to - n->from) > by_chance) return s->d;
    size_t low = 0, high = s->d, found = s->d;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (ratios[mid] < ratio - tol)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < s->d && ratios[low] <= ratio + tol; low++) {
        uint32_t j = s->rising[attempt(c)][low];
        if (s->at[j] < n->from || s->at[j] >= n->to) continue;
        if (found < s->d) return s->d;
        found = j;
    }
    return found;
}

static void solve_pair(split_case *c, const splitter *s, const split_node *n)
{
    size_t j = s->order[(size_t)n->from], k = s->order[(size_t)n->from + 1];
    const double *a = weights(c, s, FIRST), *b = weights(c, s, SECOND);
    double det = a[j] * b[k] - a[k] * b[j];
    find(c, s, j, (n->m1 * b[k] - a[k] * n->m2) / det);
    find(c, s, k, (a[j] * n->m2 - b[j] * n->m1) / det);
}

/* The middle of a node by what is expected in it; inside it. */
static double middle(const splitter *s, const split_node *n)
{
    size_t low = (size_t)n->from + 1, high = (size_t)n->to - 1;
    double half = 0.5 * (s->share[(size_t)n->from] + s->share[(size_t)n->to]);
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (s->share[mid] < half)
            low = mid + 1;
        else
            high = mid;
    }
    return (double)low;
}

static void push(split_case *c, split_node n)
{
    if ((size_t)c->nodes == SPLIT_DEPTH)
        c->status = SPLIT_FAILED;
    else
        c->node[(size_t)c->nodes++] = n;
}

/* Is what is in node n clear? Then it is found. */
static int settles(split_case *c, const splitter *s, const split_node *n)
{
    double least = strict * n->error;
    size_t j = s->order[(size_t)n->from];
    if (fabs(n->m1) <= least && fabs(n->m2) <= least) return 1;
    if (n->to - n->from == 2 && fabs(n->m1) <= least) {
        solve_pair(c, s, n);
        return 1;
    }
    if (n->to - n->from > 1) j = fabs(n->m1) <= least ? s->d : single(c, s, n);
    if (j < s->d)
        find(c, s, j, n->m1 / weights(c, s, FIRST)[j]);
    else if (n->to - n->from == 2)
        solve_pair(c, s, n);
    else
        return 0;
    return 1;
}

/* Takes what is clear off the stack; stops at a node that has to be asked about. */
static void go_on(split_case *c, const splitter *s)
{
    while (c->nodes > 0 && c->status == SPLIT_ASKS) {
        const split_node *n = &c->node[(size_t)c->nodes - 1];
        if (isnan(n->m1) || isnan(n->m2)) {
            ask(c, isnan(n->m1) ? FIRST : SECOND, n->from, n->to);
            return;
        }
        if (!settles(c, s, n)) {
            ask(c, isnan(c->first) ? FIRST : SECOND, n->from, middle(s, n));
            return;
        }
        c->nodes--;
    }
    ask(c, CHECK, 0, (double)s->d);
}

/* All coordinates once more; m1: the slope of what is left over. */
static void begin_try(split_case *c, const splitter *s, double m1, double error)
{
    c->first = NAN;
    c->nodes = 0;
    c->known = c->count;
    push(c, (split_node){0, (double)s->d, m1, NAN, error});
    go_on(c, s);
}

void split_begin(split_case *c, const splitter *s, const recovered *g)
{
    double size;
    memset(c, 0, sizeof *c);
    c->floor = g->floor;
    c->bend = g->bend;
    c->offset = g->offset;
    for (size_t k = 0; k < g->count && g->count <= s->most; k++)
        find(c, s, g->place[k], g->slope[k]);
    c->known = c->count;
    ask(c, FIRST, 0, (double)s->d);
    double left = g->whole - foretell(c, s, &size); /* which leaves size */
    begin_try(c, s, left, c->floor / reach(c, s) + relative * size);
}

void split_result(const split_case *c, const splitter *s, recovered *g)
{
    const double *slope = split_slope(c, s);
    g->count = s->usual ? s->d : (size_t)c->count;
    g->bend = c->bend;
    for (size_t j = 0; s->usual && j < s->d; j++) {
        g->place[j] = (uint32_t)j;
        g->slope[j] = c->offset * s->usual[j];
    }
    for (size_t k = 0; k < (size_t)c->count; k++) {
        size_t j = (size_t)c->list[k], at = s->usual ? j : k;
        g->place[at] = (uint32_t)j;
        g->slope[at] = slope[k] + (s->usual ? g->slope[at] : 0);
    }
}

void split_move(const split_case *from, const splitter *s, split_case *to)
{
    size_t count = (size_t)from->count;
    memcpy(to, from, offsetof(split_case, node) + (size_t)from->nodes * sizeof *from->node);
    to->first = from->first;
    to->count = from->count;
    to->known = from->known;
    memcpy(to->list, from->list, count * sizeof *to->list);
    memcpy(split_slope(to, s), split_slope(from, s), count * sizeof *to->list);
}

/* ---- What is told ---------------------------------------------------------------------------------- */

/* The first half of the node on top has the slope m along the weights of the question. */
static void tell_half(split_case *c, double m, double error)
{
    split_node whole = c->node[(size_t)c->nodes - 1], left = whole, right = whole;
    double both = sqrt(whole.error * whole.error + error * error), least = strict * both;
    left.to = right.from = c->to;
    if (isnan(c->first) && fabs(m) > least && fabs(whole.m1 - m) > least) {
        c->first = m; /* both halves hold something: along w2, too */
        return;
    }
    c->nodes--;
    if (!isnan(c->first)) {
        left.m1 = c->first, left.m2 = m, left.error = error;
        right.m1 = whole.m1 - c->first, right.m2 = whole.m2 - m, right.error = both;
        push(c, right);
        push(c, left);
    } else
        push(c, fabs(m) <= least ? right : left);
    c->first = NAN;
}

static void tell_check(split_case *c, const splitter *s, double left, double size)
{
    double error = c->floor * sqrt(1 + c->count) + relative * size;
    if (s->usual) error += c->floor / reach(c, s);
    int passes = fabs(left) <= strict * error, twice = s->usual || strict * error > sure * size;
    if (passes && !s->usual && c->count > 0 && strict * error > vague * size)
        c->status = SPLIT_FAILED;
    else if (passes && twice && (size_t)c->weights == CHECK)
        ask(c, RECHECK, 0, (double)s->d);
    else if (passes)
        c->status = SPLIT_DONE;
    else if (++c->attempt == SPLIT_TRIES)
        c->status = SPLIT_FAILED;
    else
        begin_try(c, s, (size_t)c->weights == CHECK ? left : NAN, error); /* w1 of the next try */
}

void split_tell(split_case *c, const splitter *s, double radius, double difference, double most)
{
    double shorter = reach(c, s), r = radius * shorter, y = difference / r, a = y, size;
    for (int k = 0; k < 3; k++) a = y - 0.5 * r * c->bend * a * a;
    double left = a - foretell(c, s, &size);
    double error = c->floor / shorter + relative * (size + fabs(a));
    c->asked++;
    if ((size_t)c->weights >= CHECK) {
        tell_check(c, s, left, size);
    } else { /* of the node on top: split_sane has seen to it that there is one */
        split_node *top = &c->node[(size_t)c->nodes - 1];
        if (isnan(top->m1))
            top->m1 = left, top->error = error;
        else if (isnan(top->m2))
            top->m2 = left, top->error = fmax(top->error, error);
        else
            tell_half(c, left, error);
        go_on(c, s);
    }
    if (c->asked >= most && c->status == SPLIT_ASKS) c->status = SPLIT_FAILED;
}

/* ---- State that was read from a file ------------------------------------------------------------------ */

int split_sane(const split_case *c, const splitter *s)
{
    double d = (double)s->d;
    if (!(c->status >= SPLIT_ASKS && c->status <= SPLIT_FAILED) || !(c->attempt >= 0) ||
        !(c->attempt < SPLIT_TRIES) || !(c->weights >= 0 && c->weights <= 3))
        return 0;
    if (!(c->from >= 0 && c->from <= c->to && c->to <= d) || !(c->nodes >= 0) ||
        !(c->nodes <= SPLIT_DEPTH) || !(c->count >= 0 && c->count <= (double)s->most) ||
        !(c->known >= 0 && c->known <= c->count))
        return 0;
    if (c->status == SPLIT_ASKS && c->weights < CHECK && !(c->nodes >= 1)) return 0;
    for (size_t k = 0; k < (size_t)c->nodes; k++)
        if (!(c->node[k].from >= 0 && c->node[k].from < c->node[k].to && c->node[k].to <= d))
            return 0;
    for (size_t k = 0; k < (size_t)c->count; k++)
        if (!(c->list[k] >= 0 && c->list[k] < d)) return 0;
    return 1;
}
