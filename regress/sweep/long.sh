#!/bin/bash
# A sweep of 576 runs that is interrupted again and again: Ctrl-C, SIGKILL of the sweep, SIGKILL of single runs; in
# the end its table is that of a sweep without interruption. Prints what it does. Usage: long.sh BUILD; the last line
# counts.
suite=sweep-long
. "$(dirname "$0")/../harness.sh"
cat >large.sweep <<'END'
programs = ["ht --version tm --table {table} --size 512 --seed {seed}"];
arguments: { table = ["high", "low"]; };
configs = ["kilotm", "warptm", "sitm"];
keys: { tm: { warps = [1, 2, 4, 8]; }; };
seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24];
columns = ["cycles", "tm.commits", "tm.aborts"];
END

tell() {
    echo "    $SECONDS s: $*" | tee -a record
}

done_runs() {
    ls parts/runs/*.key 2>/dev/null | wc -l
}

SECONDS=0
# all_done DIR: the sweep to its end; `check` would stop it after a minute.
all_done() {
    holds "all runs are done in $1" bash -c "'$simtx' sweep large.sweep --out $1 >out 2>err"
}

all_done whole
tell "without interruption: $(cat out)"

# more_done RUNS: until so many are done since the round began, or all.
more_done() {
    while [ "$(done_runs)" -lt $((before + $1)) ] && kill -0 $sweep 2>/dev/null; do
        sleep 0.1
    done
}

kill_a_run() {
    local child
    child=$(pgrep -P $sweep | head -1)
    [ -n "$child" ] && kill -KILL "$child" 2>/dev/null && killed=$((killed + 1))
}

SECONDS=0
killed=0
round=0
while [ "$(done_runs)" -lt 500 ]; do
    before=$(done_runs)
    round=$((round + 1))
    set -m
    "$simtx" sweep large.sweep --out parts >out 2>err &
    sweep=$!
    set +m
    more_done $((10 + RANDOM % 30))
    kill_a_run
    more_done $((45 + RANDOM % 30))
    kill_a_run
    [ $((round % 2)) = 0 ] && signal=INT || signal=KILL
    kill -s $signal $sweep 2>/dev/null
    wait $sweep 2>/dev/null
    tell "round $round, $signal: status $?, $(done_runs) runs done, $(grep -c 'failed: ended by signal 9' err) killed"
done
holds "several rounds" [ "$round" -ge 5 ]
holds "single runs were killed" [ "$killed" -ge 3 ]
all_done parts
tell "with interruptions, $killed single runs killed: $(cat out)"
holds "the same table" diff whole/results.csv parts/results.csv
holds "nothing else is left" bash -c "! ls parts/runs | grep -vE '^[0-9a-f]{16}\.(json|log|key)$'"
finish
