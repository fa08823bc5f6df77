#!/usr/bin/env bash
# Programs that fail: beyond an edge, for one value in a hundred, or everywhere. ZO_LONG=1: 20000 fans.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"

cliff="$BUILD/tests/cliff"
# run WHAT ARGUMENT...: solve, exit code 0; the report in $work/WHAT.json, the point in $work/WHAT.x
run() {
    local what=$1
    shift
    "$ZOPROX" solve --n 20 --dim 3 --seed 2 --json --save "$work/$what.x" "$@" >"$work/$what.json" 2>"$work/err" || {
        wrong "$what: exit code $?: $(head -c 300 "$work/err")"
        return 1
    }
}
field() { sed -n "s/^ *\"$2\": \([^,]*\),*$/\1/p" "$work/$1.json" | head -n 1; }
# near A B: the objectives of two runs agree to 1 % of the start's
near() { awk -v a="$(field "$1" objective)" -v b="$(field "$2" objective)" 'BEGIN {exit !(a - b < 0.008 && b - a < 0.008)}'; }

# Where x_0 > 1.2 nothing can be evaluated. The minimizer has 1.0, the start is far from it, and steps go beyond.
printf '%s\n' 1 8 8 >"$work/start"
for method in inq; do
    begin=(--start "$work/start" --method "$method" --units 30 --workers 2)
    run free "${begin[@]}" --command "$cliff 20 3 1e9 exit" || continue
    for how in exit signal hang garbage short nan; do
        run edge "${begin[@]}" --command "$cliff 20 3 1.2 $how" --timeout 0.2 || continue
        awk 'NR == 1 && $1 > 1.2 {exit 1}' "$work/edge.x" || wrong "$method, $how: ends beyond the edge"
        near edge free || wrong "$method, $how: F $(field edge objective), $(field free objective) without the edge"
        [ "$(field edge failures)" -gt 0 ] && grep -q 'f could not be evaluated at some points' "$work/err" ||
            wrong "$method, $how: nothing is said of failures: $(cat "$work/err")"
    done
done

# The start itself cannot be evaluated: one sentence, with the program's last words.
printf '%s\n' 2 0 0 >"$work/bad"
for how in exit signal garbage; do
    "$ZOPROX" solve --n 20 --dim 3 --start "$work/bad" --command "$cliff 20 3 1.2 $how" --units 5 >/dev/null 2>"$work/err"
    [ $? = 1 ] && [ "$(wc -l <"$work/err")" = 1 ] || wrong "a bad start, $how: $(cat "$work/err")"
done
"$ZOPROX" solve --n 20 --dim 3 --start "$work/bad" --command "$cliff 20 3 1.2 exit" --units 5 >/dev/null 2>"$work/err"
grep -q 'it exited with code 3; it said: beyond the edge' "$work/err" || wrong "a bad start: $(cat "$work/err")"
# and with nonfinite=stop so does the first step that goes too far
"$ZOPROX" solve --n 20 --dim 3 --start "$work/start" --method inq --command "$cliff 20 3 1.2 exit" --nonfinite stop --units 40 >/dev/null 2>"$work/err"
[ $? = 1 ] && grep -q 'exited with code 3' "$work/err" || wrong "stop: $(cat "$work/err")"

# One value in a hundred, in questions of four: the same bytes. Each is a restart, but for nan.
steps=300
[ -z "${ZO_LONG:-}" ] || steps=20000
small=(--start "$work/start" --method zosgd --step 0.01 --batch 2 --directions 1 --workers 2 --units 1e9 --track off)
shaken() { # HOW STEPS CALM [MORE...]
    local how=$1 steps=$2 calm=$3
    shift 3
    run shaken "${small[@]}" --steps "$steps" --command "$cliff 20 3 1e9 $how 0.01" "$@" || return
    cmp -s "$work/$calm.x" "$work/shaken.x" || wrong "accidents, $how: another end"
    [ "$(field shaken failures)" -gt 0 ] || wrong "accidents, $how: none was counted"
}
run calm "${small[@]}" --steps "$steps" --command "$cliff 20 3 1e9 exit"
for how in exit signal garbage short nan; do shaken "$how" "$steps" calm; done
brief=$steps
[ "$steps" = 20000 ] || brief=100 # each takes its time
run brief "${small[@]}" --steps "$brief" --command "$cliff 20 3 1e9 exit"
shaken hang "$brief" brief --timeout 0.1 --retries 10

# Every value that was asked is paid for, those of questions that were lost too.
for how in exit garbage short nan; do
    : >"$work/counted"
    run paid --start "$work/start" --method saga --workers 2 --units 6 --command "$cliff 20 3 1e9 $how 0.01 $work/counted" || continue
    [ "$(field paid extra)" -gt 0 ] || wrong "paid, $how: nothing was asked again"
    asked=$(awk '{sum += $1} END {print sum}' "$work/counted") told=$(($(field paid queries) + $(field paid watched) + $(field paid extra)))
    case $how in # after nonsense a program is stopped somewhere in the questions behind; a point that is given up is paid as a whole
    nan) [ "$asked" = "$told" ] ;;
    *) [ "$asked" -le "$told" ] ;;
    esac || wrong "paid, $how: $told are reported, $asked were asked"
    [ "$told" -le 360 ] || wrong "paid, $how: $told of a budget of 360"
done

# A batch code that is run in a folder for each question, and fails beyond the edge.
cat >"$work/batch.sh" <<END
"$cliff" 4 2 1.2 exit <input.txt >output.tmp && mv output.tmp output.txt
END
"$ZOPROX" solve --files "$work/runs" --command "sh $work/batch.sh" --n 4 --dim 2 --units 12 --json --workers 2 >"$work/files.json" 2>"$work/err" ||
    wrong "--files: $(head -c 300 "$work/err")"

verdict
