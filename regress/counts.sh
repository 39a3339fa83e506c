# Counting in shell tests. A suite sets `suite` to its name and sources this file (harness.sh does); each of its checks
# calls pass or fail, and `finish` ends it.
passed=0
failed=0

pass() {
    passed=$((passed + 1))
}

# fail WHAT FILE...: shows the beginning of the files that exist.
fail() {
    failed=$((failed + 1))
    echo "    FAIL $1"
    shift
    cat "$@" 2>/dev/null </dev/null | sed 's/^/        /' | head -n 12
}

# add_counts NAME STATUS OUTPUT: adds what a program counts in its last line "...: N passed, M failed". One that prints
# no such line, or that fails without a failed check, is a failure. The output of a program that fails is shown.
add_counts() {
    local counts p f
    counts=$(sed -n 's/^.*: \([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' <<<"$3" | tail -n 1)
    p=${counts% *}
    f=${counts#* }
    if [ -z "$counts" ] || { [ "$2" -ne 0 ] && [ "$f" -eq 0 ]; }; then
        fail "$1 ended with status $2"
    fi
    passed=$((passed + ${p:-0}))
    failed=$((failed + ${f:-0}))
    [ "$2:${f:-1}" = 0:0 ] || grep -vE '^\[( RUN|       OK)' <<<"$3"
}

# The line that counts, and the suite's exit status.
finish() {
    echo "$suite: $passed passed, $failed failed"
    [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}
