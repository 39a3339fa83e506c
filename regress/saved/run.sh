#!/bin/bash
# Saved states: a restored run prints what an uninterrupted one prints, and has its statistics and device memory; wrong
# files, and hosts that behave otherwise, are errors. Usage: run.sh BUILD; the last line counts.
suite=saved
. "$(dirname "$0")/../harness.sh"
steps=$build/regress/saved/steps

# The statistics without what describes the host, its speed and the command.
figures() {
    awk '/"command": \[/ { skip = 1 }
         !skip && !/"(seconds|host_threads|[a-z_]*per_s)":/ { print }
         /\]/ { skip = 0 }' "$1"
}

same_figures() {
    diff <(figures "$1") <(figures "$2")
}

# same PROGRAM POINT OPTIONS...: PROGRAM with arguments, in quotes. POINT: a launch, the first in timing mode.
same() {
    local program=$1 launch=$2
    shift 2
    local words=("$@" --quiet --hash --config gtx480)
    "$simtx" run "${words[@]}" --detail "launch:$launch-$launch" --stats whole.json -- $program >whole.out 2>err
    holds "$program: uninterrupted" [ $? = 0 ]
    holds "$program: launch $launch ran in timing mode" grep -q '"timed_launches": [1-9]\|"cycles": [1-9]' whole.json
    "$simtx" run "${words[@]}" --save-at "launch:$launch" --save state -- $program >save.out 2>err
    holds "$program: the run that saves" [ $? = 0 ]
    holds "$program: it prints the same" cmp whole.out save.out
    "$simtx" run "${words[@]}" --detail "launch:$launch-$launch" --restore state --stats restored.json -- $program \
        >restored.out 2>err
    holds "$program: restored" [ $? = 0 ]
    holds "$program: it prints the same" cmp whole.out restored.out
    holds "$program: the same statistics, bit for bit" same_figures whole.json restored.json
}

# Loops whose host reads a flag after each launch; managed memory; device malloc and printf in the skipped launches.
same "$build/kernels/bfs 3000" 5
same "$build/kernels/conjugate_gradient" 12
same "$build/kernels/barnes_hut" 3
same "$build/kernels/radix_sort 5000" 6
same "$build/kernels/managed_memory" 2
same "$build/kernels/device_malloc" 1
same "$build/kernels/device_printf" 1
same "$steps" 4
holds "the memory is compared" grep -q '"memory_hash"' restored.json

# One state for several machines: keys of the memory system differ.
for set in l2.ways=8 l1.global=true dram.latency=300; do
    same "$steps" 4 --set $set >/dev/null
done
"$simtx" run --quiet --config gtx480 --save-at kernel:last --save state -- "$steps" >save.out 2>err
for set in l2.ways=4 dram.latency=300; do
    "$simtx" run --quiet --config gtx480 --set $set --detail kernel:last --stats whole.json -- "$steps" >whole.out
    check 0 "" "$simtx" run --quiet --config gtx480 --set $set --detail kernel:last --restore state \
        --stats restored.json -- "$steps"
    holds "$set: the same output" cmp whole.out out
    holds "$set: the same statistics" same_figures whole.json restored.json
done

# ---- mistakes ----
check 2 "expected kernel:NAME" "$simtx" run --save-at last -- "$steps"
check 2 "expected kernel:NAME" "$simtx" run --save-at kernel: -- "$steps"
check 2 "expected kernel:NAME" "$simtx" run --save-at launch:x -- "$steps"
check 2 "--save needs --save-at" "$simtx" run --save f -- "$steps"
check 2 "exclude each other" "$simtx" run --save-at kernel:last --restore state -- "$steps"
check 2 "none: No such file" "$simtx" run --restore none -- "$steps"
check 1 "no launch was at the point" "$simtx" run --quiet --save-at kernel:lost --save lost -- "$steps"
holds "no file" [ ! -e lost ]
mkfifo pipe
timeout 60 cat pipe >from_pipe &
check 0 "" "$simtx" run --quiet --config gtx480 --save-at kernel:last --save pipe -- "$steps"
wait $!
holds "a pipe stays a pipe" [ -p pipe ]
holds "the state that went through it" cmp state from_pipe
# A full disk; the program ignores errors. Skipped if the test above has found the pipe replaced: /dev/full would be
# replaced as well.
if [ -p pipe ]; then
    check 1 "No space left" "$simtx" run --quiet --save-at kernel:last --save /dev/full -- "$steps" unchecked
fi
check 2 "Is a directory" "$simtx" run --quiet --save-at kernel:last --save . -- "$steps"
check 2 "none/state: No such file" "$simtx" run --quiet --save-at kernel:last --save none/state -- "$steps"
# A file is replaced, so its folder must be writable, and not the file itself.
limited=()                              # a root without the right to write everywhere
[ "$(id -u)" != 0 ] || limited=(setpriv --bounding-set=-dac_override)
if "${limited[@]}" true 2>/dev/null; then
    mkdir closed && : >closed/state && : >replaced && chmod a-w closed replaced
    check 2 "closed/state: Permission denied" \
        "${limited[@]}" "$simtx" run --quiet --save-at kernel:last --save closed/state -- "$steps"
    check 2 "closed/new: Permission denied" \
        "${limited[@]}" "$simtx" run --quiet --save-at kernel:last --save closed/new -- "$steps"
    check 0 "" "${limited[@]}" "$simtx" run --quiet --config gtx480 --save-at kernel:last --save replaced -- "$steps"
    holds "a file that cannot be written is replaced" cmp state replaced
    chmod u+w closed
fi
check 1 "would run in timing mode" "$simtx" run --quiet --timing --save-at kernel:last --save lost -- "$steps"
check 1 "would run in timing mode" "$simtx" run --quiet --config gtx480 --timing --restore state -- "$steps"

restore=("$simtx" run --quiet --config gtx480 --detail kernel:last --restore)

size=$(stat -c %s state)
for cut in 0 5 14 20 $((size / 2)) $((size - 1)); do
    head -c $cut state >cut
    check 2 "cut: " "${restore[@]}" cut -- "$steps"
done
for at in 3 20 $((size / 3)) $((size / 2)) $((size - 2)); do
    cp state damaged
    printf '\x5a\xa5' | dd of=damaged bs=1 seek=$at conv=notrunc 2>/dev/null
    check 2 "damaged: " "${restore[@]}" damaged -- "$steps"
done
{ cat state; echo x; } >longer
check 2 "damaged or not complete" "${restore[@]}" longer -- "$steps"
check 2 "not a saved state" "${restore[@]}" "$here/run.sh" -- "$steps"
cp state older
printf 'simtx state 1\n' | dd of=older conv=notrunc 2>/dev/null         # its launches had no clusters
check 2 "older: not a saved state of this version" "${restore[@]}" older -- "$steps"
"$build/regress/saved/other_version" version
check 2 "saved with version 'simtx 0.0.1, statistics 0'" "${restore[@]}" version -- "$steps"
for which in memory managed; do
    check 0 "" "$build/regress/saved/moved_page" $which state moved
    check 1 "a page of the saved state lies outside the allocations" "${restore[@]}" moved -- "$steps"
done
check 2 "saved with gpu.sms '15', this run has '7'" \
    "$simtx" run --quiet --config gtx480 --set gpu.sms=7 --detail kernel:last --restore state -- "$steps"
check 1 "differs from when the state was saved" "${restore[@]}" state -- "$build/kernels/bfs" 3000
changes=0
while IFS=: read -r change message; do
    check 1 "$message" "${restore[@]}" state -- "$steps" "$change"
    changes=$((changes + 1))
done <<END
size:event 1, an allocation: the size differs
more:when the state was saved it was a fill
value:a fill: the value differs
data:a copy to the device: the data differs
block:a launch: the block differs
cluster:a launch: the cluster differs
argument:a launch: the arguments differs
read:a copy from the device: the size differs
managed:a launch: the managed or pinned memory differs
launches:before the point, would run in timing mode
END
holds "all changes were tried" [ $changes = 10 ]
check 1 "no launch was at the point" env SIMTX_RESTORE="$work/state" "$simtx" run --quiet --config gtx480 \
    --detail kernel:last -- "$build/kernels/device_query"

check 1 "a state with registered host memory cannot be saved" \
    "$simtx" run --quiet --save-at kernel:last --save lost -- "$steps" registered
check 1 "of more than one device cannot be saved" env SIMTX_DEVICES=2 "$simtx" run --quiet --save-at kernel:last \
    --save lost -- "$steps" devices
holds "no file" bash -c "! ls | grep ^lost"

# ---- children of fork: one that only ends leaves the file as it is ----
for change in fork child; do
    check 0 "child: $([ $change = fork ] && echo 0 || echo 1)" "$simtx" run --quiet --config gtx480 \
        --save-at kernel:last --save forked -- "$steps" $change
    holds "$change: the same state" cmp state forked
    check 0 "child: $([ $change = fork ] && echo 0 || echo 1)" "${restore[@]}" forked -- "$steps" $change
    holds "$change: the same output" cmp whole.out out
done
setarch "$(uname -m)" --short-inode "$simtx" run --quiet --any-program --save-at launch:1 --save lost -- \
    /bin/cat /proc/self/personality >out 2>err
holds "other flags of the personality are kept" grep -qx 01040000 out

# ---- a sweep from one saved state: its table is that of whole runs ----
cat >whole.sweep <<END
programs = ["$steps"];
configs = ["gtx480"];
detail = "kernel:last";
keys: { l2: { ways = [4, 8]; }; dram: { latency = [100, 300]; }; };
columns = ["cycles", "l2.read.hits", "launches", "thread_instructions"];
END
{ cat whole.sweep; echo 'restore = "state";'; } >restored.sweep
check 0 "4 of 4 runs done" "$simtx" sweep whole.sweep
check 0 "4 of 4 runs done" "$simtx" sweep restored.sweep
holds "the same figures" diff <(cut -d, -f2- sweep-whole/results.csv) <(cut -d, -f2- sweep-restored/results.csv)
holds "restored runs have skipped launches" grep -q "restored the state before launch 4" sweep-restored/runs/*.log
printf x >>state
check 0 "4 to do, 0 done" "$simtx" sweep restored.sweep --list

finish
