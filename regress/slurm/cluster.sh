# A Slurm cluster on this machine for tests, as root, without systemd and cgroups: munged, slurmctld, and slurmd as
# virtual nodes, on ports and in a folder of their own. To be sourced; needs a scratch folder $work.
#   cluster_missing          why there can be no cluster here; "" = there can
#   cluster_start NODES      false when it does not come up
#   cluster_kill_node NAME   as when its power fails: slurmd, its steps, and their processes
#   cluster_start_node NAME
#   cluster_controller stop|start
#   cluster_stop             ends everything

cluster=$work/cluster
first_port=$((20000 + RANDOM % 20000))

cluster_missing() {
    [ "$(id -u)" = 0 ] || { echo "not root"; return; }
    local program
    for program in munged slurmctld slurmd sbatch; do
        command -v $program >/dev/null || { echo "$program is not installed (./bootstrap test installs it)"; return; }
    done
}

cluster_settings() {
    cat <<END
ClusterName=simtx
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=$first_port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool-%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
SlurmdParameters=config_overrides
SlurmdTimeout=4
MessageTimeout=3
TCPTimeout=2
KillWait=1
MinJobAge=2
MaxArraySize=${MAX_ARRAY:-31}
ReturnToService=2
END
    local i
    for i in $(seq "$1"); do
        echo "NodeName=n$i NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$((first_port + i)) CPUs=2"
    done
    echo "PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
}

cluster_daemon() {
    local name=$1
    shift
    "$@" </dev/null >>"$cluster/$name.log" 2>&1 &
    echo $! >"$cluster/$name.daemon"
    disown
}

cluster_start_node() {
    cluster_daemon "$1" slurmd -D -N "$1" -f "$SLURM_CONF"
}

cluster_controller() {
    if [ "$1" = start ]; then
        cluster_daemon slurmctld slurmctld -D -f "$SLURM_CONF"
    else
        kill "$(cat "$cluster/slurmctld.daemon")"
        while kill -0 "$(cat "$cluster/slurmctld.daemon")" 2>/dev/null; do sleep 0.1; done
    fi
}

# Does a process's environment have all of these settings? slurmd and its steps have SLURM_CONF, jobs SLURMD_NODENAME,
# too. The shell that has sourced this file has not: it has set them after its start.
cluster_has() {
    local pid=$1 setting
    shift
    for setting; do
        { tr '\0' '\n' <"/proc/$pid/environ" | grep -qxF -- "$setting"; } 2>/dev/null || return 1
    done
}

cluster_with() {
    local pid
    for pid in $(ps -eo pid=); do
        cluster_has "$pid" "$@" && echo "$pid"
    done
}

# The slurmstepd above a process, while there is one.
cluster_step_of() {
    local pid=$1
    while [ "${pid:-0}" -gt 1 ]; do
        [ "$(ps -o comm= -p "$pid")" != slurmstepd ] || { echo "$pid"; return; }
        pid=$(ps -o ppid= -p "$pid" | tr -d ' ')
    done
}

# A job that is killed while its step lives has failed by itself and is not requeued: the step is killed first. A step
# that slurmd has just started has no job yet, so the node is dead when nothing has appeared for half a second.
cluster_kill_node() {
    local pid jobs quiet=0
    kill -KILL "$(cat "$cluster/$1.daemon")"
    while [ $quiet -lt 5 ]; do
        jobs=$(cluster_with "SLURM_CONF=$SLURM_CONF" "SLURMD_NODENAME=$1")
        for pid in $jobs; do
            kill -KILL $(cluster_step_of "$pid") "$pid" 2>/dev/null
        done
        [ -z "$jobs" ] && quiet=$((quiet + 1)) || quiet=0
        sleep 0.1
    done
}

cluster_node_states() {
    sinfo --noheader --Node --format='%N %T' 2>/dev/null
}

# Until a command succeeds, SECONDS at most.
cluster_wait() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.2
    done
}

cluster_ready() {
    [ "$(cluster_node_states | grep -c ' idle$')" = "$cluster_nodes" ]
}

cluster_start() {
    local i
    cluster_nodes=$1
    mkdir -p "$cluster/state"
    export SLURM_CONF=$cluster/slurm.conf
    cluster_settings "$1" >"$SLURM_CONF"
    (umask 077 && head -c 1024 /dev/urandom >"$cluster/munge.key")
    cluster_daemon munged munged --foreground --force --num-threads=2 --key-file="$cluster/munge.key" \
        --socket="$cluster/munge.socket" --pid-file="$cluster/munged.pid" --log-file="$cluster/munged.log" \
        --seed-file="$cluster/munged.seed"
    cluster_wait 10 test -S "$cluster/munge.socket" || return 1
    cluster_controller start
    for i in $(seq "$1"); do
        cluster_start_node "n$i"
    done
    cluster_wait 30 cluster_ready
}

cluster_stop() {
    local file
    for file in "$cluster"/*.daemon; do
        [ -e "$file" ] && kill -KILL "$(cat "$file")" 2>/dev/null
    done
    [ -z "$SLURM_CONF" ] || kill -KILL $(cluster_with "SLURM_CONF=$SLURM_CONF") 2>/dev/null
}
