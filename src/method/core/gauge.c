/* Does the automatic radius suit f? Judged by the first differences that are asked for.
 * SPDX-License-Identifier: MIT
 *
 * Values are taken to be exact to 2^-53 |f|. Three things may be wrong with the radius that follows from this: f is
 * 1e12 plus something small; f is very steep; values come rounded more coarsely, from single precision or from printed
 * digits. The last shows in the values themselves: those of an exact f have all of their 53 bits and 16 digits in use. */
#include "method/core/gauge.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "base/sum.h"
#include "base/text.h"

static const double ln2 = 0.69314718055994531, log2_10 = 3.3219280948873623;

enum { LOOKED = 256 };                              /* components, at most */
enum { SIZE, SQUARES, FINE, COARSE, GRAIN, WIDTH }; /* what is summed over them */
enum {
    BITS = 40,
    DIGITS = 12,
    ENOUGH = 4,
    IN_A_SET = 64
}; /* coarse: no more bits, or digits, than that */

int gauge_reserve(const method *m) { return method_reserve(m, WIDTH, LOOKED); }

static int digits_of(double v)
{
    char text[32];
    int count = 0;
    for (const char *p = text_short(v, text, sizeof text); *p && *p != 'e'; p++)
        count += isdigit((unsigned char)*p) && (count || *p != '0');
    return count;
}

/* floor(log10 |v|) */
static int decimals_of(double v)
{
    char text[32];
    snprintf(text, sizeof text, "%.16e", v);
    return atoi(strchr(text, 'e') + 1);
}

/* log2 of the distance between neighbours among values as coarse as v; NaN: v is fine. */
static double grain(double v)
{
    int e;
    double whole = ldexp(frexp(v, &e), BITS);
    if (whole == floor(whole)) {
        for (e -= BITS; fmod(whole, 2) == 0; whole /= 2) e++;
        return e;
    }
    int digits = digits_of(v);
    return digits > DIGITS ? NAN : (decimals_of(v) - digits + 1) * log2_10;
}

static void count_grain(double v, double *to)
{
    if (v == 0 || !isfinite(v)) return; /* which says nothing */
    double g = grain(v);
    to[isnan(g) ? FINE : COARSE]++;
    if (!isnan(g)) to[GRAIN] += g;
}

int gauge_coarse(size_t count, const double *values)
{
    double to[WIDTH] = {0};
    for (size_t k = 0; k < count && k < LOOKED; k++) count_grain(values[k], to);
    return to[FINE] == 0 && to[COARSE] >= ENOUGH;
}

/* Of one set of answers: the size of f, the squares of the differences, and how values look: those that
 * are not f(x), where there are any, because f(0) may well be a round number. */
static void look_at_set(const double *set, size_t part, double *to)
{
    for (int k = 0; k < WIDTH; k++) to[k] = 0;
    to[SIZE] = fabs(set[0]);
    size_t counted = 0;
    for (size_t k = 1; k < part; k++) {
        to[SQUARES] += set[k] * set[k];
        double v = set[0] + set[k];
        if (set[k] != 0 && fabs(set[k]) < 1e-3 * fabs(v) && counted < IN_A_SET && to[FINE] == 0) {
            counted++;
            count_grain(v, to);
        }
    }
    if (!counted) count_grain(set[0], to);
}

static void look_at(const method *m, const double *answers, double *total)
{
    const zo_fan *fan = &m->fan;
    size_t part = zo_fan_set(fan) / fan->nbase, sets = zo_fan_answers(fan) / part;
    double rows[WIDTH * LOOKED], work[WIDTH * SUM_DEPTH];
    uint64_t comp[LOOKED], index[2 * LOOKED];
    if (sets > LOOKED) sets = LOOKED;
    for (size_t e = 0; e < sets; e++) {
        comp[e] = fan->each ? (fan->comp ? fan->comp[e / fan->nbase] : e / fan->nbase) : 0;
        look_at_set(answers + e * part, part, rows + WIDTH * e);
    }
    if (fan->each)
        method_sum(m, sets, comp, WIDTH, rows, total, work, index);
    else
        sum_rows(sets, comp, WIDTH, rows, total, work, index);
    total[SIZE] /= (double)sets;
    total[SQUARES] /= (double)sets * (double)(part - 1);
}

/* The standard deviation of one rounding. A value ends in one zero by chance, on average. */
static double rounding_of(const double *total)
{
    double exact = 0x1p-53 * total[SIZE];
    if (total[FINE] > 0 || total[COARSE] < ENOUGH) return exact;
    return fmax(exact, 0.29 * real_exp(ln2 * (total[GRAIN] / total[COARSE] - 1)));
}

/* The first look: is the radius too small for f, or too large (columns of 1e6)? */
static int look_first(method *m, const double *total, double count)
{
    double seen = sqrt(total[SQUARES]), rounding = rounding_of(total),
           part = seen * sqrt(count) / total[SIZE];
    int coarse = rounding > 0x1p-52 * total[SIZE];
    m->gauged = GAUGED;
    if ((coarse || seen < 3e3 * rounding) && !(m->set.noise >= rounding)) {
        m->set.noise = rounding;
        method_note(m,
                    coarse ? "noise %.2g (values come rounded)"
                           : "noise %.2g (values near %.1g are rounded)",
                    rounding, total[SIZE]);
        return 1;
    }
    if (!(part > 1e-4) || m->set.noise > 0) return 0;
    m->gauged = ZOOMED;
    m->steep = seen;
    /* where f is exactly 0 that says nothing of its rounding: not so far down */
    m->zoom = fmax(1e-5 / part, total[SIZE] > 0 ? 1e-6 : 1e-3);
    return 1;
}

int gauge_again(method *m, const double *answers)
{
    const zo_fan *fan = &m->fan;
    if (m->gauged == GAUGED || !isnan(m->set.radius) || fan->known || fan->own ||
        fan->naxis + fan->ndir == 0)
        return 0;
    double total[WIDTH];
    look_at(m, answers, total);
    if (m->gauged == NOT_GAUGED) return look_first(m, total, (double)(fan->naxis + fan->ndir));
    double seen = sqrt(total[SQUARES]);
    m->gauged = GAUGED;
    /* A thousandth of the radius does no harm where f is not small: differences are still 1e-5 of it. */
    if (m->zoom > 1e-3 || fabs(seen - m->zoom * m->steep) > 1e-5 * seen) {
        method_note(m, "radius %.2g (f is steep)", fan->radius);
        return 0;
    }
    m->zoom = 1; /* f is nearly 0 here, not steep */
    return 1;
}
