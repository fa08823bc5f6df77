/* Any bytes as a history that a run goes on with, or as a past: refused with a sentence, or read, and asked about.
 * SPDX-License-Identifier: MIT
 *
 * The first byte: CSV or SQLite, as a past or as a history that goes on, and the sizes of the problem. */
#include "fuzz.h"

#include <math.h>

static void look(zo_history *h, size_t d)
{
    zo_prox psi = zo_l1(0.1);
    double f = 0;
    zo_history_facts facts = zo_history_look(h);
    const double *x = zo_history_best(h, &psi, &f);
    for (size_t j = 0; x && j < d; j++) must(isfinite(x[j]));
    must(!x || facts.known > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 1) return 0;
    static char folder[] = "/dev/shm/fuzz-resume-XXXXXX", file[64];
    if (!*file) must(mkdtemp(folder) != NULL);
    snprintf(file, sizeof file, "%s/h.%s", folder, bytes[0] & 1 ? "sqlite" : "csv");
    FILE *f = fopen(file, "wb");
    must(f && fwrite(bytes + 1, 1, size - 1, f) == size - 1 && !fclose(f));
    zo_history_options o = {.n = 1 + (bytes[0] >> 4) % 3, .d = 1 + (bytes[0] >> 2) % 4};
    if (bytes[0] & 2)
        o.past = file;
    else
        o.file = file, o.resume = 1;
    zo_history *h;
    zo_error err;
    zo_status status = zo_history_open(&h, &o, &err);
    must((status == ZO_OK) == (h != NULL));
    if (status)
        must_be_said(status, &err);
    else
        look(h, o.d);
    zo_history_close(h);
    remove(file);
    return 0;
}
