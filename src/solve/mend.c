/* Mending: a question some of whose points could not be evaluated. mend.h says how.
 * SPDX-License-Identifier: MIT */
#include "solve/mend.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "problem/gather.h"
#include "problem/problem.h"
#include "problem/ranks/together.h"

static const double one_sided[] = {-1, 0.125, -0.125, 0.015625, -0.015625};
static const double two_sided[] = {-2, 0.125, -0.5, 0.015625};
enum { ONE_SIDED = 5, TWO_SIDED = 4 };

typedef struct cell { /* an answer that is missing: of a point, with own of an entry's point */
    size_t entry, point;
} cell;

struct mend {
    size_t d;
    const struct zo_together *together;
    const method *m;
    zo_fan of, fan; /* what the method asked, and what is asked to mend it */
    int active;
    unsigned again, turn; /* how often the same is asked, and how often something was */
    size_t base;          /* the one at hand */
    double t;             /* x + tp is asked */
    double *told;         /* the method's answers so far */
    cell *cells;
    double *rows;
    uint64_t *comp;
    unsigned char *marks; /* 2 n, with ranks */
    size_t ncells, ntold, cell_room, nrows, ncomp, nmarks;
};

zo_status mend_new(mend **out, size_t d, const struct zo_together *together, zo_error *err)
{
    mend *x = *out = mem_new(1, sizeof *x);
    if (!x || (together && !together->reserve_rows(together->ctx, 0)))
        return out_of_memory(err, "answers", d);
    x->d = d;
    x->together = together;
    return ZO_OK;
}

void mend_free(mend *x)
{
    if (!x) return;
    void *all[] = {x->told, x->cells, x->rows, x->comp, x->marks};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) mem_free(all[k]);
    mem_free(x);
}

const zo_fan *mend_fan(const mend *x) { return x->active ? &x->fan : NULL; }
const double *mend_answers(const mend *x) { return x->told; }
void mend_drop(mend *x) { x->active = 0; }

/* ---- What is missing ------------------------------------------------------------------------------- */

static size_t sets_of(const zo_fan *fan) { return fan->each ? fan->ncomp : 1; }
static size_t per_base(const zo_fan *fan) { return zo_fan_set(fan) / fan->nbase; }

/* Ranks that are told of their own components only have to hear of the others. */
static int apart(const mend *x) { return x->together && x->of.each == ZO_MINE; }

static int is_mine(const mend *x, size_t e)
{
    const struct zo_together *t = x->together;
    return !apart(x) || gather_component(&x->of, e) - t->first < t->count;
}

static int is_bad(const mend *x, size_t e, size_t k)
{
    return is_mine(x, e) && !(fabs(x->told[e * zo_fan_set(&x->of) + k]) <= LARGEST_ANSWER);
}

static int any(const mend *x, int here)
{
    return apart(x) ? x->together->most(x->together->ctx, here) > 0 : here;
}

static int point_is_bad(const mend *x, size_t k)
{
    int bad = 0;
    for (size_t e = 0; e < sets_of(&x->of) && !bad; e++) bad = is_bad(x, e, k);
    return any(x, bad);
}

static void add_cell(mend *x, size_t e, size_t k) { x->cells[x->ncells++] = (cell){e, k}; }

/* Points that all components share. */
static int collect_points(mend *x)
{
    size_t per = per_base(&x->of), first = x->base * per;
    if (!gather_room((void **)&x->cells, &x->cell_room, per, sizeof *x->cells)) return 0;
    for (size_t k = first; k < first + per; k++)
        if (point_is_bad(x, k)) add_cell(x, 0, k);
    return 1;
}

/* Which entries miss something is heard of the ranks that have them; of those all points are asked. */
static int hear_entries(mend *x)
{
    const zo_fan *of = &x->of;
    const struct zo_together *t = x->together;
    if (!gather_room((void **)&x->marks, &x->nmarks, 2 * of->n, 1)) return 0;
    unsigned char *mine = x->marks, *all = mine + of->n;
    memset(mine, 0, of->n);
    for (size_t e = 0; e < of->ncomp; e++)
        for (size_t k = 0; k < zo_fan_set(of); k++)
            if (is_bad(x, e, k)) mine[gather_component(of, e) - t->first] = 1;
    t->marks(t->ctx, mine, all);
    return 1;
}

static int collect_own(mend *x)
{
    const zo_fan *of = &x->of;
    size_t set = zo_fan_set(of);
    if (!gather_room((void **)&x->cells, &x->cell_room, of->ncomp * set, sizeof *x->cells) ||
        (apart(x) && !hear_entries(x)))
        return 0;
    for (size_t e = 0; e < of->ncomp; e++)
        for (size_t k = 0; k < set; k++)
            if (apart(x) ? x->marks[of->n + gather_component(of, e)] : is_bad(x, e, k))
                add_cell(x, e, k);
    return 1;
}

static int base_is_bad(const mend *x)
{
    return !x->of.known && point_is_bad(x, x->base * per_base(&x->of));
}

/* ---- What is asked --------------------------------------------------------------------------------- */

/* f(base) of a set of answers, as far as the method knows it or was told; NaN: it is not known. */
static double base_value(const mend *x, size_t e)
{
    const zo_fan *of = &x->of;
    if (!of->known) return x->told[e * zo_fan_set(of) + x->base * per_base(of)];
    if (of->own && x->m->row->known && is_mine(x, e))
        return x->m->row->known(x->m, gather_component(of, e));
    return of->each ? NAN : x->m->told;
}

static int wants_base(const mend *x)
{
    if (!x->of.known) return 0;
    return x->of.own ? !x->m->row->known : isnan(base_value(x, 0));
}

static int is_base(const mend *x, size_t k) { return !x->of.known && k % per_base(&x->of) == 0; }

/* t p, of x + p the cell's point */
static void put_row(const mend *x, const cell *c, double *row)
{
    const zo_fan *of = &x->of;
    vec_zero(x->d, row);
    if (is_base(x, c->point)) return;
    size_t k = c->point % per_base(of) - !of->known, direction = k / (size_t)of->sides;
    double r = x->t * fan_reach(of, direction, k % (size_t)of->sides);
    if (direction < of->naxis) {
        row[of->axis ? of->axis[direction] : direction] = r;
        return;
    }
    size_t at = direction - of->naxis + (of->own ? c->entry * of->ndir : 0);
    for (size_t j = 0; j < x->d; j++) row[j] = r * of->dir[at * x->d + j];
}

static int make_fan(mend *x)
{
    const zo_fan *of = &x->of;
    if (!gather_room((void **)&x->rows, &x->nrows, x->ncells * x->d, sizeof *x->rows)) return 0;
    for (size_t c = 0; c < x->ncells; c++)
        if (!of->own || is_mine(x, x->cells[c].entry)) put_row(x, &x->cells[c], x->rows + c * x->d);
    x->fan = (zo_fan){.n = of->n,
                      .d = of->d,
                      .nbase = 1,
                      .base = {of->base[x->base]},
                      .ndir = of->own ? 1 : x->ncells,
                      .dir = x->rows,
                      .own = of->own,
                      .radius = 1,
                      .sides = 1,
                      .by_point = of->by_point,
                      .known = !wants_base(x),
                      .comp = of->comp,
                      .ncomp = of->ncomp,
                      .each = of->each};
    if (!of->own) return 1;
    if (!gather_room((void **)&x->comp, &x->ncomp, x->ncells, sizeof *x->comp)) return 0;
    for (size_t c = 0; c < x->ncells; c++) x->comp[c] = gather_component(of, x->cells[c].entry);
    x->fan.comp = x->comp;
    x->fan.ncomp = x->ncells;
    return 1;
}

/* The next question, if one is left that may help. */
static int go_on(mend *x)
{
    const zo_fan *of = &x->of;
    const double *turns = of->sides == 2 ? two_sided : one_sided;
    unsigned most = of->sides == 2 ? TWO_SIDED : ONE_SIDED;
    for (;; x->base++, x->turn = 0) {
        x->active = x->base < of->nbase;
        x->ncells = 0;
        if (!x->active) return MEND_DONE;
        if (!(of->own ? collect_own(x) : collect_points(x))) break;
        if (x->ncells) {
            int same = x->turn < x->again;
            if (!same && (base_is_bad(x) || x->turn - x->again >= most)) {
                x->active = 0;
                return MEND_REFUSES;
            }
            x->t = same ? 1 : turns[x->turn - x->again];
            x->turn++;
            if (make_fan(x)) return MEND_ASKS;
            break;
        }
    }
    x->active = 0;
    return MEND_NO_MEMORY;
}

int mend_begin(mend *x, const method *m, const double *answers, unsigned again)
{
    size_t count = zo_fan_answers(&m->fan);
    x->m = m;
    x->of = m->fan;
    x->again = again;
    x->turn = 0;
    x->base = 0;
    if (!gather_room((void **)&x->told, &x->ntold, count, sizeof *x->told)) return MEND_NO_MEMORY;
    memcpy(x->told, answers, count * sizeof *answers);
    return go_on(x);
}

/* ---- What is told ----------------------------------------------------------------------------------- */

/* The difference at x + p, from the one at x + tp and where there is one that at x - p. */
static double extend(const mend *x, size_t e, size_t k, double at_t, double base)
{
    const zo_fan *of = &x->of;
    double t = x->t;
    if (t == 1 || of->sides == 1) return at_t / t;
    size_t head = !of->known, within = (k % per_base(of) - head) % 2, mate = within ? k - 1 : k + 1;
    if (is_bad(x, e, mate)) return at_t / t;
    double other = x->told[e * zo_fan_set(of) + mate] - (of->known ? base : 0);
    return 2 * at_t / (t * (1 + t)) + other * (1 - t) / (1 + t);
}

/* f at x + tp is value, that at the base is base. */
static void put_answer(mend *x, size_t e, size_t k, double value, double base)
{
    const zo_fan *of = &x->of;
    if (!is_bad(x, e, k)) return;
    double *to = &x->told[e * zo_fan_set(of) + k];
    if (is_base(x, k)) {
        *to = value;
        return;
    }
    double more = extend(x, e, k, value - base, base);
    *to = of->known ? base + more : more;
}

int mend_tell(mend *x, const double *answers)
{
    const zo_fan *fan = &x->fan;
    size_t set = zo_fan_set(fan), head = !fan->known;
    for (size_t c = 0; c < x->ncells; c++) {
        size_t e = fan->own ? x->cells[c].entry : 0, end = fan->own ? e + 1 : sets_of(fan);
        for (; e < end; e++) {
            const double *a = answers + (fan->own ? c : e) * set;
            double base = head ? a[0] : base_value(x, e), value = a[fan->own ? head : head + c];
            put_answer(x, e, x->cells[c].point, head ? base + value : value, base);
        }
    }
    return go_on(x);
}
