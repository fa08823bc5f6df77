#!/usr/bin/env bash
# Where --tol stops, beside the true residual: the table of docs/methods/auto.md.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."
tol=${BUILD:-build/release}/bench/tol
export ZOPROX_DATA=${ZOPROX_DATA:-$HOME/.cache/zoprox}
[ -e "$ZOPROX_DATA/phishing.xz" ] || { echo "tol: phishing.xz is not in $ZOPROX_DATA (set ZOPROX_DATA)"; exit 77; }
echo "| set | loss | tol | units | stated | true | stated/true | worst true/tol | |"
echo "|---|---|---|---|---|---|---|---|---|"
for set in ${SETS:-german.numer_scale phishing mushrooms a9a w8a synth:kind=gaussian,n=2000,d=50 synth:kind=multiclass,classes=3,n=2000,d=20
    synth:kind=multiclass,classes=4,n=2000,d=20 synth:kind=multiclass,classes=8,n=2000,d=20}; do
    loss=logistic seeds=3
    case $set in *multiclass*) loss=softmax seeds=12 ;; esac
    for at in 1e-3 1e-5 1e-7; do "$tol" "$set" "$loss" "$at" "$seeds" | sed 's/^/| /; s/$/ |/'; done
done
