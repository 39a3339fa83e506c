#!/bin/sh
# What finds each deliberate fault in CUDA programs: a table. Usage: mutant_kernels.sh BUILD PROGRAM...
build=$1
shift
export SIMTX_CONFIG_DIR=configs
SECONDS_EACH=8

found_by() {
    out=$(SIMTX_FAULT=$1 LD_PRELOAD=$build/mutated/libcudart.so.11.0 timeout $SECONDS_EACH "$build/bin/simtx" run --timing \
          --config quadro-fx5800 --set tm.global=kilotm --set tm.warps=2 --set sim.hang_cycles=200000 \
          -- "$build/kernels/$2" 2>&1)
    status=$?
    case $out in
    *replay*) echo oracle ;;
    *hang*|*'nothing moves'*) echo hang ;;
    *'commit unit: commit ID'*) echo "commit unit's own check" ;;
    *'commit unit'*) echo "commit unit's check at rest" ;;
    *'fault:'*) echo 'fault of the kernel' ;;
    *': PASS'*) echo - ;;
    *': FAIL'*) echo "the program's result" ;;
    *) [ $status = 124 ] && echo 'hang (time limit)' || echo "exit $status" ;;
    esac
}

printf '| part | fault |'
for p; do printf ' %s |' "$p"; done
printf '\n|---|---|'
for p; do printf -- '---|'; done
echo
for part in core unit; do
    rows=base/mutants.def name=core
    [ $part = core ] || rows=tm/kilotm/faults.def name='commit unit'
    n=0
    sed -n 's/^[A-Z_]*FAULT([A-Z_0-9]*, "\(.*\)")$/\1/p' $rows | while read -r what; do
        n=$((n + 1))
        line="| $name | $what |"
        for p; do line="$line $(found_by $part:$n "$p" 2>/dev/null) |"; done
        echo "$line"
    done
done
