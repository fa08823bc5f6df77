/* A data set that several ranks share: each keeps the rows of its own components.
 * SPDX-License-Identifier: MIT
 *
 * Plain file:  every rank counts the rows that begin in its stretch of bytes (scan.c); with the counts of all it is
 *              known which row is where, so each rank reads the bytes of its own rows, and those only.
 * Otherwise:   rank 0 unpacks, the ranks parse in turn (stream.c).
 *
 * Then they agree on what only the whole set knows: columns, storage, labels and checksum. */
#include "data/part.h"

#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/pool.h"
#include "data/input.h"
#include "data/scan.h"
#include "zoprox_spread.h"

#define LOOKED_AT 268435456.0 /* bytes of other ranks' stretches that a rank compares, about */

/* ---- A plain file ---------------------------------------------------------------------------------- */

static uint64_t stretch(uint64_t size, int rank, int ranks)
{
    uint64_t r = (uint64_t)rank, all = (uint64_t)ranks;
    return size / all * r + size % all * r / all;
}

/* How many stretches a rank looks at: its own, the next one, and more while they are small. */
static size_t stretches(uint64_t size, int ranks)
{
    double part = (double)size / ranks + 1, more = LOOKED_AT / part;
    if (more < 1) more = 1;
    return more < ranks - 1 ? 1 + (size_t)more : (size_t)ranks;
}

enum { ROWS, LINES, PRINTS }; /* what a rank says of its stretches */

static zo_status look(const sharing *s, uint64_t size, size_t count, double *said, zo_error *err)
{
    int me = s->meet.ranks->rank, ranks = s->meet.ranks->size;
    for (size_t k = 0; k < count; k++) {
        int r = (me + (int)k) % ranks;
        scan found;
        zo_status status = scan_range(s->path, stretch(size, r, ranks), stretch(size, r + 1, ranks),
                                      size, 0, NULL, &found, err);
        if (status) return status;
        if (k == 0) {
            said[ROWS] = (double)found.rows;
            said[LINES] = (double)found.lines;
        }
        said[PRINTS + k] = as_number(found.print);
    }
    return ZO_OK;
}

/* Every stretch has been seen by its own rank and some others: the same bytes? */
static zo_status compare(const sharing *s, uint64_t size, size_t count, const double *said,
                         zo_error *err)
{
    int ranks = s->meet.ranks->size;
    size_t width = PRINTS + count;
    for (int r = 0; r < ranks; r++)
        for (size_t k = 1; k < count; k++) {
            int owner = (r + (int)k) % ranks, low = r < owner ? r : owner,
                high = r < owner ? owner : r;
            if (as_bits(said[(size_t)r * width + PRINTS + k]) !=
                as_bits(said[(size_t)owner * width + PRINTS]))
                return fail(err, ZO_BAD_INPUT,
                            "rank %d: %.250s: not the file that rank %d has: they differ between "
                            "bytes %llu "
                            "and %llu",
                            high, s->path, low, (unsigned long long)stretch(size, owner, ranks),
                            (unsigned long long)stretch(size, owner + 1, ranks));
        }
    return ZO_OK;
}

/* Rows and lines in each stretch, in pairs, at counts. */
static zo_status count_rows(sharing *s, uint64_t size, double *counts, zo_error *err)
{
    size_t count = stretches(size, s->meet.ranks->size), width = PRINTS + count;
    const double *said;
    zo_error why = {0};
    double *mine = mem_new(width, sizeof *mine), none = 0;
    if (mine)
        look(s, size, count, mine, &why);
    else
        out_of_memory(&why, "stretches", count);
    zo_status status = meet(&s->meet, &why, mine ? width : 0, mine ? mine : &none, &said, err);
    if (!status) status = compare(s, size, count, said, err);
    for (int r = 0; r < s->meet.ranks->size && !status; r++) {
        memcpy(counts + 2 * r, said + (size_t)r * width, 2 * sizeof *counts);
        s->n += (size_t)counts[2 * r + ROWS];
        s->lines += (size_t)counts[2 * r + LINES];
    }
    mem_free(mine);
    return status;
}

/* The marks that lie in the stretch of rank r: where the rows of the ranks begin. count: NULL, or rows of the
 * stretches. Returns how many, and the rank of the first in *from. */
static size_t marks_of(const sharing *s, const double *counts, int r, int *from, mark *marks)
{
    uint64_t before = 0, end;
    size_t count = 0, first, held;
    for (int k = 0; k < r; k++) before += (uint64_t)counts[2 * k + ROWS];
    end = before + (uint64_t)counts[2 * r + ROWS];
    for (int k = 0; k < s->meet.ranks->size; k++) {
        zo_share(s->n, k, s->meet.ranks->size, &first, &held);
        if (first < before || first >= end) continue;
        if (count == 0) *from = k;
        if (marks) marks[count] = (mark){.row = first - before};
        count++;
    }
    return count;
}

/* Where the rows of this rank are. */
static zo_status find_extent(sharing *s, uint64_t size, const double *counts, extent *out,
                             zo_error *err)
{
    int me = s->meet.ranks->rank, ranks = s->meet.ranks->size, from = 0;
    size_t *want = mem_new((size_t)ranks, sizeof *want),
           held = marks_of(s, counts, me, &from, NULL);
    mark *marks = mem_new(held, sizeof *marks);
    double *mine = mem_new(2 * held, sizeof *mine);
    const double *all;
    zo_error why = {0};
    scan found;
    if (!want || !marks || !mine) {
        out_of_memory(&why, "ranks", (size_t)ranks);
    } else if (held) {
        marks_of(s, counts, me, &from, marks);
        scan_range(s->path, stretch(size, me, ranks), stretch(size, me + 1, ranks), size, held,
                   marks, &found, &why);
    }
    for (size_t k = 0; !why.status && k < held; k++) {
        mine[2 * k] = (double)marks[k].offset;
        mine[2 * k + 1] = (double)marks[k].lines;
        for (int r = 0; r < me; r++) mine[2 * k + 1] += counts[2 * r + LINES];
    }
    for (int r = 0; r < ranks && want; r++) want[r] = 2 * marks_of(s, counts, r, &from, NULL);
    zo_status status = want ? meet_with(&s->meet, &why, want, mine, &all, err)
                            : meet(&s->meet, &why, 0, NULL, &all, err);
    if (!status) { /* every rank's first row is marked, in order; one without rows ends where the next begins */
        size_t last = s->n, first, count;
        zo_share(s->n, me, ranks, &first, &count);
        s->first = first;
        *out = (extent){(uint64_t)all[2 * me], size, (size_t)all[2 * me + 1]};
        if (me == 0) *out = (extent){0, size, 0}; /* with what comes before the first row */
        if (first + count < last) out->to = (uint64_t)all[2 * (me + 1)];
        if (!count) out->to = out->from;
    }
    mem_free(want);
    mem_free(marks);
    mem_free(mine);
    return status;
}

zo_status part_of_file(sharing *s, uint64_t size, zo_error *err)
{
    size_t ranks = (size_t)s->meet.ranks->size;
    const double *all;
    double *counts = mem_new(2 * ranks, sizeof *counts);
    zo_error why = {0};
    extent part;
    if (!counts) out_of_memory(&why, "ranks", ranks);
    zo_status status = meet(&s->meet, &why, 0, NULL, &all, err);
    if (!status) status = count_rows(s, size, counts, err);
    if (!status && s->n == 0) status = data_check_text(s->path, 0, 0, 0, s->lines, err);
    if (!status) status = find_extent(s, size, counts, &part, err);
    mem_free(counts);
    if (status) return status;
    data_read_rows(&s->rows, s->path, &part, s->features, s->threads, 0, &why);
    return meet(&s->meet, &why, 0, NULL, &all, err);
}

/* ---- What only the whole set knows ----------------------------------------------------------------- */

enum { HELD, ENTRIES, WIDEST, SHAPE };

/* Rows that were cut differently than they were counted: somebody writes into the file. */
static zo_status check_held(const sharing *s, zo_error *err)
{
    size_t first, count;
    zo_share(s->n, s->meet.ranks->rank, s->meet.ranks->size, &first, &count);
    if (count == s->rows.n) return ZO_OK;
    return fail(err, ZO_BAD_INPUT,
                "%.300s: changed while it was read: %zu rows where %zu were counted", s->path,
                s->rows.n, count);
}

static zo_status finish_rows(sharing *s, zo_data *data, zo_error *err)
{
    double mine[SHAPE] = {(double)s->rows.n, (double)s->rows.entries, s->rows.widest};
    const double *all;
    size_t entries = 0, widest = 0;
    zo_error why = {0};
    check_held(s, &why);
    zo_status status = meet(&s->meet, &why, SHAPE, mine, &all, err);
    if (status) return status;
    for (int r = 0; r < s->meet.ranks->size; r++, all += SHAPE) {
        entries += (size_t)all[ENTRIES];
        if ((size_t)all[WIDEST] > widest) widest = (size_t)all[WIDEST];
    }
    status = data_check_text(s->path, s->n, s->features, widest, s->lines, err);
    if (status) return status;
    store_finish_part(&s->rows, data, s->features ? s->features : widest, s->n, entries, &why);
    data->whole = s->n;
    data->first = s->first;
    return meet(&s->meet, &why, 0, NULL, &all, err);
}

/* The different labels of all, and the sum of the checksums. */
static zo_status finish_facts(sharing *s, zo_data *data, zo_error *err)
{
    int ranks = s->meet.ranks->size;
    double *classes = mem_new(COUNTED_LABELS, sizeof *classes),
           *seen = mem_new(COUNTED_LABELS, sizeof *seen), mine[2] = {0};
    const double *all;
    size_t *want = mem_new((size_t)ranks, sizeof *want);
    zo_error why = {0};
    if (!classes || !seen || !want) {
        out_of_memory(&why, "labels", COUNTED_LABELS);
    } else {
        mine[0] = (double)data_labels(data, seen);
        mine[1] = as_number(data_print(data));
    }
    zo_status status = meet(&s->meet, &why, 2, mine, &all, err);
    for (int r = 0; r < ranks && !status; r++) {
        want[r] = (size_t)all[2 * r];
        data->print += as_bits(all[2 * r + 1]);
    }
    if (!status) status = meet_with(&s->meet, &why, want, seen, &all, err);
    for (int r = 0; r < ranks && !status; r++)
        for (size_t k = 0; k < want[r]; k++)
            data->nclasses = data_add_label(classes, data->nclasses, *all++);
    data->classes = data->owned[4] = classes;
    mem_free(seen);
    mem_free(want);
    return status;
}

/* ---- The whole ------------------------------------------------------------------------------------- */

enum { PLAIN, SIZE, ANSWER };

/* Plain files must be the same everywhere; of anything else only rank 0's is read. */
static zo_status compare_sources(sharing *s, const double *all, zo_error *err)
{
    for (int r = 1; r < s->meet.ranks->size && all[PLAIN] != 0; r++)
        if (all[r * ANSWER + PLAIN] == 0 || all[r * ANSWER + SIZE] != all[SIZE])
            return fail(err, ZO_BAD_INPUT, "rank %d: %.300s: %.0f bytes%s, and rank 0 has %.0f", r,
                        s->path, all[r * ANSWER + SIZE],
                        all[r * ANSWER + PLAIN] == 0 ? " of something else" : "", all[SIZE]);
    return ZO_OK;
}

static zo_status read_part(sharing *s, zo_data *data, zo_error *err)
{
    input *from = NULL;
    zo_error why = {0};
    double mine[ANSWER] = {0};
    const double *all;
    if (s->features > LARGEST_INDEX)
        fail(&why, ZO_BAD_ARGUMENT, "features: %zu is more than %u", s->features, LARGEST_INDEX);
    else if (s->meet.ranks->rank == 0 || strcmp(s->path, "-"))
        input_open(&from, s->path, &why);
    if (from) {
        mine[SIZE] = (double)input_size(from);
        mine[PLAIN] = mine[SIZE] > 0 && !input_unpacks(from) && strcmp(s->path, "-");
    }
    zo_status status = meet(&s->meet, &why, ANSWER, mine, &all, err);
    if (!status) status = compare_sources(s, all, err);
    int plain = !status && all[PLAIN] != 0;
    if (plain || s->meet.ranks->rank) {
        input_close(from);
        from = NULL;
    }
    if (!status)
        status = plain ? part_of_file(s, (uint64_t)mine[SIZE], err) : part_of_stream(s, &from, err);
    input_close(from);
    if (!status) status = finish_rows(s, data, err);
    return status ? status : finish_facts(s, data, err);
}

zo_status zo_data_read_part(zo_data **out, const char *path, size_t features, int threads,
                            const zo_ranks *ranks, zo_error *err)
{
    if (!out) return fail(err, ZO_BAD_ARGUMENT, "out: NULL");
    *out = NULL;
    if (!path || !ranks) return fail(err, ZO_BAD_ARGUMENT, "%s: NULL", path ? "ranks" : "path");
    if (!threads) threads = pool_cores();
    if (ranks->size == 1) return data_read(out, path, features, threads, 0, err);
    sharing s = {.path = path, .features = features, .threads = threads};
    zo_data *data = mem_new(1, sizeof *data);
    zo_status status = data ? meeting_open(&s.meet, ranks, err) : out_of_memory(err, "data", 1);
    if (!status) status = read_part(&s, data, err);
    store_free(&s.rows);
    meeting_close(&s.meet);
    if (status) {
        zo_data_free(data);
        return status;
    }
    *out = data;
    return succeed(err);
}
