/* What earlier gradients showed; see book.h.
 * SPDX-License-Identifier: MIT */
#include "recover/book.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "base/vec.h"

static const double same = 1e-5;     /* numbers as near as this, in units of the row, are one */
static const double nothing = 1e-6;  /* of the largest of a row: 0 */
static const double rare = 0.01;     /* of a column's entries: a value of so few is chance */
static const double explained = 0.9; /* of a column's entries by its few values, at least */

typedef struct entry {
    uint32_t row, column;
    double value;
} entry;

struct book_room {
    size_t d, most;  /* coordinates; entries that there is room for */
    entry *all;      /* by row and then by column */
    entry *sorted;   /* the same, by column */
    uint32_t *begin; /* d + 1: of each column among sorted */
    uint32_t *order; /* d: columns, those that occur most often first */
    uint64_t *taken; /* BOOK_GROUPS x BOOK_ROWS/64: rows in which a group is not 0 */
    uint32_t *place; /* d */
    double *number;  /* d */
    double *work;    /* the larger of d and BOOK_ROWS */
    uint64_t *spare; /* 2 BOOK_ROWS */
    size_t
        reached; /* rows that the last book was learnt from, and those without entries between them */
    struct {     /* what book_learn_held has learnt, where more rows would have had no say */
        size_t rows; /* from so many; 0: none */
        double *book;
    } known;
    struct { /* the first rows of what is being read, as they are */
        book_row row;
        const void *ctx;
        size_t rows;
        int full;
        size_t *end; /* BOOK_HELD + 1: of row k, at k + 1 */
        uint32_t *place;
        double *value;
        double *unit;  /* BOOK_HELD: of row k; NaN: nobody has asked */
        size_t last;   /* row that was given last */
        size_t wanted; /* rows before this one were asked for, and no others */
        /* the last time: */
        size_t before; /* so many were held, and are still there, */
        size_t needed; /* and wanted; */
        size_t same;   /* of these, from the first on, so many are now what they were */
    } held;
};

static size_t entries_of(size_t n, size_t d)
{
    size_t rows = n < BOOK_ROWS ? n : BOOK_ROWS;
    return rows < BOOK_ENTRIES / d ? rows * d : BOOK_ENTRIES;
}

/* All arrays of a book. */
static size_t book_numbers(size_t d) { return (3 + BOOK_VALUES) * d + 2; }

size_t book_bytes(size_t n, size_t d)
{
    return entries_of(n, d) * (2 * sizeof(entry) + 12) + d * 24 + BOOK_GROUPS * (BOOK_ROWS / 8) +
           8 * book_numbers(d) + 8 * (d > BOOK_ROWS ? d : BOOK_ROWS) + 16 * BOOK_ROWS +
           16 * (BOOK_HELD + 1);
}

book_room *book_room_new(size_t n, size_t d)
{
    book_room *r = mem_new(1, sizeof *r);
    if (!r) return NULL;
    r->d = d;
    r->most = entries_of(n, d);
    r->all = mem_new(r->most, sizeof *r->all);
    r->sorted = mem_new(r->most, sizeof *r->sorted);
    r->begin = mem_new(d + 1, sizeof *r->begin);
    r->order = mem_new(d, sizeof *r->order);
    r->taken = mem_new(BOOK_GROUPS * (BOOK_ROWS / 64), sizeof *r->taken);
    r->place = mem_new(d, sizeof *r->place);
    r->number = mem_new(d, sizeof *r->number);
    r->work = mem_new(d > BOOK_ROWS ? d : BOOK_ROWS, sizeof *r->work);
    r->spare = mem_new(2 * BOOK_ROWS, sizeof *r->spare);
    r->known.book = mem_new(book_numbers(d), sizeof *r->known.book);
    r->held.unit = mem_new(BOOK_HELD, sizeof *r->held.unit);
    r->held.end = mem_new(BOOK_HELD + 1, sizeof *r->held.end);
    r->held.place = mem_new(r->most, sizeof *r->held.place);
    r->held.value = mem_new(r->most, sizeof *r->held.value);
    if (r->all && r->sorted && r->begin && r->order && r->taken && r->place && r->number &&
        r->work && r->spare && r->known.book && r->held.unit && r->held.end && r->held.place &&
        r->held.value)
        return r;
    book_room_free(r);
    return NULL;
}

void book_room_free(book_room *r)
{
    if (!r) return;
    mem_free(r->all);
    mem_free(r->sorted);
    mem_free(r->begin);
    mem_free(r->order);
    mem_free(r->taken);
    mem_free(r->place);
    mem_free(r->number);
    mem_free(r->work);
    mem_free(r->spare);
    mem_free(r->known.book);
    mem_free(r->held.unit);
    mem_free(r->held.end);
    mem_free(r->held.place);
    mem_free(r->held.value);
    mem_free(r);
}

void book_hold(book_room *r, book_row row, const void *ctx)
{
    r->held.row = row;
    r->held.ctx = ctx;
    r->held.before = r->held.rows;
    r->held.needed = r->held.wanted;
    r->held.rows = r->held.same = r->held.wanted = 0;
    r->held.full = 0;
}

/* Is the next row, in place and number, what it was the last time? */
static int is_same(const book_room *r, size_t count)
{
    size_t k = r->held.rows, at = r->held.end[k];
    return k < r->held.before && r->held.end[k + 1] == at + count &&
           !memcmp(r->place, r->held.place + at, count * sizeof *r->place) &&
           !memcmp(r->number, r->held.value + at, count * sizeof *r->number);
}

/* Reads on until row k is held, or there is no room: a row may have d entries. */
static void hold_until(book_room *r, size_t k)
{
    while (r->held.rows <= k && !r->held.full) {
        size_t row = r->held.rows, at = r->held.end[row];
        r->held.full = at + r->d > r->most || row == BOOK_HELD;
        if (r->held.full) return;
        size_t count = r->held.row(r->held.ctx, row, r->place, r->number);
        if (is_same(r, count)) {
            r->held.same += r->held.same == row;
        } else {
            if (row < r->held.before && r->held.end[row + 1] != at + count) r->held.before = row;
            memcpy(r->held.place + at, r->place, count * sizeof *r->place);
            memcpy(r->held.value + at, r->number, count * sizeof *r->number);
            r->held.unit[row] = NAN;
        }
        r->held.end[++r->held.rows] = at + count;
    }
}

/* Are the first so many rows what they were the last time? */
static int are_same(book_room *r, size_t rows)
{
    if (rows == 0 || rows > r->held.before) return 0;
    hold_until(r, rows - 1);
    return r->held.same >= rows;
}

int book_still(book_room *r, size_t count)
{
    if (count < BOOK_ENOUGH || !are_same(r, r->held.needed)) return 0;
    r->held.wanted = r->held.needed;
    return 1;
}

size_t book_held(const void *room, size_t k, uint32_t *place, double *value)
{
    book_room *r = (book_room *)room;
    hold_until(r, k);
    if (k >= r->held.wanted) r->held.wanted = k + 1;
    if (k >= r->held.rows) return r->held.row(r->held.ctx, k, place, value);
    size_t at = r->held.end[k], count = r->held.end[k + 1] - at;
    r->held.last = k;
    memcpy(place, r->held.place + at, count * sizeof *place);
    memcpy(value, r->held.value + at, count * sizeof *value);
    return count;
}

/* The end of the run of numbers that begins at v[from]. */
static size_t run_end(size_t count, const double *v, size_t from, double near)
{
    size_t to = from + 1;
    while (to < count && v[to] - v[to - 1] <= near) to++;
    return to;
}

static double mean(const double *v, size_t from, size_t to)
{
    double sum = 0;
    for (size_t k = from; k < to; k++) sum += v[k];
    return sum / (double)(to - from);
}

/* How far numbers are apart: where that is near, they are one run in any order, and need not be sorted. */
static double width_of(size_t count, const double *v)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t k = 0; k < count; k++) {
        low = v[k] < low ? v[k] : low;
        high = v[k] > high ? v[k] : high;
    }
    return high - low;
}

double book_unit(size_t count, const double *value, double *work)
{
    size_t most = 0;
    double unit = 0, largest = 0;
    vec_copy(count, value, work);
    for (size_t k = 0; k < count; k++) largest = fabs(work[k]) > largest ? fabs(work[k]) : largest;
    if (width_of(count, work) > same * largest) sort_pairs(count, work, NULL);
    for (size_t from = 0, to; from < count; from = to) {
        to = run_end(count, work, from, same * largest);
        double here = mean(work, from, to);
        if (to - from < most || (to - from == most && fabs(here) < fabs(unit))) continue;
        most = to - from;
        unit = here;
    }
    return most > 1 || count == 1 ? unit : 0;
}

/* Row k without what is next to nothing, in place and number. */
static size_t read_row(book_room *r, book_row row, const void *ctx, size_t k)
{
    r->held.last = SIZE_MAX;
    size_t held = row(ctx, k, r->place, r->number), kept = 0;
    double largest = 0;
    for (size_t e = 0; e < held; e++)
        largest = fabs(r->number[e]) > largest ? fabs(r->number[e]) : largest;
    for (size_t e = 0; e < held; e++) {
        if (fabs(r->number[e]) <= nothing * largest) continue;
        r->place[kept] = r->place[e];
        r->number[kept++] = r->number[e];
    }
    return kept;
}

/* The unit of what read_row has left; a row that is held is read for several purposes, and has one unit. */
static double unit_of(book_room *r, size_t kept)
{
    if (r->held.last >= r->held.rows) return book_unit(kept, r->number, r->work);
    double *unit = &r->held.unit[r->held.last];
    if (isnan(*unit)) *unit = book_unit(kept, r->number, r->work);
    return *unit;
}

/* Entries of all rows in units of their rows; NaN where a row has none. Returns how many. */
static size_t read_rows(book *b, book_room *r, size_t count, book_row row, const void *ctx)
{
    size_t used = 0, rows = 0, united = 0;
    size_t k = 0;
    for (; k < count && rows < BOOK_ROWS; k++) {
        size_t kept = read_row(r, row, ctx, k);
        double unit = unit_of(r, kept);
        if (kept == 0) continue;
        if (used + kept > r->most) break;
        for (size_t e = 0; e < kept; e++)
            r->all[used++] =
                (entry){(uint32_t)rows, r->place[e], unit != 0 ? r->number[e] / unit : NAN};
        rows++;
        united += unit != 0;
    }
    r->reached = k;
    b->rows[0] = (double)rows;
    b->rows[1] = (double)united;
    return used;
}

static void sort_by_column(book_room *r, size_t used)
{
    memset(r->begin, 0, (r->d + 1) * sizeof *r->begin);
    for (size_t k = 0; k < used; k++) r->begin[r->all[k].column + 1]++;
    for (size_t j = 0; j < r->d; j++) r->begin[j + 1] += r->begin[j];
    for (size_t k = 0; k < used; k++) r->sorted[r->begin[r->all[k].column]++] = r->all[k];
    for (size_t j = r->d; j > 0; j--) r->begin[j] = r->begin[j - 1];
    r->begin[0] = 0;
}

/* The few values of column j; or none, and the column may have any. */
static void learn_values(book *b, book_room *r, size_t j)
{
    size_t count = r->begin[j + 1] - r->begin[j], few = 0, covered = 0, known = 0;
    for (size_t k = 0; k < count; k++) {
        double value = r->sorted[r->begin[j] + k].value;
        if (!isnan(value)) r->work[known++] = value;
    }
    if (width_of(known, r->work) > same) sort_numbers(known, r->work, r->spare);
    for (size_t from = 0, to; from < known && few <= BOOK_VALUES; from = to) {
        to = run_end(known, r->work, from, same);
        if ((double)(to - from) < rare * (double)count || (to - from == 1 && count > 8)) continue;
        if (few < BOOK_VALUES) b->value[j * BOOK_VALUES + few] = mean(r->work, from, to);
        few++;
        covered += to - from;
    }
    b->often[j] = (double)count;
    b->group[j] = 0;
    int fits = few <= BOOK_VALUES && (double)covered >= explained * (double)count;
    b->count[j] = fits ? (double)few : 0;
    if (count && !fits) b->group[j] = -1;
}

/* Columns by how often they occur, the most frequent first. */
static void order_columns(const book *b, book_room *r)
{
    for (size_t j = 0; j < b->d; j++) r->number[j] = -b->often[j];
    sort_order(b->d, r->number, r->order);
}

/* Do the rows of column j leave the group alone? Then they are its own from now on. */
static int joins(const book_room *r, uint64_t *taken, size_t j)
{
    for (uint32_t k = r->begin[j]; k < r->begin[j + 1]; k++) {
        uint32_t row = r->sorted[k].row;
        if (taken[row / 64] >> row % 64 & 1) return 0;
    }
    for (uint32_t k = r->begin[j]; k < r->begin[j + 1]; k++)
        taken[r->sorted[k].row / 64] |= (uint64_t)1 << r->sorted[k].row % 64;
    return 1;
}

/* First fit, the most frequent first. */
static void find_groups(book *b, book_room *r)
{
    size_t begun = 0, words = BOOK_ROWS / 64;
    for (size_t k = 0; k < b->d; k++) {
        size_t j = r->order[k], g = 0;
        if (b->count[j] == 0) continue;
        for (; g < BOOK_GROUPS; g++) {
            uint64_t *taken = r->taken + g * words;
            if (g == begun) memset(taken, 0, words * sizeof *taken), begun++;
            if (joins(r, taken, j)) break;
        }
        b->group[j] = g < BOOK_GROUPS ? (double)(g + 1) : -1;
    }
}

size_t book_surprises(const book *b, book_room *r, book_row row, const void *ctx, size_t k)
{
    size_t kept = read_row(r, row, ctx, k), off = 0;
    double unit = unit_of(r, kept);
    if (unit == 0) return kept;
    memset(r->taken, 0, BOOK_GROUPS / 8);
    for (size_t e = 0; e < kept; e++) {
        size_t j = r->place[e], g = (size_t)fmax(b->group[j] - 1, 0), known = b->group[j] < 0;
        for (size_t v = 0; v < (size_t)b->count[j]; v++)
            known |= fabs(b->value[j * BOOK_VALUES + v] - r->number[e] / unit) <= 2 * same;
        int twice = b->group[j] > 0 && r->taken[g / 64] >> g % 64 & 1;
        if (b->group[j] > 0) r->taken[g / 64] |= (uint64_t)1 << g % 64;
        off += !known || twice;
    }
    return off;
}

double book_learn(book *b, book_room *room, size_t count, book_row row, const void *ctx)
{
    size_t used = read_rows(b, room, count, row, ctx);
    sort_by_column(room, used);
    for (size_t j = 0; j < b->d; j++) learn_values(b, room, j);
    order_columns(b, room);
    find_groups(b, room);
    return b->rows[0] > 0 ? (double)used / b->rows[0] : 0;
}

/* The arrays of a book, one behind the other: to numbers, or back. */
static void copy_book(const book *b, double *numbers, int back)
{
    double *part[] = {b->often, b->group, b->count, b->value, b->rows};
    size_t size[] = {b->d, b->d, b->d, BOOK_VALUES * b->d, 2};
    for (size_t k = 0; k < sizeof size / sizeof *size; numbers += size[k++])
        vec_copy(size[k], back ? numbers : part[k], back ? part[k] : numbers);
}

void book_learn_held(book *b, book_room *r, size_t count)
{
    if (r->known.rows <= count && are_same(r, r->known.rows)) {
        copy_book(b, r->known.book, 1);
        return;
    }
    book_learn(b, r, count, book_held, r);
    r->known.rows = r->reached < count ? r->reached : 0;
    copy_book(b, r->known.book, 0);
}
