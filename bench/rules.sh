#!/usr/bin/env bash
# What each rule of inq is worth: units with it and without, on a problem where it matters.
#     rules.sh [RULE ...]      ZO_WITHOUT=RULE switches it off in bench/net, bench/inq
# SPDX-License-Identifier: MIT
set -euo pipefail
"${BUILD:-build/release}/bench/rules" "$@"
