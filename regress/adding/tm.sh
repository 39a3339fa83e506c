#!/bin/bash
# A transactional-memory protocol added by its folder and one line (docs/adding.md): it runs programs with transactions,
# the oracle agrees, and its name, key, counter and line of the table are there. Usage: tm.sh BUILD; the last line
# counts.
suite=adding-tm
. "$(dirname "$0")/../harness.sh"
. "$here/../launch.sh"
simtx=$build/adding/out/bin/simtx
export SIMTX_CONFIG_DIR=$build/share/simtx/configs

counts() {
    "$build/regress/tm/counts" stats.json "tm.commits == transactions" "tm.oracle.transactions == tm.commits" \
        "tm.oracle.weak_isolation == 0" "$@"
}

# run COMMAND OPTIONS...: a CUDA program that checks its own result.
run() {
    local command=$1
    shift
    timeout 60 "$simtx" run --quiet --timing --check full --stats stats.json --verbose --config gtx480 "$@" -- \
        $build/kernels/$command 2>table
}

# on_global, on_shared COMMAND OPTIONS...
on_global() {
    holds "$*" run "$@" --set tm.global=toy
    holds "$*: line of the table" grep -q '^words compared with memory: [0-9 ]*, for each commit [0-9]*$' table
    holds "$*: counts" counts "tm.aborts == tm.abort.validation+tm.abort.watchdog" "toy.compared > 0"
}
on_shared() {
    holds "shared: $*" run "$@" --set tm.shared=toy --set tm.serial=true
    holds "shared: $*: counts" counts "tm.aborts == 0" "tm.shared.write_words > 0" "toy.compared == 0"
}
for options in "" "--threads 2" "--set toy.commit_cycles=0" "--set toy.commit_cycles=300 --set tm.watchdog=500" \
               "--set tm.shared=localtm"; do
    on_global "ht --size 1500" $options
    on_global "tx_bank 40" $options
done
for options in "" "--threads 2" "--set tm.warps=2" "--set toy.begin_cycles=100"; do
    on_shared "lht --size 600" $options
done

# Memory is as functional mode leaves it.
for file in "$here"/../tm/ptx/{own-bytes,calls,widths}.ptx; do
    name=$(basename "$file")
    while read -r -u 4 options; do
        holds "$name, functional" launch_to functional "$file" "$options"
        holds "$name" launch_to timing "$file" "$options" --timing --config gtx480 --set tm.global=toy
        holds "$name: memory" cmp functional timing
    done 4< <(sed -n 's,^// run: ,,p' "$file")
done

check 2 "|toy" "$simtx" config show gtx480 --set tm.global=nothing
check 0 "toy.commit_cycles" "$simtx" config list --keys
check 0 "toy.compared" "$simtx" stats
check 0 "toy: when the transactions" "$simtx" cost gtx480 --set tm.global=toy
check 2 "tm.shared = toy needs tm.serial = true and tm.global = none" "$simtx" launch "$here/../tm/ptx/calls.ptx" \
    --timing \
    --config gtx480 --set tm.shared=toy --set tm.global=toy --grid 1 --block 32 --arg u32[8]:0
check 0 "until its transactions are decided" "$simtx" config explain toy.commit_cycles

# figure NAME: the first line of the statistics with this name, which is the total's.
figure() {
    sed -n "s/^ *\"$1\": \([0-9]*\)\(\.0\)\?,\?$/\1/p" stats.json | head -n 1
}
holds "1 nJ for a word" run "ht --size 1500" --set tm.global=toy --set energy.scale=1 --set energy.toy_word=1000 \
    --set energy.tx_register=0
holds "energy of transactional memory" test \
    "$(sed '1,/"energy": {/d' stats.json | sed -n 's/^ *"tm": \([0-9]*\)\.0,$/\1/p' |
    head -n 1)" = "$(figure compared)"

# A longer commit takes longer.
cycles() {
    launch "$here/../tm/ptx/widths.ptx" "$(sed -n 's,^// run: ,,p' "$here/../tm/ptx/widths.ptx" | head -n 1)" --timing \
        --config gtx480 --set tm.global=toy "$@" >out &&
        sed -n 's/^ *"cycles": \([0-9]*\).*/\1/p' stats.json | head -n 1
}
holds "toy.commit_cycles counts" test "$(cycles --set toy.commit_cycles=1000)" -gt "$(cycles)"

finish
