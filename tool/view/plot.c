/* zoprox plot: curves of traces, run stores and histories, on the terminal or as a picture by gnuplot.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "view/series.h"

extern char **environ;

enum { COLUMNS = 79, ROWS = 17 };

static int columns(void)
{
    struct winsize w;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 20 ? w.ws_col - 1 : COLUMNS;
}

/* ---- gnuplot ---------------------------------------------------------------------------------------------- */

static const char *terminal_of(const char *path)
{
    static const char *const kinds[][2] = {
        {".svg", "svg size 800,480 dynamic background rgb 'white' font 'DejaVu Sans,13'"},
        {".png", "pngcairo size 1000,600 font 'DejaVu Sans,12'"},
        {".pdf", "pdfcairo size 8in,4.8in font 'DejaVu Sans,11'"}};
    size_t size = strlen(path);
    for (size_t k = 0; k < 3; k++)
        if (size > 4 && !strcmp(path + size - 4, kinds[k][0])) return kinds[k][1];
    return NULL;
}

/* A text between single quotes as gnuplot reads it: a quote is doubled, and nothing else means anything. */
static void put_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'') fputc('\'', out);
        if ((unsigned char)*text >= ' ') fputc(*text, out);
    }
    fputc('\'', out);
}

static void write_script(FILE *out, const picture *p, const char *path)
{
    fprintf(out, "set terminal %s\nset output ", terminal_of(path));
    put_quoted(out, path);
    fprintf(out, "\nset xlabel '%s'\nset ylabel '%s' noenhanced\nset grid lc rgb '#dddddd'\n", p->x,
            p->y);
    fprintf(out, "set key outside below noenhanced\n");
    if (p->logarithmic) fprintf(out, "set logscale y\nset format y '10^{%%L}'\n");
    for (size_t k = 0; k < p->count; k++) {
        fprintf(out, "$d%zu << EOD\n", k);
        for (size_t a = 0; a < p->line[k].count; a++)
            fprintf(out, "%.9g %.9g\n", p->line[k].x[a], p->line[k].y[a]);
        fprintf(out, "EOD\n");
    }
    for (size_t k = 0; k < p->count; k++) {
        fprintf(out, "%s$d%zu using 1:2 with lines lw 2 title ", k ? ", " : "plot ", k);
        put_quoted(out, p->line[k].name);
    }
    fprintf(out, "\n");
}

static int run_gnuplot(FILE *script)
{
    char name[64], *argv[] = {"gnuplot", name, NULL};
    pid_t pid;
    int status = -1;
    snprintf(name, sizeof name, "/dev/fd/%d", fileno(script));
    int error = posix_spawnp(&pid, "gnuplot", NULL, NULL, argv, environ);
    if (error)
        return complain(FAILED, "plot: gnuplot: %s%s", strerror(error),
                        error == ENOENT ? " (Debian: gnuplot-nox); without -o the terminal shows it"
                                        : "");
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status ? complain(FAILED, "plot: gnuplot failed") : DONE;
}

static int draw_picture(const picture *p, const char *path)
{
    FILE *script = tmpfile();
    if (!script) return complain(FAILED, "plot: %s", strerror(errno));
    write_script(script, p, path);
    int code = fflush(script) || fseek(script, 0, SEEK_SET)
                   ? complain(FAILED, "plot: %s", strerror(errno))
                   : run_gnuplot(script);
    fclose(script);
    return code;
}

/* ---- the command ------------------------------------------------------------------------------------------ */

int command_plot(int argc, char **argv)
{
    request r;
    picture p = {0};
    int code = request_parse(&r, argc, argv);
    if (!code && !r.nwords)
        code = complain(REFUSED,
                        "plot needs a trace, a run store or a history; see 'zoprox plot --help'");
    if (!code && r.out && !terminal_of(r.out))
        code = complain(REFUSED, "--out: '%s' should end in .svg, .png or .pdf", r.out);
    if (!code && r.out) code = file_check(r.out, "out");
    for (size_t k = 0; k < r.nwords && !code; k++) code = picture_add(&p, r.words[k], &r);
    if (!code) picture_settle(&p);
    if (!code && r.out)
        code = draw_picture(&p, r.out);
    else if (!code)
        draw_braille(&p, stdout, columns(), ROWS, isatty(STDOUT_FILENO));
    picture_free(&p);
    return code;
}
