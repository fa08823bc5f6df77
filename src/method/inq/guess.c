/* inq where components see x through several indices: spans that one gradient gives away.
 * SPDX-License-Identifier: MIT
 *
 * A span grows by one direction with every full gradient, unless what all components have in common says more:
 *
 *   axes    f_i depends on a few coordinates. Its gradient, the ridge taken out, has as few entries, and their axes are
 *           its span.
 *   matrix  f_i(x) = h_i(X a_i), X the c x p matrix that x is: models with c outputs. Its gradient is s a_i', of rank
 *           one, and e_k a_i', k = 1 ... c, are its span. X may lie in x by rows, by columns, or by rows with its last
 *           column behind it (weights, then one offset for each output).
 *
 * A guess that is wrong, or was right at the start only, costs little: full gradients go on and spans grow. */
#include <math.h>
#include <stdlib.h>

#include "base/vec.h"
#include "method/inq/inq.h"
#include "method/inq/ridge.h"

enum { NO_SHAPE, AXES, BY_ROWS, BY_COLUMNS, BY_ROWS_AND_ENDS = INQ_LAST_SHAPE, SHAPES };
typedef struct form {
    uint64_t kind;
    size_t outputs, inputs; /* c, p */
    double mu;              /* the ridge that gradients have beside it */
} form;

static form shape_of(const inq *s, uint64_t kind, uint64_t outputs)
{
    size_t inputs = kind > AXES ? s->base.d / (size_t)outputs : 0;
    return (form){kind, (size_t)outputs, inputs, s->ridge.mu};
}

/* Where entry (k, j) of X is in x. */
static size_t place(form f, size_t k, size_t j)
{
    if (f.kind == BY_COLUMNS) return j * f.outputs + k;
    if (f.kind == BY_ROWS) return k * f.inputs + j;
    return j + 1 < f.inputs ? k * (f.inputs - 1) + j : f.outputs * (f.inputs - 1) + k;
}

/* ---- Axes ----------------------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    double u = *(const double *)a, v = *(const double *)b;
    return (u > v) - (u < v);
}

/* Where most entries of a gradient at z are the ridge's alone, mu is the median of J_j/z_j. */
static double ridge_of(size_t d, const double *gradient, const double *z, double *ratio)
{
    size_t count = 0;
    for (size_t j = 0; j < d; j++)
        if (z[j] != 0) ratio[count++] = gradient[j] / z[j];
    qsort(ratio, count, sizeof *ratio, by_size);
    return count ? ratio[count / 2] : 0;
}

/* Coordinates that f_i depends on as far as its gradient at z shows; more than SPAN: not few. */
static size_t axes_of(inq *s, const double *gradient, const double *z, size_t *axis)
{
    size_t d = s->base.d, count = 0;
    double mu = ridge_of(d, gradient, z, s->told), most = 0;
    for (size_t j = 0; j < d; j++) most = fmax(most, fabs(gradient[j] - mu * z[j]));
    for (size_t j = 0; j < d && count <= SPAN; j++)
        if (fabs(gradient[j] - mu * z[j]) > fmax(no_entry * most, inq_blur(s))) {
            if (count < SPAN) axis[count] = j;
            count++;
        }
    return count;
}

/* ---- A matrix ------------------------------------------------------------------------------------- */

/* a: the direction of X's rows that v = s a' changes along; returns how much of v is something else. */
static double rank_one(form f, const double *v, double *a)
{
    size_t best = 0, d = f.outputs * f.inputs;
    double most = 0, along = 0, whole = vec_dot(d, v, v);
    for (size_t j = 0; j < f.inputs; j++)
        for (size_t k = 0; k < f.outputs; k++)
            if (fabs(v[place(f, k, j)]) > most) most = fabs(v[place(f, k, j)]), best = j;
    for (size_t j = 0; j < f.inputs; j++) {
        a[j] = 0;
        for (size_t k = 0; k < f.outputs; k++) a[j] += v[place(f, k, best)] * v[place(f, k, j)];
    }
    vec_scale(f.inputs, 1 / vec_norm(f.inputs, a), a);
    for (size_t k = 0; k < f.outputs; k++) {
        double t = 0;
        for (size_t j = 0; j < f.inputs; j++) t += v[place(f, k, j)] * a[j];
        along += t * t;
    }
    return sqrt(fmax(whole - along, 0));
}

/* work = J - mu z; is there anything? */
static int slope_of(inq *s, double mu, const double *gradient, const double *z)
{
    vec_copy(s->base.d, gradient, s->work);
    vec_add(s->base.d, -mu, z, s->work);
    return vec_norm(s->base.d, s->work) > inq_blur(s);
}

/* ---- What they have in common --------------------------------------------------------------------- */

/* Is work more than a row or a column? A few entries look like any matrix. */
static int is_wide(const inq *s, form f)
{
    size_t count = 0;
    double most = 0;
    for (size_t j = 0; j < s->base.d; j++) most = fmax(most, fabs(s->work[j]));
    for (size_t j = 0; j < s->base.d; j++) count += fabs(s->work[j]) > no_entry * most;
    return f.kind == AXES || count >= 2 * f.outputs;
}

/* told = a of a matrix; blur: what errors of differences make of nothing. */
static int fits(inq *s, form f, const double *gradient, const double *z, double blur)
{
    size_t axis[SPAN], rank;
    if (f.kind > AXES)
        return rank_one(f, s->work, s->told) <= fmax(unlike * vec_norm(s->base.d, s->work), blur);
    rank = axes_of(s, gradient, z, axis);
    return rank <= s->layers && 2 * rank <= s->base.d;
}

/* to = to less its parts s t' and t a', whatever t: (I - ss')V(I - aa') for unit vectors s, a. */
static void across_matrix(form f, const double *left, const double *a, double *to)
{
    for (size_t k = 0; k < f.outputs; k++) {
        double t = 0;
        for (size_t j = 0; j < f.inputs; j++) t += to[place(f, k, j)] * a[j];
        for (size_t j = 0; j < f.inputs; j++) to[place(f, k, j)] -= t * a[j];
    }
    for (size_t j = 0; j < f.inputs; j++) {
        double t = 0;
        for (size_t k = 0; k < f.outputs; k++) t += left[k] * to[place(f, k, j)];
        for (size_t k = 0; k < f.outputs; k++) to[place(f, k, j)] -= t * left[k];
    }
}

/* What is looked at: components with a gradient each, in rows, of which the first few have another one at x. */
typedef struct pairs {
    uint64_t comp[CHECKED + TESTED];
    size_t count, twice;
    const double *now; /* rows: the other one */
} pairs;

/* Away from 0 gradients are s a' + mu z. mu from all of them: across s and a, which are those of J - mu z, J is nothing but mu z. */
static double matrix_ridge(inq *s, form f, const pairs *seen)
{
    size_t d = s->base.d;
    double *v = s->work, *a = s->told, *far = s->lost, left[SPAN];
    for (int pass = 0; pass < RIDGE_STEPS; pass++) {
        double along = 0, square = 0;
        for (size_t e = 0; e < seen->count; e++) {
            const double *z = inq_point(s, s->asked[seen->comp[e]].full);
            if (!slope_of(s, f.mu, s->dir + e * d, z)) continue;
            rank_one(f, v, a);
            for (size_t k = 0; k < f.outputs; k++) {
                left[k] = 0;
                for (size_t j = 0; j < f.inputs; j++) left[k] += v[place(f, k, j)] * a[j];
            }
            vec_scale(f.outputs, 1 / vec_norm(f.outputs, left), left);
            vec_copy(d, z, far);
            across_matrix(f, left, a, far);
            along += vec_dot(d, v, far);
            square += vec_dot(d, far, far);
        }
        if (!(square > 0)) break;
        f.mu = fmax(f.mu + along / square, 0);
    }
    return f.mu;
}

/* Do all gradients look so? */
static int all_fit(inq *s, form f, const pairs *seen)
{
    size_t steep = 0;
    for (size_t e = 0; e < seen->count; e++) {
        const double *gradient = s->dir + e * s->base.d,
                     *z = inq_point(s, s->asked[seen->comp[e]].full);
        if (!slope_of(s, f.mu, gradient, z)) continue;
        if (!fits(s, f, gradient, z, 0)) return 0;
        if (is_wide(s, f)) steep++;
    }
    return steep >= LEAST_STEEP;
}

/* The span that a gradient at z gives away: rank rows of d numbers, 0: none. */
static size_t basis_of(inq *s, form f, const double *gradient, const double *z, double blur,
                       double *rows)
{
    size_t axis[SPAN], d = s->base.d, rank = f.outputs;
    if (!slope_of(s, f.mu, gradient, z) || !fits(s, f, gradient, z, blur)) return 0;
    if (f.kind == AXES) rank = axes_of(s, gradient, z, axis);
    vec_zero(rank * d, rows);
    for (size_t k = 0; k < rank; k++) {
        if (f.kind == AXES) rows[k * d + axis[k]] = 1;
        for (size_t j = 0; j < f.inputs; j++) rows[k * d + place(f, k, j)] = s->told[j];
    }
    return rank;
}

/* How much of the gradients at x is across spans guessed from the others. It tells s a' from a s', and what is so at x from
 * what was so at the start only. */
static double unshaped(inq *s, form f, const pairs *seen)
{
    size_t d = s->base.d;
    double rest = 0, whole = 0, *v = s->lost;
    for (size_t e = 0; e < seen->twice; e++) {
        const double *z = inq_point(s, s->asked[seen->comp[e]].full), *x = s->base.x,
                     *now = seen->now + e * d;
        size_t rank = basis_of(s, f, s->dir + e * d, z, 0, s->block);
        if (!rank) continue;
        double mu = f.kind == AXES ? ridge_of(d, now, x, s->work) : f.mu;
        for (size_t j = 0; j < d; j++) v[j] = now[j] - mu * x[j];
        whole += vec_dot(d, v, v);
        rest += vec_dot(d, v, v);
        for (size_t k = 0; k < rank; k++) {
            double t = vec_dot(d, s->block + k * d, v);
            rest -= t * t;
        }
    }
    return whole > 0 ? rest / whole : 1;
}

/* Of all shapes that gradients have the one that goes on at x, if there is one. */
static form find(inq *s, const pairs *seen)
{
    form best = {0};
    double least = most_unshaped;
    for (uint64_t outputs = 1; outputs <= s->layers && 2 * outputs <= s->base.d; outputs++)
        for (uint64_t kind = AXES; kind < SHAPES && s->base.d % outputs == 0; kind++) {
            form f = shape_of(s, kind, outputs);
            if ((kind == AXES) != (outputs == 1)) continue;
            if (kind > AXES && !all_fit(s, f, seen)) f.mu = matrix_ridge(s, f, seen);
            if (!all_fit(s, f, seen)) continue;
            double rest = unshaped(s, f, seen);
            if (rest < least) least = rest, best = f;
        }
    return best;
}

/* answers: to a spot check, difference gradients at x of a few components. */
void inq_find_shape(inq *s, const double *answers)
{
    method *m = &s->base;
    size_t d = m->d, set = zo_fan_set(&m->fan),
           more = s->sample.filled < TESTED ? (size_t)s->sample.filled : TESTED;
    pairs seen = {.twice = m->fan.ncomp, .count = m->fan.ncomp + more};
    double *now = s->dir + seen.count * d;
    for (size_t e = 0; e < seen.count; e++) {
        seen.comp[e] = e < seen.twice ? m->fan.comp[e] : s->plan.order[e - seen.twice];
        if (!method_mine(m, seen.comp[e])) continue;
        vec_copy(d, inq_row(s, seen.comp[e]), s->dir + e * d);
        if (e < seen.twice) read_slopes(&m->fan, answers + e * set, 0, 0, d, now + e * d);
    }
    method_rows(m, seen.count, seen.comp, d, s->dir);
    method_rows(m, seen.twice, seen.comp, d, now);
    seen.now = now;
    form f = inq_rule(s, RULE_SHAPES) ? find(s, &seen) : (form){0};
    s->shape.kind = f.kind;
    s->shape.outputs = f.outputs;
    if (f.kind > AXES) ridge_correct(s, f.mu - s->ridge.mu);
    if (f.kind == AXES)
        method_note(m, "components depend on few coordinates each");
    else if (f.kind)
        method_note(m, "components see x as a matrix with %zu outputs", f.outputs);
}

/* bend: along the gradient, where that is known. */
int inq_guess_span(inq *s, uint64_t i, double bend)
{
    form f = shape_of(s, s->shape.kind, s->shape.outputs);
    const double *z = inq_point(s, s->asked[i].full);
    size_t d = s->base.d,
           rank = f.kind ? basis_of(s, f, inq_row(s, i), z, inq_blur(s), s->block) : 0;
    double b[SPAN][SPAN], t[SPAN], whole = 0;
    if (rank == 0) return 0;
    *inq_span(s, i) = (span){.rank = (double)rank};
    for (size_t k = 0; k < rank; k++)
        for (size_t j = 0; j < d; j++) inq_layer(s, i, k)[j] = (float)s->block[k * d + j];
    inq_span_project(s, i, inq_row(s, i), t);
    for (size_t k = 0; k < rank; k++) whole += t[k] * t[k];
    for (size_t k = 0; k < rank; k++) {
        for (size_t j = 0; j < rank; j++) b[k][j] = whole > 0 ? bend * t[k] * t[j] / whole : 0;
        *inq_along(s, i, k) = 0;
    }
    inq_keep_curvature(s, i, b);
    return 1;
}

int inq_has_axes(const inq *s) { return s->shape.kind == AXES; }
void inq_forget_shape(inq *s) { s->shape.kind = 0; }
