#!/bin/bash
# Transactions in timing mode from end to end. Usage: run.sh BUILD [all]; the last line counts. All: every benchmark in
# every configuration.
suite=tm
. "$(dirname "$0")/../harness.sh"
. "$here/../launch.sh"
all=$2
export SIMTX_CONFIG_DIR=$build/share/simtx/configs

# Outcomes that a warp has sent: with one message for each lane and unit, as many as that have passed there.
counts() {
    local as="=="
    case ${name:-} in warp*) as="<=" ;; esac
    "$build/regress/tm/counts" stats.json "$@" \
        "tm.messages.cu_pass.packets $as tm.messages.pass.packets+tm.messages.fail.packets"
}

# ---- configurations ----
# NAME OPTIONS...; * in front: also in the short run.
configurations() {
    cat <<'LIST'
* kilotm        --config kilotm
  one-warp      --config kilotm --set tm.warps=1
  eight-warps   --config kilotm --set tm.warps=8
  unlimited     --config kilotm+tm-unlimited
  threads       --config kilotm --set tm.warps=0 --set tm.threads=40
* lanes-in-turn --config kilotm --set tm.serial=true
  one-at-a-time --config kilotm --set tm.serial=true --set tm.global_warps=1
  at-once       --config kilotm --set tm.backoff=0
  later         --config kilotm --set tm.warps=0 --set tm.backoff=5000
  restored      --config kilotm --set tm.restore_cycles=3
  perfect       --config kilotm+lwh-perfect+tm-unlimited
* tiny-history  --config kilotm+tm-unlimited --set kilotm.lwh_sets=1 --set kilotm.lwh_ways=1 --set kilotm.lwh_buckets=4
  signatures    --config kilotm+bf-array --set tm.warps=4
  coarse        --config kilotm --set kilotm.granularity=64 --set tm.warps=4
  fails-early   --config kilotm --set kilotm.fail_at_hazard=true --set tm.warps=4
  passes-by     --config kilotm --set kilotm.pass_waiting=true --set tm.warps=4
* filter        --config kilotm --set kilotm.own_filter_bits=64 --set kilotm.group=false --set kilotm.cid_latency=200
* watchdog      --config kilotm+tm-unlimited --set tm.watchdog=2000
  watchdog-soon --config kilotm --set tm.watchdog=700 --set tm.warps=4 --set tm.backoff=0
* watchdog-sees --config kilotm+tm-unlimited --set tm.watchdog=2000 --set kilotm.watchdog_ideal=true
* logs-evicted  --config kilotm --set tm.backoff=0 --set l1.kb=2 --set l1.ways=2 --set tm.warps=8
* cached        --config kilotm --set l1.global=true --set tm.warps=4
  gtx480        --config gtx480 --set tm.global=kilotm --set tm.warps=4
  translated    --config kilotm --set tm.warps=4 --set tlb.l1.entries=2 --set tlb.l1.page_kb=4 --set tlb.l2.page_kb=8
* wide          --config gtx480 --set tm.global=kilotm --set tm.warps=4 --set gpu.warp_size=64
  tiny          --config gtx480+tiny --set tm.global=kilotm
* finite        --config kilotm+finite-units --set tm.warps=8 --set kilotm.read_buffer=2 --set kilotm.write_buffer=2
  handshake     --config kilotm+finite-units --set tm.warps=8 --set kilotm.ring=128 --set kilotm.allocate=true
  resent        --config kilotm --set kilotm.read_buffer=2 --set kilotm.write_buffer=2 --set tm.warps=4
  few-ids       --config kilotm --set kilotm.cid_bits=9 --set tm.warps=4
  ideal-units   --config kilotm+ideal-validation --set kilotm.ideal_commit=true --set tm.warps=8
  full-oracle   --config kilotm+tm-unlimited --set tm.oracle=full
* ideal         --config kilotm+tm-ideal
  ideal-one     --config kilotm+tm-serial
  ideal-signs   --config kilotm+tm-ideal --set tm.ideal_detection=signature --set tm.signature_bits=256
  ideal-ring    --config kilotm+tm-ideal --set tm.ideal_detection=ring
* warp          --config warptm
  warp-kilotm   --config kilotm+tm-warptm+tm-unlimited --set warptm.tcd=ideal
  warp-micro    --config micro2013+tm-warptm --set warptm.resolution=two_phase_bloom --set warptm.ownership=256
* warp-marks    --config warptm+tm-unlimited --set warptm.resolution=mark --set warptm.tables=1 --set tm.backoff=0
  warp-pairs    --config warptm+l2-128kb --set warptm.resolution=perfect --set warptm.resolution_cost=sum
  warp-cycles   --config warptm --set warptm.tcd_order=cycles --set warptm.resolution=mark_bloom
  warp-aborts   --config warptm --set warptm.tcd_aborts=true --set kilotm.ring=1920 --set warptm.group_outcomes=false
  warp-alone    --config warptm+no-intra-warp
LIST
}

# each_configuration FUNCTION ARGUMENT...: calls FUNCTION ARGUMENT... NAME OPTIONS...
each_configuration() {
    local mark name options
    while read -r -u 3 mark name options; do
        if [ "$mark" != "*" ]; then
            [ "$all" ] || continue
            options="$name $options"
            name=$mark
        fi
        "$@" "$name" $options
    done 3< <(configurations)
}

# sum PREFIX NAME...: the names with the prefix, added.
sum() {
    local prefix=$1
    shift
    printf "+$prefix.%s" "$@" | cut -c2-
}

# What holds for every run: nobody is lost on the way, and the oracle has seen all that is to be seen.
standing=(
    "tm.commits == transactions"
    "tm.oracle.weak_isolation == 0"
    "tm.aborts == $(sum tm.abort validation hazard watchdog zombie_fault conflict signature log_overflow intra_warp \
        temporal)"
    "tm.state.threads == $(sum tm.state tc to tw ta tu at ba nl)"
    "tm.cycles.attempts == tm.cycles.committing+tm.state.tu+tm.state.ta"
    "tm.cycles.aborted <= tm.cycles.attempts"
)

# ---- benchmarks ----
run_program() {
    local program=$1 arguments=$2
    shift 2
    timeout 120 "$simtx" run --quiet --timing --stats stats.json --set stats.thread_states=true "$@" -- \
        "$build/kernels/$program" $arguments >printed
}

# Transactions that the program says it has.
said() {
    sed -n 's/.*: \([0-9][0-9]*\) \(transactions\|critical sections\).*/\1/p' printed
}

# benchmark PROGRAM ARGUMENTS MIXED NAME OPTIONS...: MIXED words are accessed by transactions and others alike.
benchmark() {
    local program=$1 arguments=$2 mixed=$3 name=$4 number
    shift 4
    holds "$program $arguments, $name" run_program $program "$arguments" "$@"
    number=$(said)
    holds "$program $arguments, $name: counts" counts "${standing[@]}" "tm.oracle.transactions == tm.commits" \
        "tm.commits == ${number:-tm.commits}" "tm.oracle.mixed == $mixed"
}

each_configuration benchmark ht "--size 1500" 0
each_configuration benchmark bh "--size 200" 0
each_configuration benchmark cl "--size 150" 0
each_configuration benchmark tx_bank 40 0
if [ "$all" ]; then
    each_configuration benchmark ht "" 0
    each_configuration benchmark ht "--table low" 0
    each_configuration benchmark atm "" 0
    each_configuration benchmark cl "" 0
    each_configuration benchmark bh "" 0
    each_configuration benchmark cc "" 0
    each_configuration benchmark ap "--size 200" 115
    each_configuration benchmark tx_bank 300 0
else
    benchmark atm "" 0 kilotm --config kilotm
    benchmark cc "" 0 kilotm --config kilotm
    benchmark ap "--size 200" 115 kilotm --config kilotm
fi

# ---- several kernels ----
several() {
    local name=$1
    shift
    holds "streams, $name" timeout 300 "$simtx" run --quiet --timing --stats stats.json \
        --set stats.thread_states=true "$@" \
        -- "$build/regress/tm/streams"
    holds "streams, $name: counts" counts "${standing[@]}" "tm.oracle.transactions == tm.commits" "tm.commits == 4096"
}
each_configuration several

# ---- small programs: what functional mode leaves in memory ----
# In comments of a program: run: the launch; count: what its statistics fulfil in some configuration; empty: it has
# transactions without accesses, which nobody has to check.
small() {
    local file=$1 options=$2 what=$3 name=$4 condition
    shift 4
    holds "$what, $name" launch_to timing "$file" "$options" --timing --set stats.thread_states=true "$@"
    holds "$what, $name: memory" cmp functional timing
    condition="tm.oracle.transactions == tm.commits"
    grep -q '^// empty' "$file" && condition="tm.oracle.transactions <= tm.commits"
    holds "$what, $name: counts" counts "${standing[@]}" "$condition"
    condition=$(sed -n 's,^// count: ,,p' "$file")
    [ "$condition" ] && counts "$condition" >/dev/null && fulfilled=$((fulfilled + 1))
}

for file in "$here"/ptx/*.ptx; do
    fulfilled=0
    while read -r -u 4 options; do
        what=$(basename "$file" .ptx)
        holds "$what, functional" launch_to functional "$file" "$options"
        each_configuration small "$file" "$options" "$what"
    done 4< <(sed -n 's,^// run: ,,p' "$file")
    if grep -q '^// count: ' "$file"; then
        holds "$what: $(sed -n 's,^// count: ,,p' "$file") in $fulfilled runs" test $fulfilled -ge 5
    fi
done

# ---- what functional mode's own tests of transactions launch ----
expected() {
    local file=$1 options=$2
    shift 3
    holds "$(basename "$file") $options" launch_to timing "$file" "$options" --timing "$@"
    holds "$(basename "$file") $options: memory" cmp expected timing
}
for file in "$here"/../ptx/tx-{call-inside,commit-places,guarded}.ptx; do
    sed -n 's,^// expect: ,,p' "$file" >expected
    while read -r -u 4 options; do
        each_configuration expected "$file" "$options"
    done 4< <(sed -n 's,^// run: ,,p' "$file" | grep -v "simt\|warp_size\|relaxed")
done

# ---- the same statistics, however they are simulated ----
same() {
    local program=$1 arguments=$2 how
    shift 2
    holds "$program $*" run_program $program "$arguments" "$@"
    mv stats.json one.json
    for how in "--threads 2" "--threads 3" "--set sim.sync_window=3" "--set sim.no_skip=true"; do
        holds "$program $* $how" run_program $program "$arguments" "$@" $how
        holds "$program $* $how: the same statistics" "$build/regress/timing/same_json" one.json stats.json
    done
}
for machine in kilotm "kilotm+tm-unlimited --set tm.watchdog=1500" kilotm+tm-ideal \
               "kilotm --set kilotm.watchdog_ideal=true --set tm.watchdog=1500" \
               "kilotm+finite-units --set tm.warps=4" warptm; do
    same ht "--size 800" --config $machine
    same bh "--size 150" --config $machine
done
# long enough that logs and replies meet at the end of a window
same transfers "--size 20000" --config micro2013
same tx_bank 40 --config warptm --set warptm.tcd=ideal

# ---- what is wrong with a program ----
# wrong FILE TEXT OPTIONS...: a fault with these words at the line that ends in "// here".
wrong() {
    local file=$1 text=$2 line
    shift 2
    line=$(grep -n '// here$' "$file" | cut -d: -f1)
    holds "$(basename "$file") $*" ends 1 launch "$file" "--grid 2 --block 33" --timing --arg u32[16]:0 "$@"
    holds "$(basename "$file") $*: message" says "$text"
    holds "$(basename "$file") $*: line" says "$(basename "$file"):$line:"
}
for machine in kilotm "kilotm --set kilotm.watchdog_ideal=true" "kilotm --threads 3" kilotm+tm-ideal warptm; do
    wrong "$here/wrong/wild.ptx" "reads 4 bytes at 0x10" --config $machine
    wrong "$here/wrong/wild-store.ptx" "writes 4 bytes at" --config $machine
    wrong "$here/../faults/barrier-in-transaction.ptx" "barrier inside a transaction" --config $machine
    wrong "$here/../faults/commit-without-begin.ptx" "tx_commit without tx_begin" --config $machine
    wrong "$here/../faults/exit-in-transaction.ptx" "tx_commit is missing" --config $machine
done
wrong "$here/wrong/reads.ptx" "--set kilotm.read_log_words=1024 makes it longer" --config kilotm
wrong "$here/wrong/writes.ptx" "--set kilotm.write_log_words=512 makes it longer" --config kilotm
for log in reads writes; do
    holds "longer logs, $log" launch "$here/wrong/$log.ptx" "--block 33" --timing --arg u32[16]:0 --config kilotm \
        --set kilotm.read_log_words=1024 --set kilotm.write_log_words=1024
done

# ---- machines that cannot be ----
# refused TEXT OPTIONS...
refused() {
    local text=$1
    shift
    holds "$*" ends 2 launch "$here/ptx/widths.ptx" "--arg u8[96]:0" --timing "$@"
    holds "$*: message" says "$text"
}
refused "tm.global = kilotm needs gpu.simt = stack" --config kilotm --set gpu.simt=independent
refused "tm.global = ideal needs gpu.simt = stack" --config kilotm+tm-ideal --set gpu.simt=independent
refused "so gpu.memory_mb must be at most 4096" --config kilotm --set gpu.memory_mb=16384
refused "l1.kb must be more than 0" --config kilotm --set l1.kb=0
refused "2 entries for each SM, less than a warp's lanes" --config kilotm+finite-units --set kilotm.ring=64
refused "warptm.group_outcomes must be false" --config warptm --set warptm.resolution=none
refused "kilotm.write_buffer and kilotm.buffers = 0" --config warptm+finite-units
refused "must be 4, 8, 16, 32, 64 or 128" --config warptm --set warptm.tcd_bytes=96
holds "no transactional memory" ends 2 launch "$here/ptx/widths.ptx" "--arg u8[96]:0" --timing --config quadro-fx5800
holds "no transactional memory: message" says "tm.global"

# ---- what checks tolerate: committed attempts count, aborted ones do not ----
tolerated() {
    local file=$1 options=$2 conditions=$3
    shift 3
    holds "$(basename "$file") $*" launch_to timing "$file" "$options" --timing --set check.memory=warn "$@"
    holds "$(basename "$file") $*: memory" cmp functional timing
    holds "$(basename "$file") $*: counts" counts "${standing[@]}" $conditions
}
for file in "$here/wrong/outside.ptx" "$here/ptx/zombie-fault.ptx"; do
    elements=32 conditions="checks.memory==228 checks.warp==124"
    [ "$file" = "$here/ptx/zombie-fault.ptx" ] && elements=64 conditions="checks.memory==0 checks.warp==0"
    options="--grid 2 --block 64 --arg u32[$elements]:0 --print 0"
    holds "$(basename "$file"), functional" launch_to functional "$file" "$options" --set check.memory=warn
    for machine in kilotm "kilotm+tm-unlimited --threads 2" kilotm+tm-ideal; do
        tolerated "$file" "$options" "$conditions" --config $machine --set stats.thread_states=true
    done
done

finish
