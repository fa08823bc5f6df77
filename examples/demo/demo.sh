#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ./run demo: one problem sized like a9a, several methods, no gradient anywhere, nothing tuned. Prints how far
# each is from the optimum after so many units, and draws it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
zoprox=build/release/bin/zoprox
out=build/demo
problem=(synth: --l1 1e-4 --l2 1e-4)
methods=(zpdvr sega pgd zpsvrg fista psvrg saga inq auto)
marks=(0.3 1 3 10 30 100)
units=100

field() { sed -nE "s/.*\"$1\": *([^,}]*).*/\1/p" "$2" | head -n 1; } # of a JSON object

mkdir -p "$out"
rm -f "$out"/*.csv "$out"/*.json
echo "minimize (1/n) sum f_i(x) + psi(x), asking for values of f_i only"
echo "  f_i: logistic loss of one row + 5e-5 |x|^2;  psi: 1e-4 |x|_1;  one unit = n d queries"
"$zoprox" optimum "${problem[@]}" --json --quiet >"$out/optimum.json"
best=$(field optimum "$out/optimum.json")
printf '  the optimum, found with gradients for comparison only: %s\n\n' "$best"

printf '%-8s' 'gap at'
printf '%11s' "${marks[@]}"
printf '   units%10s\n' seconds
for method in "${methods[@]}"; do
    "$zoprox" solve "${problem[@]}" --method "$method" --units "$units" --every 0.03 --optimum "$best" \
        --trace "$out/$method.csv" --json >"$out/$method.json"
    awk -F, -v marks="${marks[*]}" -v name="$method" -v seconds="$(field seconds "$out/$method.json")" '
        BEGIN {count = split(marks, at, " ")}
        NR > 1 {for (k = 1; k <= count; k++) if ($3 <= at[k] * (1 + 1e-9)) gap[k] = $7}
        END {
            printf "%-8s", name
            for (k = 1; k <= count; k++) printf "%11s", gap[k] < 1e-14 ? "< 1e-14" : sprintf("%.1e", gap[k])
            printf "%18.1f\n", seconds
        }' "$out/$method.csv"
done

bash examples/demo/draw.sh "$out" "${methods[@]}"
printf '\ngap = F(x) - F*, as a table above and as a figure in\n  %s\n  %s\n' "$PWD/$out/demo.svg" "$PWD/$out/demo.png"
