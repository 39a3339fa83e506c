#!/bin/bash
# Snapshot isolation in timing mode: the benchmarks of kernels/si and kernels/tm with the oracle, on the machine of the
# paper and on tiny ones; write skew; the same statistics however they are simulated; wrong programs and machines.
# Usage: sitm.sh BUILD; the last line counts.
suite=sitm
. "$(dirname "$0")/../harness.sh"
. "$here/../launch.sh"
export SIMTX_CONFIG_DIR=$build/share/simtx/configs

# run "MACHINE'S OPTIONS" "PROGRAM ARGUMENT..."
run() {
    timeout 120 "$simtx" run --quiet --timing --stats stats.json --set stats.thread_states=true --config $1 -- \
        "$build/kernels/"$2 >printed
}

# Transactions that the program says it has.
said() {
    sed -n 's/.*: \([0-9][0-9]*\) transactions.*/\1/p' printed
}

# No thread, transaction or word is lost; the oracle has seen all.
standing=(
    "tm.commits == transactions"
    "tm.oracle.transactions == tm.commits"
    "tm.oracle.violations == 0"
    "tm.oracle.weak_isolation == 0"
    "tm.aborts == tm.abort.write+tm.abort.loop+tm.abort.table+tm.abort.drain"
    "sitm.loops <= sitm.edges"
    "tm.writers+sitm.read_only == tm.commits"
    "tm.writers <= sitm.written_back"
    "sitm.write_accesses <= sitm.written_back"
)

# benchmark "MACHINE'S OPTIONS" "PROGRAM ARGUMENT..." CONDITION...
# In AP a thread writes its candidate before the transaction that inserts it; transactions read 96 of these words.
benchmark() {
    local machine=$1 program=$2 number mixed=0
    [[ $program == ap* ]] && mixed=96
    shift 2
    holds "$program, $machine" run "$machine" "$program"
    number=$(said)
    holds "$program, $machine: counts" "$build/regress/tm/counts" stats.json "${standing[@]}" \
        "tm.oracle.mixed == $mixed" "tm.commits == ${number:-tm.commits}" "$@"
}

# ---- every program ----
kilo=("ht --size 800" "ht --table low --size 500" "atm --size 400" "transfers --size 400" "cl --size 150"
      "bh --size 100" "cc --size 16" "ap --size 400" "tx_bank 20")
si=(list binary_tree red_black_tree graph_cut vacation "vacation --action reservations" rings "rings --input lengths")
for program in "${kilo[@]}" "${si[@]}"; do
    benchmark sitm "$program"
done

# Many warps write back at once: the write set of one is in flight while others commit.
benchmark "sitm --set tm.warps=0" "transfers --size 1500" "sitm.joins > sitm.versions"

# ---- tiny machines ----
one_entry="--set sitm.writer_entries=1 --set sitm.reader_entries=1"
short="--set sitm.stamp_bits=8 --set sitm.delta=1 --set sitm.version_bits=3"
for program in "ht --size 500" "atm --size 200" "bh --size 60" "ap --size 400" "${si[@]}"; do
    benchmark "sitm --set version.slots=2" "$program"
    benchmark "sitm $one_entry" "$program"
    benchmark "sitm $short" "$program"
    benchmark "sitm --set sitm.groups=1" "$program"
done
benchmark "sitm --set version.slots=2" "ht --size 800" "sitm.slot_waits > 0"
benchmark "sitm $one_entry" "ht --size 800" "sitm.full.writers > 0" "sitm.exclusive > 0"
benchmark "sitm $short" "ht --size 800" "sitm.resets > 0"
benchmark "sitm --set sitm.groups=1" "ht --size 800" "sitm.begin_waits.group > 0"
benchmark "sitm --set version.slots=2 $one_entry $short --set sitm.groups=1" "ht --size 300" "sitm.exclusive > 0"

# ---- guards against starvation, the variant without cost, the count of loops ----
for program in list red_black_tree "graph_cut"; do
    benchmark "sitm --set sitm.precedence_after=1" "$program" "sitm.precedence > 0"
    benchmark sitm+sitm-ts "$program" "sitm.precedence == 0" "sitm.exclusive == 0" "sitm.serialised == 0"
    benchmark sitm+sitm-oracle "$program" "tm.messages.sitm_begin == 0" "tm.messages.sitm_commit == 0" \
        "sitm.edges == 0" "sitm.written_back > 0"
done
# One warp is left, and its lanes abort each other for ever. Serialising suffices; the other guards do not act.
last_warp="red_black_tree --input 1 --keys 1000 --inserts 100 --deletes 100 --seed 3"
holds "without guards" ends 1 run "sitm+sitm-ts --set sim.max_cycles=600000" "$last_warp"
holds "without guards: message" says "runs longer than sim.max_cycles"
benchmark sitm "$last_warp" "sitm.serialised > 0" "sitm.precedence == 0" "sitm.exclusive == 0"
benchmark "sitm --set sitm.precedence_after=1048576 --set sitm.exclusive_after=0" "$last_warp" "sitm.serialised > 0"
for machine in sitm sitm+sitm-oracle sitm+sitm-noloop; do
    benchmark "$machine --set sitm.count_loops=true" "list" "sitm.possible_loops > 0"
done
# Transactions of this table conflict in one word. A second writer of it is on no loop if it is rejected.
benchmark "sitm --set sitm.count_loops=true" "ht --size 500" "tm.abort.write > 0" "sitm.possible_loops == 0"
benchmark "sitm+sitm-oracle --set sitm.count_loops=true" "ht --size 500" "sitm.possible_loops > 0"
holds "list" run sitm list
mv stats.json one.json
holds "list, loops counted" run "sitm --set sitm.count_loops=true" list
same_cycles() {
    [ "$(grep -o '"machine_cycles": *[0-9]*' "$1")" = "$(grep -o '"machine_cycles": *[0-9]*' "$2")" ]
}
holds "counting has no effect" same_cycles one.json stats.json

# ---- without loop detection: transactions whose snapshots are enough ----
for program in "ht --size 800" "atm --size 400" "transfers --size 400" "tx_bank 20"; do
    benchmark sitm+sitm-noloop "$program" "sitm.edges == 0"
done

# ---- write skew: seen without loop detection, never with it ----
for placement in threads warps; do
    for shape in doctors neighbours; do
        skew="write_skew --shape $shape --placement $placement"
        benchmark sitm "$skew" "tm.abort.loop > 0"
        holds "$skew is seen" run sitm+sitm-noloop "$skew --expect seen"
    done
done
benchmark sitm "write_skew --shape read-only"
holds "write_skew --shape read-only is seen" run sitm+sitm-noloop "write_skew --shape read-only --expect seen"

# ---- the same statistics, however they are simulated ----
same() {
    local machine=$1 program=$2 how
    holds "$program, $machine" run "$machine" "$program"
    mv stats.json one.json
    for how in "--threads 2" "--threads 4" "--set sim.sync_window=3" "--set sim.no_skip=true"; do
        holds "$program, $machine $how" run "$machine $how" "$program"
        holds "$program, $machine $how: the same statistics" "$build/regress/timing/same_json" one.json stats.json
    done
}
for machine in sitm "sitm --set tm.warps=0" "sitm --set version.slots=2 $one_entry" \
    "sitm $short --set sitm.groups=4"; do
    same "$machine" "ht --size 500"
    same "$machine" red_black_tree
done
same sitm "bh --size 100"
same sitm "$last_warp"
same sitm+sitm-paper "transfers --size 200"
same "sitm --set sitm.count_loops=true --set sitm.precedence_after=1" list
same sitm+sitm-oracle list

# ---- a program that declares too little ----
outside() {
    holds "outside, $1" ends 1 run_outside "$1"
    holds "outside, $1: message" says "a transaction accesses $(head -n 1 printed), which has no versions"
    holds "outside, $1: what to call" says "simtx_version_region"
    holds "outside, $1: where" says "ld.global.u32"
}
run_outside() {
    timeout 60 "$simtx" run --quiet --timing --config $1 -- "$build/regress/tm/outside" >printed
}
outside sitm
outside "sitm --threads 3"
holds "outside, warptm" run_outside warptm
holds "no regions" ends 1 launch "$here/ptx/widths.ptx" "--arg u8[96]:0" --timing --config sitm
holds "no regions: message" says "which has no versions"

# ---- machines that cannot be ----
# ---- a dependency through shared memory ----
crossing() {
    holds "crossing $2, $1" timeout 60 "$simtx" run --quiet --timing --config "$1+tm-localtm" -- \
        "$build/regress/tm/crossing" "$2"
}
crossing sitm+sitm-noloop seen
crossing sitm+sitm-ts never
crossing sitm+sitm-oracle never
crossing warptm never

# refused TEXT OPTIONS...
refused() {
    local text=$1
    shift
    holds "$*" ends 2 launch "$here/ptx/widths.ptx" "--arg u8[96]:0" --timing "$@"
    holds "$*: message" says "$text"
}
for protocol in mesi write-through; do
    refused "coherence.protocol: $protocol does not work with versioned memory" \
        --config sitm --set coherence.protocol=$protocol --set order.policy=sc --set xbar.vns=5
done
refused "sitm.instant = true (--set or SIMTX_SET) needs sitm.decision = exact" --config sitm --set sitm.instant=true
refused "gpu.warp_size = 64 (--set or SIMTX_SET): tm.global = sitm needs 32" --config sitm --set gpu.warp_size=64
refused "gpu.simt = stack" --config sitm --set gpu.simt=independent
refused "version.slots of at least 2" --config sitm --set version.slots=0

# ---- the printed rules deadlock with two slots ----
holds "hang" ends 1 run "sitm+sitm-paper --set version.slots=2 --set sim.hang_cycles=20000" red_black_tree
holds "hang: what is reported" says "the warp waits for the manager's decision"

finish
