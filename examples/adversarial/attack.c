/* One perturbation that fools a classifier on many images, found from its losses alone.
 * SPDX-License-Identifier: MIT
 *
 *     attack VICTIM IMAGES QUERIES [--save FILE] [--until SHARE] [SETTING=VALUE ...]      (VICTIM: from network.py)
 *
 * x is 14 x 14 numbers; each is added to a square of 2 x 2 pixels. Whatever the image shows is to be taken for a bag:
 *     f_i(x) = log sum_c exp(z_c - z_bag),    z = the network's scores of image i + x,
 * over images that are no bags. psi = 0.005 |x|_1 with |x_j| <= 0.15: faint, and nothing where it is no use.
 * Prints queries, F, and the share of images taken for bags; at the end also of 1000 images it has never seen. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zoprox.h>

enum {
    SIDE = 28,
    PIXELS = SIDE * SIDE,
    SQUARE = 2,
    GRID = SIDE / SQUARE,
    D = GRID * GRID,
    CLASSES = 10,
    MOST = 256,
    FRESH = 1000,
    BAG = 8
};

static const double LIMIT = 0.15, PENALTY = 0.005;

typedef struct victim {
    size_t hidden, images,
        used; /* used: the components; the FRESH images behind them are only looked at */
    double *all, *W, *b, *V, *c, *image;
    double *inner;  /* of each image, before x: the hidden layer's sums */
    double *square; /* what a square of light adds to them */
    double until;   /* stop when so many are fooled */
    zo_solver *solver;
} victim;

static const double *picture(const victim *v, size_t i) { return v->image + i * (1 + PIXELS); }

/* Scores of image i with x added: x enters the first layer's sums linearly. */
static void scores(const victim *v, size_t i, const double *x, double *z)
{
    double inner[MOST];
    memcpy(inner, v->inner + i * v->hidden, v->hidden * sizeof *inner);
    for (size_t j = 0; j < D; j++)
        for (size_t k = 0; k < v->hidden; k++) inner[k] += x[j] * v->square[j * v->hidden + k];
    memcpy(z, v->c, CLASSES * sizeof *z);
    for (size_t k = 0; k < v->hidden; k++)
        for (size_t c = 0; inner[k] > 0 && c < CLASSES; c++)
            z[c] += inner[k] * v->V[k * CLASSES + c];
}

static int value(void *ctx, size_t i, const double *x, double *f)
{
    double z[CLASSES], most = -INFINITY, sum = 0;
    scores(ctx, i, x, z);
    for (size_t c = 0; c < CLASSES; c++) most = fmax(most, z[c]);
    for (size_t c = 0; c < CLASSES; c++) sum += exp(z[c] - most);
    *f = most - z[BAG] + log(sum);
    return 0;
}

static double fooled(const victim *v, size_t from, size_t to, const double *x)
{
    size_t count = 0;
    for (size_t i = from; i < to; i++) {
        double z[CLASSES];
        size_t best = 0;
        scores(v, i, x, z);
        for (size_t c = 1; c < CLASSES; c++) best = z[c] > z[best] ? c : best;
        count += best == BAG;
    }
    return (double)count / (double)(to - from);
}

/* ---- psi = PENALTY |x|_1 within |x_j| <= LIMIT: soft threshold, then cut ------------------------------- */

static double psi_value(const zo_prox *psi, size_t d, const double *x)
{
    double sum = 0;
    for (size_t j = 0; j < d; j++) sum += fabs(x[j]) <= LIMIT ? fabs(x[j]) : INFINITY;
    return psi->a * sum;
}

static double psi_one(const zo_prox *psi, size_t j, double step, double v)
{
    (void)j;
    return copysign(fmin(fmax(fabs(v) - step * psi->a, 0), LIMIT), v);
}

static void psi_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                      double *work)
{
    (void)work;
    for (size_t j = 0; j < d; j++) x[j] = psi_one(psi, j, step, v[j]);
}

/* ---- the run ------------------------------------------------------------------------------------------- */

/* Images that are no bags come first; returns how many. */
static size_t sort_out(victim *v)
{
    size_t kept = 0;
    for (size_t i = 0; i < v->images; i++)
        if ((int)picture(v, i)[0] != BAG)
            memmove(v->image + kept++ * (1 + PIXELS), picture(v, i),
                    (1 + PIXELS) * sizeof *v->image);
    return kept;
}

static int first_layer(victim *v)
{
    size_t hidden = v->hidden;
    v->inner = calloc(v->images * hidden, sizeof *v->inner);
    v->square = calloc(D * hidden, sizeof *v->square);
    if (!v->inner || !v->square) return 1;
    for (size_t p = 0; p < PIXELS; p++)
        for (size_t k = 0; k < hidden; k++)
            v->square[(p / SIDE / SQUARE * GRID + p % SIDE / SQUARE) * hidden + k] +=
                v->W[p * hidden + k];
    for (size_t i = 0; i < v->images; i++) {
        memcpy(v->inner + i * hidden, v->b, hidden * sizeof *v->inner);
        for (size_t p = 0; p < PIXELS; p++)
            for (size_t k = 0; k < hidden; k++)
                v->inner[i * hidden + k] += picture(v, i)[1 + p] * v->W[p * hidden + k];
    }
    return 0;
}

static int read_victim(victim *v, const char *path, size_t used)
{
    double head[2];
    FILE *file = fopen(path, "rb");
    if (!file || fread(head, sizeof *head, 2, file) != 2 || head[0] > MOST) return 1;
    *v = (victim){.hidden = (size_t)head[0], .images = (size_t)head[1], .used = used, .until = 2};
    size_t weights = (PIXELS + 1) * v->hidden + (v->hidden + 1) * CLASSES;
    size_t count = weights + v->images * (1 + PIXELS);
    v->all = malloc(count * sizeof *v->all);
    int whole = v->all && fread(v->all, sizeof *v->all, count, file) == count;
    fclose(file);
    if (!whole) return 1;
    v->W = v->all;
    v->b = v->W + PIXELS * v->hidden;
    v->V = v->b + v->hidden;
    v->c = v->V + v->hidden * CLASSES;
    v->image = v->all + weights;
    if (used + FRESH > sort_out(v)) return 1;
    v->images = used + FRESH;
    return first_layer(v);
}

static int watch(void *ctx, const zo_row *row)
{
    const victim *v = ctx;
    double share = fooled(v, 0, v->used, row->x);
    printf("%8llu  %.5f  %.3f\n", (unsigned long long)row->queries, row->objective, share);
    return share >= v->until;
}

static int save(const char *path, const double *x)
{
    FILE *file = fopen(path, "w");
    if (!file) return 1;
    for (size_t j = 0; j < D; j++) fprintf(file, "%.9g\n", x[j]);
    return fclose(file);
}

int main(int argc, char **argv)
{
    victim v;
    zo_settings s = zo_defaults();
    zo_control c = zo_no_limits();
    zo_report r;
    zo_error e = {.text = ""};
    const char *keep = NULL;
    if (argc < 4 || read_victim(&v, argv[1], strtoul(argv[2], NULL, 10))) {
        fprintf(
            stderr,
            "attack VICTIM IMAGES QUERIES [--save FILE] [--until SHARE] [SETTING=VALUE ...]: no "
            "such victim\n");
        return 2;
    }
    for (int k = 4; k < argc; k++) {
        char *sign = strchr(argv[k], '=');
        if (!strcmp(argv[k], "--save") && k + 1 < argc) {
            keep = argv[++k];
        } else if (!strcmp(argv[k], "--until") && k + 1 < argc) {
            v.until = strtod(argv[++k], NULL);
        } else if (sign) {
            *sign = 0;
            if (zo_set(&s, argv[k], sign + 1, &e)) goto out;
        }
    }
    zo_prox psi = {
        .name = "l1-in-box", .value = psi_value, .apply = psi_apply, .one = psi_one, .a = PENALTY};
    zo_problem p = {.n = v.used, .d = D, .value = value, .ctx = &v, .psi = psi};
    c.max_queries = strtoull(argv[3], NULL, 10);
    c.every = 0.02;
    c.watch = watch;
    c.watch_ctx = &v;
    printf("# queries  F  fooled\n");
    if (zo_new(&v.solver, &p, &s, &e) || zo_start(v.solver, NULL, &e) ||
        zo_run(v.solver, &c, &r, &e))
        goto out;
    printf("# of %d unseen images %.3f are fooled\n", FRESH,
           fooled(&v, v.used, v.used + FRESH, zo_point(v.solver)));
    printf("# %s: %s; %s\n", r.method, zo_reason_name(r.reason), r.chosen);
    if (keep && save(keep, zo_point(v.solver))) fprintf(stderr, "cannot write %s\n", keep);
out:
    if (e.status != ZO_OK) fprintf(stderr, "%s\n", e.text);
    zo_free(v.solver);
    free(v.all);
    free(v.inner);
    free(v.square);
    return e.status != ZO_OK;
}
