/* A run store with bytes changed: called damaged or foreign, or a page is made of it.
 * SPDX-License-Identifier: MIT
 *
 * The input: changes (position, 3 bytes; byte) to a good store; an odd first byte takes the input as the store. */
#include "fuzz.h"

#include <sqlite3.h>

#include "core/tool.h"
#include "study/page.h"

enum { MOST = 1 << 17 };
static char folder[] = "/dev/shm/fuzz-store-XXXXXX", path[64], page[64];

static size_t good(uint8_t *file)
{
    must(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/s.runs", folder);
    snprintf(page, sizeof page, "%s/page.html", folder);
    char *tune[] = {"tune",   "synth:n=20,d=3", "--grid", "step=0.1,0.2", "--method",
                    "pgd",    "--budget",       "2",      "--store",      path,
                    "--quiet"};
    must(command_tune(sizeof tune / sizeof *tune, tune) == DONE);
    FILE *f = fopen(path, "rb");
    size_t size = f ? fread(file, 1, MOST, f) : 0;
    must(size > 0 && size < MOST && !fclose(f));
    return size;
}

static void spoil(const uint8_t *bytes, size_t size, const uint8_t *pristine, size_t whole)
{
    static uint8_t file[MOST];
    memcpy(file, pristine, whole);
    size_t length = whole;
    if (bytes[0] % 2) memcpy(file, bytes + 1, length = size - 1 < MOST ? size - 1 : MOST);
    for (size_t k = 1; bytes[0] % 2 == 0 && k + 4 <= size; k += 4)
        file[(bytes[k] | (size_t)bytes[k + 1] << 8 | (size_t)bytes[k + 2] << 16) % whole] =
            bytes[k + 3];
    FILE *f = fopen(path, "wb");
    must(f && fwrite(file, 1, length, f) == length && !fclose(f));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static uint8_t pristine[MOST];
    static size_t whole;
    if (!whole) whole = good(pristine);
    if (size < 1) return 0;
    spoil(bytes, size, pristine, whole);
    runs *s;
    int code = runs_open(&s, path, 0);
    must((code == DONE) == (s != NULL));
    if (s) code = page_write(s, NULL, page);
    must(code == DONE || code == REFUSED || code == FAILED);
    runs_close(s);
    return 0;
}
