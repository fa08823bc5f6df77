#!/usr/bin/env bash
# --history and --past: every evaluation in a file, to be read meanwhile; what is known is not asked again; the same bytes.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1
cc -std=c11 -O2 -Wall -Wextra -Werror "$SOURCE/tests/support/slow.c" -o slow -lm || wrong "slow.c does not compile"
cc -std=c11 -O2 -Wall -Wextra -I "$SOURCE/include" -shared -fPIC "$SOURCE/examples/plugin/plugin.c" -o plugin.so || wrong "plugin.c"
box=(--n 30 --dim 6 --units 7 --l1 1e-2 --quiet)
kinds=(csv)
"$ZOPROX" solve --command './slow 30 6 0' "${box[@]}" --history try.db >/dev/null 2>err && kinds+=(db)
[ -s try.db ] || grep -q 'has no SQLite' err || wrong "without SQLite: $(cat err)"

# The same bytes with and without, for any workers; a line for each value, each number once.
"$ZOPROX" solve --command './slow 30 6 0 asked' "${box[@]}" --save x0 >out || wrong "without history"
calls=$(wc -l <asked)
printf '0\n0\n0\n0\n0\n0\n' >zero
for kind in "${kinds[@]}"; do
    for w in 1 3; do
        "$ZOPROX" solve --command './slow 30 6 0' "${box[@]}" --workers $w --history h$w.$kind --save x >out || wrong "--history h$w.$kind"
        same x x0 "with history, $w workers"
        : >asked
        "$ZOPROX" solve --command './slow 30 6 0 asked' "${box[@]}" --past h$w.$kind --start zero --save x --json >out || wrong "--past h$w.$kind"
        same x x0 "known"
        [ ! -s asked ] || wrong "$(wc -l <asked) of $calls were asked again ($kind, $w)"
        grep -q "\"known\": $calls" out || wrong "known: $(grep known out), not $calls"
    done
done
[ "$(wc -l <h1.csv)" = $((calls + 1)) ] || wrong "$(wc -l <h1.csv) lines for $calls values"
awk -F, 'NR == 1 {for (k = 1; k <= NF; k++) at[$k] = k; next} seen[$at["number"]]++ || $at["failure"] != "" {bad++} END {exit bad > 0}' h3.csv ||
    wrong "numbers twice, or failures"

# Shuffled, a third of it gone, a line damaged, the last one torn: what is left is not asked, and nothing changes.
head -n 1 h3.csv >part.csv
tail -n +2 h3.csv | sort -t, -k7,7 -k3,3 | awk 'NR % 3' | sed '5s/,/,1/' >>part.csv
printf '0,0,0,0' >>part.csv
left=$(($(wc -l <part.csv) - 2))
for w in 1 2; do
    : >asked
    "$ZOPROX" solve --command './slow 30 6 0 asked' "${box[@]}" --workers $w --past part.csv --start zero --save x >out || wrong "a part of the past"
    same x x0 "a part of the past"
    [ "$(wc -l <asked)" = $((calls - left)) ] || wrong "$(wc -l <asked) asked where $left of $calls are known"
done

# Killed in the middle of a fan: what had come is there, whole, and is not asked again.
for kind in "${kinds[@]}"; do
    : >asked
    rm -f run.*
    "$ZOPROX" solve --command './slow 30 6 4 asked' "${box[@]}" --workers 2 --history run.$kind >/dev/null 2>&1 &
    pid=$!
    until [ "$(wc -l <asked)" -ge 80 ]; do kill -0 $pid 2>/dev/null || break; sleep 0.01; done
    kill -9 $pid
    wait $pid 2>/dev/null
    was=$(wc -l <asked)
    says 2 "is already there; go on with it by --resume" solve --command './slow 30 6 0 asked' "${box[@]}" --history run.$kind
    "$ZOPROX" solve --command './slow 30 6 0 asked' "${box[@]}" --history run.$kind --resume --save x >out || wrong "resumed"
    same x x0 "killed and resumed by its history"
    again=$(($(wc -l <asked) - calls))
    [ $again -ge 0 ] && [ $again -le 30 ] || wrong "$kind: $again of $was values were asked twice"
done

# Ended before its first line was whole, as on a full disk: the same line goes on.
printf 'x0,x1,x' >torn.csv
for file in torn.csv "${kinds[@]/#/empty.}"; do
    [ -e $file ] || : >$file
    "$ZOPROX" solve --command './slow 30 6 0' "${box[@]}" --history $file --resume --save x >out 2>err || wrong "$file: $(cat err)"
    same x x0 "$file"
    "$ZOPROX" solve --command './slow 30 6 0' "${box[@]}" --history $file --resume --json >out 2>err || wrong "$file, again: $(cat err)"
    grep -q "\"known\": $calls" out || wrong "$file: $(grep known out), not $calls"
done
printf 'mine' >mine.csv
says 2 "not a history of this problem" solve --command './slow 30 6 0' "${box[@]}" --history mine.csv --resume
[ "$(cat mine.csv)" = mine ] || wrong "a file of others was written to"
mkfifo pipe
for how in '' --resume; do
    for what in history checkpoint; do
        says 2 "'pipe' is a device or a pipe" solve --command './slow 30 6 0' "${box[@]}" --$what pipe $how
    done
done
[ -p pipe ] || wrong "the pipe was replaced"

# With a checkpoint, stopped between: the history goes on, and has each number once.
: >asked
"$ZOPROX" solve --command './slow 30 6 0 asked' "${box[@]}" --history c.csv --checkpoint c.zo --steps 1 >out || wrong "first half"
"$ZOPROX" solve --command './slow 30 6 0 asked' "${box[@]}" --history c.csv --checkpoint c.zo --resume --save x >out || wrong "second half"
same x x0 "in two halves"
[ "$(tail -n +2 c.csv | cut -d, -f11 | sort -n | uniq | wc -l)" -ge "$calls" ] || wrong "numbers are missing in two halves"

# Failures are rows too.
cat >dies.sh <<'END'
while read -r kind id points comps; do
    read -r list
    out=$id
    for p in $(seq "$points"); do
        read -r x y
        [ "$points$comps" != 11 ] || [ ! -e trap ] || { rm trap; exit 3; }
        out="$out
$(for c in $list; do [ "$c" = all ] && c="0 1"; for i in $c; do awk "BEGIN {printf \"%.17g \", ($x-1)^2+($y-$i)^2}"; done; done)"
    done
    echo "$out"
done
END
touch trap
"$ZOPROX" solve --command 'sh dies.sh' --n 2 --dim 2 --units 3 --method pgd --step 0.1 --workers 1 --history f.csv --quiet >out 2>err || wrong "a failure: $(cat err)"
[ "$(grep -c 'exited with code 3' f.csv)" = 1 ] || wrong "the failure is not in the history: $(cat f.csv)"

# Of another tool: the best point is the start, unless --start says otherwise; plugins too.
printf 'x1,x0,x2,x3,x4,value\n1,0.5,2,2,2,-1\n0,0,0,0,0,3\n' >doe.csv
"$ZOPROX" solve --plugin ./plugin.so --arg 50 --past doe.csv --units 3 --history p.csv >out 2>err || wrong "a plugin: $(cat err)"
grep -q 'begins at the best point there, F -1' err || wrong "the start: $(cat err)"
[ "$(sed -n 2p p.csv | cut -d, -f1-5)" = 0.5,1,2,2,2 ] || wrong "the first point: $(sed -n 2p p.csv)"

printf 'x0,value\nfar,1\n' >bad.csv
says 2 "no column 'x1'" solve --command './slow 1 3 0' --n 1 --dim 3 --past bad.csv
says 2 "line 2: 'far' is not a coordinate" solve --command './slow 1 1 0' --n 1 --dim 1 --past bad.csv
printf 'x0,x1,x2,x3,component,value\n1,1,1,1,0,1\n' >wide.csv
says 2 "has a column 'x3', and x has 3 coordinates here" solve --command './slow 1 3 0' --n 1 --dim 3 --past wide.csv
says 2 "No such file" solve --command './slow 1 3 0' --n 1 --dim 3 --past /no/such/file
says 2 "has no use with synth:" solve synth: --history h.csv
says 2 "needs --checkpoint FILE to go on from, or --history" solve synth: --resume
says 2 "same file" solve --command './slow 1 3 0' --n 1 --dim 3 --past doe.csv --history doe.csv --resume
cp h1.csv lock.csv
(flock 9; says 1 "in use by another run" solve --command './slow 30 6 0' "${box[@]}" --history lock.csv --resume; exit $failures) 9<>lock.csv || wrong "a lock"
verdict
