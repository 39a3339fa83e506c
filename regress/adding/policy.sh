#!/bin/bash
# A warp-scheduling policy added by its choice and its order (docs/adding.md): the oldest warp takes the same time with
# and without younger ones, under other policies it takes longer; results stay the same. Usage: policy.sh BUILD; the
# last line counts.
suite=adding-policy
. "$(dirname "$0")/../harness.sh"
. "$here/../launch.sh"
simtx=$build/adding/out/bin/simtx
export SIMTX_CONFIG_DIR=$build/share/simtx/configs

# Warp 0 executes a chain of dependent multiplications and stores its cycles; the others execute independent ones.
repeat() {
    for _ in {1..100}; do
        printf '%s\n' "$@"
    done
}
{
    printf '.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry chain(.param .u64 a)\n{\n'
    printf '.reg .b64 %%a, %%t<2>;\n.reg .b32 %%r<8>;\n.reg .pred %%p;\n'
    printf 'ld.param.u64 %%a, [a];\nmov.u32 %%r0, %%tid.x;\nmov.u32 %%r7, 3;\nsetp.ge.u32 %%p, %%r0, 32;\n'
    printf '@%%p bra OTHERS;\nmov.u64 %%t0, %%clock64;\n'
    repeat 'mul.lo.u32 %r7, %r7, %r7;'
    printf 'mov.u64 %%t1, %%clock64;\nsub.u64 %%t1, %%t1, %%t0;\n'
    printf 'st.global.u64 [%%a], %%t1;\nst.global.u32 [%%a+8], %%r7;\nret;\nOTHERS:\n'
    repeat 'add.u32 %r1, %r0, 1;' 'add.u32 %r2, %r0, 2;' 'add.u32 %r3, %r0, 3;' 'add.u32 %r4, %r0, 4;'
    printf 'ret;\n}\n'
} >chain.ptx

# chain POLICY THREADS OPTIONS...: cycles and result of warp 0, on one scheduler whose pipelines accept a warp a cycle.
chain() {
    local policy=$1 threads=$2
    shift 2
    launch chain.ptx "--block $threads --arg a=u64[2]:0 --print a:2" --timing --config gtx480+perfect-fetch \
        --set core.policy="$policy" --set core.schedulers=1 --set core.simd_width=32 --set core.issue_interval=1 \
        --set core.sp=1 "$@" >out && grep '^a' out
}

alone=$(chain oldest 32)
holds "warp 0 has its cycles" grep -q '[1-9]' <<<"$alone"
holds "oldest: the oldest warp does not wait for others" test "$(chain oldest 256)" = "$alone"
holds "with two host threads, too" test "$(chain oldest 256 --threads 2)" = "$alone"
holds "lrr: it waits" test "$(chain lrr 256)" != "$alone"
holds "gto: it waits" test "$(chain gto 256)" != "$alone"
holds "fetch past branches" chain oldest 256 --set core.perfect_fetch=false --set core.fetch_past_branch=true
check 0 "oldest: always the warp of the oldest block" "$simtx" config explain core.policy
check 2 "|oldest" "$simtx" config show --set core.policy=youngest

finish
