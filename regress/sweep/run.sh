#!/bin/bash
# `simtx sweep`: files and their mistakes, grids against loops of the shell, results against runs alone, interruptions,
# limits. Usage: run.sh BUILD; the last line counts.
suite=sweep
. "$(dirname "$0")/../harness.sh"
cp "$here"/../../kernels/tm/hash_table.sweep .
# A sanitizer maps more memory than the study allows.
[ -z "$ASAN_OPTIONS$TSAN_OPTIONS" ] || sed -i '/^limits/d' hash_table.sweep

# study NAME: writes NAME.sweep from standard input.
study() {
    cat >"$1.sweep"
}

# column FILE NAME: the values of a column of a table.
column() {
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i; next } { print $at }' "$1"
}

# How many rows of a table are in which state.
states() {
    column "$1" state | sort | uniq -c | tr -s ' \n' ' '
}

# wrong TEXT: a study with one mistake, from standard input after the programs, is refused with this message.
wrong() {
    { echo 'programs = ["ht --size {keys}"];'; cat; } >wrong.sweep
    check 2 "$1" "$simtx" sweep wrong.sweep --list
}

# ---- files ----
check 0 "usage: simtx sweep FILE" "$simtx" sweep --help
check 2 "no file given" "$simtx" sweep
check 2 "more than one file" "$simtx" sweep a b
check 2 "none.sweep: error: No such file" "$simtx" sweep none.sweep
check 2 "expected a number from 1 to 1024" "$simtx" sweep hash_table.sweep --local 0
echo 'configs = ["kilotm"];' | study empty
check 2 "the setting \`programs\` is missing" "$simtx" sweep empty.sweep
echo 'programs = ["absent"];' | study absent
check 2 "there is no program" "$simtx" sweep absent.sweep
sizes='arguments: { keys = [64, 128]; };'
wrong "wrong.sweep:2:1: error: unknown setting config, did you mean configs" <<<'config = "kilotm";'
wrong "wrong.sweep:2:1: error: syntax error" <<<'configs = ;'
echo 'programs = ["ht --size {keys"]; arguments: { keys = 64; };' | study open
check 2 "'{' without '}' in \" --size {keys\"" "$simtx" sweep open.sweep --list
wrong "restore: cannot read none: No such file" <<<"$sizes restore = \"none\";"
holds "once, not for each combination" [ "$(grep -c 'cannot read' err)" = 1 ]
wrong "{keys} is in neither" <<<'configs = ["kilotm"];'
wrong "no program has {n}" <<<'arguments: { keys = 64; n = [1, 2]; };'
wrong "the value '64' is in the list twice" <<<'arguments: { keys = [64, 64]; };'
wrong "keys: the list is empty" <<<'arguments: { keys = (); };'
wrong "arguments: expected a group" <<<'arguments = [64];'
wrong "there is no statistic 'cyles', did you mean cycles" <<<"$sizes columns = [\"cyles\"];"
wrong "expected \"timing\" or \"functional\"" <<<"$sizes mode = \"fast\";"
wrong "exclude: 'tm.warps' is no axis" <<<"$sizes exclude = ({ tm: { warps = 1; }; });"
wrong "exclude: '65' is no value of keys" <<<"$sizes exclude = ({ keys = 65; });"
wrong "every combination is excluded" <<<"$sizes exclude = ({ keys = [64, 128]; });"
wrong "cpu_seconds: expected a positive integer" <<<"$sizes limits: { cpu_seconds = 0; };"
wrong "limits: expected cpu_seconds or memory_mb" <<<"$sizes limits: { seconds = 1; };"
wrong "unknown key gpu.smms, did you mean gpu.sms?" <<<"$sizes keys: { gpu: { smms = [1, 2]; }; };"
wrong "did you mean kilotm" <<<"$sizes configs = [\"kilotn\"];"
wrong "2 combinations have no valid configuration" <<<"$sizes keys: { gpu: { warp_size = [32, 48]; }; };"
holds "one line for each cause" [ "$(grep -c 'warp_size.*error' err)" = 1 ]
holds "with the number of combinations and the first" grep -q "^2 combinations, the first .*warp_size=48.*error" err
printf '#!/bin/sh\n' >$'odd\xff' && chmod +x $'odd\xff'
study odd <<<$'programs = ["./odd\xff"];'
check 1 "is a script" "$simtx" sweep odd.sweep --local 1
holds "a message that is not UTF-8 is in the table" grep -q '"message": ".*odd?: is a script' sweep-odd/results.json
head -c 500 /dev/urandom >noise.sweep
check 2 "noise.sweep" "$simtx" sweep noise.sweep

# ---- the grid: the same combinations from loops ----
for table in high low; do
    for config in kilotm warptm; do
        for warps in 1 2 4 8; do
            for seed in 1 2 3; do
                [ $config/$warps = warptm/8 ] || echo "$config $table $warps $seed"
            done
        done
    done
done | sort >expected
check 0 "42 points, 6 combinations excluded; 42 runs: 42 to do, 0 done, 0 failed" "$simtx" sweep hash_table.sweep --list
sed -nE 's/^to run .*\{seed\}  ([a-z]+)  table=([a-z]+)  tm.warps=([0-9])  seed=([0-9])$/\1 \2 \3 \4/p' out |
    sort >listed
holds "--list has the combinations" diff expected listed
check 0 "" "$simtx" sweep hash_table.sweep --dry-run
sed -nE 's/.*--config ([a-z]+) --set tm.warps=([0-9]) --set sim.seed=([0-9]) (.*)/\1 \2 \3 \4/p' out |
    sed -nE 's/^([a-z]+ [0-9]) ([0-9]) .*--table ([a-z]+) --size 512 --seed \2$/\1 \2 \3/p' |
    awk '{ print $1, $4, $2, $3 }' | sort >listed
holds "--dry-run has their commands" diff expected listed
holds "neither makes a folder" [ ! -e sweep-hash_table ]

# ---- runs ----
sed -i 's/\[1, 2, 4, 8\]/[1, 8]/; s/\[1, 2, 3\]/[1, 2]/' hash_table.sweep
check 0 "12 of 12 runs done, 0 failed" "$simtx" sweep hash_table.sweep --local 2
table=sweep-hash_table/results.csv
holds "a row a run" [ "$(wc -l <$table)" = 13 ]
holds "all committed" [ "$(column $table tm.commits | sort -u)" = 512 ]
holds "the table as JSON" grep -q '"study": "hash_table"' sweep-hash_table/results.json
# The statistics are those of the same command alone.
"$simtx" run --timing --quiet --config kilotm --set tm.warps=1 --set sim.seed=1 --stats alone.json -- \
    "$build/kernels/ht" --version tm --table high --size 512 --seed 1 >/dev/null
first=$(column $table run | head -1)
check 0 " 0 differ, 0 by more" "$simtx" compare alone.json sweep-hash_table/runs/$first.json
holds "the table has its cycles" grep -q "\"cycles\": $(column $table cycles | head -1)," alone.json
touch mark
check 0 "12 of 12 runs done" "$simtx" sweep hash_table.sweep
holds "no run is repeated" [ -z "$(find sweep-hash_table/runs -newer mark -name '*.json')" ]
sed -i 's/seeds = .*/seeds = [1, 2, 3];/' hash_table.sweep
check 0 "18 runs: 6 to do, 12 done" "$simtx" sweep hash_table.sweep --list
check 0 "18 of 18 runs done" "$simtx" sweep hash_table.sweep --local
holds "only the new runs are done" [ "$(find sweep-hash_table/runs -newer mark -name '*.json' | wc -l)" = 6 ]
check 0 "18 runs: 18 done, 0 failed, 0 to do" "$simtx" sweep status hash_table.sweep
rm sweep-hash_table/results.*
check 0 "18 of 18 runs done" "$simtx" sweep collect hash_table.sweep
holds "collect writes the table" [ "$(wc -l <$table)" = 19 ]

# Another program, or an equal configuration under another name.
mkdir programs
cp "$build/kernels/ht" programs/ht
study same <<'END'
programs = ["ht --size 64", "programs/ht --size 64"];
configs = ["kilotm", "kilotm+30sm"];
mode = "functional";
END
check 0 "4 points, 0 combinations excluded; 1 runs: 1 to do" "$simtx" sweep same.sweep --list
check 0 "1 of 1 runs done" "$simtx" sweep same.sweep
printf 'x' >>programs/ht
check 0 "2 runs: 1 to do, 1 done" "$simtx" sweep same.sweep --list
printf '{' >"$(ls sweep-same/runs/*.json)"
check 0 "2 runs: 2 to do, 0 done" "$simtx" sweep same.sweep --list

# ---- failures ----
study broken <<'END'
programs = ["ht --size {keys}", "vecadd"];
arguments: { keys = ["64", "none"]; };
exclude = ({ program = "vecadd"; keys = "none"; });
mode = "functional";
END
check 1 "2 of 3 runs done, 1 failed" "$simtx" sweep broken.sweep
holds "a failure is printed once" test "$(grep -c " failed: " err)" = 1
holds "what the failed run said" grep -q "ht: --size does not take none" err
holds "a command repeats it" grep -q "  alone: simtx run .* -- $build/kernels/ht --size none" err
$(sed -n 's/^  alone: simtx/eval "$simtx"/p' err) >out 2>err
holds "which fails alike" grep -q "ht: --size does not take none" out err
holds "the table has it" [ "$(states sweep-broken/results.csv)" = " 2 done 1 failed " ]
check 0 "1 failed" "$simtx" sweep status broken.sweep

# Limits: a run of minutes with a second of time, and one with too little memory to start.
study long <<'END'
programs = ["ht --size 1000000"];
configs = ["kilotm"];
limits: { cpu_seconds = 1; };
END
check 1 "ended by signal 24 (CPU time limit exceeded)" "$simtx" sweep long.sweep
holds "it says nothing of programs without a GPU" bash -c "! grep -q 'used no GPU' err"
holds "the limit is the cause" grep -q "a signal ended the program: no statistics" err
if [ -z "$ASAN_OPTIONS$TSAN_OPTIONS" ]; then
    sed -i 's/cpu_seconds = 1/memory_mb = 20/' long.sweep
    check 1 "1 failed" "$simtx" sweep long.sweep
    holds "out of memory" grep -qi "memory" sweep-long/runs/*.log
fi

# ---- interruptions ----
study many <<'END'
programs = ["ht --size {keys} --seed {seed}"];
arguments: { keys = [1500, 1600, 1700]; };
configs = ["kilotm"];
keys: { tm: { warps = [1, 2]; }; };
seeds = [1, 2, 3, 4];
END
"$simtx" sweep many.sweep --local --out whole >/dev/null
holds "a sweep without interruption" [ "$(column whole/results.csv state | sort -u)" = done ]

some_done() {
    for i in $(seq 200); do
        [ "$(ls many/runs/*.key 2>/dev/null | wc -l)" -ge "$1" ] && return
        sleep 0.05
    done
    return 1
}

# interrupted SIGNAL RUNS: sends it to a sweep that has done so many runs; $status is how it ends.
interrupted() {
    set -m
    "$simtx" sweep many.sweep --local 1 --out many >out 2>err &
    local sweep=$!
    set +m
    some_done "$2"
    kill -s "$1" $sweep
    wait $sweep 2>/dev/null
    status=$?
}

no_process() {
    for i in $(seq 100); do
        pgrep -f "$work/many/runs" >/dev/null || return 0
        sleep 0.05
    done
    return 1
}

interrupted INT 3
holds "Ctrl-C: exit status" [ $status = 130 ]
holds "Ctrl-C: how it continues" grep -q "runs done; the same command continues" err
holds "Ctrl-C: no half of a run" bash -c "! ls many/runs | grep -vE '^[0-9a-f]{16}\.(json|log|key)$'"
holds "Ctrl-C: no process is left" no_process
interrupted KILL 6
holds "SIGKILL of the sweep: exit status" [ $status = 137 ]
holds "SIGKILL of the sweep: no process is left" no_process
holds "SIGKILL of the sweep: something is left to do" [ "$(ls many/runs/*.key | wc -l)" -lt 24 ]

# SIGKILL of one run: of `simtx run`, whose program ends, too.
"$simtx" sweep many.sweep --local 1 --out many >out 2>err &
sweep=$!
while ! child=$(pgrep -P $sweep); do sleep 0.02; done
kill -KILL $child
wait $sweep
holds "SIGKILL of a run: exit status" [ $? = 1 ]
holds "SIGKILL of a run: its message" grep -q "failed: ended by signal 9 (Killed)" err
holds "SIGKILL of a run: the others are done" [ "$(states many/results.csv)" = " 23 done 1 failed " ]
check 0 "24 of 24 runs done" "$simtx" sweep many.sweep --out many
holds "in the end the table is that of a sweep without interruption" diff whole/results.csv many/results.csv
holds "and nothing else is left" bash -c "! ls many/runs | grep -vE '^[0-9a-f]{16}\.(json|log|key)$'"

# Only one at a time in a folder.
exec 9<many/runs
flock 9
check 2 "another simtx runs in this folder" "$simtx" sweep many.sweep --out many
exec 9<&-

finish
