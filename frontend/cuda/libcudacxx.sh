#!/bin/sh
# usage: libcudacxx.sh FOLDER
# libcu++ as Debian ships it is written for nvcc. This makes a tree of links to its headers in FOLDER, with corrected
# copies of the files that clang rejects or miscompiles: a single % before a register's name in inline assembly, two
# operators that are declared for host and device and defined for the host, in barrier::arrive a variable that only the
# leader of a warp sets before all shuffle it, for which clang drops the test of the leader, and the destructor of
# barriers for sm_80, with which clang rejects shared variables of this type. Pointers with access properties are those
# for architectures before sm_80: clang does not have the function that attaches a property. The tree also gets
# <cuda/functional>, which this version does not have.
# Without the package the folder has no such headers.
set -e
to=${1:?usage: libcudacxx.sh FOLDER}
from=/usr/include
rm -rf "$to/cuda" "$to/nv"
[ -f $from/cuda/std/barrier ] || exit 0
cp -Rs $from/cuda $from/nv "$to/"
[ -f $from/cuda/functional ] || cp "${0%.sh}/functional" "$to/cuda/"

corrected() { # FILE PATTERN SED-SCRIPT: the lines with the pattern must exist
    grep -q "$2" "$from/$1" || { echo "libcudacxx.sh: $1 has no '$2': another version of libcu++" >&2; return 0; }
    rm "$to/$1"
    sed "$3" "$from/$1" >"$to/$1"
}
corrected cuda/std/barrier 'mov.u32 %0, %laneid' \
    's/%laneid/%%laneid/;s/ arrival_token __token;$/ arrival_token __token = arrival_token();/
     /~barrier() {/,/#endif/s/__CUDA_ARCH__ >= 800/0/'
corrected cuda/pipeline '%p, \[%1\]' 's/\([ ,]\)%p\([,;]\)/\1%%p\2/'
corrected cuda/annotated_ptr '__CUDA_ARCH__ >= 800' 's/__CUDA_ARCH__ >= 800/0/'
corrected cuda/std/detail/__annotated_ptr '__CUDA_ARCH__ >= 800' 's/__CUDA_ARCH__ >= 800/0/'
corrected cuda/std/chrono 'mov.u64 %0, %globaltimer' 's/%globaltimer/%%globaltimer/'
corrected cuda/std/detail/libcxx/include/complex '^complex<_Tp>$' \
    '/^template<class _Tp>$/{N;s/\ncomplex<_Tp>$/\n_LIBCUDACXX_INLINE_VISIBILITY complex<_Tp>/;}'
