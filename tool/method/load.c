/* Methods from outside, by name.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "method/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "method/python.h"

typedef int (*open_function)(zo_method *method, char *error, size_t size);
typedef void (*close_function)(zo_method *method);

typedef struct loaded {
    char name[16];
    const char *spec;
    uint64_t print;
    open_function open; /* of a shared object; NULL: it is Python */
    close_function close;
    python *idle; /* processes that nobody uses */
} loaded;

struct own_method {
    zo_method method;
    loaded *from;
    python *python; /* or NULL */
};

static loaded table[MAX_WORDS];
static size_t count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the idle ones */

static loaded *find(const char *name)
{
    for (size_t k = 0; k < count; k++)
        if (!strcmp(table[k].name, name)) return &table[k];
    return NULL;
}

const char *loaded_at(size_t k) { return k < count ? table[k].name : NULL; }

uint64_t loaded_print(const char *name)
{
    const loaded *l = find(name);
    return l ? l->print : 0;
}

/* ---- Loading ------------------------------------------------------------------------------------------ */

/* ISO C has no cast from an object pointer; POSIX promises the bytes are the same. */
static void symbol(void *object, const char *name, void *function)
{
    void *found = dlsym(object, name);
    memcpy(function, &found, sizeof found);
}

static int load_object(loaded *l, const char *spec)
{
    char why[256] = "";
    zo_method one = {0};
    char *path = realpath(spec, NULL); /* a name without a / would be looked for elsewhere */
    void *object = dlopen(path ? path : spec, RTLD_NOW | RTLD_LOCAL); /* there until the end */
    free(path);
    if (!object) return complain(REFUSED, "--load: cannot load '%s': %s", spec, dlerror());
    symbol(object, "zoprox_method_open", &l->open);
    symbol(object, "zoprox_method_close", &l->close);
    if (!l->open) return complain(REFUSED, "--load: '%s' has no function zoprox_method_open", spec);
    int code = l->open(&one, why, sizeof why);
    if (code)
        return complain(REFUSED, "--load: zoprox_method_open of '%s' failed with code %d%s%s", spec,
                        code, *why ? ": " : "", why);
    const char *name = one.name ? one.name : "";
    int fits = *name && strlen(name) < sizeof l->name;
    snprintf(l->name, sizeof l->name, "%.15s", name);
    if (!fits)
        code =
            complain(REFUSED, "--load: '%s': its name '%.40s' has not 1 to 15 letters", spec, name);
    if (l->close) l->close(&one);
    return code;
}

/* FILE of FILE.py or FILE.py:CLASS; NULL: it is no Python. */
static char *python_file(const char *spec)
{
    const char *colon = strstr(spec, ".py:");
    size_t length = colon ? (size_t)(colon - spec) + 3 : strlen(spec);
    if (length < 4 || strncmp(spec + length - 3, ".py", 3)) return NULL;
    return strndup(spec, length);
}

static int print_of(const char *path, uint64_t *print)
{
    char bytes[4096];
    size_t got;
    FILE *f = fopen(path, "rb");
    if (!f) return complain(REFUSED, "--load: '%s': %s", path, strerror(errno));
    *print = TEXT_HASH;
    while ((got = fread(bytes, 1, sizeof bytes, f))) *print = text_hash(*print, bytes, got);
    fclose(f);
    return DONE;
}

static int load(const char *spec)
{
    loaded *l = &table[count];
    char *file = python_file(spec);
    int code = print_of(file ? file : spec, &l->print);
    l->spec = spec;
    if (!code && file)
        code = (l->idle = python_start(spec, l->name)) ? DONE : REFUSED;
    else if (!code)
        code = load_object(l, spec);
    free(file);
    if (code) return code;
    size_t rows;
    const zo_method_row *row = zo_method_rows(&rows);
    for (size_t k = 0; k < rows; k++)
        if (!strcmp(row[k].name, l->name))
            return complain(REFUSED,
                            "--load: '%s': its name '%s' is that of one that is here already", spec,
                            l->name);
    if (find(l->name)) return complain(REFUSED, "--load: two methods have the name '%s'", l->name);
    count++;
    return DONE;
}

int methods_load(request *r)
{
    size_t rows;
    const zo_setting_row *row = zo_setting_rows(&rows);
    int code = DONE;
    for (size_t k = 0; k < r->load.count && !code; k++) code = load(r->load.at[k]);
    for (size_t k = 0; k < rows && count && !code; k++)
        if (!strcmp(row[k].name, "method") && !(r->given >> k & 1))
            snprintf(r->set.method, sizeof r->set.method, "%s", table[0].name);
    return code;
}

/* ---- One of them, for a solver ------------------------------------------------------------------------ */

static python *idle_one(loaded *l)
{
    char name[16];
    pthread_mutex_lock(&lock);
    python *p = l->idle;
    if (p) l->idle = p->next;
    pthread_mutex_unlock(&lock);
    return p ? p : python_start(l->spec, name);
}

static zo_status make(own_method *own, zo_error *err)
{
    loaded *l = own->from;
    char why[256] = "";
    int code = 0;
    if (l->open)
        code = l->open(&own->method, why, sizeof why);
    else if (!(own->python = idle_one(l)))
        code = 1;
    else
        code = python_begin(own->python, &own->method);
    own->method.name = l->name;
    if (!code) return ZO_OK;
    err->status = ZO_PROBLEM;
    snprintf(err->text, sizeof err->text, "method %s: %s", l->name,
             *why          ? why
             : own->python ? own->python->failed
                           : "it could not be started");
    return err->status;
}

zo_status solver_open(zo_solver **out, own_method **own, const zo_problem *problem,
                      const zo_settings *settings, zo_error *err)
{
    loaded *l = find(settings->method);
    *out = NULL;
    *own = NULL;
    if (!l) return zo_new(out, problem, settings, err);
    if (!(*own = calloc(1, sizeof **own))) {
        snprintf(err->text, sizeof err->text, "method %s: out of memory", l->name);
        return err->status = ZO_NO_MEMORY;
    }
    (*own)->from = l;
    zo_status status = make(*own, err);
    if (!status) status = zo_new_with(out, problem, settings, &(*own)->method, err);
    if (status && *own_failed(*own))
        snprintf(err->text, sizeof err->text, "method %s: %s", l->name, own_failed(*own));
    return status;
}

const char *own_failed(const own_method *own)
{
    return own && own->python ? own->python->failed : "";
}

void own_close(own_method *own)
{
    if (!own) return;
    if (own->from->close) own->from->close(&own->method);
    python *p = own->python;
    if (p && *p->failed) {
        python_stop(p);
    } else if (p) {
        pthread_mutex_lock(&lock);
        p->next = own->from->idle;
        own->from->idle = p;
        pthread_mutex_unlock(&lock);
    }
    free(own);
}
