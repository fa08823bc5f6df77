#!/usr/bin/env bash
# inq's seconds of processor time to the end of a run (a gap below 1e-10), one thread, means over SEEDS (1) seeds, the least of REPEATS (3); beside
# them another build of it, or a prototype in Python, run in turn on this machine.
#     ZOPROX_DATA=... [BESIDE=OTHER/bench/inq] [ZOPROX_PROTOTYPE=FOLDER] bench/time.sh [a9a] [w8a] [covtype] [gisette_scale.t]
# BESIDE is what the ratio is to; with BAR=1.05 the command fails where one is above it. FOLDER holds own.py and
# own_lowrank.py, which print the seconds of a run as their last word (a9a and gisette_scale.t).
# SPDX-License-Identifier: MIT
set -euo pipefail
inq=${BUILD:-build/release}/bench/inq data=${ZOPROX_DATA:-} prototype=${ZOPROX_PROTOTYPE:-} beside=${BESIDE:-}
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
if [ ! -x "$inq" ] || [ ! -e "$data/a9a.xz" ]; then
    echo "time: $inq is not built, or a9a.xz is not in ZOPROX_DATA ($data)"
    exit 77
fi
[ -n "$beside" ] || [ -e "$prototype/own.py" ] || echo "time: nothing to compare with (BESIDE, ZOPROX_PROTOTYPE)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

once() { # BINARY ARGS: seconds in all, of it answers
    "$@" | sed -n 's/.*| \([0-9.]*\) s, answers \([0-9.]*\) s.*/\1 \2/p'
}

theirs() { # SCRIPT NAME: its own clock, made to count processor time
    /usr/bin/python3 -W ignore - "$prototype" "$1" "$2:1" <<'PY' | sed -n 's/.* \([0-9.]*\)s$/\1/p' | tail -1
import runpy, sys, time
folder, script, name = sys.argv[1:]
time.time = time.process_time
sys.path.insert(0, folder)
sys.argv = [script, name]
runpy.run_path(folder + "/" + script, run_name="__main__")
PY
}

row() { # NAME PSI L2 UNITS OPTIMUM [SCRIPT ITS_NAME]
    local k
    : >"$work/ours" && : >"$work/others"
    for ((k = 0; k < ${REPEATS:-3}; k++)); do
        once "$inq" "$data/$1.xz" "$2" "$3" "${SEEDS:-1}" "$4" "$5" >>"$work/ours"
        if [ -n "$beside" ]; then
            once "$beside" "$data/$1.xz" "$2" "$3" "${SEEDS:-1}" "$4" "$5" >>"$work/others"
        elif [ $# -gt 5 ] && [ -e "$prototype/$6" ]; then
            theirs "$6" "$7" >>"$work/others"
        fi
    done
    paste -d' ' <(sort -g "$work/ours" | head -1) <(sort -g "$work/others" | head -1) |
        awk -v n="$1" -v bar="${BAR:-inf}" '{
            printf "| %s | %.3f | %.3f | %s | %s |\n", n, $1, $2, ($3 > 0 ? $3 : "-"), ($3 > 0 ? sprintf("%.2f", $1 / $3) : "-")
            exit $3 > 0 && bar != "inf" && $1 > bar * $3 }' || failed=1
}

echo "| set | inq, seconds | of it answers | beside | ratio |"
echo "|---|---|---|---|---|"
[ $# -gt 0 ] || set -- a9a w8a covtype gisette_scale.t
for set in "$@"; do
    case $set in
    a9a) row a9a l1:1e-4 1e-4 1.2 0.328081049521669 own.py a9a ;;
    w8a) row w8a l1:1e-5 1e-4 1.2 0.144475892788328 ;;
    covtype) row covtype.libsvm.binary.scale l1:1e-4 1e-5 1.6 0.522107783723333 ;;
    gisette_scale.t) row gisette_scale.t l1:1e-4 1e-4 1.06 0.010053579012884681 own_lowrank.py gisette_t ;;
    *) echo "time: $set is not one of a9a, w8a, covtype, gisette_scale.t"; exit 2 ;;
    esac
done
exit $failed
