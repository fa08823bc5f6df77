/* inq: what its questions need, its memory, and its state.
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "method/component/component.h"
#include "method/component/row.h"
#include "method/component/sample.h"

enum {
    CHUNK_BYTES = 1 << 20,
    ENTRY_BYTES =
        36, /* of a short row: a number and its coordinate, in the pool and twice in the factor */
    LEAST_ENTRIES = 32, /* a row that there must be room for where rows will be short */
    TWIN_NUMBERS = 10,  /* for each component, at most: who is its elder, answers, a table */
    SHELVED = 16        /* numbers of a short row on its shelf, in the mean over a block, at most */
};

#define INQ_PHASE(name, list, needs, refusable) {list, needs, refusable},
const phase_fact inq_facts[] = {INQ_PHASES(INQ_PHASE)};
#undef INQ_PHASE

inq_next inq_go(inq *s, uint64_t stage)
{
    s->base.stage = stage;
    switch (inq_facts[stage].list) {
    case OF_ORDER: plan_over(&s->plan, OF_ORDER, s->sample.begin, s->sample.size); break;
    case OF_QUEUE: plan_queue(&s->plan); break;
    case OF_TAIL: plan_tail(&s->plan); break;
    default: plan_once(&s->plan);
    }
    return ASKED;
}

inq_next inq_round(inq *s)
{
    (void)s;
    return ROUND;
}

inq_next inq_leave(inq *s, const char *to, const char *why)
{
    method_hand_over(&s->base, to, why)->noise = s->base.set.noise;
    s->base.stage = ASK_NOTHING;
    return ASKED;
}

/* ---- Memory --------------------------------------------------------------------------------------- */

/* The largest system a step solves: all coordinates, or in factor form as many as there are components. */
static size_t order_of(const inq *s)
{
    size_t n = s->base.n, d = s->base.d;
    return s->dense ? d : (n < 3000 ? (n > 1500 ? n : 1500) : 3000);
}

/* The most numbers in a sum: a triangle, or three vectors and a few more. */
static size_t widest(const inq *s)
{
    size_t d = s->base.d, matrix = s->dense ? d * (d + 1) / 2 : 0;
    return matrix > 3 * d + NUMBERS ? matrix : 3 * d + NUMBERS;
}

static size_t tree_numbers(const inq *s) { return sum_levels(s->base.n) * widest(s); }

/* Of a shelf, for each component; none in factor form. */
static size_t depth_of(const inq *s)
{
    return !s->dense ? 0 : inq_lines(inq_short_size(inq_few(s) < SHELVED ? inq_few(s) : SHELVED));
}

/* Numbers that twins are shipped by. */
static size_t packed_numbers(size_t d)
{
    size_t rows = ADOPTED * (d + 1 + sizeof(curve) / 8), traits = FOLLOWED * TRAITS;
    return rows > traits ? rows : traits;
}

/* What it takes to know of twins. */
static double twin_bytes(const inq *s)
{
    return 8 * (TWIN_NUMBERS * (double)s->base.n + (double)packed_numbers(s->base.d) + FOLLOWED);
}

/* Without rows. */
static double bytes_beside(const inq *s)
{
    double n = (double)s->base.n, d = (double)s->base.d;
    double numbers = n * ((double)((sizeof(curve) + sizeof(span)) / 8 + (s->dense ? 14 : 16))) +
                     (double)tree_numbers(s) + (s->dense ? 3 * d * d : 0) +
                     (POINTS + CANDIDATES + 2 * SUM_BLOCK + 2 * SPREAD + 16) * d +
                     (double)(inq_most_walls(s) + 1) * (1 + sizeof(wall) / 8);
    return 8 * numbers + quad_bytes(s->base.d, s->dense ? 0 : s->base.n, order_of(s));
}

/* Of whole ones, in the factor too. */
static double row_bytes(const inq *s)
{
    return 8 * (double)s->base.n * (double)s->base.d * (s->dense ? 1 : 2);
}

/* Of so many layers. */
static double layer_bytes(const inq *s, double layers)
{
    return (double)s->base.n * layers * (4 * (double)s->base.d + 4 * (layers + 3));
}

static double answer_bytes(size_t d, double sides) { return 8 * (sides * (double)d + 1); }

double inq_bytes(size_t n, size_t d, double sides)
{
    inq s = {.base = {.n = n, .d = d}, .dense = d <= DENSE};
    return bytes_beside(&s) + row_bytes(&s) + layer_bytes(&s, 1) + SPREAD * answer_bytes(d, sides);
}

double inq_least_bytes(size_t n, size_t d, double sides)
{
    inq s = {.base = {.n = n, .d = d}, .dense = d <= DENSE};
    double whole = inq_bytes(n, d, sides), rows = ENTRY_BYTES * LEAST_ENTRIES * (double)n;
    return s.dense ? whole : fmin(bytes_beside(&s) + rows + SPREAD * answer_bytes(d, sides), whole);
}

/* Where rows turn out to be too long for the memory there is. */
inq_next inq_outgrown(inq *s)
{
    method_hand_over(&s->base, method_may_follow(&s->base, "sinq", NULL) ? "sinq" : "psvrg",
                     "directions do not fit in memory");
    s->base.stage = ASK_NOTHING;
    return ASKED;
}

static zo_status plan_memory(inq *s, zo_error *err)
{
    const method *m = &s->base;
    double whole = inq_bytes(m->n, m->d, m->set.sides), each = answer_bytes(m->d, m->set.sides),
           few = (double)m->n * (double)inq_few(s);
    if (inq_least_bytes(m->n, m->d, m->set.sides) > m->set.memory)
        return fail(err, ZO_BAD_ARGUMENT,
                    "memory: inq keeps a direction of %zu numbers for each of %zu components, %.0f "
                    "bytes in "
                    "all, and memory allows %.0f; raise it, or take psvrg",
                    m->d, m->n, whole, m->set.memory);
    s->wide = whole <= m->set.memory;
    double need = bytes_beside(s) + (s->wide ? row_bytes(s) : 0);
    double left = m->set.memory - need - SPREAD * each;
    s->layers = (size_t)s->wide;
    s->entries = s->dense ? 0 : (size_t)(s->wide ? few : fmin(few, left / ENTRY_BYTES));
    while (s->wide && s->layers < SPAN && s->layers < m->d &&
           layer_bytes(s, (double)s->layers + 1) <= left)
        s->layers++;
    need += s->wide ? layer_bytes(s, (double)s->layers) : ENTRY_BYTES * (double)s->entries;
    double count = fmin(fmin(m->set.memory - need, CHUNK_BYTES) / each, (double)m->n);
    s->chunk = count < 1 ? 1 : (size_t)count;
    s->rows = s->chunk > SPREAD ? s->chunk : SPREAD;
    /* short rows have room of their own where some is left, and else are where whole ones would be */
    s->depth = depth_of(s);
    if (8 * (double)m->n * (double)s->depth > m->set.memory - need - CHUNK_BYTES) s->depth = 0;
    need += 8 * (double)m->n * (double)s->depth;
    s->seeks = twin_bytes(s) <= m->set.memory - need - CHUNK_BYTES;
    return ZO_OK;
}

/* What lives with its components. */
static int open_shared(inq *s)
{
    method *m = &s->base;
    s->stride = m->d + m->d % 2;
    for (size_t k = 0; k < s->layers; k++) {
        s->layer[k] = (float *)state_shared(m, "layers", s->stride / 2);
        s->within[k] = state_shared(m, "within", k + 2);
        if (!s->layer[k] || !s->within[k]) return 0;
    }
    return (!s->dense || ((s->shelves = state_shared(m, "shelves", s->depth)) &&
                          (s->shelf = (shelf_place *)state_shared(m, "shelf", 1)))) &&
           (!s->wide || (s->row = state_shared(m, "directions", m->d))) &&
           (s->curves = (curve *)state_shared(m, "curves", sizeof(curve) / 8)) &&
           (s->spans = (span *)state_shared(m, "spans", sizeof(span) / 8)) &&
           (s->weights = state_shared(m, "weights", 1)) && (s->kept = state_shared(m, "kept", 1));
}

#define NUMBERS_OF(field, name, count) (s->field = state_numbers(m, name, count))
static int open_state(inq *s)
{
    method *m = &s->base;
    size_t n = m->n, d = m->d;
    INQ_STRUCTS(FIELDS_KEEP)
    state_count(m, "spans_on", &s->spans_on, 1);
    return (s->asked = (visits *)state_indices(m, "asked", n, UINT64_MAX)) &&
           (!s->seeks || (s->elder = state_indices(m, "elder", n, 2 * n))) &&
           (s->chosen = state_indices(m, "chosen", SPREAD, n - 1)) &&
           (s->offer =
                (candidate *)state_numbers(m, "offers", CANDIDATES * (sizeof(candidate) / 8))) &&
           NUMBERS_OF(unit_sum, "unit_sum", d) && NUMBERS_OF(missed, "missed", d) &&
           (!s->dense || NUMBERS_OF(whole, "whole", d * d)) &&
           (!s->dense || NUMBERS_OF(matrix, "matrix", d * d)) &&
           (s->dense || (NUMBERS_OF(pool, "pool", inq_short_size(s->entries)) &&
                         (s->slot = state_indices(m, "slots", n, inq_short_size(s->entries))))) &&
           NUMBERS_OF(point, "points", POINTS * d) && NUMBERS_OF(centre, "centre", d) &&
           NUMBERS_OF(cand, "candidates", CANDIDATES * d) && NUMBERS_OF(fresh, "fresh", n) &&
           (s->who = state_indices(m, "who", inq_most_walls(s) + 1, n - 1)) &&
           (s->wall =
                (wall *)state_numbers(m, "wall", (inq_most_walls(s) + 1) * (sizeof(wall) / 8)));
}
#undef NUMBERS_OF

#define ROOM(field, count) (s->field = scratch_new(m, count, sizeof *s->field))
static int open_factor(inq *s)
{
    method *m = &s->base;
    size_t n = m->n, d = m->d, some = s->entries;
    return ROOM(sparse.row, n + 1) && ROOM(sparse.col, d + 1) && ROOM(sparse.col_of, some) &&
           ROOM(sparse.row_of, some) && ROOM(sparse.by_row, some) && ROOM(sparse.by_col, some) &&
           (!s->wide || ROOM(col, d * n));
}

static int open_twins(inq *s)
{
    method *m = &s->base;
    size_t n = m->n;
    if (!s->seeks) return 1;
    for (s->slots = 1; s->slots < n;) s->slots *= 2;
    return ROOM(asks, n) && ROOM(where, n) && ROOM(put_in, n) && ROOM(traits, TRAITS * n) &&
           ROOM(first, s->slots) && ROOM(further, n) && ROOM(packed, packed_numbers(m->d)) &&
           ROOM(pair, FOLLOWED) && method_reserve_rows(m, packed_numbers(m->d));
}

static int open_lists(inq *s)
{
    method *m = &s->base;
    size_t few = s->chunk * inq_few(s);
    return ROOM(own, s->chunk * m->d) && ROOM(list_of, s->chunk) && ROOM(places, few) &&
           ROOM(values, few);
}

static int open_scratch(inq *s)
{
    method *m = &s->base;
    size_t n = m->n, d = m->d, mine = m->count;
    return ROOM(slope, mine) && ROOM(bend, mine) && ROOM(g, d) && ROOM(fresh_g, d) &&
           ROOM(work, d) && ROOM(lost, d) && ROOM(told, d) && ROOM(miss, d) && ROOM(axes, d) &&
           ROOM(voices, mine) && ROOM(list, mine) && ROOM(marks, n) &&
           (s->base.together ? ROOM(mark, mine) : (s->mark = s->marks)) &&
           ROOM(entry, SPREAD * CANDIDATES + (s->base.set.own ? 0 : 2 * s->rows)) &&
           ROOM(index, 2 * s->rows) && ROOM(some, SPREAD * d) &&
           (s->dense ? ROOM(full, d * d) != NULL : open_factor(s)) && ROOM(dir, s->rows * d) &&
           (!m->set.own || open_lists(s)) && ROOM(block, 2 * SUM_BLOCK * d) &&
           ROOM(tree, tree_numbers(s)) && ROOM(comp, 2 * SPREAD) && ROOM(seen, inq_few(s) + 1) &&
           open_twins(s) && !quad_open(&s->room, d, s->dense ? 0 : n, order_of(s));
}
#undef ROOM

enum {
    PIECES = 16,
    MANY = 1 << 17,   /* components: fewer touch few pages */
    TOUCHED = 1 << 27 /* bytes of models, at most: where there are more a sample may be small */
};

/* Pieces from ... to - 1 of what passes over the sample go through, and of models. */
static void touch_some(void *ctx, size_t part, size_t from, size_t to)
{
    const inq *s = ctx;
    size_t n = s->base.n, mine = s->base.count, each = s->depth * sizeof *s->shelves;
    (void)part;
#define TOUCH(p, all, size)                                                                        \
    mem_touch((p) ? (char *)(p) + from *(all) / PIECES *(size) : NULL,                             \
              to *(all) / PIECES - from * (all) / PIECES, size)
    TOUCH(s->weights, mine, 8), TOUCH(s->kept, mine, 8), TOUCH(s->voices, mine, 8);
    TOUCH(s->list, mine, 8), TOUCH(s->slope, mine, 8), TOUCH(s->bend, mine, 8);
    TOUCH(s->asked, n, 8), TOUCH(s->elder, n, 8), TOUCH(s->marks, n, 1), TOUCH(s->asks, n, 8);
    TOUCH(s->where, n, 4), TOUCH(s->put_in, n, 8);
    if (mine >= TOUCHED / (sizeof(curve) + each)) return;
    TOUCH(s->curves, mine, sizeof(curve)), TOUCH(s->shelves, mine, each);
#undef TOUCH
}

/* Every pass goes through all models, in no order of their pages, unless a sample is all that can be paid for. */
void inq_touch(inq *s)
{
    if (inq_affordable(s) >= (double)s->base.n) {
        mem_fill(s->curves, s->base.count, sizeof(curve));
        mem_fill(s->shelves, s->base.count, s->depth * sizeof *s->shelves);
    }
    if (s->base.n >= MANY) method_share(&s->base, PIECES, s->base.n, touch_some, s);
}

zo_status inq_open(method *m, zo_error *err)
{
    inq *s = (inq *)m;
    s->dense = m->d <= DENSE;
    if (!s->dense) method_gather(m);
    zo_status status = plan_memory(s, err);
    if (status) return status;
    if (!plan_open(&s->plan, m) || !recovery_open(&s->recovery, m) || !open_shared(s) ||
        !open_state(s) || !open_scratch(s) ||
        !method_reserve(m, CANDIDATES, m->set.own ? SPREAD : s->rows) ||
        !method_reserve(m, widest(s), 0) || !method_reserve_rows(m, 2 * SPREAD * m->d) ||
        !method_reserve_rows(m, inq_most_walls(s) * (sizeof(wall) / 8)))
        return out_of_memory(err, "inq's directions", m->n * m->d);
    for (size_t j = 0; j < m->d; j++) s->axes[j] = (uint32_t)j;
    return ZO_OK;
}

void inq_close(method *m)
{
    inq *s = (inq *)m;
    quad_close(&s->room);
    recovery_close(&s->recovery);
}
