#!/bin/bash
# Writes the measured part of docs/coverage.md anew, from what the tests of this folder print.
# usage: document.sh BUILD docs/coverage.md
build=$1
document=$2
here=$(dirname "$0")
tests=$build/regress/coverage
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
{
    "$tests/coverage" "$here/opcodes.txt" && "$tests/api" "$build/cuda/lib64/libcudart.so" "$here/api.txt" &&
        "$here/features.sh" "$build"
} >"$scratch/printed" || exit 1

# Lines that say what is missing: NAME, a number of programs, (why). They are put together by the reason.
awk '
    function row(what, covered, of, weighted, behind) {
        printf "| %s | %d | %d | %.1f %% | %.2f %% | %s |\n", what, covered, of, 100 * covered / of, weighted,
            behind
    }
    function missing(name) {
        match($0, /\([^()]*\)$/)
        why = substr($0, RSTART + 1, RLENGTH - 2)
        if (!(why in names))
            reasons[++n] = why
        names[why] = names[why] (names[why] ? ", `" : "`") name "`"
    }
    BEGIN {
        print "| What | Covered | Of | | Weighted by programs | Programs behind the most used that is not |"
        print "|---|---|---|---|---|---|"
    }
    /^(opcode|special|directives|external)/ {
        what = NF == 7 ? $1 : $1 " " $2
        row(what, $(NF - 5), $(NF - 4), $(NF - 2), $(NF - 1) + 0 " of 510 (nvcc), " $NF " of 464 (clang)")
    }
    /functions carried out/ { row("functions of the runtime API", $1, $3, $7, $10 " of 573") }
    /features covered/ { row("features of CUDA", $1, $3, $6 + 0, most + 0 " of 573") }
    /^(refused|unsupported) as listed:/ { missing($4) }
    /^not covered:/ {
        match($0, / +[0-9]+ programs/)
        programs = substr($0, RSTART) + 0
        most = programs > most ? programs : most
        missing(substr($0, 14, RSTART - 14))
    }
    END {
        print "\nNot covered, by reason:\n"
        for (i = 1; i <= n; i++)
            print "- " reasons[i] ": " names[reasons[i]]
    }
' "$scratch/printed" >"$scratch/table"

awk -v table="$scratch/table" '
    /^<!-- end of the measured part -->/ { skip = 0 }
    !skip
    /^<!-- measured/ { while ((getline line < table) > 0) print line; skip = 1 }
' "$document" >"$scratch/document" && cp "$scratch/document" "$document"
