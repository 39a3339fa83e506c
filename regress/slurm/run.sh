#!/bin/bash
# `simtx sweep --slurm` on a cluster of virtual nodes: 100 runs, during which a node fails and the controller is
# restarted; the table must be that of --local. Without root or Slurm it says so, and only checks what needs no
# cluster. Usage: run.sh BUILD; the last line counts.
suite=slurm
. "$(dirname "$0")/../harness.sh"
. "$here/cluster.sh"
trap 'cluster_stop; rm -rf "$work"' EXIT
cp "$here/study.sweep" .

check 0 "100 runs: 100 to do" "$simtx" sweep study.sweep --list
check 1 "Slurm is not installed: there is no sbatch on PATH" env PATH=/nowhere "$simtx" sweep study.sweep --slurm
check 2 "--array-limit 0: expected a number" "$simtx" sweep study.sweep --slurm --array-limit 0
check 2 "this is the command of a task" "$simtx" sweep task x 0 1
check 1 "is no plan of simtx" env SLURM_ARRAY_TASK_ID=0 "$simtx" sweep task study.sweep 0 1

missing=$(cluster_missing)
if [ -n "$missing" ]; then
    echo "    the cluster is skipped: $missing"
    finish
    exit
fi

start=$SECONDS
# tell WHAT: a line of the test's record.
tell() {
    echo "$((SECONDS - start)) s: $*" >>record
}

done_at_least() {
    [ "$(ls sweep-study/runs/*.key 2>/dev/null | wc -l)" -ge "$1" ]
}

queue_is_empty() {
    [ -z "$(squeue --noheader 2>/dev/null)" ] && squeue --noheader >/dev/null 2>&1
}

# The node of the first task, which takes seconds.
first_node() {
    squeue --noheader --array --states=RUNNING --format='%K %N' 2>/dev/null | sed -n 's/^0 //p' | head -1
}

first_runs() {
    [ -n "$(first_node)" ]
}

is_down() {
    cluster_node_states | grep -qE "^$1 (down|unknown)"
}

holds "a cluster of 4 nodes" cluster_start 4
tell "$(cluster_node_states | tr '\n' ' ')"

# A sweep that is cancelled.
check 0 "100 runs submitted to Slurm in 100 tasks" "$simtx" sweep study.sweep --slurm --out cancelled --array-limit 1
holds "arrays as MaxArraySize asks" grep -qE ': jobs [0-9]+:[0-9]+:[0-9]+:[0-9]+$' out
check 0 "tasks in Slurm's queue: " "$simtx" sweep status study.sweep --out cancelled
check 2 "tasks are in Slurm's queue" "$simtx" sweep study.sweep --local --out cancelled
check 0 "" "$simtx" sweep cancel study.sweep --out cancelled
holds "nothing is left in the queue" cluster_wait 20 queue_is_empty
check 1 "runs done, 0 failed" "$simtx" sweep collect study.sweep --out cancelled
check 0 "0 running, 0 pending" "$simtx" sweep status study.sweep --out cancelled

# 100 runs; in their middle a node fails, and the controller is restarted.
check 0 "100 runs submitted to Slurm in 100 tasks" "$simtx" sweep study.sweep --slurm --partition test
tell "$(cat out)"
holds "the first task, of seconds, runs" cluster_wait 10 first_runs
holds "some runs are done" cluster_wait 40 done_at_least 6
node=$(first_node)
tell "$("$simtx" sweep status study.sweep)"
cluster_kill_node $node
tell "$node is killed with its steps"
cluster_controller stop
tell "the controller is stopped; runs done: $(ls sweep-study/runs/*.key | wc -l)"
sleep 1
cluster_controller start
tell "the controller is started again"
holds "the controller takes the node for dead" cluster_wait 30 is_down $node
tell "$("$simtx" sweep status study.sweep)"
cluster_start_node $node
holds "all runs are done" cluster_wait 60 done_at_least 100
holds "the queue is empty" cluster_wait 30 queue_is_empty
tell "$("$simtx" sweep status study.sweep)"
holds "a task was requeued" grep -qiE "JobId=[0-9]+_0\(.*requeu|requeu.* JobId=[0-9]+_0\(" "$cluster/slurmctld.log"
tell "$(grep -iE 'requeu' "$cluster/slurmctld.log" | head -1)"
holds "the collecting job has written the table" [ "$(grep -c ',done,' sweep-study/results.csv)" = 100 ]
cp sweep-study/results.csv collected.csv
check 0 "100 of 100 runs done, 0 failed" "$simtx" sweep collect study.sweep
holds "which is that of collect" diff collected.csv sweep-study/results.csv
check 0 "100 of 100 runs done, 0 failed" "$simtx" sweep study.sweep --local --out local
holds "and that of --local" diff collected.csv local/results.csv
holds "nothing else is left" bash -c "! ls sweep-study/runs | grep -vE '^[0-9a-f]{16}\.(json|log|key)$'"
tell "the table is that of --local"

# A paper: its job writes the same verdicts as --local.
paper=("$simtx" paper kilotm --quick --only fgl,HT-H,HT-L)
check 0 "2 runs submitted to Slurm in 1 tasks" "${paper[@]}" --slurm --task-runs 2 --out paper
holds "the paper's runs are done" cluster_wait 60 queue_is_empty
check 0 "of 217" "${paper[@]}" --local 2 --out paper-local
holds "the job's verdicts are those of --local" diff paper/claims.csv paper-local/claims.csv
tell "so are the verdicts of simtx paper kilotm --slurm"

sed 's/^/    /' record
finish
