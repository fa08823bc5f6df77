# Runs that were stopped, interrupted or finished go on with the same bytes.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/cli.inc"
cd "$work" || exit 1
methods=$("$ZOPROX" methods | awk '/^[^ ]/ {print $1}')

for method in $methods; do
    run="solve $small --method $method --l1 1e-3 --units 20 --every 0.5 --seed 4 --quiet"
    "$ZOPROX" $run --trace s.csv --save s.x >/dev/null || wrong "$method: straight"
    # stopped by its budget of steps, three times
    for steps in 2 5 9; do
        "$ZOPROX" $run --steps $steps --trace r.csv --checkpoint r.zo --resume >/dev/null || wrong "$method: $steps steps"
    done
    "$ZOPROX" $run --trace r.csv --save r.x --checkpoint r.zo --resume >/dev/null || wrong "$method: resumed"
    same_trace s.csv r.csv "$method, stopped and resumed"
    same s.x r.x "$method, stopped and resumed"
    # finished: written again, the same
    rm -f r.x
    "$ZOPROX" $run --trace r.csv --save r.x --checkpoint r.zo --resume >/dev/null || wrong "$method: finished"
    same_trace s.csv r.csv "$method, finished and resumed"
    same s.x r.x "$method, finished and resumed"
    # other numbers of threads
    for threads in 1 2 3; do
        "$ZOPROX" $run --threads $threads --trace t.csv --save t.x >/dev/null || wrong "$method: $threads threads"
        same_trace s.csv t.csv "$method, $threads threads"
        same s.x t.x "$method, $threads threads"
    done
    rm -f r.*
done

# two runs do not write one checkpoint: the second is refused, and what a killed run left is in nobody's way
held='import fcntl, subprocess, sys; f = open(sys.argv[1], "w"); fcntl.flock(f, fcntl.LOCK_EX); sys.exit(subprocess.call(sys.argv[2:]))'
/usr/bin/python3 -c "$held" .held.zo.zoprox-lock "$ZOPROX" solve $small --units 1 --quiet --checkpoint held.zo >out 2>err
[ $? = 1 ] && grep -q "'held.zo' is being written by another run" err || wrong "a checkpoint in use: $(cat err)"
[ ! -e held.zo ] || wrong "a checkpoint in use was written"
"$ZOPROX" solve $small --units 1 --quiet --checkpoint held.zo >/dev/null || wrong "a lock that nobody holds"
[ ! -e .held.zo.zoprox-lock ] || wrong "a lock was left"

# a checkpoint that is there is not overwritten, and one of another run is refused
run="solve $small --method pgd --units 5 --quiet"
"$ZOPROX" $run --checkpoint c.zo >/dev/null || wrong "checkpoint"
cp c.zo kept.zo
says 2 "'c.zo' is already there" $run --checkpoint c.zo
same c.zo kept.zo "refused"
says 2 'zoprox:' solve $small --method fista --units 5 --quiet --checkpoint c.zo --resume
says 2 'zoprox:' solve $small --method pgd --step 0.3 --units 5 --quiet --checkpoint c.zo --resume
says 2 'zoprox:' solve $small --method pgd --l1 0.1 --units 5 --quiet --checkpoint c.zo --resume
says 2 'zoprox:' solve synth:n=200,d=6,seed=4 --method pgd --units 5 --quiet --checkpoint c.zo --resume
same c.zo kept.zo "refused"
for at in 3 100 300; do # one bit of the file is wrong
    cp kept.zo bad.zo
    byte=$(od -An -tu1 -j $at -N 1 kept.zo | tr -d ' ')
    printf "$(printf '\\%03o' $((byte ^ 4)))" | dd of=bad.zo bs=1 seek=$at conv=notrunc 2>/dev/null
    says 2 'bad.zo' $run --checkpoint bad.zo --resume --trace bad.csv --save bad.x
done
head -c 200 kept.zo >short.zo
says 2 'short.zo' $run --checkpoint short.zo --resume
: >empty.zo
says 2 'empty.zo' $run --checkpoint empty.zo --resume
[ ! -e bad.csv ] && [ ! -e bad.x ] || wrong "a refused resume wrote files"
echo 'not a trace' >other.csv
says 2 "'other.csv' is not a trace" $run --checkpoint c.zo --resume --trace other.csv
[ "$(cat other.csv)" = 'not a trace' ] || wrong "another file was overwritten"

# --resume where nothing is to resume begins, and says so
"$ZOPROX" solve $small --method pgd --units 5 --checkpoint new.zo --resume >/dev/null 2>err
[ $? = 0 ] && grep -q "begins anew" err || wrong "resume of nothing: $(cat err)"

# SIGINT and SIGTERM: the run ends with its checkpoint, solution and report, and goes on later as if nothing had been
for name in INT TERM; do
    run="solve synth:n=2000,d=20,seed=1 --method zpdvr --steps 50000 --every 0.5 --l1 1e-3 --quiet" # long enough to be caught
    "$ZOPROX" $run --trace s.csv --save s.x >/dev/null || wrong "straight"
    rm -f i.*
    # bash lets background jobs ignore SIGINT; env restores what a terminal's user has
    env --default-signal=INT "$ZOPROX" $run --trace i.csv --save i.x --checkpoint i.zo --json >i.json 2>err &
    pid=$!
    wait_rows i.csv 4 $pid
    kill -$name $pid
    wait $pid
    code=$?
    [ $code = 0 ] || wrong "SIG$name: exit code $code, $(cat err)"
    grep -q '"reason": "request"' i.json || wrong "SIG$name: $(grep reason i.json)"
    grep -q "\"signal\": \"SIG$name\"" i.json || wrong "SIG$name: $(grep signal i.json)"
    [ "$(wc -l <i.x)" = 20 ] && [ -s i.zo ] || wrong "SIG$name: no solution or checkpoint"
    "$ZOPROX" $run --trace i.csv --save i.x --checkpoint i.zo --resume >/dev/null || wrong "SIG$name: resumed"
    same_trace s.csv i.csv "SIG$name"
    same s.x i.x "SIG$name"
done
verdict
