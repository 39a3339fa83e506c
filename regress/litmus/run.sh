#!/bin/bash
# The machine against the models: published tests with their verdicts, a part of the generated ones, and the command
# `simtx litmus` itself. Usage: run.sh BUILD
suite=litmus
source "$(dirname "$0")/../harness.sh"
runs=8000

# sweep WHAT ARGUMENT...: simtx litmus --brief; each line of a test counts as one. err has the messages.
sweep() {
    local what=$1 status=0 n
    shift
    "$simtx" litmus "$@" --brief >out 2>err || status=$?
    n=$(grep -c ' states ' out)
    [ "$status" = 0 ] && [ "$n" -gt 0 ] && passed=$((passed + n)) || fail "$what" err out
}

# Published tests: what the model says, no forbidden outcome, and the weak ones that must be seen.
sweep "PTX tests" "$here"/ptx/*.litmus --expect "$here/ptx/expect.ptx" --runs $runs
sweep "PTX tests, warps end before their stores" "$here"/ptx/*.litmus --runs 2000 --set core.exit_past_stores=true
sweep "RISC-V tests" "$here"/riscv/*.litmus --expect "$here/riscv/expect.ptx" --runs $runs
sweep "x86 tests, TSO" "$here"/x86/*.litmus --model tso --expect "$here/x86/expect.tso" --runs 0
sweep "x86 tests, SC" "$here"/x86/*.litmus --model sc --expect "$here/x86/expect.sc" --runs 0
sweep "x86 tests" "$here"/x86/*.litmus --runs $runs
sweep "x86-64 tests, TSO" "$here"/x86_64/*.litmus --model tso --expect "$here/x86_64/expect.tso" --runs 0
sweep "x86-64 tests, SC" "$here"/x86_64/*.litmus --model sc --expect "$here/x86_64/expect.sc" --runs 0
sweep "x86-64 tests" "$here"/x86_64/*.litmus --runs $runs

# Generated tests, every 16th, on two machines: caches and queues as they are, and as small as they can be.
mkdir generated
holds "tests are generated" "$build/regress/litmus/diy" generated 16
sweep "generated tests" generated/*.litmus --expect generated/expect.ptx --runs 2000
sweep "generated tests, tiny caches" generated/x86*.litmus --runs 1000 --config gtx480-sc+tiny
sweep "generated tests, L1 with globals" generated/ptx*.litmus --runs 1000 --config v100 --set gpu.sms=8

# What rmo-ptx shows and SC forbids is an error that can be repeated.
sb=$here/x86/SB.litmus
check 1 "sc forbids an outcome that was seen" "$simtx" litmus "$sb" --model sc --seed 3
again=$(sed -n 's/^  again: simtx //p' err)
holds "the error names a command" [ -n "$again" ]
cp err first
eval "check 1 'sc forbids' $simtx $again"
holds "the command shows the same" cmp first err

# Without a protocol weak loads may hit stale lines in L1, whatever the policy; the message says so.
cat >stale.litmus <<'END'
PTX stale
{ x=0; y=0; P0:r0=0; P1:r0=0; }
 P0@cta 0 | P1@cta 1 ;
 st.weak x, 1 | st.weak y, 1 ;
 fence.sc.cta | fence.sc.cta ;
 ld.weak r0, y | ld.weak r0, x ;
exists (P0:r0=0 /\ P1:r0=0)
END
check 1 "weak loads may hit stale lines" "$simtx" litmus stale.litmus --policy sc --runs 2000
check 0 "forbidden 0" "$simtx" litmus stale.litmus --brief --policy sc --runs 2000 --set coherence.protocol=mesi \
    --set xbar.vns=5

# A policy that is weaker than the model shows what the model forbids; that is no error.
check 0 "1 forbidden" "$simtx" litmus "$here/ptx/ISA2+bar.litmus" --policy rmo-no-drain

# A barrier waits for the warp's safe stores, also when small tables evict most rights.
check 0 "forbidden 0" "$simtx" litmus "$here/ptx/MP+bar.litmus" --brief --policy sc-types --runs 2000 --seed 7 \
    --set coherence.protocol=mesi --set xbar.vns=5 --set types.sector=128 --set types.mac=4 --set types.mac_ways=1 \
    --set types.cache=16

# Livelocks that reservations have ended (docs/ordering.md): by records of younger accesses, and by rights that are evicted from
# tables of one entry before their use. If one comes back, the hang detector ends the run.
livelock() {
    check 0 "forbidden 0" "$simtx" litmus "$here/ptx/$1.litmus" --brief --policy sc-types --runs 400 --set xbar.vns=5 \
        --set coherence.protocol=$2 --set types.sector=128 "${@:3}"
}
one_right="--set types.cache=1 --set types.cache_ways=1"
one_entry="$one_right --set types.mac=1 --set types.mac_ways=1 --set types.safe_queue=1 --set types.unsafe_queue=1"
for protocol in none write-through; do
    livelock records $protocol --set types.mac=4 --set types.mac_ways=1 --set types.cache=16
done
livelock turns mesi $one_right
livelock handover none $one_entry
livelock handover mesi $one_entry

# Results depend on the seed only.
same() {
    "$simtx" litmus "$sb" --runs $runs "$@" --stats stats.json >/dev/null && grep -v second stats.json
}
same >first
same --set sim.threads=2 >second
holds "the same with two host threads" cmp first second
same --seed 2 >second
holds "another seed, other counts" [ "$(cmp first second 2>&1 | wc -l)" = 1 ]
holds "JSON has the counts" grep -q '"outcomes": 8000' first

# The command line.
check 2 "no file given" "$simtx" litmus
check 2 "expected sc, tso or ptx" "$simtx" litmus "$sb" --model power
check 2 "expected a number" "$simtx" litmus "$sb" --runs many
check 2 "No such file" "$simtx" litmus missing.litmus
check 2 "error: --policy: order.policy = strange" "$simtx" litmus "$sb" --policy strange
echo "SB Never" >wrong
check 1 "says Sometimes" "$simtx" litmus "$sb" --expect wrong --runs 0
echo "SB+mfence Never" >wrong
check 1 "has no line for SB" "$simtx" litmus "$sb" --expect wrong --runs 0
echo "SB+mfences Never seen" >wrong
check 1 "was seen" "$simtx" litmus "$here/x86/SB+mfences.litmus" --expect wrong --runs 100
check 0 "st.relaxed.gpu.global.b32 [%loc0], 1;" "$simtx" litmus "$sb" --ptx
printf 'X86 t\n{}\n P0 ;\n FOO ;\nexists (x=1)\n' >bad.litmus
check 2 "bad.litmus:4:2: error: the instruction 'foo'" "$simtx" litmus bad.litmus
check 2 "SB+mfences" "$simtx" litmus bad.litmus "$here/x86/SB+mfences.litmus" --brief --runs 100
check 2 "1 of 2 tests cannot be read or run" "$simtx" litmus bad.litmus "$sb" --runs 0
printf 'X86 t\n{}\n P0 ;\n L: MOV EAX,[x] ;\n CMP EAX,$1 ;\n JNE L ;\nforall (0:EAX=1)\n' >endless.litmus
for model in sc tso ptx; do
    check 2 "no execution ends under the model $model" "$simtx" litmus endless.litmus --model $model --runs 0
done
printf 'X86_64 t\n{ 0:rax=1; }\n P0 ;\n movl $1,(%%rax) ;\nexists (0:rax=1)\n' >nowhere.litmus
for model in sc tso ptx; do
    check 2 "nowhere.litmus:4:2: error: an access to an address that is no location" \
        "$simtx" litmus nowhere.litmus --model $model
done
printf 'X86 t\n{}\n P0 ;\n MOV EAX,$1 ;\nfilter (0:EAX=2)\nforall (0:EAX=1)\n' >filter.litmus
check 2 "no execution ends and satisfies the filter" "$simtx" litmus filter.litmus --model ptx
printf 'X86 t\n{}\n P0 ;\n MOV EAX,$1 ;\nforall (0:EAX=1)\n' >registers.litmus
check 0 "t Always" "$simtx" litmus registers.litmus --runs 100
# Two threads that undo each other's writes in step for ever.
cat >tug.litmus <<'END'
PTX tug
{ x=0; P0:r0=0; P1:r0=0; }
 P0@cta 0 | P1@cta 0 ;
 L: atom.relaxed.gpu.exch r0, x, 1 | L: atom.relaxed.gpu.exch r0, x, 0 ;
 beq r0, 0, L | beq r0, 1, L ;
exists (x=1)
END
check 2 "longer than sim.max_cycles; can loops of its threads" "$simtx" litmus tug.litmus --model sc --runs 1 \
    --set gpu.sms=1
holds "a launch that is too long has one line" [ "$(wc -l <err)" = 1 ]
check 2 "core cycle 60000:" "$simtx" litmus tug.litmus --model sc --runs 100 --set sim.max_cycles=60000
printf 'X86_64 t\n{}\n P0 ;\n movl $1,(x) ;\nlocations [x; y;]\nforall (0:rax=0)\n' >zero.litmus
check 0 "zero.litmus:6:11: warning: no instruction of P0" "$simtx" litmus zero.litmus --runs 100
check 0 "t Always" "$simtx" litmus zero.litmus --runs 100
finish
