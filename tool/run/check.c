/* zoprox check: does a program speak the protocol, how fast, does it repeat itself, does the order matter?
 * SPDX-License-Identifier: MIT
 *
 * Everything is asked through the same code as a run would use. */
#include "run/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "problem/problem.h"

#define PATIENCE                                                                                   \
    30 /* seconds for a question, unless --timeout says otherwise: who checks wants to know */

/* The values of the trial's components at point k; backwards: asked in the other order. 0: it failed. */
static int values(trial *t, size_t k, int backwards, double *out)
{
    const zo_problem *p = &t->from->problem;
    uint64_t comp[16];
    double turned[16];
    for (size_t e = 0; e < t->ncomp; e++) comp[e] = t->comp[backwards ? t->ncomp - 1 - e : e];
    zo_fan fan = {.n = p->n,
                  .d = p->d,
                  .nbase = 1,
                  .base = {t->x + k * p->d},
                  .radius = 1,
                  .sides = 1,
                  .ncomp = t->ncomp,
                  .comp = comp,
                  .each = !p->means_only};
    if (check_ask(t, &fan, turned)) return 0;
    for (size_t e = 0; e < zo_fan_answers(&fan); e++)
        out[backwards && fan.each ? t->ncomp - 1 - e : e] = turned[e];
    return 1;
}

static double greatest_change(size_t count, const double *a, const double *b)
{
    double most = 0;
    for (size_t k = 0; k < count; k++) most = fmax(most, fabs(a[k] - b[k]));
    return most;
}

/* Queries, at least, of all there is to try. */
static uint64_t price(const trial *t)
{
    return 4 * t->ncomp + t->ncomp * (CHECK_DIRECTIONS + 1) + check_forms_price(t);
}

#define MEASURED 0.25 /* seconds */

/* Asks full fans for a moment, and says how fast that went, in queries a second. */
static int measure(trial *t, double *rate)
{
    const zo_problem *p = &t->from->problem;
    double begun = clock_seconds(), spent = 0, *out = calloc(CHECK_DIRECTIONS + 1, sizeof *out);
    double *dir = calloc(CHECK_DIRECTIONS * p->d, sizeof *dir);
    uint64_t queries = 0;
    if (!out || !dir) return free(out), free(dir), complain(FAILED, "check: out of memory");
    for (uint64_t round = 0; spent < MEASURED && round < 1000; round++) {
        for (uint32_t k = 0; k < CHECK_DIRECTIONS; k++)
            rng_normals(1, FOR_CHECK, round, k, p->d, dir + k * p->d);
        check_directions(t, t->x, 1e-6, CHECK_DIRECTIONS, dir);
        zo_fan fan = {.n = p->n,
                      .d = p->d,
                      .nbase = 1,
                      .base = {t->x},
                      .ndir = CHECK_DIRECTIONS,
                      .dir = dir,
                      .radius = 1e-6,
                      .sides = 1,
                      .ncomp = t->ncomp,
                      .comp = t->comp};
        if (check_ask(t, &fan, out)) return free(out), free(dir), check_broken(t);
        queries += zo_fan_queries(&fan);
        spent = clock_seconds() - begun;
    }
    *rate = (double)queries / spent;
    printf("speed        %.3g queries a second (%llu queries in %.2f s)\n", *rate,
           (unsigned long long)queries, spent);
    if (t->from->command) {
        zo_command_facts f = zo_command_look(t->from->command);
        printf("workers      %d, busy %.0f %% of the time; %llu restarts, %llu time-outs\n",
               f.workers, 100 * f.busy / f.open, (unsigned long long)f.restarts,
               (unsigned long long)f.timeouts);
    }
    free(out);
    free(dir);
    return DONE;
}

/* Programs that print with "%g" are many, and differences of what they print are worth little. */
static void look_at_digits(size_t count, const double *v)
{
    int digits = value_digits(count, v);
    double size = 0;
    for (size_t k = 0; k < count; k++) size = fmax(size, fabs(v[k]));
    if (digits <= FEW_DIGITS)
        printf("digits       values have %d or fewer: if the program rounds, let it print all 17 "
               "(%%.17g), "
               "or add "
               "--noise %.1g\n",
               digits, size * pow(10, -digits));
}

/* Values that no method can use, and why if the program has said it. */
static int usable(const trial *t, size_t count, const double *v)
{
    const zo_problem *p = &t->from->problem;
    const char *text = p->health ? p->health(p->ctx).text : NULL;
    for (size_t k = 0; k < count; k++)
        if (!(fabs(v[k]) <= LARGEST_ANSWER))
            return complain(FAILED,
                            "check: f_%llu is %g at the start or near it, not finite or above "
                            "1e150; %s",
                            (unsigned long long)t->comp[k], v[k],
                            text ? text : "see the setting nonfinite");
    return DONE;
}

/* Where the first question is asked, in words. */
static const char *where(const trial *t)
{
    if (t->asked->start || t->from->known) return "the start";
    for (size_t j = 0; j < t->from->problem.d; j++)
        if (t->x[j] != 0) return "the point nearest to 0";
    return "x = 0";
}

/* Answers that change when nothing did, and answers that depend on who was asked before. */
static int compare(trial *t, double *noise)
{
    double a[16], b[16], c[16], other[16];
    size_t count = t->from->problem.means_only ? 1 : t->ncomp;
    if (!values(t, 0, 0, a)) return check_broken(t);
    int code = usable(t, count, a);
    if (code) return code;
    if (!values(t, 0, 0, b) || !values(t, 1, 0, other)) return check_broken(t);
    if ((code = usable(t, count, other))) return code;
    if (!values(t, 0, 1, c)) return check_broken(t);
    *noise = greatest_change(count, a, b);
    double order = greatest_change(count, a, c), size = 0;
    for (size_t k = 0; k < count; k++) size = fmax(size, fabs(a[k]));
    printf("answers      %s\n",
           t->from->problem.means_only ? "means over the components" : "one value per component");
    printf("value        %.6g for component %llu at %s\n", a[0], (unsigned long long)t->comp[0],
           where(t));
    if (*noise > 0)
        printf("noise        asked twice, the same value differs by up to %.2g: tell the method "
               "with --noise\n",
               *noise);
    else
        printf("noise        none: asked twice, it answers the same\n");
    if (order > fmax(10 * *noise, 1e-12 * size))
        printf("order        values change by up to %.2g with the order of questions: f_i must "
               "depend on x "
               "alone\n",
               order);
    else
        printf("order        does not matter\n");
    if (!memcmp(t->x, t->x + t->from->problem.d, t->from->problem.d * sizeof *t->x))
        printf("sense        not tried: the bounds leave one point\n");
    else if (greatest_change(count, a, other) == 0)
        printf("sense        the values at two different points are all equal: does the program "
               "read x?\n");
    else if (*noise == 0)
        look_at_digits(count, other);
    return DONE;
}

static int run_checks(trial *t)
{
    const zo_problem *p = &t->from->problem;
    int code = check_points(t);
    if (code) return code;
    printf("problem      %s (n %zu, d %zu)\n", box_name(t->asked), p->n, p->d);
    check_announce(t, price(t));
    check_begin(t);
    double noise = 0, rate = 0;
    code = compare(t, &noise);
    if (!code && t->brief) {
        double spent = clock_seconds() - t->begun;
        const char *what = check_unit(t);
        printf("speed        %.3g %s a second (%llu %s in %.2f s)\n", (double)t->done / spent, what,
               (unsigned long long)t->done, what, spent);
        printf("forms        %s\n", t->asked->quick
                                        ? "not tried (--quick)"
                                        : "of questions are zoprox's own, and not tried");
    } else {
        if (!code) code = measure(t, &rate);
        if (!code) code = check_forms(t, noise, rate);
    }
    check_end(t);
    if (!code) printf("all well     it can be solved\n");
    return code;
}

int command_check(int argc, char **argv)
{
    request r;
    task s;
    int code = request_parse(&r, argc, argv);
    if (!code && (r.nwords || !box_wanted(&r)))
        code = complain(
            REFUSED,
            "check tries a black box: --command 'PROGRAM ARGS' --n N --dim D, or --plugin FILE.so");
    if (!code) code = box_fits(&r);
    if (!option_given(&r, "timeout")) r.timeout = PATIENCE;
    if (!option_given(&r, "retries")) r.retries = 0; /* what goes wrong is to be seen at once */
    setvbuf(stdout, NULL, _IOLBF, 0);                /* so is what is right */
    if (!code) code = task_open(&s, &r);
    if (code) return code;
    trial t = {.asked = &r, .from = &s};
    code = task_settle(&s);
    if (!code) code = run_checks(&t);
    free(t.x);
    free(t.near);
    free(t.work);
    task_close(&s);
    return code;
}
