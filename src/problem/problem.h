/* Problems answer fans. What the layers above may ask of one.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_PROBLEM_H
#define ZO_PROBLEM_H

#include "base/sum.h"
#include "zoprox.h"

/* The first value in an answer that cannot be used, where whoever made the answer saw it. */
typedef struct flaw {
    int found;
    size_t entry, point; /* of the fan */
    double value;
} flaw;

/* An answer in two halves, so that the first can be shared among processes: sums over some components, then means.
 * sums: out_k = the sum over the entries of fan whose component is in node k, in rows of width numbers; zeros for
 * none. The nodes follow each other without gaps. means: total is the sum over all entries, of the same fan. */
struct zo_inside {
    size_t (*width)(const zo_fan *fan);
    int (*sums)(void *ctx, const zo_fan *fan, size_t nnodes, const sum_node *node, double *out);
    void (*means)(void *ctx, const zo_fan *fan, const double *total, double *out);
    const flaw *(*flawed)(void *ctx);                         /* of the last answer; or NULL */
    int (*answer)(void *ctx, const zo_fan *fan, double *out); /* who answers: see problem_inside */
    /* Or NULL: task(with, k, who) for every k < count, on the threads that answer: they have nothing to do while a method thinks.
     * Like pool_run. Returns how many there are, the caller's own among them; with count 0 that is all. */
    int (*share)(void *ctx, size_t count, void (*task)(void *with, size_t k, int who), void *with);
    int keeps; /* 1: what heed brings is looked at for a history, which gets every value */
};

/* What may be asked of p beside answers. Where another function answers than ours, a user has put one of his own around
 * it, and ctx is his: nothing. */
static inline const struct zo_inside *problem_inside(const zo_problem *p)
{
    return p->inside && p->inside->answer == p->answer ? p->inside : NULL;
}

/* How far the points along direction k are from their base: side 0, then side 1 on the other side. */
static inline double fan_reach(const zo_fan *fan, size_t k, size_t side)
{
    double r = fan->radii ? fan->radii[k] : fan->radius;
    return side ? -r : r;
}

/* What a difference gradient costs: n d queries, or d points. */
static inline double problem_unit(const zo_problem *p)
{
    return (p->by_point ? 1 : (double)p->n) * (double)p->d;
}

#define LARGEST_ANSWER 1e150 /* beyond it squares overflow: it cannot be used */

/* Answers fans with a value function, one point at a time, on p->threads threads. */
typedef struct callback callback;
zo_status callback_new(callback **out, const zo_problem *p, zo_error *err);
int callback_answer(void *callback, const zo_fan *fan, double *out);
void callback_heed(void *callback, const zo_halt *halt);
const flaw *callback_flawed(void *callback); /* of the last answer */
zo_health callback_health(void *callback);   /* values asked again, and failures */
/* what the function returned for a value that is missing in the last answer; 0: nothing */
int callback_lost(const callback *c);
void callback_free(callback *c);
/* ctx is not looked at */
void callback_means(void *ctx, const zo_fan *fan, const double *total, double *out);
extern const struct zo_inside callback_inside;

#endif
