#!/bin/bash
# Presets, composition, wrong settings (wrong.txt) and the answers of `simtx config`. Usage: run.sh BUILD; the last line
# counts.
suite=config
. "$(dirname "$0")/../harness.sh"

# Blanks in a row count as one.
printed() {
    cat out err | tr -s ' '
}

# answers CODE TEXT ARGUMENT...: what `simtx config ARGUMENT...` ends with and prints.
answers() {
    local code=$1 text=$2
    shift 2
    check "$code" "$text" "$simtx" config "$@"
}

# same TEXT-OF-PRESETS OTHER: two compositions are the same machine.
same() {
    answers 0 "no differences" diff "$1" "$2"
}

# ---- every preset, alone and with every overlay, is a machine that obeys the rules and tells programs the truth ----
machines=$("$simtx" config list --presets --json | sed -n 'N;s/.*"name": "\([^"]*\)",\n *"kind": "machine".*/\1/p;D')
overlays=$("$simtx" config list --presets --json | sed -n 'N;s/.*"name": "\([^"]*\)",\n *"kind": "overlay".*/\1/p;D')
for m in $machines; do
    answers 0 "gpu.sms" show "$m"
    holds "$m: a warning" test ! -s err
    for o in $overlays; do
        [ "$o" = Nsm ] && o=3sm
        # machines that cannot have coherent L1s, logs in L1, short latencies, buffers of a few words
        case $m+$o in
        default+tm-kilotm | v100+tm-kilotm | default+tm-warptm | v100+tm-warptm | default+tm-sitm | v100+tm-sitm)
            answers 2 "at most 4096 (--set gpu.memory_mb=4096)" show "$m+$o"
            answers 0 "gpu.memory_mb = 4096" show "$m+$o" --set gpu.memory_mb=4096
            ;;
        a100+tm-kilotm | a100+tm-warptm | a100+tm-sitm)
            answers 2 "at most 4096 (--set gpu.memory_mb=4096)" show "$m+$o"
            answers 2 "at most 64 L2 slices, not 80" show "$m+$o" --set gpu.memory_mb=4096
            answers 0 "dram.channels = 64" show "$m+$o" --set gpu.memory_mb=4096 --set dram.channels=64
            ;;
        h100+tm-kilotm | h100+tm-warptm | h100+tm-sitm)
            answers 2 "at most 4096 (--set gpu.memory_mb=4096)" show "$m+$o"
            answers 2 "at most 64 L2 slices, not 160" show "$m+$o" --set gpu.memory_mb=4096
            answers 0 "dram.channels = 64" show "$m+$o" --set gpu.memory_mb=4096 --set dram.channels=64
            ;;
        localtm+tm-kilotm | southern-islands+tm-kilotm | localtm+tm-warptm | southern-islands+tm-warptm | \
            localtm+tm-sitm | southern-islands+tm-sitm)
            answers 2 "l1.local_writeback" show "$m+$o" ;;
        gtx480-reference+multi2sim | micro2013+multi2sim) answers 2 "latency" show "$m+$o" ;;
        warptm+finite-units) answers 2 "kilotm.read_buffer" show "$m+$o" ;;
        sitm+mesi | sitm+write-through | warptm+mesi | warptm+write-through | gtx480-reference+mesi | \
            gtx480-reference+write-through)
            answers 2 "coherence" show "$m+$o" ;;
        *) answers 0 "gpu.sms" show "$m+$o" ;;
        esac
    done
    answers 0 "core.perfect_fetch = true" show "$m+tiny+l1on+1sm+perfect-fetch"
done
for m in default gtx480 gtx480-sc gtx480-reference quadro-fx5800 southern-islands v100 a100 h100; do
    holds "machine $m is there" grep -qx "$m" <<<"$machines"
done
for o in l1on l1off tiny perfect-fetch shared48 mesi write-through Nsm; do
    holds "overlay $o is there" grep -qx "$o" <<<"$overlays"
done
holds "every preset says what it is" sh -c '! "$0" config list --presets | grep -E "^  [^ ]+ *$"' "$simtx"

# Settings without a source: names, and the stress test's.
unsourced() {
    for f in "$build"/share/simtx/configs/*.cfg; do
        [ "$(basename "$f")" = tiny.cfg ] || sed 's/#.*//' "$f" | grep -E '^ *[a-z0-9A-Z_]+ = [^(]*;' |
            grep -vE '^(about|parent|machine)|name = '
    done
}
holds "every value of a preset has a source" test -z "$(unsourced)"

# ---- the papers' tables, as far as they are plain figures ----
while read -r preset key value; do
    answers 0 "$key = $value " show "$preset"
done < <(sed 's/#.*//' "$here/tables.txt" | awk 'NF == 3')

# ---- composition ----
answers 0 "xbar.input fifo voq" diff kilotm quadro-fx5800+tm-kilotm
holds "tm-kilotm has the protocol's values of kilotm" sh -c '! grep -q "^ *\(tm\|kilotm\)\." out'
answers 0 "gpu.sms = 30 # 30sm" show gtx480+l1on+30sm
answers 0 "l1.global = true # l1on.cfg:2: overlay l1on" show gtx480+l1on+30sm
answers 0 "l1.kb = 48 KiB # gtx480.cfg" show gtx480+l1on+30sm
same gtx480+l1on+l1off gtx480+l1off
answers 2 "gtx480.cfg: error: is a whole machine and would undo l1on: name one machine, and name it first" show l1on+gtx480
answers 2 "would undo 30sm: name one machine, and name it first" show 30sm+v100
answers 2 "would undo gtx480: name one machine" show gtx480+v100
answers 2 "would undo gtx480: name one machine" show gtx480+kilotm
answers 2 "0sm: gpu.sms = 0: out of range, 1 to 1024" show gtx480+0sm
answers 2 "99999sm: gpu.sms = 99999: out of range" show gtx480+99999sm
answers 2 "no preset is called sm" show gtx480+sm
answers 2 "no preset is called gtx48, did you mean gtx480?" show gtx48+30sm
answers 0 "l2.ways = 16 # --set" show gtx480 --set l2.ways=16
answers 0 "gpu.sms = 5 # --set" show gtx480+30sm --set gpu.sms=5
map="dramid@9;RRRRRRRRRRRR.BBBCCCCBC.CCCSSSSS"
answers 0 "dram.map = $map # --set" show --set "dram.map=$map"
answers 0 "gpu.sms = 6 # --set" show --set "gpu.name=a;b ; gpu.sms=6"

printf 'about = "mine";\nparent = "gtx480+l1on";\nl2: { slice_kb = (256, "my book"); ways = 16; };\n' >mine.cfg
answers 0 "l2.slice_kb = 256 KiB # mine.cfg:3: my book" show ./mine.cfg
answers 0 "l1.global = true # l1on.cfg:2" show ./mine.cfg
answers 0 "gpu.sms = 2 # 2sm" show ./mine.cfg+2sm
answers 2 "would undo ./mine.cfg: name one machine" show ./mine.cfg+gtx480
printf 'machine = true;\nl2: { ways = 8; };\nsim: { mode = "timing"; };\n' >whole.cfg
answers 0 "gpu.sms = 80 # default" show ./whole.cfg
answers 2 "whole.cfg: error: is a whole machine and would undo 30sm" show 30sm+./whole.cfg
printf 'sim: { mode = "timing"; };\n' >how.cfg
answers 0 "sim.mode = timing # how.cfg:1" show ./how.cfg gtx480
printf 'about = 5;\nmachine = 1;\nl1: { kb = 33; ways = "four"; };\nxbar: { mhz = true; };\n' >types.cfg
answers 2 "types.cfg:1:1: error: about: expected a string in quotes" show ./types.cfg
answers 2 "types.cfg:2:1: error: machine: expected true or false" show ./types.cfg
answers 2 "types.cfg:3:1: error: l1.ways: expected an integer" show ./types.cfg
answers 2 "types.cfg:4:1: error: xbar.mhz: expected a number" show ./types.cfg
printf 'l1: {\n  kb = 99999999999999999999;\n  ways = 1e30;\n};\n' >huge.cfg
answers 2 "huge.cfg:2" show ./huge.cfg
printf 'l1: {\n  ways = 1e30;\n  kb = -1;\n};\n' >huge.cfg
answers 2 "huge.cfg:2:1: error: l1.ways: expected an integer" show ./huge.cfg
answers 2 "huge.cfg:3:1: error: l1.kb = -1: out of range, 0 to 16384 KiB" show ./huge.cfg

# ---- wrong settings: one message each, and all at once ----
while IFS='|' read -r preset sets text; do
    read -r preset <<<"$preset"
    read -r text <<<"$text"
    sets=${sets# }
    answers 2 "error: " show "$preset" --set "$(sed 's/ $//;s/,/;/g' <<<"$sets")"
    holds "$sets: '$text'" grep -qF -- "$text" err
    holds "$sets: one message, got $(grep -c error: err)" test "$(grep -c error: err)" = 1
done < <(grep -v '^#' "$here/wrong.txt" | grep .)
answers 2 "" show gtx480 --set l1.ways=5 --set interval.sfu=99 --set dram.groups=3 --set dram.hash=true
holds "four rules broken, four messages" test "$(grep -c error: err)" = 4
answers 2 "" show gtx48+gtx480+0sm --set l1.ways=x --set l1.way=4
holds "four wrong settings, four messages" test "$(grep -c error: err)" = 4

# ---- settings without an effect: a warning for each that the user has set ----
while IFS='|' read -r preset sets text; do
    read -r preset <<<"$preset"
    read -r text <<<"$text"
    sets=${sets# }
    answers 0 "" show "$preset" --set "$(sed 's/ $//;s/,/;/g' <<<"$sets")"
    expected=0
    [ -z "$text" ] || expected=1
    holds "$preset, $sets: $expected warnings, got $(cat err)" test "$(grep -c warning: err)" = $expected
    holds "$preset, $sets: '$text', got $(cat err)" grep -qF -- "$text" out err
done < <(grep -v '^#' "$here/warned.txt" | grep .)
printf 'parent = "h100";\nl2: { sectored = false; };\n' >lines.cfg
answers 0 "" show ./lines.cfg
holds "the parent's values, got $(cat err)" test ! -s err
printf 'parent = "h100+mesi";\nl2: { fetch_bytes = 128; };\n' >block.cfg
answers 0 "warning: l2.fetch_bytes = 128 (block.cfg:2) has no effect on global memory" show ./block.cfg
printf '@include "block.cfg"\n' >inside.cfg
answers 0 "warning: l2.fetch_bytes = 128 (block.cfg:2) has no effect" show ./inside.cfg+tiny

answers 0 "warning: programs are told gpu.l2_kb = 768 (gtx480.cfg" show gtx480 --set l2.slice_kb=64
answers 0 "warning: programs are told 177 GB/s" show gtx480 --set dram.mhz=1000

# ---- list, diff, explain ----
answers 0 "gtx480-reference the settings of GPGPU-Sim 4.2's GTX480 configuration" list
answers 0 "l1.kb 32 KiB L1 data cache of an SM" list
answers 0 "kernel.NAME.registers unset registers registers per thread" list
answers 0 "| \`l1on\` | overlay | L1 caches global loads |" list --presets --markdown
holds "only presets" sh -c '! grep -q "l1\.kb" out'
answers 0 '"kind": "overlay"' list --json
answers 0 "no differences" diff gtx480 gtx480
answers 0 "l1.global false true" diff gtx480 gtx480+l1on
holds "one difference" test "$(wc -l <out)" = 1
answers 0 "gpu.warp_size 32 64 lanes" diff default southern-islands
answers 0 '"b": "true"' diff gtx480 gtx480+l1on --json
printf 'kernel = ({ name = "k"; registers = 9; }, { name = "j"; registers = 8; });\n' >k1.cfg
printf 'kernel = ({ name = "k"; registers = 7; }, { name = "i"; ctas_per_sm = 2; });\n' >k2.cfg
answers 0 "kernel.k.registers 9 7 registers" diff ./k1.cfg ./k2.cfg
answers 0 "kernel.j.registers 8 unset registers" diff ./k1.cfg ./k2.cfg
answers 0 "kernel.i.ctas_per_sm unset 2 blocks" diff ./k1.cfg ./k2.cfg
holds "three differences" test "$(wc -l <out)" = 3
answers 2 "did you mean gtx480?" diff gtx480 gtx40
answers 2 "expected two configurations" diff gtx480
answers 0 "values: 0 to 16384 KiB" explain l1.kb
answers 0 "default: 32, from Jia et al." explain l1.kb
answers 0 " gtx480 48 gtx480.cfg:" explain l1.kb
answers 0 " quadro-fx5800 48 quadro-fx5800.cfg" explain l1.kb
answers 0 " gtx480-sc 32 gtx480-sc.cfg" explain l1.kb
answers 0 " tiny 1 tiny.cfg" explain l1.kb
answers 0 "values: lrr, gto, two_level" explain core.policy
answers 0 "not the simulated results" explain sim.threads
answers 0 '"set_by"' explain l1.kb --json
answers 2 "unknown key l1.kB, did you mean l1.kb?" explain l1.kB l1.way
holds "every unknown key" grep -qF "unknown key l1.way, did you mean l1.ways?" err
answers 0 '"origin": "gtx480.cfg:' show gtx480 --json

# ---- the statistics of a run hold every key ----
if timeout 60 "$simtx" launch --quiet --grid 1 --block 1 --config gtx480+7sm --set l2.ways=16 --stats s.json \
    "$here/../cli/int.ptx" \
    --kernel fill --arg u32[1]:0 --arg u32:1 >out 2>err; then
    for line in '"gpu.sms": 7' '"l2.ways": 16' '"l1.kb": 48' '"dram.tRCD": 12' '"core.policy": "gto"'; do
        holds "statistics: $line" grep -qF -- "$line" s.json
    done
    for key in $("$simtx" config list --keys --json | sed -n 's/.*"name": "\([^"]*\)".*/\1/p' | grep -v '^kernel\.'); do
        holds "statistics: $key" grep -qF -- "\"$key\": " s.json
    done
else
    fail "launch with a configuration" out err
fi

# ---- the minimum latencies of the papers' tables: what a load adds to a chain of dependent ones, all else idle ----

# A chain of loads at the given offsets, each address made from the value loaded before (0) and the next offset.
chain() {
    local at=0 to
    printf '.version 7.0\n.target sm_70\n.address_size 64\n.visible .entry chain(.param .u64 a, .param .u64 r)\n{\n'
    printf '.reg .b64 %%a, %%r, %%v;\nld.param.u64 %%a, [a]; ld.param.u64 %%r, [r];\n'
    for to in "$@"; do
        printf 'add.s64 %%a, %%a, %d;\nld.global.cg.u64 %%v, [%%a];\nadd.s64 %%a, %%a, %%v;\n' $((to - at))
        at=$to
    done
    printf 'st.global.u64 [%%r], %%a;\nret;\n}\n'
}

# cycles PRESET OFFSET...
cycles() {
    local preset=$1
    shift
    chain "$@" >chain.ptx
    timeout 60 "$simtx" launch --quiet --grid 1 --block 1 --config "$preset+perfect-fetch" --set sim.mode=timing \
        --stats c.json chain.ptx \
        --arg u64[65536]:0 --arg u64[1]:0 && sed -n 's/^    "cycles": \([0-9]*\).*/\1/p' c.json
}

value() {
    "$simtx" config show "$1" | awk -v key="$2" '$1 == key { print $3 }'
}

# adds WHAT PRESET LOW HIGH FIRST MORE: each of the offsets MORE behind FIRST costs LOW to HIGH cycles, apart from the
# two additions.
adds() {
    local n lanes add more got
    n=$(wc -w <<<"$6")
    lanes=$((($(value "$2" gpu.warp_size) - 1) / $(value "$2" core.simd_width)))
    add=$((2 * ($(value "$2" latency.int_add) + lanes)))
    more=$(cycles "$2" $5 $6 2>err)
    got=$((more - $(cycles "$2" $5 2>err) - n * add))
    holds "$1 of $2: $n loads in $got cycles, expected $3 to $4 each" [ $((got >= n * $3 && got <= n * $4)) = 1 ]
}

# Lines of one DRAM row lie in pairs, 512 bytes times the channels apart; PAIR is the distance of a pair's lines: the
# lines of a pair follow one another, or, where lines go to the channels in turn, are a line of each channel apart.
open_row() { # PRESET PAIR
    local step=$((512 * $(value "$1" dram.channels)))
    echo $2 $step $((step + $2)) $((2 * step)) $((2 * step + $2)) $((3 * step)) $((3 * step + $2))
}

same_line="0 0 0 0 0 0 0 0"
adds "minimum L2 latency" quadro-fx5800 460 460 0 "$same_line"
adds "minimum L2 latency" gtx480-sc 340 340 0 "$same_line"
adds "L2 latency" v100 193 193 0 "$same_line"
adds "L2 latency" a100 200 200 0 "$same_line"
adds "L2 latency" h100 279 279 0 "$same_line"
adds "minimum DRAM latency" gtx480 330 332 0 "$(open_row gtx480 128)"
adds "minimum DRAM latency" gtx480-sc 460 460 0 "$(open_row gtx480-sc 1024)"

finish
