/* sinq: inq on as many components as memory holds, then Newton steps on all of them with that part's matrix.
 * SPDX-License-Identifier: MIT
 *
 * inq keeps a direction of d numbers for each component. Where n of them do not fit, a random part of the components
 * does: inq minimizes its mean, which is as near to the optimum as a sample can say, and leaves the matrix M of second
 * derivatives. From there on nothing is kept of the components:
 *
 *   g = the difference gradient of the mean at x                                             n(d + 1) queries
 *   M corrected by BFGS's updates with the pairs (x - x_old, g - g_old) so far
 *   z = argmin g'(z - x) + |z - x|^2_{M + damping}/2 + psi(z);  x = z if F falls             n queries
 *
 * A sample of s components has an M that is off by about sqrt(d/s), so that each pass shrinks the gap by about d/s. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/rng.h"
#include "base/vec.h"
#include "method/component/sample.h"
#include "method/core/rows.h"
#include "method/curves/curves.h"
#include "method/inq/inq.h"
#include "method/sinq.h"
#include "prox/prox.h"

enum { ON_PART, FULL_GRADIENT, FULL_TRY, DONE }; /* stage */
enum { MOST_REFUSALS = 20, NAME_ROOM = 24, PAIRS = 30 /* secants */ };

typedef struct sinq {
    method base;
    method *inner;    /* inq on the part: its state is registered here too */
    size_t part;      /* components in it */
    uint64_t *member; /* part: which, rising, a function of the seed (scratch) */
    uint64_t *comp;   /* part: those of a question (scratch) */
    double *g, *cand; /* d: gradient of the mean at x; the point that is tried (state) */
    double *old;      /* 2 d: x and g before the last step (state) */
    double *pairs;    /* PAIRS x 2 d: steps and changes of the gradient (state) */
    uint64_t npairs, refusals, passes;
    double objective, damping, falls;
    double *work; /* d (scratch) */
    char names[MAX_STATES][NAME_ROOM];
} sinq;

/* ---- Life ---------------------------------------------------------------------------------------- */

/* Beside what inq keeps. */
static double own_bytes(size_t part, size_t d)
{
    return 16 * (double)part + 8 * (2 * PAIRS + 8) * (double)d + sizeof(sinq);
}

static double bytes_for(size_t part, size_t d, double sides)
{
    return inq_bytes(part, d, sides) + own_bytes(part, d);
}

size_t sinq_part(size_t n, size_t d, double sides, double memory)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t mid = high - (high - low) / 2;
        if (bytes_for(mid, d, sides) <= memory)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

/* A part of s components has a matrix that is off by sqrt(d/s): below 5 d psvrg is ahead, unless there are so few components
 * for each dimension (below 200) that psvrg itself is slow. */
int sinq_suits(const method *m, const handover *known)
{
    (void)known;
    double least = fmin(5 * (double)m->d, (double)m->n / 40);
    return (double)sinq_part(m->n, m->d, m->set.sides, m->set.memory) >= fmax(least, 8);
}

/* So many components as the horizon pays for, and as many again to judge steps by. */
static size_t part_for(const method *m)
{
    size_t part = sinq_part(m->n, m->d, m->set.sides, m->set.memory);
    double paid = m->set.horizon > 0 ? 2 * m->set.horizon / ((double)m->d + 2) + 64 : INFINITY;
    return paid < (double)part ? (size_t)paid : part;
}

/* Each component with the chance that leaves exactly part of them. */
static void draw_part(sinq *s)
{
    size_t n = s->base.n, have = 0;
    for (size_t i = 0; i < n && have < s->part; i++) {
        double left = (double)(n - i), need = (double)(s->part - have);
        if (rng_uniform(s->base.set.seed, FOR_PERMUTATION, 1, i) * left < need)
            s->member[have++] = i;
    }
}

/* inq on a problem of part components; where the horizon pays for a pass over all, it leaves that much. */
static zo_status open_inner(sinq *s, zo_error *err)
{
    method *m = &s->base;
    zo_problem p = {.n = s->part, .d = m->d, .psi = *m->psi};
    zo_settings set = m->set;
    double pass = (double)m->n * (m->set.sides * (double)m->d + 2);
    snprintf(set.method, sizeof set.method, "inq");
    set.memory -= own_bytes(s->part, m->d);
    if (set.horizon > 1.2 * pass && s->part < m->n) set.horizon -= pass;
    zo_status status = method_new(&s->inner, &p, &set, err);
    if (status) return status;
    s->inner->psi = m->psi;
    method_is_part(s->inner); /* lm and supports, with all components, are not for a part to call */
    for (size_t k = 0; k < s->inner->nstates; k++) {
        const state_entry *e = &s->inner->state[k];
        snprintf(s->names[k], NAME_ROOM, "part.%s", e->name);
        state_array(m, s->names[k], e->at, e->words);
    }
    return ZO_OK;
}

static zo_status sinq_open(method *m, zo_error *err)
{
    sinq *s = (sinq *)m;
    size_t d = m->d;
    s->part = part_for(m);
    if (s->part < 1)
        return fail(
            err, ZO_BAD_ARGUMENT,
            "memory: sinq needs %.0f bytes for one component of %zu dimensions, and memory allows "
            "%.0f; raise it, or take psvrg",
            bytes_for(1, d, m->set.sides), d, m->set.memory);
    zo_status status = open_inner(s, err);
    if (status) return status;
    s->g = state_numbers(m, "gradient", d);
    s->cand = state_numbers(m, "candidate", d);
    s->old = state_numbers(m, "before", 2 * d);
    s->pairs = state_numbers(m, "pairs", PAIRS * 2 * d);
    state_count(m, "npairs", &s->npairs, MOST_COUNTED);
    state_count(m, "refusals", &s->refusals, MOST_COUNTED);
    state_count(m, "passes", &s->passes, MOST_COUNTED);
    state_number(m, "objective", &s->objective);
    state_number(m, "damping", &s->damping);
    state_number(m, "falls", &s->falls);
    s->member = scratch_new(m, s->part, sizeof *s->member);
    s->comp = scratch_new(m, s->part > 64 ? s->part : 64, sizeof *s->comp);
    s->work = scratch_new(m, d, sizeof *s->work);
    if (!s->g || !s->cand || !s->old || !s->pairs || !s->member || !s->comp || !s->work)
        return out_of_memory(err, "sinq", 6 * d + 2 * s->part);
    draw_part(s);
    m->gauged = 1; /* that is done by the part */
    if (s->part < m->n)
        method_note(m, "%zu of %zu components in memory, then Newton steps on all", s->part, m->n);
    memcpy(s->inner->chosen, m->chosen, sizeof m->chosen);
    return ZO_OK;
}

/* What the part keeps is registered here without bounds: the part knows them. */
static const char *sinq_check(const method *m)
{
    const sinq *s = (const sinq *)m;
    char text[SENTENCE];
    if (!method_check(s->inner, text)) return "the state of its part does not fit together";
    if (m->stage != ON_PART && m->stage != DONE && s->part == m->n)
        return "its part is all there is, and it asks for more";
    return NULL;
}

static void sinq_close(method *m) { method_free(((sinq *)m)->inner); }

/* ---- The part -------------------------------------------------------------------------------------- */

static inq *of(sinq *s) { return (inq *)s->inner; }

/* inq's question, of the components it knows by other numbers. */
static int ask_inner(sinq *s, zo_fan *fan)
{
    method *m = &s->base, *inner = s->inner;
    vec_copy(m->d, m->x,
             inner->x); /* they differ only where an answer that was not finite sent x back */
    inner->prox_work = m->prox_work;
    const zo_fan *asked = method_ask(inner);
    if (!asked) return 0;
    *fan = *asked;
    fan->n = m->n;
    fan->by_point = m->by_point;
    fan->comp = s->comp;
    for (size_t e = 0; e < fan->ncomp; e++)
        s->comp[e] = s->member[asked->comp ? asked->comp[e] : e];
    return 1;
}

/* Secants are slow to reach an accuracy of the part that says nothing of the whole. */
static int near_enough(sinq *s)
{
    const inq *in = of(s);
    double error = 0.5 * fmin((double)s->base.d / (double)s->part, 1) * in->scale.value;
    return s->part < s->base.n && in->spans_on && in->sample.filled == s->part &&
           in->offer[0].falls < 0.03 * error;
}

static void tell_inner(sinq *s, const double *answers)
{
    method *m = &s->base, *inner = s->inner;
    uint64_t step = inner->step;
    method_tell(inner, answers);
    memcpy(m->chosen, inner->chosen, sizeof m->chosen);
    memcpy(m->warning, inner->warning, sizeof m->warning);
    m->set.noise = inner->set.noise;
    m->zoom = inner->zoom;
    if (inner->step != step) {
        vec_copy(m->d, inner->x, m->x);
        m->step++;
    }
    m->error = inner->error;
    if (s->part == m->n) m->residual = inner->residual;
    int ends = inner->stage == ASK_NOTHING || (inner->stage == ASK_PROOF && s->part < m->n);
    if (!ends && !(inner->step != step && near_enough(s))) return;
    m->stage = s->part == m->n ? DONE : FULL_GRADIENT;
    m->ended = inner->ended;
    s->damping = NAN;
    if (m->stage != DONE || !*inner->next.to) return;
    *method_hand_over(m, inner->next.to, inner->next.why) = inner->next;
}

/* ---- All components -------------------------------------------------------------------------------- */

static double nothing(sinq *s) { return method_unseen(&s->base, s->objective, of(s)->scale.value); }

static void finish(sinq *s)
{
    s->base.ended = s->base.set.noise > 0 ? ZO_AT_NOISE : 0;
    s->base.stage = DONE;
}

/* BFGS (quad_update) for the factor A of M = A'A: A += v (y - A'v)'/(v'v), v = sqrt(y'D/(D'MD)) A D; y without mu D. */
static void correct_factor(sinq *s, const quad *q, double *col)
{
    size_t d = s->base.d;
    uint64_t count = s->npairs < PAIRS ? s->npairs : PAIRS;
    double *v = of(s)->room.inner;
    for (uint64_t k = s->npairs - count; k < s->npairs; k++) {
        const double *step = s->pairs + (size_t)(k % PAIRS) * 2 * d, *y = step + d;
        double along = vec_dot(d, step, y) - q->ridge * vec_dot(d, step, step);
        vec_zero(q->rows, v);
        for (size_t j = 0; j < d; j++)
            if (step[j] != 0) vec_add(q->rows, step[j], col + j * q->stride, v);
        double bend = vec_dot(q->rows, v, v);
        if (!(along > 1e-12 * vec_dot(d, step, y)) || !(bend > 1e-12 * along)) continue;
        vec_scale(q->rows, sqrt(along / bend), v);
        for (size_t j = 0; j < d; j++) {
            double *c = col + j * q->stride,
                   left = y[j] - q->ridge * step[j] - vec_dot(q->rows, c, v);
            vec_add(q->rows, left / along, v, c);
        }
    }
}

static void offer(sinq *s)
{
    method *m = &s->base;
    inq *in = of(s);
    s->inner->prox_work = m->prox_work;
    inq_model(in);
    if (isnan(s->damping)) s->damping = 1e-4 * inq_unit(in);
    if (in->is_sparse) inq_fill_columns(in); /* what is corrected is not sparse */
    quad q = inq_quad(in, s->damping);
    if (in->dense)
        quad_chain(m->d, in->full, in->ridge.mu, s->pairs, PAIRS, s->npairs, s->work);
    else
        correct_factor(s, &q, in->col);
    q.g = s->g;
    q.x = m->x;
    vec_copy(m->d, m->x, s->cand);
    quad_solve(&q, &in->room, (quad_effort){3000, 1e-21 * in->scale.value, 1e-9}, s->cand);
    s->falls = quad_decrease(&q, &in->room, s->cand);
    m->stage = FULL_TRY;
    if (!(s->falls > nothing(s))) finish(s);
}

static void keep_pair(sinq *s)
{
    size_t d = s->base.d;
    double *step = s->pairs + (size_t)(s->npairs % PAIRS) * 2 * d, *y = step + d;
    if (!s->passes) return;
    for (size_t j = 0; j < d; j++) {
        step[j] = s->base.x[j] - s->old[j];
        y[j] = s->g[j] - s->old[d + j];
    }
    if (vec_dot(d, step, y) > 1e-10 * vec_norm(d, step) * vec_norm(d, y)) s->npairs++;
}

static void tell_gradient(sinq *s, const double *answers)
{
    method *m = &s->base;
    s->objective = answers[0] + prox_value(m->psi, m->d, m->x);
    read_slopes(&m->fan, answers, 0, 0, m->d, s->g);
    m->residual = prox_residual(m, m->x, 1, s->g, s->work);
    keep_pair(s);
    s->passes++;
    s->refusals = 0;
    offer(s);
}

static void tell_try(sinq *s, double f)
{
    method *m = &s->base;
    double objective = f + prox_value(m->psi, m->d, s->cand), fell = s->objective - objective;
    if (!isfinite(objective) || fell < 0.05 * s->falls - nothing(s)) {
        s->damping = fmax(8 * s->damping, 1e-6 * inq_unit(of(s)));
        if (++s->refusals >= MOST_REFUSALS)
            finish(s);
        else
            offer(s);
        return;
    }
    if (fell > 0.5 * s->falls && s->refusals == 0) s->damping /= 30;
    vec_copy(m->d, m->x, s->old);
    vec_copy(m->d, s->g, s->old + m->d);
    vec_copy(m->d, s->cand, m->x);
    m->step++;
    m->stage = FULL_GRADIENT;
}

/* ---- The method ------------------------------------------------------------------------------------ */

static int sinq_ask(method *m, zo_fan *fan)
{
    sinq *s = (sinq *)m;
    switch (m->stage) {
    case ON_PART: return ask_inner(s, fan);
    case FULL_GRADIENT: fan->naxis = m->d; return 1;
    case FULL_TRY: fan->base[0] = s->cand; return 1;
    default: return 0;
    }
}

static void sinq_tell(method *m, const double *answers)
{
    sinq *s = (sinq *)m;
    switch (m->stage) {
    case ON_PART: tell_inner(s, answers); break;
    case FULL_GRADIENT: tell_gradient(s, answers); break;
    default: tell_try(s, answers[0]);
    }
}

static int sinq_bears(const method *m)
{
    const sinq *s = (const sinq *)m;
    return m->stage == FULL_TRY || (m->stage == ON_PART && s->inner->row->bears(s->inner));
}

const method_row sinq_row = {.info = ROW_SINQ,
                             .size = sizeof(sinq),
                             .compares = 1,
                             .last_stage = DONE,
                             .open = sinq_open,
                             .ask = sinq_ask,
                             .tell = sinq_tell,
                             .bears = sinq_bears,
                             .suits = sinq_suits,
                             .check = sinq_check,
                             .close = sinq_close};
