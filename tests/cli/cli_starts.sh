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
        fflush(log), fflush(stdout); /* once it is answered the run may end, and this with it */
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
# Starts go on side by side: of questions with two points, more than two are at work at once.
cat >busy.c <<'END1'
#include <math.h>
#include <stdio.h>
#include <time.h>
int main(int argc, char **argv)
{
    unsigned long long id;
    int points, n, i;
    char word[64];
    FILE *log = fopen(argv[argc - 1], "a");
    while (scanf("%*s %llu %d %d %63s", &id, &points, &n, word) == 4) {
        double x[64];
        for (i = 0; i < points; i++)
            if (i > 63 || scanf("%lf", &x[i]) != 1) return 1;
        fputs("begin\n", log), fflush(log);
        nanosleep(&(struct timespec){0, 2000000}, NULL);
        printf("%llu\n", id);
        for (i = 0; i < points; i++) printf("%.17g\n", x[i] * x[i] / 20 - cos(3 * x[i]) + 1);
        fputs("end\n", log), fflush(log), fflush(stdout);
    }
    return 0;
}
END1
cc -O2 busy.c -o busy -lm || wrong "busy.c does not compile"
for workers in 1 8; do
    "$ZOPROX" solve --command "./busy busy$workers.log" --n 1 --dim 1 --prox box:-5,5 --workers $workers --queries 200 --starts 8 --quiet --save busy$workers.x >/dev/null || wrong "busy with $workers"
done
same busy1.x busy8.x "starts side by side"
most() { awk '/begin/ {at++} /end/ {at--} at > most {most = at} END {print most + 0}' "$1"; }
[ "$(most busy1.log)" = 1 ] || wrong "one worker: $(most busy1.log) at once"
[ "$(most busy8.log)" -gt 3 ] && [ "$(most busy8.log)" -le 8 ] || wrong "eight workers: $(most busy8.log) at once"

# Runs of a program with files of its own, likewise.
printf '{x0} {x1}\n' >p.tpl
printf '%s\n' "awk '{print (\$1 * \$1 + \$2 * \$2) / 20 - cos(3 * \$1) - cos(3 * \$2) + 2}' p.in >p.out" >code.sh
for workers in 1 4; do
    "$ZOPROX" solve --template p.tpl=p.in --run 'sh code.sh' --read p.out:1:1 --dim 2 --prox box:-5,5 --queries 100 --starts 4 --workers $workers --save run$workers.x --quiet >out 2>err ||
        wrong "runs with $workers: $(cat err)"
done
same run1.x run4.x "runs side by side"
[ ! -e zoprox-runs ] || wrong "zoprox-runs is left"

# A run that ends in one of several minima says so, for a tenth of its queries; one in a bowl does not.
rm -f one.log
"$ZOPROX" solve --command './waves one.log' --n 1 --dim 2 --prox box:-5,6 --start x0 --workers 1 --queries 600 >out 2>err || wrong "a hint"
grep -q '^hint .*--starts' out || wrong "no hint of other minima: $(cat out)"
"$ZOPROX" solve --command './waves hint.log' "${box[@]}" --queries 600 >hint.json || wrong "a hint in JSON"
[ "$(wc -l <hint.log)" = $(($(field queries hint.json) + $(field watched hint.json))) ] || wrong "what the hint asks is not counted"
[ "$(field valleys hint.json)" -gt 1 ] || wrong "valleys: $(field valleys hint.json)"
"$ZOPROX" solve --command './waves hint.log' "${box[@]}" --queries $(field queries hint.json) >hint.json || wrong "no budget for a hint"
[ "$(field valleys hint.json)" = null ] || wrong "a hint beyond the budget"
sed 's/ - cos(3 \* a) - cos(3 \* b)/ + a * b \/ 20/' waves.c >bowl.c
cc -O2 bowl.c -o bowl -lm && cmp -s bowl.c waves.c && wrong "no bowl"
"$ZOPROX" solve --command './bowl b.log' "${box[@]}" --queries 600 >bowl.json || wrong "a bowl"
case $(field valleys bowl.json) in 1 | null) ;; *) wrong "a bowl has $(field valleys bowl.json) valleys" ;; esac
says 2 "--history belongs to one run" solve --command './waves l' --n 1 --dim 2 --starts 4 --history h.csv
says 2 "--starts: 1 is outside" solve --command './waves l' --n 1 --dim 2 --starts 1
verdict
