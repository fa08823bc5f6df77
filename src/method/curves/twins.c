/* inq: components with the values of others. Who is asked through whom, and whether it is true.
 * SPDX-License-Identifier: MIT
 *
 * Data sets repeat rows: f_i = f_k. A twin keeps a copy of its elder's direction and curve, bit for bit, and where the elder is asked
 * for a value the twin is told the same. What it costs is to be sure:
 *
 *     every pass a sixteenth of the twins, drawn anew, are asked themselves, and before the end all of them at x;
 *     one whose value is not its elder's, bit for bit, is asked for its gradient in full, and the next time all twins are asked
 *     themselves; after too many of these nobody is a twin any more.
 *
 * F that is offered as known was asked of all components. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/vec.h"
#include "method/component/sample.h"
#include "method/curves/curves.h"
#include "problem/ranks/together.h"

/* ---- Who is one ------------------------------------------------------------------------------------- */

static uint64_t elder_of(const inq *s, uint64_t i) { return s->elder[i] - 1; }

void twins_join(inq *s, uint64_t i, uint64_t elder)
{
    s->elder[i] = elder + 1;
    s->twins.count++;
    s->twins.any = 1;
}

int twins_due(inq *s)
{
    int due = s->twins.sought != s->sample.filled;
    s->twins.sought = s->sample.filled;
    return due;
}

static void mend(inq *s, uint64_t i)
{
    s->twins.broken -= (uint64_t)inq_is_broken(s, i);
    if (inq_is_broken(s, i)) s->elder[i] = 0;
}

void twins_redone(inq *s)
{
    for (uint64_t k = 0; k < s->plan.tail; k++) mend(s, s->plan.queue[s->base.n - 1 - k]);
}

void twins_forget(inq *s)
{
    if (s->seeks) memset(s->elder, 0, s->base.n * sizeof *s->elder);
    s->twins.count = s->twins.broken = s->twins.doubted = 0;
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
    for (uint64_t i = 0; i < n; i++) {
        if (!s->marks[i] || !inq_is_twin(s, i)) continue;
        s->twins.wrong++;
        s->twins.count--;
        s->twins.broken++;
        s->elder[i] = n + 1;
    }
    if (s->base.stage != ASK_ENTER) s->twins.doubted = s->twins.wrong > before;
    for (uint64_t i = 0; i < n && twins_are_rare(s); i++)
        if (inq_is_twin(s, i)) s->elder[i] = 0, s->twins.count--;
}

int twins_sane(const inq *s)
{
    uint64_t count = 0, broken = 0;
    for (uint64_t i = 0; s->seeks && i < s->base.n; i++) {
        broken += (uint64_t)inq_is_broken(s, i);
        if (s->elder[i] && method_mine(&s->base, i) && !(inq_curve(s, i)->point > 0)) return 0;
        if (!inq_is_twin(s, i)) continue;
        uint64_t k = elder_of(s, i);
        count++;
        if (s->elder[k] || s->spans_on) return 0;
        if (method_mine(&s->base, k) && !(inq_curve(s, k)->point > 0)) return 0;
    }
    return count == s->twins.count && broken == s->twins.broken;
}

/* ---- What they know ----------------------------------------------------------------------------------- */

/* The next twins from *i on, with their elders, FOLLOWED at most. */
static size_t next_pairs(const inq *s, uint64_t *i)
{
    size_t count = 0;
    for (; *i < s->base.n && count < FOLLOWED; ++*i) {
        if (!inq_is_twin(s, *i)) continue;
        s->pair[count] = *i;
        s->pair[FOLLOWED + count++] = elder_of(s, *i);
    }
    return count;
}

void twins_follow(inq *s)
{
    const method *m = &s->base;
    const uint64_t *elder = s->pair + FOLLOWED;
    size_t width = sizeof(curve) / 8, count;
    for (uint64_t i = 0; s->twins.count && (count = next_pairs(s, &i));) {
        for (size_t e = 0; e < count; e++)
            if (method_mine(m, elder[e]))
                memcpy(s->packed + e * width, inq_curve(s, elder[e]), sizeof(curve));
        method_rows(m, count, elder, width, s->packed);
        for (size_t e = 0; e < count; e++)
            if (method_mine(m, s->pair[e]))
                memcpy(inq_curve(s, s->pair[e]), s->packed + e * width, sizeof(curve));
    }
}

/* ---- Questions ------------------------------------------------------------------------------------------ */

/* Values at one point, where twins are told what their elders are, or are compared with them. */
static int is_about_values(const inq *s)
{
    uint64_t stage = s->base.stage;
    return stage == ASK_TRY || stage == ASK_VALUE || stage == ASK_ENTER || stage == ASK_TWINS;
}

/* Is a twin asked itself? New ones are, and at the end, and where one was not what it was taken for all. */
static int is_tried(const inq *s, uint64_t i)
{
    uint64_t stage = s->base.stage;
    return stage == ASK_ENTER || stage == ASK_TWINS || s->twins.doubted ||
           rng_uniform(s->base.set.seed, FOR_TWIN, s->sample.asked, i) < tried_twins;
}

static uint64_t component_of(const zo_fan *fan, size_t e) { return fan->comp ? fan->comp[e] : e; }

/* The list of those who are asked; where: 1 + their entries. A twin whose elder is not asked has to be. */
void twins_ask(inq *s, zo_fan *fan)
{
    size_t count = 0;
    s->whole_fan.ncomp = 0;
    if (!s->twins.count || !is_about_values(s)) return;
    s->whole_fan = *fan;
    memset(s->where, 0, s->base.n * sizeof *s->where);
    for (size_t e = 0; e < fan->ncomp; e++)
        if (!inq_is_twin(s, component_of(fan, e))) s->where[component_of(fan, e)] = 1;
    for (size_t e = 0; e < fan->ncomp; e++) {
        uint64_t i = component_of(fan, e);
        int left_out = inq_is_twin(s, i) && s->where[elder_of(s, i)] && !is_tried(s, i);
        if (!left_out) s->asks[count] = i, s->where[i] = (uint32_t)++count;
    }
    fan->comp = count < s->base.n ? s->asks : NULL;
    fan->ncomp = count;
}

/* What an elder of mine is told, or knows of x. */
static double value_of(const inq *s, uint64_t i, const double *answers, int heard)
{
    if (s->where[i] && (heard || method_mine(&s->base, i))) return answers[s->where[i] - 1];
    return method_mine(&s->base, i) ? inq_curve(s, i)->f : 0;
}

/* Twins are told what their elders are, into put_in by where they are in the question; who was asked is compared: marks. */
static void hear_twins(inq *s, const double *answers, int heard)
{
    const method *m = &s->base;
    const zo_fan *fan = &s->whole_fan;
    uint64_t *twin = s->pair, *elder = s->pair + FOLLOWED;
    size_t at[FOLLOWED];
    for (size_t e = 0; e < fan->ncomp;) {
        size_t count = 0;
        for (; e < fan->ncomp && count < FOLLOWED; e++) {
            uint64_t i = component_of(fan, e);
            if (s->where[i]) s->put_in[e] = answers[s->where[i] - 1];
            if (!inq_is_twin(s, i)) continue;
            s->twins.compared += s->where[i] > 0;
            twin[count] = i, elder[count] = elder_of(s, i), at[count++] = e;
        }
        for (size_t k = 0; k < count; k++) s->packed[k] = value_of(s, elder[k], answers, heard);
        method_rows(m, count, elder, 1, s->packed);
        for (size_t k = 0; k < count; k++) {
            double own = s->put_in[at[k]], told = s->packed[k];
            if (!s->where[twin[k]])
                s->put_in[at[k]] = told;
            else if (method_mine(m, twin[k]) && isfinite(own) && isfinite(told))
                s->mark[inq_at(s, twin[k])] = memcmp(&own, &told, sizeof own) != 0;
        }
    }
}

const double *twins_tell(inq *s, const double *answers)
{
    method *m = &s->base;
    if (!s->whole_fan.ncomp) return answers;
    memset(s->mark, 0, m->count);
    hear_twins(s, answers, m->fan.each != ZO_MINE);
    method_marks(m, s->mark, s->marks);
    contradict(s);
    m->fan = s->whole_fan;
    s->whole_fan.ncomp = 0;
    return s->put_in;
}

/* ---- Before the end --------------------------------------------------------------------------------------- */

/* Those who are not what they were taken for are asked in full; after a last word of all of them x is to be proven. */
static inq_next redo_broken(inq *s)
{
    int room = s->points.count < POINTS - LAST_POINTS;
    plan_clear_tail(&s->plan);
    for (uint64_t i = 0; i < s->base.n && s->twins.broken; i++) {
        if (!inq_is_broken(s, i)) continue;
        if (room)
            plan_add_tail(&s->plan, i);
        else
            mend(s, i);
    }
    if (!s->plan.tail) return inq_go(s, ASK_PROOF);
    inq_forget_matrix(s);
    inq_keep_point(s);
    return inq_go(s, ASK_REDO);
}

inq_next twins_end(inq *s)
{
    int doubted = s->twins.doubted && !s->twins.count;
    s->twins.doubted = 0;
    if (doubted) return inq_go(s, ASK_VALUE); /* what was told for them at x may be wrong */
    return s->twins.count ? inq_go(s, ASK_TWINS) : redo_broken(s);
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
    const method *m = &s->base;
    for (size_t e = 0; e < m->fan.ncomp; e++)
        if (method_mine(m, m->fan.comp[e])) inq_curve(s, m->fan.comp[e])->f = answers[e];
    if (!s->twins.broken) method_offer(m, m->x, s->step.objective);
    return redo_broken(s);
}
