# zoprox-mpi tune and reproduce: trials spread over ranks, with the table and the run store of zoprox alone; a store that is there is
# used; what goes wrong is said once.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/mpi.inc"
run="tune synth:n=400,d=6 --method zpdvr --grid step=0.01,0.1,0.3,1,3;batch=8,32 --units 3 --seeds 2 --report-seeds 2 --jobs 2 --quiet"
"$ZOPROX" $run --store one.runs >one.txt 2>one.err || { grep -q 'built without' one.err && { cat one.err; exit 77; }; wrong "alone: $(cat one.err)"; }
on 3 $run --store three.runs >three.txt 2>f.err || wrong "on 3 ranks: $(head -c 300 f.err)"
same one.txt three.txt "tune on 3 ranks"
# as much again, with half of it in the store
"$ZOPROX" ${run/step=0.01,0.1,0.3,1,3/step=0.1,1} --store half.runs >/dev/null || wrong "half alone"
on 2 $run --store half.runs >two.txt 2>f.err || wrong "with a store on 2 ranks: $(head -c 300 f.err)"
same one.txt two.txt "tune on 2 ranks, half of it in the store"
on 4 $run --group 2 --store groups.runs >groups.txt 2>f.err || wrong "on 2 groups of 2 ranks: $(head -c 300 f.err)"
same one.txt groups.txt "tune on 2 groups of 2 ranks"
if command -v python3 >/dev/null; then
    trials() { python3 -c "import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute('select key, objective, steps, queries from trials order by key'): print(*row)" "$1"; }
    trials one.runs >one.list && trials three.runs >three.list && trials half.runs >half.list && trials groups.runs >groups.list || wrong "the stores cannot be read"
    same one.list three.list "the store of 3 ranks"
    same one.list groups.list "the store of 2 groups of 2 ranks"
    same one.list half.list "the store of 2 ranks"
fi
fails 2 "--group: 3 ranks cannot be cut into groups of 2" 3 tune synth:n=400,d=6 --grid step=1 --group 2 --quiet
fails 2 "--grid" 3 tune synth:n=400,d=6 --quiet
fails 2 "no-such-file" 2 tune no-such-file --grid step=1 --quiet
fails 1 "store" 2 tune synth:n=400,d=6 --grid step=1 --store /no/such/folder/x.runs --quiet

# reproduce: the same summary and store, on data that stand in for a9a
mkdir sets
export ZOPROX_DATA=$work/sets XDG_DATA_HOME=$work/none
awk 'BEGIN { srand(7); for (i = 1; i <= 300; i++) { printf "%d", 1 + (rand() > 0.6);
    for (j = 1; j <= 9; j++) if (rand() < 0.4) printf " %d:%.3f", j, rand(); print "" } }' >sets/a9a
line="reproduce a9a --pairs 32x4 --budget 2 --report-seeds 2 --methods zpdvr,inq --jobs 2 --quiet"
"$ZOPROX" $line --out alone >r1.txt 2>r1.err || wrong "reproduce alone: $(head -c 300 r1.err)"
on 3 $line --out ranks >r3.txt 2>r3.err || wrong "reproduce on 3 ranks: $(head -c 300 r3.err)"
same alone/summary.md ranks/summary.md "the summary of 3 ranks"
on 3 $line --group 3 --out group >r3.txt 2>r3.err || wrong "reproduce on a group of 3 ranks: $(head -c 300 r3.err)"
same alone/summary.md group/summary.md "the summary of a group of 3 ranks"
if command -v python3 >/dev/null; then
    trials alone/zoprox.runs >one.list && trials ranks/zoprox.runs >three.list || wrong "the stores cannot be read"
    same one.list three.list "reproduce's store of 3 ranks"
fi
on 2 reproduce lemmas --quick --quiet --out theory >/dev/null 2>f.err || wrong "theory on 2 ranks: $(head -c 300 f.err)"
verdict
