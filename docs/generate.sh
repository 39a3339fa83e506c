#!/bin/sh
# Fills the parts of the documents between `<!-- simtx COMMAND -->` and `<!-- end -->` with what `simtx COMMAND` prints,
# and those after `<!-- file PATH -->` with a file (write), or compares them (check; the last line counts). Usage:
# generate.sh SIMTX write|check
simtx=$1
mode=$2
here=$(dirname "$0")
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

code() {
    case $1 in
    *.sweep) printf '```\n' ;;
    *.change) printf '```diff\n' ;;
    *) printf '```c\n' ;;
    esac
    cat "$here/../$1" || exit 1
    printf '```\n'
}

skip_to_end() {
    while IFS= read -r line && [ "$line" != '<!-- end -->' ]; do :; done
    printf '%s\n' "$line"
}

# The document with its generated parts made anew.
render() {
    while IFS= read -r line; do
        printf '%s\n' "$line"
        what=${line%' -->'}
        case $line in
        '<!-- simtx '*)
            # The command's words are meant to be split.
            "$simtx" ${what#'<!-- simtx '} || exit 1
            skip_to_end
            ;;
        '<!-- file '*)
            code "${what#'<!-- file '}"
            skip_to_end
            ;;
        esac
    done <"$1"
}

for document in "$here"/manual.md "$here"/instructions.md "$here"/timing.md "$here"/adding.md "$here"/sweep.md; do
    name=$(basename "$document")
    if ! render "$document" >"$scratch/$name" || [ ! -s "$scratch/$name" ]; then
        echo "    FAIL $name: cannot be generated"
        failed=$((failed + 1))
    elif [ "$mode" = write ]; then
        cp "$scratch/$name" "$document"
    elif cmp -s "$scratch/$name" "$document"; then
        passed=$((passed + 1))
    else
        echo "    FAIL $name is not current; run 'make docs'"
        diff "$document" "$scratch/$name" | head -n 10
        failed=$((failed + 1))
    fi
done

# Subcommands and options of the program that the manual does not name.
for command in $("$simtx" help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    for word in "simtx $command" $("$simtx" "$command" --help | sed -n 's/^  \(--[a-z-]*\).*/\1/p'); do
        if grep -qF -- "$word" "$here/manual.md"; then
            passed=$((passed + 1))
        elif [ "$mode" = check ]; then
            echo "    FAIL manual.md does not mention $word"
            failed=$((failed + 1))
        fi
    done
done
# Files and folders that the documents name (NAME stands for any word; README's map names folders within one), except
# those of the worked examples; keys and figures of transactional memory.
{ "$simtx" config list --keys; "$simtx" stats; } >"$scratch/known"
exists() {
    case $1 in
    http*) return 0 ;;
    *NAME* | *'*'*) set -- $(printf '%s\n' "$1" | sed 's/NAME/*/g') ;;   # expanded
    esac
    [ -e "$1" ] || ls -d */"$1" >"$scratch/found" 2>&1
}
documents="$here/*.md $here/../README.md"
for word in $(grep -oh '`[a-z0-9_]*/[A-Za-z0-9_*./-]*`\|`[a-z]*tm\.[a-z_.]*`' $documents |
                  tr -d '`' | grep -v '^build/\|^runs/\|^tm/toy\|^consistency/bounded\|^consistency/uncached' |
                  sort -u); do
    if (cd "$here/.." && exists "$word") || grep -qF -- "$word" "$scratch/known"; then
        passed=$((passed + 1))
    elif [ "$mode" = check ]; then
        echo "    FAIL the documents name $word, which is not there"
        failed=$((failed + 1))
    fi
done
# Links of the documents to files.
for document in $documents "$here/../CHANGELOG.md"; do
    for word in $(grep -oh '](\(\.\./\)*[A-Za-z0-9_/.-]*' "$document" | sed 's/^](//' | sort -u); do
        if (cd "$(dirname "$document")" && exists "$word"); then
            passed=$((passed + 1))
        elif [ "$mode" = check ]; then
            echo "    FAIL $(basename "$document") has a link to $word, which is not there"
            failed=$((failed + 1))
        fi
    done
done
# README's map has a row for each folder of sources.
for folder in $(cd "$here/.." && ls -d ptx/*/ memsys/*/ timing/*/ tm/*/ consistency/*/ frontend/*/); do
    if grep '^| `' "$here/../README.md" | grep "^| \`${folder%%/*}/" | grep -qF "\`${folder#*/}\`"; then
        passed=$((passed + 1))
    elif [ "$mode" = check ]; then
        echo "    FAIL README.md does not name $folder"
        failed=$((failed + 1))
    fi
done
# No noun of the glossary stands twice.
sed -n 's/^| \([^|]*\) |.*/\1/p' "$here/glossary.md" | grep -v '^noun$\|^---' | sort >"$scratch/nouns"
for word in $(uniq -d "$scratch/nouns" | tr ' ' '_'); do
    echo "    FAIL the glossary has two rows for $word"
    failed=$((failed + 1))
done
[ "$mode" = write ] || echo "docs: $passed passed, $failed failed"
[ "$failed" = 0 ]
