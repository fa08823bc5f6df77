/* State that was read from a file: whatever stands in it, ask and tell must be safe afterwards.
 * SPDX-License-Identifier: MIT
 *
 * Three sieves. Every registered entry has a bound for its words (state_count, state_indices). Settings that open fixed are
 * what they were. What has to fit together is known by the method alone: its row's check. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "method/core/curvature.h"
#include "method/core/method.h"

int entry_fits(const state_entry *e, char *text)
{
    const uint64_t *word = e->at;
    if (e->most == UINT64_MAX) return 1;
    for (size_t k = 0; k < e->words; k++)
        if (word[k] > e->most) {
            snprintf(text, SENTENCE, "'%s' is %" PRIu64 ", and at most %" PRIu64, e->name, word[k],
                     e->most);
            return 0;
        }
    return 1;
}

int is_whole(double v, double most) { return v >= 1 && v <= most && v == floor(v); }

static int same_bits(double a, double b) { return !memcmp(&a, &b, sizeof a); }

/* What open fixed never changes again; a step and a noise level may, but not to auto. */
static const char *moved_setting(const method *m)
{
    const zo_settings *is = &m->set, *was = &m->made;
    struct {
        const char *name;
        double is, was;
    } fixed[] = {
        {"radius", is->radius, was->radius},    {"sides", is->sides, was->sides},
        {"batch", is->batch, was->batch},       {"directions", is->directions, was->directions},
        {"refresh", is->refresh, was->refresh}, {"epoch", is->epoch, was->epoch},
        {"decay", is->decay, was->decay},       {"horizon", is->horizon, was->horizon},
        {"memory", is->memory, was->memory}};
    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++)
        if (!isnan(fixed[k].was) && !same_bits(fixed[k].is, fixed[k].was)) return fixed[k].name;
    if (isnan(is->step) && !isnan(was->step)) return "step";
    if (!isnan(is->noise) && !(is->noise >= 0 && is->noise < INFINITY)) return "noise";
    if (isnan(is->noise) && !isnan(was->noise)) return "noise";
    if (!isnan(is->radius) && !(is->radius > 0 && is->radius < INFINITY)) return "radius";
    if (!isnan(is->batch) && !is_whole(is->batch, (double)m->n)) return "batch";
    if (!isnan(is->epoch) && !is_whole(is->epoch, (double)MOST_COUNTED)) return "epoch";
    return NULL;
}

static const char *common(const method *m)
{
    if (m->chosen[sizeof m->chosen - 1]) return "'chosen' has no end";
    if (m->warning[sizeof m->warning - 1]) return "'warning' has no end";
    if (m->next.to[sizeof m->next.to - 1] || m->next.why[sizeof m->next.why - 1])
        return "'next' has no end";
    if (*m->next.to && !method_find(m->next.to)) return "'next' is a method that is not known";
    if (!(m->zoom > 0 && m->zoom <= 1)) return "'zoom' is outside (0, 1]";
    if (m->probe && !probe_fits(m->probe)) return "the curvature's stages do not fit together";
    return NULL;
}

int method_check(const method *m, char *text)
{
    for (size_t k = 0; k < m->nstates; k++)
        if (!entry_fits(&m->state[k], text)) return 0;
    const char *setting = moved_setting(m), *why = common(m);
    if (!setting && !why && m->row->check) why = m->row->check(m);
    if (setting)
        snprintf(text, SENTENCE, "its setting '%s' is not what the run was made with", setting);
    else if (why)
        snprintf(text, SENTENCE, "%s", why);
    return !setting && !why;
}
