#!/bin/sh
# A CMake project with CUDA, compiled by our nvcc and by clang: the project runs and checks its own result.
build=$1
work=$2
here=$(cd "$(dirname "$0")" && pwd)
passed=0
failed=0
if ! command -v cmake >/dev/null; then
    echo "cmake: cmake is not installed (./bootstrap test installs it)"
    exit 0
fi
export SIMTX_QUIET=1

# project NAME OPTIONS...
project() {
    name=$1
    shift
    if cmake -S "$here/cmake" -B "$work/$name" "$@" >"$work/$name.log" 2>&1 &&
        cmake --build "$work/$name" >>"$work/$name.log" 2>&1 && "$work/$name/waves_main" >>"$work/$name.log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "cmake: the project with $name:"
        tail -n 20 "$work/$name.log"
    fi
}

# What clang builds finds the runtime library by LD_LIBRARY_PATH; what nvcc builds needs no help.
project nvcc -DCMAKE_CUDA_COMPILER="$build/cuda/bin/nvcc"
LD_LIBRARY_PATH=$build/cuda/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
project clang -DCMAKE_CUDA_COMPILER="${CLANGXX:-clang++}" -DCUDAToolkit_ROOT="$build/cuda" \
    -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared
echo "cmake: $passed passed, $failed failed"
