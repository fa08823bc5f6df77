/* zoprox watch: a page of a history, as it is or as it grows, for a browser on this machine.
 * SPDX-License-Identifier: MIT
 *
 * A server for one reader on 127.0.0.1: the page, and what was added since the page last asked. It reads the files that the
 * run writes, so the run does not know of it. */
#define _GNU_SOURCE
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "view/beside.h"
#include "view/door.h"
#include "view/watch.h"

extern const char watch_template[]; /* made from watch.html */

#define LAST_LOOK 2.5 /* seconds in which an open page asks again */
enum { REQUEST = 4096, PATIENCE_MS = 2000, GUESTS = 16 };

/* ---- a page in a file --------------------------------------------------------------------------------- */

/* The template with data in its place; '<' in data could end the script. Text that free takes. */
static char *page_text(const char *data, size_t *size)
{
    static const char mark[] = "@DATA@", lesser[] = "\\u003c";
    const char *at = strstr(watch_template, mark);
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out) return NULL;
    fwrite(watch_template, 1, (size_t)(at - watch_template), out);
    for (; *data; data++)
        if (*data == '<')
            fputs(lesser, out);
        else
            fputc(*data, out);
    fputs(at + sizeof mark - 1, out);
    return fclose(out) ? free(text), NULL : text;
}

static int write_page(view *v, const char *path)
{
    size_t size;
    char *data, *page;
    int code = watch_data(v, (page_has){0}, &data);
    if (code) return code;
    page = page_text(data, &size);
    code = !page ? complain(FAILED, "watch: out of memory")
           : file_replace(path, page, size)
               ? complain(FAILED, "watch: '%s' was not written: %s", path, strerror(errno))
               : DONE;
    free(data);
    free(page);
    return code;
}

/* ---- a page on a port --------------------------------------------------------------------------------- */

static void send_all(int fd, const char *bytes, size_t size)
{
    while (size) {
        struct pollfd p = {fd, POLLOUT, 0};
        if (poll(&p, 1, PATIENCE_MS) <= 0) return;
        ssize_t done = send(fd, bytes, size, MSG_NOSIGNAL);
        if (done <= 0) return;
        bytes += done;
        size -= (size_t)done;
    }
}

static void answer(int fd, const char *status, const char *type, const char *body, size_t size)
{
    char head[512];
    int length = snprintf(
        head, sizeof head,
        "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nCache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\nContent-Security-Policy: default-src 'none'; "
        "script-src "
        "'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'\r\n"
        "Connection: close\r\n\r\n",
        status, type, size);
    send_all(fd, head, (size_t)length);
    send_all(fd, body, size);
}

static void refuse(int fd, const char *status)
{
    answer(fd, status, "text/plain", status, strlen(status));
}

/* The head of a request, ended by a 0. 0: it did not come. */
static int read_request(int fd, char *text, size_t size)
{
    size_t had = 0;
    while (had + 1 < size) {
        struct pollfd p = {fd, POLLIN, 0};
        if (poll(&p, 1, PATIENCE_MS) <= 0) return 0;
        ssize_t got = recv(fd, text + had, size - 1 - had, 0);
        if (got <= 0) return 0;
        had += (size_t)got;
        text[had] = 0;
        if (strstr(text, "\r\n\r\n")) return 1;
    }
    return 0;
}

/* Pages of others, by whatever name they reach us, are not to read this: the host must be this machine by its own name. */
static int is_for_us(const char *text, int port)
{
    char wanted[64];
    const char *host = strcasestr(text, "\r\nHost:");
    if (!host) return 0;
    host += 7;
    host += strspn(host, " ");
    size_t size = strcspn(host, "\r");
    const char *const names[] = {"127.0.0.1", "localhost"};
    for (size_t k = 0; k < 2; k++) {
        snprintf(wanted, sizeof wanted, "%s:%d", names[k], port);
        if (strlen(wanted) == size && !strncasecmp(host, wanted, size)) return 1;
    }
    return 0;
}

static size_t number_behind(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at ? (size_t)strtoull(at + strlen(name), NULL, 10) : 0;
}

/* DONE, or after a line what reading the history gave. */
static int serve(view *v, int fd)
{
    char asked[REQUEST];
    if (!read_request(fd, asked, sizeof asked)) return DONE;
    char *end = strstr(asked, "\r\n");
    if (!is_for_us(asked, v->port)) return refuse(fd, "403 Forbidden"), DONE;
    *end = 0;
    if (!strncmp(asked, "GET / ", 6)) {
        size_t size;
        char *page = page_text("null", &size);
        if (page) answer(fd, "200 OK", "text/html; charset=utf-8", page, size);
        free(page);
        return DONE;
    }
    if (strncmp(asked, "GET /data", 9)) return refuse(fd, "404 Not Found"), DONE;
    page_has there = {number_behind(asked, "?n="), number_behind(asked, "&whole="),
                      number_behind(asked, "&best=")};
    char *text;
    int code = watch_data(v, there, &text);
    if (text) answer(fd, "200 OK", "application/json", text, strlen(text));
    v->asked = clock_seconds();
    free(text);
    return code;
}

/* The run that started us has opened it, and we hold it. */
static int open_port(view *v, int *fd, uint64_t port)
{
    *fd = v->beside ? BESIDE_DOOR : door_open(port);
    if (*fd < 0)
        return complain(FAILED, "--port: %llu: %s", (unsigned long long)port, strerror(errno));
    v->port = door_port(*fd);
    return DONE;
}

/* Browsers open connections that they may use later: nobody waits for those. */
typedef struct guests {
    struct pollfd at[GUESTS + 1]; /* the door first */
    size_t count;
} guests;

static void let_go(guests *g, size_t k)
{
    close(g->at[k].fd);
    memmove(&g->at[k], &g->at[k + 1], (g->count - k - 1) * sizeof g->at[0]);
    g->count--;
}

static void let_in(guests *g)
{
    int one = accept4(g->at[0].fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (one < 0) return;
    if (g->count > GUESTS) let_go(g, 1); /* the one that has waited longest */
    g->at[g->count++] = (struct pollfd){one, POLLIN, 0};
}

static int attend(view *v, guests *g)
{
    int code = DONE;
    if (poll(g->at, (nfds_t)g->count, 200) <= 0) return DONE;
    for (size_t k = g->count; k-- > 1 && !code;)
        if (g->at[k].revents) {
            code = serve(v, g->at[k].fd);
            let_go(g, k);
        }
    if (!code && g->at[0].revents) let_in(g);
    return code;
}

/* Has the run that started us ended? A page that is open still gets the end of it. */
static int is_over(view *v)
{
    struct pollfd p = {STDIN_FILENO, POLLIN, 0};
    double now = clock_seconds();
    if (v->beside && v->over == 0 && poll(&p, 1, 0) > 0) v->over = now;
    if (v->over == 0) return 0;
    int open = v->asked > 0 && v->asked > v->over - LAST_LOOK;
    return !open || v->asked > v->over || now > v->over + LAST_LOOK;
}

static int serve_all(view *v, uint64_t port)
{
    guests g = {.count = 1};
    int code = open_port(v, &g.at[0].fd, port);
    g.at[0].events = POLLIN;
    if (!code) {
        if (!v->quiet) printf("http://127.0.0.1:%d/\n", v->port);
        fflush(stdout);
        if (!v->beside) catch_signals();
    }
    while (!code && !*stop_flag() && !is_over(v)) code = attend(v, &g);
    while (g.count > 1) let_go(&g, g.count - 1);
    if (g.at[0].fd >= 0) close(g.at[0].fd);
    return code;
}

/* The page in a file, anew every while until the run is over, and then once more. */
static int write_on(view *v, const char *path)
{
    for (;;) {
        int code = write_page(v, path);
        if (code || !v->beside || v->over > 0) return code;
        struct pollfd p = {STDIN_FILENO, POLLIN, 0};
        if (poll(&p, 1, PATIENCE_MS) > 0) v->over = clock_seconds();
    }
}

int command_watch(int argc, char **argv)
{
    request r;
    int code = request_parse(&r, argc, argv);
    if (!code && (r.nwords < 1 || r.nwords > 2))
        code = complain(REFUSED,
                        "watch takes a history and, if there is one, the file of --progress; see "
                        "'zoprox watch --help'");
    if (!code && r.port > 65535)
        code = complain(REFUSED, "--port: %llu is above 65535", (unsigned long long)r.port);
    if (code) return code;
    view v = {.path = r.words[0],
              .progress = r.nwords > 1 ? r.words[1] : NULL,
              .quiet = r.quiet,
              .beside = getenv(BESIDE)};
    if (v.beside) r.quiet = 1; /* a run knows what its values are */
    if (v.beside) signal(SIGINT, SIG_IGN), signal(SIGTERM, SIG_IGN), signal(SIGHUP, SIG_IGN);
    code = r.out ? file_check(r.out, "out") : DONE;
    if (!code) code = parameters_open(&v.known, r.parameters);
    if (!code) code = residuals_open(&v.residuals, &r, &v.story);
    if (!code) code = story_read(&v.story, v.path);
    if (!code) code = residuals_fit(&v.residuals, &r, &v.story, v.path);
    if (!code) code = r.out ? write_on(&v, r.out) : serve_all(&v, r.port);
    story_free(&v.story);
    residuals_close(&v.residuals);
    parameters_free(v.known);
    return code;
}
