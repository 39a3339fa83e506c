#!/bin/sh
# The page of all faults and the checks that found them, as Markdown; the example is a row of a table.
# Usage: page.sh BUILD TABLE...
here=$(dirname "$0")
build=$1
shift
cat "$here/head.md"
sed -n '/^fault core.pass-early$/,/^$/ s/^\(.\)/    \1/p' "$@"
cat "$here/tail.md"
"$build/regress/mutants/table" page "$build" "$@"
