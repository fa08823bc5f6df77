/* Sets of linear equations and inequalities: {x : Ax = b}, {x : Ax <= b}, and
 * what several have in common with bounds. SPDX-License-Identifier: MIT
 *
 * Their prox is the nearest point (project.h). A is in lo, row by row, b in hi.
 */
#include <math.h>

#include "base/vec.h"
#include "prox/linear.h"
#include "prox/project.h"
#include "prox/prox.h"

/* ---- One of them
 * ------------------------------------------------------------------------------------------
 */

static int holds(const linear_row *row, size_t d, const double *x)
{
    double over = vec_dot(d, row->a, x) - row->b,
           slack = linear_slack * (vec_norm(d, row->a) * vec_norm(d, x) + fabs(row->b));
    return row->equal ? fabs(over) <= slack : over <= slack;
}

static double linear_value(const zo_prox *psi, size_t d, const double *x)
{
    for (size_t k = 0; k < psi->rows; k++) {
        linear_row row = linear_row_of(psi, d, k);
        if (!holds(&row, d, x)) return INFINITY;
    }
    return 0;
}

static void linear_apply(const zo_prox *psi, size_t d, double step, const double *v, double *x,
                         double *work)
{
    (void)step;
    const zo_block alone = {0, d, *psi};
    linear_project(&alone, 1, d, v, x, work);
}

static size_t linear_needs(const zo_prox *psi, size_t d)
{
    const zo_block alone = {0, d, *psi};
    return linear_work(&alone, 1, d);
}

/* b tells them apart: a is 1 for equations. */
static zo_prox linear(const char *name, double equal, const double *a, const double *b, size_t rows)
{
    return (zo_prox){.name = name,
                     .value = linear_value,
                     .apply = linear_apply,
                     .work = linear_needs,
                     .a = equal,
                     .lo = a,
                     .hi = b,
                     .rows = rows};
}

zo_prox zo_affine(const double *a, const double *b, size_t rows)
{
    return linear("affine", 1, a, b, rows);
}

zo_prox zo_polyhedron(const double *a, const double *b, size_t rows)
{
    return linear("polyhedron", 0, a, b, rows);
}

int linear_is(const zo_prox *psi) { return psi->apply == linear_apply; }

linear_row linear_row_of(const zo_prox *psi, size_t d, size_t k)
{
    return (linear_row){psi->lo + k * d, psi->hi[k], psi->a != 0};
}

/* ---- Several, and bounds
 * -----------------------------------------------------------------------------------
 */

typedef struct common {
    const zo_block *part;
    size_t nparts, d;
} common;

static linear_row row_in(const void *ctx, size_t k)
{
    const common *c = ctx;
    size_t part = 0;
    while (!linear_is(&c->part[part].psi) || k >= c->part[part].psi.rows) {
        if (linear_is(&c->part[part].psi)) k -= c->part[part].psi.rows;
        part++;
    }
    return linear_row_of(&c->part[part].psi, c->d, k);
}

static size_t count_rows(const zo_block *part, size_t nparts)
{
    size_t rows = 0;
    for (size_t k = 0; k < nparts; k++) rows += linear_is(&part[k].psi) ? part[k].psi.rows : 0;
    return rows;
}

size_t linear_work(const zo_block *part, size_t nparts, size_t d)
{
    return 3 * d + project_work(d, count_rows(part, nparts));
}

int linear_project(const zo_block *part, size_t nparts, size_t d, const double *v, double *x,
                   double *work)
{
    double *lo = work, *hi = work + d;
    common c = {part, nparts, d};
    for (size_t j = 0; j < d; j++) {
        lo[j] = -INFINITY, hi[j] = INFINITY;
        if (!isfinite(v[j])) {
            prox_undefined(d, x);
            return 1;
        }
        for (size_t k = 0; k < nparts; k++) {
            if (linear_is(&part[k].psi)) continue;
            lo[j] = fmax(lo[j], prox_one(&part[k].psi, j, 1, -INFINITY));
            hi[j] = fmin(hi[j], prox_one(&part[k].psi, j, 1, INFINITY));
        }
    }
    linear_set set = {d, count_rows(part, nparts), row_in, &c, lo, hi};
    if (project(&set, v, x, work + 3 * d)) return 1;
    /* Beside numbers of 1e300 rounding hides the set: from a nearer point on the
   * same ray it is found, if it is there. */
    for (double nearer = 0x1p-40; nearer > 0; nearer *= 0x1p-40) {
        for (size_t j = 0; j < d; j++) lo[2 * d + j] = nearer * v[j];
        if (project(&set, lo + 2 * d, x, work + 3 * d)) return 1;
    }
    prox_undefined(d, x);
    return 0;
}
