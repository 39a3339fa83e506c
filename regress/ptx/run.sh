#!/bin/bash
# Small PTX programs over the corners of the executor. Each names in comments its launches and what must come of every
# one of them:
#   // run: OPTIONS       `simtx launch FILE OPTIONS`; several lines are several launches
#   // expect: LINE       a line of the output; all of them, in order, are the whole output
#   // fault: WORDS       the launch fails, without a crash, and these words are in the message
#   // report: WORDS      a report of a check; all of them, in order, are all reports
#   // message: WORDS     words that are in the messages
simtx=$1
dir=$(dirname "$0")
suite=ptx
. "$dir/../counts.sh"

# reports FILE: the launch printed the reports and the messages that the file names, and no other reports.
reports() {
    sed -n 's,^// report: ,simtx: ,p' "$1" | diff - "$heads" >/dev/null || return 1
    sed -n 's,^// message: ,,p' "$1" | while IFS= read -r words; do
        grep -qF -- "$words" "$errors" || exit 1
    done
}

# check FILE RUN EXPECT FAULT: one launch; says what is wrong.
check() {
    out=$(eval "timeout 60 $simtx launch --quiet --grid 1 --block 1 $1 $2" 2>"$errors")
    rc=$?
    grep '^simtx: check\.' "$errors" >"$heads"
    reports "$1" || { echo "$1 ($2): other reports or messages"; head -60 "$errors"; return 1; }
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

errors=$(mktemp) heads=$(mktemp)
trap 'rm -f "$errors" "$heads"' EXIT
for f in "$dir"/*.ptx; do
    expect=$(sed -n 's,^// expect: ,,p' "$f")
    fault=$(sed -n 's,^// fault: ,,p' "$f")
    while read -r run; do
        if wrong=$(check "$f" "$run" "$expect" "$fault"); then pass; else fail "$wrong"; fi
    done < <(sed -n 's,^// run: ,,p' "$f")
done
finish
