#!/bin/bash
# What users look at in timing mode: timeline, time series, statistics, hang reports, Ctrl-C and progress. Usage: run.sh
# BUILD; the last line counts.
suite=watch
. "$(dirname "$0")/../harness.sh"
check=$build/regress/watch/check

# launch KERNEL OPTIONS...
launch() {
    local kernel=$1
    shift
    timeout 60 "$simtx" launch --quiet --grid 1 --block 1 --timing "$here/kernels.ptx" --kernel "$kernel" "$@"
}

mix() {
    launch mix --grid 9 --block 128 --arg u32[2048]:0 --arg u32:4 "$@"
}

# ---- timeline ----
same_events() {
    "$check" sorted "$1" >sorted.1 && "$check" sorted "$2" >sorted.2 && cmp sorted.1 sorted.2
}
for machine in gtx480+2sm quadro-fx5800+2sm southern-islands+2sm default+2sm+tiny; do
    holds "timeline on $machine" mix --config $machine --trace one.json
    holds "timeline on $machine: what is in it" "$check" trace one.json 0 1000000 -1
    holds "timeline on $machine: its format" "$check" format one.json
    holds "timeline on $machine: tracks of L2 and DRAM" bash -c "grep -q '\"name\":\"slice 0\"' one.json &&
        grep -q '\"name\":\"DRAM channel 0\"' one.json && grep -qE '\"name\":\"bank [0-9]+\"' one.json"
    holds "timeline on $machine, 2 threads" mix --config $machine --trace two.json.gz --threads 2
    holds "timeline on $machine, 2 threads: the same" sh -c 'gzip -dc two.json.gz | cmp - one.json'
    holds "timeline on $machine, cycle by cycle" mix --config $machine --trace two.json --set sim.no_skip=true
    holds "timeline on $machine, cycle by cycle: the same events" same_events one.json two.json
    holds "part of the timeline" mix --config $machine --trace part.json \
        --set trace.from=700 --set trace.to=1500 --set trace.sm=1
    holds "part of the timeline: what is in it" "$check" trace part.json 700 1500 1
done

# The accesses and commands of the timeline are those that the statistics count.
mix --config gtx480+2sm --trace one.json --stats one.stats
# traced EVENT FIGURE: the timeline has as many of these events as the total counts.
traced() {
    [ "$(grep -c "\"cat\":\"$1" one.json)" = "$("$simtx" compare --json --all one.stats empty.stats |
        grep -A1 "\"name\": \"$2\"" | sed -n 's/.*"a": \([0-9]*\),.*/\1/p')" ]
}
sed -n '1h;/^  "total": {/,/^  },$/s/: [0-9][0-9.e+-]*/: -1/;p' one.stats >empty.stats
for row in 'L2","name":"read hit" l2.read.hits' 'L2","name":"read miss" l2.read.misses' \
           'L2","name":"read merged" l2.read.merged' 'DRAM","name":"read" dram.reads'; do
    holds "as many in the timeline as counted: $row" traced "${row% *}" "${row##* }"
done
holds "no memory in the timeline" mix --config gtx480+2sm --trace part.json --set trace.memory=false
holds "no memory in the timeline" bash -c "! grep -qE '\"cat\":\"(L2|DRAM)\"' part.json"

# The largest size: a file that would be larger ends before, is valid and says so.
for bytes in 4096 20000 100000; do
    holds "at most $bytes bytes" mix --config gtx480+2sm --trace part.json --set trace.max_bytes=$bytes
    holds "at most $bytes bytes: the format" "$check" format part.json $bytes
    head -n -3 part.json >beginning
    holds "at most $bytes bytes: the beginning of the whole" cmp -n "$(stat -c %s beginning)" beginning one.json
done
holds "at most 20000 bytes, compressed" ends 0 mix --config gtx480+2sm --trace part.json.gz --threads 2 \
    --set trace.max_bytes=20000
holds "at most 20000 bytes, compressed: the format" "$check" format part.json.gz 20000
holds "a truncated timeline is announced" says "has reached trace.max_bytes and lacks later events"
holds "no limit" mix --config gtx480+2sm --trace part.json --set trace.max_bytes=0
holds "no limit: the same" cmp one.json part.json

# ---- transactions in the timeline ----
transfers() {
    launch transfers --grid 5 --block 64 --arg u32[16]:0 --arg u32:3 "$@"
}
printf 'parent = "kilotm";\nkilotm: { fail_at_hazard = true; };\n' >hazard.cfg
printf 'parent = "kilotm+tm-ideal";\ntm: { ideal_detection = "signature"; };\n' >signature.cfg
for machine in kilotm+2sm kilotm+backoff+2sm kilotm+tm-ideal+2sm ./hazard.cfg+2sm ./signature.cfg+2sm \
               kilotm+tm-serial+2sm; do
    holds "transactions on $machine" transfers --config $machine --trace one.json --stats one.stats
    holds "transactions on $machine: what is in the timeline" "$check" trace one.json 0 100000000 -1
    holds "transactions on $machine: the format" "$check" format one.json
    holds "transactions on $machine: sums" "$check" transactions one.json one.stats
    holds "transactions on $machine, 2 threads" transfers --config $machine --trace two.json --threads 2
    holds "transactions on $machine, 2 threads: the same" cmp one.json two.json
    holds "transactions on $machine: the same statistics without" transfers --config $machine --stats two.stats
    holds "transactions on $machine: the same statistics without" "$build/regress/timing/same_json" one.stats two.stats
    holds "part of the timeline of transactions" transfers --config $machine --trace part.json \
        --set trace.from=1500 --set trace.to=4000 --set trace.sm=1
    holds "part of the timeline of transactions: what is in it" "$check" trace part.json 1500 4000 1
done
holds "waits for a commit are told from others" grep -qF '"cat":"wait","name":"tx begin"' one.json
transfers --config kilotm+backoff+2sm --trace one.json
holds "a fault of a doomed transaction" launch zombie --block 64 --grid 1 --arg u32[16]:0 --config kilotm+2sm \
    --trace two.json --stats two.stats
holds "a fault of a doomed transaction: what is in the timeline" "$check" trace two.json 0 1000000 -1
holds "a fault of a doomed transaction: sums" "$check" transactions two.json two.stats
holds "a fault of a doomed transaction: the abort" \
    grep -q '"name":"abort: zombie_fault".*"args":{"lanes":1,"mask":"0x[1248]0*"}' two.json
holds "a fault of a doomed transaction: the validation" grep -q '"name":"tx validation"' two.json
for what in begin commit back-off; do
    holds "a wait: tx $what" grep -qF "\"cat\":\"wait\",\"name\":\"tx $what\"" one.json
done
tm_table() {
    transfers --config kilotm+2sm --set stats.thread_states=true --stats table.json --verbose
}
holds "the table of transactions" ends 0 tm_table
holds "the table: commits and sets" \
    grep -qE '^transfers +960 +[0-9 ]+ +[0-9.]+ +[0-9.]+/[23] +2.0/2 +[0-9.]+/[0-9]+ +[0-9]+ +[0-9]+$' message
holds "the table: aborts" grep -qE '^aborts: validation 100.0 %$' message
holds "the table: states" grep -qE '^thread cycles: tc [0-9.]+ %, to [0-9.]+ %, .*nl [0-9.]+ %$' message
holds "the table: messages" grep -qE '^  write_set +[0-9 ]+ +[0-9.]+ %$' message
holds "the table: commit units" says "commit units:"
holds "the table: oracle" says "oracle: 960 transactions checked, "
holds "the table of a file" sh -c '"$0" stats table.json | cmp - message' "$simtx"
holds "the table of no file" ends 2 "$simtx" stats none.json
holds "the table of another file" ends 2 "$simtx" stats one.json
holds "the table of another file: message" says "one.json: not a statistics file of simtx"
holds "an attempt" grep -qE '"name":"attempt".*"args":\{"attempt":2,"lanes":[0-9]+,"mask":"0x[0-9a-f]+",' one.json

# ---- time series ----
for machine in gtx480+2sm quadro-fx5800+2sm southern-islands+2sm default+2sm+tiny; do
    holds "time series on $machine" mix --config $machine --window 61,one.csv --stats one.json
    holds "time series on $machine: sums" "$check" series one.csv one.json
    for how in "--threads 2" "--set sim.sync_window=1" "--set sim.no_skip=true"; do
        holds "time series on $machine $how" mix --config $machine --window 61,two.csv $how
        holds "time series on $machine $how: the same" cmp one.csv two.csv
    done
    holds "time series: the same statistics without" mix --config $machine --stats two.json
    holds "time series: the same statistics without" "$build/regress/timing/same_json" one.json two.json
done
holds "time series in its usual file" mix --config gtx480+2sm --set stats.window=500
holds "time series in its usual file" test -s windows.csv

# ---- files that cannot be written ----
for option in "--trace no/such/folder/t.json" "--window 100,no/such/folder/w.csv" \
              "--set trace.file=no/such/folder/t.json"; do
    holds "$option" ends 2 mix $option
    holds "$option: message" says "no/such/folder"
done
tried() {
    SIMTX_SET="$1" mix
}
holds "trace.file in the environment" ends 2 tried "trace.file=no/such/folder/t.json"
holds "trace.file in the environment: message" says "cannot write the timeline 'no/such/folder/t.json': No such file"
holds "stats.window_file in the environment" ends 2 tried "stats.window=9;stats.window_file=no/such/folder/w.csv"
holds "stats.window_file in the environment: message" says "cannot write the time series 'no/such/folder/w.csv'"
holds "a timeline on a full disk" ends 1 mix --trace /dev/full
holds "a timeline on a full disk: message" says "simtx: the timeline '/dev/full' could not be written to its end"
holds "a time series on a full disk" ends 1 mix --window 10,/dev/full
holds "a time series on a full disk: message" says "simtx: the time series '/dev/full' could not be written to its end"

# ---- histograms ----
# Every load is one request, and the next one waits for it: the stages of the requests are the loads' latency.
for machine in gtx480 gtx480+l1on quadro-fx5800 southern-islands default; do
    holds "chase on $machine" launch chase --grid 1 --block 1 --config $machine --stats chase.json
    holds "chase on $machine: stages" "$check" stages chase.json
done

# ---- hangs ----
hang() {
    local kernel=$1
    shift
    launch "$kernel" --block 64 --arg u32[8]:0 --config gtx480+2sm --set sim.hang_cycles=20000 --stats hang.json "$@"
}
for how in "" "--threads 2" "--set sim.sync_window=1"; do
    holds "a lock in a warp $how" ends 1 hang lock $how
    holds "a lock in a warp: the statistics" grep -q '"status": "hang"' hang.json
    sed -n 1p message >>titles
done
holds "the same cycle however it is simulated" test "$(sort -u titles | wc -l)" = 1
holds "a lock in a warp: it is a hang" says "simtx: hang in kernel lock at core cycle"
line=$(grep -n 'bra LOOP' "$here/kernels.ptx" | sed -n 3p | cut -d: -f1)
holds "a lock in a warp: the circle" says "waits for lanes of its own, at $here/kernels.ptx:$line:9: @%p bra LOOP;"
holds "a lock in a warp: who has it" says "lane 0 of the same warp would write it at"
holds "a lock in a warp: where the lane is" says "but is below the loop in the SIMT stack, at"
holds "a lock in a warp: the next step" says "  Run with --simt independent, or write the loop so that the lanes that"
holds "a lock in a warp, no release in sight" ends 1 hang hidden --grid 4
holds "a lock in a warp, no release in sight: the report" says "no resident warp appears to reach a write"
holds "a lock in a warp, no release in sight: the next step is near the top" \
    bash -c 'head -5 message | grep -q "^  Run with --simt independent, .*SIMTX_LOCK_DONE"'
holds "warps that wait in the same place are counted" says " more warps wait like one above"
holds "SMs in the same state are counted" ends 1 launch hidden --grid 30 --block 64 --arg u32[8]:0 --config gtx480 \
    --set sim.hang_cycles=20000
holds "SMs in the same state are counted: the report" says "more SMs are in the same state as SM"
holds "SMs in the same state are counted: a short report" test "$(wc -l <message)" -lt 80
holds "a flag that nobody sets needs no other loop" ends 1 hang crossed
if says "SIMTX_LOCK_DONE"; then
    holds "no advice on locks where lanes of other warps are missing" false
fi
holds "a lock in a warp, independent lanes" ends 0 hang lock --simt independent
holds "a flag that is set behind a barrier" ends 1 hang crossed
holds "a flag that is set behind a barrier: one waits" says \
    "warp 0 of block (0,0,0) on SM 0 waits for the next warp, at"
holds "a flag that is set behind a barrier: so does the other" \
    says "warp 1 of block (0,0,0) on SM 0 waits for the first warp, at"
holds "a flag that is set behind a barrier: by whom" says "lane 0 of warp 1 of block (0,0,0) on SM 0 would write it at"
holds "a barrier of more blocks than there is room for" ends 1 hang grid_barrier --grid 40
holds "a barrier of more blocks: blocks" \
    says "16 have started; the others wait for space on an SM"
holds "a barrier of more blocks: nobody comes" says "and no resident warp appears to reach a write of this address"
holds "a barrier of more blocks: a report of bounded length" test "$(wc -l <message)" -lt 250
holds "a barrier of blocks that have room" ends 0 hang grid_barrier --grid 16
holds "a loop with pauses" ends 1 hang asleep
holds "a loop with pauses: where" says "on address 0x"

# ---- hangs of transactions ----
tm_hang() {
    local kernel=$1
    shift
    launch "$kernel" --block 64 --grid 1 --arg u32[16]:0 --config kilotm+2sm --set sim.hang_cycles=20000 "$@"
}
holds "a doomed transaction, watchdog" ends 0 tm_hang doomed --set tm.watchdog=5000
holds "a doomed transaction, no watchdog" ends 1 tm_hang doomed --set tm.watchdog=0
holds "a doomed transaction: timeline" ends 1 tm_hang doomed --set tm.watchdog=0 --trace one.json
holds "a doomed transaction: what is in the timeline" "$check" trace one.json 0 1000000 -1
holds "a doomed transaction: its attempt" grep -q '"name":"attempt".*"committed":0,"aborted":0,' one.json
holds "a doomed transaction: who" says "lane 0 cannot commit, since values that they have read have changed"
holds "a doomed transaction: nobody looks" says "nothing validates it while it runs (tm.watchdog = 0)"
holds "a turn that never comes" ends 1 tm_hang turn --set tm.warps=1 --set tm.watchdog=0
holds "a turn that never comes: the circle" says "warp 1 of block (0,0,0) on SM 0 waits for the first warp, at"
holds "a turn that never comes: who holds the token" \
    says "the SM has 1 warps with 1 threads in transactions, tm.warps = 1; warp slot 0"
holds "a token of the GPU" ends 1 tm_hang turn --set tm.warps=0 --set tm.global_warps=1 --set tm.watchdog=0
holds "a token of the GPU: who holds it" \
    says "1 of 1 tokens of the GPU (tm.global_warps) are in use, 0 warps are ahead; SM 0 warp slot 0 holds one"
holds "a warp that runs alone" ends 1 tm_hang alone --block 96 --set tm.global=none --set tm.shared=localtm
holds "a warp that runs alone: who waits at tx_begin" says "tx_begin: warp slot 1 runs alone in its block"
holds "a warp that runs alone: who was rolled back" says "the transactional memory: warp slot 1 runs alone in its block"
holds "a warp that runs alone: its block" says "1 of 16 words have an owner; warp slot 1 runs alone"
# A latency above sim.hang_cycles looks like a hang: the words on commits.
holds "a commit" ends 1 tm_hang transfers --arg u32:1 --set kilotm.cu_latency=100000
holds "a commit: at its place" says "tx_commit;: waits since cycle"
holds "a commit: for whom" says "the outcome of its commit: no reply from commit unit"
holds "a commit: the state of the entries" grep -qE 'commit unit [0-7]: lanes 0-31 \(validation wait\)' message
holds "commit IDs" ends 1 tm_hang transfers --arg u32:1 --set kilotm.cid_latency=100000
holds "commit IDs: words" says "the outcome of its commit: commit IDs, until cycle 10"
holds "a long back-off is no hang" \
    ends 0 tm_hang transfers --arg u32:2 --set tm.backoff=50000 --set tm.backoff_max=50000

# ---- what takes long is no hang ----
holds "arithmetic for 500 times sim.hang_cycles" ends 0 hang count --block 32 --arg u32:200000
holds "a loop that waits for the clock" ends 0 hang clock --arg u64:1000000
holds "all wait for one that computes" ends 0 hang patience --grid 4 --arg u32:20000

# ---- a limit of cycles ----
for how in "" "--threads 2" "--set sim.sync_window=1"; do
    holds "longer than sim.max_cycles $how" ends 1 hang count --arg u32:200000 --set sim.max_cycles=34567 $how
    holds "longer than sim.max_cycles $how: when and why" \
        says "simtx: hang in kernel count at core cycle 34567: it runs longer than sim.max_cycles"
    holds "longer than sim.max_cycles $how: the statistics" grep -q '"cycles": 34567' hang.json
done
for how in "" "--set sim.hang_cycles=0"; do
    holds "a deadlock is reported as one $how" ends 1 hang barriers --set sim.max_cycles=3000 $how
    holds "a deadlock is reported as one $how: why" says "nothing is in flight and no warp can continue"
done
holds "shorter than sim.max_cycles" ends 0 hang count --arg u32:200 --set sim.max_cycles=34567

# ---- Ctrl-C, progress, the table ----
holds "Ctrl-C" interrupt "0 of 8 blocks" "$simtx" launch --timing --config gtx480+2sm "$here/kernels.ptx" \
    --kernel count --grid 8 --block 256 --arg u32[8]:0 --arg u32:1000000000 --progress \
    --stats long.json --window 10000,long.csv --trace long.trace.gz --set trace.to=2000
holds "Ctrl-C: message" says "simtx: interrupted; last kernel count, 0 of 8 blocks done, core cycle"
holds "Ctrl-C: where the warps are" grep -qE \
    '^  [0-9]+ of 64 warps at .*kernels.ptx:[0-9]+:[0-9]+: .*, waiting for: .' message
holds "Ctrl-C: two lines of positions at most" [ "$(grep -c 'warps at' message)" -le 2 ]
holds "Ctrl-C: statistics" grep -q '"status": "interrupted"' long.json
holds "Ctrl-C: time series" "$check" series long.csv long.json
holds "Ctrl-C: timeline" "$check" trace long.trace.gz 0 2000 -1
holds "progress" grep -qE \
    'simtx: count  0 of 8 blocks  0 %  .* M inst/s  cycle [1-9][0-9]*  IPC [0-9.]+  [0-9]+ k cycles/s' message
holds "Ctrl-C in functional mode" interrupt "0 of 8 blocks" "$simtx" launch "$here/kernels.ptx" --kernel count --grid 8 \
    --block 256 --arg u32[8]:0 --arg u32:4000000000 --progress
holds "Ctrl-C in functional mode: where the warps are" grep -qE \
    '^  [0-9]+ of (8|16|24|32|40|48|56|64) warps at .*kernels.ptx:[0-9]+:[0-9]+: ' message
half() {
    SIMTX_PROGRESS=1 timeout 300 "$simtx" launch --grid 1 --block 1 --timing --config gtx480+2sm "$here/kernels.ptx" \
        --kernel count --grid 160 --block 32 --arg u32[8]:0 --arg u32:25000
}
holds "progress of blocks" ends 0 half
holds "progress: time to go" grep -qE '[0-9]+:[0-9][0-9] to go' message
committing() {
    timeout 60 "$simtx" launch --grid 1 --block 1 --timing --progress "$here/kernels.ptx" --kernel transfers \
        --config kilotm+2sm \
        --grid 5 --block 64 --arg u32[16]:0 --arg u32:120
}
holds "progress of transactions" ends 0 committing
holds "progress of transactions: commits" grep -qE ' [1-9][0-9]* commits' message
table() {
    mix --config gtx480+2sm --verbose
}
holds "the table" ends 0 table
share='[0-9.]+ %'
holds "the table: shares" \
    grep -qE "^mix +[0-9 ]+ +[0-9.]+ +$share +$share +$share +$share  [a-z_]+ $share, [a-z_]+ $share" message
holds "the table: latency" grep -qE '^of a request to L2: [0-9]+ L1 \+ .* reply = [0-9]+$' message

finish
