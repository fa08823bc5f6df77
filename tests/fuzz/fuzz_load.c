/* Checkpoints of every method with sections altered and the hash put right: refused with a sentence, or loaded and run.
 * SPDX-License-Identifier: MIT
 *
 * The input: a method, a problem, a moment, then changes: section, word (2 bytes), kind, value (2 bytes). An odd fourth byte
 * leaves the hash as it is; some cut the file short. */
#include "hostile.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { METHODS = 32, MOMENTS = 24, CHANGE = 6, HEAD = 4 };

static const hostile_file *pristine(size_t method, int kind, int moment, const char *name)
{
    static hostile_file made[METHODS][HOSTILE_PROBLEMS][MOMENTS];
    static int tried[METHODS][HOSTILE_PROBLEMS][MOMENTS];
    hostile_box b = hostile_kind(kind);
    hostile_file *f = &made[method][kind][moment];
    if (!tried[method][kind][moment]) hostile_make(f, name, &b, moment);
    tried[method][kind][moment] = 1;
    return f->word ? f : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static uint64_t word[HOSTILE_MOST / 8];
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    if (size < HEAD) return 0;
    size_t method = bytes[0] % count;
    int kind = bytes[1] % HOSTILE_PROBLEMS, moment = bytes[2] % MOMENTS;
    if (method >= METHODS || !strcmp(rows[method].name, "auto")) return 0;
    const hostile_file *f = pristine(method, kind, moment, rows[method].name);
    if (!f) return 0;
    memcpy(word, f->word, 8 * f->words);
    for (size_t k = HEAD; k + CHANGE <= size; k += CHANGE) {
        const uint8_t *c = bytes + k;
        size_t s = c[0] % f->nsections, offset = c[1] | (size_t)c[2] << 8;
        if (!f->count[s]) continue;
        size_t at = f->begin[s] + offset % f->count[s];
        word[at] = hostile_word(c[3], word[at], c[4] | (uint64_t)c[5] << (c[3] / 16 * 4));
    }
    size_t words = bytes[3] % 16 == 2 ? f->words * bytes[1] / 256 : f->words;
    if (bytes[3] % 2 == 0 && words) hostile_seal(word, words);
    hostile_box b = hostile_kind(kind);
    hostile_run(rows[method].name, &b, word, words, b.n * b.d > 300 ? 4 : 12); /* many, not long */
    return 0;
}
