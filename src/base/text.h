/* Numbers and names as text: strict in, exact out.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_BASE_TEXT_H
#define ZO_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* The whole of text must be a number; returns 1, or 0 and leaves *out alone. Locale-free. */
int text_number(const char *text, double *out); /* decimal, inf and nan accepted; overflow is not */
int text_whole(const char *text, uint64_t *out); /* digits only */
/* 17 significant digits; nan, inf and -inf as such. size >= 32. Returns text. */
char *text_exact(double v, char *text, size_t size);
char *text_short(double v, char *text, size_t size); /* the fewest digits that read back the same */
/* The name nearest to text by edit distance among count strings stride bytes apart, or NULL if none is near.
 */
const char *text_nearest(const char *text, const void *names, size_t count, size_t stride);
/* The first line of size bytes, cut at 40, with \xNN for bytes that cannot be seen; room >= 44. Returns to. */
char *text_quote(const char *from, size_t size, char *to, size_t room);
/* FNV-1a, 64 bits; start with TEXT_HASH */
uint64_t text_hash(uint64_t seed, const void *bytes, size_t size);
#define TEXT_HASH 0xcbf29ce484222325u

#endif
