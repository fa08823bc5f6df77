#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Calibrates the simulator with three methods; traces, rates and a picture go to OUT. run.sh [OUT [UNITS]]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-build/calibration} units=${2:-60} zoprox=${ZOPROX:-build/release/bin/zoprox}
mkdir -p "$out"
cc -std=c11 -O2 -Wall -Wextra -Werror "$here/simulator.c" -o "$out/simulator" -lm
problem=(--command "$out/simulator" --n 60 --dim 24 --prox box:-1,1)
"$zoprox" check "${problem[@]:0:6}"
for method in ${METHODS:-auto saga fista}; do
    echo "== $method"
    "$zoprox" solve "${problem[@]}" --method "$method" --units "$units" --every 0.1 --trace "$out/$method.csv" --save "$out/$method.x" \
        --quiet --json >"$out/$method.json"
    awk -F, 'NR > 1 {f = $6; u = $3} END {printf "F = %.4f after %.1f units\n", f, u}' "$out/$method.csv"
done
"$out/simulator" "$out/auto.x" >"$out/shown"
if [ -n "${DRAW-yes}" ]; then /usr/bin/python3 "$here/draw.py" "$out" "$out/calibration.svg"; fi
