/* What --residuals, --weights and --targets say of a history.
 * SPDX-License-Identifier: MIT */
#include "view/residuals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of a file, however many there are. */
static int load_column(residuals *o, const char *path, const char *name, double **out)
{
    size_t count = 0;
    if (!path) return DONE;
    FILE *in = fopen(path, "re");
    if (!in) return complain(REFUSED, "%s: '%s' cannot be read: %s", name, path, strerror(errno));
    for (int c, last = '\n'; (c = fgetc(in)) != EOF || last != '\n'; last = c) {
        count += c == '\n' || c == EOF;
        if (c == EOF) break;
    }
    fclose(in);
    o->n = count;
    *out = calloc(count + 1, sizeof **out);
    return *out ? file_load(path, name, count, *out) : complain(FAILED, "%s: out of memory", name);
}

int residuals_open(residuals *o, const request *r, story *s)
{
    zo_error err;
    if (!r->residuals) return DONE;
    if (zo_outer_parse(&o->outer, r->residuals, &err)) return complain_of(&err);
    int code = load_column(o, r->weights, "weights", &o->weights);
    if (!code) code = load_column(o, r->targets, "targets", &o->targets);
    o->outer.weight = o->weights;
    o->outer.target = o->targets;
    s->outer = &o->outer;
    s->nouter = o->n ? o->n : SIZE_MAX;
    return code;
}

int residuals_fit(const residuals *o, const request *r, const story *s, const char *path)
{
    if (!r->residuals && !r->quiet && s->largest > 1)
        fprintf(stderr,
                "zoprox: %s: '%s': f is the mean of the values as the program gave them; where the "
                "run had --residuals, give it here too, with its --targets and --weights\n",
                r->command->name, path);
    if (!o->n || s->largest <= o->n) return DONE;
    return complain(REFUSED, "%s: '%s' has case %zu, but there are %zu targets or weights",
                    o->targets ? "targets" : "weights", path, s->largest - 1, o->n);
}

double residuals_target(const residuals *o, size_t i)
{
    return o->targets && i < o->n ? o->targets[i] : 0;
}

void residuals_close(residuals *o)
{
    free(o->weights);
    free(o->targets);
    *o = (residuals){0};
}
