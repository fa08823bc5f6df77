/* What a command writes must not be what it reads, nor what it writes elsewhere. SPDX-License-Identifier: MIT
 *
 * The table of options says of each whether its value is a file, and whether that is read or written; the words of a command,
 * and the lines that run programs, name files as well. */
#include <string.h>

#include "base/text.h"
#include "core/line.h"

/* Is it FILE, FILE=... or FILE:..., and the file this one? */
static int value_is(const char *value, const char *path)
{
    char file[4096];
    if (file_same(value, path)) return 1;
    for (size_t cut = strlen(value); cut-- > 1;) {
        if (!strchr("=:", value[cut]) || cut >= sizeof file) continue;
        snprintf(file, sizeof file, "%.*s", (int)cut, value);
        if (file_same(file, path)) return 1;
    }
    return 0;
}

static int list_has(const word_list *list, const char *path)
{
    for (size_t k = 0; k < list->count; k++)
        if (value_is(list->at[k], path)) return 1;
    return 0;
}

static int line_has(const request *r, const char *line, const char *path)
{
    for (line_word w = {.at = line}; line_next(&w);)
        if (line_reads(r, &w) && file_same(w.text, path)) return 1;
    return 0;
}

/* --read NAME@FILE of an FMU: a file of times. */
static int times_are(const request *r, const char *path)
{
    for (size_t k = 0; r->fmu && k < r->read.count; k++) {
        const char *behind = strrchr(r->read.at[k], '@');
        if (behind && file_same(behind + 1, path)) return 1;
    }
    return 0;
}

static const char *text_of(const request *r, const option_row *o)
{
    return *(const char *const *)(const void *)((const char *)r + o->offset);
}

/* Its file, or NULL: a port and - are none. */
static const char *written_by(const request *r, const option_row *o)
{
    uint64_t port;
    const char *path = o->type == OPTION_WRITTEN ? text_of(r, o) : NULL;
    int none = !path || !strcmp(path, "-") || (!strcmp(o->name, "page") && text_whole(path, &port));
    return none ? NULL : path;
}

static int uses(const request *r, const option_row *o, const char *path)
{
    switch (o->type) {
    case OPTION_WRITTEN: return file_same(written_by(r, o), path);
    case OPTION_READ: return text_of(r, o) && value_is(text_of(r, o), path);
    case OPTION_LINE: return text_of(r, o) && line_has(r, text_of(r, o), path);
    case OPTION_READ_LIST:
        return list_has((const word_list *)(const void *)((const char *)r + o->offset), path);
    case OPTION_LIST: return !strcmp(o->name, "read") && times_are(r, path);
    default: return 0;
    }
}

/* What a command's own words are; NULL: no files. */
static const char *words_are(const request *r)
{
    if (r->command->bit & (IN_SOLVE | IN_OPTIMUM | IN_TUNE | IN_EVAL | IN_PREDICT)) return "SOURCE";
    return r->command->bit & (IN_REPORT | IN_PLOT | IN_WATCH) ? "a run" : NULL;
}

static int check_written(const request *r, const option_row *by, const char *path)
{
    option_row o;
    for (size_t k = 0; words_are(r) && k < r->nwords; k++)
        if (file_same(r->words[k], path))
            return complain(REFUSED, "--%s and %s are the same file, '%s'", by->name, words_are(r),
                            path);
    for (size_t k = 0; option_at(k, &o); k++) {
        int may = !strcmp(o.name, by->name) ||
                  (!strcmp(by->name, "save") &&
                   !strcmp(o.name, "start")); /* replaced by what is better */
        if (!may && uses(r, &o, path))
            return complain(REFUSED, "--%s and --%s are the same file, '%s'", by->name, o.name,
                            path);
    }
    return DONE;
}

int files_apart(const request *r)
{
    option_row o;
    int code = DONE;
    for (size_t k = 0; !code && option_at(k, &o); k++)
        if (written_by(r, &o)) code = check_written(r, &o, written_by(r, &o));
    return code;
}
