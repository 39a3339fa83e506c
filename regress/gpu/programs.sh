#!/bin/bash
# The CUDA programs of kernels/ on a real GPU: programs.sh link BUILD LIBRARIES FOLDER compiles them with simtx-cc and
# links them with the CUDA runtime in LIBRARIES (a folder with libcudart.so of a CUDA toolkit); programs.sh run FOLDER
# runs each and looks at its verdict line, as kernels/run.sh does on simulated GPUs. Programs with transactions are left
# out: no real GPU has the instructions. The last line counts.
here=$(dirname "$0")/../../kernels
sources=("$here"/{algorithms,apps,features,numeric,ordering}/*.cu)

# simtx's headers have the names of CUDA 11; CUDA 13 has these functions under their plain names.
renamed=()
for function in cudaCreateTextureObject cudaGetDeviceProperties cudaMemAdvise cudaMemPrefetchAsync; do
    renamed+=(--redefine-sym "${function}_v2=$function")
done

link() {
    local build=$1 libraries=$2 folder=$3 source name
    mkdir -p "$folder"
    for source in "${sources[@]}"; do
        name=$(basename "$source" .cu)
        grep -q simtx_tm.h "$source" && continue
        [ "$folder/$name" -nt "$source" ] && continue
        "$build/bin/simtx-cc" -O2 -c "$source" -o "$folder/$name.o" &&
            objcopy "${renamed[@]}" "$folder/$name.o" &&
            g++ "$folder/$name.o" -o "$folder/$name" -L"$libraries" -L"$libraries/stubs" -lcudart -lcuda -lm &&
            rm -f "$folder/$name.o"
    done
}

# run_one FOLDER NAME: 0 = its verdict is PASS
run_one() {
    local folder=$1 name=$2 status=0
    timeout 60 "$folder/$name" >"$folder/$name.out" 2>"$folder/$name.err" || status=$?
    if [ "$status" = 0 ] && [ "$(tail -n 1 "$folder/$name.out")" = "$name: PASS" ]; then
        echo "PASS $name"
        return
    fi
    echo "FAIL $name: exit status $status: $(tail -n 3 "$folder/$name.out" "$folder/$name.err" | tr '\n' ' ' | cut -c 1-600)"
}

run() {
    local folder=$1 name
    for name in $(cd "$folder" && find . -type f -perm -u+x -name '*[a-z0-9]' ! -name '*.*' -printf '%f\n' | sort); do
        run_one "$folder" "$name"
    done | tee "$folder/verdicts.txt"
    echo "programs-gpu: $(grep -c ^PASS "$folder/verdicts.txt") passed, $(grep -c ^FAIL "$folder/verdicts.txt") failed"
    ! grep -q ^FAIL "$folder/verdicts.txt"
}

case $1 in
link | run) "$@" ;;
*) echo "usage: $0 link BUILD LIBRARIES FOLDER, or run FOLDER" >&2; exit 2 ;;
esac
