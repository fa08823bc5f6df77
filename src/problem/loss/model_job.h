/* One fan in the making: what model_answer.c prepares and the families of losses fill in.
 * SPDX-License-Identifier: MIT
 *
 * Inside, a set of answers always holds for each base the loss at the base, then the differences along each
 * direction and side (known or not); ridge and known come in when the numbers are written out. */
#ifndef ZO_MODEL_JOB_H
#define ZO_MODEL_JOB_H

#include "problem/loss/kernel.h"
#include "problem/problem.h"

enum { LEAVES = 1 << 14 }; /* numbers in the leaves of a piece, about */

/* Entries of one node of the sum's tree: a thread's share of the work. */
typedef struct share {
    size_t from, to; /* places in order */
    uint64_t block;  /* the first of them */
    size_t node;     /* of the nodes that are wanted */
} share;

typedef struct job {
    zo_model *model;
    const zo_fan *fan;
    const kernel_table *table;
    double *out;
    size_t per;       /* numbers for one base inside: 1 + sides*(naxis + ndir) */
    size_t m;         /* nbase * per: one set */
    double square[2]; /* |base|^2; 0 without ridge */
    /* m: (l2/2)|point|^2 at the bases; at the others less that at the base, unless known */
    const double *add;
    double *margin; /* n: z'base[0] of earlier fans at the same base, NaN: not known; or NULL */
    const double *panel; /* packed directions, group after group; NULL: not packed */
    /* by coordinate: 1 + the first place on the list of axes; NULL: all axes, or dense rows */
    const uint32_t *head;
    const uint32_t *next;  /* by place: 1 + the next place with the same coordinate */
    const uint64_t *order; /* entries sorted by block; NULL: comp is */
    size_t tasks, depth;   /* depth: rows of a thread's sum tree */
    unsigned bits;         /* a task owns 2^bits blocks, or fewer */
    share *share;          /* tasks */
    double *sums;          /* tasks rows of m */
    double *tree;          /* seats * depth rows of m */
    double *leaves;        /* seats * room numbers: the sums of a piece's runs */
    size_t room;
} job;

/* A family adds the sums over the runs of a piece to as many leaves of m numbers, or writes one set for each entry of
 * the piece (to j->out). */
typedef struct family {
    void (*sums)(const job *j, piece *p, int who, double *leaves);
    void (*each)(const job *j, piece *p, int who);
} family;

extern const family linear_family, softmax_family;

/* (l2/2) |x + r u|^2 from |x|^2, x'u and |u|^2 */
static inline double ridge_at(const job *j, double xx, double r, double xu, double uu)
{
    return 0.5 * j->model->l2 * (xx + r * (2 * xu + r * uu));
}

/* What multiplies z'u on the way to a point: where every direction has a radius of its own, z'u holds it already. */
static inline double side_radius(const job *j, size_t side)
{
    double r = j->fan->radii ? 1 : j->fan->radius;
    return side ? -r : r;
}

/* What to add to a difference along a direction that has a row of its own. */
static inline double ridge_own(const job *j, size_t b, double r, const double dot[3])
{
    double value = ridge_at(j, j->square[b], r, dot[1 + b], dot[0]);
    return j->fan->known ? value : value - j->add[b * j->per];
}

/* the k-th 16 directions; rows of own as for entry */
group job_group(const job *j, size_t k, size_t entry);
/* Where the answers of an entry and base are written with each: the value (if not known) and what follows. */
double *each_out(const job *j, size_t entry, size_t b);

#endif
