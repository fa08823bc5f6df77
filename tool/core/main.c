/* zoprox: the command. Finds the command that is asked for and runs it.
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "core/tool.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/isa.h"
#include "base/text.h"

/* A file opened later must not become standard output because that was closed: reading /dev/null takes its
 * place, so that writing there fails as it should. */
static void hold_standard_files(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            _exit(FAILED);
}

static int unknown_command(const char *name)
{
    size_t count;
    const command_row *rows = command_rows(&count);
    const char *near = text_nearest(name, &rows[0].name, count, sizeof rows[0]);
    if (near) return complain(REFUSED, "unknown command '%s'; did you mean '%s'?", name, near);
    return complain(REFUSED, "unknown command '%s'; see 'zoprox --help'", name);
}

/* ZOPROX_ISA=plain, v3 or v4: no more instructions than these. The bytes are the same. */
static int limit_instructions(void)
{
    const char *wish = getenv("ZOPROX_ISA");
    if (!wish) return DONE;
    for (int level = 0; level < ISA_COUNT; level++)
        if (!strcmp(wish, isa_name((isa)level))) {
            isa_limit((isa)level);
            return DONE;
        }
    return complain(REFUSED, "ZOPROX_ISA: '%s' is not plain, v3 or v4", wish);
}

static int wants_help(int argc, char **argv)
{
    for (int k = 1; k < argc && strcmp(argv[k], "--"); k++)
        if (!strcmp(argv[k], "--help") || !strcmp(argv[k], "-h")) return 1;
    return 0;
}

static int run_command(unsigned bit, int argc, char **argv)
{
    switch (bit) {
    case IN_SOLVE: return command_solve(argc, argv);
    case IN_TUNE: return command_tune(argc, argv);
    case IN_REPRODUCE: return command_reproduce(argc, argv);
    case IN_REPORT: return command_report(argc, argv);
    case IN_PLOT: return command_plot(argc, argv);
    case IN_WATCH: return command_watch(argc, argv);
    case IN_INIT: return command_init(argc, argv);
    case IN_EVAL: return command_eval(argc, argv);
    case IN_PREDICT: return command_predict(argc, argv);
    case IN_OPTIMUM: return command_optimum(argc, argv);
    case IN_CHECK: return command_check(argc, argv);
    case IN_DATA: return command_data(argc, argv);
    case IN_SELFTEST: return command_selftest(argc, argv);
    case IN_COMPLETION: return command_completion(argc, argv);
    case IN_MANUAL: return command_manual(argc, argv);
    default: return command_list(argc, argv); /* methods, proxes, settings */
    }
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return REFUSED;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--version")) {
        printf("zoprox %s\n", zo_version());
        return finish_output(DONE);
    }
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || (!strcmp(name, "help") && argc == 2)) {
        print_help(stdout);
        return finish_output(DONE);
    }
    int help = !strcmp(name, "help");
    const command_row *command = command_find(help ? argv[2] : name);
    if (!command && !help && name[0] == '-')
        return complain(REFUSED, "unknown option '%s'; a command comes first, see 'zoprox --help'",
                        name);
    if (!command) return unknown_command(help ? argv[2] : name);
    if (help || wants_help(argc - 1, argv + 1)) {
        print_command_help(stdout, command);
        return finish_output(DONE);
    }
    int together = command->bit & (IN_SOLVE | IN_TUNE | IN_REPRODUCE);
    if (ranks_me() && !together) return DONE; /* one is enough for the rest */
    return finish_output(run_command(command->bit, argc - 1, argv + 1));
}

int main(int argc, char **argv)
{
    hold_standard_files();
    signal(SIGPIPE,
           SIG_IGN); /* a closed pipe and a full file are errors of a write, told in one sentence */
    signal(SIGXFSZ, SIG_IGN);
    if (argc > 1 && !strcmp(argv[1], FILES_WORKER)) return files_worker(argv + 2);
    if (argc > 1 && !strcmp(argv[1], RUNS_WORKER)) return runs_worker(argc - 1, argv + 1);
    if (argc > 1 && !strcmp(argv[1], FMU_WORKER)) return fmu_worker(argc - 1, argv + 1);
    if (limit_instructions()) return REFUSED;
    ranks_begin(&argc, &argv);
    return ranks_end(run(argc, argv));
}
