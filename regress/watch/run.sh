#!/bin/bash
# What users look at in timing mode: timeline, time series, statistics, hang reports, Ctrl-C and progress. Usage: run.sh
# BUILD; the last line counts.
build=$(cd "${1:-build}" && pwd) || exit 1
here=$(cd "$(dirname "$0")" && pwd)
simtx=$build/bin/simtx
check=$build/regress/watch/check
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset SIMTX_CONFIG SIMTX_SET SIMTX_STATS SIMTX_QUIET SIMTX_VERBOSE SIMTX_PROGRESS
passed=0
failed=0

# holds WHAT COMMAND...: the command succeeds.
holds() {
    local what=$1
    shift
    if "$@" >out 2>err; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "    FAIL $what"
        sed 's/^/        /' out err | head -n 12
    fi
}

# ends CODE COMMAND...
ends() {
    local code=$1 status=0
    shift
    "$@" 2>message || status=$?
    [ "$status" = "$code" ] || { echo "exit status $status, expected $code"; cat message; return 1; }
}

# says TEXT: the last `ends` had it on stderr.
says() {
    grep -qF -- "$1" message || { cat message; return 1; }
}

# launch KERNEL OPTIONS...
launch() {
    local kernel=$1
    shift
    timeout 60 "$simtx" launch --quiet --timing "$here/kernels.ptx" --kernel "$kernel" "$@"
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
    holds "timeline on $machine, 2 threads" mix --config $machine --trace two.json.gz --threads 2
    holds "timeline on $machine, 2 threads: the same" sh -c 'gzip -dc two.json.gz | cmp - one.json'
    holds "timeline on $machine, cycle by cycle" mix --config $machine --trace two.json --set sim.no_skip=true
    holds "timeline on $machine, cycle by cycle: the same events" same_events one.json two.json
    holds "part of the timeline" mix --config $machine --trace part.json --set trace.from=700 --set trace.to=1500 --set trace.sm=1
    holds "part of the timeline: what is in it" "$check" trace part.json 700 1500 1
done

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
for option in "--trace no/such/folder/t.json" "--window 100,no/such/folder/w.csv" "--set trace.file=no/such/folder/t.json"; do
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

echo "watch: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
