#!/usr/bin/env bash
# The suites that the field is judged by, zoprox beside SciPy, NLopt, CMA-ES and PETSc where they are installed: the tables and
# pictures of docs/peers.md, in build/suites. About half an hour on two quiet cores. SPDX-License-Identifier: MIT
#
# suites.sh [PART...]     parts: morewild noise l1 nist separable rough spectrum; SMALL=1: two problems each, few evaluations
set -euo pipefail
cd "$(dirname "$0")/.."
export BUILD=${BUILD:-$PWD/build/release} ZOPROX_DATA=${ZOPROX_DATA:-$HOME/.cache/zoprox} OMP_NUM_THREADS=1
out=${OUT:-build/suites} seeds="1 2 3 4 5" range=()
if [ -n "${SMALL:-}" ]; then export MOST=20; seeds=1 range=(6 7); fi
mkdir -p "$out"

# zoprox PART [NAME]: what zoprox needs; NAME is what the row is called.
zoprox() { "$BUILD/bench/suites" "$1" "${range[@]}" >"$out/$1@${2:-zoprox}.csv"; }

# peers PART SOLVER,...: what others need; a solver whose package is not here is left out, with a line.
peers() { /usr/bin/python3 -W ignore bench/suites/peers.py "$out" "$1" "$2" "${range[@]}" || true; }

morewild() {
    zoprox residuals
    zoprox function
    zoprox components
    METHOD=lm zoprox components lm
    zoprox noisy-residuals
    zoprox rounded-residuals
    ABREAST=1 zoprox rounds one
    ABREAST=8 zoprox rounds eight
    peers residuals least_squares,POUNDERS
    peers function L-BFGS-B,NEWUOA,BOBYQA
}

noise() {
    local part
    for part in noisy-function wild-function absolute-function; do
        zoprox "$part"
        peers "$part" NEWUOA,BOBYQA,CMA-ES
    done
}

l1() {
    zoprox l1
    peers l1 L-BFGS-B,least_squares-split,NEWUOA,BOBYQA,SBPLX,COBYLA,Nelder-Mead
}

nist() {
    local part range=(${SMALL:+1 1})
    for part in nist nist2; do
        zoprox "$part"
        zoprox "$part-function"
        peers "$part" least_squares
    done
}

separable() {
    zoprox separable
    zoprox separable-function
    peers separable-function L-BFGS-B,NEWUOA,BOBYQA,SBPLX
}

rough() {
    local seed range=(${SMALL:+5 5})
    for seed in $seeds; do
        export SEED=$seed
        zoprox rough "zoprox@$seed"
        peers rough CMA-ES,Nelder-Mead,SBPLX,Powell
    done
    unset SEED
}

spectrum() {
    local range=()
    zoprox spectrum
    peers spectrum least_squares,POUNDERS
}

[ $# -gt 0 ] || set -- morewild noise l1 nist separable rough spectrum
for part; do
    case $part in
    morewild | noise | l1 | nist | separable | rough | spectrum) ;;
    *) echo "suites: part: $part is none of: morewild noise l1 nist separable rough spectrum" >&2; exit 2 ;;
    esac
    "$part"
done
/usr/bin/python3 -W ignore bench/suites/report.py "$out" | tee "$out/tables.md"
