/* The families that have a name on the command line.
 * SPDX-License-Identifier: MIT */
#include "prox/table.h"

#include <stdio.h>
#include <string.h>

#include "prox/prox.h"

static const zo_prox_row rows[FAMILIES] = {
    [ZERO] = {"zero", "", "0", "nothing beside f", "v"},
    [L1] = {"l1", "A", "A |x|_1", "sparse x", "S(v, tA), S(v, s)_j = sign(v_j) max(|v_j| - s, 0)"},
    [WEIGHTED_L1] = {"weighted-l1", "A,FILE", "A sum_j w_j |x_j|",
                     "sparse x, a weight for each coordinate; FILE: one number a line",
                     "S(v_j, tA w_j)"},
    [L2] = {"l2", "A", "A |x|_2", "all of x or nothing", "max(1 - tA/|v|_2, 0) v"},
    [SQUARED_L2] = {"squared-l2", "A", "(A/2) |x|_2^2", "small x (ridge)", "v/(1 + tA)"},
    [ELASTIC_NET] = {"elastic-net", "A,B", "A |x|_1 + (B/2) |x|_2^2", "sparse and small x",
                     "S(v, tA)/(1 + tB)"},
    [NONNEGATIVE] = {"nonnegative", "", "x >= 0", "no negative coordinates", "max(v_j, 0)"},
    [BOX] = {"box", "LO,HI", "LO <= x_j <= HI", "the same bounds for all; -inf and inf are allowed",
             "min(max(v_j, LO), HI)"},
    [BOUNDS] = {"bounds", "FILE", "lo_j <= x_j <= hi_j",
                "bounds for each coordinate; FILE: lo and hi on each line",
                "min(max(v_j, lo_j), hi_j)"},
    [L1_BALL] = {"l1-ball", "R", "|x|_1 <= R", "sparse x of limited size",
                 "v inside; else S(v, s) with s such that |x|_1 = R"},
    [L2_BALL] = {"l2-ball", "R", "|x|_2 <= R", "x of limited size", "v inside; else R v/|v|_2"},
    [SIMPLEX] = {"simplex", "[R]", "x >= 0, sum_j x_j = R",
                 "shares of a whole; R is 1 unless given",
                 "max(v_j - s, 0) with s such that sum_j x_j = R"},
    [LINF] = {"linf", "A", "A max_j |x_j|", "no coordinate larger than the others",
              "v less its projection on |x|_1 <= tA"},
    [GROUP_LASSO] = {"group-lasso", "A,SIZE", "A sum_g sqrt(|g|) |x_g|_2",
                     "groups of SIZE neighbours, kept or dropped as one; the last may be shorter",
                     "max(1 - tA sqrt(|g|)/|v_g|_2, 0) v_g"},
    [SPARSE_GROUP_LASSO] = {"sparse-group-lasso", "A,B,SIZE", "A |x|_1 + B sum_g sqrt(|g|) |x_g|_2",
                            "the same, and sparse within the groups that are kept",
                            "group-lasso's of S(v, tA), with B"},
    [TV] = {"tv", "A", "A sum_j |x_{j+1} - x_j|", "piecewise constant x",
            "by dynamic programming over j, exact, O(d)"},
    [NUCLEAR] = {"nuclear", "A,ROWSxCOLS", "A sum_i sigma_i(X)", "X of low rank; x is X row by row",
                 "U max(sigma - tA, 0) W', V = U sigma W'"},
    [AFFINE] = {"affine", "FILE", "Ax = b", "linear equations; FILE: a row of A, then b, on a line",
                "the nearest point"},
    [POLYHEDRON] = {"polyhedron", "FILE", "Ax <= b",
                    "linear inequalities; FILE: a row of A, then b, on a line",
                    "the nearest point, by active sets"},
};

const zo_prox_row *zo_prox_rows(size_t *count)
{
    if (count) *count = FAMILIES;
    return rows;
}

zo_prox family_build(family f, const zo_prox *from)
{
    switch (f) {
    case ZERO: return zo_zero();
    case L1: return zo_l1(from->a);
    case WEIGHTED_L1: return zo_weighted_l1(from->a, from->lo);
    case L2: return zo_l2(from->a);
    case SQUARED_L2: return zo_squared_l2(from->a);
    case ELASTIC_NET: return zo_elastic_net(from->a, from->b);
    case NONNEGATIVE: return zo_nonnegative();
    case BOX: return zo_box(from->a, from->b);
    case BOUNDS: return zo_bounds(from->lo, from->hi);
    case L1_BALL: return zo_l1_ball(from->a);
    case L2_BALL: return zo_l2_ball(from->a);
    case SIMPLEX: return zo_simplex(from->a);
    case LINF: return zo_linf(from->a);
    case GROUP_LASSO: return zo_group_lasso(from->a, from->cols);
    case SPARSE_GROUP_LASSO: return zo_sparse_group_lasso(from->a, from->b, from->cols);
    case TV: return zo_total_variation(from->a);
    case NUCLEAR: return zo_nuclear(from->a, from->rows, from->cols);
    case AFFINE: return zo_affine(from->lo, from->hi, from->rows);
    case POLYHEDRON: return zo_polyhedron(from->lo, from->hi, from->rows);
    case BLOCKS: return zo_blocks(from->part, from->nparts);
    case SUM: return zo_sum(from->part, from->nparts);
    case OWN: break;
    }
    return *from;
}

/* By name and functions: a user's prox may carry any name. */
family family_of(const zo_prox *psi)
{
    if (!psi->name) return OWN;
    for (family f = ZERO; f <= SUM; f++) {
        zo_prox ours = family_build(f, &(zo_prox){0});
        if (!strcmp(psi->name, ours.name) && psi->apply == ours.apply && psi->value == ours.value)
            return f;
    }
    return OWN;
}

/* ---- the table of docs/proxes.md -------------------------------------------------------------------- */

typedef struct cursor {
    char *at, *end;
} cursor;

static void put(cursor *c, char letter)
{
    if (c->at < c->end) *c->at++ = letter;
}

/* A bar within a cell would end it. */
static void put_cell(cursor *c, const char *text, int code)
{
    put(c, ' ');
    if (code) put(c, '`');
    for (; *text; text++) {
        if (*text == '|') put(c, '\\');
        put(c, *text);
    }
    if (code) put(c, '`');
    put(c, ' ');
    put(c, '|');
}

static void put_row(cursor *c, const zo_prox_row *row)
{
    char spec[64];
    int optional = row->arguments[0] == '[';
    const char *colon = optional ? "[:" : row->arguments[0] ? ":" : "";
    snprintf(spec, sizeof spec, "%s%s%s", row->name, colon, row->arguments + optional);
    put_cell(c, spec, 1);
    put_cell(c, row->formula, 1);
    put_cell(c, row->prox, 1);
    put_cell(c, row->help, 0);
}

int prox_markdown(size_t k, char *line, size_t size)
{
    static const char *const head[] = {"| spec | psi(x) | prox(v, t) | for |", "|---|---|---|---|"};
    if (k < 2) return snprintf(line, size, "%s", head[k]) < (int)size;
    if (k - 2 >= FAMILIES || size < 2) return 0;
    cursor c = {line, line + size - 1};
    put(&c, '|');
    put_row(&c, &rows[k - 2]);
    *c.at = 0;
    return c.at < c.end;
}
