#!/bin/sh
# Writes, from the object files of an API: names.sh aliases PER_THREAD OBJECTS, a linker script with the further names
# of functions (unversioned names of functions that exist as _v2 or _v3 alone, names for per-thread default streams, of
# the functions in the file PER_THREAD); names.sh stubs LIBRARY, a C file with an empty function for each name of the
# driver API, which the filter libcuda.so.1 consists of.
set -e
what=$1
shift

functions() {
    nm --defined-only "$@" | awk '$2 == "T" && $3 ~ /^(_*cuda|cu)[A-Z]/ { print $3 }' | LC_ALL=C sort -u
}

aliases() {
    per_thread=$1
    shift
    functions "$@" | awk -v per_thread="$per_thread" '
        { has[$1] = 1; name[NR] = $1 }
        END {
            for (i = 1; i <= NR; i++) {
                plain = name[i]
                if (sub(/_v[23]$/, "", plain) && !has[plain]) {
                    print plain " = " name[i] ";"
                    has[plain] = 1
                }
            }
            while ((getline line < per_thread) > 0) {
                n = split(line, word, " ")
                for (i = 2; i <= n && word[1] ~ /^pt/; i++)
                    if (has[word[i]])
                        print word[i] "_" word[1] " = " word[i] ";"
            }
        }'
}

stubs() {
    nm -D --defined-only "$1" | sed -n 's/^[0-9a-f]* T \(cu[A-Z][A-Za-z0-9_]*\).*/\1/p' | LC_ALL=C sort -u |
        sed 's/.*/void &(void);\nvoid &(void) {}/'
}

case $what in
aliases) aliases "$@" ;;
stubs) stubs "$@" ;;
*)
    echo "names.sh: usage: names.sh aliases PER_THREAD OBJECTS | stubs LIBRARY" >&2
    exit 2
    ;;
esac
