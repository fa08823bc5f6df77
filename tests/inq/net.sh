#!/usr/bin/env bash
# The short half of inq's safety net: recorded runs over every phase and kind of model need no more queries than recorded.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$SOURCE"
"$BUILD/bench/net" bench/net/runs.txt bench/net/recorded.txt short ||
    { echo "net: more queries than recorded; ./run bench net shows all of it, bench/net.sh record makes a new record"; exit 1; }
