/* An FMU's shared object and the functions in it. SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* realpath */
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fmu/fmu.h"

/* file:// and the path to resources, where all but letters, digits and -._~/ is written as %20 (RFC 3986). */
static void write_address(char *to, size_t size, const char *folder_path)
{
    size_t at = (size_t)snprintf(to, size, "file://");
    for (const char *c = folder_path; *c && at + 16 < size; c++) {
        int plain = isalnum((unsigned char)*c) || strchr("-._~/", *c);
        at += (size_t)snprintf(to + at, size - at, plain ? "%c" : "%%%02X", (unsigned char)*c);
    }
    snprintf(to + at, size - at, "/resources");
}

/* FMI 2 wants an address of resources, FMI 3 a path. */
int fmu_load(fmu_unit *u, const char *path, const char *where)
{
    char full[LONGEST_PATH];
    u->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!u->object) return complain(FAILED, "--fmu: %s", dlerror());
    if (!realpath(where, full)) return complain(FAILED, "--fmu: '%s': %s", where, strerror(errno));
    if (u->model->version == 2)
        write_address(u->resources, sizeof u->resources, full);
    else
        snprintf(u->resources, sizeof u->resources, "%s/resources/", full);
    return DONE;
}

int fmu_function(fmu_unit *u, const char *name, void *function, size_t size)
{
    void *found = dlsym(u->object, name);
    if (found) memcpy(function, &found, size);
    return found != NULL;
}

const char *fmu_leave(fmu_unit *u, const fmu_standard *by)
{
    int (*f)(void *);
    if (!fmu_function(u, by->leave, &f, sizeof f)) return by->leave;
    return f(u->instance) <= FMU_WARNING ? NULL : by->leave;
}

void fmu_end(fmu_unit *u, const fmu_standard *by)
{
    int (*terminate)(void *);
    void (*release)(void *);
    if (fmu_function(u, by->terminate, &terminate, sizeof terminate)) terminate(u->instance);
    if (fmu_function(u, by->release, &release, sizeof release)) release(u->instance);
    u->instance = NULL;
}
