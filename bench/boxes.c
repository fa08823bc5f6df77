/* What programs as black boxes reach: queries a second over pipes, how busy workers are, how well uneven questions are
 * shared out, and 1000 faults in one run. SPDX-License-Identifier: MIT
 *
 *     boxes                       all of it
 *     boxes rate|busy|uneven|faults [N]
 *
 * The program is its own worker: boxes worker KIND. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/rng.h"
#include "zoprox_box.h"

enum { WORKERS = 2, N = 10000, D = 100, SMALL_N = 200, SMALL_D = 6, KINDS = 6 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void pause_for(double s)
{
    struct timespec t = {(time_t)s, (long)(1e9 * (s - floor(s)))};
    while (nanosleep(&t, &t) && errno == EINTR) {
    }
}

/* f_i(x) = log(1 + exp(-a_i'x)), a_ij = cos((i+1)(j+1)) by a recurrence that needs no cos inside. */
static double f(size_t i, size_t d, const double *x)
{
    double twice = 2 * cos((double)(i + 1)), before = 1, at = 0.5 * twice, m = 0;
    for (size_t j = 0; j < d; j++) {
        double next = twice * at - before;
        m += at * x[j];
        before = at;
        at = next;
    }
    return log1p(exp(-m));
}

/* ---- the worker --------------------------------------------------------------------------------------------- */

typedef struct shared { /* by all workers: a file in memory */
    atomic_ulong asked, faults[KINDS];
} shared;

static double cost_of(uint64_t id) /* seconds: 4 ms to 40 ms */
{
    return 0.004 * pow(10, (double)(id * 2654435761u % 1000) / 999);
}

/* Every so many questions a fault, of a kind drawn from the seed. Returns 1 when the answer has been spoilt. */
static void go_wrong(shared *s, unsigned long every, double timeout, double *value)
{
    unsigned long k = atomic_fetch_add(&s->asked, 1) + 1;
    if (k % every) return;
    rng_block drawn = rng_draw(7, FOR_CHECK, k, 0);
    unsigned kind = drawn.v[0] % KINDS;
    atomic_fetch_add(&s->faults[kind], 1);
    switch (kind) {
    case 0: raise(SIGKILL); break;
    case 1:
        for (;;) pause();
    case 2: *value = NAN; break;
    case 3: printf("what a mess\n"); break;
    case 4:
        printf("12");
        fflush(stdout);
        _exit(9);
    default: pause_for(1.5 * timeout); break; /* an answer that nobody waits for any more */
    }
}

static int worker(int argc, char **argv)
{
    const char *kind = argv[0];
    size_t n = strtoul(argv[1], NULL, 10), d = strtoul(argv[2], NULL, 10);
    int means = !strcmp(kind, "means");
    shared *s = NULL;
    if (argc > 3)
        s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED, open(argv[3], O_RDWR), 0);
    if (means) printf("zoprox-means\n");
    size_t id, npoints, ncomp, room = 1 << 20;
    char *line = NULL;
    size_t *comp = calloc(n, sizeof *comp);
    double *x = calloc(d, sizeof *x), *value = calloc(room, sizeof *value);
    while (getline(&line, &room, stdin) > 0 &&
           sscanf(line, "%*s %zu %zu %zu", &id, &npoints, &ncomp) == 3) {
        if (getline(&line, &room, stdin) <= 0) return 1;
        char *p = line;
        for (size_t k = 0; k < ncomp; k++) comp[k] = *line == 'a' ? k : strtoul(p, &p, 10);
        for (size_t r = 0; r < npoints; r++) {
            if (getline(&line, &room, stdin) <= 0) return 1;
            p = line;
            for (size_t j = 0; j < d; j++) x[j] = strtod(p, &p);
            for (size_t k = 0; k < ncomp; k++) value[r * ncomp + k] = f(comp[k], d, x);
        }
        if (npoints && !strcmp(kind, "slow")) pause_for(0.02);
        if (npoints && !strcmp(kind, "uneven")) pause_for(cost_of(id));
        if (npoints && s) go_wrong(s, strtoul(argv[4], NULL, 10), strtod(argv[5], NULL), value);
        printf("%zu\n", id);
        for (size_t r = 0; r < npoints; r++) {
            double sum = 0;
            for (size_t k = 0; k < ncomp; k++) sum += value[r * ncomp + k];
            if (means) printf("%.17g", sum / (double)ncomp);
            for (size_t k = 0; !means && k < ncomp; k++) printf(" %.17g", value[r * ncomp + k]);
            printf("\n");
        }
        fflush(stdout);
    }
    return 0;
}

/* ---- the other side ------------------------------------------------------------------------------------------ */

static char self[4096];

static void die(const char *text)
{
    fprintf(stderr, "boxes: %s\n", text);
    exit(1);
}

static zo_command *begin(const char *kind, zo_problem *p)
{
    char n[16], d[16];
    snprintf(n, sizeof n, "%d", N);
    snprintf(d, sizeof d, "%d", D);
    const char *argv[] = {self, "worker", kind, n, d, NULL};
    zo_command_options o = {.argv = argv, .n = N, .d = D, .workers = WORKERS};
    zo_command *c;
    zo_error e;
    if (zo_command_new(&c, &o, p, &e)) die(e.text);
    return c;
}

/* Asks the fan of a step of zpdvr, two bases, so many directions and components, again and again. */
static void ask(zo_problem *p, size_t ndir, size_t batch, int fans, uint64_t *queries)
{
    double *dir = calloc(ndir * D, sizeof *dir), base[2][D], out[256];
    uint64_t *comp = calloc(batch, sizeof *comp);
    for (int k = 0; k < fans; k++) {
        rng_normals(1, FOR_CHECK, (uint64_t)k, 0, ndir * D, dir);
        rng_normals(2, FOR_CHECK, (uint64_t)k, 0, D, base[0]);
        rng_normals(3, FOR_CHECK, (uint64_t)k, 0, D, base[1]);
        for (size_t e = 0; e < batch; e++) comp[e] = (e * 39 + (size_t)k) % N;
        zo_fan fan = {.n = N,
                      .d = D,
                      .nbase = 2,
                      .base = {base[0], base[1]},
                      .ndir = ndir,
                      .dir = dir,
                      .radius = 1e-6,
                      .sides = 1,
                      .ncomp = batch,
                      .comp = comp};
        if (p->answer(p->ctx, &fan, out)) die(p->health(p->ctx).text);
        *queries += zo_fan_queries(&fan);
    }
    free(dir);
    free(comp);
}

static int verdict(int fine) { return printf("   %s\n", fine ? "reached" : "MISSED"), fine; }

static int rate(void)
{
    double best = 0;
    for (int round = 0; round < 5; round++) {
        zo_problem p;
        zo_command *c = begin("means", &p);
        uint64_t queries = 0, warm = 0;
        ask(&p, 16, 256, 3, &warm);
        double start = seconds();
        ask(&p, 16, 256, 60, &queries);
        best = fmax(best, (double)queries / (seconds() - start));
        zo_command_free(c);
    }
    printf(
        "queries a second over pipes (means; d = 100, 16 directions, batch 256): %.3g; wanted 3e5",
        best);
    return verdict(best >= 3e5);
}

static int busy(void)
{
    zo_problem p;
    zo_command *c = begin("slow", &p);
    uint64_t queries = 0;
    double start = seconds();
    ask(&p, 16, 64, 5, &queries);
    double wall = seconds() - start;
    zo_command_facts g = zo_command_look(c);
    double share = 0.02 * (double)g.questions / (WORKERS * wall);
    zo_command_free(c);
    printf(
        "workers busy where a question takes 20 ms (%llu questions, 5 fans): %.1f %%; wanted 90 %%",
        (unsigned long long)g.questions, 100 * share);
    return verdict(share >= 0.9);
}

/* The ideal: nobody ever waits, but a fan must be whole before the next one is asked. */
static int uneven(void)
{
    zo_problem p;
    zo_command *c = begin("uneven", &p);
    double ideal = 0, start = seconds();
    uint64_t queries = 0, id = 1;
    for (int fan = 0; fan < 5; fan++) {
        double all = 0, most = 0;
        ask(&p, 16, 64, 1, &queries);
        for (; id <= zo_command_look(c).questions; id++) {
            all += cost_of(id);
            most = fmax(most, cost_of(id));
        }
        ideal += fmax(all / WORKERS, most);
    }
    double ratio = (seconds() - start) / ideal;
    zo_command_free(c);
    printf("questions of 4 to 40 ms, time over that of the ideal schedule: %.3f; wanted 1.15",
           ratio);
    return verdict(ratio <= 1.15);
}

static int small_value(void *ctx, size_t i, const double *x, double *out)
{
    (void)ctx;
    *out = f(i, SMALL_D, x);
    return 0;
}

static zo_report solve(zo_problem *p, uint64_t fans, double *x)
{
    zo_settings s = zo_defaults();
    zo_control c = zo_no_limits();
    zo_solver *solver;
    zo_report r = {0};
    zo_error e;
    strcpy(s.method, "zosgd");
    p->psi = zo_l1(1e-3);
    s.step = 0.1;
    s.batch = 2;
    s.directions = 3;
    s.radius = 1e-4;
    c.max_steps = fans;
    c.track = ZO_TRACK_OFF;
    if (zo_new(&solver, p, &s, &e) || zo_start(solver, NULL, &e) || zo_run(solver, &c, &r, &e))
        die(e.text);
    memcpy(x, zo_point(solver), SMALL_D * sizeof *x);
    zo_free(solver);
    return r;
}

static size_t descriptors(void)
{
    size_t count = 0;
    DIR *dir = opendir("/proc/self/fd");
    while (dir && readdir(dir)) count++;
    if (dir) closedir(dir);
    return count;
}

/* So many faults in 20 times as many fans of eight questions each. */
static int faults(uint64_t wanted)
{
    char path[] = "/dev/shm/boxes-XXXXXX", every[16], timeout[16] = "0.5", n[16], d[16];
    int fd = mkstemp(path);
    size_t before = descriptors();
    if (fd < 0 || ftruncate(fd, sizeof(shared))) die("cannot make a file in /dev/shm");
    shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    uint64_t fans = 20 * wanted;
    snprintf(every, sizeof every, "%d", 8 * 20);
    snprintf(n, sizeof n, "%d", SMALL_N);
    snprintf(d, sizeof d, "%d", SMALL_D);
    const char *argv[] = {self, "worker", "values", n, d, path, every, timeout, NULL};
    zo_command_options o = {
        .argv = argv, .n = SMALL_N, .d = SMALL_D, .workers = WORKERS, .timeout = 0.5, .retries = 9};
    zo_problem mine = {.n = SMALL_N, .d = SMALL_D, .value = small_value}, theirs;
    zo_command *c;
    zo_error e;
    double x[SMALL_D], y[SMALL_D], start = seconds();
    solve(&mine, fans, x);
    if (zo_command_new(&c, &o, &theirs, &e)) die(e.text);
    zo_report r = solve(&theirs, fans, y);
    zo_command_facts g = zo_command_look(c);
    zo_command_free(c);
    uint64_t injected = 0;
    printf("faults in %llu fans, %.0f s:", (unsigned long long)fans, seconds() - start);
    static const char *const names[KINDS] = {"kill",    "hang",        "nan",
                                             "garbage", "half a line", "slow"};
    for (int k = 0; k < KINDS; k++) {
        printf(" %s %lu%s", names[k], (unsigned long)s->faults[k], k < KINDS - 1 ? "," : "");
        injected += s->faults[k];
    }
    int same = !memcmp(x, y, sizeof x), nobody = waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
    int closed = descriptors() == before, counted = r.failures >= injected;
    printf(
        "\n  injected %llu, counted %llu (%llu restarts, %llu time-outs); bytes %s; children %s; "
        "descriptors %s",
        (unsigned long long)injected, (unsigned long long)r.failures,
        (unsigned long long)g.restarts, (unsigned long long)g.timeouts,
        same ? "the same" : "DIFFER", nobody ? "none" : "LEFT", closed ? "as before" : "LEAKED");
    munmap(s, sizeof *s);
    close(fd);
    unlink(path);
    return verdict(same && nobody && closed && counted && injected >= wanted);
}

int main(int argc, char **argv)
{
    if (argc > 4 && !strcmp(argv[1], "worker")) return worker(argc - 2, argv + 2);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0) die("/proc/self/exe cannot be read");
    const char *only = argc > 1 ? argv[1] : "";
    int fine = 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!*only || !strcmp(only, "rate")) fine &= rate();
    if (!*only || !strcmp(only, "busy")) fine &= busy();
    if (!*only || !strcmp(only, "uneven")) fine &= uneven();
    if (!*only || !strcmp(only, "faults"))
        fine &= faults(argc > 2 ? strtoul(argv[2], NULL, 10) : 1000);
    return !fine;
}
