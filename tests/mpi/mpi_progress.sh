# How far a run on several ranks has come is seen within a question; a history is refused in one sentence.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/mpi.inc"
cc -std=c11 -O2 "$SOURCE/tests/support/slow.c" -o slow -lm || wrong "slow.c does not compile"
box=(--command './slow 300 6 1' --n 300 --dim 6 --units 1.2 --method pgd --step 0.01 --track off --workers 1 --quiet)
"$ZOPROX" solve "${box[@]}" --save s.x >/dev/null || wrong "alone"
on 2 solve "${box[@]}" --progress lines --save r.x >/dev/null 2>r.err || wrong "2 ranks: $(head -c 300 r.err)"
same s.x r.x "2 ranks"
grep -q '"asked":2100,"answered":[1-9]' lines || wrong "nothing is seen within a question: $(head -c 600 lines)"
[ "$(grep -c '"event":"end"' lines)" = 1 ] || wrong "the end: $(tail -n 2 lines)"
fails 2 "ranks do not share one" 2 solve "${box[@]}" --history h.csv
verdict
