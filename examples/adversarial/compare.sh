#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# compare.sh ATTACK VICTIM IMAGES QUERIES OUT: queries until so many of the images are fooled, auto beside zosgd and zpsvrg over a grid of
# steps and directions ($STEPS, $DIRECTIONS). A line for each run goes to OUT/table, its trace to OUT/NAME, its point to OUT/NAME.x.
set -euo pipefail
attack=$1 victim=$2 images=$3 queries=$4 out=$5
shares="0.4 0.5 0.6 0.65 0.7 0.72"
mkdir -p "$out"
awk -v shares="$shares" 'BEGIN {printf "%-16s", "queries to"; m = split(shares, s, " ")
    for (k = 1; k <= m; k++) printf "%9s", s[k]; print "     most"}' | tee "$out/table"
try() { # NAME SETTING=VALUE ...
    local name=$1
    shift
    "$attack" "$victim" "$images" "$queries" --save "$out/$name.x" "$@" >"$out/$name"
    awk -v name="$name" -v shares="$shares" 'BEGIN {m = split(shares, s, " ")}
        !/^#/ {for (k = 1; k <= m; k++) if ($3 >= s[k] && !q[k]) q[k] = $1
               if ($3 > most) most = $3}
        END {printf "%-16s", name
             for (k = 1; k <= m; k++) printf "%9s", (q[k] ? q[k] : "-")
             printf "%9.3f\n", most}' "$out/$name" | tee -a "$out/table"
}
try auto method=auto
for step in ${STEPS:-0.01 0.03 0.1}; do
    for directions in ${DIRECTIONS:-5 20 50}; do
        try "zosgd-$step-$directions" method=zosgd step="$step" directions="$directions" batch=10 radius=0.01
        try "zpsvrg-$step-$directions" method=zpsvrg step="$step" directions="$directions" batch=10 radius=0.01
    done
done
