/* zoprox.h - minimize F(x) = (1/n) sum_{i<n} f_i(x) + psi(x) when the f_i can only be evaluated.
 * SPDX-License-Identifier: MIT
 *
 * One evaluation of one f_i is a query; n*d queries are a unit (d counts what bounds leave free). A method asks fans ("how do these
 * components change around this point, along these directions?") and is told the answers; everything
 * else is built on that. In twenty lines:
 *
 *     static int value(void *ctx, size_t i, const double *x, double *f) { ...; return 0; }
 *
 *     zo_problem  p = {.n = 1000, .d = 20, .value = value, .psi = zo_l1(1e-3)};
 *     zo_settings s = zo_defaults();
 *     zo_control  c = zo_no_limits();
 *     c.max_units = 50;
 *     zo_solver *solver;
 *     zo_report  r;
 *     zo_error   e;
 *     if (zo_new(&solver, &p, &s, &e) || zo_start(solver, NULL, &e) || zo_run(solver, &c, &r, &e))
 *         fprintf(stderr, "%s\n", e.text);
 *     else
 *         use(zo_point(solver), r.objective);
 *     zo_free(solver);
 *
 * The library never prints, exits, touches signals or keeps globals. You own what you pass in; it must
 * outlive the solver. Every failure sets a sentence that names the argument and its value. */
#ifndef ZOPROX_H
#define ZOPROX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ZO_VERSION "0.1.0"

#if defined(__GNUC__)
#define ZO_API __attribute__((visibility("default")))
#else
#define ZO_API
#endif

/* ---- Status and errors ------------------------------------------------------------------------ */

typedef enum zo_status {
    ZO_OK = 0,
    ZO_BAD_ARGUMENT = -1, /* a value outside its range, a missing pointer, an unknown name */
    ZO_BAD_INPUT = -2,    /* a file that cannot be understood */
    ZO_BAD_STATE = -3,    /* a call out of order: tell without ask, run before start */
    ZO_NO_MEMORY = -4,
    ZO_IO = -5,       /* the file system said no */
    ZO_PROBLEM = -6,  /* the problem's own function reported a failure */
    ZO_MISMATCH = -7, /* a checkpoint of another problem, version or settings, or a damaged one */
    ZO_UNSUPPORTED = -8, /* this build, or this combination, cannot do it */
    ZO_HALTED = -9       /* an answer was given up because the run is to stop */
} zo_status;

typedef struct zo_error {
    zo_status status;
    char text[512]; /* one sentence; "" when nothing failed */
} zo_error;

ZO_API const char *zo_status_name(zo_status status);
ZO_API const char *zo_version(void);
/* Grows when the same version computes other bytes: checkpoints and ranks that differ in it do not mix. */
ZO_API unsigned zo_arithmetic(void);

/* ---- Fans: the one question ------------------------------------------------------------------- */

/* A row of which most numbers are 0: value[k] at place[k], rising. */
typedef struct zo_sparse {
    size_t count;
    const uint32_t *place;
    const double *value;
} zo_sparse;

/* How do the f_i, i in comp, change around one or two points?
 *
 * Answers, for each base in turn: the mean over comp of f_i(base) (unless known), then for each
 * direction (axes first) and side (+, then -) the mean of f_i(base +- radius*u) - f_i(base); where the
 * base values are known the values f_i(base +- radius*u) themselves. With each = 1 there is one such
 * set of answers for every entry of comp, in order. Differences are taken per component. Where radii are
 * given the k-th stands for radius along direction k; it may be negative, and turns that direction round. */
typedef struct zo_fan {
    size_t n, d;
    size_t nbase; /* 1, or 2 when a method compares x with its reference point */
    const double *base[2];
    size_t naxis, ndir;   /* directions: first the axes, then the rows of dir; both may be 0 */
    const uint32_t *axis; /* naxis coordinates j: u = e_j; NULL with naxis = d: all of them */
    const double *dir;    /* ndir rows of d numbers; with own, ndir rows for each entry of comp */
    int own;              /* 1 (with each): every component is asked along rows of its own */
    double radius;        /* of all directions, unless each has its own: */
    const double *radii;  /* NULL, or naxis + ndir signed numbers: base + radii[k]*u_k */
    int sides;            /* 1: base + radius*u;  2: also base - radius*u */
    int by_point;         /* 1: one evaluation at a point gives all n, and is what is paid */
    int known;            /* 1: the asker already has f_i(base): ask for the other points only */
    size_t ncomp;
    const uint64_t *comp; /* ncomp indices, repeats allowed; NULL: all n in order */
    /* 0: answers are means over comp;  1: one set of answers per entry;  2: likewise, and the asker
     * reads those of its own rank only (zoprox_spread.h: answers of others may be 0). Only problems
     * that carry `together` are asked with 2. */
    int each;
    /* NULL, or d flags of the problem: where it is 1 the coordinate above is a logarithm, and zo_fan_point and
     * zo_fan_fill give what it is of */
    const unsigned char *log;
    /* NULL, or (own, one row for each entry) a hint to who answers: the same rows as lists, of ncomp entries, with count 0
     * where it is not told. They hold for the rows at sparse_of: not where dir is another by now. */
    const zo_sparse *sparse;
    const double *sparse_of;
} zo_fan;

/* What it costs: the only place where queries are counted. */
ZO_API uint64_t zo_fan_queries(const zo_fan *fan);
/* Numbers in one set of answers, and in all of them: one set, or ncomp with each. */
ZO_API size_t zo_fan_set(const zo_fan *fan);
ZO_API size_t zo_fan_answers(const zo_fan *fan);
/* The radius along direction k (axes first): radii[k], or radius. */
ZO_API double zo_fan_radius(const zo_fan *fan, size_t k);
/* Points at which each component is evaluated. */
ZO_API size_t zo_fan_points(const zo_fan *fan);
/* The point-th of these points (bases in turn; each base first unless known, then its directions and
 * sides) for the entry-th component (which matters with own only); x has room for d numbers. */
ZO_API void zo_fan_point(const zo_fan *fan, size_t entry, size_t point, double *x);
/* All of them at once, as rows of d numbers. */
ZO_API void zo_fan_fill(const zo_fan *fan, size_t entry, double *x);

/* ---- psi: the regulariser or constraint ------------------------------------------------------- */

/* prox(v, step) = argmin_x psi(x) + |x - v|^2 / (2 step). A zo_prox is passed by value; arrays in it
 * are borrowed. Your own: fill value and apply (work if apply needs scratch numbers, one if psi is
 * separable and you want the methods that use it to be faster) and carry what you need in ctx. apply must
 * allow v and x to be the same array, and must not allocate. */
typedef struct zo_prox zo_prox;
struct zo_prox {
    const char *name;
    /* psi(x): infinite outside a constraint */
    double (*value)(const zo_prox *psi, size_t d, const double *x);
    void (*apply)(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                  double *work);
    size_t (*work)(const zo_prox *psi, size_t d); /* scratch numbers; NULL: none */
    /* the prox of coordinate j alone; NULL: psi is not separable */
    double (*one)(const zo_prox *psi, size_t j, double step, double v);
    double a, b;                 /* the family's numbers */
    const double *lo, *hi;       /* weights or bounds: d numbers each, or NULL; A and b of a set */
    size_t rows, cols;           /* of a matrix block, of A; or the length of a group in cols */
    const struct zo_block *part; /* nparts disjoint blocks, each with a psi of its own */
    size_t nparts;
    const void *ctx;
};

typedef struct zo_block {
    size_t from, to; /* coordinates from <= j < to */
    zo_prox psi;
} zo_block;

ZO_API zo_prox zo_zero(void);                                 /* psi = 0 */
ZO_API zo_prox zo_l1(double a);                               /* a |x|_1 */
ZO_API zo_prox zo_weighted_l1(double a, const double *w);     /* a sum w_j |x_j| */
ZO_API zo_prox zo_l2(double a);                               /* a |x|_2 */
ZO_API zo_prox zo_squared_l2(double a);                       /* (a/2) |x|^2 */
ZO_API zo_prox zo_elastic_net(double a, double b);            /* a |x|_1 + (b/2) |x|^2 */
ZO_API zo_prox zo_nonnegative(void);                          /* x >= 0 */
ZO_API zo_prox zo_box(double lo, double hi);                  /* lo <= x_j <= hi */
ZO_API zo_prox zo_bounds(const double *lo, const double *hi); /* lo_j <= x_j <= hi_j */
ZO_API zo_prox zo_l1_ball(double r);                          /* |x|_1 <= r */
ZO_API zo_prox zo_l2_ball(double r);                          /* |x|_2 <= r */
ZO_API zo_prox zo_simplex(double r);                          /* x >= 0, sum x = r */
ZO_API zo_prox zo_linf(double a);                             /* a max |x_j| */
ZO_API zo_prox zo_total_variation(double a);                  /* a sum |x_{j+1} - x_j| */
/* a sum_g sqrt(size) |x_g| over groups of size coordinates; sparse: a |x|_1 + b times that */
ZO_API zo_prox zo_group_lasso(double a, size_t size);
ZO_API zo_prox zo_sparse_group_lasso(double a, double b, size_t size);
/* a times the sum of the singular values of x, a matrix row by row */
ZO_API zo_prox zo_nuclear(double a, size_t rows, size_t cols);
/* Ax = b, and Ax <= b: a has rows of d numbers each, b a number for each */
ZO_API zo_prox zo_affine(const double *a, const double *b, size_t rows);
ZO_API zo_prox zo_polyhedron(const double *a, const double *b, size_t rows);
/* a sum over disjoint blocks, 0 elsewhere */
ZO_API zo_prox zo_blocks(const zo_block *part, size_t nparts);

/* a sum on the same coordinates, parts 0:d each: one separable psi, or affine sets and polyhedra; then bounds */
ZO_API zo_prox zo_sum(const zo_block *part, size_t nparts);

/* "l1:1e-4", "box:-1,1@0:10 l2:0.5@10:20", "l1:0.1 box:0,5": as on the command line, see zo_prox_rows. Allocates what the
 * result points to; zo_prox_free releases it. */
ZO_API zo_status zo_prox_parse(zo_prox *out, const char *spec, size_t d, zo_error *err);
ZO_API void zo_prox_free(zo_prox *psi);
/* Is psi usable in d dimensions? (numbers in range, blocks disjoint, shapes that fit) */
ZO_API zo_status zo_prox_check(const zo_prox *psi, size_t d, zo_error *err);

typedef struct zo_prox_row {
    const char *name;
    const char *arguments; /* "A,SIZE": what follows NAME: ; "[R]": may be left out; "": nothing */
    const char *formula, *help;
    const char *prox; /* argmin psi(x) + |x - v|^2/(2 t) as a formula, or how it is found */
} zo_prox_row;
ZO_API const zo_prox_row *zo_prox_rows(size_t *count);

/* ---- Outer: what is known of each component ---------------------------------------------------- */

/* A box may give residuals r_i where the loss on top of them is known:
 *
 *     f_i(x) = w_i h(r_i(x) - t_i)
 *
 * Passed by value like psi; weights w and targets t are borrowed. Your own: fill value, slope (h') and curvature (h''), and
 * carry what you need in ctx. All zero bytes: the box gives f_i itself. */
typedef struct zo_outer zo_outer;
struct zo_outer {
    const char *name;
    double (*value)(const zo_outer *outer, double r);
    double (*slope)(const zo_outer *outer, double r);
    double (*curvature)(const zo_outer *outer, double r);
    double a;                      /* the family's number */
    const double *weight, *target; /* n numbers each, or NULL: 1 and 0 */
    const void *ctx;
};

ZO_API zo_outer zo_squares(void);     /* r^2/2 */
ZO_API zo_outer zo_huber(double a);   /* r^2/2 up to |r| = a, a (|r| - a/2) beyond */
ZO_API zo_outer zo_soft_l1(double a); /* a^2 (sqrt(1 + (r/a)^2) - 1) */
ZO_API zo_outer zo_cauchy(double a);  /* (a^2/2) log(1 + (r/a)^2) */
ZO_API zo_outer zo_logistic(void);    /* log(1 + e^-r), r a margin */
/* "squares", "huber:0.5": as on the command line. */
ZO_API zo_status zo_outer_parse(zo_outer *out, const char *spec, zo_error *err);

/* ---- The problem ------------------------------------------------------------------------------ */

/* How an answering machine fares: what it had to ask again by itself, in queries that no fan counts, and its last failure
 * in words. */
typedef struct zo_health {
    uint64_t retried, failures;
    const char *text; /* or NULL */
} zo_health;

/* What an answer that takes long may look at, and what it may tell; heed gives it. */
typedef struct zo_halt {
    int (*asked)(void *ctx); /* not 0: a signal came, or the time is over; from any thread */
    void *ctx;
    /* Or NULL. Of the values that the call at hand is to give so many are there, and so many of the workers are at
     * work. As often as you like, from the thread that was called: it is passed on ten times a second at most. */
    void (*told)(void *ctx, uint64_t answered, uint64_t asked, int busy, int workers);
    /* Or NULL. For values and pairs that take long, where every evaluation is kept as it comes: the k-th value of the call
     * at hand (point by point, for each point component by component) is there, and took so many seconds. */
    void (*heard)(void *ctx, size_t k, double value, double seconds);
    struct zo_history *history; /* for the library's own problems */
    /* settings.nonfinite. Unless it is ZO_STOP a value that cannot be had is NaN, and the run goes on. */
    int nonfinite;
    uint64_t spare; /* queries that the call at hand may take beyond its fan's, to ask again */
    int begun;      /* 1: the run has had answers, perhaps before it was resumed */
} zo_halt;

typedef struct zo_problem {
    size_t n, d;
    /* Answer a whole fan: fill zo_fan_answers(fan) numbers, NaN where a value cannot be had. Returns 0, or anything else
     * to stop the run: ZO_NO_MEMORY when that is why, ZO_HALTED when it was given up because the run is to stop (it then
     * was never asked, and is asked anew by the next run), a code of your own otherwise. */
    int (*answer)(void *ctx, const zo_fan *fan, double *out);
    /* Or just this, and the library answers fans with it: *f = f_i(x). Here and in the next three a code of your own says
     * that this cannot be evaluated: it counts as NaN and follows settings.nonfinite. ZO_NO_MEMORY and ZO_HALTED are as
     * above, and ZO_PROBLEM ends the run. */
    int (*value)(void *ctx, size_t i, const double *x, double *f);
    /* Or many at once: f[p*ncomp + k] = f_{comp[k]}(x_p), the npoints points x_p as rows of d numbers. */
    int (*values)(void *ctx, size_t npoints, const double *x, size_t ncomp, const uint64_t *comp,
                  double *f);
    /* Beside values, for fans with own directions: f[k] = f_{comp[k]}(x_k), count points and as many components. */
    int (*pairs)(void *ctx, size_t count, const double *x, const uint64_t *comp, double *f);
    /* Or all n at one point, where one run gives all of them: f[i] = f_i(x); by_point is then taken as 1. */
    int (*all)(void *ctx, const double *x, double *f);
    void *ctx;
    zo_prox psi; /* all zero bytes mean zo_zero() */
    /* what is given are residuals, and this is on top; all zero bytes: the f_i themselves */
    zo_outer outer;
    /* 1: one evaluation at a point gives all n components at one price. Then points are what is counted, and a unit is d of
     * them; a fan over a part of the components costs as much as one over all. */
    int by_point;
    /* d flags, or NULL: coordinate j of the solver (start, point, psi) is the logarithm of what your functions get */
    const unsigned char *log;
    /* d numbers: what is a large change of each coordinate; methods see x in these units (rounded to powers of two), so that
     * radius is in them too. NULL: as large as bounds say, where these allow nothing near 1, and else 1 */
    const double *scale;
    int threads; /* value and all may be called from so many threads at once; 0 and 1: from the caller's only */
    int means_only;       /* 1: answer cannot serve fans with each = 1 */
    int by_component;     /* 1: values fills f[k*npoints + p] instead, a row for each component */
    uint64_t fingerprint; /* says which problem a checkpoint belongs to; 0: not known */
    zo_health (*health)(void *ctx); /* or NULL */
    /* Or NULL: called when a run begins, with what answer may look at now and then, and with NULL when it ends. */
    void (*heed)(void *ctx, const zo_halt *halt);
    /* a number of the problem's own that goes into checkpoints and comes back; or NULL */
    uint64_t *kept;
    /* 1: looking at F costs nothing that counts, as with the built-in losses; else it is charged */
    int free_looks;
    const struct zo_inside *inside;     /* of the library's own problems; NULL in yours */
    const struct zo_together *together; /* of problems on several ranks; NULL in yours */
} zo_problem;

/* ---- Settings: what shapes the trajectory ------------------------------------------------------ */

enum { ZO_GAUSSIAN, ZO_SPHERE, ZO_RADEMACHER, ZO_AXIS, ZO_ORTHOGONAL }; /* kind of directions */
enum { ZO_BEST, ZO_LAST };             /* point: which one is the result */
enum { ZO_STOP, ZO_RETRY, ZO_REJECT }; /* nonfinite: what a bad answer does */
enum { ZO_OFF, ZO_AUTO, ZO_ON };       /* recover */
/* reading: how zpdvr takes Algorithm 1, see docs/methods/zpdvr.md */
enum { ZO_WRITTEN, ZO_REDRAWN, ZO_LITERAL, ZO_NEW, ZO_MEMORY };
#define ZO_PERIODIC (-1.0) /* refresh every ceil(n/batch) steps instead of by a coin */

/* Numbers are double throughout; NaN means auto: the method's own rule, see docs/settings.md. Whole
 * numbers are checked to be whole. zo_setting_rows describes each field. */
typedef struct zo_settings {
    char method[16];
    uint64_t seed;
    double step;       /* eta */
    double radius;     /* of the differences (the paper's v) */
    double sides;      /* 1: forward differences, 2: central */
    double batch;      /* components per inner step */
    double directions; /* per fan, for methods that draw them */
    int kind;          /* of directions: ZO_GAUSSIAN, ... */
    double refresh;    /* probability of a new reference point (the paper's p), or ZO_PERIODIC */
    double epoch;      /* inner steps between two full passes */
    int normalize;     /* 1: divide by |u|^2 in the memory's update instead of by its mean */
    int warm;          /* 1: the memory starts as a full difference gradient instead of 0 */
    double decay;      /* zosgd: step/sqrt(1 + k/decay) */
    int restart;       /* fista: 1 restarts the momentum when it points uphill */
    int nonfinite;     /* ZO_STOP, ZO_RETRY, ZO_REJECT */
    double horizon;    /* queries a method may plan for; auto: the budget of the first run */
    double memory;     /* bytes a method may use for its state */
    double noise;      /* standard deviation of one answer, if known */
    int own;           /* 1: components may be asked along directions of their own in one fan */
    int point;      /* ZO_BEST: the best point whose F is known is the result; ZO_LAST: the last */
    double abreast; /* points that are asked at a time where evaluations are paid by point */
    int recover;    /* gradients from fewer differences than coordinates: ZO_OFF, ZO_AUTO, ZO_ON */
    int reading;    /* of Algorithm 1 by zpdvr: ZO_WRITTEN, ... */
    int inside;     /* 1: no question leaves psi's set, whatever it is; 0: bounds are kept so */
} zo_settings;

ZO_API zo_settings zo_defaults(void);
/* "step", "0.5" or "auto": parse, check, store. Unknown names are answered with the nearest one. */
ZO_API zo_status zo_set(zo_settings *s, const char *name, const char *value, zo_error *err);
/* The value as text that zo_set takes back; 0, or -1 if the name is unknown or size too small. */
ZO_API int zo_get(const zo_settings *s, const char *name, char *text, size_t size);

typedef struct zo_setting_row {
    const char *name, *type; /* type: "number", "whole", "choice", "text" */
    const char *initial;     /* what zo_defaults sets, as text */
    double low, high;        /* inclusive range of numbers */
    const char *choices;     /* names separated by '|', in the order of their values; or NULL */
    const char *help;
    size_t offset; /* of the field in zo_settings */
} zo_setting_row;
ZO_API const zo_setting_row *zo_setting_rows(size_t *count);

typedef struct zo_method_row {
    const char *name, *summary, *cost, *reference;
    const char *settings; /* names of the settings it uses, separated by blanks */
} zo_method_row;
ZO_API const zo_method_row *zo_method_rows(size_t *count);

/* ---- A method of your own ------------------------------------------------------------------------ */

/* zo_new_with makes a solver for it: budgets, rows, bounds, history, ask and tell, checkpoints are those of every other. */
typedef struct zo_method {
    const char *name; /* 1 to 15 letters, none of zo_method_rows */
    void *ctx;
    /* Begins anew, once or several times before the first ask: n components, the d coordinates that are free, settings
     * (NaN is auto), psi, which stays. Anything but 0: it cannot. Or NULL. */
    int (*open)(void *ctx, size_t n, size_t d, const zo_settings *set, const zo_prox *psi);
    /* The next question, at the point x; 0: there is none. fan comes with base x, all components, no direction, a radius and
     * sides that follow the settings; what you let it point to must stay until tell. Asking twice must give the same. */
    int (*ask)(void *ctx, const double *x, zo_fan *fan);
    /* Its answers. Write the next point into x and return 1; 0: x stays. The prox-gradient norm into residual, where it is
     * known. */
    int (*tell)(void *ctx, const zo_fan *fan, const double *answers, double *x, double *residual);
    double *
        state; /* nstate numbers that are all that it remembers, for checkpoints; or NULL and 0. May be set by open. */
    size_t nstate;
} zo_method;

/* ---- Control: what does not shape it ----------------------------------------------------------- */

/* Why a run stopped. */
typedef enum zo_reason {
    ZO_RUNNING = 0,
    ZO_AT_QUERIES, /* the next fan would pass the budget */
    ZO_AT_SECONDS,
    ZO_AT_STEPS,
    ZO_AT_TARGET,  /* objective <= target */
    ZO_AT_GAP,     /* objective - optimum <= gap */
    ZO_AT_TOL,     /* residual <= tol */
    ZO_AT_REQUEST, /* the watcher or the stop flag said so */
    ZO_AT_NONFINITE,
    ZO_AT_END,      /* converged: the method has nothing more to ask */
    ZO_AT_NOISE,    /* nothing more can be learnt above the noise */
    ZO_AT_FAILURE,  /* the problem failed: see the error */
    ZO_AT_STALLED,  /* no better point is found, and the slopes do not vanish: a kink, a plateau */
    ZO_AT_UNBOUNDED /* F falls without end */
} zo_reason;
ZO_API const char *zo_reason_name(zo_reason reason);

/* Who pays for showing F: nobody (it is not shown), apart, the budget. */
/* Showing F: not at all; sometimes, at the budget's expense (problems with free_looks: in every row, apart); in every
 * row, at the budget's expense; in every row, apart from the budget. */
enum { ZO_TRACK_OFF, ZO_TRACK_ON, ZO_TRACK_CHARGED, ZO_TRACK_APART };

/* What is known after a step; NaN where nothing is. */
typedef struct zo_row {
    uint64_t step, queries, watched; /* watched: queries spent only to show F, apart from queries */
    double units, seconds, objective, gap, residual;
    size_t nonzeros;
    const double *x; /* the method's point, whose objective this is */
    double best;     /* the lowest F known so far */
} zo_row;

/* How far a run has come, also in the middle of a question that takes long; NaN where nothing is known. */
typedef struct zo_progress {
    uint64_t step, queries, watched; /* of what was answered in full */
    /* values of the question at hand, and those that are there; 0: none is */
    uint64_t asked, answered;
    int workers, busy; /* those who answer it, and who of them are at work; 0: not known */
    uint64_t retried, failures;
    double units;                                    /* with the answers that are there */
    double seconds;                                  /* since the start, earlier runs included */
    double objective, best_objective, gap, residual; /* as last seen */
    double share; /* of the budget that is spent, 0 to 1; NaN: there is none */
    double left;  /* seconds until it is spent, at the pace so far; NaN: not known yet */
} zo_progress;

typedef struct zo_control {
    uint64_t max_queries, max_steps; /* UINT64_MAX: no limit */
    uint64_t max_points; /* the same where evaluations are paid by point, and only there */
    double max_units, max_seconds; /* infinity: no limit */
    /* stop at objective <= target, objective - optimum <= gap, residual <= tol (a method that
     * compares values and is tracked: where no better point was seen) */
    double target, gap, optimum, tol;
    int track;                                  /* ZO_TRACK_... */
    double every;                               /* units between two rows */
    int (*watch)(void *ctx, const zo_row *row); /* sees every row; anything but 0 stops the run */
    void *watch_ctx;
    /* Sees how far the run has come, at most ten times a second, from the thread that called zo_run; or NULL. */
    void (*progress)(void *ctx, const zo_progress *now);
    void *progress_ctx;
    /* anything but 0 stops the run, between fans or within (zo_halt); or NULL */
    const volatile int *stop;
    struct zo_history *history; /* gets every evaluation, and knows those of the past; or NULL */
    const char *checkpoint;     /* file to keep up to date; or NULL */
    double checkpoint_seconds;  /* at most so often: 1 */
} zo_control;
ZO_API zo_control zo_no_limits(void);
/* The budget of a run that is given none, in units: 100, or 1000 queries if that is more. */
ZO_API double zo_usual_units(const zo_problem *p);

typedef struct zo_report {
    zo_reason reason;
    uint64_t steps, queries, watched, retried, failures;
    uint64_t extra; /* queries for what failed and was asked again; charged like the others */
    double units, seconds;
    double objective, best_objective, gap, residual; /* NaN: not known */
    /* standard error of F's last change where a part of the components judged it; 0: all did */
    double error;
    size_t nonzeros;
    /* queries at the last row that was due: a resumed trace goes on behind it */
    uint64_t row_queries;
    zo_settings settings; /* with auto replaced by what it became, as far as that is known */
    char method[16];      /* the one that ran */
    char chosen[256];     /* what auto settings became, and why */
    char warning[256];    /* what is unwise, or was put right; "" if nothing */
} zo_report;

/* ---- History: every evaluation, as it comes ------------------------------------------------------ */

/* For problems with value, values or pairs, and for programs (zoprox_box.h) that give one value per component. The file can
 * be read while the run goes on; see docs/runs.md for its columns. What is known is not asked again where the same component
 * is asked at exactly the same point, once for each time it was recorded. The bytes of a run do not change. */
typedef struct zo_history zo_history;

typedef struct zo_history_options {
    size_t n, d;      /* as the problem's */
    const char *file; /* SQLite where it ends in .sqlite, .sqlite3 or .db, CSV otherwise; or NULL */
    /* such a file, of another run or another tool: x0, ..., [component], value; or NULL */
    const char *past;
    int resume; /* 1: where file is there already it goes on, and what it holds is known */
    const char *const *names; /* of the coordinates, d words; NULL: x0, x1, ... */
    zo_outer outer; /* the problem's, where values are residuals: zo_history_best minds it */
} zo_history_options;

typedef struct zo_history_facts {
    uint64_t known, used; /* evaluations read; of these, not asked again */
    uint64_t written, failures;
    uint64_t damaged; /* lines that were passed over */
} zo_history_facts;

ZO_API zo_status zo_history_open(zo_history **out, const zo_history_options *options,
                                 zo_error *err);
ZO_API void zo_history_close(zo_history *history); /* takes NULL; not before its runs are over */
ZO_API zo_history_facts zo_history_look(const zo_history *history);
/* d numbers: where F is least of the past's points at which it is known for all components; NULL: there is none. psi as the
 * problem's, or NULL; objective gets F, or is NULL. */
ZO_API const double *zo_history_best(zo_history *history, const zo_prox *psi, double *objective);

/* ---- The solver -------------------------------------------------------------------------------- */

typedef struct zo_solver zo_solver;

ZO_API zo_status zo_new(zo_solver **out, const zo_problem *problem, const zo_settings *settings,
                        zo_error *err);
/* The same with a method of yours, which must outlive it; settings->method does not matter. */
ZO_API zo_status zo_new_with(zo_solver **out, const zo_problem *problem,
                             const zo_settings *settings, const zo_method *method, zo_error *err);
/* Begins at x0 (NULL: 0), or where psi is infinite there at its prox of x0, the nearest point of a constraint; of an x0 of yours
 * the report's warning then says so. */
ZO_API zo_status zo_start(zo_solver *solver, const double *x0, zo_error *err);
ZO_API zo_status zo_run(zo_solver *solver, const zo_control *control, zo_report *report,
                        zo_error *err);
ZO_API void zo_free(zo_solver *solver);

/* Or drive it yourself: *fan is valid until tell, and NULL when the run has converged.
 * Asking twice gives the same fan. A told answer that is not finite follows settings.nonfinite. */
ZO_API zo_status zo_ask(zo_solver *solver, const zo_fan **fan, zo_error *err);
ZO_API zo_status zo_tell(zo_solver *solver, const double *answers, zo_error *err);
/* From values to answers, summed as the library does it: values[entry*zo_fan_points(fan) + point], for every entry
 * of comp; out has room for zo_fan_answers(fan) numbers. So ask and tell give the bytes that zo_run gives. */
ZO_API zo_status zo_fan_answer(const zo_fan *fan, const double *values, double *out, zo_error *err);

/* Save between a tell and an ask, load instead of zo_start. A saved run goes on with the same bytes. */
ZO_API zo_status zo_save(const zo_solver *solver, const char *path, zo_error *err);
ZO_API zo_status zo_load(zo_solver *solver, const char *path, zo_error *err);

/* d numbers, owned by the solver: the result (the best point whose F is known, or with settings.point = ZO_LAST
 * the method's last; with noise a method that compares values says which is best), the best point whose F is
 * known, and the method's last point. */
ZO_API const double *zo_point(const zo_solver *solver);
ZO_API const double *zo_best(const zo_solver *solver);
ZO_API const double *zo_last(const zo_solver *solver);
ZO_API void zo_look(const zo_solver *solver, zo_report *report); /* counters and choices so far */

/* ---- What is known of residuals ------------------------------------------------------------------ */

/* At zo_point, of a method that models residuals (lm): r, n numbers, and its slopes jac, n rows of d; either may be NULL. At a
 * run's end (ZO_AT_END) slopes are fresh differences along all axes; before it they are the models'. */
ZO_API zo_status zo_residuals(const zo_solver *solver, double *r, double *jac, zo_error *err);

/* Of the parameters at zo_point, as curve_fit defines it: s^2 (J'WJ)^-1, s^2 = sum w_i r_i^2 /(n - d); covariance has d x d
 * numbers, error (the standard errors) d; either may be NULL. A parameter that the residuals do not determine, or where
 * n <= d, has the error infinity, and how many these are is in *undetermined unless that is NULL. */
ZO_API zo_status zo_covariance(const zo_solver *solver, double *covariance, double *error,
                               size_t *undetermined, zo_error *err);

#ifdef __cplusplus
}
#endif
#endif
