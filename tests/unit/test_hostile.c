/* Altered checkpoints with a checksum that fits, for every method: refused with a sentence, or safe to run.
 * SPDX-License-Identifier: MIT */
#include "hostile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static int long_run(void) { return getenv("ZO_LONG") != NULL; }

/* One word of one section, or a few. Which and how are functions of the case. */
static int alter(const hostile_file *f, const char *method, const hostile_box *b, uint64_t number)
{
    static uint64_t word[HOSTILE_MOST / 8];
    memcpy(word, f->word, 8 * f->words);
    uint64_t changes = 1 + (uint64_t)(3 * hostile_unit(number, 0));
    for (uint64_t k = 0; k < changes; k++) {
        size_t s = (size_t)((double)f->nsections * hostile_unit(number, 4 * k + 1));
        if (!f->count[s] || s == 0) continue; /* 0: the identity */
        size_t at = f->begin[s] + (size_t)((double)f->count[s] * hostile_unit(number, 4 * k + 2));
        word[at] = hostile_word((unsigned)(16 * hostile_unit(number, 4 * k + 3)), word[at],
                                (uint64_t)(0x1p60 * hostile_unit(number, 4 * k + 4)));
    }
    hostile_seal(word, f->words);
    return hostile_run(method, b, word, f->words, HOSTILE_FANS);
}

static void storm(const char *method)
{
    static const int moments[] = {1, 3, 5, 6, 8, 10, 13, 20};
    int cases = long_run() ? 200 : 2, taken = 0, tried = 0;
    for (int kind = 0; kind < HOSTILE_PROBLEMS; kind++)
        for (size_t moment = 0; moment < sizeof moments / sizeof *moments; moment++) {
            hostile_box b = hostile_kind(kind);
            hostile_file f;
            if (!hostile_make(&f, method, &b, moments[moment])) continue;
            if (!hostile_run(method, &b, f.word, f.words, HOSTILE_FANS)) /* as it is */
                fail_msg("%s, problem %d, after %d answers: refused as it is: %s", method, kind,
                         moments[moment], hostile_said);
            for (int k = 0; k < cases; k++) {
                taken +=
                    alter(&f, method, &b, (uint64_t)k + 100000 * moment + 1000000 * (uint64_t)kind);
                tried++;
            }
            free(f.word);
        }
    assert_true(tried > 0 && taken > 0 && taken < tried);
}

static void altered_checkpoints_do_no_harm(void **state)
{
    (void)state;
    size_t count;
    const zo_method_row *rows = zo_method_rows(&count);
    const char *only = getenv("HOSTILE_METHOD");
    for (size_t k = 0; k < count; k++)
        if (strcmp(rows[k].name, "auto") && (!only || !strcmp(only, rows[k].name)))
            storm(rows[k].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(altered_checkpoints_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
