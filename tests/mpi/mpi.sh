# zoprox-mpi: the same bytes on any number of ranks as zoprox alone; one message for what goes wrong on any of them.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/mpi.inc"

odd=synth:n=1333,d=11,seed=3,density=0.4 # 10 blocks and a bit
run="solve $odd --l1 1e-3 --l2 1e-3 --units 3 --every 0.5 --seed 4 --quiet" # every method: mpi_same.sh
"$ZOPROX" $run --trace s.csv --save s.x >s.out || wrong "alone"
on 3 $run --threads 2 --trace r.csv --save r.x >r.out 2>r.err || wrong "on 3: $(cat r.err)"
same_trace s.csv r.csv "on 3 ranks"
same s.x r.x "on 3 ranks"
[ "$(wc -l <r.out)" = "$(wc -l <s.out)" ] || wrong "on 3 ranks: not one report: $(cat r.out)"

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

fails 2 "no-such-file" 3 solve no-such-file --units 1
fails 2 "unknown option" 3 solve $odd --unit 1
fails 2 "ranks: 3 are more than the 2 components" 3 solve synth:n=2,d=2 --loss squared --units 1
timeout 300 mpirun -np 2 "$MPI" solve $odd --method zosgd --seconds 0.3 --units 1e9 --track off --quiet >f.out 2>f.err </dev/null || wrong "--seconds: $(head -c 300 f.err)"
grep -q '^stopped at *seconds' f.out || wrong "--seconds: $(cat f.out)"
fails 1 "trace: '/dev/full'" 3 solve $odd --method pgd --units 2 --trace /dev/full

# data that the ranks share: a plain file, a compressed one, standard input
awk 'BEGIN { srand(7); for (i = 1; i <= 1999; i++) { if (i % 50 == 0) print "# comment"; printf "%d", 1 + (rand() > 0.6);
    for (j = 1; j <= 9; j++) if (rand() < 0.4) printf " %d:%.3f", j, rand(); print "" } }' >rows.txt
gzip -k rows.txt
run="--method zpsvrg --l1 1e-3 --l2 1e-3 --units 2 --every 0.5 --seed 4 --quiet"
"$ZOPROX" solve rows.txt $run --trace s.csv --save s.x >/dev/null || wrong "rows.txt alone"
for source in rows.txt rows.txt.gz; do
    on 3 solve $source $run --trace r.csv --save r.x >/dev/null 2>r.err || wrong "$source on 3 ranks: $(head -c 300 r.err)"
    same_trace s.csv r.csv "$source on 3 ranks"
    same s.x r.x "$source on 3 ranks"
done
timeout 300 mpirun -np 3 "$MPI" solve - $run --trace r.csv --save r.x <rows.txt >/dev/null 2>r.err || wrong "standard input on 3 ranks: $(head -c 300 r.err)"
same s.x r.x "standard input on 3 ranks"

# a line that is bad in one rank's part
sed '1500s/:[0-9.]*/:1.5.5/' rows.txt >bad.txt
gzip -k bad.txt
fails 2 "rank 2: bad.txt:1500:" 3 solve bad.txt --units 1
fails 2 "bad.txt.gz:1500:" 3 solve bad.txt.gz --units 1

# a file that differs between ranks, or is there on one only
each() { # each DIR0 DIR1 ARGS...: two ranks in folders of their own
    local here=$1 there=$2
    shift 2
    timeout 300 mpirun -np 1 -wdir "$here" "$MPI" "$@" : -np 1 -wdir "$there" "$MPI" "$@" >f.out 2>f.err </dev/null
}
mkdir -p d0 d1
printf '+1 1:1\n-1 2:1\n+1 1:2\n-1 1:3\n' >d0/set.txt
printf '+1 1:1\n-1 2:1\n+1 1:2\n-1 1:4\n' >d1/set.txt
each "$work/d0" "$work/d1" solve set.txt --units 1
[ $? = 2 ] || wrong "different files: not refused"
[ "$(grep -c '^zoprox: rank 1: .*not the file that rank 0 has' f.err)" = 1 ] || wrong "different files: $(head -c 300 f.err)"
rm d1/set.txt
each "$work/d0" "$work/d1" solve set.txt --units 1
[ $? = 2 ] || wrong "a missing file: not refused"
[ "$(grep -c '^zoprox: rank 1: .*set.txt' f.err)" = 1 ] || wrong "a missing file: $(head -c 300 f.err)"
timeout 300 mpirun -np 1 "$MPI" solve $odd --units 1 : -np 1 "$MPI" solve $odd --units 2 >f.out 2>f.err </dev/null
[ $? = 2 ] || wrong "different command lines: not refused"
[ "$(grep -c "^zoprox: rank 1: the command line '.*--units 2': not what rank 0 has" f.err)" = 1 ] || wrong "different command lines: $(head -c 300 f.err)"

verdict
