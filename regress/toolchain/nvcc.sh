#!/bin/sh
# simtx-cc as nvcc: found through links, option files, separate compilation, archives, the source dialect, CMake.
# usage: nvcc.sh BUILD_DIR
set -u
here=$(cd "$(dirname "$0")" && pwd)
B=$(cd "${1:?usage: nvcc.sh BUILD_DIR}" && pwd)
nvcc=$B/cuda/bin/nvcc
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
passed=0 failed=0

check() { # NAME COMMAND...: the command must succeed; its output is shown when it does not.
    name=$1
    shift
    if "$@" >"$tmp/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name"
        head -n 12 "$tmp/log" | sed 's/^/    /'
    fi
}
right() { "$B/bin/simtx" run --quiet -- "$@"; }
says() { # PATTERN COMMAND...: the command fails with this message
    pat=$1
    shift
    if "$@" >says.log 2>&1; then return 1; fi
    grep -q -e "$pat" says.log || { cat says.log; return 1; }
}

# 1. The program itself.
echo '__global__ void k() {}' >a.cu
mkdir -p elsewhere/bin && ln -s "$nvcc" elsewhere/bin/nvcc && ln -s "$B/cuda" toolkit
check "the CUDA directory has nvcc" "$nvcc" -ptx a.cu -o a.ptx
check "nvcc through a link" elsewhere/bin/nvcc -ptx a.cu -o b.ptx
check "nvcc of a linked CUDA directory" toolkit/bin/nvcc -ptx a.cu -o c.ptx
check "with the same code" sh -c 'cmp a.ptx b.ptx && cmp a.ptx c.ptx'
published() { "$nvcc" --version | grep -q 'nvcc: NVIDIA (R) Cuda compiler driver' && "$nvcc" -V | grep -q ', V11\.5\.[0-9]'; }
check "the version in nvcc's form" published
printf -- '-ptx\n-arch sm_75 "-DNAME=two words"\n@more.txt' >opts.txt
printf -- '-o d.ptx' >more.txt
check "option files" sh -c '"$1" --options-file opts.txt a.cu && grep -q "target sm_75" d.ptx' - "$nvcc"
check "an option file as @FILE" sh -c 'rm d.ptx && "$1" @opts.txt a.cu && grep -q "target sm_75" d.ptx' - "$nvcc"
printf '@loop.txt' >loop.txt
check "option files that include themselves" says "more than 16 deep" "$nvcc" @loop.txt a.cu
host_text() { # COMPILER: the C++ file of -cuda becomes a program of the host compiler
    "$nvcc" -O2 -cuda "$here/managed.cu" && "$1" -c managed.cu.cpp.ii -o host.o &&
        c++ host.o -o host "-L$B/cuda/lib64" -lcudart && right ./host
}
for compiler in g++ clang++-14 clang++-16 clang++-19; do
    command -v $compiler >/dev/null || continue
    check "-cuda, then $compiler" host_text $compiler
done
check "a fat binary" sh -c '"$1" -fatbin a.cu && tail -c +81 a.fatbin | grep -aq "entry _Z1kv"' - "$nvcc"
check "-run" sh -c 'echo "int main(int n, char **a) { return n == 3 && *a[2] == 89 ? 0 : 1; }" >r.cu &&
    "$1" r.cu -o r -run --run-args x,Y' - "$nvcc"
check "-M with output" sh -c '"$1" -M a.cu -o a.d && grep -q "a.cu" a.d' - "$nvcc"
check "-MD -MF" sh -c '"$1" -MD -MF m.d -c a.cu -o m.o && grep -q "^m.o:" m.d' - "$nvcc"
check "no temporary files stay" sh -c 'mkdir t && TMPDIR=$PWD/t "$1" -rdc=true "$2" "$3" -o u && rmdir t' - \
    "$nvcc" "$here/rdc/main.cu" "$here/rdc/other.cu"
check "the dialect" sh -c '"$1" "$2" -o dialect' - "$nvcc" "$here/dialect.cu"
check "runs" right ./dialect
check "and messages name the source" says "dialect.cu:[0-9]*:[0-9]*: error" "$nvcc" -DINT64_C=1 -Dblocks= "$here/dialect.cu"
one_letter() { # headers after macros of one letter, as programs define them
    for l in A B C D E F G H I J K L M N O P Q R S T U V W X Y Z; do echo "#define $l 16"; done >letters.cu
    for h in cooperative_groups cooperative_groups/reduce cooperative_groups/scan cuda_bf16 cuda_fp16 cuda_fp8 \
        cuda_pipeline mma curand_kernel helper_cuda helper_image helper_math cuComplex nvToolsExt; do
        echo "#include <$h.h>"
    done >>letters.cu
    "$nvcc" -c letters.cu
}
check "headers after macros of one letter" one_letter
check "small floats in C++ for the host" sh -c '"$1" "$2" -o half' - "$nvcc" "$here/host_half.cpp"
check "runs" ./half
check "g++ takes their headers" g++ -std=c++14 -Wall -Werror "-I$B/cuda/include" "$here/host_numbers.cpp" -o numbers
check "their arithmetic is exact" ./numbers
check "OpenMP in host code" sh -c '"$1" -Xcompiler -fopenmp "$2" -o openmp' - "$nvcc" "$here/openmp.cu"
check "runs" right ./openmp
check "Thrust without options" sh -c '"$1" "$2" -o thrust_sort' - "$nvcc" "$here/thrust_sort.cu"
check "sorts" right ./thrust_sort

for version in 19 18 17 16 14; do
    command -v "clang++-$version" >/dev/null || continue
    check "managed variables with clang $version" env SIMTX_CLANG=clang++-$version "$nvcc" "$here/managed.cu" -o "managed$version"
    check "are one for host and device" right "./managed$version"
done
check "the same in timing mode" "$B/bin/simtx" run --quiet --config v100 -- ./managed19
check "managed variables in separate compilation" sh -c '"$1" -rdc=true "$2" -o managed_rdc' - "$nvcc" "$here/managed.cu"
check "are the same" right ./managed_rdc

# 2. Separate compilation with every installed clang that compiles right.
separate() { "$nvcc" -dc "$here/rdc/main.cu" "$here/rdc/other.cu"; }
for version in 19 18 17 16 14; do
    command -v "clang++-$version" >/dev/null || continue
    export SIMTX_CLANG=clang++-$version
    check "clang $version: objects" separate
    check "clang $version: device link with the program" sh -c '"$1" main.o other.o -o p' - "$nvcc"
    check "clang $version: result" right ./p
done
unset SIMTX_CLANG
separate
explicit() {
    "$nvcc" -dlink main.o other.o -o dlink.o && c++ main.o other.o dlink.o -o q "-L$B/cuda/lib64" -lcudart && right ./q
}
check "explicit device link, linked by the host compiler" explicit
check "which nvcc does not repeat" sh -c '"$1" main.o other.o dlink.o -o q2' - "$nvcc"
check "and runs" right ./q2
archived() { "$nvcc" -lib other.o -o libother.a && "$nvcc" main.o -L. -lother -o s && right ./s; }
check "an archive with device code" archived
printf '__device__ int scaled(int x) { return x; }\n' >twice.cu
"$nvcc" -dc twice.cu
check "an undefined function" says "'_Z6scaledi' is declared, but no module defines" "$nvcc" main.o -o u
check "an undefined variable" says "'counter' is declared, but no module defines" "$nvcc" main.o twice.o -o u
check "two definitions" says "is defined in two modules" "$nvcc" main.o other.o twice.o -o u
check "nvlink without a task" says "nothing to write" "$B/cuda/bin/nvlink" main.o

# 3. CMake: CUDA as a language with our nvcc and with clang, and find_package(CUDAToolkit).
configure() { # FOLDER OPTIONS...
    folder=$1
    shift
    cmake -S "$here/cmake" -B "$folder" -DRDC="$here/rdc" -DCUDAToolkit_ROOT="$B/cuda" "$@" && make -C "$folder"
}
built() { right "$1/separate" && right "$1/whole"; }
check "CMake with nvcc" configure with_nvcc -DCMAKE_CUDA_COMPILER="$nvcc"
check "its programs" built with_nvcc
check "CMake with clang" configure with_clang -DCMAKE_CUDA_COMPILER="${CLANGXX:-clang++}" -DCMAKE_CUDA_ARCHITECTURES=70 \
    -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared
check "its programs" built with_clang

echo "nvcc: $passed passed, $failed failed"
[ "$failed" = 0 ]
