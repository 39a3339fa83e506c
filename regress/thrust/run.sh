#!/bin/bash
# Runs the programs of this folder, each of which checks itself, and adds up what they count.
# usage: run.sh BUILD_DIR SUITE PROGRAM...
build=$1 suite=$2
shift 2
. "$(dirname "$0")/../counts.sh"
for program; do
    output=$("$build/bin/simtx" run --quiet -- "$build/regress/thrust/$program" 2>&1)
    add_counts "$program" $? "$output"
done
finish
