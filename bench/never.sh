#!/usr/bin/env bash
# The gap of auto beside the best of all other methods, tuned: the table of docs/methods/auto.md. Half an hour on a quiet core;
# a few cases: CASES="common n=1" bench/never.sh
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."
never=${BUILD:-build/release}/bench/never
export ZOPROX_DATA=${ZOPROX_DATA:-$HOME/.cache/zoprox}
[ -e "$ZOPROX_DATA/a9a.xz" ] && [ -e "$ZOPROX_DATA/phishing.xz" ] ||
    { echo "never: a9a.xz and phishing.xz are not in $ZOPROX_DATA (set ZOPROX_DATA)"; exit 77; }
echo "| problem | units | auto | best other, tuned | ratio | auto took |"
echo "|---|---|---|---|---|---|"
for case in ${CASES:-$("$never" list)}; do
    "$never" "$case" 2>/dev/null | grep -v '^#' | sed 's/^/| /; s/$/ |/'
done
