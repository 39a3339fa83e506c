#!/bin/bash
# The simtx command: what it accepts, and that bad input gets one clear message and the right exit code. Usage:
# run.sh BUILD; the last line counts. CC in the environment compiles host programs.
suite=cli
cc=${CC:-cc}
. "$(dirname "$0")/../harness.sh"
cp "$here"/*.ptx .

launch() {
    echo "$simtx" launch --quiet --grid 1 --block 1 "$@"
}

# ---- the command itself ----
check 2 "usage: simtx COMMAND" "$simtx"
check 0 "Exit codes" "$simtx" --help
check 0 "simtx 0." "$simtx" version
check 2 "did you mean 'launch'" "$simtx" lauch
check 0 "usage: simtx stats" "$simtx" help stats
check 0 "usage: simtx COMMAND" "$simtx" help --help
check 2 "unknown command 'lauch', did you mean 'launch'?" "$simtx" help lauch
for c in run launch ptx config; do
    check 0 "usage: simtx $c" "$simtx" "$c" --help
    check 2 "unknown option --nonsense" "$simtx" "$c" --nonsense
done
check 2 "--grid needs a value" "$simtx" launch --grid
check 2 "--stats needs a value: --stats FILE" "$simtx" run --stats -- ./none
check 2 "--quiet takes no value" "$simtx" launch --quiet=1
check 2 "did you mean --stats?" "$simtx" run --stat x

# ---- config ----
check 0 "gtx480" "$simtx" config list
check 0 "gpu.sms                        = 15" "$simtx" config show gtx480
check 0 "gpu.sms                        = 7" "$simtx" config show gtx480 --set gpu.sms=7
check 0 "gpu.sms                        = 30" "$simtx" config show gtx480+30sm
check 0 "no differences" "$simtx" config diff gtx480 gtx480
check 0 "gpu.sms " "$simtx" config diff default gtx480
check 0 "streaming multiprocessors" "$simtx" config explain gpu.sms
check 0 "registers per thread" "$simtx" config explain kernel.any.registers
check 2 "did you mean gpu.sms?" "$simtx" config explain gpu.sm
check 2 "did you mean gtx480?" "$simtx" config show gtx40
check 2 "no such configuration file" "$simtx" config show ./none.cfg
check 2 "must be 32 or 64" "$simtx" config show --set gpu.warp_size=48
check 2 "did you mean 'show'" "$simtx" config shw
check 2 "expected two configurations" "$simtx" config diff gtx480
check 2 "a name is empty" "$simtx" config show ""
check 2 "a name is missing beside a +" "$simtx" config show gtx480+
check 2 "/tmp is a folder, not a configuration file" "$simtx" config show /tmp
printf '@include "absent.cfg"\n' >absent-include.cfg
check 2 "absent-include.cfg:1:1: error: cannot open include file absent.cfg" "$simtx" config show ./absent-include.cfg
check 2 "--config: expected the name" "$simtx" launch vadd.ptx --config ""
check 2 "SIMTX_CONFIG_DIR is '/none', which is not a folder" env SIMTX_CONFIG_DIR=/none "$simtx" config list
check 2 "SIMTX_QUIET is 'yes', expected 0 or 1" env SIMTX_QUIET=yes "$simtx" config list
check 2 "SIMTX_PROGRESS is 'x', expected 0 or 1" env SIMTX_PROGRESS=x "$simtx" run ./app
printf 'gpu: {\n  smms = 3;\n};\n' >wrong.cfg
check 2 "wrong.cfg:2:1: error: unknown key gpu.smms, did you mean gpu.sms?" "$simtx" config show ./wrong.cfg
printf 'gpu: {\n  sms = ;\n};\n' >syntax.cfg
check 2 "syntax.cfg:2:1: error: syntax error" "$simtx" config show ./syntax.cfg
holds "no advice that does not help" bash -c '! grep -q groups err'
printf 'parent = "gtx480";\nl2.ways = 8;\n' >dotted.cfg
check 2 "dotted.cfg:2:1: error: syntax error; a key with dots is written as groups" "$simtx" config show ./dotted.cfg
printf '@include "inner.cfg"\ngpu: { l2_kb = 1; };\n' >outer.cfg
printf 'functional: { quantm = 1; };\n' >inner.cfg
check 2 "inner.cfg:1:1: error: unknown key functional.quantm" "$simtx" config show ./outer.cfg
head -c 300 /dev/urandom >noise.cfg
check 2 "noise.cfg" "$simtx" config show ./noise.cfg

# ---- ptx ----
check 0 "vadd.ptx: ok" "$simtx" ptx check vadd.ptx
check 0 "registers" "$simtx" ptx info vadd.ptx
check 0 '"param_bytes": 28' "$simtx" ptx info --json vadd.ptx
check 0 "reconverges at line 19" "$simtx" ptx list vadd.ptx
printf '.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg .b64 %%rd<2>;\n' >two.ptx
printf '.reg .b32 %%r<5>;\nld.param.u64 %%rd1, [a];\nld.global.u32 %%r1, [%%rd1];\nadd.u32 %%r2, %%r1, 1;\n' >>two.ptx
printf 'ld.global.u32 %%r3, [%%rd1+4];\nadd.u32 %%r4, %%r2, %%r3;\nst.global.u32 [%%rd1], %%r4;\nret;\n}\n' >>two.ptx
loads_first() {
    "$simtx" ptx list "$@" two.ptx | grep -o '^ *[0-9]*' | tr -d ' \n'
}
holds "order of the text" [ "$(loads_first)" = 891011121314 ]
holds "scheduled" [ "$(loads_first --scheduled)" = 891110121314 ]
check 0 "tx_begin" "$simtx" ptx ops
check 0 "complete_tx::bytes.{and|or|xor|add|inc|dec|min|max}." "$simtx" ptx ops
check 0 '| `add` |' "$simtx" ptx ops --markdown
check 0 "int_div    SFU     div, rem" "$simtx" ptx classes
check 0 '| `fp_mad` | SP | `mad`, `fma` |' "$simtx" ptx classes --markdown
check 2 "classes takes no file" "$simtx" ptx classes vadd.ptx
check 2 "No such file" "$simtx" ptx check none.ptx
check 2 "Is a directory" "$simtx" stats .
check 2 "Is a directory" "$simtx" ptx check .
check 2 "no file given" "$simtx" ptx list
check 2 "did you mean 'check'" "$simtx" ptx chek x
sed 's/add.f32/ad.f32/' vadd.ptx >bad.ptx
check 3 "bad.ptx:16:" "$simtx" ptx check bad.ptx
check 3 "bad.ptx:16:" "$simtx" ptx info bad.ptx
check 3 "bad.ptx:16:" "$simtx" ptx check vadd.ptx bad.ptx
: >empty.ptx
check 3 "empty.ptx" "$simtx" ptx check empty.ptx
: >hello.cu
cp vadd.ptx vadd.cuda.ptx
printf '\120\355\125\272 and so on' >device.fatbin
printf 'BC\300\336' >code.bc
check 2 "hello.cu: this is a source, not PTX; compile it with simtx-cc -ptx" "$simtx" ptx check hello.cu
check 2 "hello.cu: this is a source" "$simtx" launch hello.cu --grid 1 --block 1
check 2 "this is an ELF file" "$simtx" ptx list "$simtx"
check 2 "device.fatbin: this is a fat binary" "$simtx" ptx info device.fatbin
check 2 "code.bc: this is LLVM bitcode" "$simtx" ptx check code.bc
check 0 "vadd.cuda.ptx: ok" "$simtx" ptx check vadd.cuda.ptx

# ---- what is printed must arrive ----
check 1 "cannot write the standard output: No space" sh -c '"$1" config show gtx480 >/dev/full' - "$simtx"
check 1 "cannot write the standard output: Bad file" sh -c '"$1" stats >&-' - "$simtx"
for command in "ptx list vadd.ptx" "ptx check vadd.ptx" "ptx ops" "cost kilotm" "config list" "--help" "run --help"; do
    check 1 "cannot write the standard output" sh -c "'$simtx' $command >/dev/full"
done

# ---- launch ----
check 2 "--grid X[,Y[,Z]] is missing" "$simtx" launch vadd.ptx --block 1
check 2 "--block X[,Y[,Z]] is missing" "$simtx" launch vadd.ptx --grid 1
vadd="--grid 4 --block 256 --arg f32[1000]:iota --arg f32[1000]:0.5 --arg c=f32[1000]:0"
check 0 "c: 0.5 1.5 2.5 ..." $(launch vadd.ptx $vadd --arg u32:1000 --print c:3)
check 0 "2: 0.5 1.5 0 0 ..." $(launch vadd.ptx $vadd --arg u32:2 --print 2:4)
check 0 "" $(launch vadd.ptx $vadd --arg u32:1000 --save c:c.bin)
check 0 "" $(launch vadd.ptx $vadd --arg u32:1000 --expect c:c.bin)
check 1 "element 999 is 0, expected 999.5" $(launch vadd.ptx $vadd --arg u32:999 --expect c:c.bin)
check 1 "the buffer has 4000 bytes, the file 0" $(launch vadd.ptx $vadd --arg u32:999 --expect c:empty.ptx)
check 0 "" \
    $(launch vadd.ptx --grid 4 --block 256 --arg in:c.bin --arg f32[]:@c.bin --arg out:sum.bin,4000 --arg u32:1000)
check 0 "c: 1 3 5 7" $(launch vadd.ptx --grid 4 --block 256 --arg f32[1000]:0 --arg f32[]:@sum.bin --arg c=f32[1000]:0 \
    --arg u32:1000 --print c:4)
check 0 "a: 2 4 6 8" $(launch vadd.ptx --block 4 --arg a=f32[]:1,2,3,4 --arg a --arg a --arg u32:4 --print a)
check 0 "k: 5 5 5" $(launch int.ptx --kernel fill --block 3 --arg k=s32[3]:0 --arg s32:5 --print k)
check 0 "k: -7 -7 -7" $(launch int.ptx --kernel fill --block 3 --arg k=s32[3]:0 --arg s32:-7 --print k)
check 0 "k: 0xfffffff9 0" $(launch int.ptx --kernel fill --block 1 --arg k=b32[2]:0 --arg s32:-7 --print k)
check 2 "s32:99999999999" $(launch int.ptx --kernel fill --arg s32[1]:0 --arg s32:99999999999)
check 1 "cannot write the standard output" sh \
    -c "$(launch int.ptx --kernel fill --arg k=s32[3]:0 --arg s32:5 --print k) >/dev/full"
check 1 "argument 0: " $(launch int.ptx --kernel fill --arg u32[10000000000]:7 --arg s32:5)
check 2 "--kernel NAME is missing" $(launch int.ptx --arg u32:1)
check 2 "int.ptx has no kernel fil, did you mean fill; it has" $(launch int.ptx --kernel fil)
check 2 "int.ptx has no kernel ever, did you mean for_ever; it has" $(launch int.ptx --kernel ever)
check 2 "int.ptx has no kernel xyzzy; it has" $(launch int.ptx --kernel xyzzy)
check 2 "takes 4 arguments, 3 given" $(launch vadd.ptx $vadd)
check 2 "argument 3 is u64 of 8 bytes; the parameter is u32 of 4 bytes" $(launch vadd.ptx $vadd --arg u64:1000)
check 2 "argument 3 is f32; the parameter is u32" $(launch vadd.ptx $vadd --arg f32:1000)
check 2 "expected one to three positive numbers" $(launch vadd.ptx --grid 0)
check 2 "expected one to three positive numbers" $(launch vadd.ptx --block 1,x)
check 2 "more than three numbers" $(launch vadd.ptx --block 1,1,1,1)
check 2 "is not an argument type" $(launch vadd.ptx --arg i32:5)
check 2 "'5x' is not an integer" $(launch vadd.ptx --arg u32:5x)
check 2 "300 does not fit u8" $(launch vadd.ptx --arg u8:300)
check 2 "-1 does not fit u32" $(launch vadd.ptx --arg u32:-1)
check 2 "2 values for 3 elements" $(launch vadd.ptx --arg u32[3]:1,2)
check 2 "the number of elements is missing" $(launch vadd.ptx --arg u32[]:iota)
check 2 "expected random(SEED)" $(launch vadd.ptx --arg "u32[3]:random(x)")
check 2 "expected out:FILE,BYTES" $(launch vadd.ptx --arg out:x)
check 2 "none.bin: No such file" $(launch vadd.ptx --arg f32[]:@none.bin)
check 2 "no argument has this name" $(launch vadd.ptx --arg c)
check 2 "there is no argument '7'" $(launch vadd.ptx $vadd --arg u32:1 --print 7)
check 2 "is a scalar, not a buffer" $(launch vadd.ptx $vadd --arg u32:1 --print 3)
for count in "" x -4 +3 3x 4:5; do
    check 2 "--print c:$count: expected ARG:COUNT" $(launch vadd.ptx $vadd --arg u32:1 --print "c:$count")
done
check 2 "expected ARG:FILE" $(launch vadd.ptx $vadd --arg u32:1 --save c)
check 2 "an array of" $(launch vadd.ptx --arg "f64[99999999999999]:0")
check 2 "none.ptx: No such file" $(launch none.ptx)
printf '.version 6.0\n.target sm_70\n.address_size 64\n.entry k()\n{\n    .shared .b8 s[60000];\n' >static.ptx
printf '    st.shared.b8 [s], 0;\n}\n' >>static.ptx
check 2 "60000 of static shared memory, but may have 49152 in all; no attribute raises this limit for static arrays" \
    $(launch static.ptx)
clusters="cluster.ptx --grid 16 --block 32 --kernel"
raise="; cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) raises this limit"
check 2 "plain: clusters of 16 x 1 x 1 blocks; at most 8 are allowed$raise" $(launch $clusters plain --cluster 16)
check 2 "four: clusters of 8 x 1 x 1 blocks; at most 4 are allowed (.maxclusterrank of the kernel)" \
    $(launch $clusters four --cluster 8)
holds "no advice that does not help" bash -c '! grep -q cudaFuncSetAttribute err'
check 2 "plain: clusters of 8 x 1 x 1 blocks; at most 4 are allowed on this GPU (gpu.cluster_blocks_optin)" \
    $(launch $clusters plain --cluster 8 --set gpu.cluster_blocks=4 --set gpu.cluster_blocks_optin=4)
check 2 "plain: a launch with clusters; this GPU has none (gpu.cluster_blocks = 0)" \
    $(launch $clusters plain --cluster 2 --set gpu.cluster_blocks=0)
shape() { # KERNEL SHAPE: that of a launch in the statistics
    $(launch $clusters $1 --stats shape.json) && tr -d ' \n' <shape.json | grep -qF "\"cluster\":{\"shape\":[$2]"
}
holds "the kernel's shape is in the statistics" shape pairs 2,1,1
holds "the launch's" shape "plain --grid 16,4 --cluster 1,4" 1,4,1
holds "or none" shape plain 1,1,1
check 0 "    .reqnctapercluster 2, 1, 1" "$simtx" ptx info cluster.ptx
check 0 "    .reqnctapercluster 2, 3, 1" "$simtx" ptx info cluster.ptx
holds "all directives of clusters" [ "$(grep -A99 'kernel four' out | grep luster | xargs)" = \
    ".explicitcluster .maxclusterrank 4" ]
check 2 "one PTX file at a time" $(launch vadd.ptx int.ptx)
check 3 "bad.ptx:16:" $(launch bad.ptx $vadd --arg u32:1)
check 2 "out of range, 1 to 256 host threads" $(launch vadd.ptx --threads 0)
check 2 "--simt: gpu.simt = both" $(launch vadd.ptx --simt both)
check 2 "expected KEY=VALUE" $(launch vadd.ptx --set gpu.sms)
check 2 "cannot write" $(launch vadd.ptx --stats /nonexistent/s.json)
check 2 "cannot write the statistics (--stats or SIMTX_STATS) to /nonexistent/" $(launch vadd.ptx --stats /nonexistent/%p.json)
check 2 "--save: cannot write /nonexistent/c: No such file" $(launch vadd.ptx $vadd --arg u32:1000 --save c:/nonexistent/c)
check 2 "--expect: cannot read /nonexistent/c: No such file" $(launch vadd.ptx $vadd --arg u32:1000 --expect c:/nonexistent/c)
check 2 "--arg: cannot write /nonexistent/c: No such file" $(launch vadd.ptx --arg out:/nonexistent/c,64)
check 2 "launch" $(launch vadd.ptx --block 2000 --arg f32[1]:0 --arg f32[1]:0 --arg f32[1]:0 --arg u32:1)
check 1 "at vadd.ptx:15:5: ld.global.f32" \
    $(launch vadd.ptx --grid 4 --block 256 --arg f32[10]:0 --arg f32[10]:0 --arg f32[10]:0 --arg u32:1000)

# Statistics: also of a kernel that faulted, and the same for any number of host threads.
check 1 "" $(launch int.ptx --kernel trap_now --stats s.json)
holds "statistics of a fault" grep -q '"fault": "trap"' s.json
check 0 "" $(launch vadd.ptx $vadd --arg u32:1000 --stats s1.json --threads 1)
check 0 "" $(launch vadd.ptx $vadd --arg u32:1000 --stats s1.json --config gtx480 --set gpu.sms=9)

# ---- compare ----
check 0 "" $(launch vadd.ptx $vadd --arg u32:1000 --timing --stats slow.json --config gtx480 --set dram.latency=400)
check 0 "" $(launch vadd.ptx $vadd --arg u32:1000 --timing --stats fast.json --config gtx480)
check 0 "" $(launch vadd.ptx $vadd --arg u32:1000 --timing --stats again.json --config gtx480 --threads 2)
check 0 "usage: simtx compare" "$simtx" compare --help
check 0 " 0 differ, 0 by more than 0 %" "$simtx" compare --kernels --only cycles,l2,dram fast.json again.json
check 1 "dram.latency " "$simtx" compare fast.json slow.json
cycles_of() {
    sed -n 's/^    "cycles": \([0-9]*\),*$/\1/p' "$1" | head -1
}
change=$(awk -v a="$(cycles_of fast.json)" -v b="$(cycles_of slow.json)" \
    'BEGIN { printf "%+.2f %%", 100 * (b - a) / a }')
check 1 "$change" "$simtx" compare --only cycles fast.json slow.json
check 1 "kernels.0.cycles " "$simtx" compare --only cycles --kernels fast.json slow.json
check 1 "configuration keys differ." "$simtx" compare fast.json slow.json
holds "cycles come first" bash -c 'head -1 out | grep -q "^cycles "'
holds "configuration keys come last" bash -c 'tail -2 out | head -1 | grep -q "configuration keys differ"'
check 0 "1 differ, 0 by more than 10000 %" "$simtx" compare --only cycles --tolerance 10000 fast.json slow.json
check 1 '"percent": ' "$simtx" compare --only cycles --json fast.json slow.json
check 0 "2 figures compared, 0 differ" "$simtx" compare --only blocks,threads fast.json slow.json
sed 's/"blocks": [0-9]*/"blocks": 7/' fast.json >blocks.json
check 1 "               7 " "$simtx" compare fast.json blocks.json
check 2 "neither file has a figure 'cyles'" "$simtx" compare --only cycles,cyles fast.json slow.json
check 2 "expected two statistics files" "$simtx" compare fast.json
check 2 "more than two files" "$simtx" compare fast.json fast.json fast.json
check 2 "none.json: No such file" "$simtx" compare fast.json none.json
check 2 "expected per cent" "$simtx" compare --tolerance x fast.json slow.json
check 2 "expected per cent" "$simtx" compare --tolerance -1 fast.json slow.json
check 2 "not a statistics file" "$simtx" compare fast.json <(echo '{}')
check 2 "vadd.ptx:1:" "$simtx" compare fast.json vadd.ptx
holds "configuration in the statistics" grep -q '"gpu.sms": 9' s1.json

# Ctrl-C stops a kernel that never ends; statistics are written, the exit code is the signal's.
for_ever="$simtx launch int.ptx --kernel for_ever --grid 1 --block 1 --progress"
holds "interruption" interrupt "0 of 1 blocks" $for_ever --stats i.json
holds "statistics after an interruption" grep -q '"status": "interrupted"' i.json

# ---- timing mode ----
# timed CODE TEXT OPTIONS...: vadd in timing mode.
timed() {
    local code=$1 text=$2
    shift 2
    check "$code" "$text" "$simtx" launch vadd.ptx $vadd --arg u32:1000 --config default+2sm "$@"
}
timed 0 "(timing mode)" --timing
timed 0 "core cycles, IPC" --timing
timed 0 "c: 0.5 1.5 2.5 ..." --timing --quiet --print c:3
timed 0 "(functional mode)"
timed 0 "core cycles, IPC" --detail kernel:vadd
timed 0 "core cycles, IPC" --detail launch:0-
timed 1 "chose none of the launches: all ran in functional mode. Launched were vadd" --detail kernel:vad
timed 1 "chose none of the launches" --detail launch:1-2
timed 2 "'launch:5-2': the range is reversed" --detail launch:5-2
for choice in nonsense kernel: launch: launch:x launch:2-1x launch:-1 launch:1-2-3 launch:99999999999999999999999 \
    kernel:vadd,x; do
    timed 2 "is neither kernel:NAME nor launch:FIRST-LAST" --detail $choice
done
timed 2 "--detail needs a value" --detail
timed 2 "--timing takes no value" --timing=yes
timed 2 "stats.window = x: expected an integer" --window x
timed 2 "stats.window = -5: out of range" --window -5
timed 2 "--window 0: expected a number of core cycles, at least 1" --window 0
for option in stats trace window; do
    value=/nonexistent/file
    [ $option = window ] && value=100,$value
    timed 2 "cannot write /nonexistent/file: No such file" --timing --$option $value
    timed 2 "cannot write $work/.: Is a directory" --timing --$option ${value%/nonexistent/file}.
done
timed 2 "cannot write /nonexistent/file: No such file" --timing --set trace.file=/nonexistent/file
check 2 "cannot write the timeline '/nonexistent/file'" env "SIMTX_SET=sim.mode=timing;trace.file=/nonexistent/file" \
    $(launch vadd.ptx $vadd --arg u32:1000)
timed 1 "cannot write the statistics to /dev/full" --timing --stats /dev/full
timed 1 "the timeline '/dev/full' could not be written to its end" --timing --trace /dev/full
timed 1 "the time series '/dev/full' could not be written to its end" --timing --window 10,/dev/full
timed 2 "both.json is the file of two outputs" --timing --stats both.json --trace both.json
timed 0 "without --timing or --detail their files stay empty" --window 10
timed 2 "trace.sm = 2 (--set or SIMTX_SET) is not less than gpu.sms = 2" --timing --trace t.json --set trace.sm=2
timed 2 "no preset is called gtx40, did you mean gtx480?" --timing --config gtx40
timed 2 "no preset is called l1onn, did you mean l1on?" --timing --config gtx480+l1onn
timed 2 "unknown key l2.wayz, did you mean l2.ways?" --timing --set l2.wayz=3
timed 2 "sim.threads = 1000: out of range, 1 to 256" --timing --set sim.threads=1000
timed 2 "dram.mhz = 1e99: out of range" --timing --set dram.mhz=1e99
timed 2 "dram.mhz = nan: expected a number" --timing --set dram.mhz=nan
timed 2 "gpu.sms = 99999999999999999999: out of range" --timing --set gpu.sms=99999999999999999999
timed 2 "const.kb = 0: out of range" --timing --set const.kb=0
timed 2 "dram.queue = 0: out of range" --timing --set dram.queue=0
timed 2 "does not divide into sets" --timing --set l1.ways=7
timed 2 "is more than latency.int_add = 1" --timing --set latency.int_add=1 --set interval.int_add=5
timed 2 "is less than the sum of dram.tRAS" --timing --set dram.tRC=1
timed 2 "'f' is none of R B C S D 0 and ." --timing --set dram.map=foo
timed 2 "is less than the largest packet" --timing --set xbar.input_flits=8 --set xbar.flit=8
timed 0 "core cycles, IPC" --timing --set l1.kb=0
timed 0 "core cycles, IPC" --timing --set l2.slice_kb=0
timed 2 "does not fit on an SM: registers (255 registers per thread" --timing --set kernel.vadd.registers=255 \
    --set gpu.registers_per_sm=16384
timed 2 "20000 bytes of dynamic and 0 of static shared memory, but may have 16384 in all; the overlay shared48 raises" \
    --timing --config gtx480 --shared 20000
timed 2 "but may have 16384 in all, the most on this GPU" --timing --config gtx480 --shared 50000
timed 2 "but may have 98304 in all, the most on this GPU" --timing --config v100 --shared 200000
check 2 "block.x = 2000 is not in 1 .. 1024" $(launch vadd.ptx --timing --block 2000 --arg f32[1]:0 --arg f32[1]:0 \
    --arg f32[1]:0 --arg u32:1)
check 2 "no transactional memory (tm.global = none, tm.shared = none)" $(launch tx.ptx --timing)
check 0 "" $(launch tx.ptx)
holds "interruption in timing mode" interrupt "0 of 1 blocks" $for_ever --timing --stats t.json
holds "statistics after an interruption in timing mode" grep -q '"status": "interrupted"' t.json
check 0 "no_warp          IDLE" "$simtx" stats --stalls
check 0 '| `fetch` | IDLE |' "$simtx" stats --stalls --markdown
holds "accesses of warps" sh -c '"$1" stats fast.json | grep -q "^vadd  *[0-9]*  *1.00  *0  *-$"' - "$simtx"
check 0 "stall.fetch" "$simtx" stats stall
check 2 "'stalls' is neither a file nor a figure" "$simtx" stats stalls
check 2 "'cyclez' is neither a file nor a figure, did you mean cycles?" "$simtx" stats cyclez
check 2 "run.json: No such file or directory" "$simtx" stats run.json
check 0 "bank conflict" "$simtx" stats shared.passes
check 2 "'stalls' is no figure" "$simtx" stats fast.json stalls
holds "values of figures" sh -c '"$1" stats fast.json cycles requests | grep -c "  total$" | grep -qx 2' - "$simtx"
holds "the value is the file's" sh -c 'grep -q "^    \"cycles\": $("$1" stats fast.json cycles |
    sed -n "s/ *\([0-9]*\)  total/\1/p")," fast.json' - "$simtx"

# ---- run ----
check 2 "no program given" "$simtx" run
check 2 "no such program on PATH" "$simtx" run no-such-program
check 2 "No such file" "$simtx" run -- ./no-such-program
check 2 "is a folder" "$simtx" run -- ./.
check 2 "is not an executable file" "$simtx" run -- ./vadd.ptx
check 2 "is not a CUDA program" "$simtx" run -- /bin/ls
printf '#!/bin/sh\nexit 0\n' >script && chmod +x script
check 2 "is a script" "$simtx" run -- ./script
cp vadd.ptx program && chmod +x program
check 2 "is not an ELF program" "$simtx" run -- ./program
check 1 "without using simtx's CUDA runtime" "$simtx" run --any-program -- ./script
check 2 "did you mean gtx480" "$simtx" run --config gtx48 -- ./script

cat >app.c <<'END'
/* Calls the runtime as its argument says. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int cudaMalloc(void **p, unsigned long n);
int main(int argc, char **argv)
{
    void *p = 0;
    const char *how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "nothing") && cudaMalloc(&p, 16))
        return 99;
    if (!strcmp(how, "huge"))
        return cudaMalloc(&p, 1ul << 40) && cudaMalloc(&p, 1ul << 40) ? 3 : 0;
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "kill"))
        kill(getpid(), SIGTERM);
    if (!strcmp(how, "crash"))
        raise(SIGSEGV);
    if (!strcmp(how, "sleep"))
        sleep(20);
    return atoi(how);
}
END
$cc app.c -o app -L"$build/cuda/lib64" -lcudart 2>err
check 0 "simulating on simtx GPU" "$simtx" run -- ./app 0
check 7 "" "$simtx" run --quiet -- ./app 7
check 3 "simtx: cannot allocate 1099511627776 bytes: " "$simtx" run --quiet -- ./app huge
holds "once, with the key" [ "$(grep -c 'bytes are in use (gpu.memory_mb)' err)" = 1 ]
check 1 "malloc of 100 bytes in a kernel returns NULL: 0 of 0 bytes of the heap are in use (gpu.heap_mb" \
    "$simtx" launch "$here/../faults/heap-past-end.ptx" --quiet --grid 1 --block 1 --arg u64:0 --set gpu.heap_mb=0
check 0 "simulating on GeForce GTX 480" "$simtx" run --config gtx480 ./app
check 0 "" "$simtx" run --any-program -- ./app nothing
check 134 "" "$simtx" run --quiet --stats a.json -- ./app abort
holds "statistics after abort" grep -q '"total"' a.json
check 139 "" env "ASAN_OPTIONS=$ASAN_OPTIONS:handle_segv=0" "$simtx" run --quiet --stats b.json -- ./app crash
holds "statistics after a crash" grep -q '"total"' b.json
check 143 "" "$simtx" run --quiet --stats k.json -- ./app kill
holds "statistics after a signal" grep -q '"total"' k.json
# A limit of memory above what the command needs to start and below what the kernel's first block needs. Sanitizers
# reserve more than any limit.
starved='ulimit -v $0 && exec "$@" --grid 1 --block 1024 --arg "u32[1]:0" --set gpu.memory_mb=16 --stats o.json'
if [ -z "$ASAN_OPTIONS$TSAN_OPTIONS" ]; then
    limit=1000000
    until bash -c "$starved" $limit "$simtx" launch deep.ptx 2>&1 | grep -q simulating || [ $limit -gt 40000000 ]; do
        limit=$((limit + 200000))
    done
    check 1 "simtx: out of memory: 536870912 bytes for the registers and local memory of a block" \
        bash -c "$starved" $((limit + 100000)) "$simtx" launch deep.ptx
    holds "statistics without memory" grep -q '"total"' o.json
    check 2 "address range of GPU 0, 8 GiB at least" bash -c "$starved" 1000000 "$simtx" launch deep.ptx
    holds "the next step where addresses are limited" grep -q "Raise the limit of addresses (ulimit -v)" err
fi
check 0 "no statistics were written to" "$simtx" run --stats n.json -- ./app nothing
check 1 "" test -e n.json
echo old >n.json
check 0 "no statistics were written to" "$simtx" run --stats n.json -- ./app nothing
check 1 "cannot write the statistics to /dev/full: No space" "$simtx" run --quiet --stats /dev/full -- ./app 0
check 7 "cannot write the statistics" "$simtx" run --quiet --stats /dev/full -- ./app 7
check 1 "No space left on device; they are in $work/simtx-stats." env TMPDIR="$work" "$simtx" run --quiet --stats /dev/full -- ./app 0
holds "statistics that were rescued" grep -q '"total"' "$work"/simtx-stats.*
check 99 "cannot write the statistics (--stats or SIMTX_STATS) to /nonexistent/s.json" env SIMTX_STATS=/nonexistent/s.json \
    LD_LIBRARY_PATH="$build/cuda/lib64" ./app 0
# A file system without room: the old statistics stay, and nothing else.
small=$work/small
if mkdir "$small" && mount -t tmpfs -o size=64k none "$small" 2>err; then
    echo old >"$small/s.json"
    head -c 60000 /dev/zero >"$small/fill" 2>err
    check 1 "cannot write the statistics" "$simtx" run --quiet --stats "$small/s.json" -- ./app 0
    holds "the old statistics stay" grep -qx old "$small/s.json"
    holds "no half-written file stays" sh -c '[ "$(ls "$1" | wc -l)" = 2 ]' - "$small"
    check 1 "" "$simtx" run --quiet --timing --trace "$small/trace.json" -- ./app 0
    umount "$small"
fi
check 0 "" "$simtx" run --quiet --stats p-%p.json -- ./app
holds "%p in the name of the statistics" grep -lq '"total"' p-[0-9]*.json
holds "interruption of a program" interrupt "simulating on" "$simtx" run --stats f.json -- ./app sleep
holds "a signal to simtx run reaches the program" grep -q '"total"' f.json
mkdir -p other && printf 'int cudaMalloc(void **p, unsigned long n) { return 0; }\n' >other.c
$cc -shared -fPIC -Wl,-soname,libcudart.so.11.0 other.c -o other/libcudart.so.11.0 2>err
$cc app.c -o rpath -Lother -l:libcudart.so.11.0 -Wl,--disable-new-dtags,-rpath,"$work/other" 2>err
check 1 "it loaded another libcudart" "$simtx" run -- ./rpath 0
$cc -shared -fPIC -Wl,-soname,libcudart.so.99 other.c -o other/libcudart.so.99 2>err
$cc app.c -o newer -Lother -l:libcudart.so.99 2>err
check 2 "needs libcudart.so.99, which simtx does not provide" "$simtx" run -- ./newer

# ---- run --ptx ----
# Two images, each with a kernel that stores its number in its own managed variable.
cat >units.c <<'END'
#include <stdio.h>
#include "frontend/cuda/include/cuda_runtime_api.h"
struct wrapper { int magic, version; const void *data, *more; };
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
int __cudaRegisterFunction(void **, const char *, char *, const char *, int, uint3 *, uint3 *, dim3 *, dim3 *, int *);
#define CODE(name, value) ".version 7.0\n.target sm_70\n.address_size 64\n" \
    ".visible .global .align 4 .u32 " name "_out;\n" \
    ".visible .entry " name "()\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, " value ";\n" \
    "st.global.u32 [" name "_out], %r1;\nret;\n}\n"
static struct wrapper images[] = { { 0x466243b1, 1, CODE("one", "1"), 0 }, { 0x466243b1, 1, CODE("two", "2"), 0 } };
static char kernels[2];
static int *results[2];
static void add(int i, const char *kernel, const char *variable)
{
    void **h = __cudaRegisterFatBinary(&images[i]);
    __cudaRegisterFunction(h, &kernels[i], (char *)kernel, kernel, -1, 0, 0, 0, 0, 0);
    __cudaRegisterManagedVar(h, (void **)&results[i], (char *)variable, variable, 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(h);
}
int main(void)
{
    add(0, "one", "one_out");
    add(1, "two", "two_out");
    for (int i = 0; i < 2; i++)
        if (cudaLaunchKernel(&kernels[i], (dim3){ 1, 1, 1 }, (dim3){ 1, 1, 1 }, 0, 0, 0) || cudaDeviceSynchronize())
            return 9;
    printf("results %d %d\n", *results[0], *results[1]);
    return 0;
}
END
$cc -I"$here/../.." units.c -o units -L"$build/cuda/lib64" -lcudart 2>err
kernel() {
    printf '.visible .global .align 4 .u32 %s_out;\n.visible .entry %s()\n{\n' "$1" "$1"
    printf '.reg .b32 %%r<2>;\nmov.u32 %%r1, %s;\nst.global.u32 [%s_out], %%r1;\nret;\n}\n' "$2" "$1"
}
head -n 3 vadd.ptx >one.ptx
kernel one 10 >>one.ptx
{ cat one.ptx; kernel two 20; } >both.ptx
check 0 "results 1 2" "$simtx" run --quiet -- ./units
check 0 "results 10 20" "$simtx" run --quiet --ptx both.ptx -- ./units
check 0 "results 10 20" env LD_LIBRARY_PATH="$build/cuda/lib64" SIMTX_PTX=both.ptx ./units
check 9 "kernel two is not in $work/one.ptx" "$simtx" run --quiet --ptx one.ptx -- ./units
check 9 "SIMTX_PTX: none.ptx: No such file" env LD_LIBRARY_PATH="$build/cuda/lib64" SIMTX_PTX=none.ptx ./units
check 2 "none.ptx: No such file" "$simtx" run --ptx none.ptx -- ./units
check 2 ".: Is a directory" "$simtx" run --ptx . -- ./units
check 3 "bad.ptx:16:" "$simtx" run --ptx bad.ptx -- ./units
check 2 "--ptx needs a value" "$simtx" run --ptx

finish
