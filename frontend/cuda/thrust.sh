#!/bin/sh
# usage: thrust.sh FOLDER
# Thrust's algorithms choose between a launch and a sequential loop by `if (__THRUST_HAS_CUDART__)`, which is 0 in
# kernels. nvcc ignores that the dead branch calls functions of the host; clang rejects it. This puts copies of the files
# with that test into FOLDER, in which the branch is discarded before clang looks into it. Without the package the folder
# has no such headers.
set -e
to=${1:?usage: thrust.sh FOLDER}
from=/usr/include
rm -rf "$to/thrust"
[ -d $from/thrust/system/cuda/detail ] || exit 0
mkdir -p "$to/thrust/system/cuda/detail"
cd $from/thrust/system/cuda/detail
files=$(grep -l 'if (__THRUST_HAS_CUDART__)' ./*.h) || echo "thrust.sh: no such test: another version of Thrust" >&2
for f in $files; do
    sed 's/if (__THRUST_HAS_CUDART__)/if constexpr (__THRUST_HAS_CUDART__)/' "$f" >"$to/thrust/system/cuda/detail/$f"
done
