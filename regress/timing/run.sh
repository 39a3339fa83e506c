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

# ---- device memory after every launch, against functional mode's ----
for name in convolution fft_convolution radix_sort recursion stencil3d struct_args transpose vector_loads \
    virtual_calls; do
    for machine in gtx480+tiny+l1on quadro-fx5800 default; do
        holds "$name on $machine leaves the same memory" run out "$(kernel $name)" --timing --config $machine \
            --set sim.shadow=true
    done
done
# where a position comes from an atomic counter the order of the threads shows
if run out "$(kernel compaction)" --timing --config gtx480 --set sim.shadow=true 2>message; then
    holds "a race is seen" false
fi
holds "a race is named" says "device memory after this launch differs from functional mode"

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
