/* Data that ranks share: each has its own rows, and together they have what one process reads. Ranks are threads here.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "base/text.h"
#include "data/data.h"
#include "zoprox_spread.h"

enum { MOST = 9 };

typedef struct world {
    int size;
    pthread_barrier_t gate;
    const double *mine[MOST];
    const char *path[MOST]; /* ranks may see different files */
    size_t features;
} world;

typedef struct place {
    world *w;
    int rank;
    zo_data *data;
    zo_error err;
    uint64_t calls; /* a hash of all counts: the ranks must agree on them */
} place;

static int swap(void *ctx, const double *mine, const size_t *count, double *all)
{
    place *p = ctx;
    p->calls = text_hash(p->calls, count, (size_t)p->w->size * sizeof *count);
    p->w->mine[p->rank] = mine;
    pthread_barrier_wait(&p->w->gate);
    for (int r = 0; r < p->w->size; r++) {
        if (count[r]) memcpy(all, p->w->mine[r], count[r] * sizeof *all);
        all += count[r];
    }
    pthread_barrier_wait(&p->w->gate);
    return 0;
}

static void *live(void *ctx)
{
    place *p = ctx;
    zo_ranks ranks = {.rank = p->rank, .size = p->w->size, .ctx = p, .gather = swap};
    zo_data_read_part(&p->data, p->w->path[p->rank], p->w->features, 1, &ranks, &p->err);
    return NULL;
}

static void read_on(world *w, place *places)
{
    pthread_t thread[MOST];
    pthread_barrier_init(&w->gate, NULL, (unsigned)w->size);
    for (int r = 0; r < w->size; r++) {
        places[r] = (place){.w = w, .rank = r, .calls = TEXT_HASH};
        pthread_create(&thread[r], NULL, live, &places[r]);
    }
    for (int r = 0; r < w->size; r++) pthread_join(thread[r], NULL);
    pthread_barrier_destroy(&w->gate);
    for (int r = 0; r < w->size; r++) assert_true(places[r].calls == places[0].calls);
}

/* ---- Files ---------------------------------------------------------------------------------------- */

static char folder[] = "/tmp/zoprox-part-XXXXXX";

static const char *write_file(const char *name, const char *text, size_t size)
{
    static char path[4][128];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    FILE *f = fopen(p, "w");
    assert_int_equal(fwrite(text, 1, size, f), size);
    fclose(f);
    return p;
}

/* Rows with what may stand around them, drawn from counters. */
static char *make_text(size_t n, size_t d, double density, uint64_t seed, size_t *size)
{
    size_t room = n * (d * 24 + 80) + 100, at = 0, k = 0;
    char *text = malloc(room);
    for (size_t i = 0; i < n; i++) {
        double odd = rng_uniform(seed, FOR_SYNTH, 1, k++);
        if (odd < 0.05) at += (size_t)sprintf(text + at, "# a comment 1:2\n");
        if (odd > 0.95) at += (size_t)sprintf(text + at, odd > 0.97 ? " \t\r\n" : "\n \n");
        at += (size_t)sprintf(text + at, "%s%d", odd > 0.5 ? " " : "",
                              1 + (int)(3 * rng_uniform(seed, FOR_SYNTH, 1, k++)));
        for (size_t j = 0; j < d; j++)
            if (rng_uniform(seed, FOR_SYNTH, 1, k++) < density)
                at += (size_t)sprintf(text + at, " %zu:%.4g", j + 1,
                                      rng_uniform(seed, FOR_SYNTH, 1, k++) + 0.1);
        at += (size_t)sprintf(text + at, odd > 0.8 ? " # end\n" : odd > 0.7 ? "\r\n" : "\n");
    }
    if (seed % 2) at--; /* no newline at the end */
    *size = at;
    return text;
}

/* ---- Tests ---------------------------------------------------------------------------------------- */

static void same_rows(const zo_data *part, const zo_data *whole)
{
    size_t f = whole->features;
    assert_memory_equal(part->label, whole->label + part->first, part->n * sizeof *part->label);
    assert_int_equal(part->dense == NULL, whole->dense == NULL);
    if (part->dense) {
        assert_memory_equal(part->dense, whole->dense + part->first * f,
                            part->n * f * sizeof *part->dense);
        return;
    }
    uint64_t from = whole->row[part->first];
    for (size_t i = 0; i <= part->n; i++)
        assert_true(part->row[i] == whole->row[part->first + i] - from);
    assert_int_equal(part->nonzeros, part->row[part->n]);
    assert_memory_equal(part->col, whole->col + from, part->nonzeros * sizeof *part->col);
    assert_memory_equal(part->val, whole->val + from, part->nonzeros * sizeof *part->val);
}

static void check_part(const zo_data *part, const zo_data *whole, int rank, int size)
{
    size_t first, count;
    zo_share(whole->n, rank, size, &first, &count);
    assert_int_equal(data_rows(part), whole->n);
    assert_int_equal(part->n, count);
    assert_int_equal(part->features, whole->features);
    if (size == 1) return;
    assert_int_equal(part->first, first);
    assert_true(part->print == data_print(whole));
    double seen[COUNTED_LABELS];
    assert_int_equal(part->nclasses, data_labels(whole, seen));
    assert_memory_equal(part->classes, seen, part->nclasses * sizeof *seen);
    same_rows(part, whole);
}

/* Plain files by ranges, the same bytes by a stream, and whole sets cut down. */
static void try_all(const char *path, size_t features)
{
    zo_error err;
    zo_data *whole;
    if (zo_data_read(&whole, path, features, &err)) fail_msg("%s", err.text);
    for (int size = 1; size <= MOST; size++) {
        place places[MOST];
        world w = {.size = size, .features = features};
        for (int r = 0; r < size; r++) w.path[r] = path;
        read_on(&w, places);
        for (int r = 0; r < size; r++) {
            if (places[r].err.status) fail_msg("rank %d of %d: %s", r, size, places[r].err.text);
            check_part(places[r].data, whole, r, size);
            zo_data_free(places[r].data);
            zo_data *cut;
            assert_int_equal(zo_data_read(&cut, path, features, &err), ZO_OK);
            assert_int_equal(zo_data_keep(cut, r, size, &err), ZO_OK);
            if (size > 1) check_part(cut, whole, r, size);
            assert_int_equal(zo_data_keep(cut, r, size, &err), ZO_BAD_ARGUMENT);
            zo_data_free(cut);
        }
    }
    zo_data_free(whole);
}

static void parts_make_up_the_whole(void **state)
{
    (void)state;
    const struct {
        size_t n, d;
        double density;
    } shape[] = {{1, 3, 1},      {5, 1, 1},        {127, 4, 0.3}, {129, 7, 0.9},
                 {1000, 5, 0.2}, {2311, 13, 0.55}, {3000, 4, 1}};
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++)
        for (uint64_t seed = 0; seed < 2; seed++) {
            size_t size;
            char command[300],
                *text = make_text(shape[k].n, shape[k].d, shape[k].density, seed, &size);
            const char *path = write_file("rows", text, size);
            try_all(path, k % 2 ? shape[k].d + seed : 0);
            snprintf(command, sizeof command, "gzip -kf %s", path);
            if (system(command) == 0) {
                char packed[160];
                snprintf(packed, sizeof packed, "%s.gz", path);
                try_all(packed, 0);
            }
            free(text);
        }
}

/* Two halves of which each alone would be stored otherwise than the whole. */
static void storage_is_chosen_by_all(void **state)
{
    (void)state;
    enum { ROWS = 600 };
    char *text = malloc(ROWS * 80);
    size_t at = 0;
    for (size_t i = 0; i < ROWS; i++)
        at += (size_t)sprintf(text + at,
                              i < ROWS / 2 ? "1 1:1 2:2\n" : "2 1:1 2:3 3:4 4:5 5:6 6:7\n");
    try_all(write_file("mixed", text, at), 0);
    free(text);
}

/* Every rank says the same, but for the name under which it knows the file. */
static const char *refused(world *w, zo_status status)
{
    static place places[MOST];
    read_on(w, places);
    for (int r = 0; r < w->size; r++) {
        assert_null(places[r].data);
        assert_int_equal(places[r].err.status, status);
        assert_memory_equal(places[r].err.text, places[0].err.text, 8);
    }
    return places[0].err.text;
}

static void faults_name_rank_line_and_cause(void **state)
{
    (void)state;
    enum { LINES = 1000 };
    for (size_t bad = 0; bad < LINES; bad += 111)
        for (int packed = 0; packed < 2; packed++) {
            char *text = malloc(LINES * 20), want[64], path[200], command[300];
            size_t at = 0;
            for (size_t i = 0; i < LINES; i++)
                at += (size_t)sprintf(text + at, i % 7 == 3                  ? "# blank\n"
                                                 : i == bad || i > bad + 300 ? "1 2:x\n"
                                                                             : "1 2:3\n");
            snprintf(path, sizeof path, "%s", write_file("faulty", text, at));
            free(text);
            snprintf(command, sizeof command, "gzip -f %s", path);
            if (packed && system(command)) continue;
            if (packed) strcat(path, ".gz");
            world w = {.size = 4, .path = {path, path, path, path}};
            const char *why = refused(&w, ZO_BAD_INPUT);
            size_t line = bad % 7 == 3 ? bad + 301 : bad;
            while (bad % 7 == 3 && line % 7 == 3) line++;
            snprintf(want, sizeof want, ":%zu:5: value 'x' is not a number", line + 1);
            if (line < LINES && (!strstr(why, want) || strncmp(why, "rank ", 5)))
                fail_msg("%s, not %s", why, want);
        }
}

static void ranks_with_other_files(void **state)
{
    (void)state;
    const char *one = write_file("one", "1 1:1\n2 1:2\n1 1:3\n", 18),
               *two = write_file("two", "1 1:1\n2 1:2\n1 1:4\n", 18),
               *longer = write_file("longer", "1 1:1\n2 1:2\n1 1:3\n1 1:4\n", 24);
    world w = {.size = 3, .path = {one, one, two}};
    const char *why = refused(&w, ZO_BAD_INPUT);
    assert_non_null(strstr(why, "rank 2: "));
    assert_non_null(strstr(why, "not the file that rank "));
    w.path[2] = longer;
    assert_non_null(strstr(refused(&w, ZO_BAD_INPUT), "rank 2: "));
    w.path[2] = "/nowhere/at/all";
    why = refused(&w, ZO_IO);
    assert_non_null(strstr(why, "rank 2: /nowhere/at/all: cannot be opened"));
    w.path[0] = w.path[1] = w.path[2];
    assert_int_equal(strncmp(refused(&w, ZO_IO), "/nowhere", 8),
                     0); /* all say the same: nobody is named */
}

static void nothing_to_read(void **state)
{
    (void)state;
    const char *text[] = {"", "\n\n# nothing\n", "1\n2\n"},
               *want[] = {": empty", ": no data in 3 lines", "no row has a feature"};
    for (size_t k = 0; k < 3; k++) {
        const char *path = write_file("empty", text[k], strlen(text[k]));
        world w = {.size = 3, .path = {path, path, path}};
        const char *why = refused(&w, ZO_BAD_INPUT);
        if (!strstr(why, want[k])) fail_msg("%s", why);
    }
}

static int open_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_make_up_the_whole),
        cmocka_unit_test(storage_is_chosen_by_all),
        cmocka_unit_test(faults_name_rank_line_and_cause),
        cmocka_unit_test(ranks_with_other_files),
        cmocka_unit_test(nothing_to_read),
    };
    return cmocka_run_group_tests(tests, open_folder, remove_folder);
}
