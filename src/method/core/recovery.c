/* Gradients of components recovered from a few differences; see recovery.h.
 * SPDX-License-Identifier: MIT */
#include "method/core/recovery.h"

#include <math.h>

#include "base/vec.h"

enum {
    PILOT = 16, /* components that a new way is tried on */
    AHEAD = 4   /* components between one that is announced and one that is found */
};
static const double wide = 10; /* the radius beside that of an axis */
static const double gives_up =
    0.6; /* of the price of a gradient: so much for a component, and no more */
static const double poor = 0.5; /* of what was expected of the first few: something is wrong */
enum { OPEN, FOUND, LOST };     /* status of an entry */

static size_t rows_of(const recovery *r) { return r->code->naxis + code_rows(r->code); }

/* ---- Asking ------------------------------------------------------------------------------------------ */

static split_case *case_of(const recovery *r, size_t k)
{
    return (split_case *)(void *)(r->cases + k * split_width(r->splitter));
}

void recovery_begin(recovery *r)
{
    r->at->cursor = r->at->opened = r->at->failed = r->halved = 0;
    r->at->tried = r->at->queries = r->at->straight = r->at->proven = 0;
}

/* Is every component split? Otherwise most are found at once. */
static int by_cases(const recovery *r)
{
    return r->at->way == BY_SPLITTING || r->at->way == BY_OFFSET;
}

/* Room for cases, or the end of the list: what is open is split first. */
static int splits(const recovery *r, uint64_t count)
{
    int alone = !r->at->proven && by_cases(r); /* the first few show whether that is the way */
    return r->at->opened > 0 && (r->at->cursor == count || r->at->opened == r->room || alone);
}

/* method_radius is for x. */
static double radius_at(const method *m, const double *base)
{
    double far = isnan(m->set.radius) ? fmax(1, vec_norm(m->d, m->x)) : 1;
    double near = isnan(m->set.radius) ? fmax(1, vec_norm(m->d, base)) : 1;
    return wide * method_radius(m, 1) * near / far;
}

/* Row k is the question of case k; what it was before is taken out. */
static void show_some(void *ctx, size_t who, size_t from, size_t to)
{
    recovery *r = ctx;
    (void)who;
    for (size_t k = from; k < to; k++) {
        const split_case *c = case_of(r, k);
        double *row = r->own + k * r->m->d;
        if (!method_mine(r->m, r->open[k])) continue;
        split_clear(r->splitter, r->shown[k].from, r->shown[k].to, row);
        r->shown[k] = (interval){(size_t)c->from, (size_t)c->to};
        split_row(c, r->splitter, 1, row);
    }
}

/* Where there is an offset cases look up sums that they share. */
static void show(recovery *r)
{
    size_t count = (size_t)r->at->opened;
    lists_begin(r->splitter->lists);
    for (size_t k = 0; k < count; k++)
        if (method_mine(r->m, r->open[k])) r->sparse[k] = split_list(case_of(r, k), r->splitter);
    if (r->splitter->usual)
        show_some(r, 0, 0, count);
    else
        method_share(r->m, count, r->m->d / 2, show_some, r);
}

/* Words, axes or a basis, beside the check. */
static size_t rest_of(const recovery *r) { return r->code->naxis + code_shared(r->code); }

/* Is the next question the check alone? Within bounds a base that is known may have to be asked again. */
static int by_halves(const recovery *r)
{
    return r->twins && r->at->proven && r->at->sides == 1 && rest_of(r) > 0 && !r->m->bounds;
}

/* Those that are nobody's twin: what the check alone has not asked. A damaged file may have left nothing of it: the check, then. */
static void ask_rest(const recovery *r, zo_fan *fan)
{
    size_t rows = rest_of(r) ? code_shared(r->code) : code_rows(r->code);
    fan->known = 1;
    fan->comp = r->half;
    fan->ncomp = (size_t)r->halved;
    fan->naxis = r->code->naxis;
    fan->axis = r->code->axis;
    fan->ndir = rows;
    fan->dir = r->row;
}

void recovery_ask(recovery *r, zo_fan *fan, const uint64_t *list, uint64_t count)
{
    method *m = r->m;
    fan->each = method_each(m);
    fan->radius = radius_at(m, fan->base[0]);
    recovery_make(r, fan->base[0], fan->radius);
    fan->sides = (int)r->at->sides;
    if (r->halved) {
        ask_rest(r, fan);
        return;
    }
    if (splits(r, count)) {
        show(r);
        fan->own = fan->known = 1;
        fan->comp = r->open;
        fan->ncomp = (size_t)r->at->opened;
        fan->ndir = 1;
        fan->dir = fan->sparse_of = r->own;
        fan->sparse = r->sparse;
        return;
    }
    uint64_t most = r->room - r->at->opened, first = r->at->proven ? RECOVERY_CHUNK : PILOT;
    if (most > first) most = first;
    fan->comp = list + r->at->cursor;
    fan->ncomp = (size_t)(count - r->at->cursor < most ? count - r->at->cursor : most);
    fan->ndir = code_rows(r->code);
    fan->dir = r->row;
    if (by_halves(r)) {
        fan->ndir = r->code->lengths;
        fan->dir += code_shared(r->code) * m->d;
        return;
    }
    fan->naxis = r->code->naxis;
    fan->axis = r->code->axis;
}

/* ---- Hearing ----------------------------------------------------------------------------------------- */

/* The part of the ridge in a difference along u times radius at x: mu (r x'u + r^2 u'u/2); to both sides the first alone. */
static double ridge_of(const method *m, double mu, double along, double square)
{
    double radius = m->fan.radius;
    return mu * radius * (m->fan.sides == 2 ? along : along + 0.5 * radius * square);
}

/* The k-th difference of a component; base: f(x) where answers are values, 0 where they are differences already. */
static double difference_of(const method *m, const double *told, size_t k, double base)
{
    return m->fan.sides == 2 ? 0.5 * (told[2 * k] - told[2 * k + 1]) : told[k] - base;
}

static void fill_ridge(recovery *r, double mu)
{
    const method *m = r->m;
    double radius = m->fan.radius;
    for (size_t k = 0; k < r->code->naxis; k++) {
        size_t j = r->code->axis[k];
        double reach = m->bounds ? r->turned[j] : radius;
        r->ridge[k] = mu * radius * (m->fan.base[0][j] + 0.5 * reach);
    }
    for (size_t k = 0; k < code_rows(r->code); k++)
        r->ridge[r->code->naxis + k] =
            ridge_of(m, mu, vec_dot(m->d, m->fan.base[0], r->row + k * m->d),
                     vec_dot(m->d, r->row + k * m->d, r->row + k * m->d));
}

/* Answers, and who is told what they say. */
typedef struct hearing {
    recovery *r;
    const double *answers;
    const double *checked; /* RECOVERY_CHECKED each: what was asked before; or NULL */
    recovery_found found;
    void *ctx;
} hearing;

/* The entries of a fan one by one, or several at the same time. Where there is an offset cases look up sums that they share. */
static void hear(const hearing *h, size_t numbers, method_work work)
{
    const method *m = h->r->m;
    if (h->r->at_once && !h->r->splitter->usual)
        method_share(m, m->fan.ncomp, numbers, work, (void *)h);
    else
        work((void *)h, 0, 0, m->fan.ncomp);
}

/* One component along the directions for all; leaves in out what is known, differences without their ridge in told. */
static int read_entry(const recovery *r, const double *told, recovery_seat *seat)
{
    size_t rows = rows_of(r);
    if (r->m->fan.sides ==
        1) /* by lanes, as they are read again: not before all that was kept is written, if they were not */
        vec_step(rows, told + 1, 1, r->ridge, seat->difference);
    for (size_t k = 0; k < rows && r->m->fan.sides == 2; k++)
        seat->difference[k] = difference_of(r->m, told + 1, k, 0) - r->ridge[k];
    return code_read(r->code, told[0], r->m->fan.radius, seat->difference, &seat->out);
}

/* The same of two halves: answers are values, and the check comes last. */
static int read_halves(const recovery *r, const double *told, const double *checked,
                       recovery_seat *seat)
{
    size_t rest = rest_of(r);
    for (size_t k = 0; k < rest; k++) seat->difference[k] = (told[k] - checked[0]) - r->ridge[k];
    for (size_t k = rest; k < rows_of(r); k++)
        seat->difference[k] = checked[1 + k - rest] - r->ridge[k];
    return code_read(r->code, checked[0], r->m->fan.radius, seat->difference, &seat->out);
}

static void read_entries(void *ctx, size_t who, size_t from, size_t to)
{
    const hearing *h = ctx;
    recovery *r = h->r;
    recovery_seat seat = r->seat[who]; /* not beside those that others write to */
    size_t set = zo_fan_set(&r->m->fan);
    for (size_t e = from; e < to; e++) {
        uint64_t i = r->m->fan.comp[e];
        const double *told = h->answers + e * set, *checked = h->checked + e * RECOVERY_CHECKED;
        double f = h->checked ? checked[0] : told[0];
        if (r->soon && e + AHEAD < to) r->soon(r->m, r->m->fan.comp[e + AHEAD]);
        if (!method_mine(r->m, i)) continue;
        int read = h->checked ? read_halves(r, told, checked, &seat) : read_entry(r, told, &seat);
        r->status[e] = read ? FOUND : OPEN;
        if (r->status[e] == FOUND) {
            h->found(h->ctx, i, f, &seat.out);
            continue;
        }
        split_case *c = case_of(r, (size_t)r->at->opened + e);
        split_begin(c, r->splitter, &seat.out);
        if (isnan(seat.out.offset)) r->status[e] = LOST;
        c->f = f;
    }
}

static void tell_common(const hearing *h, double mu)
{
    recovery *r = h->r;
    method *m = r->m;
    size_t ncomp = m->fan.ncomp;
    const uint64_t *comp = m->fan.comp;
    fill_ridge(r, mu);
    hear(h, 4 * (zo_fan_set(&m->fan) + m->d), read_entries); /* each is looked up, and kept */
    method_rows(m, ncomp, comp, 1, r->status);
    size_t kept = (size_t)r->at->opened;
    for (size_t e = 0; e < ncomp; e++) {
        r->at->straight += r->status[e] == FOUND;
        if (r->status[e] == FOUND) continue;
        size_t from = (size_t)r->at->opened + e;
        /* what a basis leaves over has no few entries */
        if (!m->set.own || r->at->way == BY_BASIS || r->status[e] == LOST ||
            !recovery_goes(r, BY_SPLITTING)) {
            r->failed[r->at->failed++] = comp[e];
            continue;
        }
        if (kept != from) split_move(case_of(r, from), r->splitter, case_of(r, kept));
        r->open[kept++] = comp[e];
    }
    r->at->opened = kept;
    r->halved = 0;
    if (h->checked) return;
    r->at->cursor += ncomp;
    r->at->tried += ncomp;
}

/* y of differences over u and CODE_FAR u: y + c and CODE_FAR y + CODE_FAR^2 c, but for the ridge. */
static double slope_of(const recovery *r, const double *checked)
{
    double near = checked[1] - r->ridge[rest_of(r)], far = checked[2] - r->ridge[rest_of(r) + 1];
    double bend = (far - CODE_FAR * near) / (CODE_FAR * (CODE_FAR - 1));
    return (near - bend) / r->m->fan.radius;
}

/* The check alone was asked: who is as another is known, and the others are asked the rest. */
static void tell_check(const hearing *h, double mu)
{
    recovery *r = h->r;
    method *m = r->m;
    size_t ncomp = m->fan.ncomp, kept = 0;
    const uint64_t *comp = m->fan.comp;
    fill_ridge(r, mu);
    vec_copy(RECOVERY_CHECKED * ncomp, h->answers, r->checked);
    method_rows(m, ncomp, comp, RECOVERY_CHECKED, r->checked);
    for (size_t e = 0; e < ncomp; e++) {
        r->seen[RECOVERY_SEEN * e] = r->checked[RECOVERY_CHECKED * e];
        r->seen[RECOVERY_SEEN * e + 1] = slope_of(r, r->checked + RECOVERY_CHECKED * e);
        r->status[e] = 0;
    }
    r->twins(m, ncomp, comp, r->row + code_shared(r->code) * m->d, r->seen, r->status);
    for (size_t e = 0; e < ncomp; e++) {
        r->at->straight += r->status[e] != 0;
        if (r->status[e] != 0) continue;
        for (size_t k = 0; k < RECOVERY_CHECKED; k++)
            r->checked[RECOVERY_CHECKED * kept + k] = r->checked[RECOVERY_CHECKED * e + k];
        r->half[kept++] = comp[e];
    }
    r->halved = kept;
    r->at->found += ncomp - kept;
    r->at->cursor += ncomp;
    r->at->tried += ncomp;
}

/* status: what each case is told, and then how it stands. */
static void tell_cases(void *ctx, size_t who, size_t from, size_t to)
{
    const hearing *h = ctx;
    recovery *r = h->r;
    const method *m = r->m;
    recovered out = r->seat[who].out;
    double most = gives_up * (double)m->d / m->fan.sides;
    for (size_t e = from; e < to; e++) {
        split_case *c = case_of(r, e);
        if (!method_mine(m, r->open[e])) continue;
        split_tell(c, r->splitter, m->fan.radius, r->status[e], most);
        r->status[e] = c->status == SPLIT_ASKS ? OPEN : c->status == SPLIT_DONE ? FOUND : LOST;
        if (r->status[e] != FOUND) continue;
        split_result(c, r->splitter, &out);
        h->found(h->ctx, r->open[e], c->f, &out);
    }
}

static void tell_split(const hearing *h, double mu)
{
    recovery *r = h->r;
    method *m = r->m;
    size_t kept = 0;
    splitter_at(r->splitter, m->fan.base[0]);
    for (size_t e = 0; e < m->fan.ncomp; e++) {
        const split_case *c = case_of(r, e);
        double along, square;
        if (!method_mine(m, r->open[e])) continue;
        split_lengths(c, r->splitter, &along, &square);
        r->status[e] = difference_of(m, h->answers + e * (size_t)m->fan.sides, 0, c->f) -
                       ridge_of(m, mu, along, square);
    }
    hear(h, 2 * sizeof(split_case) / sizeof(double), tell_cases);
    method_rows(m, m->fan.ncomp, r->open, 1, r->status);
    for (size_t e = 0; e < m->fan.ncomp; e++) {
        if (r->status[e] == LOST) r->failed[r->at->failed++] = r->open[e];
        if (r->status[e] != OPEN) continue;
        if (kept != e) split_move(case_of(r, e), r->splitter, case_of(r, kept));
        r->open[kept++] = r->open[e];
    }
    r->at->opened = kept;
}

/* So much more than asking in full that it is given up. */
static int too_dear(const recovery *r)
{
    double full = (double)r->m->d + 2;
    return (double)r->at->queries + (double)r->at->failed * full >
           recovery_limit(r) * (double)r->at->tried;
}

void recovery_concede(recovery *r, const uint64_t *list, uint64_t count)
{
    struct recovery_state *at = r->at;
    int shared = at->way != BY_SPLITTING;
    r->made = 0;
    at->way = BY_SPLITTING;
    if (shared && recovery_alone(r) < recovery_limit(r)) return;
    at->off++;
    for (uint64_t k = 0; k < at->opened; k++) r->failed[at->failed++] = r->open[k];
    for (uint64_t k = at->cursor; k < count; k++) r->failed[at->failed++] = list[k];
    at->opened = 0;
    at->cursor = count;
}

int recovery_tell(recovery *r, const double *answers, uint64_t count, double mu,
                  recovery_found found, void *ctx)
{
    struct recovery_state *at = r->at;
    const zo_fan *fan = &r->m->fan;
    uint64_t failed = at->failed, opened = at->opened;
    hearing h = {r, answers, r->halved ? r->checked : NULL, found, ctx};
    recovery_make(r, fan->base[0], fan->radius);
    at->queries += zo_fan_queries(fan);
    at->from += zo_fan_queries(fan);
    if (fan->own) {
        tell_split(&h, mu);
        at->found += opened - at->opened - (at->failed - failed);
    } else if (!r->halved && by_halves(r)) {
        tell_check(&h, mu);
    } else {
        tell_common(&h, mu);
        at->found += fan->ncomp - (at->opened - opened) - (at->failed - failed);
    }
    int shared = !by_cases(r);
    if (!at->proven && (shared || at->opened == 0)) {
        double good = (double)(shared ? at->straight : at->tried - at->failed);
        at->proven = 1;
        if (good < poor * (shared ? at->expected : 1) * (double)at->tried) return RECOVERY_FAINT;
    }
    if (at->cursor < count || at->opened > 0 || r->halved > 0) return RECOVERY_ASKS;
    at->off += (uint64_t)too_dear(r);
    return RECOVERY_DONE;
}

void recovery_note(const recovery *r)
{
    const struct recovery_state *at = r->at;
    if (!r->room || !at->found) return;
    method_note(r->m, "gradients of %llu components recovered from %.1f of %zu differences each",
                (unsigned long long)at->found, (double)at->from / (double)at->found, r->m->d);
}

/* ---- State that was read from a file ------------------------------------------------------------------ */

const char *recovery_check(const recovery *r)
{
    const struct recovery_state *at = r->at;
    const book *b = &r->book;
    if (!r->room) return NULL;
    if (at->opened > r->room || at->failed > r->m->n || at->cursor > r->m->n ||
        r->halved > r->room - at->opened)
        return "'recovery' counts more than there are";
    if (!(*r->basis.rank == 0 || is_whole(*r->basis.rank, BASIS_MOST)) ||
        !(r->basis.rank[1] >= 0) || at->way > BY_OFFSET || at->sides < 1 || at->sides > 2)
        return "'rank' is not one";
    for (size_t j = 0; j < b->d; j++)
        if (!(b->count[j] >= 0 && b->count[j] <= BOOK_VALUES) ||
            !(b->group[j] >= -1 && b->group[j] <= BOOK_GROUPS) || !(b->often[j] >= 0) ||
            !(b->often[j] <= BOOK_ROWS))
            return "'group' and 'counts' are not what gradients show";
    for (size_t k = 0; k < at->opened; k++)
        if (method_mine(r->m, r->open[k]) && !split_sane(case_of(r, k), r->splitter))
            return "'cases' do not fit";
    return NULL;
}
