#!/bin/bash
# The CUDA features that public programs use, feature by feature (features.txt): the source that exercises
# each must still hold it, and the programs of this folder must pass. (Those of kernels/ have their own run.)
build=${1:-build}
here=$(dirname "$0")
suite=coverage-features
. "$here/../counts.sh"
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
            pass
            covered=$((covered + 1)) covered_uses=$((covered_uses + programs))
        else
            fail "$feature: not in $where"
        fi ;;
    esac
done <"$here/features.txt"

for source in "$here"/features_*.cu; do
    name=$(basename "$source" .cu)
    output=$(timeout 60 "$build/bin/simtx" run --quiet -- "$build/regress/coverage/$name" 2>&1)
    if [ "$(tail -n 1 <<<"$output")" = "$name: PASS" ]; then
        pass
    else
        fail "$name"
        tail -n 10 <<<"$output"
    fi
done
percent=$((10000 * covered_uses / uses))
printf '%d of %d features covered, %d.%02d %% weighted\n' "$covered" "$total" \
    $((percent / 100)) $((percent % 100))
finish
