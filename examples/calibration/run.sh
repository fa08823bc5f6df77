#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Calibrates the simulator with three methods, SEEDS times each; traces, rates and a picture go to OUT. run.sh [OUT [UNITS]]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-build/calibration} units=${2:-60} zoprox=${ZOPROX:-build/release/bin/zoprox}
mkdir -p "$out"
cc -std=c11 -O2 -Wall -Wextra -Werror "$here/simulator.c" -o "$out/simulator" -lm
problem=(--command "$out/simulator" --n 60 --dim 24 --prox box:-1,1)
"$zoprox" check "${problem[@]:0:6}"
for method in ${METHODS:-auto saga fista}; do
    for seed in ${SEEDS:-1 2 3 4 5}; do
        "$zoprox" solve "${problem[@]}" --method "$method" --units "$units" --seed "$seed" --every 0.1 --trace "$out/$method-$seed.csv" \
            --save "$out/$method-$seed.x" --quiet --json >"$out/$method-$seed.json"
        awk -F, -v seed="$seed" 'NR > 1 {f = $6; if (f < 1 && !below) below = $2} END {print f, below ? below : "never", seed}' "$out/$method-$seed.csv"
    done | sort -g >"$out/$method.ends"
    echo "== $method: F in the end, simulations until it is below 1, seed"
    cat "$out/$method.ends"
    seed=$(awk '{s[NR] = $3} END {print s[int((NR + 1) / 2)]}' "$out/$method.ends") # the median run is shown
    for kind in csv x json; do cp "$out/$method-$seed.$kind" "$out/$method.$kind"; done
done
"$out/simulator" "$out/auto.x" >"$out/shown"
if [ -n "${DRAW-yes}" ]; then /usr/bin/python3 "$here/draw.py" "$out" "$out/calibration.svg"; fi
