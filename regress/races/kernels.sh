#!/bin/bash
# Every program of kernels/ with check.races and check.uninitialised: the same verdict as without, and no report. Lanes
# are independent, so that accesses of one warp are checked, too; and in lockstep. Usage: kernels.sh BUILD [NAME...]
build=$1
shift
dir=$(dirname "$0")
suite=races-kernels
. "$dir/../counts.sh"
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

check() {
    local name=$1 simt=$2
    local -a options
    read -ra options <<<"$(sed -n 's|^// run: ||p' "$dir"/../../kernels/*/"$name.cu")"
    timeout 120 "$build/bin/simtx" run --simt "$simt" "${options[@]}" --set check.races=warn \
        --set check.uninitialised=warn -- "$build/kernels/$name" >"$out/text" 2>"$out/messages"
    [ "$(tail -n 1 "$out/text")" = "$name: PASS" ] && ! grep -q '^simtx: check\.' "$out/messages"
}

names=("$@")
[ $# -gt 0 ] || names=($(cd "$dir/../../kernels" && basename -s .cu */*.cu))
for name in "${names[@]}"; do
    for simt in stack independent; do
        if check "$name" $simt; then pass; else fail "$name ($simt)" "$out/messages"; fi
    done
done
finish
