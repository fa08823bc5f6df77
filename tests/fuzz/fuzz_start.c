/* Any bytes as a start file, and as a trace to go on with: read in full, or refused.
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <math.h>

#include "core/tool.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    enum { D = 4 };
    char at[32];
    double x[D] = {0};
    int fd = memory_file(bytes, size, at);
    int code = file_load(at, "start", D, x);
    must(code == DONE || code == REFUSED);
    for (size_t j = 0; j < D && code == DONE; j++) must(isfinite(x[j]));
    static char folder[] = "/dev/shm/fuzz-start-XXXXXX", path[64];
    if (!*path) {
        must(mkdtemp(folder) != NULL);
        snprintf(path, sizeof path, "%s/trace.csv", folder);
    }
    FILE *f = fopen(path, "wb");
    must(f && fwrite(bytes, 1, size, f) == size && !fclose(f));
    trace t;
    int lacking;
    code = trace_resume(&t, path, 1000, &lacking);
    must(code == DONE || code == REFUSED || code == FAILED);
    if (code == DONE) trace_end(&t);
    close(fd);
    return 0;
}
