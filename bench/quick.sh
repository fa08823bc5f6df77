#!/usr/bin/env bash
# zoprox reproduce --quick: how long it takes, how long a second call takes, and whether kills on the way change anything.
# SPDX-License-Identifier: MIT
#
# KILLS (8) SIGKILLs fall at random moments (SEED), then the same line goes on to its end. Exits 77 without a9a and covtype.
set -euo pipefail
cd "$(dirname "$0")/.."
zoprox=$(realpath "${ZOPROX:-build/release/bin/zoprox}")
for set in a9a covtype; do
    "$zoprox" solve "$set" --method pgd --step 1 --units 1.1 --quiet >/dev/null 2>&1 ||
        { echo "quick: $set is not here (zoprox data fetch $set)"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kills=${KILLS:-8}
RANDOM=${SEED:-1}
failed=0
now() { date +%s.%N; }
since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.1f", b - a }'; }
check() { # WHAT TRUTH
    printf '%-70s %s\n' "$1" "$([ "$2" = 1 ] && echo ok || echo MISSED)"
    [ "$2" = 1 ] || failed=1
}
below() { awk -v a="$1" -v b="$2" 'BEGIN { print a < b }'; }
line=("$zoprox" reproduce --quick --quiet --json)
quick() { "${line[@]}" "$@"; }
choices() { python3 -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute("SELECT p.name, method, grid, budget, settings, score, tried, c.diverged FROM choices c JOIN problems p ON p.id = c.problem ORDER BY 1, 2, 3"): print(*row)' "$1"; }
count() { python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM trials").fetchone()[0])' "$1" 2>/dev/null || echo 0; }

begun=$(now)
quick --out "$work/whole" >"$work/whole.json"
whole=$(since "$begun")
begun=$(now)
quick --out "$work/whole" >"$work/again.json"
again=$(since "$begun")
check "the first call: $whole s, below 900 ($(nproc) cores, $(count "$work/whole/zoprox.runs") trials)" "$(below "$whole" 900)"
check "the second call: $again s, below 10" "$(below "$again" 10)"
for file in figure.svg figure.png figure.pdf report.html summary.md; do
    check "leaves $file" "$([ -s "$work/whole/$file" ] && echo 1 || echo 0)"
done

for ((k = 0; k < kills; k++)); do
    "${line[@]}" --out "$work/cut" >/dev/null 2>&1 & # not the function: its shell would be killed in place of zoprox
    pid=$!
    sleep "$(awk -v w="$whole" -v n="$kills" -v r=$RANDOM 'BEGIN { print 0.2 + 1.4 * w / n * r / 32768 }')"
    kill -9 $pid 2>/dev/null || true
    wait $pid 2>/dev/null || true
    echo "  killed with $(count "$work/cut/zoprox.runs") trials in the store"
done
quick --out "$work/cut" >"$work/cut.json"
choices "$work/whole/zoprox.runs" >"$work/a"
choices "$work/cut/zoprox.runs" >"$work/b"
same() { cmp -s "$1" "$2" && echo 1 || echo 0; }
check "after $kills kills: the same best settings ($(wc -l <"$work/a") choices)" "$(same "$work/a" "$work/b")"
check "after $kills kills: the same gaps" "$(same "$work/whole.json" "$work/cut.json")"
check "after $kills kills: the same curves" "$(same "$work/whole/figure.dat" "$work/cut/figure.dat")"
check "after $kills kills: as many trials" "$([ "$(count "$work/whole/zoprox.runs")" = "$(count "$work/cut/zoprox.runs")" ] && echo 1 || echo 0)"
exit $failed
