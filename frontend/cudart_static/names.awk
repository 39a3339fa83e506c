# Writes names.h from renamed.txt (first file) and the names of libcudart.so, one a line: for each name the function
# that it means in this release. A name for per-thread default streams means the same as the name without the suffix.
FNR == NR {
    if ($1 == release)
        target[$2] = $3
    next
}
FNR == 1 { print "#define FORWARD_NAMES \\" }
!/^__cudaSimtx.*1[23]$/ {
    plain = $1
    sub(/_pt(ds|sz)$/, "", plain)
    printf "    FORWARD(%d, %s, %s) \\\n", count++, $1, plain in target ? target[plain] : $1
}
END { printf "\n#define FORWARD_COUNT %d\n", count }
