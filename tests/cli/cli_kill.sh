# kill -9 at random moments, then resume: the same trace (less its seconds) and the same solution.
# ZO_LONG=1: 20 kills of every method. SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1
if [ -n "${ZO_LONG:-}" ]; then
    kills=20 methods=$("$ZOPROX" methods | awk '/^[^ ]/ {print $1}')
else
    kills=3 methods="zpdvr saga fista zosgd"
fi
# budgets that take long enough to be killed in between, for methods that are quick with a unit
declare -A units=([zpdvr]=300 [zpsvrg]=300 [sega]=400 [zosgd]=20 [pgd]=100 [fista]=100 [psvrg]=40 [saga]=20)
early=0 # kills that came before the end
RANDOM=7 # the moments, as numbers of trace rows, are the same in every run of this test

for method in $methods; do
    run="solve synth:n=6000,d=40,seed=2 --method $method --units ${units[$method]:-20} --l1 1e-3 --seed 4 --quiet"
    "$ZOPROX" $run --trace s.csv --save s.x >/dev/null || wrong "$method: straight"
    rows=$(wc -l <s.csv)
    rm -f k.*
    killed=0
    while [ $killed -lt $kills ]; do
        target=$((RANDOM % rows + 1))
        "$ZOPROX" $run --trace k.csv --save k.x --checkpoint k.zo --checkpoint-seconds 0 --resume >/dev/null 2>err &
        pid=$!
        wait_rows k.csv $target $pid
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
        killed=$((killed + 1))
        [ ! -s err ] || wrong "$method: $(cat err)"
        [ -e k.x ] || early=$((early + 1))
        if [ -e k.x ]; then # it had finished: begin again
            same_trace s.csv k.csv "$method, kill $killed"
            same s.x k.x "$method, kill $killed"
            rm -f k.*
        fi
    done
    "$ZOPROX" $run --trace k.csv --save k.x --checkpoint k.zo --resume >/dev/null || wrong "$method: resumed"
    same_trace s.csv k.csv "$method after $kills kills"
    same s.x k.x "$method after $kills kills"
done
[ $early -gt 0 ] || wrong "no kill came before the end: nothing was tested"
verdict
