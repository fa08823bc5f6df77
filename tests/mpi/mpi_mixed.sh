# Ranks with different processors end with the bytes of one alone; ranks of other builds are refused in one sentence.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/mpi.inc"
levels="plain v3 v4" # a machine that has less takes what it has

# mixed ARGS...: each rank with other instructions
mixed() {
    local parts=() level
    for level in $levels; do
        [ ${#parts[@]} = 0 ] || parts+=(:)
        parts+=(-np 1 env ZOPROX_ISA=$level "$MPI" "$@")
    done
    timeout 300 mpirun "${parts[@]}" </dev/null
}
while read -r source method units psi; do
    run="solve $source --method $method $psi --l2 1e-4 --units $units --every 0.2 --seed 4 --threads 1 --quiet"
    "$ZOPROX" $run --trace s.csv --save s.x >/dev/null || wrong "$method: alone"
    mixed $run --trace r.csv --save r.x >/dev/null 2>err || wrong "$method, mixed: $(head -c 300 err)"
    same_trace s.csv r.csv "$method on $source, mixed ranks"
    same s.x r.x "$method on $source, mixed ranks"
done <<'END'
synth:n=700,d=30 inq 1.5 --l1 1e-3
synth:kind=gaussian,n=600,d=50 inq 1.5 --l1 1e-3
synth:kind=gaussian,n=600,d=20 saga 2 --l1 1e-3
synth:kind=gaussian,n=600,d=20 zpdvr 1 --l1 1e-3
synth:n=700,d=12 inq 2 --prox simplex --inside on
END

# Another build: one rank hears another name than its own (tests/mpi/mpi_count.c).
counter=$BUILD/tests/mpi_count.so
if [ -e "$counter" ] && [ -z "$(grep '^ZO_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt")" ]; then
    timeout 300 mpirun -np 1 "$MPI" solve $small --units 2 : -np 1 env ZO_OTHER=1 LD_PRELOAD="$counter" "$MPI" solve $small --units 2 \
        >out 2>err </dev/null && wrong "ranks of two builds ran together"
    [ "$(grep -c '^zoprox: ' err)" = 1 ] || wrong "two builds: not one sentence: $(head -c 400 err)"
    grep '^zoprox: ' err | grep -q 'rank 0 is zoprox .*, rank 1 is zoprox .*: they cannot work together' ||
        wrong "two builds: $(head -c 400 err)"
fi
verdict
