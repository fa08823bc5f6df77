/* Synthetic data: the features of each kind.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/real.h"
#include "base/rng.h"
#include "base/vec.h"
#include "data/synth.h"

/* groups parts of d columns, each at least 2, the rest shared out like 1, 1/2, 1/3, ... Categories in a group
 * have frequencies like 1/c^2, the first one most common. */
static void make_groups(maker *m)
{
    size_t least = m->d >= 2 * m->groups ? 2 : 1, spare = m->d - least * m->groups;
    double total = 0, sum = 0;
    for (size_t g = 0; g < m->groups; g++) total += 1.0 / (double)(g + 1);
    for (size_t g = 0; g < m->groups; g++) {
        sum += 1.0 / (double)(g + 1);
        m->start[g + 1] =
            (uint32_t)(least * (g + 1) + (size_t)((double)spare * fmin(1, sum / total) + 0.5));
    }
    m->start[m->groups] = (uint32_t)m->d;
    for (size_t g = 0; g < m->groups; g++) {
        double at = 0;
        for (uint32_t c = m->start[g]; c < m->start[g + 1]; c++)
            m->scale[c] = at += 1 / ((double)(c - m->start[g] + 1) * (double)(c - m->start[g] + 1));
        for (uint32_t c = m->start[g]; c < m->start[g + 1]; c++) m->scale[c] /= at;
    }
}

/* One category of each group, by a normal that leans on one of two factors of the row; 1 in 100 is missing.
 */
static void onehot_row(maker *m, size_t i)
{
    double *e = m->normal;
    rng_normals(m->seed, FOR_SYNTH, ENTRY, (uint32_t)i, m->groups + 2, e);
    for (size_t g = 0; g < m->groups; g++) {
        double lean = 0.75 * real_cos((double)(g + 1)),
               t = lean * e[g % 2] + sqrt(1 - lean * lean) * e[g + 2];
        double u = 0.5 * real_erfc(-t / sqrt(2)) / 0.99;
        uint32_t c = m->start[g], end = m->start[g + 1];
        while (c < end && m->scale[c] <= u) c++;
        if (c == end) continue;
        m->col[m->entries] = c;
        m->val[m->entries++] = 1;
    }
}

/* Columns by their gaps, which are geometric: P(gap > k) = (1 - density)^k. */
static void sparse_row(maker *m, size_t i)
{
    double shrink = real_log1p(-m->r.density), column = -1;
    size_t first = m->entries, count;
    for (uint64_t k = 0;; k++) {
        double u = 1 - rng_uniform(m->seed, FOR_SYNTH, place(GAP, i), k);
        column += 1 + floor(real_log(u) / shrink);
        if (!(column < (double)m->d)) break;
        m->col[m->entries++] = (uint32_t)column;
    }
    count = m->entries - first;
    rng_normals(m->seed, FOR_SYNTH, ENTRY, (uint32_t)i, count, m->val + first);
    for (size_t k = first; k < m->entries; k++) m->val[k] *= m->scale[m->col[k]];
}

static void reflect(size_t d, const double *unit, double *z)
{
    vec_add(d, -2 * vec_dot(d, unit, z), unit, z);
}

static void dense_row(maker *m, size_t i)
{
    double *z = m->val + i * m->d;
    rng_normals(m->seed, FOR_SYNTH, ENTRY, (uint32_t)i, m->d, z);
    for (size_t j = 0; j < m->d; j++) z[j] *= m->scale[j];
    if (m->r.density < 1) {
        for (size_t j = 0; j < m->d; j++)
            if (rng_uniform(m->seed, FOR_SYNTH, place(GAP, i), j) >= m->r.density) z[j] = 0;
    } else if (m->d > 1) {
        reflect(m->d, m->mirror, z);
        reflect(m->d, m->mirror + m->d, z);
    }
    m->entries += vec_nonzeros(m->d, z);
}

static zo_status features_open(maker *m, zo_error *err)
{
    int onehot = m->r.kind == ONEHOT;
    m->groups = onehot ? (size_t)fmax(1, round(m->r.density * m->r.d)) : 0;
    m->row = mem_new(m->n + 1, sizeof *m->row);
    m->scale = mem_new(m->d, sizeof *m->scale);
    m->normal = mem_new(m->d + m->groups + 2, sizeof *m->normal);
    m->start = mem_new(m->groups + 1, sizeof *m->start);
    m->mirror = mem_new(m->dense ? 2 * m->d : 0, sizeof *m->mirror);
    if (m->dense) m->val = m->n <= SIZE_MAX / m->d ? mem_new(m->n * m->d, sizeof *m->val) : NULL;
    if (!m->row || !m->scale || !m->normal || !m->start || !m->mirror || (m->dense && !m->val))
        return out_of_memory(err, "synthetic rows", m->n);
    if (onehot) {
        make_groups(m);
        return ZO_OK;
    }
    double rank = fmin(m->r.rank, (double)m->d);
    for (size_t j = 0; j < m->d; j++)
        m->scale[j] = (double)j >= rank ? 0
                      : rank > 1        ? real_pow(m->r.kappa, -0.5 * (double)j / (rank - 1))
                                        : 1;
    for (uint32_t k = 0; m->dense && k < 2; k++) {
        double *unit = m->mirror + k * m->d;
        rng_normals(m->seed, FOR_SYNTH, MIRROR, k, m->d, unit);
        vec_scale(m->d, 1 / vec_norm(m->d, unit), unit);
    }
    return ZO_OK;
}

/* Room for one more row, an eighth more than that when it grows. */
static zo_status row_room(maker *m, size_t most, zo_error *err)
{
    if (m->dense || m->entries + most <= m->room) return ZO_OK;
    size_t room = m->entries + most;
    room += room / 8;
    uint32_t *col = mem_grow(m->col, m->entries, room, sizeof *col);
    if (col) m->col = col;
    double *val = mem_grow(m->val, m->entries, room, sizeof *val);
    if (val) m->val = val;
    if (!col || !val) return out_of_memory(err, "synthetic entries", room);
    m->room = room;
    return ZO_OK;
}

zo_status synth_features(maker *m, zo_error *err)
{
    int onehot = m->r.kind == ONEHOT;
    zo_status status = features_open(m, err);
    for (size_t i = 0; i < m->n && !status; i++) {
        status = row_room(m, onehot ? m->groups : m->d, err);
        if (status) break;
        if (onehot)
            onehot_row(m, i);
        else if (m->dense)
            dense_row(m, i);
        else
            sparse_row(m, i);
        m->row[i + 1] = m->entries;
    }
    return status;
}
