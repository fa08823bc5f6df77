/* A slow and obvious reader of LIBSVM text, to compare the fast one with.
 * SPDX-License-Identifier: MIT
 *
 * Line by line, token by token, every token copied, every number through strtod. */
#ifndef ZO_TESTS_SLOW_LIBSVM_H
#define ZO_TESTS_SLOW_LIBSVM_H

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data/data.h"

typedef struct slow_rows {
    int good;
    size_t bad_line; /* 0: no line in particular */
    size_t n, features, entries;
    double *label, *val; /* val: entries */
    size_t *row, *col;   /* the row and column of each entry */
} slow_rows;

/* [+-] digits [. digits] [e [+-] digits], and finite */
static int slow_number(const char *t, double *out)
{
    const char *p = t;
    size_t digits = 0;
    if (*p == '+' || *p == '-') p++;
    for (; isdigit((unsigned char)*p); p++) digits++;
    if (*p == '.') p++;
    for (; isdigit((unsigned char)*p); p++) digits++;
    if (digits == 0) return 0;
    if (*p == 'e' || *p == 'E') {
        p++;
        if (*p == '+' || *p == '-') p++;
        if (!isdigit((unsigned char)*p)) return 0;
        while (isdigit((unsigned char)*p)) p++;
    }
    *out = strtod(t, NULL);
    return *p == 0 && isfinite(*out);
}

/* One token of size bytes: 1 if it is good. first: it is a label. */
static int slow_token(slow_rows *r, const char *bytes, size_t size, int first, double *last,
                      size_t limit)
{
    int good = 0;
    char *t = calloc(size + 1, 1), *colon;
    memcpy(t, bytes, size);
    double index = 0, v;
    if (strlen(t) != size) {
        good = 0; /* a zero byte */
    } else if (first) {
        good = slow_number(t, &r->label[r->n]);
        r->n++;
    } else if ((colon = strchr(t, ':'))) {
        *colon = 0;
        for (char *p = t; *p; p++)
            index = isdigit((unsigned char)*p) ? 10 * index + (*p - '0') : INFINITY;
        good = colon > t && index > *last && index <= (double)limit && slow_number(colon + 1, &v);
        if (good) {
            *last = index;
            if ((size_t)index > r->features) r->features = (size_t)index;
            if (v != 0) {
                r->row[r->entries] = r->n - 1;
                r->col[r->entries] = (size_t)index - 1;
                r->val[r->entries++] = v;
            }
        }
    }
    free(t);
    return good;
}

static int slow_line(slow_rows *r, const char *bytes, size_t size, size_t limit)
{
    double last = 0;
    int first = 1;
    if (size && bytes[size - 1] == '\r') size--;
    const char *comment = memchr(bytes, '#', size);
    if (comment) size = (size_t)(comment - bytes);
    for (size_t k = 0; k < size;) {
        size_t end = k;
        while (end < size && bytes[end] != ' ' && bytes[end] != '\t') end++;
        if (end > k) {
            if (!slow_token(r, bytes + k, end - k, first, &last, limit)) return 0;
            first = 0;
        }
        k = end + (end < size);
    }
    return 1;
}

static slow_rows slow_read(const char *bytes, size_t size, size_t features)
{
    slow_rows r = {.good = 1};
    r.label = calloc(size + 1, sizeof *r.label);
    r.val = calloc(size + 1, sizeof *r.val);
    r.row = calloc(size + 1, sizeof *r.row);
    r.col = calloc(size + 1, sizeof *r.col);
    size_t line = 1;
    for (size_t k = 0; k < size && r.good; line++) {
        size_t end = k;
        while (end < size && bytes[end] != '\n') end++;
        r.good = slow_line(&r, bytes + k, end - k, features ? features : 4294967294u);
        if (!r.good) r.bad_line = line;
        k = end + 1;
    }
    if (features) r.features = features;
    if (r.n == 0 || r.features == 0) r.good = 0;
    return r;
}

static void slow_free(slow_rows *r)
{
    free(r->label);
    free(r->val);
    free(r->row);
    free(r->col);
}

/* The number i, j of data, whatever its storage. */
static double entry_of(const zo_data *data, size_t i, size_t j)
{
    if (data->dense) return data->dense[i * data->features + j];
    for (size_t k = data->row[i]; k < data->row[i + 1]; k++)
        if (data->col[k] == j) return data->val[k];
    return 0;
}

/* NULL if data holds what r does, bit for bit; else what is different. */
static const char *slow_differs(const slow_rows *r, const zo_data *data)
{
    if (data->n != r->n) return "n";
    if (data->features != r->features) return "features";
    if (data->nonzeros != r->entries) return "nonzeros";
    if (memcmp(data->label, r->label, r->n * sizeof *r->label)) return "labels";
    if ((data->dense != NULL) != (2 * (double)r->entries > (double)r->n * (double)r->features))
        return "storage";
    if (data->row && data->row[r->n] != r->entries) return "row offsets";
    for (size_t k = 0; k < r->entries; k++)
        if (entry_of(data, r->row[k], r->col[k]) != r->val[k]) return "values";
    size_t count = 0; /* and nothing else */
    for (size_t k = 0; data->dense && k < r->n * r->features; k++) count += data->dense[k] != 0;
    return data->dense && count != r->entries ? "numbers that should be 0" : NULL;
}

/* Reads bytes with the fast reader, through a file in memory. */
static inline zo_status fast_read(zo_data **out, const char *bytes, size_t size, size_t features,
                                  int threads, size_t piece, zo_error *err)
{
    char path[64];
    int fd = memfd_create("libsvm", 0);
    *out = NULL;
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    zo_status status = data_read(out, path, features, threads, piece, err);
    close(fd);
    return status;
}

/* Both readers on the same bytes; NULL when they agree, on the line of the first fault too. */
static inline const char *readers_differ(const char *bytes, size_t size, size_t features,
                                         int threads, size_t piece)
{
    zo_data *data;
    zo_error err;
    slow_rows slow = slow_read(bytes, size, features);
    zo_status status = fast_read(&data, bytes, size, features, threads, piece, &err);
    const char *difference = NULL;
    if ((status == ZO_OK) != slow.good) {
        difference = slow.good ? "refused, but it is good" : "taken, but it is not good";
    } else if (status == ZO_OK) {
        difference = slow_differs(&slow, data);
    } else {
        char *colon = strchr(err.text, ':');
        size_t line = colon ? strtoul(colon + 1, NULL, 10) : 0;
        if (status != ZO_BAD_INPUT) difference = "another failure";
        if (line != slow.bad_line) difference = "another line";
    }
    zo_data_free(data);
    slow_free(&slow);
    return difference;
}

#endif
