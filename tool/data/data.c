/* zoprox data: list, fetch, path, info.
 * SPDX-License-Identifier: MIT */
#include "core/tool.h"

#include <jansson.h>
#include <string.h>

#include "base/text.h"
#include "data/data_fetch.h"

/* ---- list ----------------------------------------------------------------------------------------- */

static json_t *text_or_null(const char *text) { return text ? json_string(text) : json_null(); }
static json_t *count_or_null(size_t count)
{
    return count ? json_integer((json_int_t)count) : json_null();
}

static json_t *set_json(const data_set *s, const char *path, const char *mirror)
{
    char url[1024];
    const char *base = data_base_url(mirror);
    snprintf(url, sizeof url, "%s%s%s", base, *base && base[strlen(base) - 1] == '/' ? "" : "/",
             s->place);
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(s->name));
    json_object_set_new(o, "alias", text_or_null(s->alias));
    json_object_set_new(o, "n", count_or_null(s->n));
    json_object_set_new(o, "d", count_or_null(s->d));
    json_object_set_new(o, "nonzeros", count_or_null(s->nonzeros));
    json_object_set_new(o, "sha256", text_or_null(s->sha256));
    json_object_set_new(o, "check", json_string(s->exact ? "sha256" : "counts"));
    json_object_set_new(o, "url", json_string(url));
    json_object_set_new(o, "path", text_or_null(path));
    json_object_set_new(o, "about", json_string(s->about));
    return o;
}

static void print_set(const data_set *s, int here)
{
    char nonzeros[24] = "?";
    if (s->nonzeros) snprintf(nonzeros, sizeof nonzeros, "%zu", s->nonzeros);
    printf("%-28s %7zu %5zu %8s  %-4s  %s%s%s%s\n", s->name, s->n, s->d, nonzeros,
           here ? "here" : "-", s->about, s->alias ? " (also: " : "", s->alias ? s->alias : "",
           s->alias ? ")" : "");
}

static int list(const request *r)
{
    size_t count;
    const data_set *sets = data_sets(&count);
    json_t *all = r->json ? json_array() : NULL;
    char path[4096];
    if (r->nwords > 1)
        return complain(REFUSED, "data list: '%s' is one word too many", r->words[1]);
    if (!r->json)
        printf("%-28s %7s %5s %8s  %-4s  %s\n", "name", "n", "d", "nonzeros", "here", "what it is");
    for (size_t k = 0; k < count; k++) {
        int here = data_find(sets[k].name, path, sizeof path, NULL) == ZO_OK;
        if (r->json)
            json_array_append_new(all, set_json(&sets[k], here ? path : NULL, r->mirror));
        else
            print_set(&sets[k], here);
    }
    return r->json ? print_json(all) : DONE;
}

/* ---- path, fetch ---------------------------------------------------------------------------------- */

static int path_of(const request *r)
{
    char path[4096];
    zo_error err;
    if (r->nwords != 2) return complain(REFUSED, "data path: one NAME is wanted");
    if (data_find(r->words[1], path, sizeof path, &err)) return complain(REFUSED, "%s", err.text);
    if (r->json) return print_json(json_pack("{s:s, s:s}", "name", r->words[1], "path", path));
    puts(path);
    return DONE;
}

static int unknown_set(const char *name)
{
    const char *near = data_set_near(name);
    if (near)
        return complain(REFUSED, "data fetch: '%s' is not in the catalogue; did you mean '%s'?",
                        name, near);
    return complain(REFUSED, "data fetch: '%s' is not in the catalogue; see 'zoprox data list'",
                    name);
}

static int fetch(const request *r)
{
    char path[4096];
    zo_error err;
    if (r->nwords < 2)
        return complain(REFUSED, "data fetch: at least one NAME is wanted; see 'zoprox data list'");
    for (size_t k = 1; k < r->nwords; k++)
        if (!data_set_find(r->words[k])) return unknown_set(r->words[k]);
    json_t *all = r->json ? json_array() : NULL;
    int code = DONE;
    for (size_t k = 1; k < r->nwords && code == DONE; k++) {
        const data_set *set = data_set_find(r->words[k]);
        fetching how = {.mirror = r->mirror, .shown = !r->quiet, .timeout = r->timeout};
        if (data_fetch(set, &how, path, sizeof path, &err))
            code = complain(err.status == ZO_UNSUPPORTED || err.status == ZO_BAD_ARGUMENT ? REFUSED
                                                                                          : FAILED,
                            "%s", err.text);
        else if (r->json)
            json_array_append_new(all, set_json(set, path, r->mirror));
        else
            puts(path);
    }
    if (code == DONE && r->json) return print_json(all);
    json_decref(all);
    return code;
}

/* ---- info ----------------------------------------------------------------------------------------- */

static zo_status open_data(zo_data **out, const char *name, char *path, size_t size, zo_error *err)
{
    snprintf(path, size, "%s", name);
    if (strncmp(name, "synth:", 6) == 0) return zo_data_synth(out, name + 6, err);
    zo_status status = strcmp(name, "-") ? data_find(name, path, size, err) : ZO_OK;
    return status ? status : zo_data_read(out, path, 0, err);
}

static size_t bytes_of(const zo_data_facts *f)
{
    if (f->dense) return 8 * (f->n * f->features + f->n);
    return 12 * f->nonzeros + 16 * f->n + 8;
}

static json_t *facts_json(const char *name, const char *path, const zo_data_facts *f)
{
    char print[24];
    snprintf(print, sizeof print, "%016llx", (unsigned long long)f->fingerprint);
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(name));
    json_object_set_new(o, "path", json_string(path));
    json_object_set_new(o, "n", json_integer((json_int_t)f->n));
    json_object_set_new(o, "d", json_integer((json_int_t)f->features));
    json_object_set_new(o, "nonzeros", json_integer((json_int_t)f->nonzeros));
    json_object_set_new(o, "density",
                        json_real((double)f->nonzeros / ((double)f->n * (double)f->features)));
    json_object_set_new(o, "storage", json_string(f->dense ? "dense" : "sparse"));
    json_object_set_new(o, "bytes", json_integer((json_int_t)bytes_of(f)));
    json_object_set_new(o, "labels",
                        f->labels > 1000 ? json_null() : json_integer((json_int_t)f->labels));
    json_object_set_new(o, "least", json_real(f->least));
    json_object_set_new(o, "greatest", json_real(f->greatest));
    json_object_set_new(o, "fingerprint", json_string(print));
    return o;
}

static void print_facts(const char *path, const zo_data_facts *f)
{
    char least[32], greatest[32], labels[32];
    snprintf(labels, sizeof labels, "%zu", f->labels);
    printf("%-12s %s\n", "path", path);
    printf("%-12s %zu\n%-12s %zu\n%-12s %zu\n", "n", f->n, "d", f->features, "nonzeros",
           f->nonzeros);
    printf("%-12s %.4g\n", "density", (double)f->nonzeros / ((double)f->n * (double)f->features));
    printf("%-12s %s different, %s to %s\n", "labels", f->labels > 1000 ? "more than 1000" : labels,
           text_short(f->least, least, sizeof least),
           text_short(f->greatest, greatest, sizeof greatest));
    printf("%-12s %s, %.1f MB\n", "storage", f->dense ? "full rows" : "sparse rows",
           1e-6 * (double)bytes_of(f));
    printf("%-12s %016llx\n", "fingerprint", (unsigned long long)f->fingerprint);
}

static int info(const request *r)
{
    char path[4096];
    zo_data *data;
    zo_error err;
    if (r->nwords != 2) return complain(REFUSED, "data info: one SOURCE is wanted");
    if (open_data(&data, r->words[1], path, sizeof path, &err))
        return err.status == ZO_IO ? complain(REFUSED, "%s", err.text) : complain_of(&err);
    zo_data_facts f = zo_data_look(data);
    zo_data_free(data);
    if (r->json) return print_json(facts_json(r->words[1], path, &f));
    print_facts(path, &f);
    return DONE;
}

int command_data(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(const request *r);
    } verbs[] = {{"list", list}, {"fetch", fetch}, {"path", path_of}, {"info", info}};
    enum { VERBS = sizeof verbs / sizeof *verbs };
    request r;
    int code = request_parse(&r, argc, argv);
    if (code) return code;
    if (r.nwords == 0)
        return complain(REFUSED, "data: one of list, fetch, path and info is wanted");
    for (size_t k = 0; k < VERBS; k++)
        if (strcmp(r.words[0], verbs[k].name) == 0) return verbs[k].run(&r);
    const char *near = text_nearest(r.words[0], verbs, VERBS, sizeof *verbs);
    return complain(REFUSED, "data: '%s' is none of list, fetch, path, info%s%s%s", r.words[0],
                    near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
}
