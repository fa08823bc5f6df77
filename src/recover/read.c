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
    size_t clear; /* words whose slope tells the unit */
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

/* The entry of word w next to v, if it is within tol; else w's entries. */
static size_t look_up(const code *p, const code_word *w, double v, double tol)
{
    const double *sum = p->sum + w->table;
    size_t low = 0, high = w->entries;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (sum[mid] < v)
            low = mid + 1;
        else
            high = mid;
    }
    if (low == w->entries || (low > 0 && v - sum[low - 1] < sum[low] - v)) low--;
    return fabs(sum[low] - v) <= tol ? low : w->entries;
}

/* How many words have a state at their slope over the unit s, which the anchor's sum v gives; all: 0 where one has
 * none. */
static size_t agreeing(reading *r, double s, double v, int all)
{
    const code *p = r->p;
    double doubt = error_of(r, r->slope[r->anchor]) / fabs(v);
    size_t agree = 0;
    for (size_t k = 0; k < p->words; k++) {
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

/* Adds what word k contributes in its state. */
static void spell(const reading *r, size_t k, double s, recovered *out)
{
    const code *p = r->p;
    const code_word *w = &p->word[k];
    if (r->entry[k] == w->entries) return; /* not known */
    uint32_t state = p->which[w->table + r->entry[k]];
    for (size_t g = w->group; g < w->group + w->groups; g++) {
        uint32_t states = p->begin[g + 1] - p->begin[g], at = p->begin[g] + state;
        if (state < states) { /* as most are: 0, a group that is empty */
            state = 0;
        } else {
            at = p->begin[g] + state % states;
            state /= states;
        }
        if (p->column[at] == p->d) continue;
        out->place[out->count] = p->column[at];
        out->slope[out->count++] = s * p->value[at];
    }
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

/* The word with the fewest states, more than those of word before, of those that say something; or none. */
static size_t find_anchor(const reading *r, size_t before)
{
    const code_word *w = r->p->word;
    size_t best = r->p->words;
    for (size_t k = 0; k < r->p->words; k++) {
        if (!is_clear(r, k)) continue;
        if (before < r->p->words && (w[k].entries < w[before].entries ||
                                     (w[k].entries == w[before].entries && k <= before)))
            continue;
        if (best == r->p->words || w[k].entries < w[best].entries) best = k;
    }
    return best;
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
        if (fabs(y) <= strict * r->floor) continue;
        out->place[out->count] = p->axis[k];
        out->slope[out->count++] = y;
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
    for (size_t k = 0; k < p->words; k++) spell(r, k, s, out);
    return agree;
}

/* The unit on which most words agree, two beside the anchor at least. */
static void guess(reading *r, size_t axes, recovered *out)
{
    size_t most = 2, anchor = 0, state = 0;
    r->anchor = r->p->words;
    for (size_t k = 0; k < r->p->words; k++) r->clear += (size_t)is_clear(r, k);
    for (int k = 0; k < 2; k++) {
        if ((r->anchor = find_anchor(r, r->anchor)) == r->p->words) break;
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

/* Sums of a word, rising, or falling from their end. */
typedef struct ladder {
    size_t count;
    const double *v;
    int down;
} ladder;

static int is_before(const ladder *l, size_t k, double mark)
{
    return l->down ? l->v[l->count - 1 - k] > mark : l->v[k] < mark;
}

/* The first one from at on that is not before the mark: in steps that double, then by halves, for it is near as a rule. */
static size_t climb(const ladder *l, size_t at, double mark)
{
    size_t low = at, high = at, step = 1;
    for (; high < l->count && is_before(l, high, mark); step *= 2) low = high + 1, high += step;
    if (high > l->count) high = l->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (is_before(l, mid, mark))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* States of the anchor for which a second word has one, too: as the anchor's sum v rises, v times the ratio of both slopes
 * goes one way through the second word's sums. Returns the next such state from e on; *at: where the second stands. */
static size_t next_state(const reading *r, size_t second, size_t e, size_t *at)
{
    const code *p = r->p;
    const code_word *a = &p->word[r->anchor], *b = &p->word[second];
    const double *u = p->sum + a->table, *v = p->sum + b->table;
    double ratio = r->slope[second] / r->slope[r->anchor];
    ladder second_word = {b->entries, v, !(ratio > 0)};
    for (; e < a->entries; e++) {
        double want = ratio * u[e], tol = 2 * strict *
                                          (error_of(r, r->slope[second]) +
                                           fabs(ratio) * error_of(r, r->slope[r->anchor])) *
                                          fabs(u[e] / r->slope[r->anchor]);
        *at = climb(&second_word, *at, second_word.down ? want + tol : want - tol);
        if (*at == b->entries) return a->entries;
        if (fabs(v[ratio > 0 ? *at : b->entries - 1 - *at] - want) <= tol) return e;
    }
    return e;
}

int code_read(const code *p, double f, double radius, const double *difference, recovered *out)
{
    reading r; /* as much of the arrays as there are words */
    r.p = p;
    r.floor = roundings * DBL_EPSILON * fabs(f) / radius;
    r.anchor = r.clear = 0;
    read_slopes_of(&r, radius, difference, out);
    size_t axes = out->count, at = 0;
    out->whole = r.check;
    out->floor = r.floor;
    out->offset = 0;
    if (p->span) return read_span(&r, out);
    if (p->near) {
        read_near(&r, radius, difference, out);
        return 0;
    }
    if ((r.anchor = find_anchor(&r, p->words)) == p->words) return foretold(&r, out, 0);
    size_t second = find_anchor(&r, r.anchor), states = p->word[r.anchor].entries;
    if (second == p->words && states > GUESSED) return 0; /* few entries: splitting is as good */
    for (size_t e = 0; e < states; e++) {
        if (second < p->words) e = next_state(&r, second, e, &at);
        if (e < states && try_state(&r, e, axes, 1, out) && foretold(&r, out, 0)) return 1;
    }
    guess(&r, axes, out);
    return 0;
}
