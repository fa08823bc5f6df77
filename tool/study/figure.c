/* The paper's figure by gnuplot: log gap over units, median and quartile band over seeds.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "study/paper.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "study/print.h"

static const char *const colours[] = {"#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7",
                                      "#56b4e9", "#8c6d31", "#555555", "#000000", "#b3b300"};

static const char *const later[] = {"#7f3c8d", "#11a579", "#f2b701", "#e73f74", "#80ba5a"};

/* The same colour for a method in every panel. */
static const char *colour_of(const char *method)
{
    size_t count;
    const char *const *others = paper_others(&count);
    for (size_t k = 0; k < PAPER_METHODS; k++)
        if (!strcmp(paper_methods[k], method)) return colours[k];
    for (size_t k = 0; k < count; k++)
        if (!strcmp(others[k], method)) return colours[PAPER_METHODS + k];
    const zo_method_row *rows = zo_method_rows(&count); /* one that came later */
    for (size_t k = 0; k < count; k++)
        if (!strcmp(rows[k].name, method)) return later[k % (sizeof later / sizeof *later)];
    return "#999999";
}

typedef struct picture {
    const char *name; /* of its files */
    int paper;        /* 1: the paper's methods only, as it shows them */
    panel *const *p;
    size_t count;
} picture;

static int is_shown(const picture *f, const line *l)
{
    if (!f->paper) return 1;
    for (size_t k = 0; k < PAPER_METHODS; k++)
        if (!strcmp(paper_methods[k], l->method)) return 1;
    return 0;
}

/* One block a curve: units, lower quartile, median, upper quartile. */
static void write_data(FILE *out, const picture *f)
{
    panel *const *p = f->p;
    for (size_t k = 0; k < f->count; k++)
        for (size_t m = 0; m < p[k]->nlines; m++) {
            const line *l = &p[k]->line[m];
            fprintf(out, "# %s: %s, %s\n", p[k]->title, l->method, l->label);
            for (size_t i = 0; i < CURVE_POINTS; i++)
                if (!isnan(l->middle[i]))
                    fprintf(out, "%.6g %.6e %.6e %.6e\n", l->units[i], l->low[i], l->middle[i],
                            l->high[i]);
            fprintf(out, "nan nan nan nan\n\n\n");
        }
}

static void write_panels(FILE *out, const picture *f)
{
    panel *const *p = f->p;
    size_t block = 0;
    for (size_t k = 0; k < f->count; k++) {
        int first = 1;
        fprintf(out, "set title \"%s\" noenhanced\nplot", p[k]->title);
        for (size_t m = 0; m < p[k]->nlines; m++) {
            const line *l = &p[k]->line[m];
            if (!is_shown(f, l)) {
                block++;
                continue;
            }
            fprintf(out,
                    "%s 'figure.dat' index %zu using 1:2:4 with filledcurves fs transparent solid "
                    "0.18 noborder "
                    "lc rgb '%s' notitle, '' index %zu using 1:3 with lines lw 2 lc rgb '%s' title "
                    "'%s'",
                    first ? "" : ",", block, colour_of(l->method), block, colour_of(l->method),
                    l->method);
            block++;
            first = 0;
        }
        fprintf(out, first ? " [0:1][0.1:1] NaN notitle\n" : "\n");
    }
}

static void write_script(FILE *out, const picture *f)
{
    size_t count = f->count, columns = count > 1 ? 2 : 1, rows = (count + columns - 1) / columns;
    static const char *const kinds[] = {
        "svg size %g,%g dynamic background rgb 'white' font 'DejaVu Sans,13'",
        "pngcairo size %g,%g font 'DejaVu Sans,11'",
        "pdfcairo size %gin,%gin font 'DejaVu Sans,9'"};
    static const double scale[] = {1, 1, 1 / 90.0};
    static const char *const names[] = {"svg", "png", "pdf"};
    fprintf(out, "set logscale y\nset format y '10^{%%L}'\nset xlabel 'queries / (n d)'\nset "
                 "ylabel 'F(x) - F*'\n"
                 "set grid lc rgb '#dddddd'\nset key outside right top reverse Left\nset datafile "
                 "missing 'nan'\n");
    for (size_t k = 0; k < 3; k++) {
        fprintf(out, "set terminal ");
        fprintf(out, kinds[k], 640 * scale[k] * (double)columns, 400 * scale[k] * (double)rows);
        fprintf(out, "\nset output '%s.%s'\nset multiplot layout %zu,%zu\n", f->name, names[k],
                rows, columns);
        write_panels(out, f);
        fprintf(out, "unset multiplot\nunset output\n");
    }
}

static int write_file(const char *folder, const char *name, void (*write)(FILE *, const picture *),
                      const picture *f)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    if (!out) return complain(FAILED, "figure: '%s': %s", path, strerror(errno));
    write(out, f);
    int bad = ferror(out);
    return fclose(out) || bad ? complain(FAILED, "figure: '%s': %s", path, strerror(errno)) : DONE;
}

/* gnuplot SCRIPT, in the folder. */
static int run_gnuplot(const char *folder, char *script, int quiet)
{
    char *argv[] = {"gnuplot", script, NULL};
    int code = spawn_in(folder, argv, 0);
    if (code == SPAWN_ABSENT && !quiet)
        fprintf(stderr, "zoprox: figure: gnuplot is not here; %s/figure.gp draws it where it is\n",
                folder);
    if (code == SPAWN_ABSENT) return DONE;
    return code ? complain(FAILED, "figure: gnuplot failed on %s/%s", folder, script) : DONE;
}

int figure_draw(const char *folder, panel *const *p, size_t count, int quiet)
{
    const picture pictures[] = {{"figure", 1, p, count}, {"figure-all", 0, p, count}};
    int code = count ? write_file(folder, "figure.dat", write_data, &pictures[1]) : DONE;
    for (size_t k = 0; k < 2 && count && !code; k++) {
        char script[64];
        snprintf(script, sizeof script, "%s.gp", pictures[k].name);
        code = write_file(folder, script, write_script, &pictures[k]);
        if (!code) code = run_gnuplot(folder, script, quiet);
    }
    return code;
}
