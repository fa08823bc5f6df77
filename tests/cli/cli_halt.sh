#!/usr/bin/env bash
# A run is interrupted or killed in the middle of a fan: it goes on with the same bytes, nobody is left alive, and with a
# journal next to nothing is asked twice.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
worker=$BUILD/tests/worker
box=(--n 300 --dim 6 --l1 1e-3 --units 8 --method psvrg --step 0.3 --batch 7 --workers 2 --quiet)

# legs NAME EVERY HOW OPTIONS...: starts the run again and again until it ends by itself; leaves the number of starts in
# $legs, and NAME.csv, NAME.x.
legs() {
    local name=$1 every=$2 how=$3 code
    shift 3
    mkdir -p "$work/$name"
    for legs in $(seq 200); do
        { # the shell's own words about a killed process go nowhere
            "$ZOPROX" solve --command "$worker $work/$name 300 6 $every $how" "${box[@]}" --trace "$work/$name.csv" \
                --save "$work/$name.x" "$@" >"$work/out" 2>"$work/err"
            code=$?
        } 2>/dev/null
        if [ "$how" = bell ] && [ $code = 0 ]; then
            grep -q "interrupted by SIGINT" "$work/out" || break
        else
            [ $code = 137 ] || break
        fi
    done
    [ $code = 0 ] || wrong "$name: exit code $code: $(cat "$work/err")"
    same "$work/straight.x" "$work/$name.x" "$name"
    same_trace "$work/straight.csv" "$work/$name.csv" "$name"
}

# gone NAME: no worker of that folder lives 5 seconds after the end.
gone() {
    local pid turn
    for pid in $(cat "$work/$1/pids"); do
        for turn in $(seq 500); do
            kill -0 "$pid" 2>/dev/null || continue 2
            sleep 0.01
        done
        wrong "$1: worker $pid is still alive"
    done
}

mkdir "$work/straight"
"$ZOPROX" solve --command "$worker $work/straight 300 6 0 bell" "${box[@]}" --trace "$work/straight.csv" \
    --save "$work/straight.x" >/dev/null || wrong "straight"
read -r whole <"$work/straight/asked"

# Without a journal every start must get past a fan, or it would not come to an end.
legs bell $((whole / 4)) bell --checkpoint "$work/bell.zo" --resume
[ "$legs" -ge 3 ] || wrong "bell: only $legs starts"
gone bell
legs axe $((whole / 4)) axe --checkpoint "$work/axe.zo" --checkpoint-seconds 0 --resume
[ "$legs" -ge 3 ] || wrong "axe: only $legs starts"
gone axe

# With a journal none has to. Asked in vain: what was on its way, and (64 questions) the look at F when a run ends.
for how in bell axe; do
    legs journal-$how $((whole / 7)) $how --checkpoint "$work/$how.z" --journal "$work/$how.j" --checkpoint-seconds 0 --resume
    [ "$legs" -ge 6 ] || wrong "journal-$how: only $legs starts"
    read -r asked <"$work/journal-$how/asked"
    [ "$asked" -le $((whole + 72 * legs)) ] || wrong "journal-$how: $asked questions in $legs starts, $whole are enough"
    gone journal-$how
done

# A journal alone is enough, and a whole one needs no worker at all.
legs alone $((whole / 5)) axe --journal "$work/alone.j"
cp "$work/alone/asked" "$work/before"
legs alone $((whole / 5)) axe --journal "$work/alone.j"
same "$work/alone/asked" "$work/before" "a whole journal"

# A torn end is cut off; another problem's journal and another file are refused.
head -c -5 "$work/alone.j" >"$work/torn.j"
legs alone $((whole / 5)) axe --journal "$work/torn.j"
cmp -s "$work/alone.j" "$work/torn.j" || [ "$(stat -c %s "$work/alone.j")" = "$(stat -c %s "$work/torn.j")" ] ||
    wrong "a torn journal is not made whole"
says 2 "of another problem" solve --command "$worker $work/straight 300 6 0 axe" "${box[@]}" --journal "$work/alone.j"
says 2 "is not a journal" solve --command "$worker $work/straight 300 6 0 axe" "${box[@]}" --journal "$work/straight.csv"
says 2 "are the same file" solve --command "$worker" "${box[@]}" --journal "$work/x" --save "$work/x"
says 2 "it goes with --command" solve "$small" --journal "$work/x"
verdict
