/* How far a run has come: a line on a terminal's standard error, and lines of JSON for programs that watch.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "core/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOON 10.0      /* seconds in which a file gets ten lines each; then one */
#define AT_HAND 0.5    /* seconds after which the question at hand is worth a word */
enum { UNKNOWN = -1 }; /* no file */

/* ---- a line of text --------------------------------------------------------------------------------- */

static void add(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add(char *text, size_t size, const char *format, ...)
{
    size_t at = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + at, size - at, format, list);
    va_end(list);
}

static void add_time(char *text, size_t size, double seconds)
{
    unsigned long s = (unsigned long)fmin(seconds + 0.5, 1e9);
    if (s >= 3600)
        add(text, size, "  %lu:%02lu:%02lu left", s / 3600, s / 60 % 60, s % 60);
    else
        add(text, size, "  %lu:%02lu left", s / 60, s % 60);
}

static int columns(void)
{
    struct winsize w;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 1 ? w.ws_col - 1 : 79;
}

/* What matters most stands first: a narrow terminal cuts the rest off. */
static void line_of(const progress *p, const zo_progress *now, int at_hand, char *text, size_t size)
{
    *text = 0;
    if (isfinite(p->control->max_units))
        add(text, size, "%.4g of %.4g units", now->units, p->control->max_units);
    else
        add(text, size, "%.4g units", now->units);
    if (p->control->max_queries < UINT64_MAX)
        add(text, size, "  %llu of %llu queries", (unsigned long long)now->queries,
            (unsigned long long)p->control->max_queries);
    if (!isnan(now->left)) add_time(text, size, now->left);
    if (!isnan(now->objective)) add(text, size, "  F %.9g", now->objective);
    if (at_hand && now->asked)
        add(text, size, "  answers %llu of %llu", (unsigned long long)now->answered,
            (unsigned long long)now->asked);
    if (now->workers && at_hand) add(text, size, "  busy %d of %d", now->busy, now->workers);
    if (now->failures) add(text, size, "  failures %llu", (unsigned long long)now->failures);
    if (!isnan(now->gap)) add(text, size, "  gap %.2e", now->gap);
    if (!isnan(now->residual)) add(text, size, "  residual %.2e", now->residual);
}

static void draw(progress *p, const zo_progress *now)
{
    char text[320];
    double clock = clock_seconds();
    if (now->queries + now->watched != p->queries) {
        p->queries = now->queries + now->watched;
        p->since = clock;
    }
    line_of(p, now, clock - p->since >= AT_HAND, text, sizeof text);
    fprintf(stderr, "\r%.*s\033[K", columns(), text);
    fflush(stderr);
    p->drawn = 1;
}

/* ---- lines of JSON ------------------------------------------------------------------------------------ */

/* A reader that is slow loses lines, and one that is gone ends nothing: the run is what matters. */
static void send(progress *p, json_t *line)
{
    char *text = line ? json_dumps(line, JSON_COMPACT | JSON_PRESERVE_ORDER) : NULL;
    size_t size = text ? strlen(text) : 0;
    json_decref(line);
    if (!text) return;
    text[size] = '\n'; /* where the 0 was: all of it in one write */
    ssize_t wrote = write(p->fd, text, size + 1);
    if (wrote < 0 && errno != EAGAIN && errno != EINTR) {
        p->error = errno;
        close(p->fd);
        p->fd = UNKNOWN;
    }
    free(text);
}

static json_t *json_of(const char *event, const zo_progress *now)
{
    return json_pack(
        "{s:s, s:o, s:I, s:I, s:I, s:o, s:I, s:I, s:i, s:i, s:I, s:I, s:o, s:o, s:o, s:o, s:o, "
        "s:o}",
        "event", event, "seconds", json_number(now->seconds), "step", (json_int_t)now->step,
        "queries", (json_int_t)now->queries, "watched", (json_int_t)now->watched, "units",
        json_number(now->units), "asked", (json_int_t)now->asked, "answered",
        (json_int_t)now->answered, "workers", now->workers, "busy", now->busy, "retried",
        (json_int_t)now->retried, "failures", (json_int_t)now->failures, "objective",
        json_number(now->objective), "best_objective", json_number(now->best_objective), "gap",
        json_number(now->gap), "residual", json_number(now->residual), "share",
        json_number(now->share), "left", json_number(now->left));
}

static void write_line(progress *p, const zo_progress *now)
{
    double clock = clock_seconds();
    if (clock - p->begun > SOON && clock - p->written < 1) return;
    p->written = clock;
    send(p, json_of("progress", now));
}

static int open_lines(progress *p, const char *path)
{
    struct stat st;
    int own = !strcmp(path, "-");
    p->fd = own ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
                : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (p->fd < 0) return complain(FAILED, "progress: cannot open '%s': %s", path, strerror(errno));
    if (!own && !fstat(p->fd, &st) && !S_ISREG(st.st_mode))
        fcntl(p->fd, F_SETFL, fcntl(p->fd, F_GETFL) | O_NONBLOCK);
    return DONE;
}

/* ---- both --------------------------------------------------------------------------------------------- */

int progress_begin(progress *p, const request *r, const zo_control *control)
{
    int lines = r->progress && ranks_me() == 0;
    *p = (progress){.shown =
                        isatty(STDERR_FILENO) && !r->quiet && !(lines && !strcmp(r->progress, "-")),
                    .control = control,
                    .fd = UNKNOWN};
    p->begun = p->since = clock_seconds();
    p->written = -INFINITY;
    return lines ? open_lines(p, r->progress) : DONE;
}

void progress_show(void *ctx, const zo_progress *now)
{
    progress *p = ctx;
    p->last = *now;
    if (p->shown) draw(p, now);
    if (p->fd >= 0) write_line(p, now);
}

void progress_end(progress *p, const zo_report *report)
{
    if (p->drawn) fputs("\r\033[K", stderr);
    p->shown = p->drawn = 0;
    if (p->error)
        fprintf(stderr, "zoprox: progress: not all was written: %s\n", strerror(p->error));
    if (p->fd < 0) return;
    zo_progress *last = &p->last;
    *last = (zo_progress){.step = report->steps,
                          .queries = report->queries,
                          .watched = report->watched,
                          .workers = last->workers,
                          .retried = report->retried,
                          .failures = report->failures,
                          .units = report->units,
                          .seconds = report->seconds,
                          .objective = report->objective,
                          .best_objective = report->best_objective,
                          .gap = report->gap,
                          .residual = report->residual,
                          .share = last->share,
                          .left = 0};
    json_t *line = json_of("end", last);
    if (line) json_object_set_new(line, "reason", json_string(zo_reason_name(report->reason)));
    send(p, line);
    if (p->fd >= 0) close(p->fd);
    p->fd = UNKNOWN;
}
