#!/bin/sh
# usage: thrust.sh FOLDER
# Thrust's algorithms choose between a launch and a sequential loop by `if (__THRUST_HAS_CUDART__)`, which is 0 in
# kernels. nvcc ignores that the dead branch calls functions of the host; clang rejects it. This puts copies of the
# files with that test into FOLDER, in which the dead branch is the body of a host lambda that nobody calls: its calls
# are legal, and it still instantiates the kernels that the host launches. The optional reference of thrust/optional.h,
# which <thrust/async/*.h> include, calls a member that it does not have, in a function that nobody uses; clang 19
# rejects it. Without the package the folder has no such headers.
set -e
to=${1:?usage: thrust.sh FOLDER}
from=/usr/include
rm -rf "$to/thrust"
[ -d $from/thrust/system/cuda/detail ] || exit 0
mkdir -p "$to/thrust/system/cuda/detail"
cd $from/thrust/system/cuda/detail
files=$(grep -lx ' *if (__THRUST_HAS_CUDART__)' ./*.h) || echo "thrust.sh: no such test: another version of Thrust" >&2
for f in $files; do
    # The branch is a block of lines that ends with its own brace, or a statement that ends with the first semicolon.
    awk '
    function finish() {
        print "#if !__THRUST_HAS_CUDART__\n  ; (void)simtx_launch, false) {}\n#endif"
        branch = ""
    }
    /^ *if \(__THRUST_HAS_CUDART__\)$/ {
        print "#if __THRUST_HAS_CUDART__\n  if (true)\n#else\n  if (auto simtx_launch = [&] __host__ ()\n#endif"
        indent = $0
        sub(/if.*/, "", indent)
        branch = "first"
        next
    }
    branch == "first" && $0 != indent "{" { print indent "{"; branch = "statement" }
    branch == "first" { branch = "block" }
    { print }
    branch == "block" && $0 == indent "}" { finish() }
    branch == "statement" && /;$/ { print indent "}"; finish() }
    ' "$f" >"$to/thrust/system/cuda/detail/$f"
done
optional=$from/thrust/optional.h
grep -q 'T &emplace(Args &&... args) noexcept {' $optional || {
    echo "thrust.sh: $optional has no emplace of a reference: another version of Thrust" >&2
    exit 0
}
sed '/^  T &emplace(Args &&... args) noexcept {/,/^  }/{
s/^    this->construct(.*/    return *(m_value = addressof(std::forward<Args>(args)...));/
}' $optional >"$to/thrust/optional.h"
