/* zosgd: x = prox(x - eta_k g), g = (1/q) sum_j D_j(x;B) u_j, eta_k = step/sqrt(1 + k/decay).
 * SPDX-License-Identifier: MIT
 *
 * Ghadimi, Lan, SIAM J. Optim. 23 (2013).
 *
 * A step that nobody gave is followed up. x stays for a window of W steps y_1 ... y_W; then f is asked at x, at y_W and
 * at the mean of x, y_1 ... y_W, on components of their own. The lowest of the three becomes x. If that is
 *
 *   y_W: the window went downhill to its end, and the next steps are longer, where this is clear
 *   the mean: most of what the last steps added was noise, or they overshot; the next ones are half as long, where this is clear
 *   x: they are far too long; a quarter
 *
 * Where the horizon pays for no more than some hundreds of steps, or thousands without psi, this does not come to an end. Each of eight
 * windows is a direction then: f is asked at x, at y_W and three times as far, a parabola says where to go on that line, as far as its values
 * can be relied on, and steps follow by the root of that. Components take turns.
 *
 * Clear is what exceeds its standard error. As long as it is not clear whether F fell, the window goes on, twice as long. The first
 * windows are short, because the first step may be wrong by far; then there are thirty-two or fewer in what is foreseen: the
 * steps that the horizon pays for, but no more than some thousands and four times those walked, so that x moves in time. */
#include <math.h>

#include "base/error.h"
#include "base/vec.h"
#include "direction/direction.h"
#include "method/core/curvature.h"
#include "method/core/method.h"
#include "method/core/plan.h"
#include "method/core/rows.h"
#include "prox/prox.h"

enum { WALKS, LOOKS };              /* stage */
enum { END, MEAN, BETWEEN, PAIRS }; /* y_W - x, mean - x, y_W - mean */
enum { WINDOWS = 32, SHORT = 16, LEAST_WINDOW = 4, GROWTH = 4, FORESEEN = 8192 };
enum { BATCH = 16, DIRECTIONS = 4, FEW_BATCH = 4 };
/* Where the horizon pays for fewer steps than that, of a usual batch; with a psi, which takes of all that a line moves, for fewer still. */
enum { FEW_STEPS = 8192, FEW_WITH_PSI = 768, FEW_WINDOWS = 8 };
static const double below = 1.2;      /* units: with more, windows come to their end */
static const double far_away = 3;     /* times the window: where the line is looked at, too */
static const double least_part = 0.1; /* of the window: what a line's step is at least */

typedef struct zosgd {
    method base;
    size_t q, batch;
    directions dirs; /* (scratch) */
    double *slope;   /* q (scratch) */
    double *g;       /* d (scratch) */
    uint64_t *comp;  /* batch (scratch) */
    uint64_t *order; /* n: components as looks go through them (scratch) */

    /* Following up; walk is NULL where the step was given. */
    double *walk, *mean;               /* d: y_k, and the mean of x, y_1 ... y_k (state) */
    double *ways;                      /* 2 d: y - x, mean - x (scratch) */
    uint64_t drawn;                    /* steps of walks so far (state) */
    uint64_t within;                   /* of this window (state) */
    uint64_t window;                   /* W (state) */
    uint64_t looks, seen;              /* looks in this test, and in all (state) */
    uint64_t spent;                    /* queries (state) */
    int few;                           /* 1: windows are directions, and values say how far to go */
    double sum[PAIRS], squares[PAIRS]; /* of the changes of f that looks have shown (state) */
} zosgd;

/* ---- Life ---------------------------------------------------------------------------------------- */

static zo_status open_walk(zosgd *z, zo_error *err)
{
    method *m = &z->base;
    z->walk = state_numbers(m, "walk", m->d);
    z->mean = state_numbers(m, "mean", m->d);
    z->ways = scratch_new(m, 2 * m->d, sizeof *z->ways);
    state_count(m, "drawn", &z->drawn, MOST_COUNTED);
    state_count(m, "within", &z->within, MOST_COUNTED);
    state_count(m, "window", &z->window, MOST_COUNTED);
    state_count(m, "looks", &z->looks, MOST_COUNTED);
    state_count(m, "seen", &z->seen, MOST_COUNTED);
    state_count(m, "spent", &z->spent, MOST_COUNTED);
    state_array(m, "sum", z->sum, PAIRS);
    state_array(m, "squares", z->squares, PAIRS);
    return z->walk && z->mean && z->ways ? ZO_OK : out_of_memory(err, "zosgd", 4 * m->d);
}

/* The horizon pays for so few steps that there is no time to find out how long they may be. Then every window is a direction, and
 * values say how far to go along it; and components are asked along different directions: sixteen along the same ones say little more
 * than four do where they are alike, and no more than that where they are not. */
static int has_few(const method *m)
{
    int smooth = !m->psi->apply || m->psi->apply == zo_zero().apply;
    double few = (smooth ? FEW_STEPS : FEW_WITH_PSI) * BATCH * (DIRECTIONS + 1);
    double n = (double)m->n, d = (double)m->d;
    return isnan(m->set.step) && m->set.horizon < fmin(few, below * n * (d + 1)) &&
           prox_is_loose(m->psi, m->d); /* lines leave other sets */
}

static zo_status zosgd_open(method *m, zo_error *err)
{
    zosgd *z = (zosgd *)m;
    double n = (double)m->n, d = (double)m->d;
    double most = has_few(m) && n >= BATCH ? FEW_BATCH : BATCH, asked = BATCH * DIRECTIONS / most;
    zo_status status = method_whole(m, "batch", &m->set.batch, fmin(n, most), n, &z->batch, err);
    if (!status)
        status = method_whole(m, "directions", &m->set.directions, fmin(d, asked), 1e9, &z->q, err);
    if (!status) status = directions_new(&z->dirs, m->set.kind, z->q, m->d, err);
    if (!status && isnan(m->set.step)) status = open_walk(z, err);
    if (status) return status;
    z->few = has_few(m);
    z->order = scratch_new(m, z->few ? m->n : 0, sizeof *z->order);
    if (!z->order) return out_of_memory(err, "zosgd", m->n);
    if (z->few) plan_draw(m, z->order);
    z->slope = scratch_new(m, z->q, sizeof *z->slope);
    z->g = scratch_new(m, m->d, sizeof *z->g);
    z->comp = scratch_new(m, z->batch, sizeof *z->comp);
    if (!z->slope || !z->g || !z->comp) return out_of_memory(err, "zosgd", m->d + z->q + z->batch);
    return ZO_OK;
}

static int zosgd_needs(const method *m) { return isnan(m->set.step) ? NEEDS_TRACE : NEEDS_NOTHING; }

static void begin(zosgd *z)
{
    z->looks = 0;
    for (int k = 0; k < PAIRS; k++) z->sum[k] = z->squares[k] = 0;
    z->base.stage = WALKS;
}

/* Steps that the horizon pays for. */
static double paid(const zosgd *z)
{
    return z->base.set.horizon / ((double)z->batch * (double)(z->q + 1));
}

static size_t look_size(const zosgd *z) { return z->few ? z->batch : (z->batch + 3) / 4; }
static uint64_t looks_due(const zosgd *z) { return look_size(z) == z->base.n ? 1 : z->window; }

/* What is left, in equal windows with their looks, about as long as an eighth of all: none is cut off at the end. */
static uint64_t few_steps(const zosgd *z)
{
    double step = (double)z->batch * (double)(z->q + 1), look = 3 * (double)look_size(z);
    double left = z->base.set.horizon - (double)z->spent,
           whole = look_size(z) == z->base.n ? look : 0;
    double each = step + (whole > 0 ? 0 : look), usual = z->base.set.horizon / FEW_WINDOWS;
    double windows = fmax(1, floor(left / usual + 0.5));
    return (uint64_t)fmax(LEAST_WINDOW, floor((left / windows - whole) / each));
}

/* As this window began. */
static double foreseen(const zosgd *z)
{
    return fmin(paid(z), FORESEEN + 4.0 * (double)(z->drawn - z->within));
}

/* What windows grow to, and may become while nothing is clear. */
static uint64_t usual(const zosgd *z)
{
    return (uint64_t)fmax(LEAST_WINDOW, foreseen(z) / WINDOWS);
}
static uint64_t longest(const zosgd *z) { return GROWTH * usual(z); }

/* x becomes from, and steps change by a factor. */
static void new_window(zosgd *z, const double *from, double times)
{
    method *m = &z->base;
    if (from != m->x) {
        vec_copy(m->d, from, m->x);
        m->step++;
    }
    vec_copy(m->d, m->x, z->walk);
    vec_copy(m->d, m->x, z->mean);
    m->set.step *= times;
    z->within = 0;
    if (z->few) z->window = few_steps(z);
    begin(z);
}

/* Of 1/trace: an eighth is safe, and windows make more of it; where the horizon pays for few windows there is no time for that. */
static double first_part(const zosgd *z)
{
    return z->few || paid(z) < WINDOWS * SHORT ? 0.5 : 0.125;
}

static void zosgd_settle(method *m)
{
    zosgd *z = (zosgd *)m;
    double q = (double)z->q;
    if (z->walk) {
        z->spent += (uint64_t)probe_trace_price(m); /* or the last look may not be paid for */
        m->set.step = first_part(z) * q / method_bend(m, m->curve.trace) / (q + 1);
        method_note(m, "first step %.3g (trace %.3g)", m->set.step, m->curve.trace);
        z->window = (uint64_t)fmax(LEAST_WINDOW, foreseen(z) / WINDOWS / SHORT);
        new_window(z, m->x, 1);
    }
    if (!isnan(m->set.decay) || z->walk) return;
    m->set.decay = fmax(1, (isfinite(m->set.horizon) ? paid(z) : 1000) / 20);
    method_note(m, "decay %.3g", m->set.decay);
}

static const char *zosgd_check(const method *m)
{
    const zosgd *z = (const zosgd *)m;
    if (!z->walk) return m->stage == LOOKS ? "nothing is followed up, and looked at" : NULL;
    if (m->settled && z->window < LEAST_WINDOW) return "'window' is too short";
    if (z->within > z->window || z->within > z->drawn) return "'within' is beyond the window";
    return NULL;
}

static void zosgd_close(method *m) { directions_free(&((zosgd *)m)->dirs); }

/* ---- Following up -------------------------------------------------------------------------------- */

/* Question k's e-th component. None comes twice before all have come: some hundred draws would leave a part of the components out, and
 * have others four times, which F would have to pay for. Looks take the order twice over, so that they ask others than the walk asked. */
static uint64_t turn(const zosgd *z, uint64_t k, size_t e, size_t count)
{
    return z->order[(k * count + e) % z->base.n];
}

/* A look asks three points of a quarter of a batch: about a seventh of what the window costs, with four directions. */
static void ask_look(zosgd *z, zo_fan *fan)
{
    method *m = &z->base;
    for (size_t j = 0; j < m->d; j++) {
        z->ways[j] = z->walk[j] - m->x[j];
        z->ways[m->d + j] = z->few ? far_away * z->ways[j] : z->mean[j] - m->x[j];
    }
    ask_rows(fan, 2, z->ways, 1);
    fan->ncomp = look_size(z);
    if (!z->few && fan->ncomp < m->n)
        rng_indices(m->set.seed, FOR_CHECK, z->seen, m->n, fan->ncomp, z->comp);
    for (size_t e = 0; z->few && e < fan->ncomp; e++) /* by an order of their own: see turn */
        z->comp[e] = z->order[turn(z, z->seen, e, fan->ncomp)];
    fan->comp = fan->ncomp < m->n ? z->comp : NULL;
}

/* A change of F with its standard error. */
typedef struct change {
    double by, error;
} change;

static change changed(const zosgd *z, int pair, double psi)
{
    double count = (double)z->looks, mean = z->sum[pair] / count;
    double spread = fmax(0, z->squares[pair] / count - mean * mean);
    double error = count > 1 ? sqrt(spread / (count - 1)) : 0;
    return (change){mean + psi, error};
}

/* 1: this window goes on, because nothing is clear yet. */
static int goes_on(zosgd *z, const change *end, const change *best)
{
    uint64_t most = usual(z);
    if (z->window < most) z->window = 2 * z->window < most ? 2 * z->window : most;
    if (fabs(best->by) > best->error || z->window >= longest(z)) return 0;
    if (z->within == z->window) z->window *= 2;
    return end->by <= end->error;
}

/* F(x + t(y - x)) - F(x) is at + bt^2 through what is seen at t = 1 and at far_away, least at t = -a/2b. The bend b is seen well, because what
 * components differ in is their slope a, which it is free of; a is known to the error e of F(y) - F(x). Before anything was seen steps
 * were as long as they should be, t = 1, a = -2b, give or take 2b: with both t is the mean of what is seen and of 1, by weights 4b^2 and e^2.
 * So looks that tell little change little. */
static double line_length(double a, double b, double error)
{
    double seen = b > 0 ? -a / (2 * b) : a < 0 ? far_away : 0, doubt = b > 0 ? error / (2 * b) : 0;
    return isfinite(doubt) ? (seen + doubt * doubt) / (1 + doubt * doubt) : 0;
}

static void judge_line(zosgd *z)
{
    method *m = &z->base;
    double home = prox_value(m->psi, m->d, m->x);
    for (size_t j = 0; j < m->d; j++) z->mean[j] = m->x[j] + far_away * (z->walk[j] - m->x[j]);
    change near = changed(z, END, prox_value(m->psi, m->d, z->walk) - home),
           far = changed(z, MEAN, prox_value(m->psi, m->d, z->mean) - home);
    double b = (far.by - far_away * near.by) / (far_away * (far_away - 1));
    double t = line_length(near.by - b, b, near.error);
    int rises = near.by > near.error, falls = near.by < -near.error;
    if (!(t > least_part)) {
        new_window(z, m->x, rises ? 0.25 : 0.5);
        return;
    }
    t = fmin(t, far_away);
    for (size_t j = 0; j < m->d; j++) z->mean[j] = m->x[j] + t * (z->walk[j] - m->x[j]);
    m->error = near.error * t;
    new_window(z, z->mean, t > 1 && falls ? t : sqrt(t));
}

static void judge(zosgd *z)
{
    method *m = &z->base;
    if (z->few) {
        judge_line(z);
        return;
    }
    double home = prox_value(m->psi, m->d, m->x),
           psi_end = prox_value(m->psi, m->d, z->walk) - home,
           psi_mean = prox_value(m->psi, m->d, z->mean) - home;
    change end = changed(z, END, psi_end), mean = changed(z, MEAN, psi_mean),
           between = changed(z, BETWEEN, psi_end - psi_mean);
    int at_end = between.by <= 0, clear = fabs(between.by) > between.error;
    change best = at_end ? end : mean;
    if (goes_on(z, &end, &best)) {
        begin(z);
        return;
    }
    double least = z->window < longest(z) ? best.error : 0;
    if (!(best.by < -least)) {
        new_window(z, m->x, 0.25);
        return;
    }
    m->error = best.error;
    new_window(z, at_end ? z->walk : z->mean, !clear ? 1 : at_end ? 1.5 : 0.5);
}

static void tell_look(zosgd *z, const double *answers)
{
    double by[PAIRS] = {answers[1], answers[2], answers[1] - answers[2]};
    z->seen++;
    z->looks++;
    for (int k = 0; k < PAIRS; k++) {
        z->sum[k] += by[k];
        z->squares[k] += by[k] * by[k];
    }
    if (!isfinite(by[END]) || !isfinite(by[MEAN]))
        new_window(z, z->base.x, 0.25);
    else if (z->looks == looks_due(z))
        judge(z);
}

static void walk_on(zosgd *z, double step)
{
    method *m = &z->base;
    if (!vec_finite(m->d, z->g)) {
        new_window(z, m->x, 0.25);
        return;
    }
    vec_step(m->d, z->walk, step, z->g, m->scratch);
    vec_copy(m->d, m->scratch, z->g);
    method_prox(m, step, z->g, z->walk);
    z->drawn++;
    z->within++;
    for (size_t j = 0; j < m->d; j++)
        z->mean[j] += (z->walk[j] - z->mean[j]) / (double)(z->within + 1);
    if (z->within == z->window) m->stage = LOOKS;
}

/* ---- The method ---------------------------------------------------------------------------------- */

static int zosgd_ask(method *m, zo_fan *fan)
{
    zosgd *z = (zosgd *)m;
    if (m->stage == LOOKS) {
        ask_look(z, fan);
        return 1;
    }
    uint64_t k = z->walk ? z->drawn : m->step;
    directions_draw(&z->dirs, m->set.seed, FOR_DIRECTION, k);
    if (!z->few) rng_indices(m->set.seed, FOR_COMPONENT, k, m->n, z->batch, z->comp);
    for (size_t e = 0; z->few && e < z->batch; e++) z->comp[e] = turn(z, k, e, z->batch);
    directions_ask(&z->dirs, fan);
    if (z->walk) fan->base[0] = z->walk;
    fan->radius = method_radius(m, z->dirs.length);
    fan->ncomp = z->batch;
    fan->comp = z->comp;
    return 1;
}

static void zosgd_tell(method *m, const double *answers)
{
    zosgd *z = (zosgd *)m;
    if (z->walk) z->spent += zo_fan_queries(&m->fan);
    if (m->stage == LOOKS) {
        tell_look(z, answers);
        return;
    }
    double k = (double)(z->walk ? z->drawn : m->step), step = m->set.step;
    if (!isnan(m->set.decay)) step /= sqrt(1 + k / m->set.decay);
    read_slopes(&m->fan, answers, 0, 0, z->q, z->slope);
    vec_zero(m->d, z->g);
    directions_combine(&z->dirs, z->slope, z->g);
    if (z->walk)
        walk_on(z, step);
    else
        method_move(m, step, z->g);
}

static void zosgd_know(method *m, const handover *known)
{
    zosgd *z = (zosgd *)m;
    if (z->walk) z->spent = (uint64_t)known->spent;
}

static int zosgd_bears(const method *m)
{
    const zosgd *z = (const zosgd *)m;
    return z->walk && (z->within > 0 || m->stage == LOOKS);
}

const method_row zosgd_row = {.info = ROW_ZOSGD,
                              .size = sizeof(zosgd),
                              .last_stage = LOOKS,
                              .open = zosgd_open,
                              .needs = zosgd_needs,
                              .settle = zosgd_settle,
                              .ask = zosgd_ask,
                              .tell = zosgd_tell,
                              .bears = zosgd_bears,
                              .know = zosgd_know,
                              .check = zosgd_check,
                              .close = zosgd_close};
