/* The problems that benches of methods run on, by name: see share/problem.h.
 * SPDX-License-Identifier: MIT */
#include "share/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/data.h"

/* ---- Quadratics ---------------------------------------------------------------------------------- */

/* f_i(x) = (w_i/2)(x - b_i)'A(x - b_i), A = QSQ with Q a reflection and S from 1 to 1/kappa. */

static int quadratic(void *ctx, size_t i, const double *x, double *f)
{
    const quadratics *q = ctx;
    double along = 0, sum = 0;
    for (size_t j = 0; j < q->d; j++) along += q->mirror[j] * (x[j] - q->centre[i * q->d + j]);
    for (size_t j = 0; j < q->d; j++) {
        double r = x[j] - q->centre[i * q->d + j] - 2 * along * q->mirror[j];
        sum += q->spectrum[j] * r * r;
    }
    *f = 0.5 * q->weight[i] * sum;
    return 0;
}

static zo_problem make_quadratics(quadratics *q, const char *spec)
{
    double n, d, kappa, scatter = 0, norm = 0;
    uint64_t state = 88172645463325252u;
    if (sscanf(spec, "%lf,%lf,%lf,%lf", &n, &d, &kappa, &scatter) < 3) exit(2);
    *q = (quadratics){.n = (size_t)n, .d = (size_t)d};
    q->weight = malloc(q->n * 8);
    q->centre = malloc(q->n * q->d * 8);
    q->spectrum = malloc(q->d * 8);
    q->mirror = malloc(q->d * 8);
    for (size_t j = 0; j < q->d; j++) {
        q->spectrum[j] = pow(kappa, -(double)j / (d - 1));
        q->mirror[j] = normal(&state);
        norm += q->mirror[j] * q->mirror[j];
    }
    for (size_t j = 0; j < q->d; j++) q->mirror[j] /= sqrt(norm);
    for (size_t i = 0; i < q->n; i++) {
        q->weight[i] = exp(scatter * normal(&state));
        for (size_t j = 0; j < q->d; j++) q->centre[i * q->d + j] = 1 + normal(&state);
    }
    return (zo_problem){.n = q->n, .d = q->d, .value = quadratic, .ctx = q};
}

/* ---- Valleys -------------------------------------------------------------------------------------- */

/* f_i(x) = a_i (x_{k+1} - x_k^2)^2 + (c_i - x_k)^2, k even and of each i; from (-1.2, 1) in every pair. */

static int valley(void *ctx, size_t i, const double *x, double *f)
{
    const valleys *v = ctx;
    size_t k = 2 * (i * 7919 % (v->d / 2));
    double off = x[k + 1] - x[k] * x[k], left = v->end[i] - x[k];
    *f = v->steep[i] * off * off + left * left;
    return 0;
}

static zo_problem make_valleys(valleys *v, const char *spec)
{
    uint64_t state = 88172645463325252u;
    if (sscanf(spec, "%zu,%zu", &v->n, &v->d) < 2) exit(2);
    v->steep = malloc(v->n * 8);
    v->end = malloc(v->n * 8);
    v->start = malloc(v->d * 8);
    for (size_t i = 0; i < v->n; i++) {
        v->steep[i] = 12.5 + 4.3 * normal(&state);
        v->end[i] = 1 + 0.1 * normal(&state);
        if (v->steep[i] < 3) v->steep[i] = 3;
    }
    for (size_t j = 0; j < v->d; j++) v->start[j] = j % 2 ? 1 : -1.2;
    return (zo_problem){.n = v->n, .d = v->d, .value = valley, .ctx = v};
}

/* Answers of the library itself for a problem that only has values. */
static int answer_values(void *ctx, const zo_fan *fan, double *out)
{
    const zo_problem *p = ctx;
    size_t set = zo_fan_set(fan), points = zo_fan_points(fan), count = zo_fan_answers(fan);
    double *x = malloc(points * fan->d * 8);
    memset(out, 0, count * 8);
    for (size_t c = 0; c < fan->ncomp; c++) {
        double base = 0, f;
        if (c == 0 || fan->own) zo_fan_fill(fan, c, x);
        size_t per = points / fan->nbase;
        for (size_t k = 0; k < points; k++) {
            p->value(p->ctx, fan->comp ? (size_t)fan->comp[c] : c, x + k * fan->d, &f);
            if (k % per == 0 && !fan->known) base = f;
            double one = fan->known || k % per == 0 ? f : f - base;
            out[fan->each ? c * set + k : k] += fan->each ? one : one / (double)fan->ncomp;
        }
    }
    free(x);
    return 0;
}

/* ---- Answers in single precision ------------------------------------------------------------------- */

static int answer_floats(void *ctx, const zo_fan *fan, double *out)
{
    const zo_problem *p = ctx;
    zo_fan asked = *fan;
    size_t set = zo_fan_set(fan), part = set / fan->nbase;
    if (p->answer(p->ctx, &asked, out)) return 1;
    for (size_t e = 0; e < zo_fan_answers(fan); e += part) {
        double base = fan->known ? 0 : (double)(float)out[e];
        for (size_t k = 0; k < part; k++) {
            double value = fan->known || k == 0 ? out[e + k] : out[e] + out[e + k];
            if (k || fan->known) out[e + k] = (double)(float)value - base;
        }
        if (!fan->known) out[e] = base;
    }
    return 0;
}

/* ---- By name ----------------------------------------------------------------------------------------- */

bench_options bench_defaults(void)
{
    bench_options o = {.loss = ZO_LOGISTIC, .group = 1, .outliers = 1, .settings = zo_defaults()};
    zo_error e;
    const char *without = getenv("ZO_WITHOUT");
    must(zo_set(&o.settings, "method", "inq", &e), &e);
    if (without && *without) snprintf(o.without, sizeof o.without, "%s", without);
    return o;
}

void bench_option(bench_options *o, const char *text)
{
    zo_error e;
    char name[32];
    const char *value = strchr(text, '=');
    if (!value) {
        fprintf(stderr, "bench: '%s' is not NAME=VALUE\n", text);
        exit(2);
    }
    snprintf(name, sizeof name, "%.*s", (int)(value - text), text);
    value++;
    if (!strcmp(name, "loss"))
        must(zo_loss_parse(&o->loss, value, &e), &e);
    else if (!strcmp(name, "group"))
        o->group = (size_t)atoi(value);
    else if (!strcmp(name, "sigma"))
        o->sigma = atof(value);
    else if (!strcmp(name, "floats"))
        o->floats = atoi(value);
    else if (!strcmp(name, "from"))
        o->from = atof(value);
    else if (!strcmp(name, "rows"))
        o->rows = (size_t)atoi(value);
    else if (!strcmp(name, "outliers"))
        o->outliers = atof(value);
    else if (!strcmp(name, "shift"))
        o->shift = atof(value);
    else if (!strcmp(name, "verbose"))
        o->verbose = atoi(value);
    else if (!strcmp(name, "without"))
        snprintf(o->without, sizeof o->without, "%s", value);
    else
        must(zo_set(&o->settings, name, value, &e), &e);
}

/* The first rows of a set, every hundredth times outliers, plus shift: a full copy. */
static void change_data(bench_problem *b, const bench_options *o)
{
    const zo_data *from = b->data;
    size_t n = o->rows && o->rows < from->n ? o->rows : from->n, d = from->features;
    zo_error e;
    if (n == from->n && o->outliers == 1 && o->shift == 0) return;
    b->read = b->data;
    b->numbers = calloc(n * d, 8);
    for (size_t i = 0; i < n; i++) {
        double *to = b->numbers + i * d, times = i % 100 == 50 ? o->outliers : 1;
        if (from->dense) memcpy(to, from->dense + i * d, d * 8);
        for (size_t k = from->row ? from->row[i] : 0; from->row && k < from->row[i + 1]; k++)
            to[from->col[k]] = from->val[k];
        for (size_t j = 0; j < d; j++) to[j] = times * to[j] + o->shift;
    }
    must(zo_data_dense(&b->data, n, d, b->numbers, from->label, &e), &e);
}

static void open_plain(bench_problem *b, const char *spec, double l2, const bench_options *o)
{
    zo_error e;
    if (!strncmp(spec, "quadratics:", 11) || !strncmp(spec, "valley:", 7)) {
        b->values = spec[0] == 'q' ? make_quadratics(&b->quad, spec + 11)
                                   : make_valleys(&b->bent, spec + 7);
        b->asked = (zo_problem){
            .n = b->values.n, .d = b->values.d, .answer = answer_values, .ctx = &b->values};
        return;
    }
    must(strncmp(spec, "synth:", 6) ? zo_data_read(&b->data, spec, 0, &e)
                                    : zo_data_synth(&b->data, spec + 6, &e),
         &e);
    change_data(b, o);
    must(zo_model_new(&b->model, b->data, o->loss, l2, 1, &b->asked, &e), &e);
}

void bench_open(bench_problem *b, const char *spec, const char *psi, double l2, bench_options *o)
{
    zo_error e;
    *b = (bench_problem){0};
    memcpy(b->without, o->without, sizeof b->without);
    open_plain(b, spec, l2, o);
    must(zo_prox_parse(&b->asked.psi, psi, b->asked.d, &e), &e);
    b->clean = b->asked;
    if (o->group > 1 || o->sigma != 0) {
        b->clean = group_rows(&b->silent, &b->clean, o->group, 0);
        b->asked = group_rows(&b->rows, &b->asked, o->group, fabs(o->sigma));
        if (o->sigma > 0) o->settings.noise = o->sigma;
    }
    if (o->floats) {
        b->exact = b->asked;
        b->asked.answer = answer_floats;
        b->asked.ctx = &b->exact;
    }
    b->start = b->bent.start;
    if (o->from > 0) bench_start_from(b, o->from, 5);
}

void bench_start_from(bench_problem *b, double far, uint64_t seed)
{
    if (!b->far) b->far = malloc(b->asked.d * 8);
    b->start = b->far;
    for (size_t j = 0; j < b->asked.d; j++) b->far[j] = far * normal(&seed);
}

void bench_close(bench_problem *b)
{
    zo_prox_free(&b->asked.psi);
    zo_model_free(b->model);
    zo_data_free(b->data);
    zo_data_free(b->read);
    free(b->numbers);
    free(b->rows.row);
    free(b->silent.row);
    free(b->quad.weight);
    free(b->quad.centre);
    free(b->quad.spectrum);
    free(b->quad.mirror);
    free(b->bent.steep);
    free(b->bent.end);
    free(b->bent.start);
    free(b->far);
}
