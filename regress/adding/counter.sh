#!/bin/bash
# Counters added by a row and an increment (docs/adding.md): their figures are right in both modes, with several host
# threads, in the total, in the time series and in the lists. Usage: counter.sh BUILD; the last line counts.
suite=adding-counter
. "$(dirname "$0")/../harness.sh"
. "$here/../launch.sh"
simtx=$build/adding/out/bin/simtx
export SIMTX_CONFIG_DIR=$build/share/simtx/configs
program=$here/counter.ptx
options=$(sed -n 's,^// run: ,,p' "$program")

# figures NAME VALUE: the launch and the total have it.
figures() {
    grep "\"$1\":" stats.json
    [ "$(grep -c "^ *\"$1\": $2,\?$" stats.json)" = 2 ]
}

for mode in "" "--threads 2" "--timing --config gtx480" "--timing --config gtx480 --threads 2"; do
    # The options' words are meant to be split.
    holds "launch $mode" launch "$program" "$options" $mode
    holds "launch $mode: a counter" figures divergences 8
    holds "launch $mode: a ratio" figures divergence 0.0769230769231
done
holds "a counter of timing mode" figures whole_stores 8
holds "its ratio" figures whole_share 1.0
holds "a time series" launch "$program" "$options" --timing --config gtx480 --window 500,rows.csv
holds "its columns" grep -q '^launch,.*,l1\.whole_stores,.*l1\.whole_share,' rows.csv
check 0 "l1.whole_stores" "$simtx" stats
check 0 "divergences / warp_instructions" "$simtx" stats

finish
