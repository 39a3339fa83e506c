#!/bin/bash
# Every litmus test under every policy and every protocol that the configuration offers, or only the named rows
# ("tso,mesi"; "sc-types,none,small": small tables). Usage: all.sh BUILD RUNS [ROW...]
suite=litmus-all
source "$(dirname "$0")/../harness.sh"
runs=$2
shift 2
rows=" $* "
done_rows=" "
networks=5                               # virtual networks, for messages of policies and protocols: all there can be
small='--set types.sector=128 --set types.mac=4 --set types.mac_ways=1 --set types.cache=16'  # most requests evict

values() {
    "$simtx" config explain "$1" | sed -n 's/^ *values: //p' | tr -d ,
}

mkdir generated
"$build/regress/litmus/diy" generated >/dev/null
tests=$(ls "$PWD"/generated/*.litmus "$here"/*/*.litmus)
printf '%-24s %-14s %-6s %7s %10s %10s %12s %6s\n' policy protocol model tests outcomes forbidden 'weak seen' 'CPU s'

# One row of the table, from the lines of the tests.
row() {
    awk -v policy="$1" -v protocol="$2" -v cpu="$(cat cpu)" '/ states / {
        tests++; model = $2
        for (i = 3; i < NF; i++) {
            if ($i == "outcomes") outcomes += $(i + 1)
            if ($i == "forbidden") forbidden += $(i + 1)
            if ($i == "weak") { split($(i + 1), w, "/"); seen += w[1]; weak += w[2] }
        } }
        END { printf "%-24s %-14s %-6s %7d %10d %10d %12s %6.0f\n", policy, protocol, model, tests, outcomes,
              forbidden, seen "/" weak, cpu }' out
}

# table NAME POLICY PROTOCOL [OPTION...]: every test on one machine, and its row.
table() {
    local name=$1 policy=$2 protocol=$3
    shift 3
    case $rows in
    '  ' | *" $policy,$protocol${1:+,small} "*) ;;
    *) return ;;
    esac
    done_rows+="$policy,$protocol${1:+,small} "
    local TIMEFORMAT=%U status=0
    { time tests_of "$policy" "$protocol" | xargs "$simtx" litmus --brief --runs "$runs" --policy "$policy" \
                           --set coherence.protocol="$protocol" --set xbar.vns=$networks "$@" >out 2>err; } 2>cpu ||
        status=$?
    if [ $status = 0 ]; then
        passed=$((passed + $(grep -c ' states ' out)))
    else
        fail "$name, $protocol" err
    fi
    row "$name" "$protocol"
}

# Without coherent L1s a weak load may return a stale value under every policy (docs/ordering.md).
tests_of() {
    case $1,$2 in
    rmo*,*) echo $tests ;;
    *,none) echo $tests | tr ' ' '\n' | grep -v '+weak' ;;
    *) echo $tests ;;
    esac
}

for policy in $(values order.policy); do
    for protocol in $(values coherence.protocol); do
        table "$policy" "$policy" "$protocol"
        [ "$policy" != sc-types ] || table "$policy, small" "$policy" "$protocol" $small
    done
done
for wanted in $rows; do
    case $done_rows in
    *" $wanted "*) ;;
    *) fail "there is no row $wanted" ;;
    esac
done
finish
