#!/usr/bin/env bash
# Gradients recovered in whole runs of inq, counted against the truth: a million over the sets of docs/methods/recover.md.
# SPDX-License-Identifier: MIT
#
# COUNT: a part of that (0.01: a few minutes). Sets that are not in $ZOPROX_DATA are left out with a line.
set -euo pipefail
cd "$(dirname "$0")/.."
recover=${BUILD:-build/release}/bench/recover
data=${ZOPROX_DATA:-$HOME/.cache/zoprox}
failed=0
row() { # SET PSI L2 UNITS GRADIENTS
    local set=$1
    if [[ $set != synth:* ]]; then
        [ -e "$data/$set.xz" ] || { echo "$set.xz is not in $data: left out"; return; }
        set=$data/$set.xz
    fi
    "$recover" "$set" "$2" "$3" "$4" "$(awk -v n="$5" -v part="${COUNT:-1}" 'BEGIN { print n * part }')" || failed=1
}
echo "| set | d | recovered | queries each | compared | wrong | error, rms | at most | in full, off by more than 1e-3 |"
echo "|---|---|---|---|---|---|---|---|---|"
row a9a l1:1e-4 1e-4 .2 200000
row w8a l1:1e-5 1e-4 .2 150000
row covtype.libsvm.binary.scale l1:1e-4 1e-5 .4 400000
row phishing l1:1e-4 1e-4 .3 100000
row mushrooms l1:1e-4 1e-4 .3 100000
row german.numer_scale l1:1e-4 1e-4 .9 20000
row synth:kind=gaussian,n=20000,d=300,rank=8 l1:1e-4 1e-4 .1 40000
row gisette_scale.t l1:1e-4 1e-4 .4 900
exit $failed
