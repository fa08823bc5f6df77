#!/usr/bin/env bash
# bench/suites at its smallest: every part runs, zoprox and the peers that are here, and tables and pictures are made.
# SPDX-License-Identifier: MIT
set -euo pipefail
if nm -D "$BUILD/lib/libzoprox.so" | grep __asan_init >/dev/null; then
    echo "skipped: test_suites and the bench's own parts are enough with sanitizers"
    exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export OUT=$dir SMALL=1 PYTHONDONTWRITEBYTECODE=1
bash "$SOURCE/bench/suites.sh" >"$dir/tables" 2>"$dir/err" || { cat "$dir/err"; exit 1; }
for row in '| zoprox, residuals by point' '| zoprox, one function' '| zoprox, components' '| all | ' '| zoprox | [0-9]* / [0-9]* | ' \
    '| bowl of whole numbers' '| spectrum of four peaks'; do
    grep -q "^$row" "$dir/tables" || { cat "$dir/tables" "$dir/err"; echo "suites: no line '$row'"; exit 1; }
done
! bash "$SOURCE/bench/suites.sh" nothing 2>"$dir/err" || { echo "suites: a part that is none was taken"; exit 1; }
grep -q "^suites: part: nothing is none of" "$dir/err"
for module in scipy nlopt; do
    /usr/bin/python3 -c "import $module" 2>/dev/null || { echo "skipped: the peers ($module is not here)"; exit 77; }
done
grep -q '^| least_squares (residuals) | [0-9]' "$dir/tables"
grep -q '^| NEWUOA, one function | ' "$dir/tables"
if command -v gnuplot >/dev/null; then
    grep -q '</svg>' "$dir/suites-data.svg"
    grep -q '</svg>' "$dir/suites-performance.svg"
fi
