#!/bin/bash
# Programs whose blocks communicate, under each ordering policy and each coherence protocol, and transactions under each
# policy and each protocol: the host program checks the result, the oracles of program order, of transactions and of
# ordering check the run. Usage: programs.sh BUILD
suite=order-programs
. "$(dirname "$0")/../harness.sh"
export SIMTX_CONFIG_DIR=$build/share/simtx/configs
check=order                              # order.check
networks=5                               # virtual networks: as many as policies and protocols need together

# run MACHINE POLICY PROTOCOL PROGRAM ARGUMENT...
run() {
    local machine=$1 policy=$2 protocol=$3 program=$4
    shift 4
    timeout 200 "$simtx" run --quiet --timing --stats stats.json --config "$machine" --set order.policy="$policy" \
        --set coherence.protocol="$protocol" --set xbar.vns=$networks --set tm.oracle=full \
        --set order.check=$check \
        -- "$build/kernels/$program" "$@" --size quick
}

# kilo POLICY PROTOCOL
kilo() { SIMTX_SET=tm.global=kilotm run gtx480-sc "$1" "$2" ht --version tm; }

# counted SECTION NAME: a counter of a launch that is not 0.
counted() {
    sed -n "/\"$1\": {/,/}/p" stats.json | grep -q "\"$2\": [1-9]"
}

for policy in rmo-ptx rmo-paper tso tso-store-buffer tso-store-buffer-unified sc sc-prefetch sc-types; do
    for protocol in none mesi write-through; do
        holds "$policy, $protocol: work_queue" run gtx480-sc $policy $protocol work_queue
    done
    holds "$policy: KILO TM" kilo $policy none
    holds "$policy: KILO TM commits" counted tm commits
    holds "$policy: GPU-LocalTM" run gtx480-sc+tm-localtm $policy none lht --version tm
    holds "$policy: GPU-LocalTM commits" counted tm commits
done
check=full
for protocol in mesi write-through; do
    holds "$protocol: KILO TM" kilo sc $protocol
    holds "$protocol: KILO TM commits" counted tm commits
    holds "$protocol: ideal TM" run gtx480-sc+tm-ideal tso-store-buffer $protocol ht --version tm
    holds "$protocol: ideal TM commits" counted tm commits
    holds "sc-types, $protocol: stencil_flags" run gtx480-sc sc-types $protocol stencil_flags
    holds "sc, $protocol: placement" run gtx480-sc sc $protocol placement
    holds "$protocol: GPU-LocalTM" run gtx480-sc+tm-localtm rmo-ptx $protocol lht --version tm
done
finish
