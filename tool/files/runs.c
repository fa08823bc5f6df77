/* --template and --dakota: programs that read one file and write another, without a protocol. SPDX-License-Identifier: MIT
 *
 * zoprox starts itself as a worker (runs-worker OPTIONS) that answers questions on its standard input. For each point, or for
 * each point and case where {case} is named, it makes a folder, fills the templates into it, runs the program there, and reads
 * the values out of what that has written. */
#define _GNU_SOURCE
#include "files/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "core/line.h"

typedef struct batch {
    request r;
    parameters *known;
    template tpl[MAX_WORDS];
    size_t n, d;
    char *line;  /* that runs the program */
    int by_case; /* a run gives one case */
    folder f;
    unsigned long long runs; /* so far */
    numbers got;
} batch;

int runs_wanted(const request *r) { return r->template.count || r->dakota || r->line; }

/* ---- the line that runs it -------------------------------------------------------------------------------- */

/* The line with words that name files here put so that they are found from the run's folder. NULL: out of memory. */
static char *find_words(const request *r, const char *line)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    const char *done = line;
    for (line_word w = {.at = line}; line_next(&w); done = w.at + w.size) {
        fprintf(out, "%.*s", (int)(w.at - done), done);
        if (*w.text != '/' && line_reads(r, &w)) fputs("\"$" FROM "\"/", out);
        fprintf(out, "%.*s", (int)w.size, w.at);
    }
    fputs(done, out);
    return fclose(out) ? free(text), NULL : text;
}

/* ---- one run ------------------------------------------------------------------------------------------------ */

static int link_files(const batch *b)
{
    for (size_t k = 0; k < b->r.link.count; k++) {
        const char *path = b->r.link.at[k], *name = strrchr(path, '/');
        char full[LONGEST_PATH], to[LONGEST_PATH];
        folder_in(&b->f, name ? name + 1 : path, to);
        if (!realpath(path, full) || symlink(full, to)) return folder_say("cannot link", path);
    }
    return 1;
}

static int write_inputs(const batch *b, const values *v)
{
    size_t size;
    int fine = 1;
    for (size_t k = 0; fine && k < b->r.template.count; k++) {
        char *text = template_fill(b->tpl[k].text, v, &size);
        fine = text && folder_write(&b->f, b->tpl[k].file, text, size);
        free(text);
    }
    if (fine && b->r.dakota) {
        char *text = dakota_params(v, b->by_case ? 1 : b->n, b->runs, b->r.aprepro, &size);
        fine = text && folder_write(&b->f, "params.in", text, size);
        free(text);
    }
    return fine;
}

/* DONE, or WORKER_... after words on standard error. */
static int read_outputs(batch *b)
{
    size_t wanted = b->by_case ? 1 : b->n;
    int code = DONE;
    b->got.count = 0;
    if (b->r.dakota && !b->r.read.count) return dakota_results(&b->f, wanted, &b->got);
    for (size_t k = 0; k < b->r.read.count && !code; k++)
        code = reader_take(b->r.read.at[k], &b->f, &b->got);
    if (code || b->got.count == wanted) return code;
    fprintf(stderr, "%zu number%s read in the folder %s; a run gives %zu (--n)\n", b->got.count,
            b->got.count == 1 ? " was" : "s were", b->f.path, wanted);
    return WORKER_MISTAKEN;
}

/* The values at x are in b->got. DONE, or WORKER_...: it failed, and its folder stays. */
static int run_once(void *ctx, const double *x, size_t component)
{
    batch *b = ctx;
    values v = {b->known, b->d, x, component};
    size_t size;
    char number[24];
    snprintf(number, sizeof number, "%zu", component);
    if (b->by_case) setenv("ZOPROX_CASE", number, 1);
    if (!folder_make(&b->f, ++b->runs) || !link_files(b) || !write_inputs(b, &v))
        return WORKER_FAILED;
    char *line = template_fill(b->line, &v, &size);
    char *argv[] = {"/bin/sh", "-c", line, NULL};
    int code = line ? folder_run(&b->f, b->r.dakota ? b->r.dakota : b->r.line, argv) : FAILED;
    free(line);
    if (!code) code = read_outputs(b);
    if (!code && !getenv(KEEP)) folder_remove(&b->f);
    return code;
}

/* ---- both sides ------------------------------------------------------------------------------------------------ */

static int open_batch(batch *b)
{
    const request *r = &b->r;
    int code = parameters_open(&b->known, r->parameters);
    b->n = r->n ? r->n : 1;
    b->d = b->known ? b->known->count : r->dim;
    for (size_t k = 0; k < r->template.count && !code; k++)
        code = template_open(&b->tpl[k], r->template.at[k]);
    return code;
}

static void close_batch(batch *b)
{
    for (size_t k = 0; k < b->r.template.count; k++) template_close(&b->tpl[k]);
    parameters_free(b->known);
    free(b->line);
    free(b->got.at);
}

/* Which parameters are named, in templates and in the line; is {case}? -1 after a line. */
static int look_at_names(const batch *b, unsigned char *used, int *digits)
{
    values v = {b->known, b->d, NULL, 0};
    const char *line = b->r.line ? b->r.line : b->r.dakota;
    int by_case =
        line ? template_names(line, b->r.line ? "--run" : "--dakota", &v, used, digits) : 0;
    for (size_t k = 0; k < b->r.template.count && by_case >= 0; k++) {
        char path[LONGEST_PATH];
        const char *spec = b->r.template.at[k];
        snprintf(path, sizeof path, "'%.*s'", (int)(strrchr(spec, '=') - spec), spec);
        int here = template_names(b->tpl[k].text, path, &v, used, digits);
        by_case = here < 0 ? here : by_case | here;
    }
    return by_case;
}

int runs_worker(int argc, char **argv)
{
    batch b = {0};
    asked q = {0};
    argv[0] = (char *)(uintptr_t) "solve"; /* whose options these are */
    once_inherit();
    int code = request_parse(&b.r, argc, argv), digits = 17;
    if (!code) code = open_batch(&b);
    unsigned char *used = calloc(b.d + 1, 1);
    if (!code) b.by_case = look_at_names(&b, used, &digits) == 1;
    free(used);
    char *plain = NULL;
    if (!code && b.r.dakota && asprintf(&plain, "%s params.in results.out", b.r.dakota) < 0)
        code = FAILED;
    if (!code) b.line = find_words(&b.r, plain ? plain : b.r.line);
    free(plain);
    if (!b.line) code = FAILED;
    answerer a = {.d = b.d, .by_case = b.by_case, .run = run_once, .ctx = &b, .got = &b.got};
    while (!code && asked_read(&q)) code = asked_answer(&q, &a);
    free(q.text);
    close_batch(&b);
    return code;
}

/* ---- before the first run ---------------------------------------------------------------------------------------- */

static int check_words(const request *r)
{
    if (r->dakota && (r->line || r->template.count))
        return complain(REFUSED, "--dakota: the driver reads params.in; --%s has no use beside it",
                        r->line ? "run" : "template");
    if (!r->dakota && !r->line)
        return complain(REFUSED, "--template: --run 'LINE' is needed too: what runs in the folder");
    if (!r->dakota && !r->read.count)
        return complain(REFUSED,
                        "--run: --read FILE:LINE:COLUMN is needed too: where the value stands");
    if (r->aprepro && !r->dakota) return complain(REFUSED, "--aprepro: it goes with --dakota");
    int code = DONE;
    for (size_t k = 0; k < r->read.count && !code; k++) code = reader_check(r->read.at[k]);
    for (size_t k = 0; k < r->link.count && !code; k++)
        if (access(r->link.at[k], R_OK))
            code = complain(REFUSED, "--link: '%s': %s", r->link.at[k], strerror(errno));
    return code;
}

/* A parameter that no file names would not be one. */
static int check_used(const batch *b, const unsigned char *used)
{
    for (size_t j = 0; j < b->d; j++) {
        if (used[j] || b->r.dakota) continue;
        char plain[24];
        snprintf(plain, sizeof plain, "x%zu", j);
        const char *name = b->known ? b->known->names[j] : plain;
        return complain(REFUSED, "--template: {%s} is in no template: nothing would depend on it",
                        name);
    }
    return DONE;
}

/* What the files hold says which problem it is, too. */
static uint64_t content_hash(const batch *b)
{
    uint64_t h = TEXT_HASH;
    size_t size = 0;
    for (size_t k = 0; k < b->r.template.count; k++)
        h = text_hash(h, b->tpl[k].text, b->tpl[k].size);
    char *text = b->r.parameters ? read_once(b->r.parameters, &size) : NULL;
    if (text) h = text_hash(h, text, size);
    free(text);
    return h;
}

static size_t put_words(const char **argv, size_t at, const char *option, const word_list *list)
{
    for (size_t k = 0; k < list->count; k++) {
        argv[at++] = option;
        argv[at++] = list->at[k];
    }
    return at;
}

static size_t put_word(const char **argv, size_t at, const char *option, const char *word)
{
    if (!word) return at;
    argv[at++] = option;
    argv[at++] = word;
    return at;
}

static void put_argv(const batch *b, runs_words *w)
{
    const request *r = &b->r;
    size_t at = 0;
    snprintf(w->text[0], sizeof w->text[0], "%zu", b->n);
    snprintf(w->text[1], sizeof w->text[1], "%zu", b->d);
    snprintf(w->text[2], sizeof w->text[2], "%016llx", (unsigned long long)content_hash(b));
    w->argv[at++] = "/proc/self/exe";
    w->argv[at++] = RUNS_WORKER;
    at = put_word(w->argv, at, "--n", w->text[0]);
    at = put_word(w->argv, at, "--dim", w->text[1]);
    at = put_word(w->argv, at, "--arg", w->text[2]);
    at = put_word(w->argv, at, "--parameters", r->parameters);
    at = put_word(w->argv, at, "--run", r->line);
    at = put_word(w->argv, at, "--dakota", r->dakota);
    if (r->aprepro) w->argv[at++] = "--aprepro";
    at = put_words(w->argv, at, "--template", &r->template);
    at = put_words(w->argv, at, "--read", &r->read);
    at = put_words(w->argv, at, "--link", &r->link);
    w->argv[at] = NULL;
}

int runs_prepare(const request *r, size_t d, runs_words *w)
{
    batch b = {.r = *r};
    int code = check_words(r);
    *w = (runs_words){.digits = 17, .folder = r->files ? r->files : RUNS_FOLDER};
    if (!code) code = open_batch(&b);
    b.d = d;
    unsigned char *used = calloc(d + 1, 1);
    if (!code && !used) code = complain(FAILED, "--template: out of memory");
    if (!code && (b.by_case = look_at_names(&b, used, &w->digits)) < 0) code = REFUSED;
    if (!code) code = check_used(&b, used);
    if (!code) code = folder_prepare(r, w->folder);
    if (!code) put_argv(&b, w);
    w->n = b.n;
    w->all = !b.by_case && (b.n > 1 || r->residuals);
    free(used);
    close_batch(&b);
    return code;
}
