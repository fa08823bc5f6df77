/* Is a psi usable in d dimensions?
 * SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/text.h"
#include "prox/linear.h"
#include "prox/prox.h"
#include "prox/table.h"

/* The question and who asks it. */
typedef struct checking {
    const zo_prox *psi;
    size_t d;
    const char *label;
    zo_error *err;
} checking;

static zo_status weight(const checking *c, const char *argument, double v)
{
    char text[32];
    if (isfinite(v) && v >= 0) return ZO_OK;
    return fail(c->err, ZO_BAD_ARGUMENT, "%s: %s is %s, must be a finite number of at least 0",
                c->label, argument, text_short(v, text, sizeof text));
}

static zo_status missing(const checking *c, const char *argument)
{
    return fail(c->err, ZO_BAD_ARGUMENT, "%s: %s is NULL, must be an array of %zu numbers",
                c->label, argument, c->d);
}

static zo_status weights(const checking *c)
{
    if (!c->psi->lo) return missing(c, "w");
    for (size_t j = 0; j < c->d; j++) {
        char argument[40];
        snprintf(argument, sizeof argument, "w[%zu]", j);
        if (weight(c, argument, c->psi->lo[j])) return ZO_BAD_ARGUMENT;
    }
    return ZO_OK;
}

/* An interval that holds a number: lo <= hi, and neither at the wrong infinity. */
static int interval(double lo, double hi) { return lo <= hi && lo < INFINITY && hi > -INFINITY; }

static zo_status box(const checking *c)
{
    char lo[32], hi[32];
    if (interval(c->psi->a, c->psi->b)) return ZO_OK;
    return fail(c->err, ZO_BAD_ARGUMENT,
                "%s: LO is %s and HI is %s, must be LO <= HI with a number between them", c->label,
                text_short(c->psi->a, lo, sizeof lo), text_short(c->psi->b, hi, sizeof hi));
}

static zo_status bounds(const checking *c)
{
    const double *lo = c->psi->lo, *hi = c->psi->hi;
    char low[32], high[32];
    if (!lo || !hi) return missing(c, lo ? "hi" : "lo");
    for (size_t j = 0; j < c->d; j++)
        if (!interval(lo[j], hi[j]))
            return fail(
                c->err, ZO_BAD_ARGUMENT,
                "%s: lo[%zu] is %s and hi[%zu] is %s, must be lo <= hi with a number between them",
                c->label, j, text_short(lo[j], low, sizeof low), j,
                text_short(hi[j], high, sizeof high));
    return ZO_OK;
}

static zo_status group_size(const checking *c)
{
    if (c->psi->cols >= 1 && c->psi->cols <= c->d) return ZO_OK;
    return fail(c->err, ZO_BAD_ARGUMENT,
                "%s: SIZE is %zu, must be within 1 and the %zu coordinates", c->label, c->psi->cols,
                c->d);
}

static zo_status shape(const checking *c)
{
    size_t rows = c->psi->rows, cols = c->psi->cols;
    if (rows > 0 && c->d % rows == 0 && c->d / rows == cols) return ZO_OK;
    return fail(c->err, ZO_BAD_ARGUMENT,
                "%s: ROWSxCOLS is %zux%zu, must have as many entries as coordinates, %zu", c->label,
                rows, cols, c->d);
}

/* Is there a point that all of them hold? */
static zo_status not_empty(const checking *c, const zo_block *part, size_t nparts)
{
    double *work = mem_new(linear_work(part, nparts, c->d), sizeof *work),
           *x = mem_new(c->d, sizeof *x);
    int made = work && x, there = made && linear_project(part, nparts, c->d, x, x, work);
    mem_free(work);
    mem_free(x);
    if (!made) return out_of_memory(c->err, "a set of linear rows", c->d);
    if (there) return ZO_OK;
    return fail(c->err, ZO_BAD_ARGUMENT, "%s: the set is empty: no x meets all of its rows%s",
                c->label, nparts > 1 ? " and bounds" : "");
}

static zo_status linear(const checking *c)
{
    const zo_prox *psi = c->psi;
    if (!psi->rows) return fail(c->err, ZO_BAD_ARGUMENT, "%s: has no rows", c->label);
    if (!psi->lo || !psi->hi) return missing(c, psi->lo ? "b" : "A");
    for (size_t k = 0; k < psi->rows; k++) {
        int fine = isfinite(psi->hi[k]);
        for (size_t j = 0; j < c->d; j++) fine &= isfinite(psi->lo[k * c->d + j]);
        if (!fine)
            return fail(c->err, ZO_BAD_ARGUMENT, "%s: row %zu has a number that is not finite",
                        c->label, k + 1);
    }
    return not_empty(c, &(zo_block){0, c->d, *psi}, 1);
}

static zo_status own(const checking *c)
{
    const zo_prox *psi = c->psi;
    if (psi->value && psi->apply) return ZO_OK;
    int empty = !psi->name && !psi->value && !psi->apply && !psi->one && !psi->work && !psi->part;
    if (empty) return ZO_OK; /* all zero: psi = 0 */
    return fail(c->err, ZO_BAD_ARGUMENT,
                "%s: %s is NULL, a psi of your own needs both value and apply", c->label,
                psi->value ? "apply" : "value");
}

static zo_status range(const checking *c, size_t k)
{
    const zo_block *part = c->psi->part;
    if (part[k].from >= part[k].to || part[k].to > c->d)
        return fail(c->err, ZO_BAD_ARGUMENT,
                    "%s: part %zu is %zu:%zu, must be a range within 0:%zu", c->label, k,
                    part[k].from, part[k].to, c->d);
    for (size_t e = 0; e < k; e++)
        if (part[k].from < part[e].to && part[e].from < part[k].to)
            return fail(c->err, ZO_BAD_ARGUMENT,
                        "%s: part %zu, %zu:%zu, overlaps part %zu, %zu:%zu; they must be disjoint",
                        c->label, k, part[k].from, part[k].to, e, part[e].from, part[e].to);
    return ZO_OK;
}

static zo_status blocks(const checking *c)
{
    const zo_prox *psi = c->psi;
    if (psi->nparts && !psi->part)
        return fail(c->err, ZO_BAD_ARGUMENT, "%s: part is NULL, must be an array of %zu blocks",
                    c->label, psi->nparts);
    for (size_t k = 0; k < psi->nparts; k++) {
        char label[160];
        const zo_block *part = &psi->part[k];
        if (range(c, k)) return ZO_BAD_ARGUMENT;
        snprintf(label, sizeof label, "%.60s, part %zu (%.40s)", c->label, k,
                 part->psi.name ? part->psi.name : "own");
        zo_status status = check_labelled(&part->psi, part->to - part->from, label, c->err);
        if (status) return status;
        if (psi->one && !prox_separable(&part->psi))
            return fail(c->err, ZO_BAD_ARGUMENT,
                        "%s: its psi was changed after zo_blocks, call zo_blocks again", label);
    }
    return ZO_OK;
}

/* One that is separable, or sets of linear rows, and bounds; there is a point in all of them. */
static zo_status sum(const checking *c)
{
    const zo_prox *psi = c->psi;
    size_t others = 0, sets = 0;
    double lo, hi;
    for (size_t k = 0; k < psi->nparts; k++) {
        const zo_block *part = &psi->part[k];
        if (part->from != 0 || part->to != c->d)
            return fail(c->err, ZO_BAD_ARGUMENT, "%s: part %zu is %zu:%zu, must be 0:%zu", c->label,
                        k, part->from, part->to, c->d);
        zo_status status = check_labelled(&part->psi, c->d, c->label, c->err);
        if (status) return status;
        int set = linear_is(&part->psi), other = !set && !prox_is_box(&part->psi);
        sets += (size_t)set;
        others += (size_t)other;
        if ((!set && !prox_separable(&part->psi)) || others > 1 || (others && sets))
            return fail(
                c->err, ZO_BAD_ARGUMENT,
                "%s: %s cannot be added to others on the same coordinates; a sum has bounds "
                "and one more, such as l1, elastic-net or squared-l2, or affine sets and polyhedra",
                c->label, part->psi.name ? part->psi.name : "own");
        if (other && k && others == 1)
            return fail(c->err, ZO_BAD_ARGUMENT, "%s: part %zu, %s, must come before the bounds",
                        c->label, k, part->psi.name ? part->psi.name : "own");
    }
    for (size_t j = 0; j < c->d; j++) {
        lo = -INFINITY, hi = INFINITY;
        for (size_t k = 0; k < psi->nparts; k++) {
            const zo_prox *p = &psi->part[k].psi;
            if (!prox_is_box(p)) continue;
            lo = fmax(lo, prox_one(p, j, 1, -INFINITY));
            hi = fmin(hi, prox_one(p, j, 1, INFINITY));
        }
        if (!(lo <= hi))
            return fail(c->err, ZO_BAD_ARGUMENT,
                        "%s: bounds of coordinate %zu have nothing in common", c->label, j);
    }
    return sets ? not_empty(c, psi->part, psi->nparts) : ZO_OK;
}

zo_status check_labelled(const zo_prox *psi, size_t d, const char *label, zo_error *err)
{
    checking c = {psi, d, label, err};
    zo_status status = ZO_OK;
    switch (family_of(psi)) {
    case ZERO:
    case NONNEGATIVE: return ZO_OK;
    case L1:
    case L2:
    case SQUARED_L2:
    case LINF:
    case TV: return weight(&c, "A", psi->a);
    case L1_BALL:
    case L2_BALL:
    case SIMPLEX: return weight(&c, "R", psi->a);
    case WEIGHTED_L1: status = weight(&c, "A", psi->a); return status ? status : weights(&c);
    case ELASTIC_NET:
        status = weight(&c, "A", psi->a);
        return status ? status : weight(&c, "B", psi->b);
    case BOX: return box(&c);
    case BOUNDS: return bounds(&c);
    case GROUP_LASSO: status = weight(&c, "A", psi->a); return status ? status : group_size(&c);
    case SPARSE_GROUP_LASSO:
        status = weight(&c, "A", psi->a);
        if (!status) status = weight(&c, "B", psi->b);
        return status ? status : group_size(&c);
    case NUCLEAR: status = weight(&c, "A", psi->a); return status ? status : shape(&c);
    case AFFINE:
    case POLYHEDRON: return linear(&c);
    case BLOCKS: return blocks(&c);
    case SUM: return sum(&c);
    case OWN: return own(&c);
    }
    return ZO_OK;
}

zo_status zo_prox_check(const zo_prox *psi, size_t d, zo_error *err)
{
    char label[80];
    if (!psi) return fail(err, ZO_BAD_ARGUMENT, "psi: is NULL, must be a zo_prox");
    snprintf(label, sizeof label, "psi (%.60s)", psi->name ? psi->name : "own");
    zo_status status = check_labelled(psi, d, label, err);
    return status ? status : succeed(err);
}
