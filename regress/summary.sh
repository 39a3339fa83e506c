#!/bin/bash
# Runs test targets one after another, to the end whatever fails, and sums up their last lines "name: N passed, N
# failed". A target that fails without counting a failure, or that prints no such line, is a failure; so is one without
# a row in regress/budgets.tsv. Usage: summary.sh TIMES TARGET... with MAKE in the environment; TIMES is a file that
# gets a row for each target (target, passed, failed, seconds). At the end it lists the slowest targets and those over
# their budget of time, and repeats the messages of those that failed; the last line is the sum. LIMIT: seconds that the
# sum of all budgets must not exceed.
times=$1
shift
here=$(dirname "$0")
log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log".*' EXIT
passed=0
failed=0
broken=
mkdir -p "$(dirname "$times")" && : >"$times" || exit 1

# The seconds that a target may take on two cores; empty: no row.
budget_of() {
    awk -F '\t' -v target="$1" '$1 == target { print $2 }' "$here/budgets.tsv"
}

# Sets p and f to what the target's lines count, the target's own failures included.
count() {
    local counts status
    counts=$(sed -n 's/^[^ ]*: \([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log" |
             awk '{ p += $1; f += $2 } END { if (NR) print p, f }')
    p=${counts% *}
    f=${counts#* }
    status=$(cat "$log.rc")
    if [ -z "$counts" ]; then
        echo "$1: no line that counts its tests (exit status $status)"
        p=0
        f=1
    elif [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
        echo "$1: exit status $status"
        f=1
    fi
    if [ -z "$(budget_of "$1")" ]; then
        echo "$1: give it a row in regress/budgets.tsv"
        f=$((f + 1))
    fi
}

for target in "$@"; do
    begin=$(date +%s%N)
    { ${MAKE:-make} --no-print-directory "$target" 2>&1; echo $? >"$log.rc"; } | tee "$log"
    end=$(date +%s%N)
    count "$target"
    if [ "$f" -ne 0 ]; then
        broken="$broken $target"
        { grep -A 12 FAIL "$log" || tail -n 12 "$log"; } | head -n 60 >>"$log.failed"
    fi
    passed=$((passed + p))
    failed=$((failed + f))
    printf '%s\t%d\t%d\t%d.%d\n' "$target" "$p" "$f" $(((end - begin) / 1000000000)) \
        $(((end - begin) / 100000000 % 10)) >>"$times"
done

echo "slowest, in seconds:"
sort -t "$(printf '\t')" -k 4,4 -rn "$times" | head -n 8 | awk -F '\t' '{ printf "  %-28s %7.1f\n", $1, $4 }'
awk -F '\t' 'NR == FNR { budget[$1] = $2; next }
    { sum += $4 }
    $1 in budget && $4 > budget[$1] { printf "over its budget: %s took %.0f s of %d\n", $1, $4, budget[$1] }
    END { printf "all: %.0f s\n", sum }' "$here/budgets.tsv" "$times"
budgets=0
for target in "$@"; do
    budget=$(budget_of "$target")
    budgets=$((budgets + ${budget:-0}))
done
if [ "$budgets" -gt "${LIMIT:-$budgets}" ]; then
    echo "the budgets add up to $budgets s, more than $LIMIT: shorten a target or move a part of it to make test-long"
    failed=$((failed + 1))
fi
[ -z "$broken" ] || { echo "failed in:$broken"; cat "$log.failed"; }
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
