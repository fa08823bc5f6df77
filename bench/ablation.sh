#!/usr/bin/env bash
# inq with one rule off at a time: units to gaps of 1e-6 / 1e-10, medians of 3 seeds. Each rule is a line of the source
# that is changed in a copy, built and measured; a line that is no longer there is an error.
#     ablation.sh [one|several|alone]
# SPDX-License-Identifier: MIT
set -euo pipefail
source=${SOURCE:-$PWD} build=${BUILD:-$source/build/release}/ablation
[ -n "${ZOPROX_DATA:-}" ] || { echo "ablation: ZOPROX_DATA does not say where german.numer_scale, phishing, mushrooms and a9a are"; exit 0; }
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

one_index() {
    measure "$(set_of german.numer_scale)" l1:1e-4 1e-4 3 4 0.46954529593309585
    measure "$(set_of phishing)" l1:1e-4 1e-4 3 4 0.2021725129901482
    measure "$(set_of mushrooms)" l1:1e-4 1e-4 3 4 0.019924338051486475
    measure "$(set_of a9a)" l1:1e-4 1e-4 3 4 0.328081049521669
}

several() {
    measure "$(set_of phishing)" l1:1e-4 1e-4 3 15 0.2021725129901482 group=5
    measure synth:kind=multiclass,classes=4,n=2000,d=20 l1:1e-4 1e-3 3 15 0.6146460675359238 loss=softmax
    measure quadratics:500,100,1000,0.3 zero 0 3 15 8.037546728306591
    measure valley:1000,10 zero 0 3 40 0.01063331154533588
}

lone() {
    measure quadratics:1,30,100 zero 0 1 80 0
    measure quadratics:1,100,1000 zero 0 1 80 0
    measure "$(set_of german.numer_scale)" l1:1e-4 1e-4 1 80 0.46954529593309585 group=1000
    measure "$(set_of phishing)" l1:1e-4 1e-4 1 80 0.2021725129901482 group=11055
}

# FILE FROM TO: FROM, a fixed string, becomes TO.
change() {
    python3 - "$build/copy/src/method/inq/$1" "$2" "$3" <<'PY'
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
    if [ $# -gt 2 ]; then cp "$source/src/method/inq/$3" "$build/copy/src/method/inq/$3"; fi
}

head() { # the table's first row
    printf '\n|'
    printf ' %s |' "$@"
    printf '\n|'
    printf '%.s---|' "$@"
    printf '\n'
}

one() {
    head "one index" german phishing mushrooms a9a
    row "all rules" one_index
    row "curves learn nothing from values" one_index inq_learn.c 'curve_learn(c, c->now, c->f - ridge, noise, least) ?' \
        'curve_learn(c, c->now, c->f - ridge, noise, least) || 1 ?'
    row "no samples: all components at once" one_index inq_open.c 'if (size < least) return s->base.n;' 'return s->base.n;'
    row "the forward error stays in u_i" one_index inq_learn.c 'c->size = inq_row_unbias(s, i, r, c->size, bend);' '(void)r;'
    row "the sample's gradient instead of g_new" one_index inq_model.c '(s->fresh_g[j] - s->g[j])' '0 * (s->fresh_g[j] - s->g[j])'
    row "mu is never measured" one_index inq_learn.c 'if (wrong) correct_ridge' 'if (0) correct_ridge'
    row "steps of a sample are not judged by values" one_index inq_step.c 'c->score = score(s, said, c->expect);' \
        'c->score = score(s, said, c->expect), c->score = fmin(c->score, -fabs(c->expect));'
}
more() {
    head "several indices" "phishing, 5 rows" "softmax, 4 classes" "quadratics w_i A" "valley, d = 10"
    row "all rules" several
    row "one direction, no span" several inq_span_learn.c 'rest > blur * blur)' 'rest > 1e300)'
    row "nothing is asked along spans" several inq.c 's->base.set.own) inq_list_spans' '0) inq_list_spans'
    row "components without a span wait their turn" several inq_span_learn.c 'if (!inq_shares(s)) part =' 'if (0) part ='
    row "no longer on samples whose spans are known" several inq.c 'int dear = 4 * again > at->filled;' 'int dear = 1;'
    row "as few judge a sample's step as with curves" several inq_step.c 'FRESH_FOR_SPANS : LEAST_FRESH' 'LEAST_FRESH : LEAST_FRESH'
    row "no shared Hessian w_i W" several inq_shared.c 'if (!s->whole) return 0;' 'return 0;'
    row "mu is not seen across spans" several inq_span_learn.c 'return at->ridge_count >= 4 ?' 'return at->ridge_count < 0 ?'
    row "no span is guessed" several inq_guess.c 'shape f = find(s, &seen);' 'shape f = find(s, &seen); f.kind = f.outputs = 0;'
    row "no scale from second differences" several inq_scale.c 's->at->gam = gam > 1.6' 's->at->gam = 0 * gam > 1.6'
    row "the forward error stays in gradients" several inq_span_learn.c 'm->set.sides == 1 ? 0.5 * method_radius(m, 1) : 0' '0'
}
function_alone() {
    head "one function" "quadratic, d = 30" "d = 100" german phishing
    row "all rules" lone
    row "B begins with the mean of the bends" lone ../mean/matrix.c 'beside_diagonal(s, bend) < 1 ? 1 : power_of_bends(s)' \
        '(beside_diagonal(s, bend) + power_of_bends(s)) * 0'
    row "B begins with the bends everywhere" lone ../mean/matrix.c 'beside_diagonal(s, bend) < 1 ? 1' 'beside_diagonal(s, bend) < 1e300 ? 1'
    row "one value a step" lone ../mean/rules.h 'MOST_TRIED = 6' 'MOST_TRIED = 1'
    row "B keeps what values told" lone ../mean/exact.c 'vec_copy(m->d * m->d, s->steady, s->matrix);' ''
    row "what psi holds is asked too" lone ../mean/exact.c 'int all = !prox_separable' 'int all = 1 || !prox_separable'
}
case ${1:-all} in one) one ;; several) more ;; alone) function_alone ;; *)
    one
    more
    function_alone # not one && more: errors would be passed over
    ;;
esac
