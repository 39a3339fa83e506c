#!/bin/bash
# `simtx report`: pages are well-formed, refer to no other file, and show the figures of the statistics. Usage: run.sh
# BUILD; the last line counts.
suite=report
. "$(dirname "$0")/../harness.sh"
check=$build/regress/report/check
wellformed=$build/regress/paper/wellformed

# run NAME OPTIONS... -- PROGRAM ARGUMENTS...: its statistics are NAME.json.
run() {
    local name=$1
    shift
    timeout 60 "$simtx" run --quiet --timing --stats "$name.json" "$@" >/dev/null
}

# ---- arguments ----
check 0 "usage: simtx report" "$simtx" report --help
check 2 "expected statistics files" "$simtx" report
check 2 "none.json: No such file" "$simtx" report none.json
echo '{}' >empty.json
check 2 "not a statistics file" "$simtx" report empty.json
echo 'int main() { }' >program.cu
check 2 "program.cu:1:3: not a statistics file of simtx" "$simtx" report program.cu
check 2 "no statistics file of simtx in this folder" "$simtx" report .
check 2 "expected after its statistics file" "$simtx" report --series a.csv

# ---- one run with two kernels, and a time series ----
holds "a run" run bfs --config gtx480+2sm --window 1000,bfs.csv -- "$build/kernels/bfs" 2000
check 0 "" "$simtx" report bfs.json -o bfs.html
holds "well-formed" "$wellformed" bfs.html
holds "figures of kernels and total" "$check" figures bfs.html bfs.json
holds "no network, no script" bash -c "! grep -qE '(src|href)=|url\(|@import|<script|<link' bfs.html"
for section in cycles latency time memory roofline energy instructions; do
    holds "section $section" grep -q "<h2 id=\"$section\">" bfs.html
done
holds "no transactions" bash -c "! grep -q 'id=\"transactions\"' bfs.html"
holds "the series is drawn" [ "$(grep -c '<polyline' bfs.html)" = 3 ]
# 2 SMs x 2 schedulers / 2 cycles x 32 lanes x 1.4 GHz; 6 channels x 64 bytes / 2 cycles x 924 MHz
holds "the roofs" bash -c "grep -q '= 89.6 thread' bfs.html && grep -q '= 177.4 GB/s' bfs.html"
check 2 "not a time series" "$simtx" report bfs.json --series bfs.json -o x.html
check 2 "none.csv: No such file" "$simtx" report bfs.json --series none.csv -o x.html
mkdir apart && cp bfs.json apart
check 0 "" "$simtx" report apart/bfs.json -o without.html
holds "found by name" grep -q '<polyline' without.html
cp bfs.csv whole.csv
mv bfs.csv apart
echo another >bfs.csv
check 0 "" "$simtx" report apart/bfs.json -o beside.html
rm bfs.csv
holds "beside the statistics before the current folder" grep -q '<polyline' beside.html
mv apart/bfs.csv moved.csv
check 0 "" "$simtx" report apart/bfs.json -o without.html
holds "no series: said so" grep -q 'No time series' without.html
check 0 "" "$simtx" report apart/bfs.json --series moved.csv --title 'A <b>' -o given.html
holds "the series that is given" grep -q '<polyline' given.html
holds "the title that is given" grep -q '<h1>A &lt;b&gt;</h1>' given.html

# Numbers that are not finite, and a machine without DRAM, end no page in an endless axis.
limited=(bash -c 'ulimit -f 20000; exec "$@"' -)
awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
                  NR == 3 { $at["ipc"] = "inf"; $at["occupancy"] = "nan"; $at["dram.utilisation"] = "1e999" }
                  NR == 4 { $at["machine_cycles"] = "1e999" } { print }' whole.csv >infinite.csv
check 0 "" "${limited[@]}" "$simtx" report bfs.json --series infinite.csv -o infinite.html
holds "no number that is not finite is drawn" bash -c "! grep -qE '[\" ,](-?inf|-?nan)\b' infinite.html"
sed 's/"dram.mhz": [0-9]*/"dram.mhz": 0/' bfs.json >nodram.json
holds "a machine without DRAM" bash -c "! cmp -s bfs.json nodram.json"
check 0 "" "${limited[@]}" "$simtx" report nodram.json -o nodram.html
holds "no roofline" bash -c "! grep -q 'id=\"roofline\"' nodram.html"

# Names that are not UTF-8, or are cut in a picture.
odd=$'od\x01d\xff\xc3.json'
cp bfs.json "$odd"
check 0 "" "$simtx" report "$odd" -o odd.html
holds "well-formed with an odd name" "$wellformed" odd.html
holds "the odd name" grep -q '<h1>simtx: od?d??</h1>' odd.html
long=x$(printf 'é%.0s' {1..60})
cp bfs.json "$long.json"
check 0 "" "$simtx" report "$long.json" "$odd" -o long.html
holds "well-formed with a long name" "$wellformed" long.html
holds "characters are not cut" bash -c "! grep -q '\?\.\.\.' long.html"

# ---- two runs ----
holds "transactions" run kilo --config kilotm+2sm -- "$build/kernels/ht" --size 400
holds "with another limit" run more --config kilotm+2sm --set tm.warps=8 -- "$build/kernels/ht" --size 400
check 0 "" "$simtx" report kilo.json -o kilo.html
holds "the bar of scheduler cycles" "$check" shares kilo.html kilo.json
check 0 "" "$simtx" report kilo.json more.json -o two.html
holds "well-formed page of two" "$wellformed" two.html
holds "figures of both" "$check" figures two.html kilo.json more.json
holds "aborts by reason" grep -q 'data-name="tm.abort.validation"' two.html
"$simtx" compare --json kilo.json more.json | sed -n 's/^ *"name": "\(.*\)",$/\1/p' | grep -v '^tm.warps$' |
    head -n 30 >ranked
sed -n '/id="differences"/,/<details>/s/^<tr><th>\([^<][^<]*\)<.*/\1/p' two.html |
    grep -v '^tm.warps$' | head -n 30 >shown
holds "differences in the order of simtx compare" cmp ranked shown

# ---- many ----
mkdir sweep
for warps in 1 2 4; do
    holds "limit $warps" \
        run sweep/warps-$warps --config kilotm+2sm --set tm.warps=$warps -- "$build/kernels/ht" --size 400
done
echo '[]' >sweep/other.json
check 0 "" "$simtx" report sweep -o sweep.html
holds "well-formed page of many" "$wellformed" sweep.html
holds "figures of all" "$check" figures sweep.html sweep/warps-*.json
holds "the key that differs" grep -q '<th>tm.warps</th>' sweep.html

# The folder of a sweep: runs have the names of the values in which they differ.
mkdir -p study/runs
for warps in 1 2 4; do
    cp sweep/warps-$warps.json study/runs/r$warps.json
done
row() {
    printf '{"run": "r%s", "state": "done", "values": {"program": "ht", "config": "%s", "tm.warps": %s}}' "$1" "$2" "$1"
}
printf '{"rows": [%s, %s, %s, %s]}' "$(row 1 kilotm)" "$(row 2 kilotm)" "$(row 4 warptm)" "$(row 8 warptm)" \
    >study/results.json
check 0 "" "$simtx" report study -o study.html
holds "figures of a sweep" "$check" figures study.html study/runs/r1.json study/runs/r2.json study/runs/r4.json
holds "names of a sweep's runs" grep -q '<th>warptm tm.warps=4</th>' study.html

# ---- a sampled launch ----
check 0 "blocks were simulated, core cycles +- " "$simtx" launch --timing --config gtx480+2sm --set sim.sample=5 \
    --stats sampled.json "$here/../cli/vadd.ptx" --grid 300 --block 64 --arg 'f32[19200]:iota' --arg 'f32[19200]:0.5' \
    --arg 'f32[19200]:0' --arg u32:19200
check 0 "of 300 blocks; all launches take about" "$simtx" stats sampled.json
check 0 "" "$simtx" report sampled.json -o sampled.html
holds "the page says that it is sampled" grep -qE '<p class="sampled">Sampled: vadd: [0-9]+ of 300 blocks' sampled.html
holds "well-formed page of a sample" "$wellformed" sampled.html

# ---- functional mode; a page that cannot be written ----
holds "functional" timeout 60 "$simtx" run --quiet --stats plain.json -- "$build/kernels/ht" --size 400 >out
check 0 "" "$simtx" report plain.json -o plain.html
holds "figures of functional mode" "$check" figures plain.html plain.json
holds "no cycles" bash -c "! grep -q 'id=\"cycles\"' plain.html"
check 1 "cannot write no/such.html" "$simtx" report bfs.json -o no/such.html
check 1 "cannot write /dev/full" "$simtx" report apart/bfs.json -o /dev/full

finish
