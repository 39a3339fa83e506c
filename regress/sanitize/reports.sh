#!/bin/sh
# Shows the reports of sanitizers that programs have left; the last line counts. Usage: reports.sh FOLDER.
failed=0
for report in "$1"/report.*; do
    [ -e "$report" ] || continue
    failed=$((failed + 1))
    head -n 30 "$report"
done
echo "sanitize-reports: $((failed == 0)) passed, $failed failed"
[ "$failed" -eq 0 ]
