/* From SOURCE, loss and regulariser to a problem.
 * SPDX-License-Identifier: MIT */
#include "files/parameters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "data/catalogue.h"
#include "prox/table.h"

static zo_status read_data(task *s, const request *r, zo_error *err)
{
    const char *name = r->words[0];
    char path[4096];
    if (!strncmp(name, "synth:", 6)) return zo_data_synth(&s->data, name + 6, err);
    if (!strcmp(name, "-")) return zo_data_read(&s->data, name, r->features, err);
    zo_status status = data_find(name, path, sizeof path, err);
    return status ? status : zo_data_read(&s->data, path, r->features, err);
}

/* A file that cannot be read is bad input; what happens later on the file system is a failure. */
static int refuse_data(const zo_error *err)
{
    return err->status == ZO_IO ? complain(REFUSED, "%s", err->text) : complain_of(err);
}

/* Collective: this rank's part. Where a file is not there on one rank, none begins to read. */
static int read_part(task *s, const request *r)
{
    const char *name = r->words[0];
    char path[4096] = "-";
    zo_error err;
    if (!strncmp(name, "synth:", 6)) {
        int failed = zo_data_synth(&s->data, name + 6, &err) || ranks_keep(s->data, &err);
        return failed ? refuse_data(&err) : DONE;
    }
    int missing = strcmp(name, "-") && data_find(name, path, sizeof path, &err);
    int code = ranks_agree(missing ? refuse_data(&err) : DONE);
    if (code) return code;
    return ranks_read(&s->data, path, r->features, (int)r->threads, &err) ? refuse_data(&err)
                                                                          : DONE;
}

/* "l1:0.0001 box:-1,1@0:10": --l1 and every --prox, as zo_prox_parse reads them. NULL: out of memory. */
static char *psi_text(const request *r)
{
    size_t size = 64;
    for (size_t k = 0; k < r->nprox; k++) size += strlen(r->prox[k]) + 1;
    char *text = calloc(size, 1), number[32];
    if (!text) return NULL;
    if (!isnan(r->l1)) snprintf(text, size, "l1:%s", text_short(r->l1, number, sizeof number));
    for (size_t k = 0; k < r->nprox; k++) {
        if (*text) strcat(text, " ");
        strcat(text, r->prox[k]);
    }
    return text;
}

/* A plugin may have a copy of the library in it: its zo_l1 is not ours then, and is known by its name only. Its numbers are
 * looked at all the same. */
static int check_plugin_psi(const task *s)
{
    static const family by_numbers[] = {L1,      L2,      SQUARED_L2, ELASTIC_NET, BOX,
                                        L1_BALL, L2_BALL, LINF,       SIMPLEX,     TV};
    const zo_prox *psi = &s->problem.psi;
    zo_error err;
    if (zo_prox_check(psi, s->problem.d, &err)) return complain(REFUSED, "plugin: %s", err.text);
    for (size_t k = 0; psi->name && k < sizeof by_numbers / sizeof *by_numbers; k++) {
        zo_prox ours = family_build(by_numbers[k], psi);
        if (!strcmp(psi->name, ours.name) && zo_prox_check(&ours, s->problem.d, &err))
            return complain(REFUSED, "plugin: %s", err.text);
    }
    return DONE;
}

static int open_psi(task *s, const request *r)
{
    zo_error err;
    if (isnan(r->l1) && r->nprox == 0) { /* a plugin may bring a psi of its own */
        if (!s->problem.psi.apply) s->problem.psi = zo_zero();
        return s->plugin ? check_plugin_psi(s) : DONE;
    }
    char *text = psi_text(r);
    if (!text) return complain(FAILED, "prox: out of memory");
    zo_status status = zo_prox_parse(&s->problem.psi, text, s->problem.d, &err);
    free(text);
    if (!status) return DONE;
    s->problem.psi = zo_zero();
    return refuse_data(&err);
}

static int open_model(task *s, const request *r, int part)
{
    zo_error err;
    int code = part ? read_part(s, r) : read_data(s, r, &err) ? refuse_data(&err) : DONE;
    if (code) return code;
    int failed =
        zo_model_new(&s->model, s->data, r->loss, r->l2, (int)r->threads, &s->problem, &err);
    return failed ? complain_of(&err) : DONE;
}

/* Bounds, logarithms and scales of parameters that are named. */
static int add_parameters(task *s)
{
    parameters *p = s->known;
    zo_error err;
    if (!p) return DONE;
    s->problem.log = p->log;
    s->problem.scale = p->scale;
    if (p->log) s->problem.fingerprint = text_hash(s->problem.fingerprint, p->log, p->count);
    if (!p->bounded) return DONE;
    zo_prox bounds = zo_bounds(p->low, p->high);
    s->psi = s->problem.psi; /* it goes at the end */
    p->part[0] = (zo_block){0, p->count, s->psi};
    p->part[1] = (zo_block){0, p->count, bounds};
    s->problem.psi = family_of(&s->psi) == ZERO ? bounds : zo_sum(p->part, 2);
    if (!zo_prox_check(&s->problem.psi, p->count, &err)) return DONE;
    return complain(REFUSED, "--parameters: bounds beside this psi: %s", err.text);
}

/* n numbers of a file, or NULL where none is named. */
static int load_numbers(const char *path, const char *name, size_t n, double **out)
{
    if (!path) return DONE;
    if (!(*out = calloc(n, sizeof **out)))
        return complain(FAILED, "%s: out of memory for %zu numbers", name, n);
    return file_load(path, name, n, *out);
}

/* --residuals: what is on top of what the black box gives. */
static int open_residuals(task *s, const request *r)
{
    zo_error err;
    if (!r->residuals && (r->weights || r->targets))
        return complain(REFUSED, "--%s: it goes with --residuals",
                        r->weights ? "weights" : "targets");
    if (!r->residuals) return DONE;
    if (zo_outer_parse(&s->problem.outer, r->residuals, &err)) return complain_of(&err);
    int code = load_numbers(r->weights, "weights", s->problem.n, &s->weights);
    if (!code) code = load_numbers(r->targets, "targets", s->problem.n, &s->targets);
    s->problem.outer.weight = s->weights;
    s->problem.outer.target = s->targets;
    return code;
}

static int open_task(task *s, const request *r, int part)
{
    memset(s, 0, sizeof *s);
    s->problem.psi = zo_zero();
    s->radius = NAN;
    if (r->threads > 1024)
        return complain(REFUSED, "--threads: %llu is above the most that make sense, 1024",
                        (unsigned long long)r->threads);
    int code = parameters_open(&s->known, r->parameters);
    if (!code) code = box_wanted(r) ? box_open(s, r) : open_model(s, r, part);
    if (!code) code = open_psi(s, r);
    if (!code) code = add_parameters(s);
    if (!code) code = open_residuals(s, r);
    if (code) task_close(s);
    return code;
}

int task_open(task *s, const request *r) { return open_task(s, r, 0); }

/* The optimum is computed from all of the data. */
int task_open_part(task *s, const request *r)
{
    return open_task(s, r, isnan(r->gap) || !isnan(r->optimum));
}

void task_close(task *s)
{
    zo_prox_free(s->psi.apply ? &s->psi : &s->problem.psi);
    free(s->weights);
    free(s->targets);
    box_close(s);
    zo_model_free(s->model);
    zo_data_free(s->data);
    parameters_free(s->known);
    memset(s, 0, sizeof *s);
}
