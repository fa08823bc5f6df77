#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# zoprox beside what people use today, on the same black boxes and the same counted queries: tables and a picture in build/peers.
# About an hour on two quiet cores; PEERS="d=10 exact" and the like choose a part. Runs that are there already are not made again.
set -euo pipefail
export ZOPROX_LIBRARY=$BUILD/lib/libzoprox.so
for module in scipy matplotlib; do
    /usr/bin/python3 -W ignore -c "import $module" 2>/dev/null || { echo "peers: python3-$module is not here"; exit 77; }
done
out=$SOURCE/build/peers
mkdir -p "$out"
# shellcheck disable=SC2086
/usr/bin/python3 -W ignore "$SOURCE/bench/peers/measure.py" "$out/runs.jsonl" ${PEERS:-}
/usr/bin/python3 -W ignore "$SOURCE/bench/peers/report.py" "$out/runs.jsonl" "$out/peers.svg" | tee "$out/tables.md"
