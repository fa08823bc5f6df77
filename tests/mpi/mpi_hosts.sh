# zoprox-mpi on three hosts: network namespaces on one bridge, each with a name of its own, and nothing but TCP between
# them. The same bytes as alone; a host that is cut off is named, and the run goes on from its checkpoint without it.
# SPDX-License-Identifier: MIT
if [ -z "${ZO_HOSTS:-}" ]; then # in a network, a view of /run and a family of processes that end with this one
    command -v ip >/dev/null || { echo "no hosts: ip (iproute2) is not here"; exit 77; }
    map=-r
    [ "$(id -u)" != 0 ] || map=
    unshare $map -mnpf --mount-proc sh -c 'mount -t tmpfs none /run && ip link add road type bridge && ip netns add trial' 2>/dev/null ||
        { echo "no hosts: network namespaces cannot be made here"; exit 77; }
    ZO_HOSTS=3 exec unshare $map -mnpf --mount-proc bash "$0"
fi
ip link set lo up # mpirun wants an interface
. "$SOURCE/tests/support/mpi.inc"
mpirun --version 2>/dev/null | grep -q 'Open MPI' || { echo "no hosts: mpirun is not that of Open MPI"; exit 77; }

mount -t tmpfs none /run
ip link add road type bridge
ip addr add 10.77.0.254/24 dev road
ip link set road up
for k in 1 2 3; do
    ip netns add "host$k"
    ip link add "to$k" type veth peer name eth0 netns "host$k"
    ip link set "to$k" master road up
    ip -n "host$k" addr add "10.77.0.$k/24" dev eth0
    ip -n "host$k" link set eth0 up
    ip -n "host$k" link set lo up
done
# What ssh would do: agent ADDRESS COMMAND...
cat >agent <<'AGENT'
#!/bin/sh
k=${1##*.}
shift
exec ip netns exec "host$k" unshare -u sh -c 'hostname "$0"; exec sh -c "$*"' "host$k" "$@"
AGENT
chmod +x agent
on_hosts() { # ARGS...: a rank on each
    timeout 300 mpirun -np 3 --host 10.77.0.1,10.77.0.2,10.77.0.3 --mca plm_rsh_agent "$work/agent" \
        --mca btl tcp,self --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 \
        bash -c 'hostname >>names; exec "$0" "$@"' "$MPI" "$@" </dev/null
}

run="solve synth:n=1511,d=7,seed=3,density=0.4 --l1 1e-4 --l2 1e-4 --units 2 --every 0.2 --seed 4 --threads 1 --quiet"
for method in zpdvr saga inq; do
    "$ZOPROX" $run --method $method --trace s.csv --save s.x >/dev/null || wrong "$method alone"
    on_hosts $run --method $method --trace r.csv --save r.x >r.out 2>r.err || wrong "$method on 3 hosts: $(head -c 500 r.err)"
    same_trace s.csv r.csv "$method on 3 hosts"
    same s.x r.x "$method on 3 hosts"
done
[ "$(sort -u names | tr '\n' ' ')" = "host1 host2 host3 " ] || wrong "hosts: $(sort -u names | tr '\n' ' ')"

# The third host is cut off from the others: they wait for --patience, and name it. Among the long ones: it takes patience.
[ -n "${ZO_LONG:-}" ] || verdict
run="solve synth:n=1511,d=7,seed=3 --method zpdvr --seed 4 --threads 1 --every 1 --track off --quiet --checkpoint r.zo"
rm -f r.csv
on_hosts $run --units 1e9 --checkpoint-seconds 0 --trace r.csv --patience 1 >r.out 2>r.err &
run_pid=$!
wait_rows r.csv 5 $run_pid
ip link set to3 down
for ((k = 0; k < 1500; k++)); do
    grep -q '^zoprox: rank 2: no word in the exchange' r.err && break
    sleep 0.02
done
[ $k -lt 1500 ] || wrong "a host that is cut off: $(head -c 500 r.err)"
kill -9 -1 # mpirun waits for its daemon over there; whoever is in charge ends them all
wait
units=$(($(awk -F, 'END { print int($3) }' r.csv) + 50))
on 2 $run --resume --units $units --save r.x >r.out 2>r.err || wrong "resumed: $(head -c 300 r.err)"
"$ZOPROX" ${run/--checkpoint r.zo/} --units $units --save s.x >/dev/null || wrong "never cut off"
same s.x r.x "cut off and resumed on 2 ranks"
verdict
