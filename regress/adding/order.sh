#!/bin/bash
# A memory-ordering policy added by its folder and one line (docs/adding.md): its name, key, counter and hardware are
# there; with a bound of 1 message passing has no weak outcome, and takes longer. Usage: order.sh BUILD; the last line
# counts.
suite=adding-order
. "$(dirname "$0")/../harness.sh"
. "$here/../launch.sh"
simtx=$build/adding/out/bin/simtx
export SIMTX_CONFIG_DIR=$build/share/simtx/configs
message=$(sed -n 's,^// message: ,,p' "$here/litmus.ptx")

figure() {
    sed -n "s/^ *\"$1\": \([0-9]*\).*/\1/p" stats.json | head -n 1
}

# weak OPTIONS...: the number of weak outcomes.
weak() {
    launch "$here/litmus.ptx" "$message" --timing --config gtx480-sc "$@" >out && sed -n 's/^weak: //p' out
}

relaxed=$(weak)
relaxed_cycles=$(figure cycles)
holds "rmo-ptx: weak outcomes" test "$relaxed" -gt 0
for options in "" "--threads 2" "--set coherence.protocol=uncached" "--set xbar.vns=2"; do
    # The options' words are meant to be split.
    holds "bounded $options: no weak outcome" test "$(weak --set order.policy=bounded $options)" = 0
    holds "bounded $options: counter" test "$(figure performed)" -gt 1000
done
weak --set order.policy=bounded >out
holds "bounded takes longer" test "$(figure cycles)" -gt "$relaxed_cycles"
holds "bounded.accesses=1024: weak outcomes" test \
    "$(weak --set order.policy=bounded --set bounded.accesses=1024)" -gt 0

for program in "vecadd" "histogram" "scan_lookback"; do
    holds "$program" timeout 100 "$simtx" run --quiet --timing --config gtx480-sc --set order.policy=bounded \
        --set sim.shadow=true -- "$build/kernels/$program"
done

check 2 "|bounded" "$simtx" config show gtx480 --set order.policy=nothing
check 0 "bounded: when fewer than bounded.accesses accesses" "$simtx" config explain order.policy
check 0 "values: 1 to 65536 accesses" "$simtx" config explain bounded.accesses
check 0 "bounded.performed" "$simtx" stats
check 0 "accesses that a warp has outstanding" "$simtx" cost gtx480-sc --set order.policy=bounded

finish
