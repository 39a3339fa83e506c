#!/bin/bash
# Timing mode from end to end: programs print what they print in functional mode, the statistics are the same however
# they are simulated, hangs and impossible machines have a message and an exit code. Usage: run.sh BUILD; the last line
# counts.
suite=timing
. "$(dirname "$0")/../harness.sh"

# run OUTPUT PROGRAM OPTIONS...
run() {
    local output=$1 program=$2
    shift 2
    timeout 120 "$simtx" run --quiet "$@" -- "$program" >"$output"
}

kernel() {
    echo "$build/kernels/$1"
}

# ---- the same output as in functional mode, on every machine ----
for name in vecadd gemm_naive bfs reduce; do
    holds "$name, functional" run functional "$(kernel $name)"
    for machine in default+3sm gtx480 quadro-fx5800 southern-islands gtx480+tiny; do
        holds "$name on $machine" run timing "$(kernel $name)" --timing --config $machine
        holds "$name on $machine prints the same" cmp functional timing
    done
done

# ---- the same statistics, however they are simulated ----
small="--timing --config default+3sm --set dram.channels=2"
for name in vecadd reduce recursion device_printf; do
    holds "$name" run one "$(kernel $name)" $small --stats one.json
    for how in "--threads 2" "--threads 5" "--set sim.sync_window=1" "--set sim.sync_window=3" \
               "--set sim.no_skip=true"; do
        holds "$name $how" run other "$(kernel $name)" $small $how --stats other.json
        holds "$name $how: the same output" cmp one other
        holds "$name $how: the same statistics" "$build/regress/timing/same_json" one.json other.json
    done
done

# ---- clusters of blocks: the same however they are simulated; the latency is that of the keys ----
small="--timing --config a100 --set gpu.sms=7 --set gpu.gpc_sms=4 --set dram.channels=2"
for name in cluster_histogram cluster_stencil bulk_pipeline tensor_tiles; do
    holds "$name" run one "$(kernel $name)" $small --stats one.json
    for how in "--threads 2" "--threads 4" "--set sim.sync_window=1" "--set sim.no_skip=true"; do
        holds "$name $how" run other "$(kernel $name)" $small $how --stats other.json
        holds "$name $how: the same statistics" "$build/regress/timing/same_json" one.json other.json
    done
    for machine in gtx480+shared48 gtx480-sc+mesi+sc v100 h100; do
        holds "$name on $machine" run out "$(kernel $name)" --timing --config $machine
    done
done

# ---- products of warpgroups: the rate is that of the key; the warps go on ----
holds "wgmma_gemm" run one "$(kernel wgmma_gemm)" $small --stats one.json
for how in "--threads 2" "--set sim.sync_window=1" "--set sim.no_skip=true" "--simt independent"; do
    holds "wgmma_gemm $how" run other "$(kernel wgmma_gemm)" $small $how --stats other.json
    holds "wgmma_gemm $how: the same output" cmp one other
    [ "$how" = "--simt independent" ] ||
        holds "wgmma_gemm $how: the same statistics" "$build/regress/timing/same_json" one.json other.json
done
for machine in v100 h100; do
    holds "wgmma_gemm on $machine" run out "$(kernel wgmma_gemm)" --timing --config $machine
done
# products NUMBER STEPS OPTIONS...: cycles of so many products of m64n256k16 with so many steps of additions beside them
products() {
    local number=$1 steps=$2
    shift 2
    "$simtx" launch --quiet --timing --config h100 "${text:-$here/wgmma.ptx}" --kernel rate --grid 1 --block 128 \
        --arg 'out=u32[4]:0' --arg "products=u32:$number" --arg "steps=u32:$steps" --print out:1 "$@" 2>err |
        sed 's/^out: \([0-9]*\).*/\1/'
}
# takes CYCLES MORE FEWER: the difference of two numbers
takes() {
    [ "$(($2 - $3))" = "$1" ] || { echo "$2 - $3 is not $1"; return 1; }
}
for rate in 512 256; do
    holds "56 products, $rate a cycle" takes $((56 * 16 * 256 * 16 / rate)) \
        "$(products 64 0 --set core.tensor_products=$rate)" "$(products 8 0 --set core.tensor_products=$rate)"
done
sed -e 's/wgmma.mma_async.sync.aligned.m64n256k16/wgmma.mma_async.sp.sync.aligned.m64n256k32/' \
    -e 's/}, %rd1, %rd1, 0,/}, %rd1, %rd1, %r15, 1, 0,/' -e 's/mov.u32 %r4, 0;/&mov.u32 %r15, 0x44444444;/' \
    "$here/wgmma.ptx" >sparse.ptx
holds "56 sparse products of twice the depth" takes $((56 * 16 * 256 * 16 / 512)) \
    "$(text=sparse.ptx products 64 0)" "$(text=sparse.ptx products 8 0)"
holds "additions beside 64 products" takes 0 "$(products 64 100)" "$(products 64 0)"
additions=$(products 1 400)
holds "a product beside additions, $additions cycles" [ "$additions" -gt "$(($(products 64 0) + 1000))" ]
holds "products beside additions" [ "$(products 32 400)" -lt "$((additions + 1000))" ]

# cluster KERNEL BLOCKS THREADS OPTIONS...: what the kernel of cluster.ptx leaves in out[]
cluster() {
    local kernel=$1 blocks=$2 threads=$3
    shift 3
    "$simtx" launch --quiet --timing --config a100 "$here/cluster.ptx" --kernel "$kernel" --grid "$blocks" \
        --block "$threads" --arg 'out=u32[16]:0' --print out:16 "$@" 2>err | sed 's/^out: //'
}
# between LOW HIGH KERNEL ...: out[0] is
between() {
    local low=$1 high=$2 value
    shift 2
    value=$(cluster "$@" | cut -d' ' -f1)
    [ "${value:-0}" -ge "$low" ] && [ "$value" -le "$high" ] || { echo "$value is not in $low .. $high"; return 1; }
}
for latency in 180 400; do
    holds "a load from another SM, $latency cycles" between $latency $((latency + 40)) chase 2 1 --cluster 2 \
        --set cluster.latency=$latency
done
# 16 loads of 32 warps, each of 512 bytes and a header of 8
for bytes in 16 64; do
    least=$((16 * 32 * ((520 + bytes - 1) / bytes)))
    holds "$bytes bytes a cycle" between $least $((least * 11 / 10 + 250)) stream 2 1024 --cluster 2 \
        --set cluster.port_bytes=$bytes
done
# 16 loads of 28 warps, from seven SMs: the port that receives is the limit
for bytes in 16 64; do
    least=$((16 * 28 * ((520 + bytes - 1) / bytes)))
    holds "$bytes bytes a cycle from seven SMs" between $least $((least * 11 / 10 + 250)) fan_in 8 896 --cluster 8 \
        --set cluster.port_bytes=$bytes
done
cluster operands 2 1 --cluster 2 --stats operands.json >out
bytes_of_operands() {
    grep -A 6 '"cluster": {' operands.json | grep -q '"bytes": 32,'
}
holds "bytes of operands and results" bytes_of_operands
for cycles in 100 300; do
    holds "a barrier of $cycles cycles" between $cycles $((cycles + 40)) barrier_time 4 1 --cluster 4 \
        --set cluster.barrier_cycles=$cycles
done
# arrivals at it neither hold the warp nor use the unit of the block's barriers: 32 arrivals, 100 cycles apart, and 1000
holds "an arrival does not wait" between 4100 4400 arrive_time 2 1024 --cluster 2 --set core.barrier_latency=1000 \
    --set core.barrier_interval=100
# clusters of 2 on groups of 3 SMs: the groups take turns, a cluster stays in one
of_place() {
    [ "$(cluster place 8 32 --cluster 2 --set gpu.sms=6 --set gpu.gpc_sms=3)" = \
      "0 1 3 4 2 0 5 3 0 0 0 0 0 0 0 0" ]
}
holds "clusters stay in a group" of_place
# 132 SMs in groups of 18, the last of 6: two SMs of it get two blocks each
of_h100() {
    local sm first group place
    place=$(timeout 60 "$simtx" launch --quiet --timing --config h100 "$here/cluster.ptx" --kernel place --grid 64 \
        --block 1024 --cluster 8 --arg 'out=u32[64]:0' --print out:64 | sed 's/^out: //')
    set -- $place
    [ $# = 64 ] || return 1
    while [ $# -gt 0 ]; do
        group=$(($1 / 18))
        for sm in $1 $2 $3 $4 $5 $6 $7 $8; do
            [ $((sm / 18)) = $group ] || { echo "$place"; return 1; }
        done
        echo $group
        shift 8
    done >groups
    [ "$(tr '\n' ' ' <groups)" = "0 1 2 3 4 5 6 7 " ]
}
holds "clusters of 8 on an H100" of_h100
# an exit is an arrival: in a cluster it waits for the warp's stores, whatever core.exit_past_stores is
exits_alike() {
    cluster exit_first 2 32 --cluster 2 >wait
    cluster exit_first 2 32 --cluster 2 --set core.exit_past_stores=true >past
    between 500 2000 exit_first 2 32 --cluster 2 && cmp wait past
}
holds "exits in a cluster" exits_alike
cluster gone 2 32 --cluster 2 >out
holds "an exited block" grep -q "rank 1 of the cluster, which has exited" err
# fault KERNEL TEXT: the message
fault() {
    cluster "$1" 2 1 --cluster 2 >out
    grep -q "$2" err
}
holds "past the end of another block's memory" fault past_end \
    "reads 4 bytes at offset 0x40 of the shared memory of the block with rank 1, which has 4 bytes"
holds "another block's memory as the own" fault own_only "of the block with rank 1; .shared::cta reaches only the own block"
# stuck KERNEL TEXT...: all in the report of the hang
stuck() {
    local kernel=$1 text
    shift
    cluster "$kernel" 2 64 --cluster 2 --set sim.hang_cycles=20000 >out
    for text in "$@"; do
        grep -q "$text" err || { cat err; return 1; }
    done
}
holds "who would write a polled word of a cluster" stuck both_poll \
    "lane 0 of warp 0 of block (1,0,0) on SM 1 would write it at .*st.release.cluster" "cycle in the wait-for graph"
holds "barriers of a block and of its cluster" stuck two_barriers \
    "barrier.cluster.wait; for threads of its cluster that have not arrived: first warp 0 of block (1,0,0) on SM 1" \
    "bar.sync 0; for warps that have not arrived: 1 (waits for the cluster)" "cycle in the wait-for graph"
cluster never 2 32 --cluster 2 --set sim.hang_cycles=20000 >out
holds "a barrier that is never complete" grep -q "waits at .*barrier.cluster.wait" err

# ---- device memory after every launch, against functional mode's ----
for name in convolution fft_convolution radix_sort recursion stencil3d struct_args transpose vector_loads \
    virtual_calls; do
    for machine in gtx480+tiny+l1on quadro-fx5800 default h100+3sm; do
        holds "$name on $machine leaves the same memory" run out "$(kernel $name)" --timing --config $machine \
            --set sim.shadow=true
    done
done
# where a position comes from an atomic counter the order of the threads shows
if run out "$(kernel compaction)" --timing --config gtx480 --set sim.shadow=true 2>message; then
    holds "a race is seen" false
fi
holds "a race is named" says "device memory after this launch differs from functional mode"

# ---- address translation: small TLBs, where most requests miss ----
tlb="--timing --config v100+tlb-volta+3sm --set tlb.l1.entries=2 --set tlb.l1.page_kb=4 --set tlb.l2.page_kb=8"
for name in radix_sort stencil3d; do
    holds "$name with TLBs leaves the same memory" run out "$(kernel $name)" $tlb --set sim.shadow=true --stats one.json
    holds "$name with TLBs, 3 threads" run out "$(kernel $name)" $tlb --set sim.shadow=true --stats other.json --threads 3
    holds "$name with TLBs: the same statistics" "$build/regress/timing/same_json" one.json other.json
done
"$simtx" run --verbose $tlb -- "$(kernel vecadd)" >out 2>&1
holds "a table of translations" grep -q "^address translation .*page walks" out
"$simtx" run --verbose --timing --config v100+3sm -- "$(kernel vecadd)" >out 2>&1
holds "no table without them" test -z "$(grep "^address translation" out)"

# ---- streams ----
holds "streams" run out.streams "$build/regress/timing/streams" --timing
holds "streams run side by side" grep -q "four kernels took about as long as one" out.streams
holds "streams in functional mode" run out.streams "$build/regress/timing/streams"

# ---- some launches only ----
holds "--detail" run out.detail "$(kernel bfs)" --detail kernel:expand_frontier,launch:1 --config default+3sm \
    --stats mixed.json
holds "--detail: both modes" grep -q '"mode": "mixed"' mixed.json
holds "--detail: 15 of 28 launches have cycles" test "$(grep -c '"flush_cycles"' mixed.json)" = 16

# ---- what does not end ----
launch() {
    timeout 120 "$simtx" launch --quiet --grid 1 --block 1 --timing --config default+2sm --set sim.hang_cycles=5000 "$@"
}
hang() {
    local kernel=$1
    shift
    launch "$here/hang.ptx" --kernel "$kernel" --grid 2 --block 64 --arg u32[4]:0 --stats hang.json "$@"
}
holds "a lock that the stack cannot pass" ends 1 hang lock
holds "it is a hang" says "simtx: hang in kernel lock"
holds "who waits for whom" says "lane 0 of the same warp would write it"
holds "its statistics are written" grep -q '"status": "hang"' hang.json
holds "independent lanes pass it" ends 0 hang lock --simt independent
holds "barriers that never complete" ends 1 hang barrier
holds "which barriers" says "barrier 2: 32 of 128 threads have arrived"

# ---- machines that cannot be ----
holds "a block that fits on no SM" ends 2 launch "$here/hang.ptx" --kernel lock --block 64 --arg u32[4]:0 \
    --set gpu.registers_per_sm=1024 --set kernel.lock.registers=100
holds "the resource is named" says "registers"
holds "too much in flight for a port" ends 2 launch "$here/hang.ptx" --kernel lock --arg u32[4]:0 \
    --set xbar.input_flits=8 --set xbar.flit=8
holds "an unusable choice" ends 2 launch "$here/hang.ptx" --kernel lock --arg u32[4]:0 --detail nothing
holds "what is wrong with it" says "sim.detail: 'nothing'"
holds "a program does not start with it" ends 2 "$simtx" run --detail nothing -- $(kernel bfs)
holds "for the same reason" says "sim.detail: 'nothing'"

finish
