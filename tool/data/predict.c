/* zoprox predict: what a solution over data says of rows, and how well.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L
#include "core/tool.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/data.h"

typedef struct judge {
    const request *asked;
    const zo_data *data;
    double *x;
    size_t classes; /* of softmax; 1 otherwise: the row's margin is for the larger of two labels */
    FILE *out;      /* the predictions */
    size_t right;   /* rows whose class is */
    double squares; /* of errors */
    double class
        [COUNTED_LABELS]; /* the labels in rising order, two at least where they are classes */
} judge;

static int is_value(zo_loss loss) { return loss == ZO_SQUARED || loss == ZO_HUBER; }

/* z_i'x of one row of coefficients */
static double margin(const zo_data *z, size_t i, const double *x)
{
    double sum = 0;
    if (z->dense)
        for (size_t j = 0; j < z->features; j++) sum += z->dense[i * z->features + j] * x[j];
    else
        for (uint64_t k = z->row[i]; k < z->row[i + 1]; k++) sum += z->val[k] * x[z->col[k]];
    return sum;
}

static int has_probabilities(zo_loss loss) { return !is_value(loss) && loss != ZO_SMOOTH_HINGE; }

/* What the losses take for classes: a single label is what its sign says. */
static void find_classes(judge *j)
{
    size_t count = data_labels(j->data, j->class);
    j->classes = j->asked->loss == ZO_SOFTMAX ? count : 1;
    if (count != 1) return;
    double only = j->class[0];
    j->class[0] = only > 0 ? -1 : only;
    j->class[1] = only > 0 ? only : 1;
}

/* The columns name the class whose probability they hold. */
static void put_header(const judge *j)
{
    size_t first = j->classes == 1; /* of two classes the larger */
    fprintf(j->out, "label,prediction");
    for (size_t c = 0; has_probabilities(j->asked->loss) && c < j->classes; c++)
        fprintf(j->out, ",probability_%.17g", j->class[first + c]);
    fputc('\n', j->out);
}

/* The class of the greatest margin, and behind it the probability of each. */
static double say_class(const judge *j, size_t i)
{
    double m[COUNTED_LABELS], sum = 0;
    size_t best = 0;
    for (size_t c = 0; c < j->classes; c++) {
        m[c] = margin(j->data, i, j->x + c * j->data->features);
        if (m[c] > m[best]) best = c;
    }
    fprintf(j->out, "%.17g,%.17g", j->data->label[i], j->class[best]);
    for (size_t c = 0; c < j->classes; c++) sum += exp(m[c] - m[best]);
    for (size_t c = 0; c < j->classes; c++) fprintf(j->out, ",%.6g", exp(m[c] - m[best]) / sum);
    return j->class[best];
}

/* Label, prediction and probabilities of a row; returns the prediction. */
static double say_row(const judge *j, size_t i)
{
    zo_loss loss = j->asked->loss;
    if (loss == ZO_SOFTMAX) return say_class(j, i);
    double m = margin(j->data, i, j->x), said = is_value(loss) ? m : j->class[m >= 0];
    fprintf(j->out, "%.17g,%.17g", j->data->label[i], said);
    if (has_probabilities(loss)) fprintf(j->out, ",%.6g", 1 / (1 + exp(-m)));
    return said;
}

static void judge_row(judge *j, size_t i)
{
    double y = j->data->label[i], said = say_row(j, i);
    fputc('\n', j->out);
    j->right += said == y;
    j->squares += (said - y) * (said - y);
}

static void print_summary(const judge *j)
{
    size_t n = j->data->n;
    double rmse = sqrt(j->squares / (double)n), share = (double)j->right / (double)n;
    if (j->asked->quiet) return;
    if (is_value(j->asked->loss))
        fprintf(stderr, "zoprox: predict: root mean square error %.6g over %zu rows\n", rmse, n);
    else
        fprintf(stderr, "zoprox: predict: %zu of %zu rows right (%.2f %%)\n", j->right, n,
                100 * share);
}

static int print_summary_json(const judge *j)
{
    size_t n = j->data->n;
    json_t *all = json_object();
    json_object_set_new(all, "rows", json_integer((json_int_t)n));
    if (is_value(j->asked->loss))
        json_object_set_new(all, "rmse", json_number(sqrt(j->squares / (double)n)));
    else
        json_object_set_new(all, "right", json_number((double)j->right / (double)n));
    return print_json(all);
}

static int judge_all(judge *j)
{
    const char *path = j->asked->out;
    char *text = NULL;
    size_t size;
    int told = !j->asked->json || path; /* predictions, not only how good they are */
    j->out = open_memstream(&text, &size);
    if (!j->out) return complain(FAILED, "predict: out of memory");
    put_header(j);
    for (size_t i = 0; i < j->data->n; i++) judge_row(j, i);
    int code = fclose(j->out) ? complain(FAILED, "predict: out of memory") : DONE;
    if (!code && path && file_replace(path, text, size))
        code = complain(FAILED, "predict: '%s' was not written: %s", path, strerror(errno));
    if (!code && !path && told) fwrite(text, 1, size, stdout);
    free(text);
    if (code) return code;
    if (j->asked->json) return print_summary_json(j);
    print_summary(j);
    return DONE;
}

/* x must have a number for each coefficient: one of other data would be applied without a word. Rows may lack features that x has
 * been found with, but then --features says so. */
static int check_length(const request *r, const task *s, size_t classes)
{
    size_t numbers = file_lines(r->start), ones = (size_t)r->intercept;
    size_t features = s->data->features - ones, each = numbers / classes, d = s->problem.d;
    char hint[2][96] = {"", ""};
    if (!numbers || numbers == d) return DONE; /* what cannot be read is said by who reads it */
    if (!ones && numbers == classes * (features + 1))
        snprintf(hint[0], sizeof hint[0], "; add --intercept if it was saved with one");
    if (numbers == classes * each && each > features + ones &&
        strncmp(r->words[0], "synth:", 6) != 0)
        snprintf(hint[1], sizeof hint[1], "; --features %zu if these rows lack the last ones",
                 each - ones);
    return complain(
        REFUSED,
        "start: '%s' has %zu numbers; the data has %zu features, so %zu are needed%s%s%s%s",
        r->start, numbers, features, d, classes > 1 ? " for its classes" : "",
        ones ? " with the intercept" : "", hint[0], hint[1]);
}

static int predict(request *r, task *s)
{
    judge *j = calloc(1, sizeof *j);
    if (!j) return complain(FAILED, "predict: out of memory");
    j->asked = r;
    j->data = s->data;
    find_classes(j);
    j->x = calloc(s->problem.d, sizeof *j->x);
    int code = j->x ? check_length(r, s, j->classes) : complain(FAILED, "predict: out of memory");
    if (!code) code = file_load(r->start, "start", s->problem.d, j->x);
    if (!code) code = judge_all(j);
    free(j->x);
    free(j);
    return code;
}

int command_predict(int argc, char **argv)
{
    request r;
    task s;
    int code = request_parse(&r, argc, argv);
    if (!code && r.nwords != 1)
        code = complain(REFUSED, "predict takes one SOURCE; see 'zoprox predict --help'");
    if (!code && !r.start)
        code = complain(REFUSED, "predict needs --start FILE: the solution, as --save writes it");
    if (!code && r.out) code = file_check(r.out, "out");
    if (!code) code = task_open(&s, &r);
    if (code) return code;
    code = predict(&r, &s);
    task_close(&s);
    return code;
}
