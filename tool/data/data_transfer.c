/* One download over HTTP, which goes on where the last one stopped.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "data/data_fetch.h"

#include "base/error.h"

#ifdef ZO_HAVE_CURL

#include <curl/curl.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct course { /* of a transfer */
    const transfer *t;
    curl_off_t had;     /* bytes that were there before */
    int error;          /* errno of a write that failed */
    double come;        /* bytes, with those that were there before */
    double began, last; /* seconds of the clock: the beginning, the last progress line */
} course;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static size_t keep(char *bytes, size_t size, size_t count, void *ctx)
{
    course *c = ctx;
    size_t left = size * count;
    c->come += (double)left;
    if (c->come > c->t->most) return 0;
    while (left > 0) {
        ssize_t put = write(c->t->fd, bytes, left);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) {
            c->error = errno;
            return 0;
        }
        bytes += put;
        left -= (size_t)put;
    }
    return size * count;
}

static int show(void *ctx, curl_off_t total, curl_off_t now, curl_off_t up, curl_off_t upped)
{
    course *c = ctx;
    double at = seconds(), rate = (double)now / (at - c->began + 1e-9);
    (void)up;
    (void)upped;
    if (at - c->last < 0.2 || now == 0) return 0;
    c->last = at;
    double have = 1e-6 * (double)(c->had + now), all = 1e-6 * (double)(c->had + total);
    if (total > 0)
        fprintf(stderr, "\r%s  %.1f of %.1f MB  %.0f%%  %.1f MB/s\033[K", c->t->name, have, all,
                100 * have / all, 1e-6 * rate);
    else
        fprintf(stderr, "\r%s  %.1f MB  %.1f MB/s\033[K", c->t->name, have, 1e-6 * rate);
    return 0;
}

static void set_up(CURL *curl, course *c, char *reason)
{
    curl_easy_setopt(curl, CURLOPT_URL, c->t->url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 5L);
    curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "zoprox/" ZO_VERSION);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 30L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, (long)SLOW); /* bytes a second, over */
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)ceil(c->t->timeout));
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, c);
    curl_easy_setopt(curl, CURLOPT_RESUME_FROM_LARGE, c->had);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, c->t->shown ? 0L : 1L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, show);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, c);
}

static zo_status explain(const course *c, CURLcode code, long answer, const char *reason,
                         zo_error *err)
{
    const char *url = c->t->url;
    if (c->error)
        return fail(err, ZO_IO, "%.200s: %s; what has come is kept, the next fetch goes on",
                    c->t->file, strerror(c->error));
    if (c->come > c->t->most)
        return fail(err, ZO_MISMATCH,
                    "%.200s: the server sends more than the %.0f bytes that %s can have", url,
                    c->t->most, c->t->name);
    if (code == CURLE_HTTP_RETURNED_ERROR)
        return fail(err, ZO_IO, "%.300s: the server answers %ld%s", url, answer,
                    answer == 404 ? " (not there); is the mirror right?" : "");
    if (code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR || code == CURLE_OPERATION_TIMEDOUT)
        return fail(err, ZO_IO, "%.200s: the transfer broke off (%.120s); the next fetch goes on",
                    url, *reason ? reason : curl_easy_strerror(code));
    return fail(err, ZO_IO, "%.200s: %.200s", url, *reason ? reason : curl_easy_strerror(code));
}

/* One request. *whole_wanted is set when the server does not give parts, or has another file than we began. */
static zo_status request_once(const transfer *t, int *whole_wanted, zo_error *err)
{
    course c = {.t = t, .had = lseek(t->fd, 0, SEEK_END)};
    char reason[CURL_ERROR_SIZE] = "";
    long answer = 0;
    *whole_wanted = 0;
    if (c.had < 0) return fail(err, ZO_IO, "%.300s: %s", t->file, strerror(errno));
    CURL *curl = curl_easy_init();
    if (!curl) return fail(err, ZO_NO_MEMORY, "out of memory for a download");
    c.began = seconds();
    c.come = (double)c.had;
    set_up(curl, &c, reason);
    CURLcode code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer);
    if (c.last > 0) fputs("\r\033[K", stderr);
    curl_easy_cleanup(curl);
    if (code == CURLE_OK) return ZO_OK;
    *whole_wanted = c.had > 0 && (code == CURLE_RANGE_ERROR || answer == 416);
    return explain(&c, code, answer, reason, err);
}

zo_status transfer_run(const transfer *t, zo_error *err)
{
    int whole_wanted;
    zo_status status = request_once(t, &whole_wanted, err);
    if (!status || !whole_wanted) return status;
    if (ftruncate(t->fd, 0)) return fail(err, ZO_IO, "%.300s: %s", t->file, strerror(errno));
    return request_once(t, &whole_wanted, err);
}

#else

zo_status transfer_run(const transfer *t, zo_error *err)
{
    return fail(
        err, ZO_UNSUPPORTED,
        "this zoprox was built without libcurl (libcurl4-openssl-dev); download %.200s yourself",
        t->url);
}

#endif
