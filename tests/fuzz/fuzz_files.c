/* Any bytes as the output.txt of a folder of --files: passed on when all its lines are there, or waited for.
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "../../tool/run/files.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static asked q;
    static int ready;
    if (size < 2) return 0;
    if (!ready) {
        char folder[] = "/dev/shm/fuzz-files-XXXXXX";
        must(mkdtemp(folder) != NULL);
        snprintf(q.folder, sizeof q.folder, "%s", folder);
        must(!setenv(KEEP, "1", 1));
        must(freopen("/dev/null", "w", stdout) != NULL);
        ready = 1;
    }
    q.npoints = bytes[0] % 5;
    char path[PATH_MAX];
    in_folder(&q, "output.txt", path);
    FILE *f = fopen(path, "wb");
    must(f && fwrite(bytes + 2, 1, size - 2, f) == size - 2 && !fclose(f));
    int passed = pass_on(&q, bytes[1] & 1, bytes[1] & 2);
    must(passed == 0 || passed == 1);
    return 0;
}
