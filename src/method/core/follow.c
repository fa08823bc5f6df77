/* Methods hand over: who may go on for whom, and what the next one is given.
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "method/core/method.h"
#include "problem/problem.h"

enum { MOST_FOLLOWERS = 8 }; /* in a run */

/* Who may go on for whom. A method that has handed over is not come back to, or two of them could go on for each other for
 * ever; but for those that return: they do so with what the other lacked, and it does not hand over for that again. */
static const struct follower {
    const char *from, *to;
    int returns;
} followers[] = {
    {"inq", "lm", 0},        /* few dimensions: are components squares? */
    {"inq", "mean", 0},      /* noise, one function, few components */
    {"inq", "supports", 1},  /* noise, and slopes that are 0 but for a few */
    {"inq", "sinq", 0},      /* directions do not fit in memory */
    {"inq", "psvrg", 0},     /* nor a part of them that says something */
    {"inq", "zosgd", 0},     /* few components, and a horizon that pays for too few of them */
    {"supports", "inq", 1},  /* one index, or no supports: with the sample that inq had */
    {"supports", "mean", 0}, /* supports that were wrong */
    {"lm", "inq", 0},        /* components are no squares, or data */
    {"lm", "mean", 0},       /* and inq has been there; or models fail */
    {"sinq", "lm", 0},       /* its part was all there is: as inq */
    {"sinq", "mean", 0},     {"sparse", "mean", 0}, {"sparse", "fista", 0}, {"sparse", "zosgd", 0},
    {"thin", "zosgd", 0},    {"thin", "psvrg", 0},  {"thin", "fista", 0},
};

static uint64_t bit_of(const method_row *row)
{
    size_t count;
    const method_row *const *table = method_table(&count);
    for (size_t k = 0; k < count; k++)
        if (table[k] == row) return (uint64_t)1 << k;
    return 0;
}

int method_may_follow(const method *m, const char *to, const handover *known)
{
    const method_row *row = method_find(to);
    const char *from = m->row->info.name;
    size_t k = 0, count = sizeof followers / sizeof *followers;
    while (k < count && (strcmp(followers[k].from, from) || strcmp(followers[k].to, to))) k++;
    if (k == count || m->followed >= MOST_FOLLOWERS) return 0;
    if ((m->been & bit_of(row)) && !followers[k].returns) return 0;
    return !row->suits || row->suits(m, known);
}

void method_is_part(method *m) { m->followed = MOST_FOLLOWERS; }

handover method_nothing_known(const method *m)
{
    return (handover){.noise = NAN, .value = NAN, .unit = NAN, .ridge = NAN, .from = m};
}

handover *method_hand_over(method *m, const char *to, const char *why)
{
    m->next = method_nothing_known(m);
    snprintf(m->next.to, sizeof m->next.to, "%s", to);
    snprintf(m->next.why, sizeof m->next.why, "%s", why);
    return &m->next;
}

/* What every method keeps for the next: the point, how far it has come, and what was said. */
static void carry(const method *from, method *m)
{
    vec_copy(m->d, from->x, m->x);
    m->step = from->step;
    m->followed = from->followed + 1;
    m->been = from->been | bit_of(from->row);
    m->residual = from->residual;
    m->error = from->error;
    m->height = from->height;
    m->curve = from->curve;
    m->gauged = from->gauged;
    m->zoom = from->zoom;
    m->steep = from->steep;
    m->prox_work = from->prox_work;
    m->offer = from->offer;
    m->offer_ctx = from->offer_ctx;
    memcpy(m->warning, from->warning, sizeof m->warning);
    memcpy(m->chosen, from->chosen, sizeof m->chosen);
}

zo_status method_follow(method **out, const method *from, const zo_problem *p,
                        const zo_settings *given, double spent, zo_error *err)
{
    zo_settings set = *given;
    memcpy(set.method, from->next.to, sizeof set.method);
    set.horizon = from->set.horizon;
    zo_status status = method_new(out, p, &set, err);
    if (status) return status;
    method *m = *out;
    carry(from, m);
    if (!*m->chosen) method_note(m, "%s", from->row->info.name);
    method_note(m, "then %s after %.2g units: %s", m->row->info.name, spent / problem_unit(p),
                from->next.why);
    if (!isnan(from->next.noise)) m->set.noise = from->next.noise;
    handover known = from->next;
    known.spent = spent;
    if (m->row->know) m->row->know(m, &known);
    return ZO_OK;
}
