#!/bin/bash
# Runs every client: run.sh BUILD. A script client_NAME.sh gets the build folder and a folder for its files; its last
# line is "NAME: N passed, M failed". A client whose program is not installed says so and is not counted.
suite=clients
build=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../counts.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/simtx-clients-XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp" && export TMPDIR=$work/tmp       # clang before version 17 leaves empty folders there
for script in "$here"/client_*.sh; do
    name=$(basename "$script" .sh)
    mkdir "$work/$name"
    output=$(timeout 120 "$script" "$build" "$work/$name" 2>&1)
    status=$?
    case $(tail -n 1 <<<"$output") in
    *"is not installed"*) echo "clients: $(tail -n 1 <<<"$output")" ;;
    *) add_counts "$name" $status "$output" ;;
    esac
done
finish
