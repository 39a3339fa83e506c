#!/bin/sh
# Runs every client: run.sh BUILD. A script client_NAME.sh gets the build folder and a folder for its files; its last
# line is "NAME: N passed, M failed". A client whose program is not installed says so and is not counted.
build=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/simtx-clients-XXXXXX")
trap 'rm -rf "$work"' EXIT
passed=0
failed=0
for script in "$here"/client_*.sh; do
    name=$(basename "$script" .sh)
    mkdir "$work/$name"
    output=$(timeout 120 "$script" "$build" "$work/$name" 2>&1)
    status=$?
    line=$(printf '%s\n' "$output" |
        grep -E '^[a-z]+: ([0-9]+ passed, [0-9]+ failed|.* is not installed.*)$' | tail -n 1)
    case $line in
    *"is not installed"*)
        echo "clients: $line"
        continue
        ;;
    esac
    p=$(printf '%s' "$line" | sed -nE 's/.*: ([0-9]+) passed.*/\1/p')
    f=$(printf '%s' "$line" | sed -nE 's/.*passed, ([0-9]+) failed/\1/p')
    if [ -z "$line" ] || { [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; }; then
        echo "clients: $name ended with status $status"
        f=$((${f:-0} + 1))
    fi
    [ "$f" -eq 0 ] || printf '%s\n' "$output"
    passed=$((passed + ${p:-0}))
    failed=$((failed + f))
done
echo "clients: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
