/* Making a search, and room for its models.
 * SPDX-License-Identifier: MIT */
#include "optimum/search.h"

#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "prox/prox.h"

void search_free(search *s)
{
    double *numbers[] = {s->prox_work, s->t,      s->doubt, s->x,    s->g,    s->p,
                         s->y,         s->r,      s->move,  s->best, s->hess, s->curve,
                         s->slope,     s->margin, s->along, s->trial};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) mem_free(numbers[k]);
    for (size_t k = 0; k < 4; k++) mem_free(s->small[k]);
    mem_free(s->index);
    mem_free(s->set);
    mem_free(s->member);
    mem_free(s->queue);
    smooth_free(&s->f);
    prover_free(&s->prover);
    coordinate_free(&s->coordinate);
    general_free(&s->general);
    mem_free(s);
}

static int search_arrays(search *s)
{
    double **by_d[] = {&s->t, &s->doubt, &s->x, &s->g, &s->p, &s->y, &s->r, &s->move, &s->best};
    double **by_n[] = {&s->margin, &s->slope, &s->curve, &s->along, &s->trial};
    int all = 1;
    for (size_t k = 0; k < sizeof by_d / sizeof *by_d; k++)
        all = (*by_d[k] = mem_new(s->d, sizeof(double))) && all;
    for (size_t k = 0; k < sizeof by_n / sizeof *by_n; k++)
        all = (*by_n[k] = mem_new(s->nm, sizeof(double))) && all;
    s->prox_work = mem_new(prox_work(&s->psi, s->d), sizeof(double));
    s->index = mem_new(s->d, sizeof *s->index);
    s->set = mem_new(s->d, sizeof *s->set);
    s->member = mem_new(s->d, 1);
    s->queue = mem_new(s->d, sizeof *s->queue);
    return all && s->prox_work && s->index && s->set && s->member && s->queue;
}

int search_flat(const search *s) { return s->f.loss == ZO_HUBER || s->f.loss == ZO_SMOOTH_HINGE; }

/* F falls along prox-gradient steps with these: the Hessian is at most top I, and at most d times its
 * diagonal. */
static void set_steps(search *s)
{
    double whole = s->f.top > 0 ? 1 / s->f.top : 1, spread = s->f.loss == ZO_SOFTMAX ? 2 : 1;
    for (size_t j = 0; j < s->d; j++) {
        double own = s->f.diagonal[j] * spread * (double)s->f.features;
        s->t[j] = prox_separable(&s->psi) && own > 0 ? fmax(1 / own, whole) : whole;
    }
}

zo_status search_new(search **out, const zo_model *model, const zo_prox *psi, zo_error *err)
{
    *out = NULL;
    search *s = mem_new(1, sizeof *s);
    if (!s) return out_of_memory(err, "searches", 1);
    s->psi = psi && psi->apply ? *psi : zo_zero();
    s->d = model->d;
    s->nm = model->n * model->classes;
    zo_status status = smooth_new(&s->f, model, err);
    if (!status) status = prover_new(&s->prover, s->d, &s->psi, err);
    if (!status && !search_arrays(s)) status = out_of_memory(err, "numbers", 8 * s->d + 5 * s->nm);
    if (status) {
        search_free(s);
        return status;
    }
    set_steps(s);
    s->strength = s->f.l2 + proof_strength(&s->psi, s->d);
    s->cautious = search_flat(s);
    s->found.bound = INFINITY;
    s->found.proof = "none";
    *out = s;
    return ZO_OK;
}

zo_status search_room(search *s, size_t m, zo_error *err)
{
    if (m <= s->room) return ZO_OK;
    s->room = 0;
    mem_free(s->hess);
    s->hess = mem_new(m * m, sizeof *s->hess);
    int all = s->hess != NULL;
    for (size_t k = 0; k < 4; k++) {
        mem_free(s->small[k]);
        all = (s->small[k] = mem_new(m, sizeof **s->small)) && all;
    }
    if (!all) return out_of_memory(err, "numbers of a Hessian", m * m);
    s->room = m;
    return ZO_OK;
}
