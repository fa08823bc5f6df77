#!/usr/bin/env bash
# --residuals: the box gives r_i, one run gives all of them, and runs are what is paid; pipes and folders.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
cd "$work" || exit 1

# y = a exp(-b t) + c at t = 0, 0.5, ..., 5.5; every point goes to runs.log.
cat >decay.py <<'END'
import math, sys
if len(sys.argv) == 1:
    print("zoprox-all", flush=True)
for head in iter(sys.stdin.readline, ""):
    kind, name, npoints, ncomp = head.split()
    sys.stdin.readline()
    if int(npoints) and ncomp != "12":
        open("parts.log", "w").write(f"asked for {ncomp} of 12\n")
    out = [name]
    for _ in range(int(npoints)):
        a, b, c = map(float, sys.stdin.readline().split())
        with open(sys.path[0] + "/runs.log", "a") as log:
            log.write(f"{a} {b} {c}\n")
        out.append(" ".join(repr(a * math.exp(-b * i / 2) + c) for i in range(12)))
    print("\n".join(out), flush=True)
END
awk 'BEGIN {for (i = 0; i < 12; i++) printf "%.17g\n", 3 * exp(-0.35 * i) + 1 + 0.01 * sin(9 * i * i)}' >y.txt
printf '1\n1\n0.5\n' >x0.txt
box=(--n 12 --dim 3 --residuals squares --targets y.txt --start x0.txt --quiet)
"$ZOPROX" solve --command 'python3 decay.py' "${box[@]}" --points 80 --save x.txt --json >all.json || wrong "solve"
runs=$(wc -l <runs.log)
grep -q "\"points\": $runs," all.json || wrong "runs are $runs, and points $(grep '"points"' all.json)"
grep -q '"method": "lm"' all.json || wrong "not by lm"
grep -q '"reason": "end"' all.json || wrong "not to the end: $(grep reason all.json)"
[ "$runs" -le 44 ] || wrong "$runs runs"
[ ! -e parts.log ] || wrong "$(head -n 1 parts.log)"
awk 'NR == FNR {x[NR] = $1; next} END {if (x[1] < 2.9 || x[1] > 3.1 || x[2] < 0.69 || x[2] > 0.73) exit 1}' x.txt x.txt || wrong "x: $(cat x.txt)"
grep -q '"parameters": \[' all.json || wrong "no parameters in JSON"
[ "$(grep -c '"sensitivity"' all.json)" = 3 ] || wrong "not three parameters"
prints 'standard error' solve --command 'python3 decay.py' "${box[@]}" --points 80

# The budget is hard, and huber with weights is another problem.
: >runs.log
"$ZOPROX" solve --command 'python3 decay.py' "${box[@]}" --points 7 >/dev/null || wrong "7 points"
[ "$(wc -l <runs.log)" = 7 ] || wrong "7 points: $(wc -l <runs.log) runs"
yes 2 | head -n 12 >w.txt
"$ZOPROX" solve --command 'python3 decay.py' "${box[@]}" --residuals huber:0.1 --weights w.txt --points 80 --json >huber.json || wrong "huber"
grep -q '"reason": "end"' huber.json || wrong "huber: $(grep reason huber.json)"

# The same through folders, one for each point.
: >runs.log
"$ZOPROX" solve --files folders --all --shell --command 'python3 "$ZOPROX_FROM/decay.py" batch <input.txt >output.txt' "${box[@]}" --points 80 --save f.x >/dev/null ||
    wrong "files"
same x.txt f.x "files"

# Several at a time: other questions, the same solution, and what cannot be is said.
"$ZOPROX" solve --command 'python3 decay.py' "${box[@]}" --points 200 --workers 3 --save w.x >/dev/null || wrong "workers"
awk 'NR == FNR {x[NR] = $1; next} {d = x[FNR] - $1; if (d * d > 1e-10) exit 1}' x.txt w.x || wrong "workers: $(cat w.x)"
says 2 "residuals: 'cubes' is not one of" solve --command 'python3 decay.py' "${box[@]}" --residuals cubes
says 2 "it goes with --residuals" solve --command 'python3 decay.py' --n 12 --dim 3 --weights w.txt
says 2 "asks a part of the components" solve --command 'python3 decay.py' "${box[@]}" --method psvrg --batch 2 --points 900
verdict
