/* Words and their tables; see code.h. SPDX-License-Identifier: MIT */
#include "recover/code.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/sort.h"
#include "base/vec.h"

enum { FEW = 16 }; /* entries that are put in order by counting */
/* Of the rows: a column of any value that is seen as often is asked along its axis. */
static const double frequent = 0.02;

/* Of the least sum that is not 0: what is less is next to 0, whatever it is rounded to. */
static const double nearest = 0.49;

static size_t room_of(size_t d)
{
    return (size_t)CODE_TABLE * (d < 4 * CODE_FULL ? 1 + d / 4 : CODE_FULL);
}

/* Of all words: half as many as entries. */
static size_t steps_of(size_t d) { return room_of(d) / 2 + 2 * CODE_WORDS; }

size_t code_bytes(size_t d)
{
    return room_of(d) * 12 + steps_of(d) * sizeof(code_step) + CODE_TABLE * 12 +
           d * (20 + 12 * BOOK_VALUES) + BOOK_GROUPS * (24 + sizeof(code_bits)) +
           CODE_WORDS * (sizeof(code_word) + 12 * CODE_BEHIND + 2);
}

code *code_new(size_t d, uint64_t seed)
{
    size_t states = d * BOOK_VALUES + BOOK_GROUPS;
    code *p = mem_new(1, sizeof *p);
    if (!p) return NULL;
    p->d = d;
    p->weight = mem_new(d, sizeof *p->weight);
    p->check = mem_new(d, sizeof *p->check);
    p->begin = mem_new(BOOK_GROUPS + 1, sizeof *p->begin);
    p->column = mem_new(states, sizeof *p->column);
    p->value = mem_new(states, sizeof *p->value);
    p->bits = mem_new(BOOK_GROUPS, sizeof *p->bits);
    p->word = mem_new(CODE_WORDS, sizeof *p->word);
    p->rising = mem_new(CODE_WORDS, sizeof *p->rising);
    p->room = room_of(d);
    p->lengths = 2;
    p->reach = 1;
    p->sum = mem_new(p->room + CODE_WORDS * CODE_BEHIND, sizeof *p->sum);
    p->which = mem_new(p->room + CODE_WORDS * CODE_BEHIND, sizeof *p->which);
    p->step = mem_new(steps_of(d), sizeof *p->step);
    p->unsorted = mem_new(CODE_TABLE, sizeof *p->unsorted);
    p->unsorted_which = mem_new(CODE_TABLE, sizeof *p->unsorted_which);
    p->axis = mem_new(d, sizeof *p->axis);
    p->rank = mem_new(BOOK_GROUPS, sizeof *p->rank);
    p->share = mem_new(BOOK_GROUPS, sizeof *p->share);
    if (!p->weight || !p->check || !p->begin || !p->column || !p->value || !p->bits || !p->word ||
        !p->rising || !p->sum || !p->which || !p->step || !p->unsorted || !p->unsorted_which ||
        !p->axis || !p->rank || !p->share) {
        code_free(p);
        return NULL;
    }
    for (size_t j = 0; j < d; j++) {
        p->weight[j] = 1 + rng_uniform(seed, FOR_RECOVERY, 3, j);
        p->check[j] = 1 + rng_uniform(seed, FOR_RECOVERY, 0, j); /* split.h: w1 */
    }
    return p;
}

void code_free(code *p)
{
    if (!p) return;
    mem_free(p->weight);
    mem_free(p->check);
    mem_free(p->begin);
    mem_free(p->column);
    mem_free(p->value);
    mem_free(p->bits);
    mem_free(p->word);
    mem_free(p->rising);
    mem_free(p->sum);
    mem_free(p->which);
    mem_free(p->step);
    mem_free(p->unsorted);
    mem_free(p->unsorted_which);
    mem_free(p->axis);
    mem_free(p->rank);
    mem_free(p->share);
    mem_free(p);
}

static size_t states_of(const code *p, size_t g) { return p->begin[g + 1] - p->begin[g]; }

/* How often each group of the book is not empty, and the groups in the order of their words: small ones that are hardly
 * ever empty first, so that the anchor has a unit to tell. */
static size_t rank_groups(code *p, const book *b)
{
    size_t groups = 0;
    memset(p->share, 0, BOOK_GROUPS * sizeof *p->share);
    for (size_t j = 0; j < b->d; j++) {
        if (!(b->group[j] > 0)) continue;
        size_t g = (size_t)b->group[j] - 1;
        p->share[g] += b->often[j];
        if (g >= groups) groups = g + 1;
    }
    for (size_t g = 0; g < groups; g++) {
        size_t at = g;
        for (; at > 0 && p->share[p->rank[at - 1]] < p->share[g]; at--)
            p->rank[at] = p->rank[at - 1];
        p->rank[at] = (uint32_t)g;
    }
    return groups;
}

/* The states of each group, in the order of rank. */
static void list_states(code *p, const book *b)
{
    uint32_t at = 0;
    for (size_t k = 0; k < p->groups; k++) {
        p->begin[k] = at;
        if (p->share[p->rank[k]] < *b->rows) p->column[at++] = (uint32_t)b->d;
        for (size_t j = 0; j < b->d; j++)
            for (size_t v = 0; b->group[j] == (double)(p->rank[k] + 1) && v < (size_t)b->count[j];
                 v++) {
                p->column[at] = (uint32_t)j;
                p->value[at++] = b->value[j * BOOK_VALUES + v];
            }
    }
    p->begin[p->groups] = at;
}

/* Sums of the states of the groups of word w, and which states these are: the first group counts fastest. */
static void list_sums(const code *p, const code_word *w, double *sum, uint32_t *which)
{
    size_t count = 1;
    sum[0] = which[0] = 0;
    for (size_t g = w->group; g < w->group + w->groups; g++) {
        size_t states = states_of(p, g);
        for (size_t s = states; s-- > 0;) { /* the first state is in place: it comes last */
            uint32_t at = p->begin[g] + (uint32_t)s, j = p->column[at];
            double more = j < p->d ? p->weight[j] * p->value[at] : 0;
            for (size_t e = 0; e < count; e++) {
                sum[s * count + e] = sum[e] + more;
                which[s * count + e] = which[e] | (uint32_t)s << p->bits[g].shift;
            }
        }
        count *= states;
    }
}

/* No steps where all sums are the same, or next to it: all are in the first one. */
static void set_steps(code_word *w, const double *sum)
{
    double low = sum[0], high = sum[0], least = INFINITY;
    for (size_t e = 0; e < w->entries; e++) {
        double size = fabs(sum[e]);
        least = size > 0 && size < least ? size : least;
        low = sum[e] < low ? sum[e] : low;
        high = sum[e] > high ? sum[e] : high;
    }
    double scale = (double)w->steps * CODE_CELLS / (high - low);
    w->low = low;
    w->high = high;
    w->least = least;
    w->scale = isfinite(scale) ? scale : 0;
    w->last = (double)w->steps * CODE_CELLS - 1;
}

static void count_steps(const code_word *w, const double *sum, code_step *step)
{
    uint32_t first = 0;
    memset(step, 0, (w->steps + 1) * sizeof *step);
    for (size_t e = 0; e < w->entries; e++) {
        size_t cell = code_cell(w, sum[e]);
        step[cell / CODE_CELLS].first++;
        step[cell / CODE_CELLS].cells |= (uint32_t)1 << cell % CODE_CELLS;
    }
    for (size_t k = 0; k <= w->steps; k++) {
        uint32_t count = step[k].first;
        step[k].first = first;
        first += count;
    }
}

/* The few entries of a step in order: each counts those before it, and no branch depends on a number. */
static void sort_few(size_t count, double *sum, uint32_t *which)
{
    double key[FEW];
    uint32_t with[FEW], rank[FEW];
    for (size_t k = 0; k < count; k++) {
        uint32_t before = 0;
        key[k] = sum[k];
        with[k] = which[k];
        for (size_t e = 0; e < k; e++) {
            uint32_t behind =
                (key[e] > key[k]) | ((uint32_t)(key[e] == key[k]) & (with[e] > with[k]));
            rank[e] += behind;
            before += 1 - behind;
        }
        rank[k] = before;
    }
    for (size_t k = 0; k < count; k++) {
        sum[rank[k]] = key[k];
        which[rank[k]] = with[k];
    }
}

/* Entries to their steps, and there in order. While a step is filled its first one moves to its end, where the next begins. */
static void sort_by_steps(const code *p, const code_word *w)
{
    double *sum = p->sum + w->table;
    uint32_t *which = p->which + w->table, from = 0;
    code_step *step = p->step + w->stair;
    for (size_t e = 0; e < w->entries; e++) {
        size_t to = step[code_cell(w, p->unsorted[e]) / CODE_CELLS].first++;
        sum[to] = p->unsorted[e];
        which[to] = p->unsorted_which[e];
    }
    for (size_t k = 0; k < w->steps; k++) {
        uint32_t to = step[k].first;
        step[k].first = from;
        if (to - from > FEW)
            sort_pairs(to - from, sum + from, which + from);
        else if (to - from > 1)
            sort_few(to - from, sum + from, which + from);
        from = to;
    }
}

static void look_at_groups(const code *p, code_word *w)
{
    w->quiet = 1;
    w->below = 0;
    for (size_t g = w->group; g < w->group + w->groups; g++) {
        double most = 0;
        w->quiet &= p->column[p->begin[g]] == p->d;
        for (uint32_t at = p->begin[g]; at < p->begin[g + 1]; at++) {
            double one = p->column[at] < p->d ? p->weight[p->column[at]] * p->value[at] : 0;
            most = -one > most ? -one : most;
        }
        w->below += most;
    }
}

/* Is there one entry that is 0? Most words of most components are in it. */
static void find_zero(const code *p, code_word *w)
{
    const double *sum = p->sum + w->table;
    size_t zeros = 0;
    for (uint32_t e = 0; e < w->entries; e++) {
        if (sum[e] != 0) continue;
        w->zero = e;
        zeros++;
    }
    w->around = zeros == 1 ? nearest * w->least : 0;
}

/* The sums of word w, rising, and its steps. */
static void fill_table(code *p, code_word *w)
{
    int fits = w->entries <= CODE_TABLE; /* one group may have more states */
    double *sum = fits ? p->unsorted : p->sum + w->table;
    look_at_groups(p, w);
    list_sums(p, w, sum, fits ? p->unsorted_which : p->which + w->table);
    set_steps(w, sum);
    count_steps(w, sum, p->step + w->stair);
    if (fits)
        sort_by_steps(p, w);
    else
        sort_pairs(w->entries, sum, p->which + w->table);
    for (size_t e = 0; e < CODE_BEHIND; e++) p->sum[w->table + w->entries + e] = INFINITY;
    find_zero(p, w);
}

/* Groups in a row become a word as long as its table stays small. */
static int make_words(code *p)
{
    p->words = 0;
    for (size_t g = 0; g < p->groups; g++) {
        size_t states = states_of(p, g);
        code_word *w = p->words ? &p->word[p->words - 1] : NULL;
        size_t most = p->words <= CODE_ANCHORS ? CODE_ANCHOR : CODE_TABLE;
        if (!w || w->entries * states > most) {
            if (p->words == CODE_WORDS) return 0;
            w = &p->word[p->words++];
            *w = (code_word){.group = (uint32_t)g, .entries = 1};
        }
        w->groups++;
        w->entries *= (uint32_t)states;
    }
    size_t used = 0, steps = 0;
    for (size_t k = 0; k < p->words; k++) {
        code_word *w = &p->word[k];
        w->table = used + k * CODE_BEHIND;
        w->stair = steps;
        w->steps = w->entries / 2 + 1;
        used += w->entries;
        steps += w->steps + 1;
    }
    return used <= p->room;
}

void code_turn(code *p, const double *way)
{
    for (size_t j = 0; j < p->d; j++) {
        p->weight[j] = copysign(p->weight[j], way[j]);
        p->check[j] = copysign(p->check[j], way[j]);
    }
}

void code_empty(code *p)
{
    p->words = p->naxis = p->groups = p->anchors = 0;
    p->span = NULL;
    p->near = NULL;
    p->reach = 1;
}

void code_span(code *p, const basis *b)
{
    code_empty(p);
    p->span = b;
}

void code_near(code *p, const offset *o)
{
    code_empty(p);
    p->near = o;
    p->reach = 1 / vec_norm(p->d, p->check); /* all columns add up */
    p->anchors = p->naxis = offset_anchors(o, p->axis);
    for (size_t j = 0; j < p->d; j++)
        if (offset_often(o, j)) p->axis[p->naxis++] = (uint32_t)j;
}

size_t code_price(code *p, const book *b)
{
    code_empty(p);
    for (size_t j = 0; j < b->d; j++)
        if (b->group[j] < 0 && b->often[j] >= frequent * *b->rows)
            p->axis[p->naxis++] = (uint32_t)j;
    p->groups = rank_groups(p, b);
    list_states(p, b);
    if (make_words(p)) return 1 + p->naxis + code_rows(p);
    code_empty(p);
    return b->d + 1;
}

/* Bits for the states of each group of a word. A word has few enough, or a single group. */
static void place_bits(code *p, code_word *w)
{
    uint32_t shift = 0;
    for (size_t k = 0; k < w->groups; k++) {
        size_t g = w->group + k, most = states_of(p, g) - 1;
        uint32_t bits = 0;
        for (; most >> bits; bits++)
            if (shift + bits < sizeof w->group_of) w->group_of[shift + bits] = (uint8_t)k;
        p->bits[g] = (code_bits){shift, (uint32_t)(((uint64_t)1 << bits) - 1)};
        shift += bits;
    }
}

/* By how many entries they have, those with as many as they come. */
static void order_words(const code *p)
{
    for (size_t k = 0; k < p->words; k++) {
        size_t at = k;
        for (; at > 0 && p->word[p->rising[at - 1]].entries > p->word[k].entries; at--)
            p->rising[at] = p->rising[at - 1];
        p->rising[at] = (uint16_t)k;
    }
}

size_t code_make(code *p, const book *b)
{
    size_t price = code_price(p, b);
    for (size_t k = 0; k < p->words; k++) {
        place_bits(p, &p->word[k]);
        fill_table(p, &p->word[k]);
    }
    order_words(p);
    return price;
}

void code_row(const code *p, size_t k, double radius, double *row)
{
    if (k >= code_shared(p) || p->span) {
        const double *w = k < code_shared(p) ? p->span->row + k * p->d : p->check;
        double length = (k <= code_shared(p) ? 1 : CODE_FAR) * p->reach * radius;
        for (size_t j = 0; j < p->d; j++) row[j] = length * w[j];
        return;
    }
    const code_word *word = &p->word[k];
    memset(row, 0, p->d * sizeof *row);
    for (uint32_t at = p->begin[word->group]; at < p->begin[word->group + word->groups]; at++)
        if (p->column[at] < p->d) row[p->column[at]] = radius * p->weight[p->column[at]];
}
