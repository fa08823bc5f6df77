/* Data sets by name: where they are on this machine, where they are published.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* S_ISDIR, stat */
#include "data/catalogue.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/text.h"

/* clang-format off */
static const data_set sets[] = {
    {"a9a", NULL, "binary/a9a", 32561, 123, 451592,
     "f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906", 1, "two classes: census, one-hot"},
    {"a9a.t", NULL, "binary/a9a.t", 16281, 122, 225731,
     "1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9", 0, "two classes: test part of a9a"},
    {"w8a", NULL, "binary/w8a", 49749, 300, 579586,
     "6a9fa8fd5f524303240a5db07d4b3d4a51e8b7b4b20a914105d8e3e8c81640f2", 1, "two classes: web pages, words"},
    {"covtype.libsvm.binary.scale", "covtype", "binary/covtype.libsvm.binary.scale.bz2", 581012, 54, 6940438,
     NULL, 0, "two classes: forest cover, scaled to [0, 1]"},
    {"gisette_scale", "gisette", "binary/gisette_scale.bz2", 6000, 5000, 0,
     NULL, 0, "two classes: digits 4 and 9, dense"},
    {"gisette_scale.t", "gisette.t", "binary/gisette_scale.t.bz2", 1000, 5000, 4971000,
     "389777780f09ea8ffa7d8ae77fb5ffe6940080e1772a263d9bbbe8a2f4f30ef9", 0, "two classes: test part of gisette_scale"},
    {"german.numer_scale", "german", "binary/german.numer_scale", 1000, 24, 23001,
     "e461161650598fda2988f2a4c3b592634bbcae1c0eec382c94ceda5f30d4dab4", 0, "two classes: credit"},
    {"heart_scale", NULL, "binary/heart_scale", 270, 13, 3378,
     "5defa0a4c4c5bdaf3f55ae3828310252e8565c13ee37ce279e0b86d82e7f4ce9", 0, "two classes: heart disease"},
    {"madelon", NULL, "binary/madelon", 2000, 500, 999999,
     "09de631700d61b8d5f57a2c7de5022ac528cc7039b0b7b066cd751313cf24fe9", 0, "two classes: artificial, raw values, dense"},
    {"mushrooms", NULL, "binary/mushrooms", 8124, 112, 170604,
     "03115cabe65c7634b8e4f1a5581a35cf9c4d1eade64ecfe33620c0efb5891cb9", 0, "two classes: edible or not, one-hot"},
    {"phishing", NULL, "binary/phishing", 11055, 68, 331650,
     "0b0ca40e17bc95e909bfa587c408bf69904571ace01dea26e34cafc464f2da93", 0, "two classes: web sites"},
    {"abalone_scale", NULL, "regression/abalone_scale", 4177, 8, 32080,
     "7f1f6ca7f636e684949fc3f6388fc4f7503083717f776876bbdd11098fc5378b", 0, "regression: rings of shells"},
    {"cpusmall", NULL, "regression/cpusmall", 8192, 12, 94903,
     "399618e16393241f150cc9f6c91fac70431a2b35b3e6f6e010cab503be22241e", 0, "regression: load of a computer, raw values"},
    {"housing_scale", NULL, "regression/housing_scale", 506, 13, 6578,
     "bbacd2f526a038499717d5dc4b8895e6baf1e2351895b9360a84bcb31e104476", 0, "regression: prices of houses"},
};
/* clang-format on */
enum { SETS = sizeof sets / sizeof *sets };

static const char *const suffix[] = {"", ".xz", ".bz2", ".gz", ".zst"};
enum { SUFFIXES = sizeof suffix / sizeof *suffix };

const data_set *data_sets(size_t *count)
{
    *count = SETS;
    return sets;
}

const data_set *data_set_find(const char *name)
{
    for (size_t k = 0; k < SETS; k++)
        if (strcmp(name, sets[k].name) == 0 || (sets[k].alias && strcmp(name, sets[k].alias) == 0))
            return &sets[k];
    return NULL;
}

const char *data_set_near(const char *name)
{
    const char *names[2 * SETS];
    size_t count = 0;
    for (size_t k = 0; k < SETS; k++) {
        names[count++] = sets[k].name;
        if (sets[k].alias) names[count++] = sets[k].alias;
    }
    return text_nearest(name, names, count, sizeof *names);
}

/* ---- Surroundings: the only place in the library that looks at environment variables -------------- */

static const char *variable(const char *name)
{
    const char *v = getenv(name);
    return v && *v ? v : NULL;
}

zo_status data_folder(char *path, size_t size, zo_error *err)
{
    const char *data = variable("XDG_DATA_HOME"), *home = variable("HOME");
    if (!data && !home)
        return fail(err, ZO_BAD_STATE, "no data folder: neither XDG_DATA_HOME nor HOME is set");
    int length = data ? snprintf(path, size, "%s/zoprox", data)
                      : snprintf(path, size, "%s/.local/share/zoprox", home);
    if (length < 0 || (size_t)length >= size)
        return fail(err, ZO_BAD_STATE, "the data folder's path is too long");
    return ZO_OK;
}

const char *data_base_url(const char *mirror)
{
    if (!mirror) mirror = variable("ZOPROX_MIRROR");
    return mirror ? mirror : CATALOGUE_URL;
}

/* ---- Looking for a name --------------------------------------------------------------------------- */

static int is_file(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && !S_ISDIR(s.st_mode);
}

static int find_in(const char *folder, const char *name, char *path, size_t size)
{
    for (size_t k = 0; k < SUFFIXES; k++) {
        int length = snprintf(path, size, "%s/%s%s", folder, name, suffix[k]);
        if (length > 0 && (size_t)length < size && is_file(path)) return 1;
    }
    return 0;
}

static zo_status not_found(const char *name, const char *own, const char *folder, zo_error *err)
{
    const data_set *set = data_set_find(name);
    const char *near = set ? NULL : data_set_near(name);
    char places[300];
    struct stat found;
    if (!set && stat(name, &found) == 0 && S_ISDIR(found.st_mode))
        return fail(err, ZO_IO, "%.400s: a folder, not a file", name);
    if (strchr(name, '/')) return fail(err, ZO_IO, "%.400s: no such file", name);
    snprintf(places, sizeof places, "not a file here, not in %s%.100s, not in %.120s",
             own ? "ZOPROX_DATA = " : "$ZOPROX_DATA (not set)", own ? own : "",
             *folder ? folder : "a data folder (no HOME)");
    if (set)
        return fail(err, ZO_IO, "%s: %s; 'zoprox data fetch %s' downloads it", name, places, name);
    if (near)
        return fail(err, ZO_IO, "%.60s: %s; did you mean %s? 'zoprox data fetch %s' downloads it",
                    name, places, near, near);
    return fail(
        err, ZO_IO,
        "%.60s: %s; 'zoprox data list' names the sets that 'zoprox data fetch NAME' downloads",
        name, places);
}

zo_status data_find(const char *name, char *path, size_t size, zo_error *err)
{
    char folder[1024] = "";
    const char *own = variable("ZOPROX_DATA");
    const data_set *set = data_set_find(name);
    if (strlen(name) >= size)
        return fail(err, ZO_BAD_ARGUMENT, "%.60s...: the name is too long", name);
    if (!*name) return fail(err, ZO_BAD_ARGUMENT, "the name of the data is empty");
    strcpy(path, name);
    if (is_file(name)) return succeed(err);
    if (data_folder(folder, sizeof folder, NULL)) *folder = 0;
    const char *place[2] = {own, *folder ? folder : NULL};
    for (size_t k = 0; k < 2 && !strchr(name, '/'); k++) {
        if (!place[k]) continue;
        if (find_in(place[k], name, path, size) ||
            (set && find_in(place[k], set->name, path, size)))
            return succeed(err);
    }
    return not_found(name, own, folder, err);
}
