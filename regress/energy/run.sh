#!/bin/bash
# The energy of launches: what is reported is what formula.txt gives for the reported counters and configuration, and
# each key changes its part only. Usage: run.sh BUILD; the last line counts.
suite=test-energy
. "$(dirname "$0")/../harness.sh"
check_energy=$build/regress/energy/check_energy

# Machines, and the program for each, which together have events of every key.
machines=(
    "mix gtx480+2sm+l1on --set texture.nc=true"
    "mix default+2sm --set core.tensor=1 --set dram.refresh=true --set dram.tREFI=600"
    "mix quadro-fx5800+3sm+tiny"
    "mix southern-islands+2sm"
    "mix gtx480+2sm --set version.slots=8"
    "mix gtx480-reference+2sm"
    "mix v100+2sm"
    "mix gtx480-sc+sc-types+2sm"
    "mix gtx480-sc+mesi+2sm"
    "tx kilotm+2sm"
    "tx warptm+2sm"
    "tx micro2013+2sm"
    "tx_shared localtm+2sm"
    "cuda:list sitm"
    "cuda:texture_gather gtx480+2sm"
)

# run "PROGRAM MACHINE OPTIONS" OPTIONS...: statistics in stats.json, the table in out.table. PROGRAM: PTX of this
# folder, or cuda:NAME, one of kernels/.
run() {
    local words program options common=(--quiet --timing --stats stats.json --verbose)
    read -ra words <<<"$1"
    shift
    if [[ ${words[0]} == cuda:* ]]; then
        timeout 60 "$simtx" run "${common[@]}" --config "${words[@]:1}" "$@" "$build/kernels/${words[0]#cuda:}" \
            2>out.table
        return
    fi
    program=$here/${words[0]}.ptx
    read -ra options <<<"$(sed -n 's,^// run: ,,p' "$program")"
    timeout 60 "$simtx" launch "${common[@]}" --config "${words[@]:1}" "$@" "$program" "${options[@]}" 2>out.table
}

# parts FILE...: checks the statistics, and writes their parts to the file.
parts() {
    "$check_energy" "$here/formula.txt" stats.json >"$1" || { cat "$1"; return 1; }
}

# number FILE PART
number() {
    sed -n "s/^$2 //p" "$1"
}

# ---- the formula, on every machine ----
for m in "${machines[@]}"; do
    holds "$m" run "$m"
    holds "$m: by the formula" parts parts.txt
    holds "$m: the table" grep -q '^energy .* of which$' out.table
done

# ---- each key, doubled, adds its own term to its own part: the first machine with such events shows it ----
keys=$(awk '!/^#/ && NF { print $1 ":" $3 }' "$here/formula.txt")
# doubled "MACHINE" PART KEY: fails when the machine has no such events.
doubled() {
    local value
    value=$(sed -n "s/^ *\"energy.$3\": \([^,]*\),\?$/\1/p" base.json)
    run "$1" --set "energy.$3=$(awk -v x="$value" 'BEGIN { print 2 * x }')" || return 2
    parts doubled.txt || return 2
    changed=$(diff parts.txt doubled.txt | sed -n 's/^> \([a-z0-9_]*\) .*/\1/p')
    [ -n "$changed" ]
}
for m in "${machines[@]}"; do
    run "$m"
    parts parts.txt
    cp stats.json base.json
    missing=
    for k in $keys; do
        if doubled "$m" "${k%%:*}" "${k#*:}" >log 2>&1; then
            holds "energy.${k#*:} changes ${k%%:*} only" test "$changed" = "${k%%:*}"
        else
            missing="$missing $k"
        fi
    done
    keys=$missing
done
holds "every key has events on some machine, not$keys" test -z "$keys"

# ---- zero ----
m=${machines[0]}
zero=()
for k in $(awk '!/^#/ && NF { print $3 }' "$here/formula.txt"); do
    zero+=(--set "energy.$k=0")
done
holds "all keys 0" run "$m" "${zero[@]}"
holds "all keys 0: by the formula" parts parts.txt
holds "all keys 0: all parts 0" sh -c '! grep -v " 0.000$" parts.txt'
holds "all keys 0: no table" sh -c '! grep -q "^energy " out.table'
holds "energy.scale = 0" run "$m" --set energy.scale=0
holds "energy.scale = 0: by the formula" parts parts.txt
holds "energy.scale = 0: DRAM commands remain" test "$(number parts.txt dram)" != 0.000
holds "energy.scale = 0: register files are 0" test "$(number parts.txt register_files)" = 0.000

# ---- a longer run with the same events: only the power differs ----
pause() {
    timeout 60 "$simtx" launch --quiet --timing --stats stats.json --config gtx480+2sm "$here/mix.ptx" --grid 4 \
        --block 128 --arg u32[16384]:0 --arg "u32:$1" --arg u32:1
}
holds "a pause of 1000 ns" pause 1000
holds "a pause of 1000 ns: by the formula" parts short.txt
holds "a pause of 20000 ns" pause 20000
holds "a pause of 20000 ns: by the formula" parts long.txt
holds "more static energy" awk 'NR == FNR { a = $2; nextfile } { exit !($2 > 1.5 * a); }' short.txt long.txt
holds "nothing else" cmp <(sed 1d short.txt) <(sed 1d long.txt)

# ---- powers of the GTX 480 (docs/energy.md): the published range under load, its 250 W, its idle power ----
power() {
    grep -o '"power": [0-9.]*' stats.json | sed -n '1s/.*: //p'
}
holds "bound by the pipelines" run "fma gtx480"
holds "between 155 and 250 W, not $(power)" awk -v w="$(power)" 'BEGIN { exit !(w >= 155 && w <= 250) }'
holds "bound by DRAM" run "copy gtx480"
holds "between 54 and 155 W, not $(power)" awk -v w="$(power)" 'BEGIN { exit !(w >= 54 && w <= 155) }'

# ---- the same figures however they are simulated ----
energy_lines() {
    sed -n '/"energy": {/,/}/p' stats.json
}
for m in "${machines[0]}" "${machines[8]}"; do
    run "$m"
    energy_lines >one.txt
    for how in "--threads 2" "--threads 5" "--set sim.no_skip=true" "--set sim.sync_window=1"; do
        # The options' words are meant to be split.
        holds "$m $how" run "$m" $how
        holds "$m $how: the same energy" cmp one.txt <(energy_lines)
    done
done

# ---- where the figures are ----
run "${machines[0]}" --window 500,rows.csv
run "${machines[0]}"
grep -A 9 '^energy ' out.table >expected.txt
holds "the table of a file" "$simtx" stats stats.json
"$simtx" stats stats.json | grep -A 9 '^energy ' >other.txt
holds "is that of the run" cmp expected.txt other.txt
sum() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { s += $c }
        END { printf "%.2f\n", s }' rows.csv
}
for k in total dram time; do
    holds "rows of the time series add up: $k" test "$(sum "energy.$k")" = \
        "$(energy_lines | sed -n "s/^ *\"$k\": \([0-9.]*\),\?$/\1/p;" | head -1 | awk '{ printf "%.2f\n", $1 }')"
done
holds "functional mode" timeout 60 "$simtx" launch --quiet --stats stats.json "$here/tx_shared.ptx" --grid 1 --block 32
holds "functional mode has none" sh -c '! grep -q "\"energy\": {" stats.json'
check 0 "of reading a sector of 32 bytes" "$simtx" config explain energy.l2_read
check 0 "energy.delay_product" "$simtx" stats

finish
