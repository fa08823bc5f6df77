#!/usr/bin/env bash
# --starts K: several starts share a budget by halving, and the best goes on; the budget stays hard.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1
# Many minima: sum v^2/20 - cos 3v + 1; every evaluation is counted in a file.
cat >waves.c <<'END1'
#include <math.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    unsigned long long id;
    int points, n, i;
    char word[64];
    FILE *log = fopen(argv[argc - 1], "a");
    while (scanf("%*s %llu %d %d %63s", &id, &points, &n, word) == 4) {
        printf("%llu\n", id);
        for (i = 0; i < points; i++) {
            double a, b;
            if (scanf("%lf %lf", &a, &b) != 2) return 1;
            printf("%.17g\n", (a * a + b * b) / 20 - cos(3 * a) - cos(3 * b) + 2);
            fputs("x\n", log);
        }
        fflush(stdout), fflush(log);
    }
    return 0;
}
END1
cc -O2 waves.c -o waves -lm || wrong "waves.c does not compile"
printf '4\n4\n' >x0
field() { sed -n "s/^ *\"$1\": *\([^,]*\),*\$/\1/p" "$2" | head -n 1; }
box=(--n 1 --dim 2 --prox box:-5,5 --start x0 --workers 1 --retries 0 --quiet --json)
"$ZOPROX" solve --command './waves one.log' "${box[@]}" --queries 600 >one.json || wrong "one start"
"$ZOPROX" solve --command './waves many.log' "${box[@]}" --queries 600 --starts 32 --save x >many.json || wrong "many starts"
awk -v a="$(field objective one.json)" -v b="$(field objective many.json)" 'BEGIN {exit !(a > 1 && b < 0.5)}' || wrong "F: one start $(field objective one.json), many $(field objective many.json)"
calls=$(wc -l <many.log)
[ "$calls" -le 600 ] || wrong "600 queries were allowed, $calls were made"
[ "$calls" = $(($(field queries many.json) + $(field watched many.json) + $(field starts_queries many.json))) ] || wrong "$calls calls, the report says $(grep queries many.json)"
"$ZOPROX" solve --command './waves again.log' "${box[@]}" --workers 3 --queries 600 --starts 32 --save y >/dev/null || wrong "again"
same x y "the same seed, other workers"
says 2 "--history and --page belongs to one run" solve --command './waves l' --n 1 --dim 2 --starts 4 --history h.csv
says 2 "--starts: 1 is outside" solve --command './waves l' --n 1 --dim 2 --starts 1
verdict
