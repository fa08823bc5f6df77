#!/usr/bin/env bash
# The page of a run that goes on, at 10^5 evaluations, in Chromium: bench/watch.py says what is measured.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."
command -v chromium >/dev/null || { echo "watch: no Chromium here (Debian: chromium)"; exit 77; }
exec python3 bench/watch.py "${ZOPROX:-build/release/bin/zoprox}"
