#!/bin/bash
# Runs fuzz targets:  run.sh FOLDER TARGET...
# Each replays regressions/TARGET/ and then searches for FUZZ_SECONDS.
# With FUZZ_KEEP what is learnt stays in FOLDER/corpus; else the search starts from the same seeds each time.
folder=$1
shift
suite=fuzz
here=$(dirname "$0")
. "$here/../counts.sh"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1

# -runs=0 executes the files of a folder and no more; crash files are written into FOLDER.
for target in "$@"; do
    log=$scratch/$target.log
    corpus=$folder/corpus/$target
    if [ -z "$FUZZ_KEEP" ]; then
        cp -r "$corpus" "$scratch/$target"
        corpus=$scratch/$target
    fi
    options="-artifact_prefix=$folder/$target- -rss_limit_mb=3000 -timeout=20 -max_len=6000"
    options="$options -print_final_stats=1"
    ok=1
    if [ -d "$here/regressions/$target" ]; then
        # shellcheck disable=SC2086
        "$folder/fuzz_$target" $options -runs=0 "$here/regressions/$target" >"$log" 2>&1 || ok=0
    fi
    if [ $ok = 1 ]; then
        # shellcheck disable=SC2086
        "$folder/fuzz_$target" $options -seed=1 -max_total_time="$FUZZ_SECONDS" "$corpus" >"$log" 2>&1 || ok=0
    fi
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    if [ $ok = 1 ] && [ "${runs:-0}" -gt 0 ]; then
        pass
        echo "fuzz_$target: $runs executions"
    else
        fail "fuzz_$target"
        grep -v '^#' "$log" | tail -n 60
    fi
done
finish
