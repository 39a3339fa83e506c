#!/bin/sh
# Debian's ffmpeg with its CUDA filters on a test source. It loads libcuda.so.1 by dlopen; its filters bring PTX 3.2 for
# sm_30. The frames are compared with those of the CPU filters: equal where both compute the same (overlay, nearest), by
# signal-to-noise ratio where the arithmetic differs.
build=$1
work=$2
here=$(cd "$(dirname "$0")" && pwd)
passed=0
failed=0
if ! command -v ffmpeg >/dev/null || ! ffmpeg -hide_banner -filters 2>/dev/null | grep -q yadif_cuda; then
    echo "ffmpeg: ffmpeg with CUDA filters is not installed (./bootstrap test installs it)"
    exit 0
fi
export SIMTX_QUIET=1
size=128x96
source=testsrc2=size=$size:rate=25
small="-f lavfi -i smptebars=size=48x32:rate=25"

# run FILE FRAMES GRAPH INPUTS...: raw frames of a filter graph
run() {
    file=$1
    frames=$2
    graph=$3
    shift 3
    ffmpeg -hide_banner -loglevel error -nostdin -y "$@" -frames:v "$frames" -lavfi "$graph" -f rawvideo "$work/$file" \
        2>"$work/$file.log"
}

gpu() {
    LD_LIBRARY_PATH=$build/cuda/lib64 run "$@" -init_hw_device cuda=gpu:0 -filter_hw_device gpu
}

check() {
    if python3 "$here/compare_frames.py" "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "ffmpeg: FAIL: $name"
        cat "$work"/*.log
    fi
}

# both NAME CUDA-FILTER CPU-FILTER COMPARISON...
both() {
    name=$1
    gpu "$1.gpu" 4 "format=yuv420p,hwupload_cuda,$2,hwdownload,format=yuv420p" -f lavfi -i "$source"
    run "$1.cpu" 4 "format=yuv420p,$3" -f lavfi -i "$source"
    shift 3
    how=$1
    shift
    check "$how" "$work/$name.gpu" "$work/$name.cpu" "$@"
}

both upload scale_cuda=passthrough=1 null same
both yadif yadif_cuda yadif psnr 40
both yadif_fields yadif_cuda=mode=1 yadif=mode=1 psnr 40
both nearest scale_cuda=64:48:interp_algo=nearest scale=64:48:flags=neighbor same
both bilinear scale_cuda=64:48:interp_algo=bilinear scale=64:48:flags=bilinear psnr 28
both bicubic scale_cuda=256:192:interp_algo=bicubic scale=256:192:flags=bicubic psnr 34
both lanczos scale_cuda=64:48:interp_algo=lanczos scale=64:48:flags=lanczos psnr 27

name=overlay
gpu overlay.gpu 4 "[0]format=yuv420p,hwupload_cuda[a];[1]format=yuv420p,hwupload_cuda[b];[a][b]overlay_cuda=x=20:y=10,
hwdownload,format=yuv420p" -f lavfi -i "$source" $small
run overlay.cpu 4 "[0]format=yuv420p[a];[1]format=yuv420p[b];[a][b]overlay=x=20:y=10" -f lavfi -i "$source" $small
check same "$work/overlay.gpu" "$work/overlay.cpu"

name=thumbnail
gpu thumbnail.gpu 1 "format=yuv420p,hwupload_cuda,thumbnail_cuda=n=6,hwdownload,format=yuv420p" -f lavfi -i "$source"
run thumbnail.cpu 1 "format=yuv420p,thumbnail=n=6,format=yuv420p" -f lavfi -i "$source"
run thumbnail.all 6 "format=yuv420p" -f lavfi -i "$source"
check one "$work/thumbnail.gpu" "$work/thumbnail.all" "$size"
check same "$work/thumbnail.gpu" "$work/thumbnail.cpu"

name=chromakey
key=0x00ff00:0.2:0.0
gpu chromakey.gpu 2 "format=yuv420p,hwupload_cuda,chromakey_cuda=$key,hwdownload,format=yuva420p" -f lavfi -i "$source"
run chromakey.cpu 2 "format=yuv420p,format=yuva420p,chromakey=$key,format=yuva420p" -f lavfi -i "$source"
check key "$work/chromakey.gpu" "$work/chromakey.cpu" "$size"

echo "ffmpeg: $passed passed, $failed failed"
