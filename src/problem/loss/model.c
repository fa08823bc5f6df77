/* Built-in problems: checks, targets, fingerprint.
 * SPDX-License-Identifier: MIT */
#include "problem/loss/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"
#include "problem/loss/kernel.h"
#include "problem/problem.h"

/* ---- Labels ------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { LATEST = 16 };

/* Is v one of the last few of these? */
static int is_among(size_t count, const double *label, double v)
{
    for (size_t k = count; k > 0 && k + LATEST > count; k--)
        if (label[k - 1] == v) return 1;
    return 0;
}

/* The distinct labels in rising order, in label[0 .. returned). Most of many rows have a label that was just there. */
static size_t distinct(size_t n, double *label)
{
    size_t kept = 0, count = 0;
    for (size_t i = 0; i < n; i++)
        if (!is_among(kept, label, label[i])) label[kept++] = label[i];
    qsort(label, kept, sizeof *label, by_value);
    for (size_t i = 0; i < kept; i++)
        if (i == 0 || label[i] != label[count - 1]) label[count++] = label[i];
    return count;
}

static int two_classes(zo_loss loss)
{
    return loss == ZO_LOGISTIC || loss == ZO_SMOOTH_HINGE || loss == ZO_SIGMOID;
}

enum { MOST_CLASSES = 1000 };

static zo_status check_labels(zo_loss loss, size_t count, const double *label, zo_error *err)
{
    const char *name = zo_loss_rows(NULL)[loss].name;
    if (two_classes(loss) && count > 2)
        return fail(err, ZO_BAD_INPUT,
                    "labels: loss %s takes two classes, but the data has %zu different labels (%g, "
                    "%g, %g%s); "
                    "softmax takes more classes, squared and huber take numbers",
                    name, count, label[0], label[1], label[2], count > 3 ? ", ..." : "");
    if (loss != ZO_SOFTMAX) return ZO_OK;
    if (count < 2)
        return fail(err, ZO_BAD_INPUT,
                    "labels: loss %s takes two or more classes, but the only label is %g", name,
                    label[0]);
    if (count > MOST_CLASSES)
        return fail(err, ZO_BAD_INPUT,
                    "labels: loss %s takes at most %d classes, but the data has %zu different "
                    "labels (%g ... %g); "
                    "squared and huber take numbers",
                    name, MOST_CLASSES, count, label[0], label[count - 1]);
    return ZO_OK;
}

/* Of two: a single class is what its sign says. */
static double target_of(zo_loss loss, double label, size_t count, const double *classes)
{
    if (loss == ZO_SOFTMAX)
        return (double)((const double *)bsearch(&label, classes, count, sizeof label, by_value) -
                        classes);
    if (count == 1) return label > 0 ? 1 : -1;
    return label == classes[1] ? 1 : -1;
}

/* The different labels of the whole set; the caller frees them. */
static double *find_classes(const zo_data *z, size_t *count)
{
    size_t held = z->whole ? z->nclasses : z->n;
    double *classes = mem_new(held, sizeof *classes);
    if (!classes) return NULL;
    memcpy(classes, z->whole ? z->classes : z->label, held * sizeof *classes);
    *count = z->whole ? z->nclasses : distinct(z->n, classes);
    return classes;
}

static zo_status set_targets(zo_model *m, zo_error *err)
{
    const zo_data *z = m->data;
    size_t count;
    m->classes = 1;
    if (!two_classes(m->loss) && m->loss != ZO_SOFTMAX) {
        if (z->n) memcpy(m->target, z->label, z->n * sizeof *z->label);
        return ZO_OK;
    }
    double *classes = find_classes(z, &count);
    if (!classes) return out_of_memory(err, "labels", z->n);
    zo_status status = check_labels(m->loss, count, classes, err);
    for (size_t i = 0; i < z->n && !status; i++)
        m->target[i] = target_of(m->loss, z->label[i], count, classes);
    if (m->loss == ZO_SOFTMAX) m->classes = count;
    mem_free(classes);
    return status;
}

/* ---- Fingerprint -------------------------------------------------------------------------------- */

enum { PRINTS = 64 };

typedef struct printing {
    const zo_data *data;
    uint64_t part[PRINTS];
} printing;

static void print_part(void *ctx, size_t k, int who)
{
    printing *p = ctx;
    (void)who;
    p->part[k] = data_print_part(p->data, k, PRINTS);
}

/* data_print, on all threads. */
static uint64_t print_of(const zo_model *m)
{
    printing p = {.data = m->data};
    uint64_t sum = 0;
    pool_run(m->threads, PRINTS, print_part, &p);
    for (size_t k = 0; k < PRINTS; k++) sum += p.part[k];
    return sum;
}

static uint64_t fingerprint(const zo_model *m)
{
    const zo_data *z = m->data;
    struct {
        uint64_t n, features, loss;
        double l2;
    } head = {data_rows(z), z->features, (uint64_t)m->loss, m->l2};
    uint64_t h = text_hash(TEXT_HASH, &head, sizeof head),
             print = z->whole ? z->print : print_of(m);
    h = text_hash(h, &print, sizeof print);
    return h ? h : 1; /* 0 means: not known */
}

/* ---- The model ---------------------------------------------------------------------------------- */

static zo_status check_arguments(const zo_data *data, zo_loss loss, double l2, int threads,
                                 const zo_problem *problem, zo_error *err)
{
    if (!data || !problem) return fail(err, ZO_BAD_ARGUMENT, "%s: NULL", data ? "problem" : "data");
    if ((int)loss < 0 || loss > ZO_SOFTMAX)
        return fail(err, ZO_BAD_ARGUMENT, "loss: %d is outside [0, %d]", (int)loss, ZO_SOFTMAX);
    if (!(l2 >= 0) || isinf(l2))
        return fail(err, ZO_BAD_ARGUMENT, "l2: %g is outside [0, infinity)", l2);
    if (threads < 0 || threads > 1024)
        return fail(err, ZO_BAD_ARGUMENT, "threads: %d is outside [0, 1024]", threads);
    return ZO_OK;
}

static zo_status build(zo_model *m, int threads, zo_error *err)
{
    m->target = mem_new(m->data->n, sizeof *m->target);
    if (!m->target) return out_of_memory(err, "targets", m->data->n);
    zo_status status = set_targets(m, err);
    if (status) return status;
    if (m->classes > UINT32_MAX / m->data->features)
        return fail(err, ZO_BAD_INPUT,
                    "labels: %zu classes of %zu features are more than %u coordinates", m->classes,
                    m->data->features, UINT32_MAX);
    m->d = m->classes * m->data->features;
    m->threads = pool_new(threads);
    size_t seats = m->threads ? (size_t)pool_threads(m->threads) : 1;
    m->kernel = kernel_new(seats);
    if (!m->threads || !m->kernel) return out_of_memory(err, "threads", (size_t)threads);
    if (m->loss == ZO_SOFTMAX &&
        !room_for(&m->kernel->classes, seats * SOFTMAX_ROWS * m->classes, sizeof(double)))
        return out_of_memory(err, "classes", m->classes);
    return ZO_OK;
}

zo_status zo_model_new(zo_model **out, const zo_data *data, zo_loss loss, double l2, int threads,
                       zo_problem *problem, zo_error *err)
{
    if (!out) return fail(err, ZO_BAD_ARGUMENT, "out: NULL");
    *out = NULL;
    zo_status status = check_arguments(data, loss, l2, threads, problem, err);
    if (status) return status;
    zo_model *m = mem_new(1, sizeof *m);
    if (!m) return out_of_memory(err, "model", 1);
    m->data = data;
    m->loss = loss;
    m->l2 = l2;
    m->n = data_rows(data);
    pthread_mutex_init(&m->one, NULL);
    status = build(m, threads ? threads : pool_cores(), err);
    if (status) {
        zo_model_free(m);
        return status;
    }
    *problem = (zo_problem){.n = m->n,
                            .d = m->d,
                            .answer = model_answer,
                            .ctx = m,
                            .threads = 1,
                            .fingerprint = fingerprint(m),
                            .free_looks = 1,
                            .inside = &model_inside};
    *out = m;
    return succeed(err);
}

void zo_model_free(zo_model *model)
{
    if (!model) return;
    pool_free(model->threads);
    kernel_free(model->kernel);
    pthread_mutex_destroy(&model->one);
    mem_free(model->target);
    mem_free(model);
}
