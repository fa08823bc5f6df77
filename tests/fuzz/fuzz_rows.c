/* Any bytes as the rows of a set, with and without bounds: refused with a sentence, or its own points are inside.
 * SPDX-License-Identifier: MIT
 *
 * The input: how many coordinates, which set, then the file. */
#include "fuzz.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const specs[] = {"affine:%s", "polyhedron:%s", "polyhedron:%s box:-1,2",
                                        "affine:%s nonnegative"};
    enum { MOST = 6 };
    if (size < 2) return 0;
    size_t d = 1 + bytes[0] % MOST;
    char at[32], spec[96];
    int fd = memory_file(bytes + 2, size - 2, at);
    snprintf(spec, sizeof spec, specs[bytes[1] % 4], at);
    zo_prox psi;
    zo_error err;
    zo_status status = zo_prox_parse(&psi, spec, d, &err);
    close(fd);
    if (status) {
        must_be_said(status, &err);
        return 0;
    }
    double x[MOST] = {3, -1, 0.5, 0, 1e3, -7},
           *work = malloc((psi.work(&psi, d) + 1) * sizeof *work);
    must(work != NULL);
    psi.apply(&psi, d, 1, x, x, work);
    for (size_t j = 0; j < d; j++) must(!isinf(x[j]));
    psi.value(&psi, d, x);
    free(work);
    zo_prox_free(&psi);
    return 0;
}
