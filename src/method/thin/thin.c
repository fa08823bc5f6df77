/* thin: many coordinates, components of few entries each, and far less than a unit to spend.
 * SPDX-License-Identifier: MIT
 *
 *   PROBE   a few components along nested random parts of the coordinates, to both sides: the ridge mu that all share, and how many
 *           entries a gradient has: parts that hold none change f by the ridge alone
 *   FIND    f and the slope along random weights of all coordinates, at two lengths, of the next few components; then
 *   SPLIT   halves (recover/split.h): g_i, and the bend of f_i along it. About three questions an entry, whatever d is
 *   VALUE   f of those that are not found, so that F is known
 *   model   mean of g_i'p + bend_i (u_i'p)^2/2 over those found, mu, psi and a damping: its minimizer
 *   TRY     F there, of all components: lower, and it is taken; higher, and the damping grows
 *   RENEW   slope and bend of each component along its own direction at the new x
 *           until steps are refused; then the next components that can be paid for are found
 *
 * Where gradients have many entries, or components of more than one index do not come out, zosgd goes on. docs/methods/thin.md. */
#include <math.h>

#include "base/vec.h"
#include "method/core/gauge.h"
#include "method/core/rows.h"
#include "method/thin/thin.h"

enum {
    LEAST_FOUND = 8,  /* more components, before others are looked for */
    MOST_REFUSED = 4, /* steps of all in a row, */
    FEW_REFUSED = 2   /* and of a part of them */
};
static const double first_steps = 4, next_steps = 2; /* that must be paid for with whom is found */
static const double first_damping = 0.01, least_damping = 1e-9, damped = 1e-3; /* of a curvature */
static const double whole_gradients = 1.2; /* that are left: methods of these are as good */
static const double as_random =
    0.5; /* of what random directions bring F down by: the part of the components that is found, at least. Others follow */
static const double unsure = 1.5; /* times as many as the probe says may be found */
static const double more = 8, less = 8;
static const double as_promised = 0.5, not_as_promised = 0.1;

static void leave(thin *t, const char *why)
{
    const method *m = &t->base;
    double left = isnan(m->set.horizon) ? INFINITY : m->set.horizon - (double)t->at.spent;
    int whole = left >= whole_gradients * (double)m->n * ((double)m->d + 1);
    method_hand_over(&t->base,
                     !whole      ? "zosgd"
                     : m->n <= 4 ? "fista"
                                 : "psvrg",
                     why)
        ->noise = m->set.noise;
    t->base.gauged = NOT_GAUGED;
    t->base.stage = NOTHING;
}

static int thin_ask(method *m, zo_fan *fan)
{
    thin *t = (thin *)m;
    fan->each = 1;
    fan->sides = 1;
    switch (m->stage) {
    case PROBE: thin_ask_probe(t, fan); break;
    case FIND: thin_ask_find(t, fan); break;
    case SPLIT: thin_ask_split(t, fan); break;
    case VALUE:
        fan->comp = t->list + t->found.cursor;
        fan->ncomp = m->n - t->found.cursor;
        break;
    case TRY: fan->base[0] = t->cand; break;
    case RENEW: thin_ask_look(t, fan); break;
    case PROOF: thin_ask_proof(t, fan); break;
    default: return 0;
    }
    return 1;
}

/* Of the list: as many as the horizon pays for with so many steps, a value of all and two of each that is found. */
static double affordable(const thin *t, double steps)
{
    double n = (double)t->base.n, horizon = t->base.set.horizon;
    if (isnan(horizon) || !(horizon < INFINITY)) return n;
    double left = horizon - (double)t->at.spent - steps * (n + 2 * (double)t->found.count);
    double others = floor(fmax(left, 0) / (t->at.price + 2 * steps)),
           begun = (double)t->found.cursor;
    return fmax(begun, fmin(n, begun + others));
}

/* Before the first step: are the components that can be found so few that random directions bring more? */
static const char dear[] =
    "random directions bring more than the few components that could be found";
static int random_is_better(const thin *t)
{
    double horizon = t->base.set.horizon, left = 1 - (double)t->at.spent / horizon;
    double found = (double)t->at.goal / (double)t->base.n * (t->at.paid > 0 ? 1 : unsure);
    return horizon < INFINITY && found < as_random * left * t->probe.random;
}

/* Steps of those found bring nothing more: they are refused, or promise nothing. */
static void go_beyond(thin *t, int refused)
{
    double most = affordable(t, next_steps);
    int ends = !refused && t->at.damping <= first_damping;
    t->at.refused = 0;
    t->at.damping = first_damping;
    if (!thin_has_all(t) &&
        most >= fmin((double)(t->found.cursor + LEAST_FOUND), (double)t->base.n)) {
        t->at.goal = (uint64_t)most;
        t->base.stage = FIND;
    } else if (thin_has_all(t) && t->found.failed == 0 && ends)
        t->base.stage = PROOF;
    else
        leave(t, "its components have nothing more to say");
}

static void offer(thin *t)
{
    t->base.stage = TRY;
    if (!thin_offer(t)) go_beyond(t, 0);
}

static double mean_of(const thin *t, const double *f)
{
    double sum = 0;
    for (size_t i = 0; i < t->base.n; i++) sum += f[i];
    return sum / (double)t->base.n;
}

static void know_value(thin *t)
{
    t->at.F = mean_of(t, t->f) + prox_value(t->base.psi, t->base.d, t->base.x);
    offer(t);
}

/* No case is open. */
static void go_on(thin *t)
{
    uint64_t tried = t->found.cursor;
    if (tried >= FIRST_TRIED && 2 * t->found.failed > tried) {
        leave(t, "gradients of components do not come out");
        return;
    }
    if (tried > 0) t->at.price = (double)t->at.paid / (double)tried;
    if (isnan(t->at.F)) t->at.goal = (uint64_t)affordable(t, first_steps);
    if (isnan(t->at.F) && random_is_better(t))
        leave(t, dear);
    else if (tried < t->at.goal)
        t->base.stage = FIND;
    else if (thin_splits_again(t))
        t->base.stage = FIND;
    else if (t->found.count == 0)
        leave(t, "components do not change here");
    else if (isnan(t->at.F) && !thin_has_all(t))
        t->base.stage = VALUE;
    else
        know_value(t);
}

static void tell_value(thin *t, const double *answers)
{
    for (size_t e = 0; e < t->base.fan.ncomp; e++) t->f[t->base.fan.comp[e]] = answers[e];
    know_value(t);
}

static void take(thin *t, double F)
{
    method *m = &t->base;
    double part = (t->at.F - F) / t->model.promise;
    vec_copy(m->d, t->cand, m->x);
    vec_copy(m->n, t->tried, t->f);
    m->step++;
    t->at.F = F;
    t->at.refused = 0;
    if (part > as_promised) t->at.damping = fmax(t->at.damping / less, least_damping);
    if (part < not_as_promised) t->at.damping *= more;
    m->stage = RENEW;
}

static void tell_try(thin *t, const double *answers)
{
    method *m = &t->base;
    vec_copy(m->n, answers, t->tried);
    double F = mean_of(t, answers) + prox_value(m->psi, m->d, t->cand);
    if (F < t->at.F) {
        take(t, F);
        return;
    }
    t->at.damping = fmax(t->at.damping * more * more, damped);
    if (++t->at.refused >= (thin_has_all(t) || m->step == 0 ? MOST_REFUSED : FEW_REFUSED))
        go_beyond(t, 1);
    else
        offer(t);
}

static void tell_probe(thin *t, const double *answers)
{
    const char *why = thin_tell_probe(t, answers);
    t->at.damping = first_damping;
    t->at.price = thin_price(t);
    if (!why) t->at.goal = (uint64_t)affordable(t, first_steps);
    if (!why && (double)t->at.goal < fmin(FIRST_TRIED, (double)t->base.n))
        why = "gradients of components have many entries";
    if (!why && random_is_better(t)) why = dear;
    t->base.stage = FIND;
    if (why) leave(t, why);
}

static void tell_proof(thin *t, const double *answers)
{
    t->base.stage = NOTHING;
    if (!thin_proven(t, answers)) leave(t, "components have turned");
}

static void thin_tell(method *m, const double *answers)
{
    thin *t = (thin *)m;
    uint64_t queries = zo_fan_queries(&m->fan);
    t->at.spent += queries;
    if (m->stage == FIND || m->stage == SPLIT) t->at.paid += queries;
    switch (m->stage) {
    case PROBE: tell_probe(t, answers); break;
    case FIND: thin_tell_find(t, answers); break;
    case SPLIT:
        if (thin_tell_split(t, answers)) go_on(t);
        break;
    case VALUE: tell_value(t, answers); break;
    case RENEW:
        if (thin_tell_look(t, answers)) offer(t);
        break;
    case PROOF: tell_proof(t, answers); break;
    default: tell_try(t, answers);
    }
}

static int thin_bears(const method *m) { return m->stage == TRY; }

static double thin_known(const method *m, uint64_t i) { return ((const thin *)m)->f[i]; }

const method_row thin_row = {.info = ROW_THIN,
                             .size = sizeof(thin),
                             .compares = 1,
                             .last_stage = NOTHING,
                             .open = thin_open,
                             .ask = thin_ask,
                             .tell = thin_tell,
                             .bears = thin_bears,
                             .known = thin_known,
                             .check = thin_check,
                             .close = thin_close};
