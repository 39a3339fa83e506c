#!/bin/bash
# Runs some programs in the simulator and prints, for each, whether its own check passed and what `simtx run --stats`
# wrote: blocks, threads, thread instructions, instructions per second. Usage: demo.sh BUILD NAME...
build=$1
shift
stats=$(mktemp) || exit 1
trap 'rm -f "$stats"' EXIT
status=0

# The number under a key of the statistics file.
value() {
    sed -n "s/.*\"$1\": *\([0-9.eE+-]*\).*/\1/p" "$stats" | head -n 1
}

# 1234567 as 1 234 567.
grouped() {
    echo "$1" | sed -e ':again' -e 's/\([0-9]\)\([0-9]\{3\}\)\( \|$\)/\1 \2\3/' -e 't again'
}

printf '%-22s %-6s %10s %12s %18s %14s\n' program check blocks threads 'thread instr.' 'instr./second'
for name in "$@"; do
    : >"$stats"
    verdict=$("$build/bin/simtx" run --quiet --stats "$stats" -- "$build/kernels/$name" | tail -n 1)
    check=ok
    if [ "$verdict" != "$name: PASS" ]; then
        check=WRONG
        status=1
    fi
    instructions=$(value thread_instructions)
    rate=$(awk -v n="${instructions:-0}" -v s="$(value seconds)" \
        'BEGIN { if (s > 0) printf "%.1f million", n / s / 1e6; else print "-" }')
    printf '%-22s %-6s %10s %12s %18s %14s\n' "$name" "$check" "$(grouped "$(value blocks)")" \
        "$(grouped "$(value threads)")" "$(grouped "$instructions")" "$rate"
done
exit $status
