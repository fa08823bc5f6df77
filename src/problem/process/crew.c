/* A crew's life: seats, failing, starting anew later and later.
 * SPDX-License-Identifier: MIT */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "problem/process/crew.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/error.h"
#include "base/mem.h"

enum { FILES_EACH = 3, FILES_BESIDE = 16 }; /* descriptors of a worker; of all else that is open */
enum { WORDS = 160, OWN_WORDS = 300 };      /* that are told: ours have a path in them */
enum { FIRST_WAIT_MS = 50, LONGEST_WAIT_MS = 5000 };

double crew_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A pipe to each of the three streams, and poll takes no more than may be open. */
static zo_status check_files(int workers, zo_error *err)
{
    struct rlimit may;
    if (getrlimit(RLIMIT_NOFILE, &may) || may.rlim_cur == RLIM_INFINITY) return ZO_OK;
    rlim_t need = (rlim_t)workers * FILES_EACH + FILES_BESIDE;
    if (need <= may.rlim_cur) return ZO_OK;
    rlim_t fit = may.rlim_cur > FILES_BESIDE ? (may.rlim_cur - FILES_BESIDE) / FILES_EACH : 0;
    return fail(err, ZO_BAD_ARGUMENT,
                "workers: %d need %llu open files, and this process may have %llu (ulimit -n): at "
                "most %llu workers",
                workers, (unsigned long long)need, (unsigned long long)may.rlim_cur,
                (unsigned long long)fit);
}

zo_status crew_open(crew *c, size_t d, int workers, zo_error *err)
{
    zo_status status = check_files(workers, err);
    if (status) return status;
    c->workers = c->facts.workers = workers;
    c->seat = mem_new((size_t)workers, sizeof *c->seat);
    c->poll = mem_new(3 * (size_t)workers, sizeof *c->poll);
    c->point = mem_new(d, sizeof *c->point);
    if (!c->seat || !c->poll || !c->point) return out_of_memory(err, "workers", (size_t)workers);
    return guardian_start(&c->guardian, err);
}

void crew_close(crew *c)
{
    for (int k = 0; c->seat && k < c->workers; k++) {
        worker_stop(&c->seat[k].w, &c->guardian, NULL, 0);
        worker_free(&c->seat[k].w);
    }
    guardian_stop(&c->guardian);
    journal_close(c->journal);
    bytes_free(&c->text);
    mem_free(c->values);
    mem_free(c->point);
    mem_free(c->poll);
    mem_free(c->seat);
}

/* The last line or two of what it said on standard error, most bytes of it. */
static void last_words(const worker *w, size_t most, char *text, size_t size)
{
    const char *from = w->words + (w->nwords > most ? w->nwords - most : 0);
    const char *next = w->nwords > most ? strchr(from, '\n') : NULL;
    if (next && next[1]) from = next + 1; /* not from the middle of a line */
    snprintf(text, size, "%s", w->nwords ? from : "");
    for (size_t k = strlen(text); k && (unsigned char)text[k - 1] <= ' '; k--) text[k - 1] = 0;
}

int seat_explains(const seat *s, char *text, size_t size)
{
    const worker *w = &s->w;
    size_t end = w->nwords, from;
    while (end && (unsigned char)w->words[end - 1] <= ' ') end--;
    for (from = end; from && w->words[from - 1] != '\n'; from--) {
    }
    if (!w->spoke || from == end) return 0;
    if (end - from > 200) end = from + 200;
    snprintf(text, size, "it answered nan or inf; it said: %.*s", (int)(end - from),
             w->words + from);
    for (char *p = text; *p; p++)
        if ((unsigned char)*p < ' ') *p = ' ';
    return 1;
}

/* Once is bad luck: it is started anew at once. From then on the pauses double; where it had begun well, and then fell over a
 * question, they stay short. */
static double pause_seconds(unsigned bad, int greeted)
{
    if (bad < 2) return 0;
    double most = greeted ? 2 * FIRST_WAIT_MS : LONGEST_WAIT_MS;
    return 1e-3 * fmin(FIRST_WAIT_MS * ldexp(1, (int)(bad < 12 ? bad - 1 : 11)), most);
}

void seat_stop(crew *c, seat *s)
{
    worker_stop(&s->w, &c->guardian, NULL, 0);
    s->held = 0;
    s->greeted = 0;
}

/* Do failures end the run? Or are they facts, that count as NaN? Nonsense of a program that never spoke any other way is
 * none. */
static int is_strict(const crew *c)
{
    return !c->halt || c->halt->nonfinite == ZO_STOP || (c->nonsense && !c->facts.values);
}

int crew_pays(crew *c, uint64_t queries)
{
    if (queries > c->left && !is_strict(c)) return 0;
    c->left -= queries < c->left ? queries : c->left;
    c->retried += queries;
    return 1;
}

int crew_is_new(const crew *c)
{
    return !c->heard && !c->facts.lost && !(c->halt && c->halt->begun);
}

/* A value that cannot be had is NaN, and so is what else of its point waits to be asked. Where it is the first of all, the start
 * cannot be evaluated, and nothing else of the fan is worth a run. */
static void give_up(crew *c, size_t k)
{
    int new = crew_is_new(c);
    c->bad = c->q->at[k];
    atomic_fetch_add(&c->again.vain, 1);
    size_t values = questions_give_up_at(c->q, k, c->facts.means);
    if (new) values += questions_give_up_rest(c->q, c->facts.means);
    c->facts.lost += values;
    c->answered += values;
}

int question_failed(crew *c, size_t k)
{
    question *a = &c->q->at[k];
    unsigned tries = ++a->tries;
    uint64_t queries = question_values(c->q, k, c->facts.all);
    if (is_strict(c)) {
        questions_return(c->q, k);
        return tries <= c->retries && !c->mistake && crew_pays(c, queries);
    }
    if (c->mistake || (c->bad.npoints && question_at(c->q, k, &c->bad))) {
        give_up(c, k);
        return 1;
    }
    size_t whole = question_values(c->q, k, c->facts.means || c->facts.all);
    unsigned most = again_pays(&c->again) ? c->retries : 0;
    int repeats = tries <= (whole > 1 && most > 1 ? 1 : most);
    if ((!repeats && whole < 2) || !crew_pays(c, queries))
        give_up(c, k);
    else if (repeats)
        questions_return(c->q, k);
    else if (!questions_split(c->q, k, c->facts.means || c->facts.all))
        give_up(c, k);
    return 1;
}

/* All workers together have failed too often. */
static int too_many(crew *c)
{
    if (!c->max_failures || c->failures <= c->max_failures) return 0;
    size_t used = strlen(c->why);
    snprintf(c->why + used, sizeof c->why - used,
             "; this was failure %llu, and at most %llu are allowed",
             (unsigned long long)c->failures, (unsigned long long)c->max_failures);
    return 1;
}

/* What a program said, and behind it, in the last line, what our worker says of it. */
static void tell_both(const char *words, char *told, size_t size)
{
    const char *last = strrchr(words, '\n');
    size_t said = last ? (size_t)(last - words) : 0;
    while (said && (unsigned char)words[said - 1] <= ' ') said--;
    snprintf(told, size, "%.*s%s%s", (int)said, words, said ? "; " : "", last ? last + 1 : words);
}

/* Is it certain that asking again would fail, too? A shell says 127 of a program that is not there. */
static int is_mistake(const crew *c, int own, int code)
{
    if (own && code == WORKER_MISTAKEN) return crew_is_new(c);
    return code == 127 && !c->met;
}

/* The questions behind the one that failed. A program that spoke nonsense has gone on with them, and they are paid for; one that
 * has ended, or hangs, has not. */
static void take_back(crew *c, seat *s)
{
    for (size_t k = s->held; k-- > 1;) {
        uint64_t queries = question_values(c->q, s->hand[k], c->facts.all);
        if (c->nonsense && !crew_pays(c, queries))
            give_up(c, s->hand[k]);
        else
            questions_return(c->q, s->hand[k]);
    }
    s->held = 0;
}

int seat_failed(crew *c, seat *s, const char *what)
{
    char how[64] = "", words[320], told[400];
    size_t blamed = s->held ? s->hand[0] : SIZE_MAX;
    int own = !strcmp(c->argv[0], "/proc/self/exe"); /* it runs another, and says what of it */
    int code = worker_stop(&s->w, &c->guardian, how, sizeof how);
    last_words(&s->w, own ? OWN_WORDS : WORDS, words, sizeof words);
    if (own && !what && *words)
        tell_both(words, told, sizeof told);
    else
        snprintf(told, sizeof told, "%s%s%s", what ? what : how, *words ? "; it said: " : "",
                 words);
    for (char *p = told; *p; p++)
        if ((unsigned char)*p < ' ') *p = ' ';
    if (blamed != SIZE_MAX) crew_record_failure(c, blamed, crew_clock() - s->since, told);
    c->facts.restarts++;
    c->failures++;
    take_back(c, s);
    s->not_before = crew_clock() + pause_seconds(++s->bad, s->greeted);
    s->greeted = 0;
    snprintf(c->why, sizeof c->why, "command '%s': %s", c->name, told);
    c->mistake = !what && is_mistake(c, own, code);
    int goes_on =
        blamed != SIZE_MAX ? question_failed(c, blamed) : s->bad <= c->retries && !c->mistake;
    c->mistake = 0;
    if (!goes_on || (own && !what && code == WORKER_HOPELESS) || too_many(c)) return 0;
    c->facts.retried += blamed != SIZE_MAX;
    return 1;
}

int seat_send(crew *c, seat *s)
{
    int fine = bytes_add(&s->w.to, c->text.at + c->text.begin, c->text.end - c->text.begin);
    return fine && worker_write(&s->w);
}
