/* From SOURCE, loss and regulariser to a problem.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "files/parameters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "data/catalogue.h"
#include "data/data.h"
#include "problem/outer.h"
#include "problem/problem.h"
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

/* Where the index is that makes a file so wide: a reader that is to take one less names its line. */
int task_no_room(const task *s, const request *r, const zo_error *why)
{
    zo_data_facts f = s->data ? zo_data_look(s->data) : (zo_data_facts){0};
    task again = {0};
    request less = *r;
    zo_error err;
    less.features = f.features - (r->intercept ? 2 : 1);
    if (why->status != ZO_NO_MEMORY || f.nonzeros >= f.features || ranks_size() > 1 ||
        !strncmp(r->words[0], "synth:", 6) || !strcmp(r->words[0], "-"))
        return complain_of(why);
    zo_status status = read_data(&again, &less, &err);
    zo_data_free(again.data);
    const char *end = status == ZO_BAD_INPUT ? strstr(err.text, ": index ") : NULL;
    if (!end) return complain_of(why);
    return complain(FAILED, "%.*s: index %zu: out of memory for so many features",
                    (int)(end - err.text), err.text, (size_t)less.features + 1);
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

/* "l1:0.0001 box:-1,1@0:10": --l1 and every --prox, as zo_prox_parse reads them, each behind the block's mark if there is one.
 * NULL: out of memory. */
static void put_psi(FILE *out, const request *r, double l2, const char *block)
{
    char number[32];
    int both = r->l1 > 0 && l2 > 0;
    if (both) fprintf(out, " elastic-net:%s,", text_short(r->l1, number, sizeof number));
    if (both) fprintf(out, "%s%s", text_short(l2, number, sizeof number), block);
    if (!both && !isnan(r->l1))
        fprintf(out, " l1:%s%s", text_short(r->l1, number, sizeof number), block);
    if (!both && l2 > 0)
        fprintf(out, " squared-l2:%s%s", text_short(l2, number, sizeof number), block);
    for (size_t k = 0; k < r->nprox; k++) fprintf(out, " %s%s", r->prox[k], block);
}

static char *psi_text(const task *s, const request *r)
{
    char *text = NULL, block[64];
    size_t size, wide = r->intercept ? zo_data_look(s->data).features : 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    if (!wide) put_psi(out, r, 0, "");
    for (size_t from = 0; wide && from < s->problem.d; from += wide) { /* a block for each class */
        snprintf(block, sizeof block, "@%zu:%zu", from, from + wide - 1);
        put_psi(out, r, r->l2, block);
    }
    return fclose(out) ? free(text), NULL : text;
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
    if (isnan(r->l1) && r->nprox == 0 &&
        !(r->intercept && r->l2 > 0)) { /* a plugin may bring a psi of its own */
        if (!s->problem.psi.apply) s->problem.psi = zo_zero();
        return s->plugin ? check_plugin_psi(s) : DONE;
    }
    char *text = psi_text(s, r);
    if (!text) return complain(FAILED, "prox: out of memory");
    zo_status status = zo_prox_parse(&s->problem.psi, text, s->problem.d, &err);
    free(text);
    if (!status) return DONE;
    s->problem.psi = zo_zero();
    return refuse_data(&err);
}

/* One class is nothing to tell apart: F only falls, and any x that is large enough will do. Rows that x is tried on may be so. */
static void look_at_labels(const task *s, const request *r)
{
    int classes = r->loss == ZO_LOGISTIC || r->loss == ZO_SMOOTH_HINGE || r->loss == ZO_SIGMOID;
    unsigned finds = IN_SOLVE | IN_TUNE | IN_OPTIMUM;
    double seen[COUNTED_LABELS];
    const zo_data *z = s->data;
    size_t count = z->whole ? z->nclasses : data_labels(z, seen);
    if (!classes || count != 1 || r->quiet || !(r->command->bit & finds)) return;
    fprintf(stderr,
            "zoprox: warning: all labels of '%s' are %g: one class, and nothing to tell apart\n",
            r->words[0], z->whole ? z->classes[0] : seen[0]);
}

static int open_model(task *s, const request *r, int part)
{
    zo_error err;
    int code = part ? read_part(s, r) : read_data(s, r, &err) ? refuse_data(&err) : DONE;
    if (code) return code;
    /* with an intercept, which the ridge leaves alone, the ridge is a part of psi: F is the same */
    if (r->intercept && data_add_ones(s->data, &err)) return complain_of(&err);
    int failed = zo_model_new(&s->model, s->data, r->loss, r->intercept ? 0 : r->l2,
                              (int)r->threads, &s->problem, &err);
    if (failed) return complain_of(&err);
    look_at_labels(s, r);
    return DONE;
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
    size_t cases = r->targets || r->weights ? file_lines(r->targets ? r->targets : r->weights) : 0;
    if (s->problem.n == 1 && !r->n && !r->fmu && cases > 1)
        return complain(
            REFUSED,
            "%s: '%s' has %zu numbers; --n %zu if a run gives as many (without --n it is 1)",
            r->targets ? "targets" : "weights", r->targets ? r->targets : r->weights, cases, cases);
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

int task_start(const task *s, const request *r, double *x)
{
    size_t d = s->problem.d;
    if (r->start)
        return s->known ? parameters_load(s->known, r->start, x)
                        : file_load(r->start, "start", d, x);
    if (s->known) memcpy(x, s->known->start, d * sizeof *x);
    return DONE;
}

int task_settle(task *s)
{
    zo_error err;
    zo_solver *solver;
    zo_settings set = zo_defaults();
    zo_problem *p = &s->problem;
    if (zo_new(&solver, p, &set, &err)) return complain_of(&err); /* is it a problem at all? */
    zo_free(solver);
    if (p->answer) return DONE;
    if (p->all ? whole_new(&s->whole, p, &err) : callback_new(&s->callback, p, &err))
        return complain_of(&err);
    p->answer = p->all ? whole_answer : callback_answer;
    p->ctx = p->all ? (void *)s->whole : (void *)s->callback;
    p->heed = p->all ? whole_heed : callback_heed;
    p->health = NULL; /* it would be given our ctx */
    return DONE;
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
    callback_free(s->callback);
    whole_free(s->whole);
    zo_model_free(s->model);
    zo_data_free(s->data);
    parameters_free(s->known);
    memset(s, 0, sizeof *s);
}
