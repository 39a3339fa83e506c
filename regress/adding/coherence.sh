#!/bin/bash
# A coherence protocol added by its folder and one line (docs/adding.md): its name, key and counter are there, and a
# load sees what another SM has stored, under any ordering policy. Usage: coherence.sh BUILD; the last line counts.
suite=adding-coherence
. "$(dirname "$0")/../harness.sh"
. "$here/../launch.sh"
simtx=$build/adding/out/bin/simtx
export SIMTX_CONFIG_DIR=$build/share/simtx/configs
stale=$(sed -n 's,^// stale: ,,p' "$here/litmus.ptx")

# second OPTIONS...: the value of the second load.
second() {
    launch "$here/litmus.ptx" "$stale" --timing --config gtx480-sc "$@" >out && sed -n 's/^second: //p' out
}

holds "none: the second load is stale" test "$(second)" = 0
for options in "" "--threads 2" "--set order.policy=rmo-no-drain" "--set order.policy=bounded" \
               "--set xbar.vns=2 --set uncached.own_network=true"; do
    # The options' words are meant to be split.
    holds "uncached $options: the second load is fresh" test "$(second --set coherence.protocol=uncached $options)" = 1
    holds "uncached $options: counter" test "$(sed -n 's/^ *"loads": \([0-9]*\).*/\1/p' stats.json | head -n 1)" -gt 3
done

for program in "vecadd" "histogram" "scan_lookback"; do
    holds "$program" timeout 100 "$simtx" run --quiet --timing --config gtx480-sc --set coherence.protocol=uncached \
        --set sim.shadow=true -- "$build/kernels/$program"
done

check 2 "expected one of none|mesi|write-through|uncached" "$simtx" config show gtx480 --set coherence.protocol=nothing
check 0 "uncached: the home performs every access" "$simtx" config explain coherence.protocol
check 0 "uncached.own_network" "$simtx" config list --keys
check 0 "uncached.loads" "$simtx" stats
# The words are meant to be split.
check 2 "the coherence protocol uncached needs 2 virtual networks, but xbar.vns = 1" \
    "$simtx" launch "$here/litmus.ptx" $stale --timing --config gtx480-sc --set coherence.protocol=uncached \
    --set uncached.own_network=true

finish
