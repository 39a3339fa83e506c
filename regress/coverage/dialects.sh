#!/bin/bash
# The dialects of PTX that clang writes: programs of kernels/ compiled for every architecture and at every
# level of optimisation, each run, and each must find its own results right. Every architecture takes two
# programs in turn, every option one; `all` takes every architecture, and every option, with every program.
# Then the other versions of clang that are installed: every program with each.
# usage: dialects.sh BUILD [all]
build=${1:-build}
here=$(dirname "$0")
kernels=$here/../../kernels
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
suite=coverage-dialects
. "$here/../counts.sh"

# Program, and the first architecture that has what it uses.
programs=(algorithms/reduce:35 features/templates:35 features/virtual_calls:35 features/recursion:35
    features/struct_args:35 features/vector_loads:35 apps/ray_tracer:35 apps/hash_join:35 features/atomics:60
    features/int_intrinsics:61 features/half_arith:60 features/warp_intrinsics:70)
architectures=(35 50 60 70 75 80 86)
options=("-O0" "-O1" "-O2" "-O3" "-O2 -g" "-O0 -G" "-lineinfo" "-use_fast_math")

# One program for one architecture with some options.
try() {
    local name=$1 architecture=$2 status=0
    local -a flags
    read -ra flags <<<"$3"
    if ! "$build/bin/simtx-cc" -arch="sm_$architecture" "${flags[@]}" "$kernels/$name.cu" \
        -o "$scratch/program" >"$scratch/log" 2>&1; then
        fail "$name for sm_$architecture $3: does not compile" "$scratch/log"
        return
    fi
    timeout 120 "$build/bin/simtx" run --quiet -- "$scratch/program" >"$scratch/log" 2>&1 || status=$?
    if [ "$status" = 0 ] && [ "$(tail -n 1 "$scratch/log")" = "$(basename "$name"): PASS" ]; then
        pass
    else
        fail "$name for sm_$architecture $3: exit status $status" "$scratch/log"
    fi
}

next=0
# The next program in turn that the architecture can take.
try_next() {
    local entry
    while
        entry=${programs[next]}
        next=$(((next + 1) % ${#programs[@]}))
        [ "${entry#*:}" -gt "$1" ]
    do :; done
    try "${entry%:*}" "$1" "$2"
}

if [ "$2" = all ]; then
    for entry in "${programs[@]}"; do
        for architecture in "${architectures[@]}"; do
            [ "${entry#*:}" -gt "$architecture" ] && continue
            try "${entry%:*}" "$architecture" -O2
            try "${entry%:*}" "$architecture" -O0
        done
        for option in "${options[@]}"; do
            try "${entry%:*}" 70 "$option"
        done
    done
else
    for architecture in "${architectures[@]}"; do
        try_next "$architecture" -O2
        try_next "$architecture" -O0
    done
    for option in "${options[@]}"; do
        try_next 70 "$option"
    done
fi
# Other compilers than the one that simtx-cc takes by itself.
taken=$("$build/bin/simtx-cc" --dryrun -x cu /dev/null 2>&1 | sed -n 's/^#. \(clang[^ ]*\) .*/\1/p')
for version in 14 15 16 17 18 19; do
    export SIMTX_CLANG=clang++-$version
    if [ "$SIMTX_CLANG" != "$taken" ] && command -v "$SIMTX_CLANG" >/dev/null; then
        for entry in "${programs[@]}" features/math_accuracy:70; do
            try "${entry%:*}" 70 -O2
        done
    fi
done
finish
