#!/bin/bash
# Random accesses under each coherence protocol; shows which rows of its tables were executed. The tables of
# docs/ordering.md must be the code's. Usage: protocols.sh PROGRAM LOADS
page=$(dirname "$0")/../../docs/ordering.md
suite=protocols
. "$(dirname "$0")/../counts.sh"
for protocol in mesi write-through; do
    if "$1" "$2" "$protocol"; then pass; else fail "random accesses under $protocol"; fi
done
# `test_protocols tables NUMBER` between <!-- tables NUMBER --> and <!-- end -->.
for number in 1 2; do
    written=$(sed -n "/^<!-- tables $number -->$/,/^<!-- end -->$/p" "$page" | sed '1d;$d')
    if [ "$("$1" tables "$number")" = "$written" ]; then
        pass
    else
        fail "docs/ordering.md: the tables after <!-- tables $number --> are not those of test_protocols tables $number"
    fi
done
finish
