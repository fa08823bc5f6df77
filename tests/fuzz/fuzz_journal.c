/* Any bytes as a journal: refused with a sentence, or opened; then answers are taken, added, and found again.
 * SPDX-License-Identifier: MIT
 *
 * Of an input whose first byte is odd the head and the hashes of its records are put right. */
#include "fuzz.h"

#include "base/text.h"
#include "problem/process/journal.h"

#define MAGIC 0x0a316c6e6a6f707au
enum { PROBLEM = 7, FRAME = 4 };

static void put_right(uint64_t *word, size_t words)
{
    if (words < 2) return;
    word[0] = MAGIC;
    word[1] = PROBLEM;
    for (size_t at = 2; at + FRAME <= words;) {
        word[at] %= 5; /* so that keys meet */
        word[at + 1] %= 3;
        word[at + 2] %= 6;
        size_t count = (size_t)word[at + 2];
        if (at + FRAME + count > words) break;
        word[at + count + 3] = text_hash(TEXT_HASH, word + at, 8 * (count + 3));
        at += FRAME + count;
    }
}

static void use(journal *j)
{
    double values[8], found[8];
    size_t before = journal_left(j), taken = 0;
    for (uint64_t key = 0; key < 15; key++)
        for (size_t count = 0; count < 6; count++)
            while (journal_take(j, (uint64_t[2]){key % 5, key / 5}, count, values)) taken++;
    must(taken <= before && journal_left(j) == before - taken);
    for (int k = 0; k < 8; k++) values[k] = k;
    must(journal_add(j, (uint64_t[2]){100, 200}, 8, values));
    journal_settle(j);
    must(!journal_take(j, (uint64_t[2]){100, 200}, 8, found)); /* what this run added it has */
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static uint64_t word[4096];
    if (size < 1 || size > sizeof word) return 0;
    memcpy(word, bytes + 1, size - 1);
    if (bytes[0] % 2) put_right(word, (size - 1) / 8);
    char path[32];
    int fd = memory_file((const uint8_t *)word, size - 1, path);
    for (int round = 0; round < 2; round++) {
        journal *j;
        zo_error err;
        zo_status status = journal_open(&j, path, PROBLEM, &err);
        must((status == ZO_OK) == (j != NULL));
        if (status)
            must_be_said(status, &err);
        else if (round)
            must(journal_left(j) >= 1); /* what was added is there */
        if (j && !round) use(j);
        journal_close(j);
        if (status) break;
    }
    close(fd);
    return 0;
}
