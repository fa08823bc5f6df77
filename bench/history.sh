# What --history costs a run of 10^5 evaluations (d = 20): processor time a query, the least of three. Bar: 5 % where an evaluation takes 0.1 ms.
# SPDX-License-Identifier: MIT
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
least() { for _ in 1 2 3; do rm -f "$dir"/h.*; "$BUILD/bench/history" "$@"; done | sort -n | head -n 1; }
bad=0
printf '%-8s %10s %12s %12s %12s\n' method evaluation without CSV SQLite
for method in fista zosgd; do
    for cost in 0 100; do
        none=$(least $cost $method)
        csv=$(least $cost $method "$dir/h.csv")
        sqlite=$(least $cost $method "$dir/h.db" 2>/dev/null || echo nan)
        printf '%-8s %7s us %9s ns %9s ns %9s ns\n' $method $cost "$none" "$csv" "$sqlite"
        [ $cost = 0 ] || awk -v a="$none" -v b="$csv" -v c="$sqlite" 'BEGIN {exit b > 1.05 * a || c > 1.05 * a}' || bad=1
    done
done
[ $bad = 0 ] || echo "history: more than 5 % of a run whose evaluations take 0.1 ms"
exit $bad
