# The sbatch scripts of examples/slurm, on a Slurm of one node that this test starts for itself: a run that is signalled
# puts itself back into the queue and ends with the bytes of one that was not; an array of tuning jobs.
# SPDX-License-Identifier: MIT
[ -n "${ZO_LONG:-}" ] || { echo "skipped: Slurm lets a job that was put back wait for minutes; ./run test all does it"; exit 77; }
PATH=$PATH:/usr/sbin:/sbin
for program in slurmctld slurmd sbatch scontrol munged; do
    command -v $program >/dev/null || { echo "$program is not here (Debian: slurm-wlm, munge)"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "a Slurm of one's own needs root"; exit 77; }
. "$SOURCE/tests/support/mpi.inc"

# ---- a Slurm of one node, all of it in $work ----
host=$(hostname -s) port=$((20000 + $$ % 20000))
chmod 755 "$work"
mkdir state spool
dd if=/dev/urandom of=munge.key bs=1024 count=1 2>/dev/null
chmod 400 munge.key
cat >slurm.conf <<CONF
ClusterName=zoprox
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
KillWait=2
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=100000
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$work/slurm.conf
stop_slurm() {
    scancel -u root >/dev/null 2>&1
    for name in slurmd slurmctld munged; do
        [ ! -s "$work/$name.pid" ] || kill "$(cat "$work/$name.pid")" 2>/dev/null
    done
    sleep 1
    for name in slurmd slurmctld munged; do
        [ ! -s "$work/$name.pid" ] || kill -9 "$(cat "$work/$name.pid")" 2>/dev/null
    done
    rm -rf "$work"
}
trap stop_slurm EXIT
munged --force --key-file="$work/munge.key" --socket="$work/munge.socket" --pid-file="$work/munged.pid" \
    --log-file="$work/munged.log" --seed-file="$work/munge.seed" >m.out 2>&1 || { echo "munged does not start here: $(head -n 1 m.out)"; exit 77; }
slurmctld -c >m.out 2>&1 || { echo "slurmctld does not start here: $(head -n 1 m.out)"; exit 77; }
slurmd -N "$host" >m.out 2>&1 || { echo "slurmd does not start here: $(head -n 1 m.out)"; exit 77; }
for ((k = 0; k < 100; k++)); do
    sinfo -h -o %T 2>/dev/null | grep -q idle && break
    sleep 0.1
done
[ "$k" -lt 100 ] || { echo "the node does not come up here: $(tail -n 1 slurmd.log)"; exit 77; }

# job_ended ID: until Slurm has no such job any more
job_ended() {
    local k
    for ((k = 0; k < 1800; k++)); do
        case $(squeue -h -j "$1" -o %T 2>/dev/null) in
        '' | COMPLETED | FAILED | CANCELLED) return ;;
        esac
        sleep 0.1
    done
    wrong "job $1 has not ended: $(squeue -h -j "$1" -o '%T %r')"
}

# ---- a run that is signalled goes on by itself ----
export ZO=$ZOPROX ZO_MPI=$MPI ZO_NAME=run
run="synth:n=1333,d=11,seed=3,density=0.4 --method zpdvr --l1 1e-3 --units 30000 --every 200 --seed 4" # seconds: the signal comes in its midst
"$ZOPROX" solve $run --trace s.csv --save s.x --quiet >/dev/null || wrong "alone"
id=$(sbatch --parsable --ntasks=3 --oversubscribe --output="$work/job.out" "$SOURCE/examples/slurm/solve.sbatch" $run) || wrong "sbatch failed"
for ((k = 0; k < 300; k++)); do
    [ -e run.csv ] && [ "$(wc -l <run.csv)" -ge 5 ] && break
    sleep 0.05
done
scancel --signal=USR1 --batch "$id" || wrong "no signal could be sent"
for ((k = 0; k < 100; k++)); do
    [ "$(scontrol show job "$id" 2>/dev/null | grep -o 'Restarts=[0-9]*')" = Restarts=1 ] && break
    sleep 0.1
done
[ "$k" -lt 100 ] || wrong "the job was not put back into the queue: $(cat job.out)"
for ((k = 0; k < 1500; k++)); do # one report when the signal came, one at the end
    [ "$(grep -c 'stopped at' job.out)" -ge 2 ] && break
    scontrol update job="$id" StartTime=now 2>/dev/null # what was put back waits for two minutes otherwise
    sleep 0.1
done
job_ended "$id"
same_trace s.csv run.csv "a job that was put back"
same s.x run.x "a job that was put back"
grep -q 'stopped at.*SIGUSR1' job.out || wrong "no report of the signal in job.out: $(head -c 500 job.out)"

# ---- an array of studies ----
export ZO_GRID='step=0.1,1' ZO_UNITS=2
id=$(sbatch --parsable --oversubscribe --cpus-per-task=1 --output="$work/tune.out" "$SOURCE/examples/slurm/tune.sbatch" synth:n=200,d=6 --report-seeds 1) ||
    wrong "sbatch of an array failed"
job_ended "$id"
for method in zpdvr zpsvrg sega; do
    grep -q '"best"' tune-$method.json 2>/dev/null || wrong "no result of $method: $(head -c 300 tune.out)"
done
verdict
