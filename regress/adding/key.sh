#!/bin/bash
# A configuration key added by a row and its use, and a rule by a row (docs/adding.md): the key is in the lists, in the
# statistics and in files, it takes cycles, and wrong values are refused. Usage: key.sh BUILD; the last line counts.
suite=adding-key
. "$(dirname "$0")/../harness.sh"
. "$here/../launch.sh"
simtx=$build/adding/out/bin/simtx
export SIMTX_CONFIG_DIR=$build/share/simtx/configs

# Loads of one lane, each with the address that the one before has read: 20 hits in L1.
{
    printf '.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry chain(.param .u64 a)\n{\n'
    printf '.reg .b64 %%a, %%v;\nld.param.u64 %%a, [a];\nld.global.u64 %%v, [%%a];\n'
    for _ in {1..20}; do
        printf 'add.s64 %%a, %%a, %%v;\nld.global.u64 %%v, [%%a];\n'
    done
    printf 'st.global.u64 [%%a], %%v;\nret;\n}\n'
} >chain.ptx

# cycles OPTIONS...
cycles() {
    launch chain.ptx "--arg u64[16]:0" --timing --config gtx480+l1on+perfect-fetch "$@" >out &&
        sed -n 's/^    "machine_cycles": \([0-9]*\).*/\1/p' stats.json
}

without=$(cycles)
holds "statistics: the default" grep -q '"l1.ecc_cycles": 0' stats.json
holds "20 hits take 20 x 3 cycles more" test "$(cycles --set l1.ecc_cycles=3)" = $((without + 60))
holds "statistics: the value" grep -q '"l1.ecc_cycles": 3' stats.json
printf 'l1: { ecc_cycles = (4, "a data sheet"); };\n' >ecc.cfg
check 0 "ecc.cfg:1: a data sheet" "$simtx" config show gtx480+./ecc.cfg
check 0 "checking the line's code" "$simtx" config explain l1.ecc_cycles
check 2 "l1.ecc_cycles = 101: out of range, 0 to 100 core cycles" "$simtx" config show --set l1.ecc_cycles=101
check 2 "l1.ecc_cycles = 6 (--set) is more than l1.latency = 5 (--set)" "$simtx" config show --set l1.latency=5 \
    --set l1.ecc_cycles=6
check 2 "did you mean l1.ecc_cycles?" "$simtx" config show --set l1.ecc_cycle=1

finish
