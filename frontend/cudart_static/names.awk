# Writes names.h from renamed.txt (first file) and the names of libcudart.so, one a line: for each name the function
# that it means in this release.
FNR == NR {
    if ($1 == release)
        target[$2] = $3
    next
}
FNR == 1 { print "#define FORWARD_NAMES \\" }
!/^__cudaSimtx.*1[23]$/ { printf "    FORWARD(%d, %s, %s) \\\n", count++, $1, $1 in target ? target[$1] : $1 }
END { printf "\n#define FORWARD_COUNT %d\n", count }
