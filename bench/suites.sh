#!/usr/bin/env bash
# The suites of the field: Moré-Wild's 53 problems and NIST's sets, zoprox beside SciPy, NLopt and POUNDERS where they are
# installed; the table of docs/peers.md. A few minutes. SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."
suites=${BUILD:-build/release}/bench/suites
export ZOPROX_DATA=${ZOPROX_DATA:-$HOME/.cache/zoprox} OMP_NUM_THREADS=1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# row NAME WHAT: medians, per cent solved within 10, and how many are not solved within 500
row() {
    "$suites" "$2" >"$dir/out" 2>/dev/null
    awk -F'[:;,%] *' -v name="$1" '/^# [01]/ {
        split($2, m, " "); median = median sep m[2]
        match($0, /within 10: [0-9]+/); ten = ten sep substr($0, RSTART + 11, RLENGTH - 11); sep = " / "}
        END {print "| " name " | " median " | " ten " | " missed " |"}' \
        missed="$(for k in 6 7 8; do awk -F, -v k=$k '$k == "inf" {c++} END {printf "%d ", c}' "$dir/out"; done | sed 's/ $//; s/ / \/ /g')" "$dir/out"
}

echo "| Moré-Wild, 53 smooth | median to 1e-3 / 1e-5 / 1e-7 | % within 10 | not solved within 500 |"
echo "|---|---|---|---|"
row "zoprox, residuals by point (lm)" residuals
NOISE=1e-3 row "zoprox, residuals with relative noise 1e-3" noisy-residuals
row "zoprox, one function" function
row "zoprox, components r_i^2, queries/n" components
ABREAST=8 row "zoprox, residuals, eight abreast: rounds" rounds
if cc -O2 -shared -fPIC -o "$dir/suites.so" bench/suites/morewild.c -lm 2>/dev/null; then
    for peer in scipy newuoa bobyqa pounders; do /usr/bin/python3 -W ignore bench/suites/peers.py "$dir/suites.so" "$peer" 2>/dev/null || true; done
fi
echo
"$suites" nist | grep '^#' | sed 's/^# /NIST, residuals, /'
"$suites" nist-function | grep '^#' | sed 's/^# /NIST, one function, /'
echo "spectrum of four peaks (d = 12, n = 80): $("$suites" spectrum)"
