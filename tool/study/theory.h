/* Experiments about the paper's theory, without data sets. Each leaves its numbers in the store as facts.
 * SPDX-License-Identifier: MIT
 *
 * They simulate Algorithm 1 with q = 1 on f_i(x) = (L/2)|x - b|^2 with L = 1 (kappa = 1, every component the same), so
 * that x*, grad f and all terms of the Lyapunov function are known in closed form. The redrawn reading measures the
 * reference direction anew at every step, as the paper's proofs take it, for n(q+1) queries. */
#ifndef ZO_TOOL_THEORY_H
#define ZO_TOOL_THEORY_H

#include "study/study.h"

typedef struct fact {
    char line[64], name[64];
    double value;
} fact;

typedef struct facts {
    fact *v;
    size_t count, room;
    int failed; /* out of memory */
} facts;

void fact_add(facts *f, const char *row, const char *name, double value);
/* All of an experiment's facts in one transaction. */
int runs_facts_put(runs *s, const char *experiment, const facts *f);
/* In the order in which they were put; f is empty before. */
int runs_facts_get(runs *s, const char *experiment, facts *f);
/* as a table: lines and columns in order of appearance */
void facts_print(FILE *out, const facts *f);
struct json_t *facts_as_json(const facts *f); /* {"columns", "lines": [{"name", "values"}]} */

/* fn(ctx, k) for every k below count, on so many threads; no two calls may touch the same place. */
void in_parallel(unsigned jobs, size_t count, void (*fn)(void *ctx, size_t k), void *ctx);

int theory_find(const char *name); /* 1: there is such an experiment, or group of them */
const char *theory_names(void);    /* ", theory, ..." */
/* Title and explanation of an experiment as the store names it; NULL: unknown. */
void theory_about(const char *name, const char **title, const char **about);
int theory_run(const char *name, runs *store, FILE *out, const request *r);

typedef struct lab {
    unsigned jobs;
    int quick; /* fewer seeds */
} lab;

int theory_lyapunov(const lab *l, facts *f);
int theory_readings(const lab *l, facts *f);
int theory_attained(const lab *l, facts *f);
int theory_stability(const lab *l, facts *f);
int theory_recursion(const lab *l, facts *f);
int theory_bias(const lab *l, facts *f);
int theory_lemmas(const lab *l, facts *f);
int theory_floor(const lab *l, facts *f);

#endif
