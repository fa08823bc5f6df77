/* inq: components with the values of others. Who is asked through whom, and whether it is true.
 * SPDX-License-Identifier: MIT
 *
 * Data repeat rows: f_i = f_k. The elder k speaks for its twin i: in every sum over the sample it counts twice (voices), and the twin has no
 * direction nor curve. Where the elder is asked for a value the twin is told the same. What it costs is to be sure:
 *
 *     every pass a sixteenth of the twins, drawn anew, are asked themselves, and before the end all of them at x;
 *     one whose value is not its elder's, bit for bit, is asked for its gradient in full, and until then the elder speaks for it; the
 *     next time all twins are asked themselves; after too many of these nobody is a twin any more.
 *
 * F that is offered as known was asked of all components. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/vec.h"
#include "method/component/row.h"
#include "method/component/sample.h"
#include "method/curves/curves.h"
#include "problem/ranks/together.h"

/* ---- Who is one ------------------------------------------------------------------------------------- */

void twins_joined(inq *s, uint64_t count)
{
    if (!count) return;
    s->twins.count += count;
    s->twins.any = 1;
    inq_relist(s);
}

/* Nobody speaks for it from now on. */
static void leave(inq *s, uint64_t i)
{
    s->twins.count -= (uint64_t)inq_is_twin(s, i);
    s->twins.broken -= (uint64_t)inq_is_broken(s, i);
    s->elder[i] = 0;
    inq_relist(s);
}

int twins_due(inq *s)
{
    int due = s->twins.sought != s->sample.filled;
    s->twins.sought = s->sample.filled;
    return due;
}

void twins_redone(inq *s)
{
    for (uint64_t k = 0; k < s->plan.tail && s->twins.broken; k++)
        leave(s, s->plan.queue[s->base.n - 1 - k]);
}

/* What the elders of count components know, these know, too: curves and directions. */
static void adopt(inq *s, size_t count, const uint64_t *twin)
{
    const method *m = &s->base;
    size_t numbers = sizeof(curve) / 8, width = numbers + m->d + 1;
    uint64_t elder[ADOPTED];
    for (size_t e = 0; e < count; e++) {
        uint64_t i = elder[e] = inq_speaker(s, twin[e]);
        if (!method_mine(m, i)) continue;
        memcpy(s->packed + e * width, inq_curve(s, i), sizeof(curve));
        inq_row_pack(s, i, s->packed + e * width + numbers);
    }
    method_rows(m, count, elder, width, s->packed);
    for (size_t e = 0; e < count; e++) {
        if (!method_mine(m, twin[e])) continue;
        memcpy(inq_curve(s, twin[e]), s->packed + e * width, sizeof(curve));
        inq_row_unpack(s, twin[e], s->packed + e * width + numbers);
    }
}

/* Those of whom it is true are on their own, and begin as their elders stand. */
static void part(inq *s, int (*parts)(const inq *s, uint64_t i))
{
    uint64_t list[ADOPTED];
    size_t count = 0;
    for (uint64_t i = 0; s->seeks && i < s->base.n; i++) {
        if (parts(s, i)) list[count++] = i;
        if (count < ADOPTED && i + 1 < s->base.n) continue;
        adopt(s, count, list);
        while (count) leave(s, list[--count]);
    }
}

static int has_elder(const inq *s, uint64_t i) { return s->elder[i] > 0; }

static int is_marked(const inq *s, uint64_t i) { return s->elder[i] && s->marks[i]; }

void twins_mark(inq *s)
{
    for (uint64_t i = 0; i < s->base.n && s->twins.any; i++)
        if (s->elder[i] && s->marks[inq_speaker(s, i)]) s->marks[i] = 1;
}

void twins_part_marked(inq *s)
{
    if (s->twins.any) part(s, is_marked);
}

void twins_forget(inq *s)
{
    if (s->twins.any) part(s, has_elder);
    s->twins.doubted = 0;
}

int twins_are_rare(const inq *s)
{
    return (double)s->twins.wrong > MOST_WRONG + most_wrong * (double)s->twins.compared;
}

/* Those in marks are not what their elders are. Where that was seen on a few, all are asked the next time. */
static void contradict(inq *s)
{
    size_t n = s->base.n;
    uint64_t before = s->twins.wrong;
    method_marks(&s->base, s->mark, s->marks);
    for (uint64_t i = 0; i < n; i++) {
        if (!s->marks[i] || !inq_is_twin(s, i)) continue;
        s->twins.wrong++;
        s->twins.count--;
        s->twins.broken++;
        s->elder[i] += n;
    }
    if (s->base.stage != ASK_ENTER) s->twins.doubted = s->twins.wrong > before;
    if (twins_are_rare(s)) part(s, inq_is_twin);
}

int twins_sane(const inq *s)
{
    uint64_t count = 0, broken = 0;
    for (uint64_t i = 0; s->seeks && i < s->base.n; i++) {
        uint64_t k = inq_speaker(s, i);
        broken += (uint64_t)inq_is_broken(s, i);
        count += (uint64_t)inq_is_twin(s, i);
        if (!s->elder[i]) continue;
        if (s->elder[k] || s->spans_on) return 0;
        if (method_mine(&s->base, k) && !(inq_curve(s, k)->point > 0)) return 0;
    }
    return count == s->twins.count && broken == s->twins.broken;
}

/* ---- Questions ------------------------------------------------------------------------------------------ */

/* Values at one point, where twins are told what their elders are, or are compared with them. */
static int is_about_values(const inq *s)
{
    uint64_t stage = s->base.stage;
    return stage == ASK_TRY || stage == ASK_VALUE || stage == ASK_ENTER || stage == ASK_TWINS;
}

static uint64_t component_of(const zo_fan *fan, size_t e) { return fan->comp ? fan->comp[e] : e; }

/* Four bits for each component, of one draw for as many as that has bits; the draw at hand serves neighbours. */
enum { EACH_BITS = 4, EACH_DRAW = 32 };

typedef struct lots {
    uint64_t drawn; /* 1 + which; 0: none */
    rng_block bits;
} lots;

/* Is a twin asked itself? New ones are, and at the end, and where one was not what it was taken for all; else by its lot. */
static int is_tried(const inq *s, uint64_t i, lots *l)
{
    uint64_t stage = s->base.stage, slot = i % EACH_DRAW, draw = i / EACH_DRAW;
    if (stage == ASK_ENTER || stage == ASK_TWINS || s->twins.doubted) return 1;
    if (l->drawn != draw + 1)
        *l = (lots){draw + 1, rng_draw(s->base.set.seed, FOR_TWIN, s->sample.asked, draw)};
    return (l->bits.v[slot / 8] >> slot % 8 * EACH_BITS & 15) < TRIED_TWINS;
}

static void mark_speakers(void *ctx, size_t part, size_t from, size_t to)
{
    inq *s = ctx;
    (void)part;
    for (size_t e = from; e < to; e++) {
        uint64_t i = component_of(&s->whole_fan, e);
        s->where[i] = !inq_is_twin(s, i);
    }
}

/* marks, by entries of the question: who is asked. A twin whose elder is not asked has to be. */
static void mark_asked(void *ctx, size_t part, size_t from, size_t to)
{
    inq *s = ctx;
    lots l = {0};
    (void)part;
    for (size_t e = from; e < to; e++) {
        uint64_t i = component_of(&s->whole_fan, e);
        s->marks[e] = !inq_is_twin(s, i) || !s->where[inq_speaker(s, i)] || is_tried(s, i, &l);
    }
}

/* where of all who are asked about, or speak for these, is 0. */
static void clear_where(inq *s)
{
    const zo_fan *fan = &s->whole_fan;
    if (fan->ncomp > s->base.n / 8) {
        memset(s->where, 0, s->base.n * sizeof *s->where);
        return;
    }
    for (size_t e = 0; e < fan->ncomp; e++) s->where[inq_speaker(s, component_of(fan, e))] = 0;
}

static size_t count_asked(void *ctx, size_t from, size_t to)
{
    const inq *s = ctx;
    size_t count = 0;
    for (size_t e = from; e < to; e++) count += s->marks[e];
    return count;
}

/* The list of those who are asked; where: 1 + their entries. */
static size_t put_asked(void *ctx, size_t from, size_t to, size_t before)
{
    const inq *s = ctx;
    size_t count = before;
    for (size_t some, at = from; at < to; at += some) {
        uint64_t asks[SUM_BLOCK], found = 0;
        some = to - at < SUM_BLOCK ? to - at : SUM_BLOCK;
        for (size_t k = 0; k < some; k++) { /* no branch: who is tried is random */
            uint64_t i = component_of(&s->whole_fan, at + k), asked = s->marks[at + k];
            asks[found] = i;
            found += asked;
            s->where[i] = (uint32_t)((count + found) * asked);
        }
        memcpy(s->asks + count, asks, found * sizeof *asks);
        count += found;
    }
    return count;
}

void twins_ask(inq *s, zo_fan *fan)
{
    const method *m = &s->base;
    s->whole_fan.ncomp = 0;
    if (!s->twins.count || !is_about_values(s)) return;
    s->whole_fan = *fan;
    if (fan->comp) clear_where(s);
    method_share(m, fan->ncomp, FEW_NUMBERS, mark_speakers, s);
    method_share(m, fan->ncomp, 2 * FEW_NUMBERS, mark_asked, s);
    fan->ncomp =
        method_pick(m, s->whole_fan.ncomp, FEW_NUMBERS, &(method_list){count_asked, put_asked, s});
    fan->comp = fan->ncomp < m->n ? s->asks : NULL;
}

/* What an elder of mine is told, or knows of x. */
static double value_of(const inq *s, uint64_t i, const double *answers, int heard)
{
    if (s->where[i] && (heard || method_mine(&s->base, i))) return answers[s->where[i] - 1];
    return method_mine(&s->base, i) ? inq_curve(s, i)->f : 0;
}

/* What a twin at entry e is told, into put_in; one that was asked is compared: mark. Returns 1 where it is another. */
static int hear_twin(inq *s, size_t e, uint64_t i, double told)
{
    double own = s->put_in[e];
    if (!s->where[i]) {
        s->put_in[e] = told;
        return 0;
    }
    if (!method_mine(&s->base, i) || !isfinite(own) || !isfinite(told)) return 0;
    return s->mark[inq_at(s, i)] = memcmp(&own, &told, sizeof own) != 0;
}

/* On ranks: elders tell, so many at a time. */
static void hear_far_twins(inq *s, const double *answers, int heard)
{
    const method *m = &s->base;
    const zo_fan *fan = &s->whole_fan;
    uint64_t *elder = s->pair;
    size_t at[FOLLOWED];
    for (size_t e = 0; e < fan->ncomp;) {
        size_t count = 0;
        for (; e < fan->ncomp && count < FOLLOWED; e++) {
            uint64_t i = component_of(fan, e);
            if (s->where[i]) s->put_in[e] = answers[s->where[i] - 1];
            if (!inq_is_twin(s, i)) continue;
            s->twins.compared += s->where[i] > 0;
            elder[count] = inq_speaker(s, i), at[count++] = e;
        }
        for (size_t k = 0; k < count; k++) s->packed[k] = value_of(s, elder[k], answers, heard);
        method_rows(m, count, elder, 1, s->packed);
        for (size_t k = 0; k < count; k++)
            hear_twin(s, at[k], component_of(fan, at[k]), s->packed[k]);
    }
}

/* All are here: at the same time. */
typedef struct hearing {
    inq *s;
    const double *answers;
    uint64_t compared[METHOD_PARTS], others[METHOD_PARTS];
} hearing;

static void hear_some(void *ctx, size_t part, size_t from, size_t to)
{
    hearing *h = ctx;
    inq *s = h->s;
    uint64_t compared = 0, others = 0;
    for (size_t e = from; e < to; e++) {
        uint64_t i = component_of(&s->whole_fan, e);
        if (s->where[i]) s->put_in[e] = h->answers[s->where[i] - 1];
        if (!inq_is_twin(s, i)) continue;
        compared += s->where[i] > 0;
        others += (uint64_t)hear_twin(s, e, i, value_of(s, inq_speaker(s, i), h->answers, 1));
    }
    h->compared[part] += compared;
    h->others[part] += others;
}

/* Twins are told what their elders are, by where they are in the question. 0: nobody is another, for sure. */
static int hear_twins(inq *s, const double *answers)
{
    hearing h = {.s = s, .answers = answers};
    uint64_t others = 0;
    if (s->base.together) {
        hear_far_twins(s, answers, s->base.fan.each != ZO_MINE);
        return 1;
    }
    method_share(&s->base, s->whole_fan.ncomp, FEW_NUMBERS, hear_some, &h);
    for (size_t k = 0; k < METHOD_PARTS; k++)
        s->twins.compared += h.compared[k], others += h.others[k];
    return others > 0;
}

const double *twins_tell(inq *s, const double *answers)
{
    method *m = &s->base;
    if (!s->whole_fan.ncomp) return answers;
    memset(s->mark, 0, m->count);
    if (hear_twins(s, answers))
        contradict(s);
    else if (m->stage != ASK_ENTER)
        s->twins.doubted = 0;
    m->fan = s->whole_fan;
    s->whole_fan.ncomp = 0;
    return s->put_in;
}

/* ---- Before the end --------------------------------------------------------------------------------------- */

inq_next twins_redo(inq *s)
{
    if (s->points.count >= POINTS - LAST_POINTS) { /* no room for another point */
        part(s, inq_is_broken);
        return inq_go(s, ASK_VALUE);
    }
    plan_clear_tail(&s->plan);
    for (uint64_t i = 0; i < s->base.n; i++)
        if (inq_is_broken(s, i)) plan_add_tail(&s->plan, i);
    inq_keep_point(s);
    return inq_go(s, ASK_REDO);
}

/* After a last word of all of them x is to be proven. */
static inq_next redo_or_prove(inq *s)
{
    return s->twins.broken ? twins_redo(s) : inq_go(s, ASK_PROOF);
}

inq_next twins_end(inq *s)
{
    int doubted = s->twins.doubted && !s->twins.count;
    s->twins.doubted = 0;
    if (doubted) return inq_go(s, ASK_VALUE); /* what was told for them at x may be wrong */
    return s->twins.count ? inq_go(s, ASK_TWINS) : redo_or_prove(s);
}

void ask_twins(inq *s, zo_fan *fan)
{
    size_t count = 0;
    for (uint64_t i = 0; i < s->base.n; i++)
        if (inq_is_twin(s, i)) s->asks[count++] = i;
    fan->comp = s->asks;
    fan->ncomp = count;
    fan->each = method_each(&s->base);
}

inq_next twins_learn(inq *s, const double *answers)
{
    (void)answers; /* compared already */
    if (!s->twins.broken) method_offer(&s->base, s->base.x, s->step.objective);
    return redo_or_prove(s);
}
