/* Numbers and names as text: strict in, exact out.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* strtod_l */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int text_number(const char *text, double *out)
{
    if (!*text || isspace((unsigned char)*text)) return 0;
    locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    char *end;
    errno = 0;
    double v = c ? strtod_l(text, &end, c) : strtod(text, &end);
    int overflow = errno == ERANGE && fabs(v) > 1;
    if (c) freelocale(c);
    if (*end || end == text || overflow) return 0;
    *out = v;
    return 1;
}

int text_whole(const char *text, uint64_t *out)
{
    if (!isdigit((unsigned char)*text)) return 0;
    char *end;
    errno = 0;
    uint64_t v = strtoull(text, &end, 10);
    if (*end || errno == ERANGE) return 0;
    *out = v;
    return 1;
}

/* printf's decimal point follows the program's locale; ours is always a dot. */
static char *print(double v, int digits, char *text, size_t size)
{
    if (isnan(v)) return snprintf(text, size, "nan"), text;
    snprintf(text, size, "%.*g", digits, v);
    for (char *p = text; *p; p++)
        if (*p == ',') *p = '.';
    return text;
}

char *text_exact(double v, char *text, size_t size) { return print(v, 17, text, size); }

static int reads_back(double v, int digits, char *text, size_t size)
{
    double back;
    return text_number(print(v, digits, text, size), &back) && (back == v || isnan(v));
}

/* What DBL_DIG digits or fewer read back is written the same with DBL_DIG, but for zeros: most numbers need more. */
char *text_short(double v, char *text, size_t size)
{
    int digits = reads_back(v, DBL_DIG, text, size) ? 1 : DBL_DIG + 1;
    while (!reads_back(v, digits, text, size) && digits < DBL_DECIMAL_DIG) digits++;
    return text;
}

/* Levenshtein distance, names up to 32 letters; one row of the table at a time. */
static size_t distance(const char *a, const char *b)
{
    size_t row[34], la = strlen(a), lb = strlen(b);
    if (la > 32 || lb > 32) return SIZE_MAX;
    for (size_t k = 0; k <= lb; k++) row[k] = k;
    for (size_t i = 1; i <= la; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t k = 1; k <= lb; k++) {
            size_t change =
                diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[k - 1]));
            diagonal = row[k];
            size_t least = row[k] < row[k - 1] ? row[k] : row[k - 1];
            row[k] = least + 1 < change ? least + 1 : change;
        }
    }
    return row[lb];
}

const char *text_nearest(const char *text, const void *names, size_t count, size_t stride)
{
    const char *best = NULL;
    size_t least = strlen(text) / 2 + 1;
    for (size_t k = 0; k < count; k++) {
        const char *name = *(const char *const *)((const char *)names + k * stride);
        size_t away = distance(text, name);
        if (away < least) {
            least = away;
            best = name;
        }
    }
    return best;
}

uint64_t text_hash(uint64_t seed, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    for (size_t k = 0; k < size; k++) seed = (seed ^ p[k]) * 0x100000001b3u;
    return seed;
}

/* Bytes of the character at p, of left there are; 0: it is none that is seen (a control, a byte order mark, not UTF-8). */
static size_t seen(const unsigned char *p, size_t left)
{
    if (*p < 0x80) return *p >= ' ' && *p != 0x7f;
    size_t more = *p < 0xc2 ? 0 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : *p < 0xf5 ? 3 : 0;
    if (!more || more >= left || !memcmp(p, "\xef\xbb\xbf", more + 1)) return 0;
    for (size_t k = 1; k <= more; k++)
        if ((p[k] & 0xc0) != 0x80) return 0;
    return more + 1;
}

char *text_quote(const char *from, size_t size, char *to, size_t room)
{
    const char *stop = size ? memchr(from, '\n', size) : NULL;
    size_t end = stop ? (size_t)(stop - from) : size, at = 0, k = 0;
    if (end && from[end - 1] == '\r') end--;
    while (k < end) {
        size_t whole = seen((const unsigned char *)from + k, end - k), need = whole ? whole : 4;
        if (at + need > 40 || at + need + 4 > room) break;
        if (whole)
            memcpy(to + at, from + k, whole);
        else
            snprintf(to + at, 5, "\\x%02x", (unsigned char)from[k]);
        at += need;
        k += whole ? whole : 1;
    }
    snprintf(to + at, room - at, "%s", k < end ? "..." : "");
    return to;
}
