#!/usr/bin/env bash
# What users read (help, manual, lists, README) has the field's words, not the house's: no fan, no span.
# SPDX-License-Identifier: MIT
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
{
    "$ZOPROX" --help
    "$ZOPROX" manual
    "$ZOPROX" methods
    "$ZOPROX" proxes
    "$ZOPROX" settings --markdown
    "$ZOPROX" methods inq
    "$ZOPROX" solve synth:kind=multiclass,classes=3,n=500,d=20 --loss softmax --method inq --l2 1e-3 --units 3 --quiet # a report
    cat "$SOURCE/README.md" "$SOURCE/docs/black-boxes.md" "$SOURCE/docs/settings.md"
} >"$dir/read" 2>&1
if grep -nwiE 'fans?|spans?|own (directions?|questions?)|nothing more to ask' "$dir/read"; then echo "words: jargon where a user reads"; exit 1; fi
