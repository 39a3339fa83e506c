#!/bin/sh
# The table of test targets in docs/testing.md, from their rows in budgets.tsv and the seconds of the last `make test`.
# Usage: times.sh TIMES DOCUMENT; the rows between the two markers are written anew.
times=$1
document=$2
budgets=$(dirname "$0")/budgets.tsv
[ -s "$times" ] || { echo "times.sh: $times is missing: run make test first" >&2; exit 1; }
new=$(mktemp) || exit 1
trap 'rm -f "$new"' EXIT
{
    sed '/<!-- times -->/q' "$document"
    echo "| target | tests | seconds | budget | what |"
    echo "|---|---|---|---|---|"
    awk -F '\t' 'FNR == 1 { file++ }
        file == 1 { count[$1] = $2; seconds[$1] = $4; next }
        $1 in count {
            printf "| `%s` | %d | %.1f | %d | %s |\n", $1, count[$1], seconds[$1], $2, $3
            tests += count[$1]; sum += seconds[$1]; budget += $2
        }
        END { printf "| all | %d | %.0f | %d | |\n", tests, sum, budget }' "$times" "$budgets"
    sed -n '/<!-- end of times -->/,$p' "$document"
} >"$new" && cat "$new" >"$document"
