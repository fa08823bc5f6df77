#!/usr/bin/env bash
# mean with one rule off at a time: units to gaps of 1e-6 / 1e-10. Each rule is a line of the source that is changed in a
# copy, built and measured; a line that is no longer there is an error. inq has its rules by name: bench/rules.sh.
# SPDX-License-Identifier: MIT
set -euo pipefail
source=${SOURCE:-$PWD} build=${BUILD:-$source/build/release}/ablation
[ -n "${ZOPROX_DATA:-}" ] || { echo "ablation: ZOPROX_DATA does not say where german.numer_scale and phishing are"; exit 0; }
data=$ZOPROX_DATA
mkdir -p "$build"
rm -rf "$build/copy"
mkdir "$build/copy"
(cd "$source" && tar cf - --exclude=./build --exclude=./.git .) | tar xf - -C "$build/copy"
cmake -S "$build/copy" -B "$build/make" -DCMAKE_BUILD_TYPE=Release >"$build/log" 2>&1

set_of() { [ -e "$data/$1" ] && printf '%s\n' "$data/$1" || printf '%s\n' "$data/$1.xz"; }

# units to 1e-6 / 1e-10
measure() {
    "$build/make/bench/inq" "$@" | sed 's/.*| units \([^|]*\)|.*/\1/' | awk '{ printf " %s / %s |", $3, $5 }'
}

lone() {
    measure quadratics:1,30,100 zero 0 1 80 0
    measure quadratics:1,100,1000 zero 0 1 80 0
    measure "$(set_of german.numer_scale)" l1:1e-4 1e-4 1 80 0.46954529593309585 group=1000
    measure "$(set_of phishing)" l1:1e-4 1e-4 1 80 0.2021725129901482 group=11055
}

# FILE FROM TO: FROM, a fixed string, becomes TO.
change() {
    python3 - "$build/copy/src/method/mean/$1" "$2" "$3" <<'PY'
import sys
path, old, new = sys.argv[1:]
text = open(path).read()
if text.count(old) != 1:
    sys.exit(f"ablation: '{old}' is not there once in {path}")
open(path, "w").write(text.replace(old, new))
PY
}

# NAME SETS [FILE FROM TO]
row() {
    local name=$1 sets=$2
    if [ $# -gt 2 ]; then change "$3" "$4" "$5"; fi
    cmake --build "$build/make" --target bench_inq >>"$build/log" 2>&1
    printf '| %s |' "$name"
    $sets
    printf '\n'
    if [ $# -gt 2 ]; then cp "$source/src/method/mean/$3" "$build/copy/src/method/mean/$3"; fi
}

head() { # the table's first row
    printf '\n|'
    printf ' %s |' "$@"
    printf '\n|'
    printf '%.s---|' "$@"
    printf '\n'
}

head "one function" "quadratic, d = 30" "d = 100" german phishing
row "all rules" lone
row "B begins with the mean of the bends" lone matrix.c 'beside_diagonal(s, bend) < 1 ? 1 : power_of_bends(s)' \
    '(beside_diagonal(s, bend) + power_of_bends(s)) * 0'
row "B begins with the bends everywhere" lone matrix.c 'beside_diagonal(s, bend) < 1 ? 1' 'beside_diagonal(s, bend) < 1e300 ? 1'
row "one value a step" lone rules.h 'MOST_TRIED = 6' 'MOST_TRIED = 1'
row "B keeps what values told" lone exact.c 'vec_copy(m->d * m->d, s->steady, s->matrix);' ''
row "what psi holds is asked too" lone exact.c 'int all = !prox_separable' 'int all = 1 || !prox_separable'
