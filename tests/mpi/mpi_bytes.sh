# What ranks send for a fan is a function of its answers alone: counted between the command and MPI, the same for 100 and
# for 100000 dimensions. inq sends what docs/scale.md says: sums, a byte for each component, and no answers.
# SPDX-License-Identifier: MIT
. "$SOURCE/tests/support/mpi.inc"
counter=$BUILD/tests/mpi_count.so
[ -e "$counter" ] || { echo "mpi_count.so was not built"; exit 77; }
[ -z "$(grep '^ZO_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt")" ] || { echo "not under sanitizers: LD_PRELOAD is theirs"; exit 77; }

# sent METHOD D STEPS: calls and bytes of both ranks
sent() {
    ZO_COUNT=$work/count timeout 300 mpirun -np 2 env LD_PRELOAD="$counter" "$MPI" solve \
        synth:n=1000,d=$2,kind=gaussian,density=0.001,seed=3 --method "$1" --steps "$3" --units 1e9 --directions 4 \
        --batch 16 --step 0.01 --radius 1e-4 --refresh 0.2 --track off --seed 3 --quiet >c.out 2>c.err </dev/null ||
        wrong "$1, d $2: $(head -c 300 c.err)"
    cat count.0 count.1
}
for method in zpdvr zpsvrg sega zosgd; do
    few=$(sent $method 100 10) more=$(sent $method 100 20)
    [ "$few" != "$more" ] || wrong "$method: ten more steps sent nothing"
    [ "$few" = "$(sent $method 100000 10)" ] || wrong "$method: 10 steps send more or less with d = 100000"
    [ "$more" = "$(sent $method 100000 20)" ] || wrong "$method: 20 steps send more or less with d = 100000"
done
# zosgd: a fan of 5 answers over one node a rank is 6 + 5 numbers, 88 bytes
few=$(sent zosgd 100 10) more=$(sent zosgd 100 20)
[ "$(paste <(echo "$few") <(echo "$more") | awk '{print $3 - $1, $4 - $2}' | sort -u)" = "10 880" ] ||
    wrong "zosgd: ten fans are not ten calls of 88 bytes: $few, then $more"

# inq near its end, n = 16384 and d = 40, all components in the sample, one node of the tree a rank. A step is c messages:
# the matrix, the gradient, eight numbers at most, and twice a byte for each of the rank's components.
n=16384 d=40
inq_sent() { # inq_sent STEPS
    ZO_COUNT=$work/count timeout 300 mpirun -np 2 env LD_PRELOAD="$counter" "$MPI" solve synth:n=$n,d=$d,kind=gaussian,seed=3 \
        --method inq --l1 1e-4 --l2 1e-4 --noise 0 --steps "$1" --track off --seed 3 --threads 1 --json >c.out 2>c.err </dev/null ||
        wrong "inq: $(head -c 300 c.err)"
    cat count.0 count.1
}
inq_sent 1000 >all
steps=$(grep -o '"steps": *[0-9]*' c.out | grep -o '[0-9]*$')
[ "${steps:-0}" -gt 10 ] || wrong "inq: $steps steps"
inq_sent $((steps - 3)) >before
inq_sent $((steps - 2)) | paste before - >step
awk -v n=$n -v d=$d '{ c = $3 - $1; most = 8 * (6 * c + d * (d + 1) / 2 + 2 * d + 8 + 2 * n / 16)
    if (c < 8 || c > 12 || $4 - $2 > most) { print c " messages of " $4 - $2 " bytes, not " most; bad = 1 } } END { exit bad }' step ||
    wrong "inq: a step of all components: $(cat step)"
awk -v n=$n -v d=$d '$2 > 0.5 * 8 * n * (d + 1) / 2 { exit 1 }' all || wrong "inq sends half of its answers or more: $(cat all)"
verdict
