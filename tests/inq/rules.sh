#!/usr/bin/env bash
# Every rule of inq has a problem that needs clearly more queries without it (bench/rules.c).
# SPDX-License-Identifier: MIT
set -euo pipefail
"$BUILD/bench/rules" || { echo "rules: a rule is not worth what bench/rules.c says, or has no problem there"; exit 1; }
