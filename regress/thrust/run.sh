#!/bin/sh
# Runs the programs of this folder, each of which checks itself, and adds up their lines.
# usage: run.sh BUILD_DIR TITLE PROGRAM...
set -u
B=$1 title=$2
shift 2
passed=0 failed=0
for program; do
    output=$("$B/bin/simtx" run --quiet -- "$B/regress/thrust/$program" 2>&1)
    status=$?
    line=$(printf '%s\n' "$output" | grep "^[a-z_0-9]*: [0-9]* passed, [0-9]* failed$")
    if [ -z "$line" ]; then
        echo "FAILED: $program ended with status $status"
        failed=$((failed + 1))
    else
        line=${line#*: }
        passed=$((passed + ${line%% passed*}))
        line=${line#*, }
        failed=$((failed + ${line%% failed*}))
    fi
    [ $status = 0 ] || printf '%s\n' "$output" | grep -v "passed," | head -n 20
done
echo "$title: $passed passed, $failed failed"
[ "$failed" = 0 ]
