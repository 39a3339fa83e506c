#!/bin/sh
# Finder of faults of KILO TM in two CUDA programs. Usage: cuda.sh LIBRARY, a libcudart with the fault; BUILD in the
# environment.
library=$1
SECONDS_EACH=8

found_by() {
    out=$(LD_PRELOAD=$library timeout $SECONDS_EACH "$BUILD/bin/simtx" run --timing --config quadro-fx5800 \
          --set tm.global=kilotm --set tm.warps=2 --set sim.hang_cycles=200000 -- "$BUILD/kernels/$1" 2>&1)
    status=$?
    case $out in
    *replay*) echo oracle ;;
    *hang*|*'nothing moves'*) echo hang ;;
    *'commit unit: commit ID'*) echo "the simulator's own check" ;;
    *'commit unit'*) echo "commit unit's check when idle" ;;
    *'fault:'*) echo 'fault of the kernel' ;;
    *': PASS'*) ;;
    *': FAIL'*) echo "the program's result" ;;
    *) [ $status = 124 ] && echo 'hang (time limit)' || echo "exit $status" ;;
    esac
}

ht=$(found_by ht 2>/dev/null)
bh=$(found_by bh 2>/dev/null)
verdict=found
[ -n "$ht$bh" ] || verdict=survives
printf '%s\t%s\t%s\t%s\n' $verdict "${ht:-$bh}" "ht: ${ht:--}, bh: ${bh:--}" '1 run each'
