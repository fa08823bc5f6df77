/* What a method needs that keeps something for every component, where the components are spread over ranks.
 * SPDX-License-Identifier: MIT
 *
 * Such state stays with its components: a rank has that of its own ones only, and is told only their answers (a fan with
 * each = ZO_MINE). What is wanted of all is summed along the fixed tree of base/sum.h, so that the bits are those of one
 * process. In one process there is no zo_together, and nothing here is called. */
#ifndef ZO_TOGETHER_H
#define ZO_TOGETHER_H

#include <stddef.h>
#include <stdint.h>

/* zo_fan.each: one set for each entry, filled in where its component is mine, 0 elsewhere */
enum { ZO_MINE = 2 };

struct zo_together {
    void *ctx;
    int rank;
    size_t first, count;                        /* my components */
    int (*same)(void *ctx, size_t i, size_t k); /* are two components of the same rank? */
    /* Room for sums of m numbers over up to ncomp entries (0: by leaves alone); 0: out of memory. sum and close allocate
     * nothing after it. */
    int (*reserve)(void *ctx, size_t m, size_t ncomp);
    /* Collective: the sum over the entries of comp of rows of m numbers. The row of entry e, if its component is mine, is
     * rows + e*m; comp NULL: all components, and rows begins with my first one. After a failure of the exchange it is 0,
     * and the next question fails. */
    void (*sum)(void *ctx, size_t ncomp, const uint64_t *comp, size_t m, const double *rows,
                double *total);
    /* The same without rows: open, then the leaves of my blocks in rising order, each m zeros to be added to (asked for the
     * same block again: the same leaf), and close, which is collective. work: sum_levels(n) * m numbers. */
    void (*open)(void *ctx, size_t m, double *work);
    double *(*leaf)(void *ctx, uint64_t block);
    /* Where few leaves will come, and all ranks know which: the nodes without any are not sent. */
    void (*expect)(void *ctx, uint64_t block);
    void (*close)(void *ctx, double *total);
    double (*most)(void *ctx, double mine); /* collective: the largest of all ranks' */
    /* Room for rows of so many numbers together, and for marks; 0: out of memory. */
    int (*reserve_rows)(void *ctx, size_t numbers);
    /* Collective: one byte for each component, of which mine holds those of mine. After a failure all are 0. */
    void (*marks)(void *ctx, const unsigned char *mine, unsigned char *all);
    /* Collective: rows of m numbers for each entry of comp, filled in by who has it; then everybody has all. */
    void (*rows)(void *ctx, size_t ncomp, const uint64_t *comp, size_t m, double *rows);
    /* Collective: the numbers from ... from + count - 1 of an array that has width numbers for every component, of which
     * at holds those of mine; count is at most TOGETHER_AT_ONCE. Not 0: the exchange failed. */
    int (*show)(void *ctx, size_t width, const double *at, size_t from, size_t count, double *out);
    /* Something that rank 0 wants to be done by all after the same question: what it wishes now it may hear granted later,
     * as do the others. */
    int (*grant)(void *ctx, int wish);
};

enum { TOGETHER_AT_ONCE = 8192 };

#endif
