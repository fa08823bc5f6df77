/* Gradients recovered: what earlier ones say, and what that will save; see recovery.h.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/vec.h"
#include "method/core/recovery.h"

enum {
    LEAST_SHORT = 4, /* rows that show that all have few entries, where components are few */
    MOST_OFF = 2,    /* lists that did not pay until it is given up */
    PROMISE = 24     /* rows that are looked at first */
};
static const double saves = 0.8;      /* of the price of a gradient: what costs more does not pay */
static const double shortly = 0.1;    /* of that: entries are few without a doubt */
static const double each_entry = 2.5; /* questions for an entry that is found by splitting */
static const double each_case = 6;    /* and for what surrounds it */

double recovery_limit(const recovery *r) { return saves * (double)(r->m->d + 2); }

/* ---- Words ------------------------------------------------------------------------------------------- */

/* The rows of a list without every fourth, which then tells how well what was learnt foresees. */
typedef struct quarters {
    book_row row;
    const void *ctx;
} quarters;

static size_t three_quarters(const void *ctx, size_t k, uint32_t *place, double *value)
{
    const quarters *q = ctx;
    return q->row(q->ctx, k / 3 * 4 + k % 3, place, value);
}

/* The price of a component by words, as rows that were not learnt from tell it. */
static double price_by_words(recovery *r, size_t count, book_row row, const void *ctx)
{
    quarters q = {row, ctx};
    double seen = 0, failed = 0, extra = 0;
    book_learn(&r->book, r->reading, count / 4 * 3, three_quarters, &q);
    if (r->book.rows[1] < 0.5 * r->book.rows[0] || r->at->sides == 2 || !recovery_goes(r, BY_WORDS))
        return INFINITY;
    double cost = (double)code_price(r->code, &r->book);
    for (size_t k = 3; k < count && k < BOOK_ROWS; k += 4) {
        size_t off = book_surprises(&r->book, r->reading, row, ctx, k);
        seen++;
        failed += off > 0;
        extra += (double)off;
    }
    r->at->expected = seen > 0 ? 1 - failed / seen : 0;
    return seen > 0 ? cost + (failed * each_case + extra * each_entry) / seen : INFINITY;
}

/* ---- Splitting, a basis ------------------------------------------------------------------------------ */

/* In the mean of what the book was learnt from. */
static double entries_a_row(const recovery *r)
{
    double entries = 0;
    for (size_t j = 0; j < r->m->d; j++) entries += r->book.often[j];
    return entries / fmax(*r->book.rows, 1);
}

/* The price of a component by splitting alone. */
double recovery_alone(const recovery *r)
{
    if (!recovery_goes(r, BY_SPLITTING)) return INFINITY;
    return 4 + (double)r->at->sides * (each_case + each_entry * entries_a_row(r));
}

/* f at x, the basis, and the check at two lengths, or to both sides. One whose price is not below limit is not looked for. */
static double price_by_basis(recovery *r, double limit, size_t count, book_row row, const void *ctx)
{
    static const double beside = 3;
    double sides = (double)r->at->sides, most = fmin(recovery_limit(r), (limit - beside) / sides);
    /* within bounds its rows cannot be turned coordinate by coordinate */
    if (r->m->bounds || !recovery_goes(r, BY_BASIS) || !(most >= 1)) return INFINITY;
    size_t some = count < r->room ? count : r->room - 1;
    size_t rank = basis_learn(&r->basis, (size_t)most, some, row, ctx, r->own, r->seat->out.place);
    return rank ? beside + (double)rank * sides : INFINITY;
}

/* What is unusual, along axes or by splitting. Something is usual where half of the rows have it, in a quarter of the columns:
 * an eighth of d entries a row. */
static double price_by_offset(recovery *r, size_t count, book_row row, const void *ctx)
{
    if (r->at->sides == 2 || 8 * entries_a_row(r) < (double)r->m->d || !recovery_goes(r, BY_OFFSET))
        return INFINITY;
    return offset_learn(&r->offset, count, row, ctx, r->seat->out.place, r->seat->out.slope,
                        r->own);
}

/* ---- Which ------------------------------------------------------------------------------------------- */

/* Every coordinate goes up where there is room for the longest question, else down. 1: other ways than before. */
static int turn(recovery *r, const double *x, double radius)
{
    const method *m = r->m;
    const double *hi = m->bounds + m->d;
    int changed = 0;
    for (size_t j = 0; j < m->d; j++) {
        double way = x[j] + 2 * CODE_FAR * radius <= hi[j] ? 1 : -1;
        changed |= way != r->way[j];
        r->way[j] = way;
        r->turned[j] = method_reach(m, x, j, radius);
    }
    if (!changed) return 0;
    code_turn(r->code, r->way);
    splitter_turn(r->splitter, r->way);
    r->code->turned = r->turned;
    return 1;
}

void recovery_make(recovery *r, const double *x, double radius)
{
    if (r->m->bounds && turn(r, x, radius)) r->made = 0;
    if (r->made == r->at->learnt + 1) return;
    r->made = r->at->learnt + 1;
    r->code->lengths = r->at->sides == 2 ? 1 : 2;
    if (r->at->way == BY_WORDS)
        code_make(r->code, &r->book);
    else if (r->at->way == BY_BASIS)
        code_span(r->code, &r->basis);
    else if (r->at->way == BY_OFFSET)
        code_near(r->code, &r->offset);
    else
        code_empty(r->code);
    if (r->at->way == BY_OFFSET)
        splitter_order(r->splitter, r->offset.off, *r->offset.rows, r->offset.usual);
    else
        splitter_order(r->splitter, r->book.often, *r->book.rows, NULL);
    for (size_t k = 0; k < r->room; k++) r->shown[k] = (interval){0, r->m->d}; /* anything */
    for (size_t k = 0; k < code_rows(r->code); k++) code_row(r->code, k, 1, r->row + k * r->m->d);
}

/* Do the first few rows have anything in common, or few entries? The others are on other ranks, too. */
static int promises(recovery *r, size_t count, book_row row, const void *ctx)
{
    book_learn(&r->book, r->reading, count < PROMISE ? count : PROMISE, row, ctx);
    int units = r->at->sides == 1 && 2 * r->book.rows[1] >= r->book.rows[0];
    return (units && (double)code_price(r->code, &r->book) < recovery_limit(r)) ||
           recovery_alone(r) < recovery_limit(r) ||
           price_by_basis(r, recovery_limit(r), count, row, ctx) < recovery_limit(r) ||
           price_by_offset(r, PROMISE, row, ctx) < recovery_limit(r);
}

/* Learns for the way that is the cheapest. */
static void choose(recovery *r, size_t count, book_row row, const void *ctx)
{
    double words = price_by_words(r, count, row, ctx);
    book_learn_held(&r->book, r->reading, count);
    double alone = recovery_alone(r);
    const double price[] = {[BY_SPLITTING] = alone,
                            [BY_WORDS] = words,
                            [BY_BASIS] = price_by_basis(r, fmin(alone, words), count, row, ctx),
                            [BY_OFFSET] = price_by_offset(r, count, row, ctx)};
    r->at->way = BY_WORDS;
    for (uint64_t way = 0; way <= BY_OFFSET; way++)
        if (price[way] < price[r->at->way]) r->at->way = way;
    r->at->price = price[r->at->way];
    if (r->at->way == BY_BASIS) r->at->expected = 1;
}

/* Where components are few beside d the gradients of RECOVERY_ROWS are a large part of all: fewer do that have few entries. */
static int splits_soon(recovery *r, size_t count)
{
    if (count < LEAST_SHORT || !method_few_beside(r->m)) return 0;
    book_learn(&r->book, r->reading, count, book_held, r->reading);
    r->at->way = BY_SPLITTING;
    r->at->price = recovery_alone(r);
    return r->at->price < shortly * recovery_limit(r);
}

/* What is learnt of many rows depends on the first of them alone: where these are what they were, nothing is to be learnt. */
static int knows(const recovery *r, uint64_t sides, size_t count)
{
    const struct recovery_state *at = r->at;
    return at->off < MOST_OFF && at->learnt >= BOOK_ENOUGH && at->learnt == r->last.learnt &&
           at->sides == sides && book_still(r->reading, count);
}

/* The way that was chosen then; it may have been left since. */
static void choose_again(recovery *r)
{
    int made = r->made == r->last.learnt + 1 && r->at->way == r->last.way;
    r->at->way = r->last.way;
    r->at->price = r->last.price;
    r->at->expected = r->last.expected;
    if (!made) r->made = 0;
}

/* Of what the rows are now. */
static void choose_anew(recovery *r, size_t count)
{
    choose(r, count, book_held, r->reading);
    r->last = *r->at;
}

void recovery_learn(recovery *r, uint64_t sides, size_t count, book_row row, const void *ctx)
{
    if (!r->room) return;
    if (r->at->sides != sides) r->at->off = 0, r->basis.rank[1] = 0; /* that was another way */
    book_hold(r->reading, row, ctx);
    int known = knows(r, sides, count);
    r->at->learnt = 0;
    r->at->sides = sides;
    if (!known) r->made = 0;
    if (r->at->off >= MOST_OFF) return;
    if (sides == 2 && r->m->bounds) return; /* there is room on one side */
    if (count < RECOVERY_ROWS) {
        r->at->learnt = splits_soon(r, count) ? count : 0;
        return;
    }
    if (!known && !promises(r, count, book_held, r->reading)) {
        r->at->off = MOST_OFF; /* others are like them */
        return;
    }
    if (known)
        choose_again(r);
    else
        choose_anew(r, count);
    int pays = r->at->price < recovery_limit(r) || r->m->set.recover == ZO_ON;
    r->at->learnt = r->last.learnt = pays ? count : 0;
    if (r->made) r->made = r->at->learnt + 1;
}

int recovery_pays(const recovery *r) { return r->room && r->at->learnt; }

double recovery_price(const recovery *r)
{
    double full = r->m->set.sides * (double)r->m->d + 2;
    return recovery_pays(r) ? fmin(r->at->price, full) : full;
}
