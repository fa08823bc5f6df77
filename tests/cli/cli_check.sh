#!/usr/bin/env bash
# zoprox check: the price comes first and is kept, --quick is quick, --start and --prox say where it may ask.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1
cc -std=c11 -O2 -Wall -Wextra -Werror "$SOURCE/tests/support/slow.c" -o slow -lm || wrong "slow.c does not compile"

# What is announced is what is asked, of a program so slow that nothing is added.
prints "it can be solved" check --command './slow 41 6 1 asked' --n 41 --dim 6 --workers 1
price=$(sed -n 's/^price  *at least \([0-9]*\) queries.*/\1/p' out)
[ "${price:-0}" -gt 0 ] && [ "$price" -lt 900 ] || wrong "the price: $(grep price out)"
[ "$(wc -l <asked)" = "$price" ] || wrong "$(wc -l <asked) queries at a price of $price"
[ "$(grep -n '^price' out | cut -d: -f1)" -lt "$(grep -n '^value' out | cut -d: -f1)" ] || wrong "the price comes late"
rm asked
prints "it can be solved" check --command './slow 41 6 0 asked' --n 41 --dim 6 --quick
[ "$(wc -l <asked)" = 8 ] && grep -q '^price  *8 queries' out || wrong "--quick: $(wc -l <asked) queries: $(grep price out)"

# Around the start, and never outside of bounds: narrow ones, and one that is a point.
printf '%s\n' 0.5 2 2 >start
rm asked
prints "at the start" check --command './slow 5 3 0 asked' --n 5 --dim 3 --start start --prox box:0.4999,0.5@0:1 --prox box:1,2@1:2 --prox box:2,2@2:3
awk '$2 < 0.4999 || $2 > 0.5 || $3 < 1 || $3 > 2 || $4 != 2 {bad++} END {if (bad) print bad " of " NR; exit bad > 0 || NR < 500}' asked ||
    wrong "outside of the bounds"
prints "at the start" check --command './slow 5 3 0' --n 5 --dim 3 --start start --quick
prints "at the point nearest to 0" check --command './slow 5 3 0' --n 5 --dim 3 --prox box:1,2 --quick
prints "not tried: the bounds leave one point" check --command './slow 5 3 0' --n 5 --dim 3 --prox box:1,1 --quick
! grep -q 'does the program read x' out || wrong "one point is taken for two"
prints "it can be solved" check --command './slow 5 3 0' --n 5 --dim 3 --l1 0.1
says 2 "start" check --command './slow 5 3 0' --n 5 --dim 3 --start /no/such/file

# A program with files: runs are dear, and forms of questions are our worker's.
printf 'echo run >>"$ZOPROX_FROM/ran"; awk "{for (i = 0; i < 12; i++) print i + \\$1 * \\$2}" p.in >p.out' >code.sh
echo '{x0} {x1}' >p.tpl
prints "at x = 0" check --template p.tpl=p.in --run 'sh code.sh' --read 'p.out:*:1' --n 12 --dim 2
[ "$(wc -l <ran)" = 4 ] && grep -q '^price  *4 runs (2 units)$' out && grep -q '^speed .*(4 runs in' out || wrong "files: $(wc -l <ran) runs: $(cat out)"
rm ran
printf 'a = 1\nb = 2\n' >p.toml
echo '{a} {b} {case}' >p.tpl
prints "at the start" check --template p.tpl=p.in --run 'sh code.sh' --read 'p.out:3:1' --n 12 --parameters p.toml
[ "$(wc -l <ran)" = 8 ] && grep -q '^price  *8 queries' out || wrong "cases: $(wc -l <ran) runs: $(cat out)"

# On a terminal: how far it is.
if command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    script -qec "'$ZOPROX' check --command './slow 4 6 2' --n 4 --dim 6 --workers 2" /dev/null </dev/null | tr '\r' '\n' >line
    grep -qE 'check: [0-9]+ of about [0-9]+ queries  0:0[0-9] left  busy [12] of 2' line || wrong "the line on a terminal: $(cat -v line)"
fi
verdict
