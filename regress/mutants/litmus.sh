#!/bin/sh
# Finder of faults by outcomes of litmus tests that the model of the policy forbids.
# Usage: litmus.sh PROGRAM [POLICY PROTOCOL[,full][,small|,tiny] [TEST...]]; PROGRAM is the command simtx with the fault.
# full: the ordering oracle checks the executions, too. small: sectors of a line, and so few entries in classifiers and
# type-caches that most requests evict one; tiny: one entry in each, and in the safe and unsafe queues. The tests are of
# regress/litmus. Without arguments: all policies on a few tests, where nothing must be found.
program=$1
policy=$2
protocol=$3
[ $# -lt 3 ] || shift 2
shift
here=$(dirname "$0")/../litmus
RUNS=40000               # of a test with each seed; small, tiny: a sixth, since each takes so much longer
SECONDS_EACH=100         # of CPU time
SEEDS="1 2 3 4 5"        # each with an arrangement of its own
SMALL="--set types.sector=128 --set types.mac=4 --set types.mac_ways=1 --set types.cache=16"
TINY="--set types.sector=128 --set types.mac=1 --set types.mac_ways=1 --set types.cache=1 --set types.cache_ways=1 \
--set types.safe_queue=1 --set types.unsafe_queue=1"

# search POLICY PROTOCOL RUNS TEST SEED: prints the line of the test, and what the simulator says when it stops.
search() {
    local check=order small=
    case $2 in *,full*) check=full ;; esac
    case $2 in
    *,small*) small="$SMALL --runs $(($3 / 6))" ;;
    *,tiny*) small="$TINY --runs $(($3 / 6))" ;;
    esac
    (ulimit -t $SECONDS_EACH && exec "$program" litmus "$here/$4.litmus" --brief --policy "$1" \
        --set coherence.protocol="${2%%,*}" --set xbar.vns=5 --set order.check=$check \
        --runs "$3" $small --seed "$5") 2>&1
}

# verdict OUTPUT STATUS: the check that found the fault, or nothing.
verdict() {
    case $1 in
    *'forbids an outcome'*) echo 'forbidden outcome' ;;
    *'hang in kernel'*) echo hang ;;
    *'order policy'* | *'order.check'*) echo 'order check' ;;
    *)
        case $2 in
        0) ;;
        137 | 152) echo 'hang (time limit)' ;;
        *) echo "the simulator's own check" ;;
        esac ;;
    esac
}

if [ -z "$policy" ]; then
    for policy in rmo-ptx tso tso-store-buffer sc sc-prefetch sc-types; do
        for t in ptx/MP+rel+acq x86/SB+mfences; do
            out=$(search $policy write-through 5000 $t 1)
            [ -z "$(verdict "$out" $?)" ] || printf 'found\t%s\t%s\t%s\n' "$out" "$policy" "$t"
        done
    done
    printf 'survives\n'
    exit
fi

outcomes=0
for t in "$@"; do
    for seed in $SEEDS; do
        out=$(search "$policy" "$protocol" $RUNS "$t" $seed)
        found=$(verdict "$out" $?)
        outcomes=$((outcomes + $(echo "$out" | sed -n 's/.* outcomes \([0-9]*\).*/\1/p' | head -n 1)+0))
        if [ -n "$found" ]; then
            printf 'found\t%s\t%s\t%s\n' "$found" "${t##*/}, $policy, $protocol" "$outcomes outcomes"
            exit
        fi
    done
done
printf 'survives\t\t%s\t%s\n' "$policy, $protocol" "$outcomes outcomes"
