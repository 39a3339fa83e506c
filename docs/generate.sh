#!/bin/sh
# Fills the parts of the documents between `<!-- simtx COMMAND -->` and `<!-- end -->` with what `simtx COMMAND` prints, and
# those after `<!-- file PATH -->` with a file (write), or compares them (check; the last line counts). Usage: generate.sh
# SIMTX write|check
simtx=$1
mode=$2
here=$(dirname "$0")
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
passed=0
failed=0

code() {
    case $1 in
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

for document in "$here"/manual.md "$here"/instructions.md "$here"/timing.md "$here"/adding.md; do
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
# Files that the documents name; keys and figures of transactional memory.
{ "$simtx" config list --keys; "$simtx" stats; } >"$scratch/known"
for word in $(grep -oh '`[a-z_]*/[a-z_/]*\.[a-z]*`\|`[a-z]*tm\.[a-z_.]*`' "$here"/*.md |
                  tr -d '`' | grep -v '^build/' | sort -u); do
    if [ -e "$here/../$word" ] || grep -qF -- "$word" "$scratch/known"; then
        passed=$((passed + 1))
    elif [ "$mode" = check ]; then
        echo "    FAIL the documents name $word, which is not there"
        failed=$((failed + 1))
    fi
done
[ "$mode" = write ] || echo "docs: $passed passed, $failed failed"
[ "$failed" = 0 ]
