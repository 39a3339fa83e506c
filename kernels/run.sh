#!/bin/bash
# Runs every program of this folder in the simulator and checks its verdict line: once plainly, once with two host
# threads (the output must be the same), once with independent lanes that change places at every instruction (what
# lacks a barrier shows), once with combined accesses, if-conversion and scheduled instructions, once more for each
# `// also:` line of its source (more options of `simtx run`, and behind `--` arguments of the program) and for each
# `// args:` line (arguments of the program). Options for `simtx run` come from the source's `// run:` line. Usage:
# run.sh [BUILD [NAME...]]; the last line counts.
build=${1:-build}
shift
here=$(dirname "$0")
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

# One run: $1 output file, $2 program, the rest options of `simtx run`; the program's arguments are in `arguments`. A
# good run exits with 0 and ends in the program's verdict.
run_once() {
    local output=$1 name=$2 status=0
    shift 2
    timeout 120 "$build/bin/simtx" run --quiet "$@" -- "$build/kernels/$name" "${arguments[@]}" \
        >"$output" 2>"$output.err" || status=$?
    [ "$status" = 0 ] && [ "$(tail -n 1 "$output")" = "$name: PASS" ] && return 0
    {
        echo "FAIL $name ${arguments[*]} ($*): exit status $status"
        tail -n 5 "$output"
        tail -n 20 "$output.err"
    } | sed 's/^/    /'
    return 1
}

count() {
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
}

check_program() {
    local name=$1 source=$2 line
    local -a options extra arguments=()
    read -ra options <<<"$(sed -n 's|^// run: ||p' "$source")"
    run_once "$scratch/one" "$name" "${options[@]}"
    count $?
    run_once "$scratch/two" "$name" --threads 2 "${options[@]}" &&
        { cmp -s "$scratch/one" "$scratch/two" || { echo "    FAIL $name: two threads print something else"; false; }; }
    count $?
    run_once "$scratch/three" "$name" "${options[@]}" --simt independent --set functional.quantum=1
    count $?
    run_once "$scratch/four" "$name" "${options[@]}" --set gpu.combine_accesses=true --set gpu.if_conversion=true \
        --set gpu.instruction_order=scheduled
    count $?
    while read -r line; do
        read -ra extra <<<"${line%% -- *}"
        arguments=()
        [[ $line == *" -- "* ]] && read -ra arguments <<<"${line#* -- }"
        run_once "$scratch/also" "$name" "${options[@]}" "${extra[@]}"
        count $?
    done < <(sed -n 's|^// also: ||p' "$source")
    while read -r line; do
        read -ra arguments <<<"$line"
        run_once "$scratch/args" "$name" "${options[@]}"
        count $?
    done < <(sed -n 's|^// args: ||p' "$source")
}

for source in "$here"/*/*.cu; do
    name=$(basename "$source" .cu)
    if [ $# = 0 ] || [[ " $* " == *" $name "* ]]; then
        check_program "$name" "$source"
    fi
done
echo "kernels: $passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
