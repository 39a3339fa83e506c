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

# Litmus tests: none of the model's forbidden outcomes, in either mode; a model that is too strong is found out.
litmus() {
    "$build/regress/gpu/litmus_gpu" "$@" >"$build/regress/gpu/out" 2>&1
}
tail_of() {
    tail -n 1 "$build/regress/gpu/out"
}
litmus regress/litmus/*/*.litmus --generated 40 --runs 200 --out "$build/regress/gpu/litmus.tsv"
check $? "litmus_gpu: $(tail_of)"
tests=$(($(ls regress/litmus/*/*.litmus | wc -l) + 40))
grep -q "^litmus-gpu: $tests tests, [1-9][0-9]* outcomes, 0 forbidden; " "$build/regress/gpu/out"
check $? "litmus_gpu runs $tests tests: $(tail_of)"
rows=$(awk -F '\t' 'NR > 1 && NF == 14 && $7 == 0 && $5 + $13 >= 200 && $14 == ""' "$build/regress/gpu/litmus.tsv" | wc -l)
test "$rows" = "$tests"
check $? "$rows of $tests tests have a complete row"
halves=0
for part in 1 2; do
    litmus --generated 21 --runs 1 --part $part/2
    halves=$((halves + $(tail_of | sed -n 's/^litmus-gpu: \([0-9]*\) tests.*/\1/p')))
done
test "$halves" = 21
check $? "two parts of 21 tests have $halves"

SIMTX_CONFIG=gtx480-sc
SIMTX_SET='sim.mode=timing
order.policy=rmo-ptx
xbar.disturb=3000'
export SIMTX_CONFIG SIMTX_SET
weak=0 wrong=0
for seed in 1 2 3; do
    litmus regress/litmus/x86/SB+rfi.litmus regress/litmus/x86/MP.litmus --runs 600 --seed $seed
    check $? "litmus_gpu in timing mode: $(tail_of)"
    weak=$((weak + $(tail_of | sed -n 's/.*forbidden; \([0-9]*\) of .*/\1/p')))
    litmus regress/litmus/x86/SB+rfi.litmus regress/litmus/x86/MP.litmus --runs 600 --seed $seed --model sc
    [ $? != 1 ] || wrong=$((wrong + $(grep -c '^    forbidden by sc: .*EAX=1; .* times)$' "$build/regress/gpu/out")))
done
test "$weak" -gt 0
check $? "weak outcomes in timing mode"
test "$wrong" -gt 0
check $? "outcomes that SC forbids"
unset SIMTX_CONFIG SIMTX_SET

litmus regress/litmus/x86/SB.litmus --model power
test $? = 2 && grep -q 'expected sc, tso or ptx: power' "$build/regress/gpu/out"
check $? "a model that is not known"
litmus /dev/null
test $? = 2 && grep -q '^/dev/null:.*error: ' "$build/regress/gpu/out"
check $? "a file that is no test"

# Probes: the preset h100 gives what the chip gave, within 10 %, and the same by its libcuda. SIMTX_QUIET, LIBCUDA as above.
probes="mad.lo.s32 ld.shared bar.sync fma.f64"
SIMTX_CONFIG_DIR=$PWD/configs
export SIMTX_CONFIG_DIR
: >"$build/regress/gpu/probes.tsv"
: >"$build/regress/gpu/probes_gpu.tsv"
for only in $probes; do
    "$build/regress/gpu/probe" --only "$only" +h100 >>"$build/regress/gpu/probes.tsv" 2>&1
    check $? "probe --only $only"
    SIMTX_CONFIG=h100 SIMTX_SET='sim.mode=timing' "$build/regress/gpu/probe_gpu" --only "$only" \
        >>"$build/regress/gpu/probes_gpu.tsv" 2>&1
    check $? "probe_gpu --only $only"
done
near=$(awk -F '\t' 'NR == FNR { chip[$1] = $3; next } !($1 in chip) || $2 != "cycles" || $3 > 1.1 * chip[$1] || $3 < 0.9 * chip[$1] {
    if ($1 != "ld.shared of 16 bytes") print $1 }' regress/gpu/captured/h100-probes.tsv "$build/regress/gpu/probes.tsv")
test -z "$near" && test "$(wc -l <"$build/regress/gpu/probes.tsv")" = 16
check $? "probes of h100 that are not as the chip's: $near"
# Their code lies at different addresses, which decides in which cycle a line of instructions comes: within 0.1 %.
apart=$(awk -F '\t' 'NR == FNR { want[$1] = $3; next } !($1 in want) || $3 > 1.001 * want[$1] || $3 < 0.999 * want[$1] {
    print $1 }' "$build/regress/gpu/probes.tsv" "$build/regress/gpu/probes_gpu.tsv")
test -z "$apart" && test "$(wc -l <"$build/regress/gpu/probes_gpu.tsv")" = 16
check $? "probe and probe_gpu on simtx's libcuda: $apart"
"$build/regress/gpu/probe" +no-such-preset >"$build/regress/gpu/out" 2>&1
test $? = 2 && grep -q '^probe: .*no-such-preset' "$build/regress/gpu/out"
check $? "a preset that is not there"
unset SIMTX_CONFIG_DIR

LIBCUDA=/no/such/libcuda.so.1 "$build/regress/gpu/conformance_gpu" --only add >"$build/regress/gpu/out" 2>&1
test $? = 2 && grep -q '^no GPU: ' "$build/regress/gpu/out"
check $? "a driver that is not there"
finish
