/* Problems from a shared object.
 * SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"
#include "zoprox_box.h"

typedef int (*open_function)(int argc, char **argv, zo_problem *problem, char *error, size_t size);
typedef void (*close_function)(zo_problem *problem);

struct zo_plugin {
    void *object;
    zo_problem problem;
    close_function close;
};

/* A function in the object, or NULL. ISO C has no cast from an object pointer; POSIX promises the bytes are the same. */
static void find(void *object, const char *name, void *function)
{
    void *symbol = dlsym(object, name);
    memcpy(function, &symbol, sizeof symbol);
}

zo_status zo_plugin_open(zo_plugin **out, const char *path, int argc, char **argv,
                         zo_problem *problem, zo_error *err)
{
    *out = NULL;
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) return fail(err, ZO_BAD_INPUT, "plugin: cannot load '%s': %s", path, dlerror());
    open_function opens;
    char why[256] = "";
    find(object, "zoprox_open", &opens);
    zo_plugin *p = opens ? mem_new(1, sizeof *p) : NULL;
    if (!p) {
        dlclose(object);
        return opens ? out_of_memory(err, "plugin", 1)
                     : fail(err, ZO_BAD_INPUT, "plugin: '%s' has no function zoprox_open", path);
    }
    p->object = object;
    int code = opens(argc, argv, &p->problem, why, sizeof why);
    if (code) {
        zo_plugin_close(p);
        return fail(err, ZO_BAD_INPUT, "plugin: zoprox_open of '%s' failed with code %d%s%s", path,
                    code, *why ? ": " : "", why);
    }
    find(object, "zoprox_close", &p->close);
    if (!p->problem.fingerprint) {
        uint64_t h = text_hash(TEXT_HASH, path, strlen(path));
        for (int k = 0; k < argc; k++) h = text_hash(h, argv[k], strlen(argv[k]) + 1);
        p->problem.fingerprint = h ? h : 1;
    }
    *problem = p->problem;
    *out = p;
    return succeed(err);
}

void zo_plugin_close(zo_plugin *p)
{
    if (!p) return;
    if (p->close) p->close(&p->problem);
    dlclose(p->object);
    mem_free(p);
}
