#!/bin/sh
# A Python program that compiles by NVRTC and launches through ctypes on libcuda; nothing but libraries is given to it.
build=$1
if ! command -v python3 >/dev/null; then
    echo "python: python3 is not installed (./bootstrap test installs it)"
    exit 0
fi
export SIMTX_QUIET=1
if python3 "$(dirname "$0")/nvrtc_client.py" "$build/cuda/lib64/libcuda.so.1" "$build/cuda/lib64/libnvrtc.so"; then
    echo "python: 1 passed, 0 failed"
else
    echo "python: 0 passed, 1 failed"
fi
