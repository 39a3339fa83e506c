#!/bin/bash
# Instructions added by rows of ops.def and a function (docs/adding.md): their results are right in both modes, with
# both kinds of lanes, and the tables and the disassembly have them. Usage: instruction.sh BUILD; the last line counts.
suite=adding-instruction
. "$(dirname "$0")/../harness.sh"
. "$here/../launch.sh"
simtx=$build/adding/out/bin/simtx
export SIMTX_CONFIG_DIR=$build/share/simtx/configs
program=$here/instruction.ptx
options="$(sed -n 's,^// run: ,,p' "$program") --print out:32"

# The even words are 0, the odd ones |i - 10|.
words() {
    cat out.txt
    [ "$(grep -o '[0-9]*' out.txt | tail -n 32 | tr '\n' ' ')" = "$expected" ]
}
expected=$(for i in $(seq 0 31); do
    d=$((i > 10 ? i - 10 : 10 - i))
    printf '%d ' $((i % 2 ? d : 0))
done)

for mode in "" "--simt independent" "--set gpu.warp_size=64" "--timing --config gtx480" \
    "--timing --simt independent"; do
    # The options' words are meant to be split.
    holds "launch $mode" launch_to out.txt "$program" "$options" $mode
    holds "launch $mode: the words" words
done
check 0 "memory at the address = 0" "$simtx" ptx ops
check 0 "\`absdiff\`" "$simtx" ptx classes --markdown
check 0 "exitz.u32 %odd;" "$simtx" ptx list "$program"

finish
