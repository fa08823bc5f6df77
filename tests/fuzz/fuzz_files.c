/* Any bytes as the output.txt of a folder of --files: passed on when all its lines are there, or waited for.
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "../../tool/files/files.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static asked q;
    static folder home;
    if (size < 2) return 0;
    if (!*home.path) {
        char folder[] = "/dev/shm/fuzz-files-XXXXXX";
        must(mkdtemp(folder) != NULL);
        snprintf(home.path, sizeof home.path, "%s", folder);
        must(!setenv(KEEP, "1", 1));
        must(freopen("/dev/null", "w", stdout) != NULL);
    }
    q.npoints = bytes[0] % 5;
    char path[LONGEST_PATH];
    folder_in(&home, "output.txt", path);
    FILE *f = fopen(path, "wb");
    must(f && fwrite(bytes + 2, 1, size - 2, f) == size - 2 && !fclose(f));
    int passed = pass_on(&q, &home, bytes[1] & 1, bytes[1] & 2);
    must(passed == 0 || passed == 1);
    return 0;
}
