#!/bin/bash
# Random settings of the machine's keys, extremes first: simtx either refuses them with a message or runs the kernel
# to its right result in timing mode; it never crashes or hangs. Usage: random.sh BUILD [RUNS [SEED]]; the last line
# counts.
suite=config-random
. "$(dirname "$0")/../harness.sh"
runs=${2:-120}
ran=0
refused=0

# One line a run: a preset and its settings.
"$simtx" config list --keys --markdown | awk -v runs="$runs" -v seed="${3:-1}" -F ' [|] ' '
    function pick(n) { return int(rand() * n) }
    function value(k,    r, lo, hi, v, how) {
        if (split(values[k], r, " to ") != 2) {
            v = split(values[k], r, ", ")
            return r[1 + pick(v)]
        }
        lo = r[1] + 0; hi = r[2] + 0; how = pick(5)
        v = how == 0 ? lo : how == 1 ? hi : how == 2 ? fallback[k] + pick(7) - 3 : 2 ^ pick(11)
        return v < lo ? lo : v > hi ? hi : v
    }
    /^\| `(gpu|core|latency|interval|coalescer|shared|l1|const|texture|inst|tlb|xbar|l2|dram)\./ && $3 != "text" {
        name[++n] = substr($1, 4, length($1) - 4); fallback[n] = $2; values[n] = $3
    }
    END {
        srand(seed)
        m = split("default gtx480 gtx480-sc gtx480-reference quadro-fx5800 southern-islands v100 a100 h100", machine, " ")
        o = split("+tiny +1sm +l1on +l1off", overlay, " ")
        for (i = 0; i < runs; i++) {
            line = machine[1 + pick(m)] (pick(2) ? overlay[1 + pick(o)] : "")
            for (j = pick(5); j >= 0; j--) {
                k = 1 + pick(n)
                line = line " --set " name[k] "=" value(k)
            }
            print line
        }
    }' >runs
while read -r line; do
    status=0
    timeout 60 "$simtx" launch --quiet --grid 1 --block 1 --config $line --set sim.mode=timing \
        --set sim.hang_cycles=1000000 \
        "$here/random.ptx" --grid 6 --block 128 --arg u32[768]:iota --arg sum=u32[64]:0 --print sum:1 >out 2>err ||
        status=$?
    if [ "$status" = 2 ] && grep -qE '^(error|simtx launch): ' err; then
        refused=$((refused + 1))
        pass
    elif [ "$status" = 0 ] && grep -qF 'sum: 589344 ' out; then
        ran=$((ran + 1))
        pass
    else
        fail "--config $line: exit status $status" out err
    fi
done <runs

# Both ends must be met, or the settings are not what they should be.
for n in "$ran" "$refused"; do
    [ "$n" -ge $((runs / 10)) ] || fail "$ran ran, $refused were refused"
done
finish
