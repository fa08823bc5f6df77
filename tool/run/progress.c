/* The progress line: on standard error, on a terminal only, at most ten times a second.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "core/tool.h"

#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void progress_begin(progress *p, const request *r, const zo_control *control)
{
    *p = (progress){.shown = isatty(STDERR_FILENO) && !r->quiet, .control = control};
    p->begun = clock_seconds();
    p->last = -INFINITY;
    p->first_units = NAN;
}

/* The sooner of what the budget's units and seconds leave, at the rate so far. */
static double seconds_left(const progress *p, const zo_row *row, double rate)
{
    double by_units = (p->control->max_units - row->units) / rate;
    return fmin(by_units, p->control->max_seconds - row->seconds);
}

static void add_time(char *text, size_t size, double seconds)
{
    size_t at = strlen(text);
    unsigned long s = (unsigned long)(seconds + 0.5);
    if (s >= 3600)
        snprintf(text + at, size - at, "  %lu:%02lu:%02lu left", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(text + at, size - at, "  %lu:%02lu left", s / 60, s % 60);
}

static void add_number(char *text, size_t size, const char *format, double v)
{
    size_t at = strlen(text);
    if (!isnan(v)) snprintf(text + at, size - at, format, v);
}

static int columns(void)
{
    struct winsize w;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 1 ? w.ws_col - 1 : 79;
}

void progress_show(progress *p, const zo_row *row)
{
    double now = clock_seconds();
    if (isnan(p->first_units)) p->first_units = row->units;
    if (!p->shown || now - p->last < 0.1) return;
    p->last = now;
    char text[256];
    double rate = (row->units - p->first_units) / (now - p->begun),
           left = seconds_left(p, row, rate);
    if (isfinite(p->control->max_units))
        snprintf(text, sizeof text, "%.4g of %.4g units", row->units, p->control->max_units);
    else
        snprintf(text, sizeof text, "%.4g units", row->units);
    add_number(text, sizeof text, "  F %.9g", row->objective);
    add_number(text, sizeof text, "  gap %.2e", row->gap);
    add_number(text, sizeof text, "  residual %.2e", row->residual);
    if (rate > 0) add_number(text, sizeof text, "  %.3g units/s", rate);
    if (isfinite(left) && left >= 0) add_time(text, sizeof text, left);
    fprintf(stderr, "\r%.*s\033[K", columns(), text);
    fflush(stderr);
}

void progress_end(progress *p)
{
    if (p->shown && isfinite(p->last)) fputs("\r\033[K", stderr);
    p->shown = 0;
}
