/* mean: is the end what it seems? Random directions at several lengths, and a table of differences along one.
 * SPDX-License-Identifier: MIT
 *
 * Along signs v, as long as a part of each coordinate's size, (f(x + v) - f(x - v))/2 is to be g'v, and neither value below
 * f(x): a maximum, a saddle and a slope that was misread are seen so. The table is of f at x + k v, k = 0 ... TABLE. Its k-th
 * differences fall with k where f is smooth; where values have noise eps, whether they repeat or not, they are as large as
 *
 *     eps_k^2 = (k!)^2/(2k)! mean (D^k f)^2,   eps_k = eps for several k
 *
 * Moré, Wild: Estimating computational noise, SIAM J. Sci. Comput. 33, 2011. */
#include <math.h>

#include "base/rng.h"
#include "base/vec.h"
#include "method/mean/state.h"
#include "prox/prox.h"

void proof_begin(mean *s, int early)
{
    *s->proof = (proof){.early = (uint64_t)early};
    s->base.stage = ASK_PROOF;
}

/* v = times size_j, signs from a counter, where both ends are in psi's domain. */
static void put_signs(mean *s, uint32_t k, double times, double far, double *v)
{
    method *m = &s->base;
    rng_signs(m->set.seed, FOR_CHECK, m->step, k, m->d, v);
    for (size_t j = 0; j < m->d; j++) {
        v[j] *= times * s->size[j];
        if (!mean_inside(s, j, m->x[j] + far * v[j]) || !mean_inside(s, j, m->x[j] - v[j]))
            v[j] = 0;
    }
}

/* Row 0 and on of a table: k v. */
static void put_table(mean *s, uint32_t number, double *v)
{
    size_t d = s->base.d;
    put_signs(s, PROBES + number,
              number == 0   ? TABLE_STEP
              : number == 1 ? TABLE_LESS * TABLE_STEP
                            : sqrt(TABLE_LESS) * TABLE_STEP,
              TABLE, v);
    for (size_t k = 1; k < TABLE; k++)
        for (size_t j = 0; j < d; j++) v[k * d + j] = (double)(k + 1) * v[j];
}

/* In the middle of a run the two shortest are looked at; a third table comes alone, where two do not agree. */
static size_t probes(const mean *s)
{
    return s->proof->tables ? 0 : s->proof->early ? 4 : 2 * PROBES;
}

void proof_ask(mean *s, zo_fan *fan)
{
    size_t d = s->base.d, rows = probes(s);
    double length = PROBE_LEAST;
    for (uint32_t k = 0; 2 * k < rows; k++, length *= PROBE_MORE) {
        double *v = s->dir + 2 * k * d;
        put_signs(s, k == 1 ? 0 : k, length, 1, v); /* two lengths of one direction */
        for (size_t j = 0; j < d; j++) v[d + j] = -v[j];
    }
    uint32_t tables = s->proof->tables ? 3 : 2;
    for (uint32_t k = (uint32_t)s->proof->tables; k < tables; k++, rows += TABLE)
        put_table(s, k, s->dir + rows * d);
    mean_components(s, fan, 1);
    fan->known = 1;
    s->base.told = s->walk->value;
    ask_rows(fan, rows, s->dir, 1);
}

/* eps of the lowest order from which on three agree within 4, and differences change sign; 0: none do, f is smooth. */
static double noise_of(double *f)
{
    double level[TABLE], gamma = 1;
    int swings[TABLE];
    for (size_t k = 0; k < TABLE; k++) {
        size_t count = TABLE - k;
        double squares = 0;
        swings[k] = 0;
        gamma *= 0.5 * ((double)k + 1) / (2 * (double)k + 1);
        for (size_t e = 0; e < count; e++) {
            f[e] = f[e + 1] - f[e];
            squares += f[e] * f[e];
            if (e > 0 && f[e] * f[e - 1] < 0) swings[k] = 1;
        }
        level[k] = sqrt(gamma * squares / (double)count);
    }
    for (size_t k = 0; k + 2 < TABLE; k++) {
        double least = fmin(level[k], fmin(level[k + 1], level[k + 2])),
               most = fmax(level[k], fmax(level[k + 1], level[k + 2]));
        if (swings[k] && swings[k + 1] && most <= ALIKE * least) return level[k];
    }
    return 0;
}

/* Second differences of both signs, as those of noise; of kinks they are of one. */
static int swings(const double *f)
{
    double up = 0, down = 0;
    for (size_t k = 0; k + 1 < TABLE; k++) {
        double bend = f[k + 2] - 2 * f[k + 1] + f[k];
        up += fmax(bend, 0);
        down += fmax(-bend, 0);
    }
    return fmin(up, down) > ONE_SIDED * fmax(up, down);
}

/* The lowest of the points that were asked; -1: none is below F(x). */
static long lowest_of(mean *s, const double *answers, double *fell)
{
    const method *m = &s->base;
    long found = -1;
    for (size_t k = 0; k < m->fan.ndir; k++) {
        for (size_t j = 0; j < m->d; j++) s->work[j] = m->x[j] + s->dir[k * m->d + j];
        double F = answers[k] + prox_value(m->psi, m->d, s->work);
        if (isfinite(F) && s->at->objective - F > *fell) {
            *fell = s->at->objective - F;
            found = (long)k;
        }
    }
    return found;
}

/* Slopes along the two shortest directions are what is stated. */
static int slopes_agree(const mean *s, const double *answers)
{
    size_t d = s->base.d;
    double g = vec_norm(d, s->g);
    for (size_t k = 0; k < 2; k++) {
        const double *v = s->dir + 2 * k * d;
        double up = answers[2 * k] - s->walk->value, down = answers[2 * k + 1] - s->walk->value;
        double seen = 0.5 * (up - down), told = vec_dot(d, s->g, v);
        double may = OFF_BY * g * vec_norm(d, v) / sqrt((double)d) + 0.1 * fabs(up + down) +
                     0x1p-48 * fabs(s->walk->value);
        if (!(fabs(seen - told) <= may)) return 0;
    }
    return 1;
}

/* f(x + v) + f(x - v) - 2 f(x) is of second order in the length of v, or of first order at a kink. */
static int kinked(const mean *s, const double *answers)
{
    double f = 2 * s->walk->value, low = fabs(answers[0] + answers[1] - f),
           high = fabs(answers[2] + answers[3] - f);
    return low > 0x1p-42 * fabs(s->walk->value) && high < PROBE_MORE * KINKED * low;
}

/* Steps: nothing changes at the two shortest lengths, and something does farther away. */
static int stepped(const mean *s, const double *answers)
{
    size_t same = 0, short_ones = 4, all = s->base.fan.ndir;
    for (size_t k = 0; k < all && answers[k] == s->walk->value; k++) same++;
    return same >= short_ones && same < all;
}

/* Two tables that agree show noise; 1: one more is to decide. */
static int read_tables(mean *s, const double *answers)
{
    proof *p = s->proof;
    double value = s->walk->value;
    answers += probes(s);
    uint64_t tables = p->tables ? 3 : 2;
    for (; p->tables < tables; p->tables++, answers += TABLE) {
        double f[TABLE + 1] = {value}, most = fmax(fabs(value), 1e-3 * s->at->scale);
        for (size_t k = 0; k < TABLE; k++) most = fmax(most, fabs(f[k + 1] = answers[k]));
        if (p->tables == 1) p->swings = (uint64_t)swings(f);
        double eps = noise_of(f);
        p->eps[p->tables] = eps > ROUNDED * most && eps < LOUD * fabs(value) ? eps : 0;
    }
    for (size_t a = 0; a < tables; a++)
        for (size_t b = a + 1; b < tables; b++)
            if (p->eps[a] > 0 && p->eps[a] < AGREE * p->eps[b] && p->eps[b] < AGREE * p->eps[a])
                s->noise->seen = sqrt(p->eps[a] * p->eps[b]);
    return tables == 2 && !(s->noise->seen > 0) && (p->eps[0] > 0 || p->eps[1] > 0);
}

/* Slopes are what is stated, and nothing more is promised that could be seen. */
static int vanish(const mean *s, const double *answers)
{
    double unseen = method_unseen(&s->base, s->at->objective, s->at->scale),
           won = s->at->first - s->at->objective;
    int small = s->base.residual <= FLAT * s->at->steep && s->walk->line.promise <= 1e-9 * won;
    return slopes_agree(s, answers) && (small || s->walk->line.promise <= 100 * unseen);
}

/* What the slopes are off by along the shortest direction is part of what is stated: about as much, in units of sizes, for
 * each coordinate. */
static void state_error(mean *s, const double *answers)
{
    method *m = &s->base;
    double off = 0.5 * (answers[0] - answers[1]) - vec_dot(m->d, s->g, s->dir), squares = 0;
    for (size_t j = 0; j < m->d; j++)
        if (s->dir[j] != 0) squares += 1 / (s->dir[j] * s->dir[j]);
    m->residual = sqrt(m->residual * m->residual + off * off * squares / (double)m->d);
}

verdict proof_tell(mean *s, const double *answers)
{
    method *m = &s->base;
    proof *p = s->proof;
    double fell = 10 * method_unseen(m, s->at->objective, s->at->scale) +
                  1e-10 * fmax(s->at->first - s->at->objective, 0);
    s->noise->seen = 0;
    int first = !p->tables;
    if (first) p->kinked = (uint64_t)(kinked(s, answers) || stepped(s, answers));
    if (first && !p->early) {
        p->vanish = (uint64_t)vanish(s, answers);
        state_error(s, answers);
    }
    int undecided = read_tables(s, answers);
    long lower = p->early ? -1 : lowest_of(s, answers, &fell);
    if (lower >= 0) {
        vec_add(m->d, 1, s->dir + (size_t)lower * m->d, m->x);
        m->step++;
    }
    if (s->noise->seen > 0) return NOISY;
    if (lower >= 0) return LOWER;
    if (undecided) return GOES_ON;
    if (p->kinked) return SUSPECT;
    return p->early ? EXACT : p->vanish ? PROVEN : SUSPECT;
}
