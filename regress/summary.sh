#!/bin/sh
# Runs test targets one after another, to the end whatever fails, and sums up their last lines "name: N passed, N failed".
# A target that fails without counting a failure, or that prints no such line, is a failure. Usage: summary.sh TARGET...
# with MAKE in the environment. The last line is the sum.
log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log.rc"' EXIT
passed=0
failed=0
broken=
for target in "$@"; do
    { ${MAKE:-make} --no-print-directory "$target" 2>&1; echo $? >"$log.rc"; } | tee "$log"
    counts=$(sed -n 's/^[^ ]*: \([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log" |
             awk '{ p += $1; f += $2 } END { if (NR) print p, f }')
    p=${counts% *}
    f=${counts#* }
    status=$(cat "$log.rc")
    if [ -z "$counts" ]; then
        echo "$target: no line that counts its tests (exit status $status)"
        p=0
        f=1
    elif [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
        echo "$target: exit status $status"
        f=1
    fi
    [ "$f" -eq 0 ] || broken="$broken $target"
    passed=$((passed + p))
    failed=$((failed + f))
done
[ -z "$broken" ] || echo "failed in:$broken"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
