#!/bin/bash
# Profiles (--profile, `simtx profile`): known figures on known lines, sums against the statistics, the same statistics
# with and without a profile, the same profile with one and two host threads. Usage: run.sh BUILD; the last line counts.
suite=profile
. "$(dirname "$0")/../harness.sh"

# launch NAME OPTION...: three blocks of a warp; profile in NAME.json, statistics in NAME.stats. Branches stay.
launch() {
    local name=$1
    shift
    timeout 60 "$simtx" launch --quiet --timing --config v100+2sm --stats "$name.stats" "$@" "$here/kernel.ptx" \
        --set gpu.if_conversion=false --kernel lines --grid 3 --block 32 --arg 'u32[1024]:0' >/dev/null
}

# mix MACHINE: the second kernel; profile in on.json, statistics in on.stats.
mix() {
    timeout 60 "$simtx" launch --quiet --timing --config "$1" --stats on.stats --profile on.json "$here/kernel.ptx" \
        --kernel mix --grid 40 --block 256 --arg 'u32[1024]:0' >/dev/null
}

# not_zero FIGURE...: each is in the profile, so that its sum is not 0 beside 0.
not_zero() {
    local figure
    for figure in "$@"; do
        grep -q "\"$figure\": [1-9]" on.json || { echo "no instruction has $figure"; return 1; }
    done
}

# at LINE FIGURE VALUE: the sum over the instructions of the source line.
at() {
    awk -v line="$1" -v figure="\"$2\":" '
        /^      \{/ { here = 0; n = 0 } $1 == "\"line\":" { here = $2 + 0 == line }
        $1 == figure { n = $2 + 0 } /^      \}/ { if (here) sum += n; n = 0 } END { print sum + 0 }' on.json >got
    [ "$(cat got)" = "$3" ] || { echo "line $1, $2: $(cat got), expected $3"; return 1; }
}

# sum FIGURE "STATISTIC ...": the sum over all instructions of a figure (an expression) is that of the run's statistics.
sum() {
    local profile stats=0 name
    profile=$(awk -v figure="^\"$1\":$" '$1 ~ figure { n += $2 } END { printf "%d\n", n }' on.json)
    for name in $2; do
        stats=$((stats + $("$simtx" stats on.stats "$name" | awk '/ total$/ { n = $1 } END { print n + 0 }')))
    done
    [ "$profile" = "$stats" ] || { echo "$1: $profile, $2: $stats"; return 1; }
}

# The statistics without what describes the host and the command.
plain() {
    sed -e '/"host": {/,/}/d' -e '/"command": \[/,/\]/d' -e '/"profile.file"\|"sim.threads"\|"functional.threads"/d' "$1"
}

holds "without a profile" launch off
holds "with one" launch on --profile on.json --threads 1
holds "with two host threads" launch two --profile two.json --threads 2
holds "the profile does not depend on host threads" cmp on.json two.json
plain off.stats >off.plain
plain on.stats >on.plain
holds "the statistics do not depend on the profile" cmp off.plain on.plain

# Three warps of 32 lanes. Line 2: lanes 128 bytes apart. Line 3: lanes 8 words apart, so 32 lanes are in 4 banks.
holds "issues" at 2 issued 9
holds "uncoalesced lines" at 2 coalescer.lines 96
holds "uncoalesced sectors" at 2 coalescer.sectors 96
holds "accesses" at 2 coalescer.instructions 3
holds "8-way bank conflicts" at 3 shared.passes 24
holds "accesses to shared memory" at 3 shared.instructions 3
holds "a divergent branch" at 4 diverged_branches 3
holds "lanes after it" at 5 threads 72
holds "no bank conflict for one word" at 5 shared.passes 3

holds "sum of issues" sum issued timed_warp_instructions
holds "sum of lanes" sum threads timed_thread_instructions
holds "sum of divergences" sum diverged_branches diverged_branches
holds "sum of lines" sum coalescer.lines coalescer.lines
holds "sum of passes" sum shared.passes shared.passes
for reason in $("$simtx" stats --stalls | awk '$1 != "no_warp" { print $1 }'); do
    holds "sum of stall.$reason" sum "stall.$reason" "stall.$reason"
done
holds "every cycle of a warp" sum 'wait\\.[a-z_]*' warp_cycles

# The kernel of all kinds of instructions, on a machine with sequences, one with caches of its own for constants, and one
# that combines atomics.
pairs() {
    local pair
    for pair in issued:timed_warp_instructions threads:timed_thread_instructions coalescer.instructions \
        coalescer.lines l1.hits l1.misses l1.merged l1.atomics const.hits const.misses const.merged; do
        case $pair in
        l1.hits) total='l1.global_load.hits l1.local_load.hits l1.local_store.hits l1.global_store.hits' ;;
        l1.misses) total='l1.global_load.misses l1.local_load.misses l1.local_store.misses l1.global_store.misses' ;;
        l1.merged) total='l1.global_load.merged l1.local_load.merged l1.local_store.merged' ;;
        *) total=${pair#*:} ;;
        esac
        holds "$1: sum of ${pair%:*}" sum "${pair%:*}" "$total"
    done
    for reason in $("$simtx" stats --stalls | awk '$1 != "no_warp" { print $1 }'); do
        holds "$1: sum of stall.$reason" sum "stall.$reason" "stall.$reason"
    done
    holds "$1: every cycle of a warp" sum 'wait\\.[a-z_]*' warp_cycles
}
warps=$((40 * 8))
for machine in v100+2sm quadro-fx5800+2sm h100+2sm; do
    holds "$machine: all kinds of instructions" mix $machine
    pairs $machine
done
holds "h100: an atomic after the 6 machine instructions that combine its lanes, and a barrier" \
    at 7 machine_instructions $((warps * 8 * (7 + 1)))
holds "v100+2sm, again" mix v100+2sm
holds "v100: what the sums are made of" not_zero l1.hits l1.misses l1.atomics const.hits const.misses load.cycles \
    stall.branch stall.barrier stall.issue_width wait.branch wait.barrier
holds "v100: a loop" at 2 issued $((warps * 8))
holds "v100: a division is 20 machine instructions" at 3 machine_instructions $((warps * 8 * 21))
holds "v100: lanes of 4-byte private memory are side by side" at 4 coalescer.lines $((warps * 8 * 2))
holds "v100: an atomic to one word, a request for each warp" at 6 l1.atomics $((warps * 8))
holds "back to the first kernel" launch on --profile on.json --threads 1

check 0 "kernel.cu:3" "$simtx" profile on.json
check 0 "st.shared.u32 [%s], %t" "$simtx" profile on.json --ptx --rows 0
check 0 "" "$simtx" profile on.json -o page.html
holds "well-formed" "$build/regress/paper/wellformed" page.html
holds "no source: said so" grep -q 'The file cannot be read (No such file' page.html
mkdir sources
printf 'one\ntwo\nthree < 3\n' >sources/kernel.cu
check 0 "" "$simtx" profile on.json -o page.html --source sources
holds "the text of a line" grep -q 'three &lt; 3' page.html
# A source of 40 lines: those up to six lines after the last one with instructions are shown.
for n in $(seq 40); do echo "text of line $n"; done >sources/kernel.cu
check 0 "" "$simtx" profile on.json -o page.html --source sources
holds "surroundings: line 12" grep -q 'text of line 12' page.html
holds "surroundings: not line 13" [ "$(grep -c 'text of line 13' page.html)" = 0 ]
references() {
    local name
    for name in $(grep -o 'href="#[^"]*"' page.html | sed 's/href="#//; s/"//'); do
        [ "$(grep -c "id=\"$name\"" page.html)" = 1 ] || { echo "no row $name"; return 1; }
    done
}
holds "references of the page" references
cells() {
    awk '/<table/ { n = 0 } /^<tr/ { c = 0; line = $0
        while (match(line, /<t[dh][ >][^>]*/)) {
            cell = substr(line, RSTART, RLENGTH); line = substr(line, RSTART + RLENGTH)
            c += cell ~ /colspan/ ? substr(cell, index(cell, "colspan=\"") + 9) + 0 : 1 }
        if (n && c != n) { print "a row of " c " cells in a table of " n; bad = 1 } n = c }
        END { exit bad }' page.html
}
holds "cells of the page's rows" cells
printf 'a\0b\nsecond line\n' >sources/kernel.cu
check 0 "" "$simtx" profile on.json -o page.html --source sources
holds "a NUL in a source" grep -q 'second line' page.html

# The table: lines by stalls, of which two are shown; the sum of the shares; waits of an issue from the JSON.
"$simtx" profile on.json --rows 0 >table
"$simtx" profile on.json --rows 2 >two.table
holds "two rows" [ "$(grep -c '^kernel.cu' two.table)" = 2 ]
holds "the others, counted" grep -q '^4 more, with' two.table
holds "the most stalls first" sh -c 'grep "^kernel.cu" table | awk "{ print \$2 }" | sort -rnc'
holds "shares add up" awk '/^kernel.cu/ { sum += $2 } END { exit sum < 99.5 || sum > 100.5 }' table
holds "lanes of line 5, 24 of 32" grep -qE '^kernel.cu:5 .* 24\.0 ' table

# Two launches of a kernel, and one of another: figures are sums.
cat >twice.cu <<'END'
__global__ void one(int *p) { atomicAdd(p, 1); }
__global__ void other(int *p) { atomicAdd(p, 1); }
int main() { int *p; cudaMalloc(&p, 4); one<<<1, 32>>>(p); one<<<2, 32>>>(p); other<<<1, 32>>>(p);
             return cudaDeviceSynchronize(); }
END
holds "a program" "$build/bin/simtx-cc" -lineinfo twice.cu -o twice
holds "its profile" "$simtx" run --quiet --timing --config v100+2sm --profile twice.json -- ./twice
check 0 "2 launches" "$simtx" profile twice.json --kernel one
check 0 "1 launch," "$simtx" profile twice.json --kernel other
check 0 "twice.cu:1 " "$simtx" profile twice.json --kernel one

# Large kernels, files that are no profiles.
awk 'BEGIN { print ".version 7.0\n.target sm_70\n.address_size 64\n.file 1 \"big.cu\"\n.visible .entry big()\n{\n.reg .u32 %a;"
    for (i = 1; i <= 30000; i++) printf ".loc 1 %d 1\nadd.u32 %%a, %%a, 1;\n", i; print "ret;\n}" }' >big.ptx
holds "a large kernel" "$simtx" launch --quiet --timing --config tiny --profile big.json big.ptx --grid 1 --block 32
check 0 "big.cu:" timeout 20 "$simtx" profile big.json
check 0 "" timeout 20 "$simtx" profile big.json -o big.html
edited() {
    sed "$1" on.json >edited.json
    check 2 "$2" "$simtx" profile edited.json
}
edited '0,/"issued": /s/"issued": /"issued": -/' '"issued" is not a number of 0 to'
edited '0,/"line": /s/"line": /"line": 9999999999/' '"line" is not a number of 0 to'
edited 's/"kernels": \[/"kernels": [3,/' '"functions" is not an array'
edited 's/"name": "stall.sleep"/"name": "stall.nap"/' "its figures are those of another version of simtx"
check 2 "--rows -1: expected a number" "$simtx" profile on.json --rows -1
check 2 "--markdown is for --figures" "$simtx" profile on.json --markdown

sed '/"file": \|"line": /d' on.json >nolines.json
check 0 "No line information: compile with -lineinfo" "$simtx" profile nolines.json
check 2 "expected the FILE that --profile wrote" "$simtx" profile
check 2 "none.json: No such file" "$simtx" profile none.json
check 2 "it has statistics (--stats)" "$simtx" profile on.stats
check 2 "no kernel with 'none' in its name" "$simtx" profile on.json --kernel none
check 1 "cannot write no/such.html" "$simtx" profile on.json -o no/such.html
check 2 "cannot write /no/such.json" "$simtx" launch --timing --profile /no/such.json "$here/kernel.ptx" --grid 1 --block 1

finish
