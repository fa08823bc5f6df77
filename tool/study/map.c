/* The map: cells of (batch, directions), in each the median gap of zpdvr over that of the best other of the paper's
 * methods, with an interval, and the verdict of a rank test.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "study/map.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/rank.h"
#include "study/theory.h"

static const double FULL_UNITS = 100; /* what a map has where nothing else is said */
static const char BEYOND_THE_GRIDS[] = ", beyond the grids";

/* The values that are at most most, rising, each once. */
static size_t rising(double *v, size_t count, double most)
{
    size_t kept = 0;
    for (size_t k = 0; k < count; k++) {
        double x = fmax(1, floor(fmin(v[k], most)));
        size_t at = kept;
        while (at > 0 && v[at - 1] > x) at--;
        if (at > 0 && v[at - 1] == x) continue;
        memmove(v + at + 1, v + at, (kept - at) * sizeof *v);
        v[at] = x;
        kept++;
    }
    return kept;
}

size_t map_cells(size_t n, size_t d, uint64_t batch[MAP_CELLS], uint64_t directions[MAP_CELLS])
{
    double b[MAP_BATCHES] = {1, 16, 128, 1024, (double)n / 8, (double)n},
           q[MAP_DIRECTIONS] = {1, 10, 50, (double)d / 2, (double)d};
    size_t nb = rising(b, MAP_BATCHES, (double)n), nq = rising(q, MAP_DIRECTIONS, (double)d);
    for (size_t k = 0; k < nb * nq; k++) {
        batch[k] = (uint64_t)b[k / nq];
        directions[k] = (uint64_t)q[k % nq];
    }
    return nb * nq;
}

/* ---- One cell ------------------------------------------------------------------------------------------- */

static double median_at(const line *l, size_t mark)
{
    double gap[MAX_SEEDS];
    memcpy(gap, l->marked[mark], l->seeds * sizeof *gap);
    return median_of(gap, l->seeds);
}

/* Hodges and Lehmann: the median of all ratios a_i/b_j, and the ratios whose ranks bound it with probability 95 %. */
static void interval(cell *c, const line *a, const line *b, size_t mark)
{
    size_t m = a->seeds, n = b->seeds, count = m * n;
    double *v = malloc(count * sizeof *v);
    if (!v) return;
    for (size_t i = 0; i < count; i++) v[i] = a->marked[mark][i / n] / b->marked[mark][i % n];
    median_of(v, count); /* sorts */
    double half = 1.96 * sqrt((double)count * (double)(m + n + 1) / 12);
    double k = floor((double)count / 2 - half);
    size_t at = k < 0 ? 0 : (size_t)k;
    c->low = v[at];
    c->high = v[count - 1 - at];
    free(v);
}

cell map_cell(const panel *p, size_t mark)
{
    cell c = {NAN, NAN, NAN, NULL, NULL, 0, 0};
    const line *own = NULL, *other = NULL;
    for (size_t k = 0; k < p->nlines; k++) {
        const line *l = &p->line[k];
        if (!isfinite(median_at(l, mark))) continue; /* diverged */
        if (!strcmp(l->method, "zpdvr"))
            own = l;
        else if (!other || median_at(l, mark) < median_at(other, mark))
            other = l;
    }
    c.other = other ? other->method : NULL;
    c.best = own && (!other || median_at(own, mark) < median_at(other, mark)) ? "zpdvr" : c.other;
    if (!own || !other) return c;
    c.seeds = own->seeds;
    c.ratio = median_at(own, mark) / median_at(other, mark);
    c.tie = rank_test(own->marked[mark], own->seeds, other->marked[mark], other->seeds) > RANK_TIE;
    interval(&c, own, other, mark);
    return c;
}

/* ---- Tables ----------------------------------------------------------------------------------------------- */

static void print_cell(FILE *out, const cell *c)
{
    if (isnan(c->ratio))
        fprintf(out, c->best ? " %s, zpdvr diverges |" : " - |", c->best);
    else
        fprintf(out, " %s%s %.2g (%.2g..%.2g) |", c->best, c->tie ? " (tie)" : "", c->ratio, c->low,
                c->high);
}

static double index_of(const char *method)
{
    for (int k = 0; k < PAPER_METHODS && method; k++)
        if (!strcmp(paper_methods[k], method)) return k;
    return NAN;
}

/* What the page draws its heat map from; methods as their places among the paper's. */
static void add_facts(facts *f, const panel *p, double units, const cell *c)
{
    const struct {
        const char *name;
        double value;
    } all[] = {{"ratio", c->ratio},         {"from", c->low}, {"to", c->high},
               {"best", index_of(c->best)}, {"tie", c->tie},  {"seeds", (double)c->seeds}};
    char row[64], name[64];
    snprintf(row, sizeof row, "batch %llu, directions %llu", (unsigned long long)p->batch,
             (unsigned long long)p->directions);
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        snprintf(name, sizeof name, "%g units: %s", units, all[k].name);
        fact_add(f, row, name, all[k].value);
    }
}

size_t map_same_set(panel *const *p, size_t count)
{
    size_t k = 1;
    while (k < count && !strcmp(p[k]->name, p[0]->name)) k++;
    return k;
}

/* The batches and directions that occur, rising. */
typedef struct axes {
    double batch[MAP_CELLS], directions[MAP_CELLS];
    size_t high, wide;
} axes;

static axes axes_of(panel *const *p, size_t count)
{
    axes a;
    for (size_t k = 0; k < count && k < MAP_CELLS; k++) {
        a.batch[k] = (double)p[k]->batch;
        a.directions[k] = (double)p[k]->directions;
    }
    if (count > MAP_CELLS) count = MAP_CELLS;
    a.high = rising(a.batch, count, INFINITY);
    a.wide = rising(a.directions, count, INFINITY);
    return a;
}

/* What stands at the k-th place, batch by batch; a cell that was not run knows nothing. */
static cell cell_at(panel *const *p, size_t count, const axes *a, size_t k, size_t mark)
{
    for (size_t m = 0; m < count; m++)
        if ((double)p[m]->batch == a->batch[k / a->wide] &&
            (double)p[m]->directions == a->directions[k % a->wide])
            return map_cell(p[m], mark);
    return (cell){NAN, NAN, NAN, NULL, NULL, 0, 0};
}

void map_title(const panel *p, char *text, size_t size)
{
    snprintf(text, size, "%s%s", p->name, p->beyond ? BEYOND_THE_GRIDS : "");
    size_t used = strlen(text);
    if (p->units != FULL_UNITS && used < size)
        snprintf(text + used, size - used, ", to %g units", p->units);
}

void map_file(const panel *p, char *text, size_t size)
{
    char title[MAP_TITLE];
    size_t at = (size_t)snprintf(text, size, "map-");
    map_title(p, title, sizeof title);
    for (const char *c = title; *c && at + 1 < size; c++) {
        int plain = isalnum((unsigned char)*c) || strchr("._+", *c);
        if (plain || text[at - 1] != '-') text[at++] = plain ? *c : '-';
    }
    text[at] = 0;
}

static void print_mark(FILE *out, panel *const *p, size_t count, double units, size_t mark)
{
    axes a = axes_of(p, count);
    fprintf(out, "| %g units | ", units);
    for (size_t k = 0; k < a.wide; k++) fprintf(out, "directions %g | ", a.directions[k]);
    fprintf(out, "\n|---|");
    for (size_t k = 0; k < a.wide; k++) fprintf(out, "---|");
    for (size_t k = 0; k < a.high * a.wide; k++) {
        if (k % a.wide == 0) fprintf(out, "\n| batch %g |", a.batch[k / a.wide]);
        cell c = cell_at(p, count, &a, k, mark);
        print_cell(out, &c);
    }
    fprintf(out, "\n\n");
}

/* ---- The picture ------------------------------------------------------------------------------------------ */

enum { CELL_WIDE = 104, CELL_HIGH = 44, LEFT = 96, TOP = 64 };

/* Blue where zpdvr is ahead, orange where it is behind, white at 1 and for ties; full at a factor of 8. */
static void colour(const cell *c, char *text, size_t size)
{
    double t = isnan(c->ratio) ? 0 : fmax(-1, fmin(1, log2(c->ratio) / 3)), s = fabs(t);
    int r = (int)(255 - s * (t < 0 ? 200 : 20)), g = (int)(255 - s * (t < 0 ? 110 : 130)),
        b = (int)(255 - s * (t < 0 ? 40 : 220));
    if (isnan(c->ratio)) r = g = b = 225;
    snprintf(text, size, "#%02x%02x%02x", r, g, b);
}

static void draw_cell(FILE *out, const cell *c, size_t x, size_t y)
{
    char fill[16], ratio[24];
    colour(c, fill, sizeof fill);
    if (isnan(c->ratio))
        snprintf(ratio, sizeof ratio, "%s", c->best ? "zpdvr diverges" : "not run");
    else
        snprintf(ratio, sizeof ratio, "%.2g", c->ratio);
    fprintf(out,
            "<rect x='%zu' y='%zu' width='%d' height='%d' fill='%s' stroke='#999'/>"
            "<text x='%zu' y='%zu' text-anchor='middle'>%s%s</text>"
            "<text x='%zu' y='%zu' text-anchor='middle' font-size='11'>%s</text>\n",
            x, y, CELL_WIDE, CELL_HIGH, fill, x + CELL_WIDE / 2, y + 18, c->best ? c->best : "-",
            c->tie ? " =" : "", x + CELL_WIDE / 2, y + 35, ratio);
}

static void draw_mark(FILE *out, panel *const *p, size_t count, double units, size_t mark, size_t y)
{
    axes a = axes_of(p, count);
    fprintf(out, "<text x='%d' y='%zu' font-weight='bold'>%s%s, %g units</text>\n", LEFT, y + 24,
            p[0]->name, p[0]->beyond ? BEYOND_THE_GRIDS : "", units);
    for (size_t k = 0; k < a.wide; k++)
        fprintf(out, "<text x='%zu' y='%zu' text-anchor='middle' fill='#555'>q = %g</text>\n",
                LEFT + k * CELL_WIDE + CELL_WIDE / 2, y + 50, a.directions[k]);
    for (size_t k = 0; k < a.high * a.wide; k++) {
        size_t top = y + TOP + k / a.wide * CELL_HIGH;
        if (k % a.wide == 0)
            fprintf(out, "<text x='%d' y='%zu' text-anchor='end' fill='#555'>B = %g</text>\n",
                    LEFT - 8, top + 26, a.batch[k / a.wide]);
        cell c = cell_at(p, count, &a, k, mark);
        draw_cell(out, &c, LEFT + k % a.wide * CELL_WIDE, top);
    }
}

static int draw(const char *folder, panel *const *p, size_t count, const double *mark,
                const size_t *which, size_t nmarks)
{
    char path[4200], file[MAP_TITLE + 8], *text = NULL;
    axes a = axes_of(p, count);
    size_t high = TOP + a.high * CELL_HIGH + 16, size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return complain(FAILED, "reproduce: out of memory");
    fprintf(
        out,
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %zu %zu' font-family='sans-serif' "
        "font-size='13'>\n<rect width='100%%' height='100%%' fill='white'/>\n",
        LEFT + a.wide * CELL_WIDE + 16, high * nmarks);
    for (size_t m = 0; m < nmarks; m++) draw_mark(out, p, count, mark[m], which[m], m * high);
    fprintf(out, "</svg>\n");
    map_file(p[0], file, sizeof file);
    snprintf(path, sizeof path, "%s/%s.svg", folder, file);
    int code = fclose(out) ? complain(FAILED, "reproduce: out of memory") : DONE;
    if (!code && file_replace(path, text, size))
        code = complain(FAILED, "reproduce: '%s': %s", path, strerror(errno));
    free(text);
    return code;
}

size_t map_marks(double units, double mark[MAX_MARKS], size_t which[MAX_MARKS])
{
    double all[MAX_MARKS];
    size_t total = marks_of(units, all), count = 0;
    for (size_t m = 0; m < total; m++)
        if (all[m] == 5 || all[m] == 20 || all[m] == 100 || m + 1 == total)
            mark[count] = all[m], which[count++] = m;
    return count;
}

int map_leave(FILE *out, runs *store, const char *folder, panel *const *p, size_t count)
{
    double mark[MAX_MARKS];
    size_t which[MAX_MARKS], nmarks = map_marks(p[0]->units, mark, which);
    facts f = {0};
    char title[MAP_TITLE], name[MAP_TITLE + 8];
    map_title(p[0], title, sizeof title);
    fprintf(out,
            "### The map of %s\n\nn %zu, d %zu. In each cell who has the least median gap among "
            "%s, %s, %s and %s, and the gap of zpdvr over that of the best other with a 95 %% "
            "interval (%zu report seeds); tie: the rank test has p > %g.\n\n",
            title, p[0]->study.n, p[0]->study.d, paper_methods[0], paper_methods[1],
            paper_methods[2], paper_methods[3], p[0]->line[0].seeds, RANK_TIE);
    if (p[0]->beyond) fprintf(out, BEYOND);
    for (size_t m = 0; m < nmarks; m++) {
        print_mark(out, p, count, mark[m], which[m]);
        for (size_t k = 0; k < count; k++) {
            cell c = map_cell(p[k], which[m]);
            add_facts(&f, p[k], mark[m], &c);
        }
    }
    snprintf(name, sizeof name, "map of %s", title);
    int code = f.failed ? complain(FAILED, "reproduce: out of memory") : DONE;
    if (!code) code = runs_facts_put(store, name, &f);
    free(f.v);
    return code ? code : draw(folder, p, count, mark, which, nmarks);
}
