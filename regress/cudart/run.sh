#!/bin/sh
# Runs the tests of libcudart given as arguments; each ends with "name: N passed, M failed"; prints the sum.
passed=0
failed=0
for program in "$@"; do
    output=$(timeout 120 "$program" 2>&1)
    status=$?
    line=$(printf '%s\n' "$output" | grep -E '^cudart .*: [0-9]+ passed, [0-9]+ failed$' | tail -n 1)
    p=$(printf '%s' "$line" | sed -E 's/.*: ([0-9]+) passed.*/\1/')
    f=$(printf '%s' "$line" | sed -E 's/.*passed, ([0-9]+) failed/\1/')
    if [ -z "$line" ] || { [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; }; then
        echo "$program ended with status $status"
        f=$((${f:-0} + 1))
    fi
    [ "$f" -eq 0 ] || printf '%s\n' "$output" | grep -vE '^\[( RUN|       OK)'
    passed=$((passed + ${p:-0}))
    failed=$((failed + f))
done
echo "cudart: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
