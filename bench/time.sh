#!/usr/bin/env bash
# inq beside a prototype of it in Python: seconds of processor time to the end of a run (a gap below 1e-10), one thread each,
# one after the other on this machine, the least of REPEATS (3) runs.
#     ZOPROX_DATA=... ZOPROX_PROTOTYPE=FOLDER bench/time.sh [a9a] [gisette_scale.t]
# FOLDER holds own.py and own_lowrank.py, which print the seconds of a run as their last word.
# SPDX-License-Identifier: MIT
set -euo pipefail
inq=${BUILD:-build/release}/bench/inq data=${ZOPROX_DATA:-} prototype=${ZOPROX_PROTOTYPE:-}
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
if [ ! -x "$inq" ] || [ ! -e "$data/a9a.xz" ]; then
    echo "time: $inq is not built, or a9a.xz is not in ZOPROX_DATA ($data)"
    exit 77
fi
[ -e "$prototype/own.py" ] || echo "time: no prototype to compare with (ZOPROX_PROTOTYPE is not a folder with own.py)"

least() { sort -g | head -1; }

ours() { # DATA UNITS OPTIMUM: seconds in all, of it answers
    for ((k = 0; k < ${REPEATS:-3}; k++)); do
        "$inq" "$1" l1:1e-4 1e-4 1 "$2" "$3" | sed -n 's/.*| \([0-9.]*\) s, answers \([0-9.]*\) s.*/\1 \2/p'
    done | least
}

theirs() { # SCRIPT NAME: its own clock, made to count processor time
    [ -e "$prototype/$1" ] || { echo "-"; return; }
    for ((k = 0; k < ${REPEATS:-3}; k++)); do
        /usr/bin/python3 -W ignore - "$prototype" "$1" "$2:1" <<'PY' | sed -n 's/.* \([0-9.]*\)s$/\1/p' | tail -1
import runpy, sys, time
folder, script, name = sys.argv[1:]
time.time = time.process_time
sys.path.insert(0, folder)
sys.argv = [script, name]
runpy.run_path(folder + "/" + script, run_name="__main__")
PY
    done | least
}

row() { # NAME UNITS OPTIMUM SCRIPT ITS_NAME
    read -r seconds answers <<<"$(ours "$data/$1.xz" "$2" "$3")"
    awk -v n="$1" -v a="$seconds" -v q="$answers" -v b="$(theirs "$4" "$5")" \
        'BEGIN { printf "| %s | %.3f | %.3f | %s | %s |\n", n, a, q, b, (b > 0 ? sprintf("%.2f", a / b) : "-") }'
}

echo "| set | inq, seconds | of it answers | prototype | ratio |"
echo "|---|---|---|---|---|"
[ $# -gt 0 ] || set -- a9a gisette_scale.t
for set in "$@"; do
    case $set in
    a9a) row a9a 1.2 0.328081049521669 own.py a9a ;;
    gisette_scale.t) row gisette_scale.t 1.06 0.010053579012884681 own_lowrank.py gisette_t ;;
    *) echo "time: $set is not one of a9a, gisette_scale.t"; exit 2 ;;
    esac
done
