/* How F(x) - F* is known. Let s be a subgradient of F at x; for x = prox_t(z - t grad f(z)),
 *
 *     s = (z - x)/t - grad f(z) + grad f(x),    since (z - x)/t - grad f(z) is in the subdifferential of psi at x.
 *
 * 1. Strong convexity. F(y) >= F(x) + s'(y - x) + (mu/2)|y - x|^2 for all y; the right side is least at
 *    y = x - s/mu, so F(x) - F* <= |s|^2 / (2 mu). mu = l2, plus what psi has of its own.
 *
 * 2. Duality, for l2 = 0. With slopes a_i = loss_i'(m_i), v = (1/n) sum a_i z_i and any factor 0 <= c <= 1,
 *    F* >= -(1/n) sum loss_i*(c a_i) - psi*(-c v), hence
 *
 *        F(x) - F* <= (1/n) sum_i B_i(c) + [psi(x) + c v'x + psi*(-c v)],
 *        B_i(c) = loss_i(m_i) + loss_i*(c a_i) - c a_i m_i >= 0,  B_i(1) = 0.
 *
 *    For a norm psi* is 0 where its polar is at most 1, and c = 1/polar(-v) puts it there; for a bounded set
 *    psi* is the support function. v is summed in long double: it is v, not the a_i, that must be exact.
 *
 * 3. Local strong convexity. Let c_i be the least curvature of loss i while its margin moves by at most
 *    delta, and M = (1/n) sum c_i z_i z_i' + l2 I. For h with |z_i'h| <= delta for all i,
 *
 *        F(x + h) >= F(x) + s'h + h'Mh/2 >= F(x) - |s|_* |h|_M + |h|_M^2/2,     |s|_*^2 = s'M^{-1}s.
 *
 *    At the border of that region delta = |z_i'h| <= |z_i|_* |h|_M for some i, so that |h|_M >= delta/k with
 *    k = max_i |z_i|_*; if 2 |s|_* < delta/k, F is above F(x) all along the border, its minimizer is inside
 *    (F is convex), and F(x) - F* <= |s|_*^2/2. Here |z_i|_*^2 <= min(n/c_i, |z_i|^2/mu), mu the least
 *    eigenvalue of M. For squared losses delta is infinite.
 *
 * 4. No loss and none of our psi is ever negative: F(x) - F* <= F(x).
 *
 * SPDX-License-Identifier: MIT */
#include "optimum/proof.h"

#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/vec.h"
#include "optimum/quadratic.h"
#include "prox/prox.h"
#include "prox/table.h"

enum { MOST_LOCAL = 3000, ROWS_PER_SUM = 1024 };

zo_status prover_new(prover *w, size_t d, const zo_prox *psi, zo_error *err)
{
    *w = (prover){.d = d};
    w->exact = mem_new(2 * d, sizeof *w->exact);
    w->prox_work = mem_new(prox_work(psi, d), sizeof *w->prox_work);
    int all = w->exact && w->prox_work;
    for (size_t k = 0; k < 3; k++) all = (w->part[k] = mem_new(d, sizeof **w->part)) && all;
    if (all) return ZO_OK;
    prover_free(w);
    return out_of_memory(err, "numbers of scratch", 5 * d);
}

void prover_free(prover *w)
{
    mem_free(w->exact);
    mem_free(w->prox_work);
    mem_free(w->matrix);
    for (size_t k = 0; k < 3; k++) mem_free(w->part[k]);
    *w = (prover){0};
}

/* ---- what is known of psi --------------------------------------------------------------------------- */

static int built_in(const zo_prox *psi)
{
    if (!psi->apply) return 1;
    if (family_of(psi) == OWN) return 0;
    for (size_t k = 0; k < psi->nparts; k++)
        if (!built_in(&psi->part[k].psi)) return 0;
    return 1;
}

double proof_strength(const zo_prox *psi, size_t d)
{
    family kind = family_of(psi);
    if (kind == SQUARED_L2) return psi->a;
    if (kind == ELASTIC_NET) return psi->b;
    if (kind != BLOCKS) return 0;
    size_t covered = 0; /* blocks are disjoint */
    double least = INFINITY;
    for (size_t k = 0; k < psi->nparts; k++) {
        size_t length = psi->part[k].to - psi->part[k].from;
        covered += length;
        if (length) least = fmin(least, proof_strength(&psi->part[k].psi, length));
    }
    return covered == d && d > 0 ? least : 0;
}

/* ---- duality ------------------------------------------------------------------------------------------ */

typedef struct conjugate {
    double polar;   /* psi*(c u) = c*support while c*polar <= 1 */
    double support; /* infinite: psi* is not known, or infinite */
} conjugate;

/* prox_1(u/c) = 0 exactly when u/c is in the subdifferential of the norm at 0: when polar(u) <= c. */
static int inside(const zo_prox *psi, size_t d, const double *u, double c, prover *w)
{
    double *x = w->part[1];
    for (size_t j = 0; j < d; j++) x[j] = u[j] / c;
    prox_apply(psi, d, 1, x, x, w->prox_work);
    return vec_nonzeros(d, x) == 0;
}

/* The least c with inside(u, c), up to rounding; the one that is returned is inside. */
static double polar(const zo_prox *psi, size_t d, const double *u, prover *w)
{
    double low = 0, high = 1;
    while (!inside(psi, d, u, high, w)) {
        low = high;
        high *= 2;
        if (high > 0x1p60) return INFINITY;
    }
    for (;;) {
        double mid = low + (high - low) / 2;
        if (mid <= low || mid >= high || high < 0x1p-60) return high;
        if (inside(psi, d, u, mid, w))
            high = mid;
        else
            low = mid;
    }
}

/* The bound that far points in the direction of u are clipped to. */
static double bound_ahead(const zo_prox *psi, size_t j, double u)
{
    return prox_one(psi, j, 1, u > 0 ? DBL_MAX : -DBL_MAX);
}

/* sum_j max(lo_j u_j, hi_j u_j). Where a bound is infinite the sign of u_j decides, and must be beyond rounding. */
static double box_support(const zo_prox *psi, size_t d, const double *u, const double *doubt)
{
    double s = 0;
    for (size_t j = 0; j < d; j++) {
        if (u[j] == 0 && doubt[j] == 0) continue; /* a feature that never occurs */
        double ahead = bound_ahead(psi, j, u[j]), back = bound_ahead(psi, j, -u[j]);
        if (fabs(ahead) == DBL_MAX || (fabs(back) == DBL_MAX && fabs(u[j]) <= doubt[j]))
            return INFINITY;
        s += ahead * u[j];
    }
    return s;
}

static double largest_entry(size_t d, const double *u, int absolute)
{
    double top = -INFINITY;
    for (size_t j = 0; j < d; j++) top = fmax(top, absolute ? fabs(u[j]) : u[j]);
    return top;
}

static conjugate conjugate_of(const zo_prox *psi, size_t d, const double *u, prover *w);

static conjugate blocks_conjugate(const zo_prox *psi, size_t d, const double *u, prover *w)
{
    conjugate all = {0, 0};
    size_t covered = 0;
    for (size_t k = 0; k < psi->nparts; k++) {
        const zo_block *part = &psi->part[k];
        conjugate c = conjugate_of(&part->psi, part->to - part->from, u + part->from, w);
        all.polar = fmax(all.polar, c.polar);
        all.support += c.support;
        covered += part->to - part->from;
    }
    if (covered < d)
        all.support = INFINITY; /* psi is 0 on the rest: psi* is infinite unless u is 0 there */
    return all;
}

static conjugate conjugate_of(const zo_prox *psi, size_t d, const double *u, prover *w)
{
    switch (family_of(psi)) {
    case L1:
    case WEIGHTED_L1:
    case L2:
    case LINF:
    case GROUP_LASSO:
    case SPARSE_GROUP_LASSO:
    case NUCLEAR: return (conjugate){polar(psi, d, u, w), 0};
    case NONNEGATIVE:
    case BOX:
    case BOUNDS: return (conjugate){0, box_support(psi, d, u, w->part[2] + (u - w->part[0]))};
    case SIMPLEX: return (conjugate){0, psi->a * largest_entry(d, u, 0)};
    case L1_BALL: return (conjugate){0, psi->a * largest_entry(d, u, 1)};
    case L2_BALL: return (conjugate){0, psi->a * vec_norm(d, u)};
    case BLOCKS: return blocks_conjugate(psi, d, u, w);
    default: return (conjugate){0, INFINITY};
    }
}

/* KL(c p, p) of two coins: c p log c + (1 - c p) log((1 - c p)/(1 - p)), odds = p/(1 - p). */
static double coins(double c, double p, double odds)
{
    return c * p * log(c) + (1 - c * p) * log1p((1 - c) * odds);
}

/* B_i(c). Losses made of r^2/2 up to r = 1 and r - 1/2 beyond (r >= 0, the slope is min(r, 1)) have
 * loss*(a) = a^2/2 + linear: B = (1 - c)^2 r^2/2 up to 1 and (1 - c)(r - (1 + c)/2) beyond. For logistic loss and
 * softmax loss* is minus an entropy, and B the divergence of c p from p, p the share of the wrong classes. */
static double dual_term(const smooth *f, const double *margin, const double *slope, size_t i,
                        double c)
{
    double y = f->target[i], r = 0;
    switch (f->loss) {
    case ZO_LOGISTIC: return coins(c, fabs(slope[i]), exp(-y * margin[i]));
    case ZO_SQUARED: return (1 - c) * (1 - c) * slope[i] * slope[i] / 2;
    case ZO_HUBER: r = fabs(margin[i] - y); break;
    case ZO_SMOOTH_HINGE: r = fmax(1 - y * margin[i], 0); break;
    default:
        r = -slope[i * f->classes + (size_t)y];
        return coins(c, r, r < 1 ? r / (1 - r) : INFINITY);
    }
    return r <= 1 ? (1 - c) * (1 - c) * r * r / 2 : (1 - c) * (r - (1 + c) / 2);
}

/* exact = (1/n) sum_i slope_i z_i in long double, in two levels. */
static void exact_slope(const evidence *e, long double *exact, long double *part)
{
    const smooth *f = e->f;
    const zo_data *z = f->data;
    for (size_t j = 0; j < f->d; j++) exact[j] = part[j] = 0;
    for (size_t i = 0; i < f->n; i++) {
        for (size_t c = 0; c < f->classes; c++) {
            long double a = e->slope[i * f->classes + c], *out = part + c * f->features;
            if (z->row)
                for (size_t k = z->row[i]; k < z->row[i + 1]; k++) out[z->col[k]] += a * z->val[k];
            else
                for (size_t j = 0; j < f->features; j++)
                    out[j] += a * z->dense[i * f->features + j];
        }
        if (i % ROWS_PER_SUM != ROWS_PER_SUM - 1 && i != f->n - 1) continue;
        for (size_t j = 0; j < f->d; j++) exact[j] += part[j], part[j] = 0;
    }
    for (size_t j = 0; j < f->d; j++) exact[j] /= (long double)f->n;
}

static double duality_gap(prover *w, const evidence *e)
{
    const smooth *f = e->f;
    if (f->l2 > 0) return INFINITY;
    exact_slope(e, w->exact, w->exact + f->d);
    long double along = 0;
    double *u = w->part[0]; /* part[2]: rounding in u */
    for (size_t j = 0; j < f->d; j++) {
        u[j] = (double)-w->exact[j];
        along += w->exact[j] * e->x[j];
        w->part[2][j] = e->doubt[j] * (double)(LDBL_EPSILON / DBL_EPSILON);
    }
    conjugate k = conjugate_of(e->psi, f->d, u, w);
    if (!isfinite(k.support) || !isfinite(k.polar)) return INFINITY;
    double allowance = 4e-14; /* for the rounding in u and in the prox; costs so much of psi(x) */
    double c = k.polar > 1 - allowance ? (1 - allowance) / k.polar : 1, terms = 0;
    for (size_t i = 0; c < 1 && i < f->n; i++) terms += dual_term(f, e->margin, e->slope, i, c);
    double value = prox_value(e->psi, f->d, e->x);
    long double gap = value + c * (along + k.support) + fmax(terms, 0) / (double)f->n;
    double rounding = 4 * DBL_EPSILON * (value + c * (fabs((double)along) + fabs(k.support)));
    return fmax((double)gap, 0) + rounding;
}

/* ---- strong convexity ------------------------------------------------------------------------------- */

static double strong_bound(const evidence *e)
{
    double size = vec_norm(e->f->d, e->sub) + vec_norm(e->f->d, e->doubt);
    return e->strength > 0 ? size * size / (2 * e->strength) : INFINITY;
}

/* The least curvature of loss i while its margin moves by at most delta. |(log loss'')'| <= 1 for logistic. */
static double least_curvature(const evidence *e, size_t i, double delta)
{
    double m = e->margin[i], y = e->f->target[i], r = fabs(m - y), t = 1 - y * m;
    switch (e->f->loss) {
    case ZO_LOGISTIC: return loss_curvature(ZO_LOGISTIC, m, y) * exp(-delta);
    case ZO_SQUARED: return 1;
    case ZO_HUBER: return r + delta < 1;
    case ZO_SMOOTH_HINGE: return t - delta > 0 && t + delta < 1;
    default: return 0;
    }
}

/* M scaled to a diagonal of ones, root the square roots of what that was, less what rounding may have added. */
static void least_hessian(prover *w, const evidence *e, double delta, double *curve, double *root)
{
    const smooth *f = e->f;
    size_t d = f->d;
    uint32_t *index = (uint32_t *)w->part[2];
    for (size_t i = 0; i < f->n; i++) curve[i] = least_curvature(e, i, delta);
    for (size_t j = 0; j < d; j++) index[j] = (uint32_t)j;
    smooth_hessian(f, curve, d, index, w->matrix);
    for (size_t j = 0; j < d; j++) root[j] = sqrt(w->matrix[j * d + j] += f->l2);
    for (size_t j = 0; j < d; j++)
        for (size_t k = 0; k < d; k++) w->matrix[j * d + k] /= root[j] * root[k];
    for (size_t j = 0; j < d; j++) w->matrix[j * d + j] -= 8 * DBL_EPSILON * (double)d;
}

/* About the least eigenvalue of L L', and not above it but for a factor that is allowed for: by inverse
 * iteration. */
static double least_eigenvalue(size_t d, const double *factor, double *u)
{
    double growth = 0;
    for (size_t j = 0; j < d; j++) u[j] = 1 + (double)(j % 7) / 8;
    for (size_t k = 0; k < 12; k++) {
        vec_scale(d, 1 / vec_norm(d, u), u);
        cholesky_solve(d, factor, u);
        growth = vec_norm(d, u);
    }
    return 0.25 / growth;
}

/* max_i |z_i|_* */
static double longest_row(const evidence *e, const double *curve, double mu)
{
    double most = 0;
    for (size_t i = 0; i < e->f->n; i++) {
        double by_curve = curve[i] > 0 ? (double)e->f->n / curve[i] : INFINITY;
        most = fmax(most, fmin(by_curve, smooth_row_square(e->f, i) / mu));
    }
    return sqrt(most);
}

/* |s|_* and what rounding adds to it, for the scaled matrix in factors. */
static double dual_norm(const evidence *e, const double *factor, const double *root, double least,
                        double *u)
{
    size_t d = e->f->d;
    double doubt = 0;
    for (size_t j = 0; j < d; j++) {
        u[j] = e->sub[j] / root[j];
        doubt += e->doubt[j] / root[j] * (e->doubt[j] / root[j]);
    }
    cholesky_solve(d, factor, u);
    double square = 0;
    for (size_t j = 0; j < d; j++) square += u[j] * e->sub[j] / root[j];
    return sqrt(fmax(square, 0)) + sqrt(doubt / least);
}

static double local_bound(prover *w, const evidence *e)
{
    const smooth *f = e->f;
    double *root = w->part[0], *u = w->part[1];
    if (f->loss == ZO_SOFTMAX || f->d > MOST_LOCAL) return INFINITY;
    if (!w->matrix) w->matrix = mem_new(f->d * f->d + f->n, sizeof *w->matrix);
    w->failed = !w->matrix;
    if (w->failed) return INFINITY;
    double *curve = w->matrix + f->d * f->d;
    for (double delta = 0.1; delta > 1e-7; delta *= 0.01) {
        least_hessian(w, e, delta, curve, root);
        if (!cholesky(f->d, w->matrix)) return INFINITY; /* a smaller delta rarely helps */
        double least = least_eigenvalue(f->d, w->matrix, u), thin = INFINITY;
        double size = dual_norm(e, w->matrix, root, least, u);
        for (size_t j = 0; j < f->d; j++) thin = fmin(thin, root[j] * root[j]);
        double reach = f->loss == ZO_SQUARED
                           ? INFINITY
                           : delta / longest_row(e, curve, fmax(f->l2, least * thin));
        if (2 * size < reach) return size * size / 2;
    }
    return INFINITY;
}

/* ---- the best of them ---------------------------------------------------------------------------------- */

proof prove(prover *w, const evidence *e, double target)
{
    proof best = {built_in(e->psi) ? e->objective : INFINITY,
                  built_in(e->psi) ? "F is not negative" : "none"};
    double bound = strong_bound(e);
    if (bound < best.bound) best = (proof){bound, "prox-gradient norm"};
    if (best.bound <= target) return best;
    bound = duality_gap(w, e);
    if (bound < best.bound) best = (proof){bound, "duality gap"};
    if (best.bound <= target) return best;
    bound = local_bound(w, e);
    if (bound < best.bound) best = (proof){bound, "prox-gradient norm"};
    return best;
}
