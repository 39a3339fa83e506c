#!/bin/bash
# The tools for a real GPU, on simtx's own libcuda: run.sh BUILD. The vectors must have the results of the reference,
# every case must have a time, and a driver that is not there gives one clear message.
build=$1
suite=gpu-tools
. "$(dirname "$0")/../counts.sh"
SIMTX_QUIET=1
LIBCUDA=$build/cuda/lib64/libcuda.so.1
export SIMTX_QUIET LIBCUDA

# check STATUS WHAT
check() {
    if [ "$1" = 0 ]; then pass; else fail "$2"; fi
}

for only in add.s32 sqrt.rn setp.lt.f64 bfe cvt.rni; do
    "$build/regress/gpu/conformance_gpu" --vectors 250 --only "$only" >"$build/regress/gpu/out" 2>&1
    check $? "$only on simtx's libcuda: $(tail -n 1 "$build/regress/gpu/out")"
done
grep -q '^conformance: [1-9][0-9]* passed, 0 failed$' "$build/regress/gpu/out"
check $? "the last line of conformance_gpu"

"$build/regress/gpu/correlation_gpu" regress/correlation >"$build/regress/gpu/out" 2>&1
check $? "correlation_gpu: $(tail -n 1 "$build/regress/gpu/out")"
cases=$(grep -cvE '^#|^$' regress/correlation/shapes.txt)
timed=$(awk 'NR > 1 && NF >= 4 && $(NF - 1) > 0 { n++ } END { print n + 0 }' "$build/regress/gpu/out")
test "$timed" = "$cases"
check $? "$timed of $cases cases have a time"

LIBCUDA=/no/such/libcuda.so.1 "$build/regress/gpu/conformance_gpu" --only add >"$build/regress/gpu/out" 2>&1
test $? = 2 && grep -q '^no GPU: ' "$build/regress/gpu/out"
check $? "a driver that is not there"
finish
