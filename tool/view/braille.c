/* Curves on a terminal: each letter has two by four dots.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view/series.h"

enum { LEFT = 11 }; /* letters of the scale */

typedef struct canvas {
    int columns, rows;
    unsigned char *dots, *owner; /* of each letter: its dots, and whose they are */
} canvas;

static const unsigned char dot_bits[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};

static void set_dot(canvas *c, int x, int y, unsigned char owner)
{
    if (x < 0 || y < 0 || x >= 2 * c->columns || y >= 4 * c->rows) return;
    size_t at = (size_t)(y / 4 * c->columns + x / 2);
    c->dots[at] |= dot_bits[y % 4][x % 2];
    c->owner[at] = owner;
}

static void draw_line(canvas *c, double x0, double y0, double x1, double y1, unsigned char owner)
{
    int steps = (int)fmax(fabs(x1 - x0), fabs(y1 - y0)) + 1;
    for (int k = 0; k <= steps; k++) {
        double t = (double)k / steps;
        set_dot(c, (int)lround(x0 + t * (x1 - x0)), (int)lround(y0 + t * (y1 - y0)), owner);
    }
}

static double height(const picture *p, double y)
{
    if (!p->logarithmic) return (y - p->low[1]) / (p->high[1] - p->low[1]);
    return log(y / p->low[1]) / log(p->high[1] / p->low[1]);
}

static void draw_all(const picture *p, canvas *c)
{
    for (size_t k = 0; k < p->count; k++) {
        const series *s = &p->line[k];
        double last[2] = {0, 0};
        for (size_t a = 0; a < s->count; a++) {
            double x = (s->x[a] - p->low[0]) / (p->high[0] - p->low[0]) * (2 * c->columns - 1);
            double y = (1 - height(p, s->y[a])) * (4 * c->rows - 1);
            draw_line(c, a ? last[0] : x, a ? last[1] : y, x, y, (unsigned char)(k % 6));
            last[0] = x;
            last[1] = y;
        }
    }
}

static void put_letter(FILE *out, unsigned char dots)
{
    fputc(0xe2, out); /* U+2800 + dots, as UTF-8 */
    fputc(0xa0 | dots >> 6, out);
    fputc(0x80 | (dots & 63), out);
}

static const int colour[6] = {34, 33, 32, 31, 35, 36};

static void print_row(const picture *p, const canvas *c, int r, int colours, FILE *out)
{
    double part = 1 - (double)r / (c->rows > 1 ? c->rows - 1 : 1), y;
    y = p->logarithmic ? p->low[1] * pow(p->high[1] / p->low[1], part)
                       : p->low[1] + part * (p->high[1] - p->low[1]);
    if (r % 4 == 0 || r == c->rows - 1)
        fprintf(out, "%*.3g ", LEFT - 2, y);
    else
        fprintf(out, "%*s", LEFT - 1, "");
    fputs("|", out);
    int now = -1;
    for (int k = 0; k < c->columns; k++) {
        size_t at = (size_t)(r * c->columns + k);
        if (colours && c->dots[at] && c->owner[at] != now)
            fprintf(out, "\033[%dm", colour[now = c->owner[at]]);
        if (c->dots[at])
            put_letter(out, c->dots[at]);
        else
            fputc(' ', out);
    }
    fputs(colours && now >= 0 ? "\033[0m\n" : "\n", out);
}

void draw_braille(const picture *p, FILE *out, int columns, int rows, int colours)
{
    canvas c = {columns - LEFT, rows, NULL, NULL};
    if (c.columns < 10) c.columns = 10;
    c.dots = calloc((size_t)(c.columns * rows), 1);
    c.owner = calloc((size_t)(c.columns * rows), 1);
    if (c.dots && c.owner) {
        draw_all(p, &c);
        for (int r = 0; r < rows; r++) print_row(p, &c, r, colours, out);
        fprintf(out, "%*s%-*.6g%*.6g\n", LEFT, "", c.columns / 2, p->low[0],
                c.columns - c.columns / 2, p->high[0]);
        fprintf(out, "%*s%s over %s%s\n", LEFT, "", p->y, p->x,
                p->logarithmic ? ", logarithmic" : "");
        for (size_t k = 0; k < p->count; k++) {
            const series *s = &p->line[k];
            fprintf(out, "%*s", LEFT, "");
            if (colours) fprintf(out, "\033[%dm", colour[k % 6]);
            fprintf(out, "%s%s", s->name, colours ? "\033[0m" : "");
            if (s->count) fprintf(out, ": %.9g at the end", s->y[s->count - 1]);
            fputc('\n', out);
        }
    }
    free(c.dots);
    free(c.owner);
}
