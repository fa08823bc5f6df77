/* What every evaluation has taught: secants of all residuals, and the models that follow from them.
 * SPDX-License-Identifier: MIT
 *
 * A secant says r(b) - r(a). With m the middle of a and b, u the direction and t the length of b - a, in the metric
 * y = D (x - c)/radius around the centre c, residual i has
 *
 *     (r_i(b) - r_i(a))/t = u'(J_i + H_i m) + e,     e of variance  CUBIC^2 (|m|^2 + t^2/12)^2 + 2 noise^2/t^2
 *
 * H_i is not known: its entries are taken as independent, with mean 0 and variance 1 (the unit of noise). So the errors of
 * two secants p, q have the covariance
 *
 *     G_pq = ((u_p'u_q)(m_p'm_q) + (u_p'm_q)(m_p'u_q))/2 + [p = q] var e,
 *
 * and J_i is the generalized least-squares solution: with Y the rows u_p',
 *
 *     S = Y'G^-1 Y,   J_i = S^-1 Y'G^-1 q_i,   l_i = G^-1 (q_i - Y J_i),   H_i = sum_p l_ip (u_p m_p' + m_p u_p')/2
 *
 * (H_i has the least Frobenius norm that explains what the slopes do not). A short difference at c gives its slope exactly;
 * a secant far away says little; one along the last step bends the model as Broyden's would. S^-1 is the covariance of J_i:
 * its largest eigenvector is the direction that the models know least. All residuals share G and S. */
#ifndef ZO_LM_SECANTS_H
#define ZO_LM_SECANTS_H

#include "method/core/method.h"

typedef struct secants {
    size_t n, d, most;
    uint64_t count;                 /* (state) */
    double *move, *middle, *change; /* b - a, (a + b)/2: most x d; r(b) - r(a): most x n (state) */
    /* where signs of r may be wrong, else NULL: b, most x d; r(b), most x n; the secant whose b is a, or most (state) */
    double *to, *value;
    uint64_t *from;
} secants;

/* Registers what is kept. 0: out of memory. */
int secants_open(secants *s, method *m, size_t most, int rooted);
/* One more; where there is no room it takes the place of the one whose middle is farthest from centre. */
void secants_add(secants *s, const double *centre, const double *metric, const double *a,
                 const double *ra, const double *b, const double *rb);

/* The models at a centre; scratch. */
typedef struct model {
    size_t n, d, count;
    const double *centre, *r; /* lent: c and r(c) */
    double *scale;            /* d: y_j = scale_j (x_j - c_j) */
    double *u, *m;            /* count x d */
    double *gram;             /* count^2: the factor of G */
    double *white;            /* d x count: Y' in the metric of G */
    double *spread;           /* d x d: the factor of S */
    double *slope, *dual;     /* n x d: J;  n x count: l */
    double *hessian;        /* n rows of d(d+1)/2: the upper triangles of H; NULL: no room, H = 0 */
    double *pairs;          /* count rows of d(d+1)/2: (u m' + m u')/2 */
    double *weight, *along; /* count each */
    double *sum;            /* d(d+1)/2 */
    double bend;            /* mean square entry of H that the secants ask for */
} model;

int model_open(model *w, method *m, size_t most, int bent); /* bent: with H */

/* metric: d; radius: the unit of length; noise: of one residual beside a typical curvature over the radius. */
void model_build(model *w, const secants *s, const double *centre, const double *r,
                 const double *metric, double radius, double noise);
/* r_i(y) = r_i + J_i y + y'H_i y/2 into r, and its slopes J_i + H_i y (n x d) into slope unless NULL. */
void model_at(model *w, const double *y, double *r, double *slope);
/* matrix (upper triangle) += sum_i by_i H_i */
void model_bends(model *w, const double *by, double *matrix);
/* The count directions that are known least, orthonormal rows, and the variance of slopes along the first, in units of H's. */
double model_unknown(const model *w, size_t count, double *rows);

#endif
