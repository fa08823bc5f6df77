#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Fits a real simulator: run.sh transistor|plate [OUT [POINTS]]. The report, the fit, SciPy's runs (COMPARE= leaves them out) and a
# picture (DRAW= leaves it out) go to OUT. Needs ngspice or calculix-ccx. WEIGHTS: of the plate's l1 term.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
name=$1 out=${2:-build/$1} zoprox=$(realpath "${ZOPROX:-build/release/bin/zoprox}")
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$here"
common=(--residuals squares --targets "$name.txt" --every 0.05 --quiet)
case $name in
transistor)
    "$zoprox" solve --command 'python3 transistor.py' --n 101 --dim 9 --points "${3:-45}" "${common[@]}" \
        --trace "$out/zoprox.csv" --save "$out/x.txt" | tee "$out/report.txt"
    python3 transistor.py show "$out/x.txt" >"$out/shown"
    ;;
plate)
    for weight in ${WEIGHTS:-5 0}; do # with an l1 term on what is lost, and without
        mkdir -p "$out/runs"
        "$zoprox" solve --files "$out/runs" --all --command 'python3 plate.py' --n 63 --dim 12 --points "${3:-40}" "${common[@]}" \
            --prox "l1:$weight" --prox box:0,0.9 --trace "$out/zoprox-$weight.csv" --save "$out/x-$weight.txt" | tee "$out/report-$weight.txt"
    done
    cp "$out/zoprox-5.csv" "$out/zoprox.csv"
    ;;
*) echo "run.sh: $name is neither transistor nor plate" >&2; exit 2 ;;
esac
if [ -n "${COMPARE-yes}" ]; then /usr/bin/python3 -W ignore compare.py "$name" "$out" | tee "$out/scipy.txt"; fi
if [ -n "${DRAW-yes}" ]; then /usr/bin/python3 -W ignore draw.py "$name" "$out" "$out/$name.svg"; fi
