# Every method, the same bytes on any number of ranks and threads as zoprox alone, on a9a and on a set whose n nothing
# divides; checkpoints of 4 ranks go on with 3 and with 1; the same by MPICH. ZO_LONG=1: all of it, not a sample.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/mpi.inc"
methods=$("$ZOPROX" methods | awk 'NR > 0 && $1 ~ /^[a-z]+$/ && $1 != "auto" {print $1}')
[ "$(echo $methods | wc -w)" -ge 9 ] || methods="pgd fista psvrg sega zpsvrg zpdvr zosgd saga inq"
mpich=$BUILD/tests/zoprox-mpich
on_mpich() {
    local ranks=$1
    shift
    timeout 300 mpirun.mpich -np "$ranks" "$mpich" "$@" </dev/null
}
command -v mpirun.mpich >/dev/null && [ -x "$mpich" ] && on_mpich 2 --version >/dev/null 2>&1 || mpich=

# compare NAME LAUNCHER RANKS THREADS: with s.csv and s.x
compare() {
    "$2" "$3" $run --threads "$4" --trace r.csv --save r.x >r.out 2>r.err || wrong "$1, $2 $3: $(head -c 300 r.err)"
    same_trace s.csv r.csv "$1, $2 $3, $4 threads"
    same s.x r.x "$1, $2 $3, $4 threads"
    count=$((count + 1))
}
count=0 k=0
plan=(on:7:1 on:4:2 on:3:1 on:2:2 on:1:2)
sources=synth:n=1511,d=7,seed=3,density=0.4
[ ! -e "${ZOPROX_DATA:-}/a9a.xz" ] || sources="$sources a9a"
for source in $sources; do
    for method in $methods; do
        run="solve $source --method $method --l1 1e-4 --l2 1e-4 --units 1 --every 0.2 --seed 4 --quiet"
        [ $source = a9a ] && run="$run --units 2.1 --steps 200"
        [ $source$method = a9azosgd ] && run="$run --units 0.05" # its steps are windows of many questions
        if [ -n "${ZO_LONG:-}" ]; then
            "$ZOPROX" $run --trace s.csv --save s.x >/dev/null || wrong "$method: alone"
            for ranks in 1 2 3 4 7; do for threads in 1 2; do compare "$method on $source" on $ranks $threads; done; done
            [ -z "$mpich" ] || for ranks in 1 2 3; do compare "$method on $source" on_mpich $ranks 1; done
        elif [ $source != a9a ] || [ $method = zpdvr ]; then
            "$ZOPROX" $run --trace s.csv --save s.x >/dev/null || wrong "$method: alone"
            IFS=: read -r launcher ranks threads <<<"${plan[$((k++ % ${#plan[@]}))]}"
            compare "$method on $source" "$launcher" "$ranks" "$threads"
            [ -z "$mpich" ] || [ $((k % 4)) != 1 ] || compare "$method on $source" on_mpich 2 1
        fi
    done
done

# components of few entries, and so little to spend that they are found by splitting
run="solve synth:kind=onehot,n=151,d=3000,density=0.004 --method thin --l1 1e-4 --l2 1e-4 --units 0.03 --seed 4 --quiet"
"$ZOPROX" $run --trace s.csv --save s.x >/dev/null || wrong "thin: alone"
compare thin on 3 1

# a checkpoint of 4 ranks goes on with 3 and with 1
odd="solve synth:n=1511,d=7,seed=3,density=0.4 --l1 1e-4 --l2 1e-4 --units 6 --every 0.2 --seed 4 --quiet"
some=$methods
[ -n "${ZO_LONG:-}" ] || some="saga inq"
for method in $some; do
    "$ZOPROX" $odd --method $method --trace s.csv --save s.x >/dev/null || wrong "$method: alone"
    rm -f r.zo
    run="$odd --method $method --checkpoint r.zo --resume"
    on 4 $run --trace r.csv --steps 5 >/dev/null 2>r.err || wrong "$method: checkpoint on 4 ranks: $(head -c 300 r.err)"
    cp r.zo q.zo
    cp r.csv q.csv
    on 3 $run --trace r.csv --save r.x >/dev/null 2>r.err || wrong "$method: resumed on 3 ranks: $(head -c 300 r.err)"
    mv q.zo r.zo
    "$ZOPROX" $run --trace q.csv --save q.x >/dev/null 2>r.err || wrong "$method: resumed alone: $(head -c 300 r.err)"
    for f in r q; do
        same_trace s.csv $f.csv "$method, from 4 ranks"
        same s.x $f.x "$method, from 4 ranks"
    done
done
[ -z "${ZO_LONG:-}" ] || echo "$count runs compared"
[ -n "$mpich" ] || echo "MPICH is not here: not tried"
verdict
