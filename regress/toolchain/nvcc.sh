#!/bin/bash
# simtx-cc as nvcc: found through links, option files, separate compilation, archives, the source dialect, CMake.
# Usage: nvcc.sh BUILD; the last line counts.
suite=nvcc
clang=${SIMTX_CLANG-}                   # harness.sh unsets it
. "$(dirname "$0")/../harness.sh"
[ -z "$clang" ] || export SIMTX_CLANG="$clang"
export TMPDIR=$work              # clang before version 17 leaves empty folders there
nvcc=$build/cuda/bin/nvcc

right() { "$simtx" run --quiet -- "$@"; }

# 1. The program itself.
echo '__global__ void k() {}' >a.cu
mkdir -p elsewhere/bin && ln -s "$nvcc" elsewhere/bin/nvcc && ln -s "$build/cuda" toolkit
holds "the CUDA directory has nvcc" "$nvcc" -ptx a.cu -o a.ptx
holds "nvcc through a link" elsewhere/bin/nvcc -ptx a.cu -o b.ptx
holds "nvcc of a linked CUDA directory" toolkit/bin/nvcc -ptx a.cu -o c.ptx
holds "with the same code" sh -c 'cmp a.ptx b.ptx && cmp a.ptx c.ptx'
published() {
    "$nvcc" --version | grep -q 'nvcc: NVIDIA (R) Cuda compiler driver' && "$nvcc" -V | grep -q ', V11\.5\.[0-9]'
}
holds "the version in nvcc's form" published
printf -- '-ptx\n-arch sm_75 "-DNAME=two words"\n@more.txt' >opts.txt
printf -- '-o d.ptx' >more.txt
holds "option files" sh -c '"$1" --options-file opts.txt a.cu && grep -q "target sm_75" d.ptx' - "$nvcc"
holds "an option file as @FILE" sh -c 'rm d.ptx && "$1" @opts.txt a.cu && grep -q "target sm_75" d.ptx' - "$nvcc"
printf '@loop.txt' >loop.txt
holds "option files that include themselves" rejects "more than 16 deep" "$nvcc" @loop.txt a.cu
host_text() { # COMPILER: the C++ file of -cuda becomes a program of the host compiler
    "$nvcc" -O2 -cuda "$here/managed.cu" && "$1" -c managed.cu.cpp.ii -o host.o &&
        c++ host.o -o host "-L$build/cuda/lib64" -lcudart && right ./host
}
for compiler in g++ clang++-14 clang++-16 clang++-19; do
    command -v $compiler >/dev/null || continue
    holds "-cuda, then $compiler" host_text $compiler
done
holds "a fat binary" sh -c '"$1" -fatbin a.cu && tail -c +81 a.fatbin | grep -aq "entry _Z1kv"' - "$nvcc"
array_of() { # bin2c's options give an array with the bytes of the file and the padding
    printf 'PTX' >text && "$build/cuda/bin/bin2c" "$@" text >text.h &&
        printf '#include <cstdio>\n#include "text.h"\nint main() { fwrite(image, 1, sizeof image, stdout); }\n' >text.cpp &&
        c++ text.cpp -o text.run && ./text.run
}
holds "bin2c" sh -c 'test "$1" = PTX' - "$(array_of -c -n image)"
holds "bin2c appends bytes" sh -c 'test "$1" = PTX!' - "$(array_of --const --static --padd 0x21,0 -n image | tr -d '\0')"
holds "bin2c fills the last element" sh -c 'test "$1" = 8' - "$(array_of --type longlong --name=image | wc -c)"
holds "bin2c rejects options" rejects "unknown option '-z'" "$build/cuda/bin/bin2c" -z text
holds "bin2c rejects types" rejects "takes char, short, int or longlong" "$build/cuda/bin/bin2c" -t word text
holds "bin2c rejects bytes" rejects "takes bytes such as" "$build/cuda/bin/bin2c" -p 0x100 text
holds "bin2c wants a file" rejects "no file" "$build/cuda/bin/bin2c" -c
printf '#include <cublas_v2.h>\n' >blas.cu
holds "headers of absent libraries" rejects "cublas_v2.h: simtx has no cuBLAS" "$nvcc" -c blas.cu
: >cublas_v2.h
holds "a program's own headers" "$nvcc" -I. -c blas.cu
mkdir -p own && printf '#ifndef OWN_H\n#define OWN_H\n#include <cuda_runtime.h>\nint own();\n#endif\n' >own/cuda.h
printf '#include "cuda.h"\nint own() { return 0; }\nint main() { return own(); }\n' >own.cu
holds "a program's own cuda.h" sh -c '"$1" -Iown own.cu -o own.run && ./own.run' - "$nvcc"
echo '__global__ void child() {} __global__ void parent() { child<<<1, 1>>>(); }' >nested.cu
holds "launches in kernels" rejects "launch them from the host" "$nvcc" -rdc=true nested.cu
cat >order.cu <<'EOF'
template <class T> __global__ void first(T *p) { second(p); }
template <class T> __device__ void second(T *p) { *p = 1; }
int main() { first<<<1, 1>>>((int *)nullptr); }
EOF
holds "the order of templates" rejects "fdelayed-template-parsing makes clang accept them" "$nvcc" order.cu
holds "with clang's option" "$nvcc" -fdelayed-template-parsing order.cu
echo 'void f() { using ::simtx_has_no_such; }' >global.cu
holds "names of nvcc's global namespace" rejects "compile with -U__NVCC__" "$nvcc" -c global.cu
printf '#!/bin/sh\n[ "$1" != -dumpversion ] || exec echo 19.1.7\necho "Cannot cast between two non-generic address spaces" >&2
exit 1\n' >clang++-19 && chmod +x clang++-19
holds "clang's assumption on pointers of parameters" rejects "in a copy of the parameter" \
    env SIMTX_CLANG="$PWD/clang++-19" "$nvcc" -c a.cu
echo '__global__ void probe(size_t bytes, bool *got) { void *p = malloc(bytes); *got = p != nullptr; free(p); }' >probe.cu
holds "malloc whose memory is not used" sh -c '"$1" -O2 -ptx probe.cu -o - | grep -q "malloc,"' - "$nvcc"
echo '__device__ int elsewhere(); __global__ void k(int *p) { *p = elsewhere(); } int main() {}' >one_of_two.cu
holds "a device function of another file" rejects "needs -rdc=true" "$nvcc" one_of_two.cu
noted() { # TEXT COMMAND...: succeeds, with the text in its messages
    text=$1
    shift
    "$@" >notes.txt 2>&1 && grep -q "$text" notes.txt
}
echo 'int main() {}' >plain.cu
holds "absent libraries are left out" noted "lcublas: left out, since simtx has no cuBLAS" "$nvcc" plain.cu -lcublas
mkdir -p ownlib && echo 'void own() {}' >own.c && cc -c own.c -o own.o && ar rcs ownlib/libcublas.a own.o
echo 'extern "C" void own(); int main() { own(); }' >own.cu
holds "but not a program's own" "$nvcc" own.cu -Lownlib -lcublas
holds "-U__NVCC__" "$nvcc" -U__NVCC__ -DWITHOUT -c "$here/device_operators.cu" -o without.o
holds "host functions whose operators only device code has" "$nvcc" -c "$here/device_operators.cu" -o with.o
cluster_shapes() { # three shapes are numbers, nine are not, and each of these has a message, at a launch with its text
    ! "$nvcc" -DCHECKED -c "$here/cluster_dims.cu" -o cluster_dims.o 2>messages &&
        [ "$(grep -c "error: this __cluster_dims__ takes one to three positive decimal numbers" messages)" = 9 ] ||
        { cat messages; return 1; }
    "$nvcc" -w "$here/cluster_dims.cu" -o cluster_dims && ./cluster_dims >shapes 2>messages
    [ "$(uniq -c <shapes | awk '{ print $1 $2 }' | xargs)" = "3cudaSuccess 9cudaErrorInvalidClusterSize" ] &&
        [ "$(sed -n 's/.*__cluster_dims__(\(.*\)) is not one to three positive numbers.*/\1/p' messages | xargs -d '\n')" = \
            "4 / 2, 1, 1 2, N 2, 1, N N 2, 0, 1 -2 4294967298 1, 2, 1, 1 2," ] || { cat shapes messages; return 1; }
}
holds "shapes of clusters that are not numbers" cluster_shapes
echo 'template <int N> __global__ void __cluster_dims__(N * 2, 1) k() {} template __global__ void k<2>();' >shaped.cu
in_ptx() { # the shape of clusters, without a message
    "$nvcc" "$@" -ptx shaped.cu -o shaped.ptx >notes.txt 2>&1 && ! grep -q cluster notes.txt &&
        grep -q '\.pragma "simtx\.cluster 4, 1, 1";' shaped.ptx; }
holds "PTX has the shape of clusters" in_ptx
for shape in 0 -1 '2, 0' '1, 1, -2' 4294967298; do
    echo "__global__ void __cluster_dims__($shape) k() {}" >wrong_shape.cu
    holds "a shape of $shape" rejects "takes positive numbers below" "$nvcc" -c wrong_shape.cu
done
echo "__global__ void __cluster_dims__(1, 2, 1, 4) k() {}" >wrong_shape.cu
holds "a shape of four numbers" rejects "takes one to three numbers" "$nvcc" -c wrong_shape.cu
echo 'constexpr int N = 2; __global__ void __cluster_dims__(N) k(int N) {}' >hidden_shape.cu
holds "a shape with the name of a parameter" rejects "function parameter 'N'" "$nvcc" -c hidden_shape.cu
mkdir -p folder/quoted && ln -sfn folder linked && mv shaped.cu folder/shaped.cuh
echo '#include "../shaped.cuh"' >folder/quoted/q.cuh
echo '#include <quoted/q.cuh>' >shaped.cu
holds "a shape in a header of a folder of -I" in_ptx -I folder
holds "in one behind a symbolic link" in_ptx -Ilinked
holds "in one of a system folder" in_ptx -isystem linked/.
printf '#define SHAPE __cluster_dims__(2, 1, 1)\n__global__ void SHAPE k() {}\n' >macro_shape.cu
holds "not of one in a macro" noted "__cluster_dims__ is not in PTX" "$nvcc" -ptx macro_shape.cu
holds "nor does a fat binary" noted "__cluster_dims__ is not in PTX" "$nvcc" -fatbin macro_shape.cu
without_note() { "$nvcc" -c macro_shape.cu >notes.txt 2>&1 && ! grep -q cluster notes.txt; }
holds "but an object" without_note
holds "-run" sh -c 'echo "int main(int n, char **a) { return n == 3 && *a[2] == 89 ? 0 : 1; }" >r.cu &&
    "$1" r.cu -o r -run --run-args x,Y' - "$nvcc"
holds "-M with output" sh -c '"$1" -M a.cu -o a.d && grep -q "a.cu" a.d' - "$nvcc"
holds "-MD -MF" sh -c '"$1" -MD -MF m.d -c a.cu -o m.o && grep -q "^m.o:" m.d' - "$nvcc"
holds "no temporary files stay" sh -c 'mkdir t && TMPDIR=$PWD/t "$1" -rdc=true "$2" "$3" -o u && rmdir t' - \
    "$nvcc" "$here/rdc/main.cu" "$here/rdc/other.cu"
hopper() { # ARCHITECTURE OUTPUT
    "$nvcc" -arch="$1" "$here/hopper.cu" -o hopper >notes.txt 2>&1 && [ ! -s notes.txt ] && [ "$(./hopper 2>/dev/null)" = "$2" ] ||
        { cat notes.txt; ./hopper; return 1; }
}
holds "a program for sm_90" hopper sm_90 "900 0"
holds "for sm_90a" hopper sm_90a "900 1"
holds "the dialect" sh -c '"$1" "$2" -o dialect' - "$nvcc" "$here/dialect.cu"
holds "runs" right ./dialect
cat >bare.cu <<'END'
__global__ void k(int *p) { assert(*p == 3); memset(p, 0, sizeof *p); }
int main()
{
    int *p = (int *)malloc(sizeof *p);
    assert(p && time(NULL) != 0 && strlen("abc") == 3);
    free(p);
    cudaMallocManaged(&p, sizeof *p);
    *p = 3;
    k<<<1, 1>>>(p);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    exit(*p);
}
END
holds "names of the C library without their headers" sh -c '"$1" bare.cu -o bare.run && ./bare.run' - "$nvcc"
cat >print.cu <<'END'
struct __builtin_align__(8) pair { int first, second; };
#define PRINT() printf("%hhx %hd %hhd %5hu|%20p|%-8p|%p %lx\n", -1, 70000, 300, 65535 + 8, (void *)0x1234, \
                       (void *)0xab, (void *)0, sizeof(pair) + -1l)
__global__ void k() { PRINT(); }
int main()
{
    PRINT();
    k<<<1, 1>>>();
    return cudaDeviceSynchronize() != cudaSuccess || alignof(pair) != 8;
}
END
holds "kernels print lengths and pointers as the host" sh -c '"$1" -w print.cu -o print.run && ./print.run >printed &&
    [ "$(wc -l <printed)" = 2 ] && [ "$(uniq <printed | wc -l)" = 1 ]' - "$nvcc"
printf '#include <cuda.h>\nint main() { free(malloc(1)); return 0; }\n' >bare.cpp
holds "cuda.h has stdlib.h in C++ of the host" g++ -c -I"$build/cuda/include" bare.cpp -o bare.o
holds "and messages name the source" rejects "dialect.cu:[0-9]*:[0-9]*: error" "$nvcc" -DINT64_C=1 -Dblocks= \
    "$here/dialect.cu"
one_letter() { # headers after macros of one letter, as programs define them
    for l in A B C D E F G H I J K L M N O P Q R S T U V W X Y Z; do echo "#define $l 16"; done >letters.cu
    for h in cooperative_groups cooperative_groups/reduce cooperative_groups/scan cuda_bf16 cuda_fp16 cuda_fp8 \
        cuda_pipeline mma curand_kernel helper_cuda helper_cuda_drvapi nvrtc_helper helper_image helper_math cuComplex nvToolsExt; do
        echo "#include <$h.h>"
    done >>letters.cu
    "$nvcc" -c letters.cu
}
holds "headers after macros of one letter" one_letter
letters=$(for l in A B C D E F G H I J K L M N O P Q R S T U V W X Y Z; do printf -- '-D%s=16 ' $l; done)
# shellcheck disable=SC2086
holds "macros of one letter as options" "$nvcc" $letters -c a.cu
holds "small floats in C++ for the host" sh -c '"$1" "$2" -o half' - "$nvcc" "$here/host_half.cpp"
holds "runs" ./half
holds "g++ takes their headers" g++ -std=c++14 -Wall -Werror "-I$build/cuda/include" "$here/host_numbers.cpp" -o numbers
holds "their arithmetic is exact" ./numbers
holds "OpenMP in host code" sh -c '"$1" -Xcompiler -fopenmp "$2" -o openmp' - "$nvcc" "$here/openmp.cu"
holds "runs" right ./openmp
helpers() { "$nvcc" -fatbin "$here/module_helpers.cu" -o module_helpers.fatbin &&
    "$nvcc" "$here/module_helpers.cu" -o helpers -lcuda -lnvrtc; }
holds "helper headers of the driver API and NVRTC" helpers
holds "run" ./helpers "$here/module_helpers.cu"
holds "Thrust without options" sh -c '"$1" "$2" -o thrust_sort' - "$nvcc" "$here/thrust_sort.cu"
holds "sorts" right ./thrust_sort

for version in 19 18 17 16 14; do
    command -v "clang++-$version" >/dev/null || continue
    holds "managed variables with clang $version" env SIMTX_CLANG=clang++-$version "$nvcc" "$here/managed.cu" \
        -o "managed$version"
    holds "are one for host and device" right "./managed$version"
done
holds "the same in timing mode" "$simtx" run --quiet --config v100 -- ./managed19
holds "managed variables in separate compilation" sh -c '"$1" -rdc=true "$2" -o managed_rdc' - \
    "$nvcc" "$here/managed.cu"
holds "are the same" right ./managed_rdc

# 2. Separate compilation with every installed clang that compiles right.
separate() { "$nvcc" -dc "$here/rdc/main.cu" "$here/rdc/other.cu"; }
for version in 19 18 17 16 14; do
    command -v "clang++-$version" >/dev/null || continue
    export SIMTX_CLANG=clang++-$version
    holds "clang $version: objects" separate
    holds "clang $version: device link with the program" sh -c '"$1" main.o other.o -o p' - "$nvcc"
    holds "clang $version: result" right ./p
done
unset SIMTX_CLANG
separate
explicit() {
    "$nvcc" -dlink main.o other.o -o dlink.o &&
        c++ main.o other.o dlink.o -o q "-L$build/cuda/lib64" -lcudart && right ./q
}
holds "explicit device link, linked by the host compiler" explicit
holds "which nvcc does not repeat" sh -c '"$1" main.o other.o dlink.o -o q2' - "$nvcc"
holds "and runs" right ./q2
archived() { "$nvcc" -lib other.o -o libother.a && "$nvcc" main.o -L. -lother -o s && right ./s; }
holds "an archive with device code" archived
printf '__device__ int scaled(int x) { return x; }\n' >twice.cu
"$nvcc" -dc twice.cu
holds "an undefined function" rejects "'_Z6scaledi' is declared, but no module defines" "$nvcc" main.o -o u
holds "an undefined variable" rejects "'counter' is declared, but no module defines" "$nvcc" main.o twice.o -o u
holds "two definitions" rejects "is defined in two modules" "$nvcc" main.o other.o twice.o -o u
holds "nvlink without a task" rejects "nothing to write" "$build/cuda/bin/nvlink" main.o

# 3. CMake: CUDA as a language with our nvcc and with clang, and find_package(CUDAToolkit).
configure() { # FOLDER OPTIONS...
    folder=$1
    shift
    cmake -S "$here/cmake" -B "$folder" -DRDC="$here/rdc" -DCUDAToolkit_ROOT="$build/cuda" "$@" && make -C "$folder"
}
built() { right "$1/separate" && right "$1/whole"; }
holds "CMake with nvcc" configure with_nvcc -DCMAKE_CUDA_COMPILER="$nvcc"
holds "its programs" built with_nvcc
holds "CMake with clang" configure with_clang -DCMAKE_CUDA_COMPILER="${CLANGXX:-clang++}" \
    -DCMAKE_CUDA_ARCHITECTURES=70 -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared
holds "its programs" built with_clang

finish
