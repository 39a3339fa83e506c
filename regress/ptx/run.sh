#!/bin/sh
# Small PTX programs over the corners of the executor. Each names in comments its launches and what must come of every
# one of them:
#   // run: OPTIONS       `simtx launch FILE OPTIONS`; several lines are several launches
#   // expect: LINE       a line of the output; all of them, in order, are the whole output
#   // fault: WORDS       the launch fails, without a crash, and these words are in the message
simtx=$1
dir=$(dirname "$0")
passed=0 failed=0

# check FILE RUN EXPECT FAULT: one launch; says what is wrong.
check()
{
    out=$(eval "timeout 60 $simtx launch --quiet --grid 1 --block 1 $1 $2" 2>"$errors")
    rc=$?
    if [ -n "$4" ]; then
        [ $rc -ne 0 ] && [ $rc -lt 124 ] && grep -qF -- "$4" "$errors" && return 0
        echo "$1: wanted a fault with '$4'; status $rc"
    else
        [ $rc -eq 0 ] && [ "$out" = "$3" ] && return 0
        printf '%s (%s): status %s, printed\n%s\nwanted\n%s\n' "$1" "$2" $rc "$out" "$3"
    fi
    head -20 "$errors"
    return 1
}

errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
for f in "$dir"/*.ptx; do
    expect=$(sed -n 's,^// expect: ,,p' "$f")
    fault=$(sed -n 's,^// fault: ,,p' "$f")
    while read -r run; do
        if check "$f" "$run" "$expect" "$fault"; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
        fi
    done <<RUNS
$(sed -n 's,^// run: ,,p' "$f")
RUNS
done
echo "ptx: $passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
