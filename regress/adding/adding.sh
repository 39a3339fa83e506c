#!/bin/bash
# Builds the product with the toys of this folder added as docs/adding.md tells: the folder of each goes to its place,
# its line.def becomes the last line of a registry. The tree is BUILD/adding: links to the product's files and copies of
# the registries, with a build folder of its own, BUILD/adding/out (a name of its own, since make reads the dependencies
# of both). Objects that include no registry are taken from BUILD.
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
}

link_product() {
    mkdir -p "$tree"
    find "$tree" -mindepth 1 -maxdepth 1 ! -name out -exec rm -rf {} +
    cp -rs "$root"/{Makefile,base,configs,consistency,frontend,memsys,ptx,timing,tm} "$tree"
}

# add TOY FOLDER REGISTRY. A registry is as old as the newest of its parts, so that make builds what has changed.
registries=()
add() {
    mkdir -p "$tree/$2"
    find "$here/$1" -type f ! -name line.def -exec cp -s {} "$tree/$2" \;
    if [ -L "$tree/$3" ]; then
        cp -p --remove-destination "$root/$3" "$tree/$3"
        registries+=("-e$3")
    fi
    newest=$tree/$3
    [ "$newest" -nt "$here/$1/line.def" ] || newest=$here/$1/line.def
    { cat "$tree/$3" "$here/$1/line.def"; } >"$tree/registry"
    touch -r "$newest" "$tree/registry"
    mv "$tree/registry" "$tree/$3"
}

copy_objects() {
    local d
    mkdir -p "$tree/out"
    cd "$build"
    cp -rpu gen "$tree/out"
    find obj/{base,consistency,frontend,gen,memsys,ptx,timing,tm} -name '*.d' -exec grep -LF "${registries[@]}" {} + |
        while IFS= read -r d; do
            mkdir -p "$tree/out/${d%/*}"
            cp -pu "${d%.d}.o" "$tree/out/${d%/*}"
        done
}

link_product
toys
copy_objects
$MAKE -C "$tree" --no-print-directory -s B=out out/bin/simtx out/cuda/lib64/libcudart.so
