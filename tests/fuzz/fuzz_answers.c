/* What a worker may say: taken as an answer, waited on, or called nonsense in words; never read beyond its end.
 * SPDX-License-Identifier: MIT
 *
 * The input: the form of the fan, how much comes at once, then the bytes that come. */
#include "fuzz.h"
#include "problem/process/question.h"

enum { N = 5, D = 2, HEAD = 2 };

static int hear(questions *q, size_t k, int means, bytes *from)
{
    char why[200] = "";
    int got = question_read(q, k, 7, means, from, why, sizeof why);
    must(got != -1 || (*why && !strchr(why, '\n')));
    must(from->begin <= from->end && from->end <= from->room);
    return got;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes_in, size_t size)
{
    if (size < HEAD) return 0;
    static const double base[D] = {1, 2}, dir[2 * D] = {1, 0, 0, 1};
    static const uint64_t comp[3] = {4, 0, 2};
    int means = bytes_in[0] & 1, few = bytes_in[0] & 2;
    zo_fan fan = {.n = N,
                  .d = D,
                  .nbase = 1,
                  .base = {base},
                  .ndir = bytes_in[0] & 4 ? 2 : 0,
                  .dir = dir,
                  .radius = 0.5,
                  .sides = bytes_in[0] & 8 ? 2 : 1,
                  .ncomp = few ? 3 : N,
                  .comp = few ? comp : NULL};
    double values[64];
    questions q = {0};
    must(zo_fan_set(&fan) * fan.ncomp <= 64);
    must(questions_cut(&q, &fan, 0, fan.ncomp, means, values));
    size_t step = bytes_in[1] ? bytes_in[1] : size;
    bytes from = {0};
    int got = 0;
    for (size_t at = HEAD; at < size && got == 0; at += step) {
        must(bytes_add(&from, (const char *)bytes_in + at, size - at < step ? size - at : step));
        got = hear(&q, 0, means, &from);
    }
    bytes_free(&from);
    questions_free(&q);
    return 0;
}
