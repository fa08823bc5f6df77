/* sparse: one function, or the mean of all components, whose gradient has few entries at every x.
 * SPDX-License-Identifier: MIT
 *
 *   FIND    a slope along random weights of all coordinates, to both sides; then halves (recover/split.h), about three questions an
 *           entry, and a check: S, the coordinates that f depends on here, and its slopes g along them
 *   model   g'p + p'Bp/2 + psi(x + p), p on S; B: bends along the axes of S, then BFGS
 *   TRY     F at the minimizer; where it is too high, B learns what it is along p, and another is tried
 *           first, and as long as that is best: two values along -g, the second where lines of slopes g'p and -g'p meet, the tip of a
 *           kink (a distance has one)
 *   LOOK    slopes and bends along S at the new x, and once more the slope along the weights: where S does not foretell it,
 *           what is left over is split, and S is what has a slope
 *
 * A step costs 2|S| + 3 values, whatever d is. Where gradients have many entries another method goes on. docs/methods/sparse.md. */
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/vec.h"
#include "method/core/method.h"
#include "method/core/rows.h"
#include "method/mean/mean.h"
#include "method/sparse.h"
#include "prox/prox.h"
#include "recover/split.h"
#include "subproblem/quad.h"

enum { FIND, SPLIT, LOOK, TRY, NOTHING }; /* stage */
enum { BY_MODEL, DOWNHILL, TIP, KINDS };  /* kind of a candidate */
enum {
    MOST = 256,        /* coordinates of S */
    MOST_REFUSED = 30, /* candidates in a row */
    GIVES_UP =
        16, /* d over this: questions after which a gradient counts as full, and LEAST_SPLIT more */
    LEAST_SPLIT = 128,
    MOST_FAILED =
        3, /* splits in a row that did not come out, with shorter and shorter radii: kinks are near */
    SWEEPS = 200
};
static const double radius_part = 1e-5; /* of max(1, largest |x_j|) */
static const double no_slope = 1e-9;    /* of the largest: it is left out of S */
static const double foretold = 1e-6;    /* of the size of what is foretold: S holds what there is */
static const double rounded = 8;        /* roundings of f in a difference */
static const double sharp_part = 0.8;   /* of the fall along a line: there is a kink */
static const double enough = 1e-4;      /* of what is promised: a step is taken */
static const double least_part = 0.1, most_part = 10; /* what one value may do to B along p */

typedef struct facts { /* numbers only: state */
    double f, F;       /* at x */
    double count;      /* of S */
    double learnt;     /* 1: B belongs to S */
    double typical;    /* bend; 0: none was seen */
    double promise;    /* of the candidate */
    double refused;    /* candidates in a row */
    double looked;     /* 1: the slopes are those at x, and were checked there */
    double kind;       /* of the candidate */
    double sharp;      /* 1: the last step was to a kink's tip */
    double along;      /* g'p of the candidate */
    double shorter;    /* radii are multiplied by this, */
    double failed;     /* after so many splits in a row that did not come out */
} facts;

typedef struct sparse {
    method base;
    facts at;
    /* state */
    uint64_t *axis;  /* MOST: S */
    double *slope;   /* MOST */
    double *step;    /* MOST: p */
    double *bend;    /* d: 0: not known */
    double *matrix;  /* MOST x MOST: B, count x count of it */
    double *numbers; /* a split_case */
    /* scratch */
    splitter *splitter;
    recovered out;
    double *row, *full, *z; /* d */
    double *g, *x, *work;   /* MOST */
    uint32_t *places;       /* MOST: S */
    double *prox_work;
    prox_free free;
    zo_block whole;
    quad_room room;
} sparse;

static split_case *case_of(const sparse *s) { return (split_case *)(void *)s->numbers; }
static size_t size_of(const sparse *s) { return (size_t)s->at.count; }

int sparse_suits(size_t n, size_t d, const zo_prox *psi)
{
    return n == 1 && !mean_suits(d) && prox_is_loose(psi, d);
}

/* ---- Life ------------------------------------------------------------------------------------------ */

static zo_status sparse_open(method *m, zo_error *err)
{
    sparse *s = (sparse *)m;
    size_t d = m->d;
    s->splitter = splitter_new(d, m->set.seed);
    s->out.place = scratch_new(m, d, sizeof *s->out.place);
    s->out.slope = scratch_new(m, d, sizeof *s->out.slope);
    double **vectors[] = {&s->row, &s->full, &s->z};
    double **few[] = {&s->g, &s->x, &s->work};
    int there = s->splitter && s->out.place && s->out.slope;
    for (int k = 0; k < 3; k++) {
        there = there && (*vectors[k] = scratch_new(m, d, sizeof(double)));
        there = there && (*few[k] = scratch_new(m, MOST, sizeof(double)));
    }
    s->places = scratch_new(m, MOST, sizeof *s->places);
    s->free = (prox_free){.d = d, .at = s->places, .full = s->full};
    s->whole = (zo_block){.from = 0, .to = d, .psi = *m->psi};
    s->prox_work = scratch_new(m, 2 * d + prox_work(m->psi, d), sizeof *s->prox_work);
    state_array(m, "facts", &s->at.f, sizeof s->at / 8);
    s->axis = state_indices(m, "support", MOST, d - 1);
    s->slope = state_numbers(m, "slope", MOST);
    s->step = state_numbers(m, "way", MOST);
    s->bend = state_numbers(m, "bend", d);
    s->matrix = state_numbers(m, "matrix", (size_t)MOST * MOST);
    s->numbers = there ? state_numbers(m, "case", split_width(s->splitter)) : NULL;
    if (!there || !s->places || !s->prox_work || !s->axis || !s->slope || !s->step || !s->bend ||
        !s->matrix || !s->numbers || quad_open(&s->room, MOST, 0, MOST))
        return out_of_memory(err, "sparse", d);
    for (size_t j = 0; j < d; j++) s->full[j] = 0;
    splitter_order(s->splitter, s->full, 0, NULL);
    m->stage = FIND;
    s->at.shorter = 1;
    return ZO_OK;
}

static void sparse_close(method *m)
{
    sparse *s = (sparse *)m;
    splitter_free(s->splitter);
    quad_close(&s->room);
}

/* Gradients have many entries, or psi is not for this: who can do with that goes on. */
static void leave(sparse *s, const char *why)
{
    const method *m = &s->base;
    double left = isnan(m->set.horizon) ? INFINITY : m->set.horizon;
    const char *to = mean_suits(m->d)                               ? "mean"
                     : left < 2 * (double)m->n * ((double)m->d + 1) ? "zosgd"
                                                                    : "fista";
    method_hand_over(&s->base, to, why)->noise = m->set.noise;
    s->base.stage = NOTHING;
}

/* ---- Questions ------------------------------------------------------------------------------------- */

static double radius_of(const method *m)
{
    double most = 1;
    for (size_t j = 0; j < m->d; j++) most = fmax(most, fabs(m->x[j]));
    return isnan(m->set.radius) ? radius_part * ((const sparse *)m)->at.shorter * most
                                : m->set.radius;
}

/* The point that is tried: x, and x + p on S. */
static const double *candidate(const sparse *s)
{
    vec_copy(s->base.d, s->base.x, s->z);
    for (size_t k = 0; k < size_of(s); k++) s->z[s->axis[k]] += s->step[k];
    return s->z;
}

static int sparse_ask(method *m, zo_fan *fan)
{
    sparse *s = (sparse *)m;
    if (m->stage == NOTHING) return 0;
    fan->sides = 2;
    fan->radius = radius_of(m);
    fan->dir = s->row;
    fan->ndir = 1;
    fan->known = m->stage != FIND;
    if (fan->known) m->told = s->at.f;
    if (m->stage == TRY) {
        fan->base[0] = candidate(s);
        fan->known = 0;
        fan->ndir = 0;
        m->told = NAN;
    } else if (m->stage == SPLIT) {
        vec_zero(m->d, s->row);
        split_row(case_of(s), s->splitter, 1, s->row);
    } else {
        vec_copy(m->d, s->splitter->weight[0], s->row);
        fan->ndir = (size_t)prox_is_loose(m->psi, m->d);
        for (size_t k = 0; k < size_of(s); k++) s->places[k] = (uint32_t)s->axis[k];
        fan->axis = s->places;
        fan->naxis = m->stage == LOOK ? size_of(s) : 0;
    }
    return 1;
}

/* ---- The model ------------------------------------------------------------------------------------- */

static quad model(sparse *s)
{
    size_t count = s->free.count = size_of(s);
    vec_copy(s->base.d, s->base.x, s->full);
    for (size_t k = 0; k < count; k++) {
        s->places[k] = (uint32_t)s->axis[k];
        s->x[k] = s->base.x[s->axis[k]];
    }
    return (quad){
        .d = count, .matrix = s->matrix, .g = s->slope, .x = s->x, .prox_work = s->prox_work};
}

/* The minimizer on S becomes the candidate, and it says what it promises. */
static void offer(sparse *s)
{
    quad q = model(s);
    zo_prox psi = prox_of_free(&s->free, &s->whole, NULL, NULL);
    q.psi = &psi;
    vec_copy(q.d, s->x, s->g);
    quad_forget(&s->room);
    quad_solve(&q, &s->room, (quad_effort){SWEEPS, 0, 1e-12}, s->g);
    s->at.promise = quad_decrease(&q, &s->room, s->g);
    for (size_t k = 0; k < q.d; k++) s->step[k] = s->g[k] - s->x[k];
    s->at.kind = BY_MODEL;
    int little = !(s->at.promise > method_unseen(&s->base, s->at.F, fabs(s->at.f)));
    s->base.stage = !little ? TRY : s->at.looked > 0 ? NOTHING : LOOK;
}

/* B: the bends along the axes. */
static void begin_matrix(sparse *s)
{
    size_t count = size_of(s);
    vec_zero(count * count, s->matrix);
    for (size_t k = 0; k < count; k++) {
        double bend = s->bend[s->axis[k]];
        s->matrix[k * count + k] = bend > 0 ? bend : s->at.typical;
    }
    s->at.learnt = 1;
}

/* B + (rho - 1) Bp(Bp)'/p'Bp: along p it is what the value at the candidate says. */
static void correct(sparse *s, double f)
{
    size_t count = size_of(s);
    double bent = 0, *image = s->work;
    for (size_t k = 0; k < count; k++) {
        image[k] = vec_dot(count, s->matrix + k * count, s->step);
        bent += image[k] * s->step[k];
    }
    double rho = 2 * (f - s->at.f - vec_dot(count, s->slope, s->step)) / bent;
    if (!(bent > 0)) return;
    rho = isfinite(rho) ? fmin(fmax(rho, least_part), most_part) : most_part;
    for (size_t k = 0; k < count; k++)
        vec_add(count, (rho - 1) * image[k] / bent, image, s->matrix + k * count);
}

/* ---- Downhill --------------------------------------------------------------------------------------- */

/* p = -t g. */
static void go_along(sparse *s, double kind, double t)
{
    size_t count = size_of(s);
    for (size_t k = 0; k < count; k++) s->step[k] = -t * s->slope[k];
    s->at.along = vec_dot(count, s->slope, s->step);
    s->at.kind = kind;
    s->at.promise = -s->at.along;
    s->base.stage = TRY;
}

/* As far as to where |f| would be 0. */
static void go_down(sparse *s)
{
    double square = vec_dot(size_of(s), s->slope, s->slope);
    go_along(s, DOWNHILL, fabs(s->at.f) / square);
}

/* f + a t = f(x + p) - a (t - 1), a = g'p. */
static double tip_of(const sparse *s, double f)
{
    return (f + s->at.along - s->at.f) / (2 * s->at.along);
}

/* ---- Answers --------------------------------------------------------------------------------------- */

static double floor_of(const sparse *s)
{
    const method *m = &s->base;
    double far = m->fan.radius / (isnan(m->set.radius) ? radius_part * s->at.shorter : 1),
           r = m->fan.radius;
    return rounded * DBL_EPSILON * (fabs(s->at.f) / r + far * s->at.typical); /* of f, and of x */
}

/* What the slopes along S leave over of the slope along the weights is split. */
static void split_rest(sparse *s, double whole)
{
    s->out.count = size_of(s);
    for (size_t k = 0; k < s->out.count; k++) {
        s->out.place[k] = (uint32_t)s->axis[k];
        s->out.slope[k] = s->slope[k];
    }
    s->out.bend = s->out.offset = 0;
    s->out.whole = whole;
    s->out.floor = floor_of(s);
    split_begin(case_of(s), s->splitter, &s->out);
    s->base.stage = SPLIT;
}

/* S: coordinates of the case that have a slope, the largest where there are too many. */
static void adopt(sparse *s)
{
    const split_case *c = case_of(s);
    const double *slope = split_slope(c, s->splitter);
    size_t held = (size_t)c->count, count = 0;
    double most = 0;
    for (size_t k = 0; k < held; k++) most = fmax(most, fabs(slope[k]));
    for (double least = no_slope * most;; least *= 2) {
        count = 0;
        for (size_t k = 0; k < held; k++) count += fabs(slope[k]) > least;
        if (count > MOST) continue;
        count = 0;
        for (size_t k = 0; k < held; k++)
            if (fabs(slope[k]) > least) {
                s->axis[count] = (uint64_t)c->list[k];
                s->slope[count++] = slope[k];
            }
        break;
    }
    s->at.count = (double)count;
    s->at.learnt = s->at.refused = 0;
    s->at.looked = 1;
}

/* The gradient at x is known. */
static void go_on(sparse *s)
{
    if (size_of(s) == 0) {
        s->base.stage = NOTHING;
        return;
    }
    if (!(s->at.typical > 0)) { /* nothing is known of bends */
        s->base.stage = LOOK;
        return;
    }
    if (!(s->at.learnt > 0)) begin_matrix(s);
    if ((s->base.step == 0 || s->at.sharp > 0) && s->at.f != 0)
        go_down(s);
    else
        offer(s);
}

static void tell_find(sparse *s, const double *answers)
{
    s->at.f = answers[0];
    s->at.F = s->at.f + prox_value(s->base.psi, s->base.d, s->base.x);
    if (!prox_is_loose(s->base.psi, s->base.d))
        leave(s, "psi has bounds, or couples coordinates");
    else
        split_rest(s, (answers[1] - answers[2]) / (2 * s->base.fan.radius));
}

static void tell_split(sparse *s, const double *answers)
{
    split_case *c = case_of(s);
    double most = (double)s->base.d / GIVES_UP + LEAST_SPLIT;
    split_tell(c, s->splitter, s->base.fan.radius, 0.5 * (answers[0] - answers[1]), most);
    if (c->status == SPLIT_ASKS) return;
    if (c->status == SPLIT_FAILED) {
        if (c->asked >= most || ++s->at.failed > MOST_FAILED || !isnan(s->base.set.radius)) {
            leave(s, "its gradient has many entries");
            return;
        }
        s->at.shorter *= 0.1;
        s->base.stage = FIND;
        return;
    }
    s->at.shorter = fmin(1, 10 * s->at.shorter);
    s->at.failed = 0;
    adopt(s);
    go_on(s);
}

/* Bends along S, and the one that others are taken to have: the mean. */
static void learn_bends(sparse *s, const double *answers)
{
    size_t count = size_of(s), seen = 0;
    double r = s->base.fan.radius, sum = 0;
    for (size_t k = 0; k < count; k++) {
        double up = answers[2 * k] - s->at.f, down = answers[2 * k + 1] - s->at.f;
        double bend = (up + down) / (r * r),
               error = rounded * DBL_EPSILON * fabs(s->at.f) / (r * r);
        if (bend > error) s->bend[s->axis[k]] = bend, sum += bend, seen++;
    }
    if (seen) s->at.typical = sum / (double)seen;
    if (!(s->at.typical > 0)) s->at.typical = vec_norm(count, s->slope); /* a step of length 1 */
}

static void tell_look(sparse *s, const double *answers)
{
    size_t count = size_of(s);
    double r = s->base.fan.radius, size = 0, sum = 0;
    learn_bends(s, answers);
    for (size_t k = 0; k < count; k++) {
        double slope = (answers[2 * k] - answers[2 * k + 1]) / (2 * r);
        double w = s->splitter->weight[0][s->axis[k]];
        s->g[k] = slope - s->slope[k];
        s->slope[k] = slope;
        sum += w * slope;
        size += fabs(w * slope);
    }
    if (s->at.learnt > 0 && !(s->at.looked > 0))
        quad_update(count, s->matrix, 0, s->step, s->g, 0.1, s->work);
    s->at.looked = 1;
    double whole = (answers[2 * count] - answers[2 * count + 1]) / (2 * r);
    if (fabs(whole - sum) > foretold * size + 8 * floor_of(s) * sqrt(1 + (double)count))
        split_rest(s, whole);
    else
        go_on(s);
}

static void take(sparse *s, double f, double F)
{
    method *m = &s->base;
    vec_copy(m->d, candidate(s), m->x);
    m->step++;
    s->at.sharp = s->at.kind != BY_MODEL;
    s->at.f = f;
    s->at.F = F;
    s->at.refused = s->at.looked = 0;
    m->stage = LOOK;
}

/* Is it as low as lines say? A bend leaves half of that at least. */
static int is_sharp(const sparse *s, double F) { return F < s->at.F - sharp_part * s->at.promise; }

static void tell_downhill(sparse *s, double f, double F)
{
    double t = tip_of(s, f), far = -s->step[0] / s->slope[0];
    if (is_sharp(s, F))
        take(s, f, F);
    else if (s->at.kind == DOWNHILL && t > 0 && t < 1 && isfinite(f))
        go_along(s, TIP, t * far);
    else
        offer(s);
}

static void tell_try(sparse *s, const double *answers)
{
    method *m = &s->base;
    double f = answers[0], F = f + prox_value(m->psi, m->d, candidate(s));
    if (s->at.kind != BY_MODEL) {
        tell_downhill(s, f, F);
        return;
    }
    if (F < s->at.F - enough * s->at.promise) {
        take(s, f, F);
        return;
    }
    if (++s->at.refused == MOST_REFUSED) {
        m->stage = NOTHING;
        return;
    }
    correct(s, f);
    offer(s);
}

static void sparse_tell(method *m, const double *answers)
{
    sparse *s = (sparse *)m;
    switch (m->stage) {
    case FIND: tell_find(s, answers); break;
    case SPLIT: tell_split(s, answers); break;
    case LOOK: tell_look(s, answers); break;
    default: tell_try(s, answers);
    }
    m->residual = size_of(s) ? vec_norm(size_of(s), s->slope) : NAN;
}

static int sparse_bears(const method *m) { return m->stage == TRY; }

static const char *sparse_check(const method *m)
{
    const sparse *s = (const sparse *)m;
    if (!(s->at.kind >= 0 && s->at.kind < KINDS)) return "'facts' has no such candidate";
    if (!(s->at.shorter > 0 && s->at.shorter <= 1)) return "'facts' has no such radius";
    if (!(s->at.count == 0 || is_whole(s->at.count, fmin(MOST, (double)s->splitter->most))))
        return "'facts' count too many coordinates";
    if (m->stage != SPLIT || split_sane(case_of(s), s->splitter)) return NULL;
    return "'case' does not fit";
}

const method_row sparse_row = {.info = ROW_SPARSE,
                               .size = sizeof(sparse),
                               .compares = 1,
                               .last_stage = NOTHING,
                               .open = sparse_open,
                               .ask = sparse_ask,
                               .tell = sparse_tell,
                               .bears = sparse_bears,
                               .check = sparse_check,
                               .close = sparse_close};
