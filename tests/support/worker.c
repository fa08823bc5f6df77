/* A black box for tests that goes wrong on purpose: worker FOLDER N D [every] [means|bell|axe].
 * SPDX-License-Identifier: MIT
 *
 * f_i(x) = log(1 + exp(-a_i'x)). Every so many questions one of seven faults happens: it dies, falls silent,
 * answers nan, garbage, half a line and then dies, too few values, or too late. A counter in FOLDER, shared by all workers, says
 * which question this is, so that a question asked again after a fault is another question. FOLDER/faults counts them.
 * With bell or axe every so many questions it does nothing wrong itself: it interrupts or kills the process that asks, and
 * never answers. FOLDER/pids has the numbers of all workers. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static size_t n, d;

static double f(size_t i, const double *x)
{
    double m = 0;
    for (size_t j = 0; j < d; j++) m += cos((double)((i + 1) * (j + 1))) * x[j];
    return log1p(exp(-m));
}

/* Adds one to the number in a file and returns it. */
static unsigned long count(const char *folder, const char *name)
{
    char path[4096], text[32] = "";
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    flock(fd, LOCK_EX);
    if (read(fd, text, sizeof text - 1) < 0) exit(3);
    unsigned long k = strtoul(text, NULL, 10) + 1;
    snprintf(text, sizeof text, "%lu\n", k);
    if (pwrite(fd, text, strlen(text), 0) < 0) exit(3);
    close(fd);
    return k;
}

static void note_pid(const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/pids", folder);
    FILE *f = fopen(path, "a");
    if (!f) exit(3);
    fprintf(f, "%d\n", (int)getpid());
    fclose(f);
}

int main(int argc, char **argv)
{
    if (argc < 4) return 2;
    n = strtoul(argv[2], NULL, 10);
    d = strtoul(argv[3], NULL, 10);
    unsigned long every = argc > 4 ? strtoul(argv[4], NULL, 10) : 0;
    int means = argc > 5 && !strcmp(argv[5], "means"), bell = argc > 5 && !strcmp(argv[5], "bell"),
        axe = argc > 5 && !strcmp(argv[5], "axe");
    if (bell || axe) note_pid(argv[1]);
    if (means) printf("zoprox-means\n");
    double *x = malloc(d * sizeof *x);
    char kind[8], word[32];
    size_t id, points, comps;
    while (scanf("%7s %zu %zu %zu", kind, &id, &points, &comps) == 4) {
        size_t *comp = malloc((comps + 1) * sizeof *comp);
        double *value = calloc(points * comps + 1, sizeof *value);
        for (size_t k = 0; k < comps && scanf("%31s", word) == 1; k++) {
            for (size_t i = 0; *word == 'a' && i < n; i++) comp[k++] = i;
            if (*word != 'a') comp[k] = strtoul(word, NULL, 10);
        }
        size_t each = !strcmp(kind, "each") ? comps : 1;
        for (size_t row = 0; row < points * each; row++) {
            for (size_t j = 0; j < d; j++)
                if (scanf("%lf", &x[j]) != 1) return 1;
            for (size_t k = 0; each == 1 && k < comps; k++) value[row * comps + k] = f(comp[k], x);
            if (each > 1) value[row % points * comps + row / points] = f(comp[row / points], x);
        }
        unsigned long asked = points && (every || bell || axe) ? count(argv[1], "asked") : 1;
        if ((bell || axe) && every && points && asked % every == 0) {
            kill(getppid(), axe ? SIGKILL : SIGINT);
            for (;;) pause();
        }
        int fault = every && asked % every == 0 ? (int)(asked / every % 7) : -1;
        if (fault >= 0) count(argv[1], "faults");
        if (fault == 0) raise(SIGKILL);
        if (fault == 1) pause();
        if (fault == 6) sleep(30); /* an answer that nobody waits for any more */
        if (fault == 2) value[points * comps - 1] = NAN;
        if (fault == 3) printf("what a mess\n");
        printf("%zu\n", id);
        if (fault == 4) {
            printf("0.12");
            fflush(stdout);
            fprintf(stderr, "half a line, and then\n");
            _exit(9);
        }
        for (size_t p = 0; p < points; p++) {
            double sum = 0;
            for (size_t k = 0; k < comps - (fault == 5 && p == 0); k++) {
                sum += value[p * comps + k];
                if (!means) printf(" %.17g", value[p * comps + k]);
            }
            if (means) printf("%.17g", sum / (double)comps);
            printf("\n");
        }
        fflush(stdout);
        free(comp);
        free(value);
    }
    free(x);
    return 0;
}
