#!/usr/bin/env bash
# The paper's methods against what is known of them: gaps on a9a and german.numer_scale at fixed settings.
# SPDX-License-Identifier: MIT
#
# Needs the sets in $ZOPROX_DATA (or fetched); exits 77 when they are not there. About five minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
zoprox=${ZOPROX:-build/release/bin/zoprox}
for set in a9a german.numer_scale; do
    "$zoprox" solve "$set" --method pgd --step 1 --units 1.1 --quiet >/dev/null 2>&1 ||
        { echo "bars: $set is not here (zoprox data fetch $set)"; exit 77; }
done
a9a="a9a --l1 1e-4 --l2 1e-4 --optimum 0.328081049521669"
german="german.numer_scale --l1 1e-2 --l2 1e-2 --optimum 0.5345853682854529"
failed=0

gap() { # OPTIONS...: the gap of one run
    "$zoprox" solve "$@" --every 1e9 --quiet --json | awk -F'[:,]' '/"gap"/ { print $2 + 0; exit }'
}
median() { # SEEDS OPTIONS...
    local seeds=$1 k
    shift
    for ((k = 1; k <= seeds; k++)); do gap "$@" --seed $((100 + k)); done | sort -g |
        awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
check() { # WHAT LOW HIGH VALUE
    local verdict
    verdict=$(awk -v v="$4" -v lo="$2" -v hi="$3" 'BEGIN { print (v >= lo && v <= hi) ? "ok" : "MISSED" }')
    printf '%-66s %10.3e  in [%g, %g]  %s\n' "$1" "$4" "$2" "$3" "$verdict"
    [ "$verdict" = ok ] || failed=1
}

p="$a9a --radius 1e-3"
check "a9a pgd, step 2, 100 units" 3.268e-3 3.402e-3 "$(gap $p --method pgd --step 2 --units 100)"
check "a9a pgd, step 2, 200 units" 1.096e-3 1.140e-3 "$(gap $p --method pgd --step 2 --units 200)"
check "a9a fista, step 0.6, 100 units" 3.45e-4 4.05e-4 "$(gap $p --method fista --step 0.6 --units 100)"
v="--method psvrg --step 1 --batch 4 --epoch 4070"
check "a9a psvrg, step 1, batch 4, 20 units, median of 5" -1 5e-5 "$(median 5 $p $v --units 20)"
check "a9a psvrg, floor at 60 units" 1.04e-8 1.56e-8 "$(gap $p $v --units 60)"
check "a9a psvrg, radius 1e-6, 80 units" -1 1e-11 "$(gap $a9a --radius 1e-6 $v --units 80)"
check "a9a saga, automatic, radius 1e-7, 40 units" -1 1e-10 "$(gap $a9a --radius 1e-7 --method saga --units 40)"
check "a9a sega, 10 directions, step 0.5, 100 units, median of 5" 6.56e-4 1.68e-3 \
    "$(median 5 $p --method sega --directions 10 --step 0.5 --units 100)"
check "a9a zpsvrg, batch 128, 10 directions, step 0.01, epoch 100, median of 5" 1.06e-3 2.72e-3 \
    "$(median 5 $p --method zpsvrg --batch 128 --directions 10 --step 0.01 --epoch 100 --units 100)"
check "a9a zpdvr, batch 1024, 50 directions, step 0.25, refresh 0.0417, of 11" 1.33e-3 1.2e-2 \
    "$(median 11 $p --method zpdvr --batch 1024 --directions 50 --step 0.25 --refresh 0.0417 --units 100)"

g="$german --batch 50 --directions 24 --radius 1e-6 --units 300"
z=$(median 7 $g --method zpdvr --step 1 --refresh 0.1)
s=$(median 7 $g --method sega --step 1)
check "german zpdvr, step 1, refresh 0.1, 300 units, median of 7" -1 1e-9 "$z"
check "german sega, step 1: at least ten times zpdvr's, below 1e-6" "$(awk -v z="$z" 'BEGIN { print 10 * z }')" 1e-6 "$s"
check "german zpsvrg, step 0.1, epoch 10: stuck" 1e-4 1 "$(median 7 $g --method zpsvrg --step 0.1 --epoch 10)"
exit $failed
