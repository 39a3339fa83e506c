#!/bin/bash
# The CUDA features that public programs use, feature by feature (features.txt): the source that exercises
# each must still hold it, and the programs of this folder must pass. (Those of kernels/ have their own run.)
build=${1:-build}
here=$(dirname "$0")
passed=0
failed=0
covered=0
covered_uses=0
total=0
uses=0

while IFS=$'\t' read -r feature programs _ where pattern; do
    case $feature in '#'* | '') continue ;; esac
    total=$((total + 1)) uses=$((uses + programs))
    case $where in
    later:*) printf 'not covered: %-44s %3d programs (%s)\n' "$feature" "$programs" "${where#later:}" ;;
    *)
        if grep -qE -- "$pattern" "$where"; then
            passed=$((passed + 1)) covered=$((covered + 1)) covered_uses=$((covered_uses + programs))
        else
            failed=$((failed + 1))
            echo "FAILED: $feature: not in $where"
        fi ;;
    esac
done <"$here/features.txt"

for source in "$here"/features_*.cu; do
    name=$(basename "$source" .cu)
    output=$(timeout 60 "$build/bin/simtx" run --quiet -- "$build/regress/coverage/$name" 2>&1)
    if [ "$(tail -n 1 <<<"$output")" = "$name: PASS" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name"
        tail -n 10 <<<"$output"
    fi
done
percent=$((10000 * covered_uses / uses))
printf '%d of %d features covered, %d.%02d %% weighted\n' "$covered" "$total" \
    $((percent / 100)) $((percent % 100))
echo "coverage-features: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
