# zoprox-mpi: the same bytes on any number of ranks as zoprox alone; one message for what goes wrong on any of them.
# SPDX-License-Identifier: MIT
MPI=$BUILD/bin/zoprox-mpi
[ -x "$MPI" ] || { echo "zoprox-mpi was not built: MPI was not found"; exit 77; }
command -v mpirun >/dev/null || { echo "mpirun is not here"; exit 77; }
. "$SOURCE/tests/cli.inc"
cd "$work" || exit 1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_base_warn_component_unused=0 ASAN_OPTIONS=detect_leaks=0
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe OMPI_MCA_btl_vader_single_copy_mechanism=none

on() { # on RANKS ARGS...
    local ranks=$1
    shift
    timeout 60 mpirun -np "$ranks" "$MPI" "$@" </dev/null
}
on 2 --version >v.out 2>v.err || { echo "mpirun does not run here: $(head -n 1 v.err)"; exit 77; }
[ "$(cat v.out)" = "$("$ZOPROX" --version)" ] || wrong "--version: $(cat v.out)"

odd=synth:n=1333,d=11,seed=3,density=0.4 # 10 blocks and a bit
methods="pgd fista psvrg sega zpsvrg zpdvr zosgd saga inq"
for method in $methods; do
    run="solve $odd --method $method --l1 1e-3 --l2 1e-3 --units 3 --every 0.5 --seed 4 --quiet"
    "$ZOPROX" $run --trace s.csv --save s.x >s.out || wrong "$method: alone"
    case $method in zpdvr) all="1 2 4 7" ;; inq) all="2 7" ;; *) all=3 ;; esac # test_spread.c tries them all
    for ranks in $all; do
        on $ranks $run --threads $((1 + ranks % 2)) --trace r.csv --save r.x >r.out 2>r.err || wrong "$method on $ranks: $(cat r.err)"
        same_trace s.csv r.csv "$method on $ranks ranks"
        same s.x r.x "$method on $ranks ranks"
        [ "$(wc -l <r.out)" = "$(wc -l <s.out)" ] || wrong "$method on $ranks ranks: not one report: $(cat r.out)"
    done
done

# a program, started on every rank
mkdir w
box="solve --n 300 --dim 4 --method zpsvrg --units 2 --workers 2 --seed 4 --quiet"
"$ZOPROX" $box --command "$BUILD/tests/worker w 300 4" --trace s.csv --save s.x >/dev/null || wrong "a program alone"
on 3 $box --command "$BUILD/tests/worker w 300 4" --trace r.csv --save r.x >/dev/null 2>r.err || wrong "a program on 3 ranks: $(head -c 300 r.err)"
same_trace s.csv r.csv "a program on 3 ranks"
same s.x r.x "a program on 3 ranks"

# a checkpoint of 3 ranks goes on with 2 and then alone
run="solve $odd --method zpdvr --l1 1e-3 --units 3 --every 0.5 --seed 4 --quiet --checkpoint r.zo --resume --trace r.csv"
"$ZOPROX" solve $odd --method zpdvr --l1 1e-3 --units 3 --every 0.5 --seed 4 --quiet --trace s.csv --save s.x >/dev/null
on 3 $run --steps 4 >/dev/null || wrong "checkpoint on 3 ranks"
on 2 $run --steps 9 >/dev/null || wrong "resumed on 2 ranks"
"$ZOPROX" $run --save r.x >/dev/null || wrong "resumed alone"
same_trace s.csv r.csv "resumed on other ranks"
same s.x r.x "resumed on other ranks"

# fails CODE TEXT RANKS ARGS...: one line of ours, all ranks end
fails() {
    local code=$1 text=$2 got
    shift 2
    on "$@" >f.out 2>f.err
    got=$?
    [ "$got" = "$code" ] || wrong "$*: exit code $got, not $code: $(head -c 300 f.err)"
    [ "$(grep -c '^zoprox: ' f.err)" = 1 ] || wrong "$*: not one line: $(head -c 500 f.err)"
    grep '^zoprox: ' f.err | grep -qF -- "$text" || wrong "$*: no '$text' in $(head -c 300 f.err)"
}
fails 2 "no-such-file" 3 solve no-such-file --units 1
fails 2 "unknown option" 3 solve $odd --unit 1
fails 2 "ranks: 3 are more than the 2 components" 3 solve synth:n=2,d=2 --units 1
timeout 60 mpirun -np 2 "$MPI" solve $odd --method zosgd --seconds 0.3 --units 1e9 --track off --quiet >f.out 2>f.err </dev/null || wrong "--seconds: $(head -c 300 f.err)"
grep -q '^stopped at *seconds' f.out || wrong "--seconds: $(cat f.out)"
fails 1 "trace: '/dev/full'" 3 solve $odd --method pgd --units 2 --trace /dev/full

# a file that differs between ranks
printf '+1 1:1\n-1 2:1\n+1 1:2\n-1 1:3\n' >one.txt
printf '+1 1:1\n-1 2:1\n+1 1:2\n-1 1:4\n' >two.txt
timeout 60 mpirun -np 1 "$MPI" solve one.txt --units 1 : -np 1 "$MPI" solve two.txt --units 1 >f.out 2>f.err </dev/null
[ $? = 2 ] || wrong "different files: not refused"
grep -q '^zoprox: rank 1: ' f.err || wrong "different files: $(head -c 300 f.err)"
timeout 60 mpirun -np 1 "$MPI" solve one.txt --units 1 : -np 1 "$MPI" solve none.txt --units 1 >f.out 2>f.err </dev/null
[ $? = 2 ] || wrong "a missing file: not refused"
[ "$(grep -c '^zoprox: rank 1: .*none.txt' f.err)" = 1 ] || wrong "a missing file: $(head -c 300 f.err)"
verdict
