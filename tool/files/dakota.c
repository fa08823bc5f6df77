/* Dakota's files: parameters for a driver, standard or as APREPRO reads them, and its results.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "files/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { WIDTH = 44 }; /* of what stands before a label */

static void put(FILE *out, int aprepro, const char *value, const char *label, const char *standard)
{
    if (aprepro)
        fprintf(out, "%*s{ %s = %s }\n", WIDTH - 24, "", label, value);
    else
        fprintf(out, "%*s %s\n", WIDTH, value, standard);
}

static void put_count(FILE *out, int aprepro, size_t value, const char *label, const char *standard)
{
    char text[24];
    snprintf(text, sizeof text, "%zu", value);
    put(out, aprepro, text, label, standard);
}

char *dakota_params(const values *v, size_t functions, unsigned long long id, int aprepro,
                    size_t *size)
{
    char *text = NULL, value[32], label[LONGEST_NAME + 32];
    FILE *out = open_memstream(&text, size);
    if (!out) return NULL;
    put_count(out, aprepro, v->d, "DAKOTA_VARS", "variables");
    for (size_t j = 0; j < v->d; j++) {
        if (v->known)
            snprintf(label, sizeof label, "%s", v->known->names[j]);
        else
            snprintf(label, sizeof label, "x%zu", j);
        put(out, aprepro, text_exact(v->x[j], value, sizeof value), label, label);
    }
    put_count(out, aprepro, functions, "DAKOTA_FNS", "functions");
    for (size_t k = 1; k <= functions; k++) { /* 1: the value is asked for, and no derivative */
        snprintf(label, sizeof label, "ASV_%zu:response_fn_%zu", k, k);
        put(out, aprepro, "1", label, label);
    }
    put_count(out, aprepro, v->d, "DAKOTA_DER_VARS", "derivative_variables");
    for (size_t j = 0; j < v->d; j++) {
        if (v->known)
            snprintf(label, sizeof label, "DVV_%zu:%s", j + 1, v->known->names[j]);
        else
            snprintf(label, sizeof label, "DVV_%zu:x%zu", j + 1, j);
        put_count(out, aprepro, j + 1, label, label);
    }
    put_count(out, aprepro, 0, "DAKOTA_AN_COMPS", "analysis_components");
    put_count(out, aprepro, (size_t)id, "DAKOTA_EVAL_ID", "eval_id");
    return fclose(out) ? free(text), NULL : text;
}

/* A number a line, with a label behind it or not; "fail" in any spelling is a failure. */
int dakota_results(const folder *f, size_t functions, numbers *out)
{
    char path[LONGEST_PATH];
    size_t size, before = out->count;
    folder_in(f, "results.out", path);
    char *text = read_whole(path, &size), *rest = text, *line;
    if (!text) {
        fprintf(stderr, "the driver left no %s: %s\n", path, strerror(errno));
        return WORKER_MISTAKEN;
    }
    int fine = !strcasestr(text, "fail");
    if (!fine) fprintf(stderr, "the driver says that it failed, in %s\n", path);
    while (fine && out->count - before < functions && (line = strsep(&rest, "\n"))) {
        double v;
        line += strspn(line, " \t\r");
        line[strcspn(line, " \t\r")] = 0;
        if (text_number(line, &v)) fine = numbers_add(out, v);
    }
    free(text);
    if (!fine) return WORKER_FAILED;
    if (out->count - before == functions) return DONE;
    fprintf(stderr, "%zu numbers are in %s; %zu functions were asked for\n", out->count - before,
            path, functions);
    return WORKER_MISTAKEN;
}
