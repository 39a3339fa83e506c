#!/bin/bash
# Tests of the CUDA directory and of simtx-cc: headers, device code on every architecture, option translation, messages.
# Usage: toolchain.sh BUILD; the last line counts. CLANGXX: the clang++ that compiles device code alone.
suite=toolchain
clang=${SIMTX_CLANG-}                   # harness.sh unsets it
. "$(dirname "$0")/../harness.sh"
[ -z "$clang" ] || export SIMTX_CLANG="$clang"
export TMPDIR=$work              # clang before version 17 leaves empty folders there
CXX=${CLANGXX:-clang++}
cc=$build/bin/simtx-cc

device() { "$CXX" --cuda-path="$build/cuda" --cuda-device-only -S -Wall -Werror "$@"; }

# Only the functions that the simulator provides may stay undefined.
no_dangling() {
    extra=$(sed -n '/^\.extern \.func/{s/.*) //;s/.*\.func *//;s/(.*//;p}' "$1" |
        grep -v -x -e vprintf -e malloc -e free -e __assertfail)
    [ -z "$extra" ] || { echo "undefined in $1: $extra"; return 1; }
}

compiled() { # SOURCE OUTPUT OPTIONS...
    src=$1 out=$2
    shift 2
    device "$@" "$here/$src" -o "$out" && grep -q '^\.visible \.entry' "$out" && no_dangling "$out"
}

# 1. Device code of every family, and the language, on several architectures and levels.
for arch in 60 70 75 80; do
    holds "intrinsics for sm_$arch" compiled intrinsics.cu "i$arch.ptx" -O2 --cuda-gpu-arch=sm_$arch
done
holds "textures" compiled textures.cu tex.ptx -O2 --cuda-gpu-arch=sm_70
holds "textures become tex" grep -q tex.2d.v4.f32.f32 tex.ptx
holds "intrinsics at -O0" compiled intrinsics.cu i0.ptx -O0 --cuda-gpu-arch=sm_70
holds "intrinsics with -ffast-math" compiled intrinsics.cu if.ptx -O2 -ffast-math --cuda-gpu-arch=sm_70
holds "intrinsics as C++20" compiled intrinsics.cu i20.ptx -O1 -std=c++20 --cuda-gpu-arch=sm_70
for opt in "-O2" "-O0" "-O2 -std=c++11 -g" "-O0 -g"; do
    # shellcheck disable=SC2086
    holds "language $opt" compiled language.cu l.ptx $opt --cuda-gpu-arch=sm_70
done
holds "host pass" "$CXX" --cuda-path="$build/cuda" --cuda-host-only -c -Wall -Werror "$here/language.cu" -o l.o
holds "host pass of the intrinsics" "$CXX" --cuda-path="$build/cuda" --cuda-host-only -c -Wall -Werror \
    "$here/intrinsics.cu" -o i.o

# What the instructions must be.
for pat in 'atom.global.cas.b32' 'shfl.sync.down.b32' 'vote.sync.ballot\|vote.ballot.sync' 'match.all.sync.b64' \
    'ld.global.nc.v4.f32' \
    'ld.global.cg.v4.f32' 'fma.rn.f16x2' 'ld.acquire.gpu' 'fence.sc.gpu' 'tx_begin;' 'tx_commit;' \
    'dp4a.s32.s32' 'bar.warp.sync' 'atom.add.noftz.f16' 'activemask.b32' 'cvta.to.shared' 'barrier.sync'; do
    holds "sm_70 PTX has $pat" grep -q -- "$pat" i70.ptx
done
holds "sm_80 PTX has redux.sync" grep -q redux.sync.add i80.ptx
markers_free() { # the lines between the two markers: just the guarded statement
    awk '/simtx: lock begin/{on=1;next} /simtx: lock end/{on=0} on && /^\t(bar|atom|membar|fence|call)/{bad=1}
         END{exit bad}' i70.ptx && grep -q 'simtx: lock begin' i70.ptx
}
holds "lock markers cost nothing" markers_free

# 2. Every header alone: in a CUDA file, and those of the runtime API for a host compiler, as C and as C++.
for h in "$build"/cuda/include/*.h "$build"/cuda/include/cooperative_groups/*.h; do
    h=${h#"$build"/cuda/include/}
    case $h in curand_mtgp32_kernel.h) continue ;; esac
    printf '#include <%s>\n' "$h" >one.cu
    holds "header $h alone" "$CXX" \
        --cuda-path="$build/cuda" --cuda-device-only --cuda-gpu-arch=sm_70 -fsyntax-only -Wall -Werror one.cu
done
for h in cuda.h cuda_runtime.h cuda_runtime_api.h vector_types.h vector_functions.h driver_types.h texture_types.h \
    cuComplex.h cuda_profiler_api.h math_constants.h host_defines.h library_types.h simtx_tm.h; do
    printf '#include <%s>\nint main(void) { return 0; }\n' "$h" >one.c
    holds "header $h as C" cc -std=c11 -Wall -Wextra -Werror -isystem "$build/cuda/include" -fsyntax-only one.c
    holds "header $h as C++" c++ -x c++ -Wall -Wextra -Werror -isystem "$build/cuda/include" -fsyntax-only one.c
done

# 3. Host versions of device functions.
hostside() { "$CXX" --cuda-path="$build/cuda" --cuda-host-only -O1 "$here/hostside.cu" -o hostside && ./hostside; }
holds "host versions of conversions and functions" hostside

# 4. The lock loop: every release comes before the post-dominator of the branch behind the compare-and-swap.
release_inside() { awk -f "$here/release_inside.awk" "$1"; }
program_releases_inside() {
    "$cc" -O2 -ptx "$1" -o program.ptx && release_inside program.ptx
}
device -O2 --cuda-gpu-arch=sm_70 -DMARKED "$here/lock.cu" -o marked.ptx
device -O2 --cuda-gpu-arch=sm_70 "$here/lock.cu" -o plain.ptx
holds "SIMTX_LOCK_DONE keeps the release inside the loop" release_inside marked.ptx
moved() { release_inside plain.ptx; [ $? = 1 ]; }
holds "without it clang moves the release (the reason for the macro)" moved
for program in $(grep -l -e SIMTX_LOCK_DONE -e simtx_lock_begin -e under_lock \
    "$here"/../../kernels/*/*.cu); do
    holds "lock loops of $(basename "$program")" program_releases_inside "$program"
done

# Line numbers are those of the program: the functions of headers have none.
cat >lines.cu <<'END'
__global__ void k(int *p)
{
    __syncthreads();
    atomicAdd(p, __shfl_sync(~0u, p[1], 0));
    __threadfence();
}
END
program_lines() { # OPTION: every barrier, shuffle, atomic and fence of PTX has a line of lines.cu
    "$cc" "$1" -ptx lines.cu -o lines.ptx &&
        awk '/^\t\.loc\t/ { file = $2; line = $3 }
             /^\t(\{? *)?(bar|atom|shfl|membar)/ { n++; if (file != 1 || line < 3 || line > 5) bad = 1 }
             END { exit bad || n < 4 }' lines.ptx || { cat lines.ptx; return 1; }
}
holds "-lineinfo: lines of the program" program_lines -lineinfo
holds "-G: lines of the program" program_lines -G

# 5. simtx-cc: what becomes of options.
echo '__global__ void k() {}' >a.cu
echo 'int f(void) { return 1; }' >c.c
echo 'int g() { return 1; }' >p.cpp
: >o.o
translates() { # "OPTIONS" "PATTERN"; a pattern that begins with ! must not occur
    # shellcheck disable=SC2086
    line=$("$cc" --dryrun $1 2>&1) || { echo "$line"; return 1; }
    case $2 in
    !*) ! printf '%s\n' "$line" | grep -q -e "${2#!}" ;;
    *) printf '%s\n' "$line" | grep -q -e "$2" ;;
    esac || { echo "$line"; return 1; }
}
while IFS='|' read -r opts pat; do
    [ -n "$opts" ] && holds "simtx-cc $opts -> $pat" translates "$opts" "$pat"
done <<'END'
a.cu|--cuda-gpu-arch=sm_70
a.cu|-lcudart
a.cu|-Wl,-rpath,
a.cu|-O2
a.cu|-o a.out
-arch=sm_75 a.cu|--cuda-gpu-arch=sm_75
-arch sm_61 a.cu|--cuda-gpu-arch=sm_61
-arch=compute_60 -code=sm_60 a.cu|--cuda-gpu-arch=sm_60
-arch=native a.cu|--cuda-gpu-arch=sm_70
-arch=all a.cu|--cuda-gpu-arch=sm_70
--gpu-architecture=sm_80 a.cu|--cuda-gpu-arch=sm_80
-gencode arch=compute_60,code=sm_60 -gencode=arch=compute_75,code=[sm_75,compute_75] a.cu|--cuda-gpu-arch=sm_75
--generate-code arch=compute_52,code=sm_52 a.cu|--cuda-gpu-arch=sm_52
-gencode arch=compute_60,code=sm_60 -gencode arch=compute_90,code=sm_90 a.cu|--cuda-gpu-arch=sm_60
-arch=sm_90 a.cu|--cuda-gpu-arch=sm_86
-arch=sm_90 a.cu|-Xcuda-ptxas --source-arch=sm_90
-gencode arch=compute_90a,code=sm_90a a.cu|-Xcuda-ptxas --source-arch=sm_90a
-arch=sm_80 a.cu|--source-arch=sm_80
-arch=sm_80 a.cu|!__CUDA_ARCH__
-arch=sm_80 a.cu|-D__CUDA_ARCH_LIST__=800
-arch=sm_89 a.cu|-Xarch_device -U__CUDA_ARCH__ -Xarch_device -D__CUDA_ARCH__=890 -
-arch=sm_90 a.cu|-D__CUDA_ARCH__=900 .*-D__CUDA_ARCH_LIST__=900
-arch=sm_90 a.cu|!newer than
-arch=sm_90 a.cu|!SM90_ALL
-arch=sm_90a a.cu|-D__CUDA_ARCH__=900 -Xarch_device -D__CUDA_ARCH_FEAT_SM90_ALL=1
-arch=sm_120a a.cu|-D__CUDA_ARCH__=900
-arch=sm_120a a.cu|sm_120a is newer than sm_90, the newest supported; using sm_90a
-gencode arch=compute_60,code=sm_60 -gencode arch=compute_90,code=sm_90 a.cu|--source-arch=sm_60
-arch=sm_13 a.cu|--cuda-gpu-arch=sm_35
-O3 a.cu|-O3
-O0 a.cu|-O0
-O4 a.cu|-O3
-std=c++17 a.cu|-std=c++17
--std c++14 a.cu|-std=c++14
-std=c++17 a.cu c.c|!-std=c++17.*-x c c.c
-Xcompiler -Wall,-fPIC a.cu|-Wall -fPIC
-Xcompiler=-fopenmp a.cu|-fopenmp
--compiler-options -march=native a.cu|-Xarch_host -march=native
-Xcompiler -O1 a.cu|-O1
-Xlinker -z,now a.cu|-Xlinker -z -Xlinker now
-Xptxas -v a.cu|-Xcuda-ptxas -v
--ptxas-options=-v a.cu|-Xcuda-ptxas -v
-lineinfo a.cu|-gline-tables-only
-G a.cu|--cuda-noopt-device-debug.*-O0
-g a.cu| -g 
-c a.cu|-c -x cuda a.cu -o a.o
-c a.cu -o x.o|-o x.o
-ptx a.cu|--cuda-device-only -S -x cuda a.cu -o a.ptx
-E a.cu|-E --cuda-host-only
-M a.cu|-M --cuda-host-only
-MD -MF a.d -c a.cu|-MD -MF a.d
--use_fast_math a.cu|-fcuda-approx-transcendentals -fcuda-flush-denormals-to-zero
-use_fast_math a.cu|nvptx-prec-divf32=0
-ftz=true a.cu|-fcuda-flush-denormals-to-zero
-prec-div=false a.cu|nvptx-prec-divf32=1
-prec-sqrt=false a.cu|nvptx-prec-sqrtf32=0
-fmad=false a.cu|-ffp-contract=off
--expt-relaxed-constexpr --extended-lambda --expt-extended-lambda a.cu|!lambda
-ccbin g++ a.cu|!clang++.*-ccbin
-maxrregcount=32 a.cu|has no effect
-x cu p.cpp|-x cuda p.cpp
p.cpp|-x c++ p.cpp
a.cu p.cpp o.o|-x cuda a.cu -x c++ p.cpp -x none o.o
-DA=1 -D B -I. -lm a.cu|-D A=1 -D B -I .
-DA=1 -lm a.cu|-lm
-lcudart -lcudadevrt a.cu|!-lcudadevrt
-lcuda a.cu|-lcuda 
-cudart none a.cu|!clang.*-lcudart
-Werror all-warnings a.cu|-Werror
-Xcudafe --diag_suppress=2361 a.cu|!diag_suppress
-diag-suppress 177 a.cu|!177
-m64 a.cu|!-m64
-w a.cu| -w 
-shared -Xcompiler -fPIC a.cu -o liba.so|-shared
--default-stream per-thread a.cu|-DCUDA_API_PER_THREAD_DEFAULT_STREAM
-Xcompiler -m64 a.cu|!-m64
-dc a.cu|-fgpu-rdc.*-c -x cuda a.cu -o a.o
-rdc=true -c a.cu|-fgpu-rdc
-rdc true a.cu|nvlink
-dlink o.o -o d.o|link.stub -o d.o
-lib a.cu -o x.a|ar rcs x.a
-fatbin a.cu|fatbinary --create a.fatbin --image=profile=compute_70
-odir out -c a.cu|-o out/a.o
-gencode arch=compute_70,code=\"sm_70,compute_70\" a.cu|--cuda-gpu-arch=sm_70
-gencode arch=compute_80,code=lto_80 a.cu|--cuda-gpu-arch=sm_80
-arch=all-major a.cu|--cuda-gpu-arch=sm_70
--extended-lambda a.cu|-D__CUDACC_EXTENDED_LAMBDA__
--expt-relaxed-constexpr a.cu|-D__CUDACC_RELAXED_CONSTEXPR__
-v -c --dryrun a.cu|TOP=.*/cuda
-c a.cu --dryrun|NVVMIR_LIBRARY_DIR=.*nvvm/libdevice
-ftemplate-depth 99 --frandom-seed=7 a.cu|-ftemplate-depth=99 -frandom-seed=7
-ewp -jtd=50 --jump-table-density 20 --jobserver --split-compile-extended=2 a.cu|!density
-static-global-template-stub=false --device-stack-protector=true --relocatable-ptx --pch a.cu|!stub
--Wreorder --Wmissing-launch-bounds --Wno-deprecated-gpu-targets a.cu|-Wreorder
a.cu|-Wno-pass-failed
-objtemp -t 4 -forward-unknown-to-host-compiler -Wno-deprecated-gpu-targets a.cu|!deprecated-gpu
END
mkdir other && : >other/cuda_runtime.h && : >other/libcudart.so
holds "another CUDA's folders are left out" translates "-Iother -Lother a.cu" "this folder contains another CUDA"
holds "and do not reach clang" translates "-Iother a.cu" "!clang.*-I other"
holds "release line" sh -c '"$1" --version | grep -q "release 11.5, V11.5"' - "$build/bin/nvcc"
holds "nvcc compiles" "$build/bin/nvcc" -arch=sm_70 -ptx a.cu -o n.ptx
holds "PTX of several files" sh -c 'cp a.cu b.cu && "$1" -ptx a.cu b.cu && grep -q "entry _Z1kv" a.ptx b.ptx' - "$cc"

# 6. Wrong usage: exit status and message.
refuses() { # "OPTIONS" "PATTERN"
    # shellcheck disable=SC2086
    if msg=$("$cc" $1 2>&1); then
        echo "accepted"
        return 1
    fi
    printf '%s\n' "$msg" | grep -q -e "$2" || { echo "$msg"; return 1; }
}
while IFS='|' read -r opts pat; do
    [ -n "$pat" ] && holds "simtx-cc $opts is refused: $pat" refuses "$opts" "$pat"
done <<'END'
|no input file
missing.cu|missing.cu: no such file
.|\. is a folder
-cubin a.cu|no machine code
-m32 a.cu|32-bit programs are not supported
-arch=tesla a.cu|not an architecture
-gencode arch=compute_70 a.cu|-gencode takes arch=
-c -ptx a.cu|contradict
-c a.cu p.cpp -o x.o|-o names one file
-ptx p.cpp|not CUDA source
-fmad=maybe a.cu|true or false
-x fortran a.cu|-x takes cu
-cudart dynamic a.cu|-cudart takes
-default-stream all a.cu|-default-stream takes
-gencode arch=compute_70,code=volta a.cu|not an architecture
-cuda -rdc=true a.cu|have no C++ form
-cuda p.cpp|not CUDA source
-Xcompiler -m32 a.cu|32-bit programs
-frobnicate a.cu|unknown argument.*-frobnicate
@missing.txt|option file missing.txt: No such file
--options-file|needs a value
a.cu -o|needs a value
x.ptx|PTX is not compiled
END
holds "a bad SIMTX_CLANG" env SIMTX_CLANG=/nonexistent sh \
    -c '! "$1" a.cu 2>&1 | grep -q "no executable program" && exit 1 || exit 0' - "$cc"

# 7. ptxas and fatbinary.
container() {
    "$build/cuda/bin/fatbinary" -64 --create f.fatbin \
        --image=profile=sm_70,file=n.ptx --image=profile=compute_70,file=n.ptx || return 1
    set -- $(od -An -v -tx4 -N 80 f.fatbin)
    size=$(($(wc -c <f.fatbin)))
    text=$(($(wc -c <n.ptx)))
    padded=$(((text + 8) / 8 * 8))
    [ "$1" = ba55ed50 ] && [ "$2" = 00100001 ] && [ $((0x$3)) = $((size - 16)) ] && [ "$5" = 01010001 ] &&
        [ $((0x$6)) = 64 ] && [ $((0x$7)) = $padded ] && [ $size = $((80 + padded)) ] &&
        [ "${11}" = 00070005 -o "${11}" = 00050007 ] &&
        [ $((0x${12})) = 70 ] && [ $((0x${15})) = 17 ] &&
        tail -c +81 f.fatbin | head -c "$text" | cmp - n.ptx &&
        [ "$(tail -c 1 f.fatbin | od -An -tx1 | tr -d ' ')" = 00 ]
}
holds "fatbinary writes the container" container
holds "fatbinary refuses what is not PTX" rejects "is not PTX text" "$build/cuda/bin/fatbinary" --create f \
    --image=profile=compute_70,file="$build/cuda/bin/ptxas"
holds "fatbinary wants an output" rejects "no output file" "$build/cuda/bin/fatbinary" \
    --image=profile=compute_70,file=n.ptx
holds "fatbinary wants a readable image" rejects "cannot read" "$build/cuda/bin/fatbinary" --create f \
    --image=profile=compute_70,file=none
holds "ptxas wants an input" rejects "no input file" "$build/cuda/bin/ptxas" -o x
holds "ptxas refuses 32 bits" rejects "32-bit" "$build/cuda/bin/ptxas" -m32 n.ptx
lonely() {
    mkdir -p lone/bin && cp "$build/cuda/bin/ptxas" lone/bin/ &&
        rejects "the simtx command is not next to" lone/bin/ptxas n.ptx
}
holds "ptxas without simtx says so" lonely
holds "ptxas passes valid PTX on" sh -c '"$1" -m64 -O2 --gpu-name sm_70 --output-file n.o n.ptx && cmp n.o n.ptx' \
    - "$build/cuda/bin/ptxas"
sed 's/ret;/frobnicate.u32 %r1;/' n.ptx >bad.ptx
holds "ptxas refuses an unknown instruction" rejects "frobnicate" "$build/cuda/bin/ptxas" --output-file bad.o bad.ptx
holds "and leaves no output" sh -c "! test -e bad.o"
marked() { # VERSION TARGET INSTRUCTION VERSION TARGET OPTION...: what ptxas makes of the text's version and target
    printf '//\n.version %s\n.target sm_%s\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %%p;\n%s;\nret;\n}\n' \
        "$1" "$2" "$3" >cluster.ptx && "$build/cuda/bin/ptxas" --output-file cluster.o cluster.ptx "${@:6}" &&
        [ "$(sed -n 's/^\.version //p; s/^\.target sm_//p' cluster.o | xargs)" = "$4 $5" ] || { cat cluster.o; return 1; }
}
holds "code without clusters keeps its target" marked 6.0 70 'bar.sync 0' 6.0 70
holds "scopes of clusters are marked as sm_90" marked 6.0 70 'fence.acq_rel.cluster' 8.0 90
holds "special registers of clusters are" marked 7.5 86 'mov.pred %p, %is_explicit_cluster' 8.0 90
holds "a later version and target stay" marked 8.6 100 'barrier.cluster.arrive' 8.6 100
holds "a later target stays" marked 7.5 100 'barrier.cluster.arrive' 8.0 100
holds "code is marked with the program's architecture" marked 7.5 86 'bar.sync 0' 8.6 90 --source-arch=sm_90
holds "also with the letter of sm_90a" marked 7.5 86 'bar.sync 0' 8.6 90a --source-arch=sm_90a
holds "of three digits, with the newest of two" marked 7.5 86 'bar.sync 0' 8.6 90 --source-arch sm_120a
holds "a later target stays, an older version does not" marked 7.5 86 'bar.sync 0' 8.6 86 --source-arch=sm_80
cat >later.cu <<'END'
__global__ void k(int *p)
{
    asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(p[0]) : "r"(p[1]));
    asm("mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32 {%0, %0, %0, %0}, {%1, %1}, {%1}, {%2, %2, %2, %2};"
        : "=f"(*(float *)p) : "r"(p[1]), "f"(0.f));
}
END
unwarned() { "$@" 2>messages && ! grep warning messages; }
holds "assembly of a later version of PTX has no warning for its architecture" unwarned "$cc" -arch=sm_89 -c later.cu
cat >grid.cu <<'END'
#include <cooperative_groups.h>
__device__ __noinline__ void meet() { cooperative_groups::this_grid().sync(); }
__global__ void k(int *p) { *p = 1; meet(); }
int main(int n, char **)
{
    int *p;
    cudaMalloc(&p, sizeof *p);
    void *args[] = {&p};
    if (n > 1)
        return cudaLaunchCooperativeKernel((void *)k, 2, 32, args, 0, 0);
    k<<<2, 32>>>(p);
    return cudaDeviceSynchronize();
}
END
holds "a program with a barrier of the grid" "$cc" -arch=sm_70 grid.cu -o grid
warned() { ./grid 2>messages && [ "$(grep -c 'this_grid().sync()), but its launch is not cooperative' messages)" = 1 ]; }
holds "a launch that is not cooperative has a warning" warned
holds "a cooperative launch has none" unwarned ./grid cooperative
holds "names of files are not code" marked 6.0 70 '.file 1 "a.cluster.cu"' 6.0 70
holds "ptxas accepts textures" "$build/cuda/bin/ptxas" --output-file tex.o tex.ptx
for f in intrinsics language; do
    for opt in "-O2" "-O0 -g" "-O2 -g"; do
        # shellcheck disable=SC2086
        holds "ptxas accepts $f.cu $opt" sh -c '"$@"' - "$CXX" --cuda-path="$build/cuda" --cuda-gpu-arch=sm_70 $opt \
            -c "$here/$f.cu" -o x.o
    done
done

# 8. The installed layout.
installed() {
    mkdir -p pre/bin pre/share/simtx && cp "$cc" pre/bin/ && cp -R "$build/cuda" pre/share/simtx/cuda &&
        pre/bin/simtx-cc --dryrun a.cu 2>&1 | grep -q -e "--cuda-path=$(pwd -P)/pre/share/simtx/cuda"
}
holds "simtx-cc finds the tree of its installation" installed
echo '__global__ void k() {} int main() { k<<<1, 1>>>(); return cudaDeviceSynchronize(); }' >launch.cu
runs_installed() {
    cp "$simtx" pre/bin/ && cp -R "$build/share/simtx/configs" pre/share/simtx/ &&
        pre/bin/simtx-cc launch.cu -o launch && pre/bin/simtx run --quiet --timing --config v100 -- ./launch
}
holds "programs find the presets of their installation" runs_installed
solo() { mkdir solo && cp "$cc" solo/ && rejects "no CUDA directory" solo/simtx-cc a.cu; }
holds "simtx-cc without a tree says so" solo

# 9. Which clang compiles: the newest version that is supported, unless SIMTX_CLANG names another.
runs() { "$cc" -O2 "$here/$1" -o program && "$simtx" run --quiet -- ./program; }
with() { # VERSION COMMAND...: with this version of clang
    local version=$1
    shift
    SIMTX_CLANG=clang++-$version "$@"
}
fails() { ! "$@"; }
# A signal during a compilation: simtx-cc waits for clang, removes all its files and ends by the signal.
interrupted() { # SIGNAL
    rm -rf started interrupted && mkdir interrupted
    # under nohup HUP is ignored
    SIMTX_CLANG=$work/slow_clang TMPDIR=$work/interrupted env --default-signal "$cc" -c a.cu -o interrupted.o &
    local pid=$! status=0
    for _ in $(seq 300); do
        [ ! -e started ] || break
        sleep 0.1
    done
    kill -s "$1" $pid
    wait $pid || status=$?
    [ "$status" = $((128 + $(kill -l "$1"))) ] && rmdir interrupted
}
cat >slow_clang <<'END'
#!/bin/sh
case $* in *dumpversion*) echo 19.0.0; exit ;; esac
: >"$TMPDIR/unfinished.o"
trap 'sleep 0.3; exit 1' HUP TERM
: >started
for i in $(seq 100); do sleep 0.1; done
END
chmod +x slow_clang
for signal in TERM HUP; do
    holds "simtx-cc leaves no temporary files after SIG$signal" interrupted $signal
done
# A signal while no process runs.
"$CXX" -x c -D_GNU_SOURCE -shared -fPIC "$here/signal_at.c" -o signal_at.so
signalled() { # FUNCTION: where simtx-cc receives the signal; it starts no compilation
    local status=0
    rm -rf started signalled && mkdir signalled
    SIGNAL_AT=$1 LD_PRELOAD=$work/signal_at.so ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0 \
        SIMTX_CLANG=$work/slow_clang TMPDIR=$work/signalled "$cc" -c a.cu -o signalled.o || status=$?
    [ "$status" = $((128 + 15)) ] && [ ! -e started ] && rmdir signalled
}
for function in mkdtemp sigprocmask; do
    holds "nor after a signal before the first process, at $function" signalled $function
done
printf '__global__ void k() {}\nint main() { k<< <1, 1>> >(); }\n' >spaced.cu
at_pipe() { # simtx-cc opens its output, a pipe, after the last process
    local pid status=0
    mkdir at_pipe && mkfifo pipe.cpp
    TMPDIR=$work/at_pipe "$cc" -cuda spaced.cu -o pipe.cpp &
    pid=$!
    for _ in $(seq 300); do
        [ -e "$(echo at_pipe/*/host.s)" ] && [ -z "$(cat /proc/$pid/task/$pid/children)" ] && break
        sleep 0.1
    done
    kill -s TERM $pid
    timeout 10 cat pipe.cpp >/dev/null
    wait $pid || status=$?
    [ "$status" = $((128 + 15)) ] && rmdir at_pipe
}
holds "nor after one that follows the last process" at_pipe
stopped() { # the output of -cuda cannot be written
    mkdir stopped && TMPDIR=$work/stopped rejects "No such file" "$cc" -cuda spaced.cu -o /nonexistent/spaced.cpp &&
        rmdir stopped
}
holds "nor when it cannot go on" stopped
tidy() { mkdir tidy && TMPDIR=$work/tidy "$cc" -w -c "$here/padding.cu" -o tidy.o && rmdir tidy; }
SIMTX_CLANG_KEPT=${SIMTX_CLANG-}
unset SIMTX_CLANG
newest=
for version in 19 18 17 16 15 14; do
    command -v "clang++-$version" >/dev/null || continue
    [ -n "$newest" ] || { newest=$version; holds "clang $version is taken" translates a.cu "^#. clang++-$version "; }
    holds "simtx-cc leaves no temporary files of clang $version" with "$version" tidy
    if [ "$version" -ge 16 ]; then
        holds "clang $version compares structs with padding" with "$version" runs padding.cu
        holds "clang $version initialises by an address" with "$version" runs address.cu
        holds "clang $version needs no warning" with "$version" translates a.cu '!warning: clang'
    else
        holds "clang $version miscompiles structs with padding (the reason for the warning)" with "$version" fails \
            runs padding.cu
        holds "simtx-cc warns of clang $version" with "$version" translates a.cu \
            "warning: clang $version can miscompile"
        holds "and just once" with "$version" sh \
            -c '[ "$("$1" --dryrun a.cu a.cu a.cu 2>&1 | grep -c warning:)" = 1 ]' - "$cc"
        holds "not for host code" with "$version" translates p.cpp "!warning:"
    fi
done
older_than_library() {
    mkdir -p old/bin && cp "$cc" old/bin/ && cp -R "$build/cuda" old/cuda && rm -rf old/cuda/clang-* &&
        echo 99 >old/cuda/nvvm/libdevice/clang-version && rejects "made by clang 99, which older versions cannot read" \
            old/bin/simtx-cc a.cu
}
holds "a clang that cannot read the math library says so" older_than_library
holds "SIMTX_CLANG that is no compiler" env SIMTX_CLANG=/bin/true sh -c '"$1" a.cu 2>&1 | grep -q "prints no version"' \
    - "$cc"
[ -z "$SIMTX_CLANG_KEPT" ] || export SIMTX_CLANG="$SIMTX_CLANG_KEPT"

finish
