#!/bin/bash
# The error of sim.sample: runs programs whole and sampled, and prints the table of docs/sampling.md. Usage: measure.sh
# BUILD [N [MACHINE]]: one in N waves (5) on the machine (gtx480+2sm).
build=$(cd "${1:-build}" && pwd) || exit 1
one_in=${2:-5}
machine=${3:-gtx480+2sm}
kernels=${KERNELS:-$build/kernels}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# figure FILE NAME: of the total; NAME may be "sample.NAME". Members of the total have four blanks before them.
figure() {
    local inner='^    "'
    [ "${2#sample.}" = "$2" ] || inner='^      "'
    sed -n '/^  "total": {/,/^  },$/p' "$1" |
        if [ "${2#sample.}" = "$2" ]; then cat; else sed -n '/^    "sample": {/,/}/p'; fi |
        sed -n "s/$inner${2#sample.}\": \([0-9.e+-]*\),*\$/\1/p"
}

run() {
    local stats=$1
    shift
    timeout 600 "$build/bin/simtx" run --quiet --timing --config "$machine" --stats "$stats" "$@" >/dev/null 2>&1
}

echo "| program | sampled launches | simulated blocks | cycles, whole | estimate | deviation | 95 % interval |"
echo "|---|---|---|---|---|---|---|"
while read -r program arguments; do
    if ! run "$work/whole.json" -- "$kernels/$program" $arguments ||
        ! run "$work/part.json" --set "sim.sample=$one_in" -- "$kernels/$program" $arguments; then
        echo "| \`$program $arguments\` | fails | | | | | |"
        continue
    fi
    awk -v name="$program $arguments" -v whole="$(figure "$work/whole.json" cycles)" \
        -v estimate="$(figure "$work/part.json" sample.cycles)" -v error="$(figure "$work/part.json" sample.error)" \
        -v blocks="$(figure "$work/part.json" sample.blocks)" -v of="$(figure "$work/part.json" sample.of)" \
        -v launches="$(figure "$work/part.json" sample.launches)" 'BEGIN {
            if (estimate == "")
                printf "| `%s` | 0 | all | %d | | | |\n", name, whole
            else
                printf "| `%s` | %d | %d of %d | %d | %d | %+.1f %% | +- %.1f %% |\n",
                       name, launches, blocks, of, whole, estimate, 100 * (estimate / whole - 1), 100 * error
        }'
done <<'PROGRAMS'
gemm_naive 320
black_scholes 60000
transpose 768
stencil2d 320
convolution 400
mandelbrot 256
monte_carlo_pi 240
spmv 40000
int_intrinsics 60000
hotspot --size 256
srad --size 4
fdtd_2d --size 512
2mm --size 2048
3mm --size 512
life 48
ray_tracer 128
motion_estimation 128
saxpy_streams 200000
histogram 400000
stencil3d 48
lattice_boltzmann 96
PROGRAMS
