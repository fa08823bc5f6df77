#!/usr/bin/env bash
# inq on rough ground: far starts, weak or no ridge, tight budgets, outlying rows and columns, shared Hessians, many coordinates, next to no budget; each
# figure beside what it should not exceed. `bench/rough.sh PART [SEEDS [WORD]]` runs one part: far, ridge, budget, outliers, shared, large, tiny.
# SPDX-License-Identifier: MIT
#
# Sets that are not in $ZOPROX_DATA are left out with a line. Exit code 1: a bar was missed.
set -euo pipefail
cd "$(dirname "$0")/.."
rough=${BUILD:-build/release}/bench/rough
export ZOPROX_DATA=${ZOPROX_DATA:-$HOME/.cache/zoprox}
failed=0
parts=${1:-far ridge budget outliers shared large tiny}
for part in $parts; do
    echo "### $part"
    "$rough" "$part" "${@:2}" || failed=1
done
exit $failed
