#!/bin/bash
# `simtx paper` and `simtx cost`: their arguments; results are reused, runs interrupted, failing runs reported; pages
# and pictures are well-formed. Usage: run.sh BUILD; the last line counts.
suite=paper
. "$(dirname "$0")/../harness.sh"

# Blanks in a row count as one.
printed() {
    cat out err | tr -s ' '
}

nothing_runs() {
    ! pgrep -f "$work/stopped/runs"
}

# ---- arguments ----
check 0 "usage: simtx paper NAME" "$simtx" paper --help
check 2 "no paper given" "$simtx" paper
check 2 "did you mean kilotm" "$simtx" paper kilotn
check 2 "no paper is called 'foo'; expected " "$simtx" paper foo
holds "the papers' names" grep -q "comparison.*kilotm.*sitm\|kilotm.*comparison" err
check 2 "(\`simtx config list --presets\` shows all" "$simtx" cost foo
check 2 "did you mean localtm" "$simtx" paper localm
check 2 "more than one paper given" "$simtx" paper kilotm kilotm
check 2 "unknown option --quik, did you mean --quick?" "$simtx" paper kilotm --quik
for jobs in 0 -1 x 99999; do
    check 2 "expected a number from 1 to 1024" "$simtx" paper kilotm --jobs $jobs
done
check 2 "--only: expected names of figures" "$simtx" paper kilotm --only fgl,nothing --out o
check 2 "cannot create the folder /nonexistent/o" "$simtx" paper kilotm --out /nonexistent/o
check 2 "--programs" "$simtx" paper kilotm --programs /nonexistent --out o
check 2 "build the benchmarks" "$simtx" paper kilotm --programs . --out o
check 0 "simtx run --timing" "$simtx" paper kilotm --plan --programs . --out planned
check 0 "14 runs to do, 0 done" "$simtx" paper kilotm --plan --quick --only kl,fgl --programs . --out planned
check 0 "2 runs to do, 0 done" "$simtx" paper kilotm --plan --quick --only kl,fgl,ht-h --programs . --out planned
check 0 "9 runs to do, 0 done" "$simtx" paper kilotm --plan --quick --only sec313 --programs . --out planned
check 0 "21 runs to do, 0 done" "$simtx" paper kilotm --plan --only fig2 --programs . --out planned
holds "plans make no folder" [ ! -e planned ]

# ---- runs: the locks' versions of the hash table ----
small="$simtx paper kilotm --quick --only fgl,HT-H,HT-L --out small"
check 0 "of 217" $small
counts='[0-9]+ measured, [0-9]+ by configuration, [0-9]+ not reproduced, [0-9]+ not judged, 6 not applicable of 217'
holds "last line" bash -c "tail -n 1 out | grep -qE '^claims: $counts\$'"
holds "headlines have mean and tolerance" grep -qE '^K-002 .* 128 +15 % +not judged' out
holds "statistics, log and key of each run" bash -c "ls small/runs/HT-{H,L}.fgl.quick.{json,log,key}"
holds "nothing else is left" [ "$(ls small/runs | wc -l)" = 6 ]
holds "well-formed page and pictures" "$build/regress/paper/wellformed" small/index.html small/*.svg
holds "a row a claim" [ "$(grep -c '^K-' small/claims.csv)" = 217 ]
holds "headlines in other readings: none without its runs" grep -qx id,reading,published,simulated small/readings.csv
holds "a simulated figure in a table, without the published one of the full size" \
    grep -qE '^HT-H,"fine-grained locks","IPC",[0-9.]+,$' small/table1.csv
holds "a relation shows the values of keys" \
    grep -q '^K-134,by configuration,configuration,holds,"core.policy is lrr"' small/claims.csv
holds "a relation shows its numbers" \
    grep -q '^K-128,by configuration,configuration,holds,"30 == 30 and 3 == 3"' small/claims.csv
holds "rows that this size cannot judge say so" grep -qE '^K-007,not .*not run at this size' small/claims.csv
holds "the page explains the four verdicts" \
    [ "$(grep -oE '<td class="v[0-3]">[a-z ]+</td><td class="words">' small/index.html |
    sort -u | wc -l)" = 4 ]
holds "a tolerance beside each row" \
    [ "$(grep -cE '^K-[0-9]+,.*,"(exact|relation|[^"]* %|(above|below) [^"]*|[^"]* to [^"]*)",' \
    small/claims.csv)" = 211 ]
holds "a preset's value is by configuration" grep -qE '^K-129,by configuration,configuration,32,"32",0,"exact",' \
    small/claims.csv

# Transactions: sets of the hash table are the paper's at any size; pictures of all figures have values.
check 0 "of 217" "$simtx" paper kilotm --quick --only kl,klu,ideal,fgl,HT-H,HT-L --out tm
for claim in 038 039 040 041 051 053; do
    holds "K-$claim: words of a transaction" grep -qE "^K-$claim,by configuration," tm/claims.csv
done
holds "a ratio of two runs is judged" grep \
    -qE '^K-164,(measured|not reproduced),run,1.66,"[0-9.]+",-?[0-9.]+,"15 %",HT-L,' tm/claims.csv
holds "well-formed page and pictures of them" "$build/regress/paper/wellformed" tm/index.html tm/*.svg
holds "thread states" grep -qE '^HT-H,"KILO TM, 2 warps","TO committing",0*[.0-9]*[1-9]' tm/fig9.csv

# GPU-LocalTM: two hash tables, and the cases whose course the paper gives.
local="$simtx paper localtm --quick --only lt,es,traced,serial,HT32,HT256,MASKS,BANK,FILTER,ALIAS,BYTES --out local"
check 0 "17 runs to do, 0 done" $local --plan
check 0 "of 90" $local
for claim in E-009 E-013 E-014 E-015 E-016 E-017 E-018 L-013 L-014 L-015 L-016 L-017 L-020 L-022 L-023; do
    holds "$claim: costs, limits, masks" grep -q "^$claim,by configuration," local/claims.csv
done
holds "L-027: HT256 has no run too many" grep -q '^L-027,by configuration,configuration,1,"1",0,' local/claims.csv
for claim in $(seq -f L-%03g 48 72); do
    holds "$claim: a step of Table 1" grep -q "^$claim,measured,run," local/claims.csv
done
holds "the masks of a step" grep -q '^L-064,.*"13 == 13 and 10 == 10 and 1 == 1 and 11 == 11' local/claims.csv
rm local/runs/MASKS.traced.quick.timeline
check 0 "1 runs to do, 16 done" $local --plan
echo '{ "traceEvents": [] }' >local/runs/MASKS.traced.quick.timeline
check 0 "of 90" $local
holds "a step that its timeline does not have is not judged" grep -q '^L-064,not judged,' local/claims.csv
holds "a row a claim" [ "$(grep -cE '^[EL]-' local/claims.csv)" = 90 ]
holds "well-formed page and pictures of them" "$build/regress/paper/wellformed" local/index.html local/*.svg
holds "a breakdown" grep -qE '^HT32,"GPU-LocalTM","TX code",0\.[0-9]+' local/fig3b.csv

# Memory ordering: definitions of orders, and the preset; programs without a version.
ordering="$simtx paper sc --quick --only rmo,sc,types,rmowt,scwt,typeswt,gemm,messages --out ordering"
check 0 "12 runs to do, 0 done" $ordering --plan
holds "no version" bash -c "! grep -q -- --version out"
check 0 "of 63" $ordering
for claim in $(seq -f C-%03g 31 39); do
    holds "$claim: outcomes of each way of ordering" grep -q "^$claim,measured,run," ordering/claims.csv
done
for claim in C-004 C-029 $(seq -f C-%03g 40 63); do
    holds "$claim: the preset" grep -q "^$claim,by configuration,configuration," ordering/claims.csv
done
holds "a row a claim" [ "$(grep -c '^C-' ordering/claims.csv)" = 63 ]
holds "well-formed page and pictures of it" "$build/regress/paper/wellformed" ordering/index.html ordering/*.svg
holds "bars" grep -qE '^gemm,"type-aware SC","time",[0-9.]+' ordering/fig6.csv

# Snapshot isolation: programs whose options give their size; sets and pairs of transactions under WarpTM.
snapshots="$simtx paper sitm --only warp,kilo,LL1,BT2 --out snapshots"
check 0 "32 runs to do, 0 done" $snapshots --plan        # eight seeds
holds "no size" bash -c "! grep -q -- --size out"
check 0 "of 129" $snapshots
for claim in S-062 S-074 S-075; do
    holds "$claim: words read and written" grep -qE "^$claim,measured,run,[0-9]+,\"[0-9.]+\",-?[0-9.]+,\"20 %\"," \
        snapshots/claims.csv
done
for claim in $(seq -f S-%03g 28 36) $(seq -f S-%03g 47 51) S-061 S-063 S-101; do
    holds "$claim: the preset, the program" grep -q "^$claim,by configuration,configuration," snapshots/claims.csv
done
holds "a row a claim" [ "$(grep -c '^S-' snapshots/claims.csv)" = 129 ]
holds "well-formed page and pictures of it" "$build/regress/paper/wellformed" snapshots/index.html snapshots/*.svg
holds "pairs" grep -qE '^LL1,"WarpTM","read and write only",0\.[0-9]+' snapshots/fig2.csv

# The comparison has no claims: a page, figures, and no verdicts.
compared="$simtx paper comparison --quick --only kilo2,warp2,ideal2,idealu,fgl,HT-H --out compared"
check 0 "5 runs to do, 0 done" $compared --plan
check 0 "page: " $compared
holds "no verdicts" bash -c "[ ! -e compared/claims.csv ] && ! grep -qi claim out compared/index.html"
holds "well-formed page and pictures of it" "$build/regress/paper/wellformed" compared/index.html compared/*.svg
holds "time relative to locks" grep -qE '^HT-H,"WarpTM, 2 warps","time",[0-9.]+,$' compared/time-suite.csv

# Results of finished runs are reused; not when the run would be another one, nor with --fresh.
touch small/mark
check 0 "of 217" $small
holds "results were reused" [ ! small/runs/HT-H.fgl.quick.json -nt small/mark ]
check 0 "2 done" $small --plan
check 0 "of 217" $small --fresh
holds "--fresh runs again" [ small/runs/HT-H.fgl.quick.json -nt small/mark ]
sed -i 's/fgl/fgx/' small/runs/HT-L.fgl.quick.key
check 0 "1 runs to do, 1 done" $small --plan
printf '{' >small/runs/HT-H.fgl.quick.json
check 0 "2 runs to do, 0 done" $small --plan

# A run that fails is reported with the last lines of its output; the others are run.
mkdir programs
ln -s "$build/kernels/ht" programs/ht
printf '#!/bin/sh\nexit 0\n' >programs/cl
chmod +x programs/cl
broken="$simtx paper kilotm --quick --only fgl,CL,HT-H --out broken --programs programs"
check 1 "CL.fgl.quick failed: exit status 2" $broken
holds "what it said is shown" grep -q "programs/cl" err
check 1 "1 runs failed" $broken
holds "the other run is there" [ -s broken/runs/HT-H.fgl.quick.json ]
holds "the failed one is not" [ ! -e broken/runs/CL.fgl.quick.key ]
mkdir presets
cp "$build"/share/simtx/configs/*.cfg presets
printf 'tm: { backoff = -1; };\n' >presets/tm-locks.cfg
check 1 "configuration fgl: " env SIMTX_CONFIG_DIR=presets $small --out wrong

# Only one at a time in a folder.
exec 9<small/runs
flock 9
check 2 "another simtx runs in this folder" $small
exec 9<&-
check 0 "of 217" $small

# Ctrl-C ends children and keeps what is finished.
holds "interruption" interrupt "1 running" "$simtx" paper kilotm --only fgl,HT-H,CL --jobs 1 --out stopped --progress
holds "what to do then" says "the same command continues"
holds "no process is left" nothing_runs
holds "no half of a run is left" bash -c "! ls stopped/runs/*.part"
check 0 "to do" "$simtx" paper kilotm --only fgl,HT-H,CL --plan --out stopped

# ---- cost ----
# bytes NAME BYTES CONFIG...: a structure's size.
bytes() {
    local name=$1 value=$2
    shift 2
    check 0 "\"bytes\": $value," \
        sh -c "$simtx cost $* --json | tr -d '\n' | tr -s ' ' | sed 's/}, {/\n/g' | grep '\"$name\"'"
}
check 0 "usage: simtx cost" "$simtx" cost --help
check 2 "no configuration given" "$simtx" cost
check 2 "no preset is called kilotn" "$simtx" cost kilotn
check 2 "one configuration at a time" "$simtx" cost kilotm kilotm
check 2 "tm.warps" "$simtx" cost kilotm --set tm.warps=x
check 0 "whole GPU: 0 B" "$simtx" cost gtx480
# 8 entries of 128 bytes for each of 48 warps (MICRO 2015, section 1)
check 0 " 48 kB " "$simtx" cost gtx480-sc+tso-store-buffer
check 0 "type-aware SC: type-cache" "$simtx" cost gtx480-sc+sc-types
check 0 "L2 slice: 5 kB" "$simtx" cost kilotm
check 0 "L2 slice: 512 B" "$simtx" cost kilotm+lwh-512
bytes lwh_table 3072 kilotm
bytes lwh_filter 2048 kilotm
bytes ring 19200 kilotm+finite-units
bytes read_buffers 122880 kilotm+finite-units
bytes write_buffers 122880 kilotm+finite-units
bytes buffer_pool 32768 kilotm+finite-units --set kilotm.buffers=512
bytes bf_array 245760 kilotm+finite-units+bf-array
bytes bf_array 122880 kilotm+finite-units+bf-array --set kilotm.bf_bits=256
bytes signatures 3932160 kilotm+tm-ideal --set tm.ideal_detection=signature
bytes bank_filters 8192 localtm
bytes bank_filters 16384 localtm+localtm-rw
bytes guards 5 sitm
bytes records 1966080 kilotm+tm-ideal --set tm.ideal_detection=ring --set tm.signature_bits=512

finish
