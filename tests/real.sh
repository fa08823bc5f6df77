#!/usr/bin/env bash
# The real examples (docs/examples) at a reduced size: real.sh [NAME ...]. Each builds, runs, and finds what it should.
# SPDX-License-Identifier: MIT
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
if nm -D "$BUILD/lib/libzoprox.so" | grep __asan_init >/dev/null; then
    echo "skipped: plugins and Python without sanitizers beside a library with them"
    exit 77
fi
export ZOPROX_LIBRARY=$BUILD/lib/libzoprox.so PYTHONPATH=$SOURCE/python PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1
skipped=
wrong() { echo "real: $1: $2"; shift 2; cat "$@"; exit 1; }
has() { # EXAMPLE MODULE ...: are the Python modules here?
    local module
    for module in "${@:2}"; do
        /usr/bin/python3 -W ignore -c "import $module" 2>/dev/null && continue
        skipped+=" $1 (no python3-$module)"
        return 1
    done
}
last() { awk -F, 'NR > 1 {f = $6} END {print f + 0}' "$1"; } # the last F of a trace
below() { awk -v a="$1" -v b="$2" 'BEGIN {exit !(a < b)}'; }

calibration() {
    METHODS=auto SEEDS="1 2 3" DRAW="" bash "$SOURCE/examples/calibration/run.sh" calibration 10 >calibration.log || wrong calibration failed calibration.log
    grep -q '^all well' calibration.log || wrong calibration "check is not content" calibration.log
    below "$(last calibration/auto.csv)" 4 || wrong calibration "the median F is not below 4" calibration.log
    [ "$(grep -c '^A_' calibration/shown)" = 30 ] || wrong calibration "not 30 measurements" calibration/shown
}

portfolio() {
    has portfolio scipy cffi || return 0
    DRAW="" bash "$SOURCE/examples/portfolio/run.sh" portfolio 400 20 20 >portfolio.log || wrong portfolio failed portfolio.log
    best=$(cut -d' ' -f1 portfolio/exact)
    below "$(last portfolio/auto.csv)" "$(awk -v b="$best" 'BEGIN {print b * 1.01}')" || wrong portfolio "not within 1 % of $best" portfolio.log
    awk 'NR <= 20 {s += $1; if ($1 < 0) bad = 1} END {exit bad || (s - 1) ^ 2 > 1e-20}' portfolio/auto.x || wrong portfolio "not on the simplex" portfolio/auto.x
}

adversarial() {
    has adversarial numpy || return 0
    [ -d /usr/share/datasets/fashion-mnist ] || { skipped+=" adversarial (no dataset-fashion-mnist)"; return 0; }
    TRAIN="3000 2" TUNE=1 REPORT=2 STEPS=0.1 DIRECTIONS=50 BATCHES=5 DRAW="" bash "$SOURCE/examples/adversarial/run.sh" adversarial 30 12000 >adversarial.log 2>&1 ||
        wrong adversarial failed adversarial.log
    awk '$1 == "auto" && NF == 8 {a = 1} /^zosgd/ {b = 1} /^zpsvrg/ {c = 1} END {exit !(a && b && c)}' adversarial/table || wrong adversarial "no table" adversarial.log
    awk '!/^#/ {share = $3} END {exit !(share > 0.3)}' adversarial/auto-2 || wrong adversarial "too few are fooled" adversarial/auto-2
    awk '{if (($1 + 0) ^ 2 > 0.15 ^ 2 + 1e-9) bad = 1} END {exit bad || NR != 196}' adversarial/auto-2.x || wrong adversarial "not within the box" adversarial/auto-2.x
}

prompt() {
    has prompt numpy cffi || return 0
    DRAW="" /usr/bin/python3 -W ignore "$SOURCE/examples/prompt/prompt.py" prompt 5 2000 >prompt.log 2>&1 || wrong prompt failed prompt.log
    awk '!/^#/ {if (!first) first = $2; f = $2} END {exit !(f < 0.95 * first)}' prompt/tuned.txt || wrong prompt "F does not fall" prompt/tuned.txt
    awk '!/^#/ {if (!first) first = $2; if (f && $2 > f + 0.1) rose = 1; f = $2} END {exit rose || !(f < 0.5 * first)}' prompt/auto.txt || wrong prompt "auto: F does not fall, or rises" prompt/auto.txt
}

pipeline() {
    has pipeline sklearn scipy cffi || return 0
    ONLY=zoprox DRAW="" /usr/bin/python3 -W ignore "$SOURCE/examples/pipeline/pipeline.py" pipeline 300 >pipeline.log 2>&1 || wrong pipeline failed pipeline.log
    awk '!/^#/ {if (!first) first = $2; f = $2; q = $1} END {exit !(f < 0.7 * first && q <= 300)}' pipeline/zoprox-auto.txt ||
        wrong pipeline "F does not fall by 30 % within 300 fits" pipeline/zoprox-auto.txt
    awk '{bad += NR == 1 ? ($1 < -2 || $1 > 5) : ($1 < 0 || $1 > 2)} END {exit bad || NR != 31}' pipeline/zoprox-auto.x || wrong pipeline "not within its box" pipeline/zoprox-auto.x
}

examples=("$@")
[ $# -gt 0 ] || examples=(calibration portfolio adversarial prompt pipeline)
for example in "${examples[@]}"; do "$example"; done
[ -z "$skipped" ] || { echo "skipped:$skipped"; exit 77; }
