#!/bin/bash
# Runs the tests of libcudart given as arguments, and adds up what they count.
suite=cudart
. "$(dirname "$0")/../counts.sh"
for program in "$@"; do
    output=$(timeout 120 "$program" 2>&1)
    add_counts "$program" $? "$output"
done
finish
