/* Gradients of components recovered from a few differences: the room it takes (recovery.h).
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "method/core/recovery.h"

enum {
    LEAST_D = 16,   /* below, a gradient is cheap */
    LEAST_N = 64,   /* below, there is nothing to learn from */
    CASE_PART = 32, /* of n d numbers: one part for what is being split */
    LEAST_CASES = 256,
    MOST_CASES = RECOVERY_CHUNK
};
static const double part = 0.1; /* of the memory setting that all this may take */

static int useful(size_t n, size_t d) { return n >= LEAST_N && d >= LEAST_D; }

static size_t case_width(size_t d) { return sizeof(split_case) / 8 + 2 * split_most(d); }

/* As many as take a small part of what a method keeps of n gradients. */
static size_t cases_of(size_t n, size_t d)
{
    size_t count = n * d / CASE_PART / case_width(d);
    count = count < LEAST_CASES ? LEAST_CASES : count > MOST_CASES ? MOST_CASES : count;
    return count < n ? count : n;
}

static double case_bytes(size_t d)
{
    return 8 * (double)(case_width(d) + d + 7 + 1 + RECOVERY_CHECKED + RECOVERY_SEEN);
}

/* But for cases. */
static double bytes_beside(size_t n, size_t d)
{
    double most = (double)(d + CODE_WORDS + 2);
    return (double)(book_bytes(n, d) + code_bytes(d) + split_bytes(d)) + 8 * (double)n +
           8 * (double)d * (BOOK_VALUES + 9 + CODE_WORDS + 2 + BASIS_MOST) + 8 * most +
           METHOD_PARTS * (8 * most + 20 * (double)d);
}

/* As many as there is room for; 0: too few to be worth it. */
static size_t cases_in(size_t n, size_t d, double memory)
{
    double left = part * memory - bytes_beside(n, d);
    size_t wanted = cases_of(n, d), least = LEAST_CASES < n ? LEAST_CASES : n;
    if (left < (double)least * case_bytes(d)) return 0;
    double most = left / case_bytes(d);
    return most < (double)wanted ? (size_t)most : wanted;
}

static int open_state(recovery *r)
{
    method *m = r->m;
    size_t d = m->d;
    r->at = (struct recovery_state *)state_numbers(m, "recovery", sizeof *r->at / 8);
    r->book = (book){.d = d};
    r->book.often = state_numbers(m, "often", d);
    r->book.group = state_numbers(m, "group", d);
    r->book.count = state_numbers(m, "few", d);
    r->book.value = state_numbers(m, "values", d * BOOK_VALUES);
    r->book.rows = state_numbers(m, "learnt", 2);
    r->basis = (basis){.d = d};
    r->basis.rank = state_numbers(m, "rank", 2);
    r->basis.row = state_numbers(m, "basis", BASIS_MOST * d);
    r->offset = (offset){.d = d};
    r->offset.usual = state_numbers(m, "usual", d);
    r->offset.off = state_numbers(m, "off", d);
    r->offset.rows = state_numbers(m, "compared", 1);
    r->open = state_indices(m, "open", r->room, m->n - 1);
    r->cases = state_numbers(m, "cases", r->room * split_width(r->splitter));
    r->failed = state_indices(m, "failed", m->n, m->n - 1);
    r->half = state_indices(m, "half", r->room, m->n - 1);
    r->checked = state_numbers(m, "checked", r->room * RECOVERY_CHECKED);
    state_count(m, "halved", &r->halved, r->room);
    if (r->at) r->at->sides = 1;
    return r->at && r->book.often && r->book.group && r->book.count && r->book.value &&
           r->book.rows && r->basis.rank && r->basis.row && r->offset.usual && r->offset.off &&
           r->offset.rows && r->open && r->cases && r->failed && r->half && r->checked;
}

static int open_seats(recovery *r)
{
    method *m = r->m;
    for (size_t k = 0; k < METHOD_PARTS; k++) {
        recovery_seat *s = &r->seat[k];
        s->difference = scratch_new(m, m->d + CODE_WORDS + 2, sizeof *s->difference);
        s->out.place = scratch_new(m, m->d, sizeof *s->out.place);
        s->out.slope = scratch_new(m, m->d, sizeof *s->out.slope);
        s->out.work = scratch_new(m, m->d, sizeof *s->out.work);
        if (!s->difference || !s->out.place || !s->out.slope || !s->out.work) return 0;
    }
    return 1;
}

int recovery_open(recovery *r, method *m)
{
    size_t n = m->n, d = m->d, most = RECOVERY_CHUNK;
    r->m = m;
    if (m->set.recover == ZO_OFF || !useful(n, d) || m->set.sides != 1) return 1;
    r->room = cases_in(n, d, m->set.memory);
    if (!r->room) return 1;
    r->splitter = splitter_new(d, m->set.seed);
    r->code = code_new(d, m->set.seed);
    r->reading = book_room_new(n, d);
    r->row = scratch_new(m, (CODE_WORDS + 2) * d, sizeof *r->row);
    r->ridge = scratch_new(m, d + CODE_WORDS + 2, sizeof *r->ridge);
    r->own = scratch_new(m, r->room * d, sizeof *r->own);
    r->shown = scratch_new(m, r->room, sizeof *r->shown);
    r->sparse = scratch_new(m, r->room, sizeof *r->sparse);
    r->status = scratch_new(m, most, sizeof *r->status);
    r->seen = scratch_new(m, RECOVERY_SEEN * r->room, sizeof *r->seen);
    r->way = scratch_new(m, m->bounds ? d : 0, sizeof *r->way);
    r->turned = scratch_new(m, m->bounds ? d : 0, sizeof *r->turned);
    return r->splitter && r->code && r->reading && r->row && r->ridge && r->own && r->shown &&
           r->sparse && r->status && r->seen && r->way && r->turned && open_seats(r) &&
           method_reserve_rows(m, RECOVERY_CHECKED * most) && open_state(r);
}

void recovery_close(recovery *r)
{
    splitter_free(r->splitter);
    code_free(r->code);
    book_room_free(r->reading);
}
