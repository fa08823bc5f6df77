# zoprox-mpi when a rank dies or stands still: the others end, somebody names it, and the run goes on from its checkpoint.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/mpi.inc"

# start RANKS ARGS...: in the background, with the process of every rank in pid.RANK; the run's own in $run
start() {
    local ranks=$1
    shift
    rm -f pid.*
    mpirun -np "$ranks" bash -c 'echo $$ >"pid.$OMPI_COMM_WORLD_RANK$PMI_RANK"; exec "$0" "$@"' "$MPI" "$@" \
        >f.out 2>f.err </dev/null &
    run=$!
}
# ends SECONDS: the run has ended by then, with all its processes; leaves its exit code in $code
ends() {
    local k left
    for ((k = 0; k < $1 * 50; k++)); do
        kill -0 "$run" 2>/dev/null || break
        sleep 0.02
    done
    [ "$k" -lt $(($1 * 50)) ] || { wrong "$what: not ended after $1 seconds: $(head -c 300 f.err)"; kill -9 "$run" $(cat pid.*); }
    wait "$run"
    code=$?
    for k in $(cat pid.*); do
        for ((left = 0; left < 100; left++)); do # it has been killed; a busy machine takes a while to see to it
            alive "$k" || break
            sleep 0.02
        done
        ! alive "$k" || { wrong "$what: process $k is left"; kill -9 "$k"; }
    done
}
# what is dead may still be listed where nobody asks for its end
alive() { [ -r "/proc/$1/stat" ] && ! grep -q ') [ZX] ' "/proc/$1/stat" 2>/dev/null; }

# A rank stands still: the others wait for --patience, name it and end.
what="a rank that stands still"
start 3 solve synth:n=1333,d=11 --method zosgd --step 0.01 --units 1e9 --every 1 --track off --trace r.csv --patience 1 --quiet
wait_rows r.csv 3 $run
kill -STOP "$(cat pid.2)"
ends 20
[ "$code" = 1 ] || wrong "$what: exit code $code"
[ "$(grep -c '^zoprox: rank 2: no word in the exchange for' f.err)" = 1 ] || wrong "$what: $(head -c 500 f.err)"

# Ranks killed at moments drawn from a seed: the run ends within ten seconds, the rank is named, and what is resumed on
# another number of ranks has the bytes of a run that was never killed. ZO_LONG=1: 200 times.
run_it="solve synth:n=1333,d=11,seed=3,density=0.4 --l1 1e-3 --l2 1e-3 --units 60 --every 1 --seed 4 --quiet"
"$ZOPROX" $run_it --method zpdvr --trace s.csv --save s.x >/dev/null || wrong "alone"
times=3
[ -z "${ZO_LONG:-}" ] || times=200
RANDOM=7
killed=0
for ((k = 0; k < times; k++)); do
    ranks=$((2 + RANDOM % 3)) victim=$((RANDOM % 4)) rows=$((2 + RANDOM % 50))
    [ "$victim" -lt "$ranks" ] || victim=$((ranks - 1))
    what="kill $k: rank $victim of $ranks at row $rows"
    rm -f r.zo r.csv r.x
    start $ranks $run_it --method zpdvr --checkpoint r.zo --checkpoint-seconds 0 --trace r.csv --save r.x
    wait_rows r.csv $rows $run
    if [ -s "pid.$victim" ] && kill -9 "$(cat pid.$victim)" 2>/dev/null; then killed=$((killed + 1)); fi
    ends 10
    if [ "$code" != 0 ]; then
        grep -qE "(process )?rank $victim |rank $victim:|RANK" f.err || wrong "$what: not named: $(head -c 500 f.err)"
    fi
    on $((1 + RANDOM % 3)) $run_it --method zpdvr --checkpoint r.zo --resume --trace r.csv --save r.x >g.out 2>g.err ||
        wrong "$what: resuming: $(head -c 300 g.err)"
    same_trace s.csv r.csv "$what"
    same s.x r.x "$what"
done
[ -z "${ZO_LONG:-}" ] || echo "$killed of $times runs were killed"
[ "$killed" -gt 0 ] || wrong "no run was killed before its end"
verdict
