/* Times full-pass fans of 16 gaussian directions, and their parts, on demand: the C half of bench/fans.py.
 * SPDX-License-Identifier: MIT
 *
 *     fans PATH FOLDER
 *
 * reads the data set PATH, writes its arrays, the point and the directions to FOLDER (for the other half to compute
 * the same), prints "n d nonzeros dense isa", and then answers lines on standard input with one line of seconds:
 * "fan T" (one fan on T = 1 or 2 threads), "product" and "loss" (its two parts alone, on one thread), "normals" (the
 * directions), "small" (a thousand fans of psvrg: two bases, all axes, a batch of 4), "answers" (the last fan's). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/isa.h"
#include "base/mem.h"
#include "base/rng.h"
#include "problem/loss/kernel.h"
#include "zoprox_data.h"

enum { Q = 16, SMALL = 1000, BATCH = 4, IN_A_ROW = 10 };

typedef struct bench {
    zo_data *data;
    zo_model *model[3]; /* by threads */
    zo_problem problem[3];
    double *x, *w, *dir, out[Q + 1];
    zo_fan fan;
} bench;

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void die(const char *what)
{
    fprintf(stderr, "fans: %s\n", what);
    exit(1);
}

static void save(const char *folder, const char *name, const void *at, size_t size, size_t count)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(at, size, count, f) != count || fclose(f)) die(path);
}

static void save_all(const bench *b, const char *folder)
{
    const zo_data *z = b->data;
    size_t d = b->fan.d;
    if (z->row) {
        save(folder, "row", z->row, sizeof *z->row, z->n + 1);
        save(folder, "col", z->col, sizeof *z->col, z->nonzeros);
        save(folder, "val", z->val, sizeof *z->val, z->nonzeros);
    } else {
        save(folder, "dense", z->dense, sizeof *z->dense, z->n * d);
    }
    save(folder, "target", b->model[1]->target, sizeof(double), z->n);
    save(folder, "x", b->x, sizeof *b->x, d);
    save(folder, "dir", b->dir, sizeof *b->dir, Q * d);
}

static void draw(bench *b, uint64_t step)
{
    for (uint32_t k = 0; k < Q; k++)
        rng_normals(1, FOR_DIRECTION, step, k, b->fan.d, b->dir + k * b->fan.d);
}

static void open_bench(bench *b, const char *path)
{
    zo_error e;
    if (zo_data_read(&b->data, path, 0, &e)) die(e.text);
    for (int t = 1; t <= 2; t++)
        if (zo_model_new(&b->model[t], b->data, ZO_LOGISTIC, 1e-4, t, &b->problem[t], &e))
            die(e.text);
    size_t d = b->problem[1].d;
    b->x = mem_new(d, sizeof *b->x);
    b->w = mem_new(d, sizeof *b->w);
    b->dir = mem_new(Q * d, sizeof *b->dir);
    if (!b->x || !b->w || !b->dir) die("out of memory");
    rng_normals(2, FOR_CHECK, 0, 0, d, b->x);
    for (size_t j = 0; j < d; j++) b->x[j] /= sqrt((double)d);
    b->fan = (zo_fan){.n = b->data->n,
                      .d = d,
                      .nbase = 1,
                      .base = {b->x, b->w},
                      .ndir = Q,
                      .dir = b->dir,
                      .radius = 1e-3,
                      .sides = 1,
                      .ncomp = b->data->n};
    draw(b, 0);
}

static double time_fan(bench *b, int threads)
{
    double start = now();
    if (b->problem[threads].answer(b->problem[threads].ctx, &b->fan, b->out)) die("no answer");
    return now() - start;
}

static void next_piece(const bench *b, piece *p, size_t from)
{
    p->count = b->data->n - from < PIECE ? b->data->n - from : PIECE;
    for (size_t i = 0; i < p->count; i++) {
        p->row[i] = from + i;
        p->y[i] = b->model[1]->target[from + i];
    }
}

/* The products of all rows with the point and the directions, and nothing else. */
static double time_product(bench *b)
{
    kernel *k = b->model[1]->kernel;
    const zo_data *z = b->data;
    group g = {.width = Q, .count = Q, .dir = b->dir};
    double start = now(), *panel = room_for(&k->panel, Q * b->fan.d, sizeof *panel);
    if (!panel) die("out of memory");
    k->table->pack(b->fan.d, b->fan.d, &g, panel);
    g.panel = panel;
    for (size_t from = 0; from < z->n; from += PIECE) {
        next_piece(b, k->piece, from);
        (z->row ? k->table->sparse : k->table->dense)(z, k->piece, 1, b->fan.base, &g);
    }
    return now() - start;
}

/* The losses of as many numbers, of the last piece again and again. */
static double time_loss(bench *b)
{
    kernel *k = b->model[1]->kernel;
    double start = now(), part[GROUP], total = 0;
    for (size_t from = 0; from < b->data->n; from += PIECE) {
        k->piece->count = b->data->n - from < PIECE ? b->data->n - from : PIECE;
        total += k->table->base_sum(ZO_LOGISTIC, k->piece, 0);
        k->table->sums(ZO_LOGISTIC, k->piece, 0, b->fan.radius, part);
    }
    return total > -1 ? now() - start : 0;
}

static double time_small(bench *b)
{
    zo_fan fan = b->fan;
    double *out = malloc(2 * (fan.d + 1) * sizeof *out);
    uint64_t comp[BATCH];
    if (!out) die("out of memory");
    fan.nbase = 2;
    fan.ndir = 0;
    fan.naxis = fan.d;
    fan.comp = comp;
    fan.ncomp = BATCH;
    double start = now();
    for (uint64_t k = 0; k < SMALL; k++) {
        rng_indices(3, FOR_COMPONENT, k, fan.n, BATCH, comp);
        if (b->problem[2].answer(b->problem[2].ctx, &fan, out)) die("no answer");
    }
    double seconds = now() - start;
    free(out);
    return seconds;
}

/* A method asks one fan after the other: so the rate is that of IN_A_ROW of them. */
static double time_row(bench *b, const char *line)
{
    double sum = 0;
    for (int k = 0; k < IN_A_ROW; k++)
        sum += *line == 'f'   ? time_fan(b, line[4] == '2' ? 2 : 1)
               : *line == 'p' ? time_product(b)
                              : time_loss(b);
    return sum / IN_A_ROW;
}

static void answer_line(bench *b, const char *line, uint64_t step)
{
    double start = now();
    if (!strncmp(line, "fan ", 4) || !strncmp(line, "product", 7) || !strncmp(line, "loss", 4)) {
        printf("%.9f\n", time_row(b, line));
    } else if (!strncmp(line, "small", 5)) {
        printf("%.9f\n", time_small(b));
    } else if (!strncmp(line, "normals", 7)) {
        draw(b, step);
        printf("%.9f\n", now() - start);
        draw(b, 0);
    } else {
        for (size_t k = 0; k <= Q; k++) printf("%.17g ", b->out[k]);
        printf("\n");
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static bench b;
    char line[64];
    if (argc != 3) die("usage: fans PATH FOLDER");
    open_bench(&b, argv[1]);
    save_all(&b, argv[2]);
    printf("%zu %zu %zu %d %s\n", b.data->n, b.fan.d, b.data->nonzeros, b.data->dense != NULL,
           isa_name(isa_level()));
    fflush(stdout);
    for (uint64_t step = 0; fgets(line, sizeof line, stdin); step++) answer_line(&b, line, step);
    for (int t = 1; t <= 2; t++) zo_model_free(b.model[t]);
    zo_data_free(b.data);
    mem_free(b.x);
    mem_free(b.w);
    mem_free(b.dir);
    return 0;
}
