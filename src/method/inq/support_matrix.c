/* inq with noise: the matrix of components that were looked at along their supports.
 * SPDX-License-Identifier: MIT
 *
 *     matrix = mean of B_i + part |negative part of B_i|, + mu I + what noise may hide */
#include "base/dense.h"
#include "base/vec.h"
#include "method/inq/support.h"

/* B += part |its negative part|, by Jacobi's rotations. */
static void lift(size_t rank, double b[SPAN][SPAN], double part)
{
    double a[SPAN][SPAN], v[SPAN][SPAN] = {{0}};
    for (size_t k = 0; k < rank; k++) {
        v[k][k] = 1;
        for (size_t e = 0; e < rank; e++) a[k][e] = b[k][e];
    }
    for (int sweep = 0; sweep < JACOBI_SWEEPS; sweep++)
        for (size_t p = 0; p < rank; p++)
            for (size_t q = p + 1; q < rank; q++) {
                if (a[p][q] == 0) continue;
                double tau = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau));
                double c = 1 / sqrt(1 + t * t), z = t * c;
                for (size_t k = 0; k < rank; k++) {
                    double kp = a[k][p], kq = a[k][q];
                    a[k][p] = c * kp - z * kq;
                    a[k][q] = z * kp + c * kq;
                }
                for (size_t k = 0; k < rank; k++) {
                    double pk = a[p][k], qk = a[q][k], vp = v[k][p], vq = v[k][q];
                    a[p][k] = c * pk - z * qk;
                    a[q][k] = z * pk + c * qk;
                    v[k][p] = c * vp - z * vq;
                    v[k][q] = z * vp + c * vq;
                }
            }
    for (size_t e = 0; e < rank; e++)
        for (size_t k = 0; k < rank && a[e][e] < 0; k++)
            for (size_t l = 0; l < rank; l++) b[k][l] -= part * a[e][e] * v[k][e] * v[l][e];
}

static size_t in_triangle(size_t d, size_t j, size_t k) { return j * (2 * d - j + 1) / 2 + k - j; }

/* Leaf: the upper triangle, row by row. */
static void add_curvature(const inq *s, uint64_t i, double part, double *leaf)
{
    size_t rank = support_rank(s, i), d = s->base.d;
    double b[SPAN][SPAN];
    for (size_t j = 0; j < d && rank == WIDE; j++) {
        double h = (double)inq_layer(s, i, 0)[j];
        leaf[in_triangle(d, j, j)] += h < 0 ? (1 - part) * h : h;
    }
    if (rank == WIDE) return;
    inq_span_curvature(s, i, b);
    if (part > 0) lift(rank, b, part);
    for (size_t k = 0; k < rank; k++)
        for (size_t e = 0; e < rank; e++) {
            size_t j = support_at(s, i, k), l = support_at(s, i, e);
            if (j <= l) leaf[in_triangle(d, j, l)] += b[k][e];
        }
}

/* matrix = mean of B_i + part |negative part of B_i|, plus the ridge and what noise may hide. */
static void sum_curvature(inq *s, double part)
{
    method *m = &s->base;
    size_t d = m->d;
    double most = 0, *total = s->full;
    method_total sum;
    total_open(&sum, m, d * (d + 1) / 2, s->tree);
    for (uint64_t i = m->first; i < inq_end(s); i++) add_curvature(s, i, part, total_leaf(&sum, i));
    total_close(&sum, total);
    for (size_t j = 0; j < d; j++)
        for (size_t k = j; k < d; k++)
            s->matrix[j * d + k] = s->matrix[k * d + j] =
                total[in_triangle(d, j, k)] / (double)m->n;
    for (size_t j = 0; j < d; j++) most = fmax(most, fabs(s->matrix[j * d + j]));
    for (size_t j = 0; j < d; j++) {
        double r = s->reach[j], hidden = r > 0 ? 2 * s->level[j] / (r * r) : 0;
        s->matrix[j * d + j] += s->outside.mu + fmax(hidden, hidden_least * most);
    }
}

static int is_positive(inq *s)
{
    size_t d = s->base.d;
    vec_copy(d * d, s->matrix, s->room.system);
    return !dense_cholesky(d, s->room.system);
}

/* As much of the components' negative curvature is turned round as makes the mean positive: all of it always does. */
void support_matrix(inq *s)
{
    for (size_t k = 0; k < sizeof lifted / sizeof *lifted; k++) {
        sum_curvature(s, lifted[k]);
        if (is_positive(s)) return;
    }
}
