#!/bin/bash
# A paper's evaluation added by a table in a protocol's folder (docs/adding.md): simtx paper names it, runs its grid,
# and writes its figure and its verdicts. Usage: paper.sh BUILD; the last line counts.
suite=adding-paper
. "$(dirname "$0")/../harness.sh"
simtx=$build/adding/out/bin/simtx
export SIMTX_CONFIG_DIR=$build/share/simtx/configs

check 0 ", toy" "$simtx" paper --help
check 2 "no paper given: kilotm, localtm, sitm, comparison, toy" "$simtx" paper
check 2 "did you mean toy" "$simtx" paper tou
check 0 "2 runs to do, 0 done" "$simtx" paper toy --plan --programs "$build/kernels"
check 0 "1 measured, 1 by configuration, 0 not reproduced, 0 not judged, 0 not applicable of 2" \
    "$simtx" paper toy --quick --programs "$build/kernels" --out toy
holds "the figure has both configurations" [ "$(grep -cE '^HT,"[a-z -]+","time",[1-9][0-9]*,' toy/fig1.csv)" = 2 ]
holds "well-formed page and picture" "$build/regress/paper/wellformed" toy/index.html toy/fig1.svg
holds "the explanation" grep -qE '^T-001,measured,.*HT: commits 1500, words compared [1-9]' toy/claims.csv
check 0 "of 217" "$simtx" paper kilotm --quick --only fgl,HT-H --programs "$build/kernels" --out kilotm

finish
