#!/bin/bash
# CUDA programs under each coherence protocol: timing mode's memory is compared with functional mode's (sim.shadow)
# where it does not depend on the order of threads; the counters show that the protocol was at work. Usage:
# programs.sh BUILD
suite=coherence-programs
. "$(dirname "$0")/../harness.sh"
export SIMTX_CONFIG_DIR=$build/share/simtx/configs

# run MACHINE PROGRAM SHADOW ARGUMENT...
run() {
    local machine=$1 program=$2 shadow=$3
    shift 3
    timeout 200 "$simtx" run --quiet --timing --stats stats.json --config "$machine" --set sim.shadow="$shadow" \
        -- "$build/kernels/$program" "$@"
}

# counted NAME: the counter, of the section of its protocol, is not 0 in one of the launches.
counted() {
    grep -q "^ *\"$1\": [1-9]" stats.json
}

for machine in gtx480-sc+mesi gtx480-sc+write-through gtx480-sc+mesi+tiny gtx480-sc+write-through+tiny; do
    holds "$machine vecadd" run $machine vecadd true 8000
    holds "$machine histogram" run $machine histogram true 16000
    holds "$machine scan_lookback" run $machine scan_lookback true 8000
    holds "$machine bfs" run $machine bfs false 600
    holds "$machine: invalidations" counted invalidations
    holds "$machine stencil2d" run $machine stencil2d true 24
    holds "$machine transpose" run $machine transpose true 96
done

holds "gtx480-sc+mesi bfs" run gtx480-sc+mesi bfs false 600
for counter in invalidations recalls recalls_dirty upgrades exclusive silent_writes writebacks clean_evictions; do
    holds "mesi: $counter" counted $counter
done
holds "two host threads" run gtx480-sc+mesi+2sm histogram true 4000 --set sim.threads=2
check 0 "mesi.atomics" "$simtx" config list --keys
check 2 "expected one of none|mesi|write-through" "$simtx" config show gtx480 --set coherence.protocol=nothing

finish
