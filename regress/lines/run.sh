#!/bin/bash
# No line of the sources has more than 120 columns. Exempt are rows that are one text by nature: the instructions of a
# probe, and the macros of mma.h with the shapes of fragments. No source or document has the marks of an unfinished
# merge. Usage: run.sh; the last line counts files.
cd "$(dirname "$0")/../.." || exit 1
if grep -rnE '^(<{7}|>{7}) ' base consistency configs docs frontend kernels memsys ptx regress timing tm ./*.md; then
    echo "lines: 0 passed, 1 failed"
    exit 1
fi
find base consistency frontend kernels memsys ptx regress timing tm -name '*.[chly]' -o -name '*.def' |
    grep -vxF -e regress/gpu/probes.def -e frontend/cuda/include/mma.h | sort | xargs awk '
    FNR == 1 { files++ }
    length > 120 { printf "    FAIL %s:%d: %d columns\n", FILENAME, FNR, length; bad += !seen[FILENAME]++ }
    END { printf "lines: %d passed, %d failed\n", files - bad, bad; exit bad > 0 || !files }'
