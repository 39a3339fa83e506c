#!/bin/sh
# Deliberate faults: checks that each text stands once in its file, builds the finders with the faults and runs them
# in parallel. Usage: mutants.sh few|all TABLE...; MAKE, BUILD and JOBS in the environment. The results lie in
# BUILD/mutants; the last line is the sum.
which=$1
shift
here=$(dirname "$0")
table=$BUILD/regress/mutants/table

"$table" check "$@" || exit 1
mkdir -p "$BUILD/mutants"
"$table" rules "$BUILD" "$@" >"$BUILD/mutants/rules"
"$table" runs "$which" "$@" >"$BUILD/mutants/runs"
$MAKE --no-print-directory -s -k MUTANT_RULES="$BUILD/mutants/rules" \
    $(awk -v build="$BUILD" '{ print build "/mutants/" $1 "/" $2 }' "$BUILD/mutants/runs") || exit 1
xargs -P "$JOBS" -L 1 "$here/run.sh" <"$BUILD/mutants/runs"
"$table" judge "$which" "$BUILD" "$@"
