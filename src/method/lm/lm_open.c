/* lm: memory, and what was read from a file.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/error.h"
#include "method/lm/bytes.h"
#include "method/lm/lm.h"

static size_t secants_wanted(size_t n, size_t d, double memory)
{
    double square = SECANTS_SQUARE * ((double)(d + 1) * (double)(d + 2) / 2 - 1);
    double least = 2 * (double)d + SECANTS_OVER, fits = memory / 16 / ((double)(n + d) + 1);
    return (size_t)fmin(fmax(fmin(square, SECANTS_MOST), least), fmax(fits, (double)d + 1));
}

static double hessian_bytes(size_t n, size_t d, size_t most)
{
    return 4 * (double)(n + most) * (double)d * (double)(d + 1);
}

double lm_bytes(size_t n, size_t d)
{
    double most = (double)secants_wanted(n, d, INFINITY), nd = (double)n * (double)d;
    return 8 * (4 * most * (double)(n + d) + 3 * most * most + 4 * nd) + quad_bytes(d, 0, d);
}

int lm_suits(const method *m, const handover *known)
{
    (void)known;
    return lm_bytes(m->n, m->d) <= m->set.memory;
}

/* Points of a fan. */
static size_t room_for(const lm *s)
{
    return s->abreast > LEAST_POINTS ? s->abreast : LEAST_POINTS;
}

static int open_state(lm *s, size_t most)
{
    method *m = &s->base;
    size_t n = m->n, d = m->d;
    struct {
        const char *name;
        double **at;
        size_t count;
    } all[] = {{"centre", &s->centre, d},
               {"r", &s->r, n},
               {"metric", &s->metric, d},
               {"size", &s->size, d},
               {"turn", &s->turn, d},
               {"start", &s->start, d},
               {"start r", &s->start_r, n},
               {"first", &s->first, n * d},
               {"first step", &s->first_step, d},
               {"end", &s->end, d},
               {"end r", &s->end_r, n},
               {"end slope", &s->end_slope, n * d},
               {"next", &s->next, room_for(s) * d},
               {"lower", &s->lower, d},
               {"lower r", &s->lower_r, n}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!(*all[k].at = state_numbers(m, all[k].name, all[k].count))) return 0;
    s->at = (lm_path *)state_numbers(m, "path", sizeof(lm_path) / 8);
    return s->at && secants_open(&s->secants, m, most, !m->outer);
}

static int open_scratch(lm *s, size_t most)
{
    size_t n = s->base.n, d = s->base.d;
    struct {
        double **at;
        size_t count;
    } all[] = {{&s->ways, s->abreast * d},
               {&s->table, n * room_for(s)},
               {&s->dir, (room_for(s) + LOOKS) * d},
               {&s->rm, n},
               {&s->jac, n * d},
               {&s->by, n},
               {&s->bends, n},
               {&s->matrix, d * d},
               {&s->factor, d * d},
               {&s->g, d},
               {&s->y, d},
               {&s->z, d},
               {&s->kept, d},
               {&s->trial, d},
               {&s->work, d},
               {&s->weight_x, d}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!(*all[k].at = scratch_new(&s->base, all[k].count, sizeof(double)))) return 0;
    int bent = hessian_bytes(n, d, most) <= HESSIANS * s->base.set.memory;
    if (!s->base.outer && !signs_open(&s->signs, &s->base, most)) return 0;
    return model_open(&s->model, &s->base, most, bent) && !quad_open(&s->room, d, 0, d);
}

zo_status lm_open(method *m, zo_error *err)
{
    lm *s = (lm *)m;
    method_gather(m);
    size_t most = secants_wanted(m->n, m->d, m->set.memory);
    s->abreast = isnan(m->set.abreast) ? 1 : (size_t)m->set.abreast;
    if (!open_state(s, most) || !open_scratch(s, most))
        return out_of_memory(err, "models of residuals", m->n * most);
    s->squares = zo_squares();
    m->stage = LM_START;
    return ZO_OK;
}

void lm_close(method *m)
{
    lm *s = (lm *)m;
    quad_close(&s->room);
}

const char *lm_check(const method *m)
{
    const lm *s = (const lm *)m;
    int pair = m->stage == LM_LINE;
    if (s->at->points > (pair ? room_for(s) : s->abreast))
        return "'path' asks more points than a question may have";
    if (s->at->line >= LINES) return "'path' has a line that there is not";
    if (s->at->repeats > 1) return "'path' has noise that repeats more than once";
    if (s->at->rooted > (m->outer ? 0 : 1)) return "'path' has roots of residuals";
    if (pair && s->at->points != LEAST_POINTS)
        return "'path' asks one direction, and two are needed";
    if (s->at->others > s->at->points) return "'path' has more candidates than points";
    for (size_t j = 0; j < m->d; j++)
        if (s->turn[j] != 0 && !is_whole(s->turn[j], AXIS_DONE)) return "'turn' is no turn";
    if (m->stage == LM_LOST)
        for (size_t j = 0; j < m->d; j++)
            if (s->turn[j] >= LOST_SIZES && s->turn[j] < AXIS_DONE) return "'turn' is past its end";
    return NULL;
}
