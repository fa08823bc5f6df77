#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The portfolio by four methods and by linear programming; traces, shares and a picture go to OUT. run.sh [OUT [SCENARIOS [ASSETS [UNITS]]]]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
out=${1:-build/portfolio} scenarios=${2:-1000} assets=${3:-40} units=${4:-30} zoprox=${ZOPROX:-build/release/bin/zoprox}
mkdir -p "$out"
cc -std=c11 -O2 -Wall -Wextra -Werror -shared -fPIC -I "$top/include" "$here/portfolio.c" -o "$out/portfolio.so" -lm
/usr/bin/python3 -W ignore "$here/exact.py" "$out/portfolio.so" "$scenarios" "$assets" >"$out/exact"
best=$(cut -d' ' -f1 "$out/exact")
echo "by linear programming: $best"
solve() { # NAME OPTIONS...
    "$zoprox" solve --plugin "$out/portfolio.so" --arg "$scenarios" --arg "$assets" --prox "simplex@0:$assets" --units "$units" \
        --every 0.1 --optimum "$best" --trace "$out/$1.csv" --save "$out/$1.x" --quiet "${@:2}" >"$out/$1.txt"
    awk -F, -v name="$1" 'NR > 1 {f = $6; u = $3} END {printf "%-18s %.6f after %.1f units\n", name, f, u}' "$out/$1.csv"
}
solve auto
# Steps of 3e-4 are better than 3e-3 and than what curvature says, of which corners have none.
solve saga-tuned --method saga --step 3e-4
solve psvrg-tuned --method psvrg --step 3e-4
solve zosgd-tuned --method zosgd --step 3e-4
if [ -n "${DRAW-yes}" ]; then
    /usr/bin/python3 -W ignore "$here/draw.py" "$out" "$scenarios" "$assets" "$out/portfolio.svg"
fi
