#!/usr/bin/env bash
# zoprox plot: traces, run stores and histories, on the terminal and by gnuplot.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1
cc -std=c11 -O2 -Wall -Wextra -Werror "$SOURCE/tests/support/slow.c" -o slow -lm || wrong "slow.c does not compile"
box=(--command './slow 10 6 0' --n 10 --dim 6 --units 30 --method fista --quiet)
"$ZOPROX" solve "${box[@]}" --history h.csv --trace t.csv --json >r.json || wrong "a run"
"$ZOPROX" solve "${box[@]}" --history h.db >/dev/null 2>err || grep -q 'no SQLite' err || wrong "a run with SQLite"

prints "F over queries" plot t.csv
[ "$(grep -c $'\xe2[\xa0-\xa3]' out)" -ge 5 ] || wrong "no curve: $(cat out)"
best=$(sed -n 's/.*"best_objective": \([0-9.]*\),.*/\1/p' r.json)
prints "best mean of f over evaluations" plot h.csv --quiet
"$ZOPROX" plot h.csv >raw 2>err && same raw out "a remark changes the picture"
[ "$(wc -l <err)" = 1 ] && grep -q "plot: 'h.csv': f is the mean of the values as the program gave them; where the run had --residuals" err || wrong "nothing says that values are raw: $(cat err)"
end=$(sed -n 's/.*h.csv: \([0-9.]*\) at the end.*/\1/p' out)
awk -v a="$best" -v b="$end" 'BEGIN {exit !(b <= a * (1 + 1e-8) && b > 0)}' || wrong "the best of the history is $end, of the run $best"
if [ -s h.db ]; then
    cp out csv.out
    prints "h.db: $end at the end" plot h.db --quiet
    "$ZOPROX" tune synth:n=200,d=6,seed=3 --l1 1e-3 --l2 1e-3 --grid 'step=0.1,0.5' --method pgd --budget 5 --store a.runs >/dev/null 2>&1
    prints "pgd, seed 1001" plot a.runs
fi
# a line that is being written is not there yet
printf '1,2,3' >>h.csv
prints "h.csv: $end at the end" plot h.csv t.csv --quiet
if command -v gnuplot >/dev/null; then
    for kind in svg png; do
        "$ZOPROX" plot t.csv h.csv -o "it's a picture.$kind" || wrong "picture.$kind"
        [ -s "it's a picture.$kind" ] || wrong "no picture.$kind"
    done
    grep -q '<svg' "it's a picture.svg" && grep -q 'h.csv' "it's a picture.svg" || wrong "the picture is none"
fi
says 2 "should end in .svg" plot t.csv -o t.jpg
says 2 "plot needs a trace" plot
says 2 "No such file" plot /no/such/file
says 2 "plot: 'r.json' is neither a trace (--trace) nor a run store nor a history (--history: columns x0, x1, ..., value)" plot r.json
says 2 "report: 'r.json' is neither a trace" report r.json -o r.html
echo hello >hello.txt
says 2 "report: 'hello.txt' is neither a trace" report hello.txt -o r.html
# A history of residuals: the loss of them, not their mean, which may be anything.
printf 'x0,component,value\n0,0,-3\n0,1,1\n1,0,1\n1,1,2\n2,0,2\n2,1,2\n' >r.csv
printf '2\n2\n' >t.txt
"$ZOPROX" plot r.csv --residuals squares --targets t.txt >out 2>err || wrong "plot of residuals: $(cat err)"
grep -q ': 0 at the end' out && [ ! -s err ] || wrong "plot of residuals: $(tail -n 1 out)"
"$ZOPROX" plot r.csv --quiet | grep -q ': -1 at the end' || wrong "plot of values"
printf '2\n' >t.txt
says 2 "has case 1, but there are 1 targets" plot r.csv --residuals squares --targets t.txt
verdict
