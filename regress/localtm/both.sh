#!/bin/bash
# Transactions that reach both memories: who runs alone in its block, who waits for a turn at tx_begin, and who commits
# in global memory do not wait for each other in a ring; a lane that lost in shared memory sends no log; what an abort
# in global memory puts back; the same statistics whoever simulates. Usage: both.sh BUILD; the last line counts.
suite=localtm-both
. "$(dirname "$0")/../harness.sh"
export SIMTX_CONFIG_DIR=$build/share/simtx/configs

counts() {
    "$build/regress/tm/counts" stats.json "$@"
}

launch() {
    timeout 60 "$simtx" launch --quiet --grid 1 --block 1 --timing --check full --set sim.hang_cycles=100000 \
        --stats stats.json "$@" \
        "$here/both/crossed.ptx" --grid 6 --block $threads --arg out=u32[4]:0 --arg far=u32[4]:0 --print out --print far
}

said() {
    [ "$(launch "$@")" = "$expected" ]
}

# A launch has 6 blocks, a thread 2 transactions: what they leave, in both memories.
# crossed OPTIONS...
crossed() {
    local each=$((6 * threads * 2))
    expected=$(printf 'out: %u %u %u 0\nfar: %u %u %u %u' $each $each $((4294967296 - each)) $((each / 4)) \
               $((each / 4)) $((each / 4)) $((each / 4)))
    holds "crossed, $threads threads, $*" said "$@"
    holds "crossed, $threads threads, $*: counts" counts "tm.commits == transactions" "tm.oracle.weak_isolation == 0" \
        "tm.oracle.transactions == tm.commits" "localtm.conflicts > 0"
    counts "localtm.group_runs > 0" "tm.abort.serialised > 0" >/dev/null && alone=$((alone + 1))
    counts "tm.abort.validation+tm.abort.hazard > 0" >/dev/null && stale=$((stale + 1))
}

# ---- turns at tx_begin, whoever limits them, and turns in the block ----
both="--config kilotm+tm-localtm"
alone=0 stale=0 runs=0
for threads in 64 128; do
    while read -r options; do
        for after in 1 2; do
            crossed $options --set gpu.sms=2 --set localtm.group_after=$after
            runs=$((runs + 1))
        done
    done <<LIST
$both
$both+tm-unlimited
$both --set tm.warps=1
$both --set tm.warps=3
$both --set tm.warps=0 --set tm.threads=1
$both --set tm.warps=0 --set tm.threads=65
$both --set tm.warps=0 --set tm.global_warps=1
$both --set tm.warps=0 --set tm.global_warps=3
$both --set tm.warps=2 --set tm.global_warps=2
$both --set tm.serial=true --set tm.warps=2
$both+tm-unlimited --set tm.backoff=0
$both+finite-units --set kilotm.ring=64 --set kilotm.allocate=true --set tm.warps=4
$both+tm-ideal --set tm.warps=2 --set tm.global_warps=3
$both --set gpu.warp_size=64 --set tm.warps=1
LIST
done
holds "a warp ran alone in $alone of $runs" test $alone -ge $((runs / 4))
holds "global memory was stale in $stale of $runs" test $stale -ge $((runs / 2))

# ---- no log of a lane that has lost ----
# Every commit unit hears of a commit ID for every transaction that came to global memory, and of no other.
threads=64
units="--set dram.channels=1 --set l2.slices=1 --set tm.watchdog=0"
for options in "$both" "$both --set tm.warps=0 --set gpu.sms=1" "$both+tm-unlimited+localtm-rw --set tm.backoff=0"; do
    crossed $options $units
    holds "$options: logs" counts "cu.entries == tm.commits+tm.abort.validation+tm.abort.hazard" \
        "tm.abort.conflict+tm.abort.serialised > 0"
done

# ---- the same statistics ----
for options in "$both --set tm.warps=0 --set tm.global_warps=3" "$both+tm-unlimited" "$both+tm-ideal"; do
    crossed $options --set gpu.sms=4
    mv stats.json one.json
    for how in "--threads 2" "--set sim.no_skip=true" "--set sim.sync_window=1"; do
        crossed $options --set gpu.sms=4 $how
        holds "$options $how: the same statistics" "$build/regress/timing/same_json" one.json stats.json
    done
done

finish
