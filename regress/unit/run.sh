#!/bin/bash
# Runs cmocka programs; shows what failed; the last line counts. Usage: run.sh PROGRAM...
suite=unit
. "$(dirname "$0")/../counts.sh"
for program in "$@"; do
    output=$(timeout 300 "$program" 2>&1)
    status=$?
    p=$(printf '%s\n' "$output" | sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' | tail -n 1)
    f=$(printf '%s\n' "$output" | sed -n 's/^\[  FAILED  \] .*tests*.*, \([0-9]*\) test(s).*/\1/p' | tail -n 1)
    f=${f:-0}
    [ "$status" -eq 0 ] || [ "$f" -gt 0 ] || f=1
    [ -n "$p" ] || [ "$f" -gt 0 ] || f=1
    [ "$f" -eq 0 ] || printf '%s\n%s: exit status %s\n' "$output" "$program" "$status"
    passed=$((passed + ${p:-0}))
    failed=$((failed + f))
done
finish
