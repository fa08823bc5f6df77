#!/usr/bin/env bash
# The safety net of inq: about 85 recorded runs over every phase and kind of model, compared with bench/net/recorded.txt.
#     net.sh [record] [short|long|NAME ...]      record: what is run now becomes the record; NET=strict: same bytes or fail
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."
"${BUILD:-build/release}/bench/net" bench/net/runs.txt bench/net/recorded.txt "$@"
