/* From slopes along words to a gradient; see code.h.
 * SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>

#include "base/vec.h"
#include "recover/code.h"

static const double roundings = 4;   /* of f in a difference of two values */
static const double relative = 1e-8; /* what is left of the forward error, of a slope */
static const double strict = 6;      /* so many errors off: another state */
static const double sure = 1e-5;     /* of what is added up: a coarser check says too little */
static const double clear = 1e3;     /* so many errors above 0 is a slope that tells the unit */

enum { GUESSED = 256 }; /* states of an anchor that a guess goes through, at most */

typedef struct reading {
    const code *p;
    double floor;             /* error of a slope by rounding */
    double slope[CODE_WORDS]; /* along each word */
    double check;             /* along the fresh weights */
    size_t entry[CODE_WORDS]; /* the state that each word is taken to be in */
    size_t anchor;
    size_t clear;               /* words whose slope tells the unit */
    uint16_t order[CODE_WORDS]; /* words, those first that tell the most about a guess */
} reading;

static double error_of(const reading *r, double y) { return r->floor + relative * fabs(y); }

static int is_clear(const reading *r, size_t word)
{
    return fabs(r->slope[word]) > clear * r->floor;
}

/* The slope behind a forward difference over r, where f'' = bend f'^2. */
static double straighten(double y, double radius, double bend)
{
    double a = y;
    for (int k = 0; k < 3; k++) a = y - 0.5 * radius * bend * a * a;
    return a;
}

/* The slope behind the k-th difference, along an axis: D/r, taken over what the axis has of r within bounds. */
static double axis_slope(const code *p, size_t k, double radius, double difference, double bend)
{
    double reach = p->turned ? p->turned[p->axis[k]] : radius;
    return straighten(difference / radius, reach, bend);
}

/* The first entry of word w that is not below v. */
static inline size_t first_from(const code *p, const code_word *w, double v)
{
    const double *sum = p->sum + w->table;
    const code_step *step = p->step + w->stair + code_cell(w, v) / CODE_CELLS;
    size_t low = step[0].first, high = step[1].first, below = 0;
    while (low + CODE_BEHIND < high) {
        size_t mid = low + (high - low) / 2;
        if (sum[mid] < v)
            low = mid + 1;
        else
            high = mid;
    }
    /* no branch depends on a number: those from high on are not below v, and others than these are infinite */
    for (size_t k = 0; k < CODE_BEHIND; k++) below += sum[low + k] < v;
    return low + below;
}

/* Has word w no entry between these two? 0: perhaps it has. No branch depends on a number. */
static inline int is_empty(const code *p, const code_word *w, double from, double to)
{
    size_t a = code_cell(w, from), b = code_cell(w, to);
    const code_step *step = p->step + w->stair;
    uint32_t here =
        step[a / CODE_CELLS].cells >> a % CODE_CELLS | step[b / CODE_CELLS].cells >> b % CODE_CELLS;
    return (to < w->low) | (from > w->high) | ((b - a <= 1) & ~here & 1);
}

/* The same within tol of v, which is far above the rounding of v. */
static inline int is_far(const code *p, const code_word *w, double v, double tol)
{
    static const double wider = 1.000001;
    return is_empty(p, w, v - wider * tol, v + wider * tol);
}

/* The entry of word w next to v, if it is within tol; else w's entries. */
static inline size_t look_up(const code *p, const code_word *w, double v, double tol)
{
    if (fabs(v) < w->around) return fabs(v) <= tol ? w->zero : w->entries;
    if (is_far(p, w, v, tol)) return w->entries;
    const double *sum = p->sum + w->table;
    size_t low = first_from(p, w, v), before = low - (low > 0);
    low = (low == w->entries) | (v - sum[before] < sum[low] - v) ? before : low;
    return fabs(sum[low] - v) <= tol ? low : w->entries;
}

/* How many words have a state at their slope over the unit s, which the anchor's sum v gives; all: 0 where one has
 * none. */
static size_t agreeing(reading *r, double s, double v, int all)
{
    const code *p = r->p;
    double doubt = error_of(r, r->slope[r->anchor]) / fabs(v);
    size_t agree = 0;
    for (size_t e = 0; e < p->words; e++) {
        size_t k = r->order[e];
        if (k == r->anchor) continue;
        double sum = r->slope[k] / s,
               tol = strict * (error_of(r, r->slope[k]) + doubt * fabs(sum)) / fabs(s);
        r->entry[k] = look_up(p, &p->word[k], sum, tol);
        int fits = r->entry[k] < p->word[k].entries;
        if (all && !fits) return 0;
        agree += (size_t)(fits && is_clear(r, k));
    }
    return agree + 1;
}

/* The same count where words need not all have a state; 0: no more than least. Only words with a clear slope count. */
static size_t agreeing_clearly(const reading *r, double s, double v, size_t least)
{
    const code *p = r->p;
    double doubt = error_of(r, r->slope[r->anchor]) / fabs(v);
    size_t agree = 1, left = r->clear; /* the anchor is one of these */
    for (size_t k = 0; k < p->words && agree + left > least + 1; k++) {
        if (k == r->anchor || !is_clear(r, k)) continue;
        double sum = r->slope[k] / s,
               tol = strict * (error_of(r, r->slope[k]) + doubt * fabs(sum)) / fabs(s);
        agree += look_up(p, &p->word[k], sum, tol) < p->word[k].entries;
        left--;
    }
    return agree > least ? agree : 0;
}

/* Adds a group's state; no branch tells whether the group is empty. A column of its own is not yet there. */
static void spell_group(const code *p, size_t g, uint32_t states, double s, recovered *out)
{
    uint32_t at = p->begin[g] + (states >> p->bits[g].shift & p->bits[g].mask);
    out->place[out->count] = p->column[at];
    out->slope[out->count] = s * p->value[at];
    out->count += p->column[at] != p->d;
}

/* Adds what a word contributes in these states. */
static void spell(const code *p, const code_word *w, uint32_t states, double s, recovered *out)
{
    if (!w->quiet) {
        for (size_t g = w->group; g < w->group + w->groups; g++) spell_group(p, g, states, s, out);
        return;
    }
    for (uint32_t left = states; left;) { /* groups that are not empty */
        size_t g = w->group + w->group_of[__builtin_ctz(left)];
        left &= ~(p->bits[g].mask << p->bits[g].shift);
        spell_group(p, g, states, s, out);
    }
}

/* Adds what all words contribute in their states; few have anything to say. */
static void spell_all(const reading *r, double s, recovered *out)
{
    const code *p = r->p;
    uint32_t states[CODE_WORDS];
    uint16_t word[CODE_WORDS];
    size_t count = 0;
    for (size_t k = 0; k < p->words; k++) {
        const code_word *w = &p->word[k];
        int known = r->entry[k] < w->entries;
        states[count] = p->which[w->table + r->entry[k]];
        word[count] = (uint16_t)k;
        count += (size_t)(known & (!w->quiet | (states[count] != 0)));
    }
    for (size_t k = 0; k < count; k++) spell(p, &p->word[word[k]], states[k], s, out);
}

/* more: what the gradient may be off by beside, along the check. */
static int foretold(const reading *r, const recovered *out, double more)
{
    double sum = 0, size = 0;
    for (size_t k = 0; k < out->count; k++) {
        double one = out->slope[k] * r->p->check[out->place[k]];
        sum += one;
        size += fabs(one);
    }
    double tol = strict * (r->floor * sqrt((double)(2 + out->count)) + relative * size);
    if (out->count && tol > sure * size) return 0;
    return fabs(sum - r->check) <= tol + more;
}

/* Of the code's rising words the first from this one on that says something; or none. */
static size_t find_anchor(const reading *r, size_t from)
{
    while (from < r->p->words && !is_clear(r, r->p->rising[from])) from++;
    return from;
}

/* Slopes along axes, bend, and slopes along words. */
static void read_slopes_of(reading *r, double radius, const double *difference, recovered *out)
{
    const code *p = r->p;
    const double *row = difference + p->naxis;
    size_t rows = code_shared(p);
    double reach = radius * p->reach, near = row[rows] / reach;
    double far = p->lengths == 1 ? near : row[rows + 1] / (CODE_FAR * reach);
    double steep = fabs(near) > clear * r->floor / p->reach ? near * near : INFINITY;
    out->bend = (far - near) / (0.5 * (CODE_FAR - 1) * reach * steep);
    r->check = straighten(near, reach, out->bend);
    out->count = 0;
    for (size_t k = 0; k < p->naxis; k++) {
        double y = axis_slope(p, k, radius, difference[k], out->bend);
        out->place[out->count] = p->axis[k];
        out->slope[out->count] = y;
        out->count += !(fabs(y) <= strict * r->floor);
    }
    for (size_t k = 0; k < rows; k++) r->slope[k] = straighten(row[k] / radius, radius, out->bend);
}

/* g = sum of its slopes along the basis times the basis. */
static int read_span(const reading *r, recovered *out)
{
    const basis *b = r->p->span;
    out->count = b->d;
    for (size_t j = 0; j < b->d; j++) {
        out->place[j] = (uint32_t)j;
        out->slope[j] = 0;
    }
    for (size_t k = 0; k < (size_t)*b->rank; k++)
        vec_add(b->d, r->slope[k], b->row + k * b->d, out->slope);
    /* the basis is as good as the rows that it was learnt from: e'w <= |e| |w| */
    return foretold(r, out,
                    2 * b->rank[1] * vec_norm(b->d, out->slope) * vec_norm(b->d, r->p->check));
}

/* s: on which most anchors agree, more than half of them; NaN: on none. */
static double offset_of(const reading *r, double radius, const double *difference, double bend)
{
    double s[OFFSET_ANCHORS], best = NAN;
    size_t most = 0, count = r->p->anchors;
    for (size_t k = 0; k < count; k++)
        s[k] = axis_slope(r->p, k, radius, difference[k], bend) / r->p->near->usual[r->p->axis[k]];
    for (size_t k = 0; k < count; k++) {
        size_t agree = 0;
        double sum = 0;
        for (size_t e = 0; e < count; e++)
            if (fabs(s[e] - s[k]) <= strict * error_of(r, s[k])) agree++, sum += s[e];
        if (agree > most) most = agree, best = sum / (double)agree;
    }
    return 2 * most > count && fabs(best) > clear * r->floor ? best : NAN;
}

/* What is left over along the axes; the rest is to be split. */
static void read_near(const reading *r, double radius, const double *difference, recovered *out)
{
    const code *p = r->p;
    double s = out->offset = offset_of(r, radius, difference, out->bend);
    out->count = 0;
    for (size_t k = 0; k < p->naxis; k++) {
        double y = axis_slope(p, k, radius, difference[k], out->bend);
        double usual = s * p->near->usual[p->axis[k]];
        if (!(fabs(y - usual) > strict * (error_of(r, y) + error_of(r, usual)))) continue;
        out->place[out->count] = p->axis[k];
        out->slope[out->count++] = y - usual;
    }
}

/* The gradient where the anchor is in state e: of words that agree. Returns how many do. */
static size_t try_state(reading *r, size_t e, size_t axes, int all, recovered *out)
{
    const code *p = r->p;
    double v = p->sum[p->word[r->anchor].table + e], s = r->slope[r->anchor] / v;
    size_t agree = v == 0 ? 0 : agreeing(r, s, v, all);
    if (agree == 0) return 0;
    r->entry[r->anchor] = e;
    out->count = axes;
    spell_all(r, s, out);
    return agree;
}

/* The unit on which most words agree, two beside the anchor at least. */
static void guess(reading *r, size_t axes, recovered *out)
{
    size_t most = 2, anchor = 0, state = 0;
    for (size_t k = 0, at = 0; k < 2; k++, at++) {
        if ((at = find_anchor(r, at)) == r->p->words) break;
        r->anchor = r->p->rising[at];
        if (r->p->word[r->anchor].entries > GUESSED) break;
        for (size_t e = 0; e < r->p->word[r->anchor].entries; e++) {
            double v = r->p->sum[r->p->word[r->anchor].table + e];
            size_t agree = v == 0 ? 0 : agreeing_clearly(r, r->slope[r->anchor] / v, v, most);
            if (agree > most) most = agree, anchor = r->anchor, state = e;
        }
    }
    out->count = axes;
    if (most == 2) return;
    r->anchor = anchor;
    try_state(r, state, axes, 0, out);
}

/* The states of an anchor with many of them that are worth a try: those for which one other word, the filter, has a state, too.
 * Both sums have the ratio of both slopes. So the filter's sums, as far as they can be reached, are gone through in the order in
 * which the anchor's rise, and each leaves a short range of these. */
typedef struct search {
    double least, most;  /* size of the anchor's sum: beyond, some word would have no state */
    double ratio, doubt; /* of the filter's sum to the anchor's; how far it may be off */
    const code_word *filter;
    size_t from, to; /* entries of the filter that are left */
    size_t end;      /* of the range of states at hand */
} search;

static const double rounding = 1e-9; /* and more than what bounds are rounded by */

/* Of word k's sum to the anchor's: what is added to and taken from the ratio is its doubt. */
static double ratio_of(const reading *r, size_t k, double *doubt)
{
    double pace = r->slope[r->anchor], ratio = r->slope[k] / pace;
    *doubt = 2 * strict * (error_of(r, r->slope[k]) + fabs(ratio) * error_of(r, pace)) / fabs(pace);
    return ratio;
}

/* A clear slope: word k's sum is not 0, and no larger than it can be. */
static void narrow(const reading *r, size_t k, search *s)
{
    const code_word *w = &r->p->word[k];
    double doubt, ratio = fabs(ratio_of(r, k, &doubt));
    double least = w->least * (1 - rounding) / (ratio + doubt),
           most = fmax(fabs(w->low), fabs(w->high)) * (1 + rounding) / (ratio - doubt);
    if (least > s->least) s->least = least;
    if (most < s->most) s->most = most;
}

/* Word k as the filter, where fewer of its entries can be reached. */
static void weigh(const reading *r, size_t k, search *s)
{
    const code_word *w = &r->p->word[k];
    double doubt, ratio = ratio_of(r, k, &doubt), far = s->most * (fabs(ratio) + doubt);
    size_t from = first_from(r->p, w, -far), to = first_from(r->p, w, far);
    if (s->filter && to - from >= s->to - s->from) return;
    *s = (search){s->least, s->most, ratio, doubt, w, from, to, 0};
}

static search search_states(const reading *r)
{
    const code_word *a = &r->p->word[r->anchor];
    search s = {.most = fmax(fabs(a->low), fabs(a->high)) * (1 + rounding)};
    for (size_t k = 0; k < r->p->words; k++)
        if (k != r->anchor && is_clear(r, k)) narrow(r, k, &s);
    for (size_t k = 0; k < r->p->words; k++)
        if (k != r->anchor && is_clear(r, k)) weigh(r, k, &s);
    return s;
}

/* The next state from e on, or all of the anchor's. */
static size_t next_state(const reading *r, search *s, size_t e)
{
    const code *p = r->p;
    const code_word *a = &p->word[r->anchor];
    const double *sum = p->sum + s->filter->table;
    /* the anchor's sums, so many times the filter's */
    double near = (1 - rounding) / (fabs(s->ratio) + s->doubt),
           far = (1 + rounding) / (fabs(s->ratio) - s->doubt);
    while (e >= s->end && s->from < s->to) {
        double t = s->ratio > 0 ? sum[s->from++] : -sum[--s->to];
        double low = (t > 0 ? near : far) * t, high = (t > 0 ? far : near) * t;
        if (t == 0 || is_empty(p, a, low, high)) continue;
        if (fmax(-low, high) < s->least || fmin(fabs(low), fabs(high)) > s->most) continue;
        size_t begin = first_from(p, a, low);
        s->end = p->sum[a->table + begin] < high ? first_from(p, a, high) : begin;
        if (begin > e) e = begin;
    }
    return e < s->end ? e : a->entries;
}

/* Words in the order in which they tell a wrong guess: few states are near 0, so that small slopes come first; those that are 0
 * fit all guesses. */
static void order_words(reading *r)
{
    size_t words = r->p->words, front = 0, back = words;
    double size[CODE_WORDS];
    uint16_t word[CODE_WORDS], rank[CODE_WORDS];
    for (size_t k = 0; k < words; k++) { /* no branch depends on a number, here and below */
        size[front] = fabs(r->slope[k]);
        size_t some = size[front] > strict * r->floor;
        word[front] = r->order[back - 1] = (uint16_t)k;
        front += some;
        back -= !some;
    }
    for (size_t k = 0; k < front; k++) {
        uint16_t before = 0;
        for (size_t e = 0; e < k; e++) {
            uint16_t more = size[e] > size[k];
            rank[e] = (uint16_t)(rank[e] + more);
            before = (uint16_t)(before + 1 - more);
        }
        rank[k] = before;
    }
    for (size_t k = 0; k < front; k++) r->order[rank[k]] = word[k];
}

/* Could any gradient that the words lead to be sure of its check? Along that it has at most twice of what it has along words, for
 * weights are in [1, 2); and in a word at most its slope, and twice what is taken away in it. */
static int can_be_sure(const reading *r, size_t axes, const recovered *out)
{
    static const double errors = 20, slack = 1.01;
    const code_word *a = &r->p->word[r->anchor];
    double unit = fabs(r->slope[r->anchor]) / a->least, size = 0;
    for (size_t k = 0; k < r->p->words; k++)
        size +=
            fabs(r->slope[k]) + errors * error_of(r, r->slope[k]) + 2 * unit * r->p->word[k].below;
    for (size_t k = 0; k < axes; k++) size += fabs(out->slope[k]);
    return strict * r->floor * sqrt(3) <= sure * 2 * slack * size;
}

/* The next state from e on of an anchor with few of them that the word which tells the most has one for, too. */
static size_t next_of_few(const reading *r, size_t e)
{
    const code *p = r->p;
    const code_word *a = &p->word[r->anchor];
    size_t other = r->order[r->order[0] == r->anchor];
    double doubt, ratio = ratio_of(r, other, &doubt);
    const double *u = p->sum + a->table;
    while (e < a->entries && is_far(p, &p->word[other], ratio * u[e], doubt * fabs(u[e]))) e++;
    return e;
}

/* The first state of the anchor that all words agree with, and the check. */
static int find_state(reading *r, size_t axes, recovered *out)
{
    size_t states = r->p->word[r->anchor].entries;
    int alone = r->clear == 1 /* no other word tells the unit */, many = states > CODE_ANCHOR;
    search s = {0};
    if (!alone && many) s = search_states(r);
    for (size_t e = 0; e < states; e++) {
        if (!alone) e = many ? next_state(r, &s, e) : next_of_few(r, e);
        if (e < states && try_state(r, e, axes, 1, out) && foretold(r, out, 0)) return 1;
    }
    return 0;
}

int code_read(const code *p, double f, double radius, const double *difference, recovered *out)
{
    reading r; /* as much of the arrays as there are words */
    r.p = p;
    r.floor = roundings * DBL_EPSILON * fabs(f) / radius;
    r.anchor = r.clear = 0;
    read_slopes_of(&r, radius, difference, out);
    size_t axes = out->count;
    out->whole = r.check;
    out->floor = r.floor;
    out->offset = 0;
    if (p->span) return read_span(&r, out);
    if (p->near) {
        read_near(&r, radius, difference, out);
        return 0;
    }
    for (size_t k = 0; k < p->words; k++) r.clear += (size_t)is_clear(&r, k);
    if (r.clear == 0) return foretold(&r, out, 0);
    r.anchor = p->rising[find_anchor(&r, 0)];
    if (p->word[r.anchor].entries > GUESSED && r.clear == 1)
        return 0; /* few entries: splitting is as good */
    order_words(&r);
    if (can_be_sure(&r, axes, out) && find_state(&r, axes, out)) return 1;
    guess(&r, axes, out);
    return 0;
}
