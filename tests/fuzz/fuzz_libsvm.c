/* Fuzzing the LIBSVM reader: it agrees with a slow and obvious one on every text, in pieces of any size.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memfd_create */
#include "slow_libsvm.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static int is_packed(const char *b, size_t size)
{
    return (size >= 2 && !memcmp(b, "\x1f\x8b", 2)) || (size >= 3 && !memcmp(b, "BZh", 3)) ||
           (size >= 4 && (!memcmp(b,
                                  "\xfd"
                                  "7zX",
                                  4) ||
                          !memcmp(b, "\x28\xb5\x2f\xfd", 4)));
}

/* The first byte says how to read the others. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 1) return 0;
    const char *text = (const char *)bytes + 1;
    size_t piece = bytes[0] % 16 ? 1 + bytes[0] % 16 * 4u : 0, features = bytes[0] >> 7 ? 9 : 0;
    zo_data *data;
    if (is_packed(text, size - 1)) {
        fast_read(&data, text, size - 1, features, 1, piece, NULL);
        zo_data_free(data);
        return 0;
    }
    const char *difference = readers_differ(text, size - 1, features, 1 + bytes[0] / 64 % 2, piece);
    if (difference) {
        fprintf(stderr, "the readers differ: %s\n", difference);
        abort();
    }
    return 0;
}
