#!/bin/sh
# Finder of faults of snapshot isolation's timing in CUDA programs with the oracle. Usage: sitm_cuda.sh LIBRARY, a
# libcudart with the fault; BUILD in the environment. The first program that fails ends the search.
library=$1
runs=0

verdict_of() {
    case $1 in
    *'its snapshot, version'*) echo 'oracle: snapshot' ;;
    *violations*|*replay*|*overlapping*) echo oracle ;;
    *'which group '*) echo "the simulator's own check" ;;
    *'at the end of the kernel the manager has'*) echo 'check at the end of the kernel' ;;
    *hang*) echo hang ;;
    *'fault:'*) echo 'fault of the kernel' ;;
    *': PASS'*) ;;
    *': FAIL'*) echo "the program's result" ;;
    *) [ "$2" = 124 ] && echo 'hang (time limit)' || echo "exit $2" ;;
    esac
}

# run MACHINE PROGRAM ARGUMENT...
run() {
    machine=$1
    shift
    program=$1
    shift
    runs=$((runs + 1))
    out=$(LD_PRELOAD=$library timeout 30 "$BUILD/bin/simtx" run --timing --config $machine \
          --set sim.hang_cycles=200000 -- "$BUILD/kernels/$program" "$@" 2>&1)
    verdict=$(verdict_of "$out" $?)
    [ -n "$verdict" ] || return 0
    printf 'found\t%s\t%s\t%s\n' "$verdict" "$program" "$runs run$([ $runs = 1 ] || echo s)"
    exit 0
}

run sitm ht --size 800
run sitm write_skew
run sitm transfers --size 1500
run sitm red_black_tree
run sitm bh --size 100
run 'sitm --set version.slots=2 --set sitm.writer_entries=1 --set sitm.reader_entries=1' ht --size 300
run sitm+sitm-oracle write_skew
run sitm+sitm-oracle red_black_tree
run sitm rings
run sitm+sitm-oracle+tm-localtm ../regress/tm/crossing never
printf 'survives\t\t\t\n'
