#!/bin/bash
# Writes the measured parts of docs/correlation.md anew: the table of cycles, and what each mechanism is worth.
# Usage: document.sh PROGRAM docs/correlation.md
program=$1
document=$2
here=$(dirname "$0")
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# part NAME OPTION...: what stands between the marks of NAME becomes the output.
part() {
    "$program" "$here" "${@:2}" >"$scratch/part" || exit 1
    sed -e "/^<!-- $1; /r $scratch/part" -e "/^<!-- $1; /,/^<!-- end of $1 -->/{
        /^<!-- /!d
    }" "$document" >"$scratch/document" && cp "$scratch/document" "$document"
}

part cycles --markdown
part worth --without --markdown
