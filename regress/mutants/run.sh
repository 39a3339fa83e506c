#!/bin/sh
# Runs a finder on a fault and keeps its line as FINDER.result beside the program. A finder is a program linked with the
# fault, or FINDER.sh, which gets that program. One that prints no such line finds the fault if it fails.
# Usage: run.sh FAULT FINDER ARGUMENT..., BUILD in the environment

# The result of a cmocka program that fails: its first failure, and the number of tests up to that.
first_failure() {
    name=$(sed -n 's/^\[  FAILED  \] \([a-z_0-9]*\)$/\1/p' "$program.out" "$program.err" | head -n 1)
    tests=$(sed -n 's/^\[ RUN      \] //p' "$program.out" "$program.err" | grep -n -x "$name" | cut -d : -f 1)
    printf 'found\ta test that fails\t%s\t%s\n' "$name" "${tests:-1} tests"
}

program=$BUILD/mutants/$1/$2
script=$(dirname "$0")/$2.sh
shift 2
set -- "$program" "$@"
[ ! -e "$script" ] || set -- "$script" "$@"
rm -f "$program.result"
# In a sanitizer build: a test that fails leaks, and what a fault breaks is not a finding in the product.
own="log_path=$program.report"
export ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0:$own" UBSAN_OPTIONS="$UBSAN_OPTIONS:$own"
timeout 900 "$@" >"$program.out" 2>"$program.err"
status=$?
if [ ! -e "$program" ]; then
    printf 'wrong\tit has not been built\n' >"$program.result"
elif grep -E '^(found|survives|wrong)	' "$program.out" >"$program.line"; then
    tail -n 1 "$program.line" >"$program.result"
elif [ $status -eq 0 ]; then
    printf 'survives\t\t\t\n' >"$program.result"
elif [ $status -eq 124 ]; then
    printf 'found\thang (time limit)\t\t\n' >"$program.result"
elif [ $status -gt 128 ]; then
    printf 'found\tcrash\t\t\n' >"$program.result"
else
    first_failure >"$program.result"
fi
