/* --fmu: a run of the model for each point. SPDX-License-Identifier: MIT
 *
 * zoprox starts itself as a worker (fmu-worker OPTIONS) that answers questions on its standard input, so that an FMU that
 * crashes or hangs is as any other program. For each point it makes an instance, sets the parameters, takes communication
 * steps to the last time that is read, and reads values on the way. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "fmu/fmu.h"

typedef struct bench { /* where an FMU is run */
    request r;
    fmu_folder folder;
    fmu_model model;
    fmu_moments when;
    parameters *known;
    const fmu_variable **set; /* for each parameter */
    const fmu_standard *standard;
    fmu_unit unit;
    numbers got;
} bench;

/* ---- one run ------------------------------------------------------------------------------------------------ */

/* The parameters that may be set then. NULL, or what failed. */
static const char *set_those(bench *b, const double *x, int when)
{
    const char *wrong = NULL;
    for (size_t j = 0; j < b->known->count && !wrong; j++)
        if (b->set[j]->may == when) wrong = b->standard->set(&b->unit, b->set[j]->reference, x[j]);
    return wrong;
}

/* From time *t to the next time that is read, by steps no longer than the communication step. Grid points are
 * start + k step, so that what one run reads more than another changes no step but those that it cuts. */
static const char *go_to(bench *b, double *t, double time)
{
    const double start = b->model.start, step = b->when.step, little = 1e-9 * step;
    const char *wrong = NULL;
    while (!wrong && *t < time - little) {
        double next = start + (floor((*t - start) / step + 1e-6) + 1) * step;
        if (next > time - little) next = b->model.any_step ? time : next;
        wrong = b->standard->step(&b->unit, *t, next - *t);
        *t = next;
    }
    return wrong;
}

static const char *simulate(bench *b, const double *x, double *t)
{
    double stop = b->when.at[b->when.count - 1].time;
    const char *wrong = b->standard->begin(&b->unit);
    *t = b->model.start;
    if (!wrong) wrong = set_those(b, x, FMU_BEFORE);
    if (!wrong) wrong = b->standard->enter(&b->unit, stop);
    if (!wrong) wrong = set_those(b, x, FMU_WITHIN);
    if (!wrong) wrong = fmu_leave(&b->unit, b->standard);
    for (size_t k = 0; k < b->when.count && !wrong; k++) {
        const fmu_moment *m = &b->when.at[k];
        wrong = go_to(b, t, m->time);
        if (!wrong) wrong = b->standard->get(&b->unit, m->reference, &b->got.at[m->place]);
    }
    if (!wrong) fmu_end(&b->unit, b->standard); /* what has failed must not be called again */
    return wrong;
}

static int run_once(void *ctx, const double *x, size_t component)
{
    bench *b = ctx;
    double t;
    const char *wrong = simulate(b, x, &t);
    (void)component;
    if (wrong) fprintf(stderr, "the FMU failed at time %g: %s\n", t, wrong);
    return wrong ? WORKER_FAILED : DONE;
}

/* ---- both sides: the folder is there ----------------------------------------------------------------------------------------------- */

static int find_parameters(bench *b)
{
    b->set = calloc(b->known->count, sizeof *b->set);
    if (!b->set) return complain(FAILED, "--fmu: out of memory");
    for (size_t j = 0; j < b->known->count; j++) {
        const char *name = b->known->names[j];
        const fmu_variable *v = b->set[j] = fmu_find(&b->model, name);
        if (!v) return complain(REFUSED, "--parameters: '%s' has no variable '%s'", b->r.fmu, name);
        if (!v->real || v->may == FMU_NEVER)
            return complain(REFUSED, "--parameters: '%s' of '%s' %s", name, b->r.fmu,
                            v->real ? "cannot be set: it is calculated or constant"
                                    : "is no single real number");
    }
    return DONE;
}

/* What may vary, for one who has not said it. */
static int say_parameters(const fmu_model *m)
{
    char text[512];
    size_t at = 0;
    *text = 0;
    for (size_t k = 0; k < m->count && at < sizeof text - 100; k++)
        if (m->at[k].real && m->at[k].shown)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%.80s", at ? ", " : "",
                                   m->at[k].name);
    return complain(REFUSED,
                    "--fmu: --parameters FILE is needed too: which of its variables may change%s%s",
                    *text ? "; its parameters are " : "", text);
}

static int open_bench(bench *b)
{
    const request *r = &b->r;
    int code = fmu_describe(&b->model, b->folder.path, r->fmu);
    if (!code && !r->parameters) code = say_parameters(&b->model);
    if (!code) code = parameters_open(&b->known, r->parameters);
    if (!code) code = find_parameters(b);
    if (!code) code = fmu_moments_of(&b->when, &b->model, r);
    b->standard = b->model.version == 2 ? fmu_standard_2() : fmu_standard_3();
    return code;
}

static void close_bench(bench *b)
{
    fmu_forget(&b->model);
    parameters_free(b->known);
    free(b->set);
    free(b->when.at);
    free(b->got.at);
}

static int object_path(const bench *b, char *path, size_t size)
{
    const char *platform = b->standard->platform;
    if (!platform) return complain(REFUSED, "--fmu: FMI has no name for this processor");
    snprintf(path, size, "%s/binaries/%s/%s.so", b->folder.path, platform, b->model.identifier);
    if (access(path, R_OK))
        return complain(REFUSED, "--fmu: '%s' has no program for this machine: binaries/%s/%s.so",
                        b->r.fmu, platform, b->model.identifier);
    return DONE;
}

/* ---- the worker ------------------------------------------------------------------------------------------------- */

static int load_object(bench *b)
{
    char path[2 * LONGEST_PATH];
    int code = object_path(b, path, sizeof path);
    b->unit.model = &b->model;
    return code ? code : fmu_load(&b->unit, path, b->folder.path);
}

int fmu_worker(int argc, char **argv)
{
    bench b = {0};
    asked q = {0};
    argv[0] = (char *)(uintptr_t) "solve"; /* whose options these are */
    once_inherit();
    int code = request_parse(&b.r, argc, argv);
    if (!code && b.r.arg.count != 2) code = REFUSED;
    if (!code) snprintf(b.folder.path, sizeof b.folder.path, "%s", b.r.arg.at[0]);
    if (!code) code = open_bench(&b);
    if (!code) code = load_object(&b);
    if (!code && !(b.got.at = calloc(b.when.count, sizeof *b.got.at))) code = FAILED;
    answerer a = {.d = b.known ? b.known->count : 0, .run = run_once, .ctx = &b, .got = &b.got};
    while (!code && asked_read(&q)) code = asked_answer(&q, &a);
    free(q.text);
    close_bench(&b); /* the folder is held by the one who started us */
    return code;
}

/* ---- before the first run ------------------------------------------------------------------------------------------ */

/* What the files hold says which problem it is, too; the FMU's own is in the name of its folder. */
static uint64_t content_hash(const bench *b)
{
    uint64_t h = TEXT_HASH;
    size_t size = 0;
    for (size_t k = 0; k < b->when.count; k++)
        h = text_hash(h, (const char *)&b->when.at[k].time, sizeof b->when.at[k].time);
    char *text = read_once(b->r.parameters, &size);
    if (text) h = text_hash(h, text, size);
    free(text);
    return h;
}

static void put_argv(const bench *b, const fmu_folder *held, runs_words *w)
{
    const request *r = &b->r;
    size_t at = 0;
    snprintf(w->text[0], sizeof w->text[0], "%016llx", (unsigned long long)content_hash(b));
    text_exact(b->when.step, w->text[1], sizeof w->text[1]);
    const char *words[] = {"/proc/self/exe", FMU_WORKER, "--arg",        held->path,
                           "--arg",          w->text[0], "--fmu",        r->fmu,
                           "--fmu-step",     w->text[1], "--parameters", r->parameters};
    for (; at < sizeof words / sizeof *words; at++) w->argv[at] = words[at];
    for (size_t k = 0; k < r->read.count; k++) {
        w->argv[at++] = "--read";
        w->argv[at++] = r->read.at[k];
    }
    w->argv[at] = NULL;
}

int fmu_prepare(const request *r, fmu_folder **held, runs_words *w)
{
    bench b = {.r = *r};
    char path[2 * LONGEST_PATH];
    *w = (runs_words){.digits = 17, .folder = r->files ? r->files : RUNS_FOLDER};
    int code = fmu_unpack(held, w->folder, r->fmu);
    if (code) return code;
    b.folder = **held;
    code = open_bench(&b);
    if (!code) code = object_path(&b, path, sizeof path);
    w->n = b.when.count;
    w->all = w->n > 1 || r->residuals;
    if (!code && r->n && r->n != w->n)
        code = complain(REFUSED, "--n: %llu, but --read takes %zu values", (unsigned long long)r->n,
                        w->n);
    if (!code) put_argv(&b, *held, w);
    close_bench(&b);
    return code;
}
