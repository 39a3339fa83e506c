#!/bin/bash
# Builds the product with the toys of this folder added as docs/adding.md tells: the folder of each goes to its place,
# its line.def becomes the last line of a registry; lines of *.change are added to files. The tree is BUILD/adding:
# links to the product's files and copies of those that change, with a build folder of its own, BUILD/adding/out (a name
# of its own, since make reads the dependencies of both). Objects that include no changed file are taken from BUILD.
# Usage: adding.sh BUILD, with MAKE in the environment.
set -e
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
tree=$build/adding

toys() {
    add tm_toy tm/toy tm/registry.def
    add order_toy consistency/bounded consistency/registry.def
    add coherence_toy consistency/uncached consistency/registry.def
    change counter/functional.change
    change counter/timing.change
    change key/row.change
    change key/rule.change
    change policy/oldest.change
    change instruction/alu.change
    change instruction/memory.change
    change instruction/control.change
}

link_product() {
    mkdir -p "$tree"
    find "$tree" -mindepth 1 -maxdepth 1 ! -name out -exec rm -rf {} +
    cp -rs "$root"/{Makefile,base,configs,consistency,frontend,memsys,ptx,timing,tm} "$tree"
}

# edit FILE ADDITION: FILE becomes what is read, as old as the newer of both, so that make builds what has changed.
changed=()
edit() {
    local newest=$tree/$1
    [ ! -L "$tree/$1" ] || changed+=("-e$1")
    [ "$newest" -nt "$2" ] || newest=$2
    cat >"$tree/edited"
    touch -r "$newest" "$tree/edited"
    mv "$tree/edited" "$tree/$1"
}

# add TOY FOLDER REGISTRY
add() {
    mkdir -p "$tree/$2"
    find "$here/$1" -type f ! -name line.def -exec cp -s {} "$tree/$2" \;
    edit "$3" "$here/$1/line.def" < <(cat "$tree/$3" "$here/$1/line.def")
}

# change ADDITION: "file FILE", then lines of it, those to be added with a + before them, those to be taken out with a
# -, the others with a space.
change() {
    local line file= before= after=
    while IFS= read -r line; do
        case $line in
        'file '*)
            insert "$1"
            file=${line#file }
            ;;
        ' '*)
            before+=${line# }$'\n'
            after+=${line# }$'\n'
            ;;
        +*) after+=${line#+}$'\n' ;;
        -*) before+=${line#-}$'\n' ;;
        esac
    done <"$here/$1"
    insert "$1"
}

# The lines of `before` must be in the file, once; those of `after` take their place.
insert() {
    local text rest
    [ -n "$file" ] || return 0
    text=$(cat "$tree/$file" && echo .)
    text=${text%.}
    rest=${text#*"$before"}
    if [ -z "$before" ] || [ "$rest" = "$text" ] || [ "${rest#*"$before"}" != "$rest" ]; then
        echo "$1: these lines are not in $file, or more than once:" "$before" >&2
        exit 1
    fi
    edit "$file" "$here/$1" < <(printf %s "${text%"$before$rest"}$after$rest")
    before= after=
}

# Objects of the last build that were taken from BUILD may include a file that is changed now.
discard_other_changes() {
    [ "$(cat "$tree/out/changed" 2>/dev/null)" = "${changed[*]}" ] || rm -rf "$tree/out"
    mkdir -p "$tree/out"
    echo "${changed[*]}" >"$tree/out/changed"
}

copy_objects() {
    local d
    cd "$build"
    cp -rpu gen "$tree/out"
    find obj/{base,consistency,frontend,gen,memsys,ptx,timing,tm} -name '*.d' -exec grep -LF "${changed[@]}" {} + |
        while IFS= read -r d; do
            [ -e "${d%.d}.o" ] || continue       # left of a file that has moved
            mkdir -p "$tree/out/${d%/*}"
            cp -pu "${d%.d}.o" "$tree/out/${d%/*}"
        done
}

link_product
toys
discard_other_changes
copy_objects
$MAKE -C "$tree" --no-print-directory -s B=out out/bin/simtx out/cuda/lib64/libcudart.so
