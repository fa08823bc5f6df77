/* Exact second moments of Algorithm 1 on f(x) = |x|^2/2, psi = 0, with q directions.
 * SPDX-License-Identifier: MIT
 *
 * Between two refreshes let y = x - w, V = (1/q) sum u_j u_j' with fresh Gaussian u_j, U the frozen one of the refresh:
 *     g = h + U(w - h),     y <- y - eta V y - eta g.
 * The coin falls with probability p at each step; then, at the y before the step,
 *     w <- w + y,   h <- h + c U(w + y - h),   y <- -eta V y - eta g,     c = q/(d + q + 1).
 * All is invariant under rotations, so E[a b'] = (E[a'b]/d) I for a, b among w, h, y at a refresh, and six numbers
 * are the state. E[V M V] = M + (M + tr(M) I)/q. Inside an epoch, given y_0, g:
 *     E[y] = a y_0 + b g,    E[y y'] = A I + B y_0 y_0' + C (y_0 g' + g y_0') + D g g',   A linear in |y_0|^2, y_0'g, |g|^2. */
#include "study/theory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

enum { MAX_Q = 16, NODES = 8 };

/* The epoch's coefficients, averaged over the coin. */
typedef struct epoch {
    double a, b, A[3], B, C, D;
} epoch;

static void add(epoch *to, const epoch *e, double weight)
{
    to->a += weight * e->a;
    to->b += weight * e->b;
    for (size_t k = 0; k < 3; k++) to->A[k] += weight * e->A[k];
    to->B += weight * e->B;
    to->C += weight * e->C;
    to->D += weight * e->D;
}

static epoch advance(const epoch *e, double eta, double d, double q)
{
    double rho = 1 - 2 * eta + eta * eta * (1 + 1 / q), s = eta * eta / q;
    epoch n;
    n.a = (1 - eta) * e->a;
    n.b = (1 - eta) * e->b - eta;
    n.A[0] = rho * e->A[0] + s * (d * e->A[0] + e->B);
    n.A[1] = rho * e->A[1] + s * (d * e->A[1] + 2 * e->C);
    n.A[2] = rho * e->A[2] + s * (d * e->A[2] + e->D);
    n.B = rho * e->B;
    n.C = rho * e->C - eta * (1 - eta) * e->a;
    n.D = rho * e->D - 2 * eta * (1 - eta) * e->b + eta * eta;
    return n;
}

/* P(k steps before the refreshing one) = p (1-p)^k */
static epoch mean_epoch(double eta, double p, double d, double q)
{
    epoch sum = {0}, e = {.a = 1, .B = 1};
    for (double weight = p; weight > p * 1e-13; weight *= 1 - p) {
        add(&sum, &e, weight);
        e = advance(&e, eta, d, q);
    }
    return sum;
}

/* ---- One refresh to the next --------------------------------------------------------------------------- */

enum { W, H, Y };
typedef double moments[3][3]; /* E[a'b]/d */

static double form(moments s, const double *u, const double *v)
{
    double sum = 0;
    for (size_t a = 0; a < 3; a++)
        for (size_t b = 0; b < 3; b++) sum += u[a] * v[b] * s[a][b];
    return sum;
}

typedef struct spectrum { /* eigenvalues of U with how often they occur */
    double value[MAX_Q + 1], times[MAX_Q + 1];
    double weight; /* of this U among all */
    size_t count;
} spectrum;

/* Adds to out the moments at the next refresh, times d, given U and those at this one. */
static void refresh(const spectrum *u, const epoch *e, double eta, double d, double q, moments s,
                    moments out)
{
    const double y0[3] = {0, 0, 1}, c = q / (d + q + 1);
    double yy = d * s[Y][Y], yg = 0, gg = 0;
    for (size_t k = 0; k < u->count; k++) {
        double g[3] = {u->value[k], 1 - u->value[k], 0};
        yg += u->times[k] * form(s, y0, g);
        gg += u->times[k] * form(s, g, g);
    }
    double A = e->A[0] * yy + e->A[1] * yg + e->A[2] * gg, total = 0, y_g = 0;
    for (size_t k = 0; k < u->count; k++) {
        double lam = u->value[k], many = u->times[k];
        double g[3] = {lam, 1 - lam, 0}, m[3] = {e->b * lam, e->b * (1 - lam), e->a}; /* m = E[y] */
        double w[3] = {1, 0, 0}, h[3] = {c * lam, 1 - c * lam, 0};
        double y2 = A + e->B * s[Y][Y] + 2 * e->C * form(s, y0, g) + e->D * form(s, g, g);
        double wm = form(s, w, m), hm = form(s, h, m), wg = form(s, w, g), hg = form(s, h, g),
               mg = form(s, m, g);
        total += many * y2;
        y_g += many * mg;
        out[W][W] += many * (form(s, w, w) + 2 * wm + y2);
        out[W][H] += many * (form(s, w, h) + c * lam * wm + hm + c * lam * y2);
        out[H][H] += many * (form(s, h, h) + 2 * c * lam * hm + c * c * lam * lam * y2);
        out[W][Y] -= eta * many * (wm + y2 + wg + mg);
        out[H][Y] -= eta * many * (hm + c * lam * y2 + hg + c * lam * mg);
    }
    out[Y][Y] += eta * eta * (total * (1 + (1 + d) / q) + 2 * y_g + gg);
}

/* ---- The frozen directions ----------------------------------------------------------------------------- */

/* Eigenvalues of the symmetric q x q matrix a by Jacobi's rotations, and the first number of each eigenvector. */
static void eigenvalues(size_t q, double a[MAX_Q][MAX_Q], double *val, double *first)
{
    for (size_t k = 0; k < q; k++) first[k] = k == 0;
    for (int sweep = 0; sweep < 30; sweep++)
        for (size_t i = 0; i < q; i++)
            for (size_t j = i + 1; j < q; j++) {
                double t = 0.5 * atan2(2 * a[i][j], a[i][i] - a[j][j]), c = cos(t), s = sin(t),
                       f = first[i];
                first[i] = c * f + s * first[j];
                first[j] = c * first[j] - s * f;
                for (size_t k = 0; k < q; k++) {
                    double x = a[k][i], y = a[k][j];
                    a[k][i] = c * x + s * y;
                    a[k][j] = c * y - s * x;
                }
                for (size_t k = 0; k < q; k++) {
                    double x = a[i][k], y = a[j][k];
                    a[i][k] = c * x + s * y;
                    a[j][k] = c * y - s * x;
                }
            }
    for (size_t k = 0; k < q; k++) val[k] = a[k][k];
}

/* The spectrum of U = (1/q) sum u_j u_j': that of the Gram matrix of the u_j, and zeros. */
static int draw(spectrum *u, size_t d, size_t q, uint64_t seed)
{
    double a[MAX_Q][MAX_Q], first[MAX_Q], *v = malloc(q * d * sizeof *v);
    if (!v) return 0;
    rng_normals(seed, FOR_CHECK, 0, 0, q * d, v);
    for (size_t i = 0; i < q; i++)
        for (size_t j = 0; j < q; j++) {
            a[i][j] = 0;
            for (size_t k = 0; k < d; k++) a[i][j] += v[i * d + k] * v[j * d + k] / (double)q;
        }
    free(v);
    eigenvalues(q, a, u->value, first);
    for (size_t k = 0; k < q; k++) u->times[k] = 1;
    u->value[q] = 0;
    u->times[q] = (double)d - (double)q;
    u->count = q + 1;
    return 1;
}

typedef struct setup {
    size_t d, q, samples;
    spectrum *u;
} setup;

/* One direction: U has the eigenvalue |u|^2, chi-squared with d degrees of freedom. The map is a polynomial in it, of
 * degree 4, so that the 8 points of Gauss and Laguerre give its mean exactly. */
static void lay_out(setup *s)
{
    double a[MAX_Q][MAX_Q] = {{0}}, node[MAX_Q], first[MAX_Q], alpha = (double)s->d / 2 - 1;
    for (size_t k = 0; k < NODES; k++) {
        a[k][k] = 2 * (double)k + alpha + 1;
        if (k > 0) a[k][k - 1] = a[k - 1][k] = sqrt((double)k * ((double)k + alpha));
    }
    eigenvalues(NODES, a, node, first);
    for (size_t k = 0; k < NODES; k++)
        s->u[k] = (spectrum){.value = {2 * node[k], 0},
                             .times = {1, (double)s->d - 1},
                             .weight = first[k] * first[k],
                             .count = 2};
}

static int setup_new(setup *s, size_t d, size_t q, size_t samples)
{
    if (q == 1) samples = NODES;
    *s = (setup){d, q, samples, malloc(samples * sizeof *s->u)};
    if (s->u && q == 1) lay_out(s);
    for (size_t k = 0; k < samples && s->u && q > 1; k++) {
        if (!draw(&s->u[k], d, q, 1000 + k)) return 0;
        s->u[k].weight = 1 / (double)samples;
    }
    return s->u != NULL;
}

/* Growth of the second moments from one refresh to the next: the map's spectral radius, by powers. */
static double growth(const setup *s, double eta, double p)
{
    double d = (double)s->d, rate = 0;
    epoch e = mean_epoch(eta, p, d, (double)s->q);
    double map[9][9] = {{0}};
    for (size_t from = 0; from < 9; from++) { /* the map is linear: column by column */
        moments unit = {{0}}, out = {{0}};
        unit[from / 3][from % 3] = 1;
        for (size_t k = 0; k < s->samples; k++) {
            moments one = {{0}};
            refresh(&s->u[k], &e, eta, d, (double)s->q, unit, one);
            for (size_t to = 0; to < 9; to++)
                out[to / 3][to % 3] += s->u[k].weight * one[to / 3][to % 3];
        }
        out[H][W] = out[W][H], out[Y][W] = out[W][Y], out[Y][H] = out[H][Y];
        for (size_t to = 0; to < 9; to++) map[to][from] = out[to / 3][to % 3] / d;
    }
    double v[9] = {1, 0, 0, 0,   1,
                   0, 0, 0, 1e-3}; /* a covariance: the leading direction is one, too */
    for (int k = 0; k < 200000; k++) {
        double next[9] = {0}, size = 0;
        for (size_t i = 0; i < 9; i++)
            for (size_t j = 0; j < 9; j++) next[i] += map[i][j] * v[j];
        for (size_t i = 0; i < 9; i++) size += fabs(next[i]);
        for (size_t i = 0; i < 9; i++) v[i] = next[i] / size;
        if (k > 20 && fabs(size - rate) < 1e-13 * size) break;
        rate = size;
    }
    return rate;
}

static double boundary(const setup *s, double p)
{
    double scale = p * (double)s->q / (double)s->d, low = 0.05 * scale, high = 5 * scale;
    for (int k = 0; k < 30; k++) {
        double mid = sqrt(low * high);
        *(growth(s, mid, p) > 1 ? &high : &low) = mid;
    }
    return low / scale;
}

/* The largest n at which eta = 1/(40d+63), p = 1/n is stable. */
static double largest_n(const setup *s)
{
    size_t low = 1, high = 1000;
    while (high - low > 1) {
        size_t mid = (low + high) / 2;
        *(growth(s, 1 / (40 * (double)s->d + 63), 1 / (double)mid) > 1 ? &high : &low) = mid;
    }
    return (double)low;
}

static int add_case(facts *f, size_t d, size_t q, size_t samples)
{
    setup s;
    char row[64];
    if (!setup_new(&s, d, q, samples)) {
        free(s.u);
        return complain(FAILED, "reproduce: out of memory");
    }
    snprintf(row, sizeof row, "d %zu, q %zu", d, q);
    fact_add(f, row, "largest n", q == 1 ? largest_n(&s) : NAN);
    fact_add(f, row, "boundary at p = 0.1", boundary(&s, 0.1));
    fact_add(f, row, "at p = 0.01", boundary(&s, 0.01));
    fact_add(f, row, "at p = 0.001", boundary(&s, 0.001));
    free(s.u);
    return DONE;
}

int theory_stability(const lab *l, facts *f)
{
    static const size_t d[] = {2, 5, 10, 30, 100, 300, 1000},
                        many[][2] = {{30, 3}, {100, 3}, {100, 10}, {300, 10}};
    size_t samples = l->quick ? 500 : 4000;
    int code = DONE;
    for (size_t k = 0; k < sizeof d / sizeof d[0] && !code && !*stop_flag(); k++)
        code = add_case(f, d[k], 1, samples);
    for (size_t k = 0; k < sizeof many / sizeof many[0] && !code && !*stop_flag(); k++)
        code = add_case(f, many[k][0], many[k][1], samples / 4);
    return code;
}

/* ---- The recursion against Algorithm 1 itself ------------------------------------------------------------ */

enum { TRY_D = 10, TRY_REFRESHES = 4 };

/* |w|^2/d at the last of the refreshes, one direction, from w = (1, ..., 1) and h = 0. */
static double simulate(double eta, double p, uint64_t seed)
{
    double w[TRY_D], h[TRY_D] = {0}, y[TRY_D] = {0}, g[TRY_D], u[TRY_D], v[TRY_D], size = 0;
    uint64_t step = 0;
    for (size_t j = 0; j < TRY_D; j++) w[j] = 1;
    for (size_t r = 0; r < TRY_REFRESHES; r++) {
        double along = 0, c = 1 / (TRY_D + 2.0);
        rng_normals(seed, FOR_REFERENCE, r, 0, TRY_D, u);
        for (size_t j = 0; j < TRY_D; j++) along += u[j] * (w[j] - h[j]);
        for (size_t j = 0; j < TRY_D; j++) g[j] = h[j] + along * u[j];
        for (int renewed = 0; !renewed; step++) {
            double dot = 0, old = 0;
            rng_normals(seed, FOR_DIRECTION, step, 0, TRY_D, v);
            renewed = rng_uniform(seed, FOR_COIN, step, 0) <= p;
            for (size_t j = 0; j < TRY_D; j++)
                dot += v[j] * y[j], old += u[j] * (w[j] + y[j] - h[j]);
            for (size_t j = 0; j < TRY_D; j++) {
                if (renewed) h[j] += c * old * u[j], w[j] += y[j], y[j] = 0;
                y[j] -= eta * (dot * v[j] + g[j]);
            }
        }
    }
    for (size_t j = 0; j < TRY_D; j++) size += w[j] * w[j] / TRY_D;
    return size;
}

/* The same by the recursion. */
static double recur(const setup *s, double eta, double p)
{
    double d = (double)s->d;
    epoch e = mean_epoch(eta, p, d, 1);
    moments now = {{1}};
    for (size_t r = 0; r < TRY_REFRESHES; r++) {
        moments next = {{0}};
        for (size_t k = 0; k < s->samples; k++) {
            moments one = {{0}};
            refresh(&s->u[k], &e, eta, d, 1, now, one);
            for (size_t i = 0; i < 9; i++)
                next[i / 3][i % 3] += s->u[k].weight * one[i / 3][i % 3] / d;
        }
        next[H][W] = next[W][H], next[Y][W] = next[W][Y], next[Y][H] = next[H][Y];
        memcpy(now, next, sizeof now);
    }
    return now[W][W];
}

int theory_recursion(const lab *l, facts *f)
{
    static const double at[] = {0.1, 0.3, 0.6, 0.9}, p = 0.1;
    size_t seeds = l->quick ? 4000 : 100000;
    setup s;
    if (!setup_new(&s, TRY_D, 1, 0)) return complain(FAILED, "reproduce: out of memory");
    for (size_t k = 0; k < sizeof at / sizeof at[0] && !*stop_flag(); k++) {
        double eta = at[k] * p / TRY_D, mean = 0, square = 0, n = (double)seeds;
        char row[64];
        for (size_t seed = 1; seed <= seeds && !*stop_flag(); seed++) {
            double v = simulate(eta, p, seed);
            mean += v / n;
            square += v * v / n;
        }
        snprintf(row, sizeof row, "eta L d/p = %g", at[k]);
        fact_add(f, row, "seeds", n);
        fact_add(f, row, "recursion", recur(&s, eta, p));
        fact_add(f, row, "simulated", mean);
        fact_add(f, row, "standard error", sqrt((square - mean * mean) / n));
    }
    free(s.u);
    return DONE;
}
