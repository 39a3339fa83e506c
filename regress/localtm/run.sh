#!/bin/bash
# GPU-LocalTM from end to end: small programs leave in memory what functional mode does, wrong ones fault at their line,
# and statistics do not depend on how a run is simulated. Usage: run.sh BUILD [all]; the last line counts. All: every
# launch of a program in every configuration, not in every second one.
suite=localtm
. "$(dirname "$0")/../harness.sh"
. "$here/../launch.sh"
all=$2
export SIMTX_CONFIG_DIR=$build/share/simtx/configs

counts() {
    "$build/regress/tm/counts" stats.json "$@"
}

# NAME OPTIONS...
configurations() {
    cat <<'LIST'
localtm        --config localtm
earlier        --config localtm+localtm-es
perfect        --config localtm+localtm-perfect
reads-apart    --config localtm+localtm-rw
jumps          --config localtm --set localtm.step_on=false
multi2sim      --config localtm+multi2sim
coarse-filters --config localtm --set localtm.filter_bits=1
fine-filters   --config localtm --set localtm.filter_bits=64
group-later    --config localtm --set localtm.group_after=3
one-warp       --config localtm --set tm.warps=1
two-warps      --config localtm --set tm.warps=2
few-threads    --config localtm --set tm.warps=0 --set tm.threads=70
one-at-a-time  --config localtm --set tm.global_warps=1
lanes-in-turn  --config localtm --set tm.serial=true
backs-off      --config localtm --set tm.backoff=50
costly         --config localtm --set localtm.entry_cycles=40 --set localtm.new_cycles=30 --set localtm.begin_cycles=300
few-banks      --config localtm --set shared.banks=4
half-warps     --config localtm --set gpu.warp_size=32
full-oracle    --config localtm --check full
gtx480         --config gtx480+tm-localtm
gtx480-wide    --config gtx480+tm-localtm --set gpu.warp_size=64
kilotm         --config kilotm+tm-localtm
kilotm-one     --config kilotm+tm-localtm --set tm.warps=1
LIST
}

# What holds for every run: nobody is lost on the way, and the oracle has seen all that is to be seen.
standing=(
    "tm.commits == transactions"
    "tm.oracle.weak_isolation == 0"
    "tm.aborts == $(printf '+tm.abort.%s' validation hazard watchdog zombie_fault conflict signature log_overflow \
                    serialised | cut -c2-)"
    "localtm.accesses == $(printf '+localtm.%s' new_accesses own_accesses alias_accesses shared_reads conflicts |
                           cut -c2-)"
    "localtm.serial_runs+localtm.group_runs <= localtm.runs"
    "localtm.false_conflicts <= localtm.conflicts"
    "tm.abort.conflict <= localtm.conflicts"
)

# ---- small programs ----
# In comments of a program: run: the launch; count: what its statistics fulfil in most configurations.
small() {
    local file=$1 options=$2 what=$3 name=$4 condition
    shift 4
    holds "$what, $name" launch_to timing "$file" "$options" --timing "$@"
    holds "$what, $name: memory" cmp functional timing
    holds "$what, $name: counts" counts "${standing[@]}" "tm.oracle.transactions == tm.commits"
    condition=$(sed -n 's,^// count: ,,p' "$file")
    counts "$condition" >/dev/null && fulfilled=$((fulfilled + 1))
}

for file in "$here"/*.ptx; do
    grep -q '^// run: ' "$file" || continue
    what=$(basename "$file" .ptx)
    fulfilled=0
    turn=0
    while read -r -u 4 options; do
        holds "$what, functional" launch_to functional "$file" "$options"
        while read -r -u 3 name rest; do
            turn=$((turn + 1))
            [ "$all" ] || [ $((turn % 2)) = 1 ] && small "$file" "$options" "$what" "$name" $rest
        done 3< <(configurations)
    done 4< <(sed -n 's,^// run: ,,p' "$file")
    holds "$what: $(sed -n 's,^// count: ,,p' "$file") in $fulfilled runs" test $fulfilled -ge 18
done

# ---- weak isolation ----
# weak OPTIONS...
weak() {
    holds "weak $*" launch_to timing "$here/weak.ptx" "--block 128 --arg u32[3]:0 --print 0" --timing "$@"
    holds "weak $*: 7 is seen before 9 is" test "$(cat timing)" = "0: 7 7 9"
    holds "weak $*: counts" counts "localtm.plain_accesses == 2" "tm.commits == 1" "tm.aborts == 0" \
        "tm.oracle.weak_isolation > 0"
}
weak --config localtm
weak --config localtm --set gpu.warp_size=32

# ---- why lanes are aborted ----
holds "reasons" launch "$here/reasons.ptx" "--block 128 --arg u32[2048]:0" --timing --config localtm
holds "reasons: counts" counts "localtm.group_runs == 1" "tm.abort.serialised == 1" \
    "tm.abort.conflict == localtm.conflicts" "tm.aborts == tm.abort.conflict+1" "tm.commits == 3"

# ---- what is wrong with a program ----
# wrong NAME TEXT OPTIONS...: a fault with these words at the line that ends in "// here".
wrong() {
    local file=$here/wrong/$1.ptx text=$2 line
    shift 2
    line=$(grep -n '// here$' "$file" | cut -d: -f1)
    holds "$(basename "$file") $*" ends 1 launch "$file" "--grid 2 --block 32" --timing --arg u32[4]:0 "$@"
    holds "$(basename "$file") $*: message" says "$text"
    holds "$(basename "$file") $*: line" says "$(basename "$file"):$line:"
}
for machine in localtm "localtm --set gpu.warp_size=32" gtx480+tm-localtm kilotm+tm-localtm; do
    wrong past-end "writes 4 bytes at 0x100 of shared memory; the block has 256 bytes" --config $machine
    wrong old-value "reads 4 bytes at 0x200 of shared memory; the block has 256 bytes" --config $machine
    wrong generic "writes 4 bytes at 0x100 of shared memory" --config $machine
    wrong misaligned "not a multiple of 4" --config $machine
    wrong trap "fault: trap" --config $machine
    wrong last-lane "thread (31,0,0)" --config $machine
done

# ---- the same statistics, however they are simulated ----
# same WHAT COMMAND...: the command writes stats.json and takes further options before its --.
same() {
    local what=$1 how
    shift
    holds "$what" "$@"
    mv stats.json one.json
    for how in "--threads 2" "--set sim.no_skip=true" "--set sim.sync_window=1" "--set sim.sync_window=7"; do
        holds "$what $how" "$@" $how
        [[ $how == "--threads 2" ]] && holds "$what runs on two host threads" grep -q '"host_threads": 2' stats.json
        holds "$what $how: the same statistics" "$build/regress/timing/same_json" one.json stats.json
    done
}

# benchmark PROGRAM ARGUMENTS OPTIONS...
benchmark() {
    local program=$1 arguments=$2
    shift 2
    timeout 120 "$simtx" run --quiet --timing --stats stats.json "$@" -- "$build/kernels/$program" $arguments >printed
}
for program in "lht --buckets 4 --size 2" "km --centres 8 --size 2" "ga --solutions 8 --size 2"; do
    same "$program" benchmark "${program%% *}" "${program#* }" --config localtm
done
same moves benchmark moves "--moves 8 --size 4" --config kilotm+tm-localtm
same "moves with snapshots" benchmark moves "--moves 8 --size 4" --config sitm+tm-localtm
same lht-limited benchmark lht "--buckets 2 --size 3" --config localtm+localtm-rw --set gpu.sms=1 --set tm.warps=3
same crossed launch_to timing "$here/crossed.ptx" "--grid 3 --block 200 --arg u32[32]:0" --timing --config localtm \
    --set gpu.sms=2
same untouched launch_to timing "$here/untouched.ptx" "--grid 9 --block 100 --arg u32[100]:7" --timing \
    --config localtm --set gpu.sms=2 --set tm.threads=65

finish
