#!/bin/sh
# Finder of faults by the behaviour tests of the conformance program. Usage: behaviour.sh PROGRAM
out=$("$1" --only behaviour 2>&1) && printf 'survives\t\t\t\n' && exit
name=$(echo "$out" | sed -n 's,^FAILED ([^)]*): \(.*\): .*,\1,p' | head -n 1)
printf 'found\ta test that fails\t%s\t\n' "$name"
