/* Synthetic data: labels, from scores of the features.
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/vec.h"
#include "data/synth.h"

/* w_c: of its entries a third are 0 (two thirds unless onehot). A common category says more than a rare one:
 * the entries of onehot are scaled by the root of their frequency, without which its optimum is harder to
 * find than that of real sets. */
static void draw_weights(const maker *m, uint32_t c, double *w)
{
    double kept = m->r.kind == ONEHOT ? 2.0 / 3 : 1.0 / 3;
    rng_normals(m->seed, FOR_SYNTH, WEIGHT, c, m->d, w);
    for (size_t j = 1; j < m->d; j++)
        if (rng_uniform(m->seed, FOR_SYNTH, place(CHOICE, c), j) >= kept) w[j] = 0;
    for (size_t g = 0; g < m->groups; g++) {
        double below = 0;
        for (uint32_t j = m->start[g]; j < m->start[g + 1]; j++) {
            w[j] *= sqrt(m->scale[j] - below);
            below = m->scale[j];
        }
    }
}

static double score(const maker *m, size_t i, const double *w)
{
    if (m->dense) return vec_dot(m->d, m->val + i * m->d, w);
    double s = 0;
    for (uint64_t k = m->row[i]; k < m->row[i + 1]; k++) s += m->val[k] * w[m->col[k]];
    return s;
}

/* out = the scores w_c'z_i, shifted and scaled to mean 0 and variance 1, plus noise. */
static void noisy_scores(const maker *m, uint32_t c, double *w, double *out)
{
    double mean = 0, square = 0, e[2];
    draw_weights(m, c, w);
    for (size_t i = 0; i < m->n; i++) mean += out[i] = score(m, i, w);
    mean /= (double)m->n;
    for (size_t i = 0; i < m->n; i++) square += (out[i] - mean) * (out[i] - mean);
    double scale = square > 0 ? sqrt((double)m->n / square) : 0;
    for (size_t i = 0; i < m->n; i++) {
        rng_normals(m->seed, FOR_SYNTH, place(NOISE, c), (uint32_t)i, 1, e);
        out[i] = (out[i] - mean) * scale + m->r.noise * e[0];
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The share positive of the rows with the largest scores is +1, the others -1. work: n */
static void cut(const maker *m, double *work)
{
    size_t below = (size_t)((1 - m->r.positive) * (double)m->n + 0.5);
    memcpy(work, m->label, m->n * sizeof *work);
    qsort(work, m->n, sizeof *work, by_value);
    double edge = below > 0 ? work[below - 1] : -INFINITY;
    for (size_t i = 0; i < m->n; i++) m->label[i] = m->label[i] > edge ? 1 : -1;
}

/* label = 1 + the number of the largest score. best, work: n */
static void choose_class(const maker *m, double *w, double *best, double *work)
{
    for (uint32_t c = 0; c < (uint32_t)m->r.classes; c++) {
        noisy_scores(m, c, w, work);
        for (size_t i = 0; i < m->n; i++)
            if (c == 0 || work[i] > best[i]) {
                best[i] = work[i];
                m->label[i] = c + 1;
            }
    }
}

zo_status synth_labels(maker *m, zo_error *err)
{
    double *w = mem_new(m->d, sizeof *w), *work = mem_new(m->n, sizeof *work),
           *best = mem_new(m->n, sizeof *best);
    m->label = mem_new(m->n, sizeof *m->label);
    zo_status status = ZO_OK;
    if (!w || !work || !best || !m->label) {
        status = out_of_memory(err, "synthetic labels", m->n);
    } else if (m->r.kind == MULTICLASS) {
        choose_class(m, w, best, work);
    } else {
        noisy_scores(m, 0, w, m->label);
        if (m->r.kind != REGRESSION) cut(m, work);
    }
    mem_free(w);
    mem_free(work);
    mem_free(best);
    return status;
}
