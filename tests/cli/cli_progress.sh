#!/usr/bin/env bash
# Never in the dark: how far a run has come is seen within a question, on a terminal and as lines of JSON.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1
cc -std=c11 -O2 -Wall -Wextra -Werror "$SOURCE/tests/support/slow.c" -o slow -lm || wrong "slow.c does not compile"
box=(--n 10 --dim 12 --units 1 --method pgd --step 0.01 --track off)

# One fan is the whole run: what is seen is seen within it.
for w in 1 2; do
    "$ZOPROX" solve --command "./slow 10 12 12" "${box[@]}" --units 1.1 --workers $w --progress lines --save x >out 2>err || wrong "--progress: $(cat err)"
    [ ! -s err ] || wrong "on standard error: $(cat err)"
    [ "$(wc -l <lines)" -ge 4 ] || wrong "$(wc -l <lines) lines of JSON"
    if command -v python3 >/dev/null; then
        python3 - $w <<'EOF' || wrong "the lines of JSON"
import json, sys
lines = [json.loads(line) for line in open("lines")]
last, rest, workers = lines[-1], lines[:-1], int(sys.argv[1])
within = [l for l in rest if 0 < l["answered"] < l["asked"]]
assert last["event"] == "end" and last["reason"] == "queries", last
assert len(within) >= 3 and all(l["asked"] == 130 and l["workers"] == workers for l in within), within
assert any(l["busy"] == workers for l in within), within
assert all(a["answered"] <= b["answered"] and a["units"] <= b["units"] for a, b in zip(within, within[1:])), within
assert all(0 <= l["share"] <= 1 and 0 <= l["left"] < 60 for l in within), within
EOF
    fi
    cp x "x$w"
done
same x1 x2 "workers"
"$ZOPROX" solve --command "./slow 10 12 0" "${box[@]}" --units 1.1 --save x --quiet >out || wrong "without --progress"
same x x1 "watched and not"

# - is standard error, and an open file has its name; a reader that goes away ends nothing.
"$ZOPROX" solve --command "./slow 10 12 1" "${box[@]}" --progress - >out 2>err || wrong "--progress -"
grep -q '"event":"end"' err || wrong "--progress -: $(head -c 200 err)"
"$ZOPROX" solve --command "./slow 10 12 1" "${box[@]}" --progress /dev/fd/3 3>third >out 2>err || wrong "--progress /dev/fd/3"
grep -q '"event":"end"' third || wrong "--progress /dev/fd/3: $(head -c 200 third)"
mkfifo pipe
head -n 1 pipe >first &
"$ZOPROX" solve --command "./slow 10 12 5" "${box[@]}" --units 2.2 --progress pipe >out 2>err || wrong "a reader that went away: $(cat err)"
wait
grep -q '"event":"progress"' first || wrong "the reader got $(cat first)"
says 1 "No such file" solve --command "./slow 10 12 0" "${box[@]}" --progress /no/such/folder/lines
says 2 "same file" solve --command "./slow 10 12 0" "${box[@]}" --progress x --save x

# On a terminal: answers of the question at hand, who is busy, how long it lasts; the line moves.
if command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    script -qec "'$ZOPROX' solve --command './slow 10 12 20' ${box[*]} --units 1.1 --workers 2 >/dev/null" /dev/null </dev/null | tr '\r' '\n' >line
    grep -qE 'of 1.1 units  0:0[0-9] left  answers [0-9]+ of 130  busy 2 of 2' line || wrong "the line on a terminal: $(cat -v line)"
    [ "$(grep -oE 'answers [0-9]+' line | sort -u | wc -l)" -ge 3 ] || wrong "the line stands still: $(cat -v line)"
else
    echo "no pseudo-terminal by script(1): the line is not looked at"
fi
verdict
