/* What a method is: it asks fans and is told their answers.
 * SPDX-License-Identifier: MIT
 *
 * A method is one file with four functions and one row in table.c. Rules that everything else stands on:
 *
 *   - ask is a pure function of the state: it may fill scratch (directions it draws from counters), never
 *     state. Asking again, or after loading a checkpoint, gives the same fan, bit for bit.
 *   - tell changes the state. All state is registered in open (state_*), so that a checkpoint needs no code
 *     in the method. Nothing else is kept between a tell and the next ask.
 *   - only open allocates. Nothing in a method knows clocks, files, budgets or who answers, nor, but for method_share, threads. What it
 *     may plan for is set.horizon, which is settled before the first ask (a row that chooses: before method_new).
 *   - step counts changes of the point x: one for each iteration of the algorithm. */
#ifndef ZO_METHOD_H
#define ZO_METHOD_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sum.h"
#include "zoprox.h"

typedef struct method method;

/* Curvature at the start, from second differences, charged; NaN where it was not asked for. */
typedef struct curvature {
    double top;   /* largest eigenvalue of the mean Hessian (the paper's L, for f) */
    double trace; /* of the mean Hessian: what random directions see */
    /* sum_i |H_i v|^2 / (n v'Hv) along the top direction: expected smoothness of one f_i */
    double each;
} curvature;

/* which of these settle wants; top brings each */
enum { NEEDS_NOTHING = 0, NEEDS_TOP = 1, NEEDS_TRACE = 2 };

/* How a method may end: "go on with that one, from here, knowing this". A tell says so by method_hand_over; the solver
 * opens the next method before the tell is over, with the same problem and settings, at the same point and step. So a
 * checkpoint is always of one method. (state, but for what is lent) */
typedef struct known_component { /* of one of mine, beside its slopes */
    double f;                    /* its value, as told last */
    double bend;                 /* its curvature along its slopes; NaN: not known */
    double error;                /* standard error of each of its slopes */
} known_component;

typedef struct handover {
    char to[16];  /* the row that goes on; "": nobody is to */
    char why[64]; /* for the report */
    double noise; /* standard deviation of one answer; NaN: not known, as below */
    double value; /* f(x), the mean of all components */
    double unit;  /* a length over which f bends by as much as it is large */
    double ridge; /* mu of the (mu/2)|x|^2 that all components share; their slopes are without it */
    double spent; /* queries so far; filled in by the solver */
    double guessed;  /* 1: the curvature is not to be relied on as it stands */
    double bent;     /* 1: the bends of these components are known */
    double returns;  /* 1: whoever goes on may hand back at its end */
    uint64_t sample; /* order[0..sample) (plan.h) are what component knows of */
    /* lent for the tell: d x d, of the mean's Hessian at x; NULL: not known */
    const double *curvature;
    /* lent: what is known of component i of mine, and its d slopes; 0: nothing. NULL: of none */
    int (*component)(const method *from, uint64_t i, known_component *to, double *slopes);
    const method *from;
} handover;

typedef struct method_row {
    zo_method_row info;               /* from rows.h */
    size_t size;                      /* of its struct, which begins with a method */
    int residuals;                    /* 1: it models r_i, and knows what is on top of them */
    int compares;                     /* 1: x is always the best known point; 0: the last iterate */
    const char *(*choose)(method *m); /* the name of the row to use instead, with a note; or NULL */
    /* fix what does not need curvature; register state */
    zo_status (*open)(method *m, zo_error *err);
    int (*needs)(const method *m); /* curvature wanted by settle, NEEDS_...; NULL: nothing */
    void (*settle)(method *m);     /* replace what is still auto in m->set; x is known */
    /* 0: nothing more to ask. fan comes with n, d, nbase 1, base x, all components, radius,
     * sides filled in */
    int (*ask)(method *m, zo_fan *fan);
    void (*tell)(method *m, const double *answers); /* answers to m->fan */
    /* 1: it only tries a point now, and answers that are not finite refuse it; or NULL */
    int (*bears)(const method *m);
    /* 1: it could go on for m, with what would be known; NULL: always */
    int (*suits)(const method *m, const handover *known);
    /* goes on for another: open and at its point; or NULL */
    void (*know)(method *m, const handover *known);
    uint64_t last_stage; /* the largest value of stage */
    /* State has been read from a file, each entry within its bounds: do they fit together, so that ask and tell are safe?
     * What does not, in words; NULL: all does. Or NULL */
    const char *(*check)(const method *m);
    /* r (n) and its slopes (n x d) at x; 0: they are not known. Or NULL */
    int (*slopes)(method *m, double *r, double *jac);
    /* f_i(base) of a fan with own and known; or NULL */
    double (*known)(const method *m, uint64_t i);
    /* For benches and tests, before the first answer: a rule is switched off; 0: there is none of that name. Or NULL */
    int (*without)(method *m, const char *rule);
    /* What is neither state nor scratch_new, which free themselves; also half-built; or NULL. */
    void (*close)(method *m);
} method_row;

enum { MAX_STATES = 192 };
#define MOST_COUNTED                                                                               \
    ((uint64_t)1 << 53) /* of steps and the like: far beyond what a run counts to */

typedef struct state_entry {
    const char *name;
    void *at;
    size_t words; /* of 8 bytes */
    int owned;    /* freed with the method */
    /* so many numbers for every component, of which only mine are here; 0: the same on all ranks */
    size_t width;
    uint64_t most; /* no word is above this, as a whole number; UINT64_MAX: any will do */
} state_entry;

/* Who does parts of a method's own work at the same time; see method_share. */
typedef struct method_helpers {
    int (*share)(void *ctx, size_t count, void (*task)(void *with, size_t k, int who), void *with);
    void *ctx;
} method_helpers;

struct method {
    const method_row *row;
    size_t n, d;
    zo_settings set;  /* as given, then with auto replaced by what it became */
    zo_settings made; /* as open left them: what is not auto here stays, but for step and noise */
    const zo_prox *psi;
    /* on top of what is told, where the row takes residuals; NULL: nothing is */
    const zo_outer *outer;
    const double *scale; /* d: what is large for a coordinate; or NULL */
    int by_point;        /* 1: points are paid, not components */
    int means_only;      /* 1: fans with each = 1 cannot be answered */
    double *prox_work;   /* psi's scratch, lent by the owner */
    void (*offer)(void *ctx, const double *x, double objective); /* lent: see method_offer */
    void *offer_ctx;
    method_helpers helpers; /* lent; all 0: none */
    double *bounds;         /* 2 d: lo, then hi of psi's box; NULL: it has none */
    double *scratch;        /* d: for method_prox, method_move, prox_residual and own_tell alone */
    zo_fan fan;             /* the question at hand */
    double told;   /* mean f(base) where it is known and the method says so, else NaN; set in ask */
    double *x;     /* d: the point (state) */
    uint64_t step; /* changes of x so far (state) */
    uint64_t gauged;    /* what is known of the automatic radius, see method_radius (state) */
    double zoom, steep; /* it is multiplied by zoom; slope at the radius before (state) */
    uint64_t settled;   /* 1: nothing in set is auto any more that the method needs (state) */
    uint64_t stage;     /* where in its iteration a method stands: its own enum (state) */
    /* prox-gradient norm, as well as the method knows it; NaN: not known (state) */
    double residual;
    double error; /* standard error of the last change of F, as judged; NaN: it was not (state) */
    /* of f where the run began, whoever measured it: what is little beside it is not gone after; 0: not known (state) */
    double height;
    curvature curve;     /* (state) */
    char chosen[256];    /* what auto became; see method_note (state) */
    char warning[256];   /* (state) */
    handover next;       /* who goes on, once this method has ended so (state) */
    uint64_t followed;   /* how many methods have handed over before, (state) */
    uint64_t been;       /* and which: a bit for each row of the table (state) */
    zo_reason ended;     /* why ask has nothing more: 0 means ZO_AT_END */
    struct probe *probe; /* measures curve before the first ask; NULL: settle needs nothing */
    state_entry state[MAX_STATES];
    size_t nstates;
    void *room; /* the last that scratch_new gave */

    /* where components are spread over ranks; NULL: all are mine */
    const struct zo_together *together;
    size_t first, count; /* my components: first ... first + count - 1 */
};

const method_row *method_find(const char *name); /* NULL: unknown */
const method_row *const *method_table(size_t *count);

/* Takes n, d, psi (which must outlive the method) and means_only from p; set m->prox_work before the first tell. *out
 * is NULL after a failure. */
zo_status method_new(method **out, const zo_problem *p, const zo_settings *set, zo_error *err);
/* The same with a row that is in no table. */
zo_status method_of_row(method **out, const method_row *row, const zo_problem *p,
                        const zo_settings *set, zo_error *err);
void method_free(method *m);
void method_start(method *m, const double *x0); /* sets x; what comes next is the first ask */
const zo_fan *method_ask(method *m);            /* NULL: nothing more to ask */
void method_tell(method *m, const double *answers);

/* ---- handing over (follow.c) ---------------------------------------------------------------------- */

/* The method that from->next names, at from's point with from's step, notes and radius, told what is known; spent: the
 * queries so far. *out is NULL after a failure, and from is as it was. */
zo_status method_follow(method **out, const method *from, const zo_problem *p,
                        const zo_settings *given, double spent, zo_error *err);

/* For a tell: may to go on for this method? Who follows whom is a table (follow.c); nobody comes twice but where it says so. */
int method_may_follow(const method *m, const char *to, const handover *known);
/* Nobody goes on for m: it is a part of another method. */
void method_is_part(method *m);
/* All that may be known, not known yet; from m. */
handover method_nothing_known(const method *m);
/* For a tell: the method ends here, and to goes on; why, for the report. What is known is filled in by the caller: all
 * of it comes as not known. */
handover *method_hand_over(method *m, const char *to, const char *why);

/* ---- for methods: state (method.c) -------------------------------------------------------------- */

/* Registers state; call in open only. The new array is zero. NULL: out of memory. */
double *state_numbers(method *m, const char *name, size_t count);
uint64_t *state_indices(method *m, const char *name, size_t count, uint64_t most);
void state_number(method *m, const char *name, double *at); /* a field of the method's own struct */
/* a few of them, not owned */
void state_array(method *m, const char *name, double *at, size_t count);
/* bytes of a field of the method's own struct, words of 8 of them */
void state_words(method *m, const char *name, void *at, size_t words);
void state_count(method *m, const char *name, uint64_t *at, uint64_t most); /* at most most */

/* width numbers for each of my components, beginning with the first. */
double *state_shared(method *m, const char *name, size_t width);

/* mem_new that is freed with the method. */
void *scratch_new(method *m, size_t count, size_t size);
void scratch_free(method *m); /* all of it */

/* ---- is state that was read from a file fit to go on with? (method_check.c) ------------------------ */

enum { SENTENCE = 160 };
/* 0: no; then text (SENTENCE bytes) says what is wrong: "'cursor' is 12, and at most 7". */
int method_check(const method *m, char *text);
int entry_fits(const state_entry *e, char *text);
/* For check: v is a whole number in [1, most]. */
int is_whole(double v, double most);
/* The same in [0, most]. */
static inline int is_count(double v, double most) { return v == 0 || is_whole(v, most); }

/* ---- from auto to numbers (method_settle.c) ------------------------------------------------------ */

/* What auto became, for the report: "step 0.31 (1/top)"; entries are joined with "; ". */
void method_note(method *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
void method_warn(method *m, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A measured curvature as a positive number: itself, or where it is not positive the trace's size, or 1. */
double method_bend(const method *m, double measured);

/* For psvrg and saga. Batch: the least power of 2 (at most most) for which what sampling adds, each/batch, is
 * no more than top. Step: 1/(top + each/batch). */
void method_auto_batch(method *m, double most);
void method_auto_step(method *m);

/* How many directions an automatic choice may keep: sets draws of so many rows take at most half of memory. */
double method_most_directions(const method *m, double sets);

/* A whole setting, checked: *at when given (at most high), else what auto becomes, with a note. */
zo_status method_whole(method *m, const char *name, double *at, double automatic, double high,
                       size_t *out, zo_error *err);

/* The radius to use at x along directions of length about length: set.radius, or the automatic rule
 * (sides 1: max(1e-7, 2 noise^(1/2)), sides 2: max(1e-5, 2 noise^(1/3))) * max(1, |x|) / length. The first answers along
 * directions say whether it will do: where they drown in rounding, rounding becomes the noise; where they are more than 1e-4 of
 * f, a smaller radius is tried, and kept if the slopes differ. Either way they are asked again. */
double method_radius(const method *m, double length);

/* Does a coordinate begin at 0, or at what rounding makes of it? most: the largest |x_j|. Its size is not known then. */
static inline int method_begins_at_zero(double x, double most)
{
    return fabs(x) <= 1e-15 * fmin(most, 1);
}

/* A decrease that F, near objective and over components near scale, cannot show: rounding, or noise over n components. */
double method_unseen(const method *m, double objective, double scale);

/* ---- from answers to steps (method_step.c) ------------------------------------------------------- */

/* The difference quotient along direction k (axes first) at base b in one set of answers:
 * (f(base + r u) - f(base))/r, or (f(base + r u) - f(base - r u))/(2r) with two sides. */
double quotient(const zo_fan *fan, const double *set, size_t b, size_t k);
/* u'Hu; two sides only */
double second_difference(const zo_fan *fan, const double *set, size_t b, size_t k);

/* The fan asks at base + u, and with two sides at base - u, for each of so many rows u of d numbers. */
void ask_rows(zo_fan *fan, size_t count, const double *rows, int sides);

void read_slopes(const zo_fan *fan, const double *set, size_t b, size_t first, size_t count,
                 double *slope);

/* x = prox_{step psi}(v); v and x may be the same array. */
void method_prox(method *m, double step, const double *v, double *x);

/* So few components, in so few dimensions, that models of all of them together (lm) are worth a trial. */
int method_few_in_all(const method *m);

/* Components so few beside the dimensions that a part of them says nothing about most of these, unless they have something in common. */
static inline int method_few_beside(const method *m) { return m->n <= m->d / 2; }

/* F was found to be objective at x. */
void method_offer(const method *m, const double *x, double objective);

/* p from x, or -p, whichever goes farther along p within the bounds of psi, cut off where it leaves them: what is left of
 * it there is at least half, unless the box is narrow. */
void method_turn(const method *m, const double *x, double *p);

/* How far a forward difference along axis j really went that was asked for at x + r e_j: r, or where that is outside of the
 * bounds the other way. It takes reach/2 times the curvature for slope. */
double method_reach(const method *m, const double *x, size_t j, double r);

/* x into the bounds of psi: where it is asked. */
void method_clamp(const method *m, double *x);

void method_move(method *m, double step, const double *g); /* x = prox(x - step g): one step */

/* |x - prox(x - step g)| / step, the prox-gradient norm; work: d numbers. */
double prox_residual(method *m, const double *x, double step, const double *g, double *work);

/* The same where only a memory h of the gradient is known, and g = h + e with e = E(grad f - h): |grad f - h| is about
 * |e|/sqrt(spread), and the residual changes by no more than that. */
double memory_residual(method *m, const double *x, const double *h, const double *g, double spread,
                       double *work);

/* ---- sums over components (method_ranks.c) ------------------------------------------------------- */

/* Sum over components of rows of m numbers, one for each of the count entries of comp, along the fixed tree
 * of base/sum.h. work: sum_work(m) numbers, index: 2*count. */
void sum_rows(size_t count, const uint64_t *comp, size_t m, const double *rows, double *total,
              double *work, uint64_t *index);

/* Components may live on other ranks. A method that keeps something for every component asks fans with
 * each = method_each(m), reads the answers of its own entries only, and sums over all by method_sum. */
int method_each(const method *m);
static inline int method_mine(const method *m, uint64_t i) { return i - m->first < m->count; }
int method_same(const method *m, uint64_t i, uint64_t k); /* do they live on the same rank? */
/* in open, for method_sum; 0: out of memory */
int method_reserve(const method *m, size_t width, size_t ncomp);
/* In open, before state: every rank keeps all components. */
void method_gather(method *m);
/* As sum_rows; of comp's entries only the rows of mine are looked at, and with comp NULL rows begins with my first. */
void method_sum(const method *m, size_t count, const uint64_t *comp, size_t width,
                const double *rows, double *total, double *work, uint64_t *index);

/* A sum over components to which each rank adds its own: leaves in rising order of their blocks, then close. Room for it:
 * method_reserve(m, width, 0) in open. */
typedef struct method_total {
    const method *m;
    sum_tree tree;
    uint64_t block;
    double *leaf;
} method_total;
/* work: sum_levels(n) * width numbers */
void total_open(method_total *t, const method *m, size_t width, double *work);
/* width numbers, zeros at first, that a component of mine adds to */
double *total_leaf(method_total *t, uint64_t i);
/* Fewer leaves than components: called on all ranks for all leaves that there will be, in any order. */
void total_expect(method_total *t, uint64_t i);
void total_close(method_total *t, double *total);

/* ---- own work on several threads (method_share.c) --------------------------------------------------- */

/* work(ctx, part, from, to) for ranges that together are 0 ... count - 1, at the same time where somebody helps and it is worth it:
 * each of count touches about so many numbers. part says which scratch space to use, for several ranges one after the other.
 * Nothing may depend on how the ranges are cut, nor on their order. */
enum { METHOD_PARTS = 8 };
typedef void (*method_work)(void *ctx, size_t part, size_t from, size_t to);
void method_share(const method *m, size_t count, size_t numbers, method_work work, void *ctx);
/* Entries of a list that belong into another, in their order: how many of from ... to - 1, and their places there, of which so many are
 * taken before; returns what it counts, too. */
typedef struct method_list {
    size_t (*count)(void *ctx, size_t from, size_t to);
    size_t (*put)(void *ctx, size_t from, size_t to, size_t before);
    void *ctx;
} method_list;
size_t method_pick(const method *m, size_t count, size_t numbers, const method_list *list);

/* Blocks of SUM_BLOCK components, by their number, that some of mine are in; the components of mine in block k begin at, and end
 * before. */
size_t method_blocks(const method *m);
uint64_t block_first(const method *m, size_t k);
uint64_t block_end(const method *m, size_t k);

/* total = the sum of width numbers over my components, and those of other ranks: fill(ctx, from, to, leaves) adds up blocks
 * from ... to - 1, each in its row of leaves, which is 0 before. Blocks are added in their one order, whoever filled them. */
typedef struct block_sum {
    size_t width, numbers; /* numbers: that a block touches, about */
    double *tree;          /* sum_levels(n) * width numbers: room */
    double *leaves;        /* room for so many numbers, width at least; may be total */
    size_t room;
    void (*fill)(void *ctx, size_t from, size_t to, double *leaves);
    void *ctx;
} block_sum;
void method_sum_blocks(const method *m, const block_sum *b, double *total);

/* In open, for the next two; numbers: the most of count * width. 0: out of memory. */
int method_reserve_rows(const method *m, size_t numbers);
/* One byte for each component: mine begins with my first; all: room for n, which may be mine where all are mine. */
void method_marks(const method *m, const unsigned char *mine, unsigned char *all);
/* Rows of a few components, filled in by who has them: then everybody has all. */
void method_rows(const method *m, size_t count, const uint64_t *comp, size_t width, double *rows);

#endif
