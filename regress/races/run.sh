#!/bin/bash
# Kernels with a known race and their corrected twins (twins.cu) under check.races and check.uninitialised: in both
# modes, with lanes in lockstep and independent, with one and two host threads, whose reports must be the same. Usage:
# run.sh BUILD
build=$1
dir=$(dirname "$0")
suite=races
. "$dir/../counts.sh"
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT

# reports FILE: how many reports a run printed.
reports() {
    grep -c '^simtx: check\.' "$1"
}

# run FILE NAME TWIN OPTION...: the output goes to FILE.
run() {
    local file=$1 name=$2 twin=$3
    shift 3
    timeout 60 "$build/bin/simtx" run --set check.races=warn --set check.uninitialised="$unwritten" "$@" \
        -- "$build/regress/races/twins" "$name" "$twin" >"$file" 2>&1
}

# check NAME WANTED CHECK OPTION...: `right` has no report; `wrong` has some if WANTED, of CHECK.
check() {
    local name=$1 wanted=$2 kind=$3 what status
    shift 3
    what="$name $*"
    if run "$out/right" "$name" right "$@" && [ "$(reports "$out/right")" = 0 ]; then pass; else
        fail "$what: the right one" "$out/right"; fi
    run "$out/wrong" "$name" wrong "$@" --threads 1 --set sim.threads=1
    status=$?
    run "$out/again" "$name" wrong "$@" --threads 2 --set sim.threads=2 --set functional.threads_after=0
    if [ "$wanted" = no ]; then
        [ $status = 0 ] && [ "$(reports "$out/wrong")" = 0 ]
    else
        grep -q "^simtx: check.$kind" "$out/wrong" && grep -q '  at twins.ptx:[0-9]*:[0-9]*: ' "$out/wrong"
    fi && pass || fail "$what: the wrong one" "$out/wrong"
    if cmp -s "$out/wrong" "$out/again"; then pass; else fail "$what: two threads" "$out/wrong" "$out/again"; fi
}

for mode in functional timing; do
    for simt in stack independent; do
        options=(--set "sim.mode=$mode" --simt "$simt")
        unwritten=off
        for name in reduction transposition histogram bytes buffers named lock flag winner exits called; do
            check "$name" yes races "${options[@]}"
        done
        lanes=$([ "$simt" = independent ] && echo yes || echo no)
        for name in warp_sums tiles; do
            check "$name" "$lanes" races "${options[@]}"
        done
        unwritten=warn
        for name in border unset heap; do
            check "$name" yes uninitialised "${options[@]}"
        done
    done
done

# A race is counted, and a fault if it shall be one.
unwritten=off
run "$out/stats" transposition wrong --stats "$out/json"
races=$(sed -n 's/.*"races": \([0-9]*\).*/\1/p' "$out/json" | tail -n 1)
if [ "${races:-0}" -gt 0 ] && grep -q 'check.races 1$' "$out/stats"; then pass; else
    fail "the counter of races" "$out/json" "$out/stats"; fi
for kind in races uninitialised; do
    name=$([ $kind = races ] && echo transposition || echo border)
    timeout 60 "$build/bin/simtx" run --set "check.$kind=fault" -- "$build/regress/races/twins" $name wrong \
        >"$out/fault" 2>&1
    if [ $? = 3 ] && grep -q '^simtx: fault: ' "$out/fault"; then pass; else
        fail "a fault of check.$kind" "$out/fault"; fi
done
finish
