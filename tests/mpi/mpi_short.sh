# inq's short rows: sparse components, some of them not, are the same bytes on any number of ranks, and after a resume on
# fewer.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/mpi.inc"
for source in synth:n=1511,d=60,seed=3,density=0.1 synth:n=1511,d=40,seed=3,density=0.2; do
    solve="solve $source --method inq --l1 1e-4 --l2 1e-4 --units 2 --every 0.2 --seed 4 --quiet"
    "$ZOPROX" $solve --trace s.csv --save s.x >/dev/null || wrong "alone"
    for ranks in 3 5; do
        on $ranks $solve --trace r.csv --save r.x >/dev/null 2>r.err || wrong "$ranks ranks: $(head -c 300 r.err)"
        same_trace s.csv r.csv "$source, $ranks ranks"
        same s.x r.x "$source, $ranks ranks"
    done
    rm -f r.zo
    run="$solve --checkpoint r.zo --resume"
    on 3 $run --trace r.csv --steps 5 >/dev/null 2>r.err || wrong "checkpoint on 3 ranks: $(head -c 300 r.err)"
    "$ZOPROX" $run --trace r.csv --save r.x >/dev/null 2>r.err || wrong "resumed alone: $(head -c 300 r.err)"
    same_trace s.csv r.csv "$source, from 3 ranks"
    same s.x r.x "$source, from 3 ranks"
done
verdict
