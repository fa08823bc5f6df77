/* What earlier gradients showed: which coordinates take few values, and which of these exclude each other.
 * SPDX-License-Identifier: MIT
 *
 * A gradient with the ridge taken out is s times a row of something: of data, of a design, of a graph. In units of the
 * row, s = 1, many columns take one or a few values only (1 where a category applies, 0 elsewhere), and many exclude
 * each other (the categories of one question). Columns that never met in the rows seen form a group: one of its columns
 * is not 0, or none, so that a group has 1 + sum of counts states instead of their product. */
#ifndef ZO_RECOVER_BOOK_H
#define ZO_RECOVER_BOOK_H

#include <stddef.h>
#include <stdint.h>

enum {
    BOOK_VALUES = 4,       /* of a column that has few */
    BOOK_ROWS = 4096,      /* that are learnt from, at most */
    BOOK_HELD = 5464,      /* that are held: a third more, of which every fourth is left out */
    BOOK_ENOUGH = 5472,    /* of so many, and the first that are held, the others have no say */
    BOOK_GROUPS = 512,     /* at most; columns that fit in none may have any value */
    BOOK_ENTRIES = 1 << 17 /* numbers that are not 0 in all these rows, at most */
};

/* All of it numbers, so that it can be state. */
typedef struct book {
    size_t d;
    double *often; /* d: rows in which it was not 0 */
    /* d: 1 + its group, where it has few values; 0: never seen; -1: it may have any value */
    double *group;
    double *count; /* d: values other than 0 */
    double *value; /* d x BOOK_VALUES, in units of the row */
    double *rows;  /* 2: rows learnt from, and of these with a unit */
} book;

typedef struct book_room book_room;
/* For n rows at most. NULL: out of memory. */
book_room *book_room_new(size_t n, size_t d);
size_t book_bytes(size_t n, size_t d); /* that it takes */
void book_room_free(book_room *room);

/* Row k as a list: at most d places and numbers; returns how many. */
typedef size_t (*book_row)(const void *ctx, size_t k, uint32_t *place, double *value);

/* The same rows, those that there is room for read once: a book_row with the room as its ctx, after book_hold. */
void book_hold(book_room *room, book_row row, const void *ctx);
size_t book_held(const void *room, size_t k, uint32_t *place, double *value);

/* After book_hold: of count rows, and there were BOOK_ENOUGH at least the last time, are all that were read then what they were? */
int book_still(book_room *room, size_t count);

/* Learns from count rows (of which BOOK_ROWS or fewer are looked at), forgetting what was known. Returns the mean number of
 * entries of a row. */
double book_learn(book *b, book_room *room, size_t count, book_row row, const void *ctx);
/* From the rows that are held. */
void book_learn_held(book *b, book_room *room, size_t count);
/* Entries of row k that the book does not foresee: of columns never seen, of other values, of groups that have one. */
size_t book_surprises(const book *b, book_room *room, book_row row, const void *ctx, size_t k);

/* The unit of a row: the number that occurs most often among its entries, the largest of these; 0: there is none. */
double book_unit(size_t count, const double *value, double *work);

#endif
