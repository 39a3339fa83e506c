#!/bin/bash
# Are wrong rows and wrong results reported? Usage: self.sh BUILD
table=$(realpath "$1")/regress/mutants/table
dir=$1/mutants/self
suite=mutant-self
. "$(dirname "$0")/../counts.sh"
rm -rf "$dir"
mkdir -p "$dir/mutants/right" "$dir/mutants/none" && cd "$dir" || exit 1
printf 'first\n    second\nsecond\nfirst line\nlast\n' >file.c
printf 'a\nb\na\n' >twice.c

# A table with a finder and a row; the lines given end it.
row() {
    printf 'finder test\ntitle A test\nfew 2\ntext Nothing.\n\nfault right\npart a\nwrong b\n' >rows
    printf '%s\n' "$@" >>rows
}

# expect WORDS COMMAND...: the command says these words.
expect() {
    words=$1
    shift
    case $("$@" 2>&1) in
    *"$words"*) pass ;;
    *) fail "no \"$words\" from: $*" ;;
    esac
}

check_says() {
    words=$1
    shift
    row "$@"
    expect "$words" "$table" check rows
}

check_says '1 passed, 0 failed' 'by test' 'file file.c' '-first' '     second' '+x'
check_says 'stands 0 times' 'by test' 'file file.c' '-first' '-second'
check_says 'stands 0 times' 'by test' 'file file.c' '-secon'
check_says 'stands 2 times' 'by test' 'file twice.c' '-a'
check_says 'there is no other.c' 'by test' 'file other.c' '-a'
check_says 'no text for' 'by test' 'file file.c' '+a'
check_says 'there is no finder best' 'by best' 'file file.c' '-last'
check_says 'are needed' 'file file.c' '-last'
check_says 'not understood' 'by test' 'survives test' 'file file.c' '-last'
check_says 'not understood' 'by test' 'file file.c' '-last' 'where here'
check_says 'another fault has this name' 'by test' 'file file.c' '-last' '' 'fault right' 'part a' 'wrong b' 'by test' \
    'file file.c' '-last'
check_says 'is no source' 'by test' 'file rows' '-title A test'

result() {
    printf "$1" >mutants/none/test.result
    printf "$2" >mutants/right/test.result
}

row 'by test' 'file file.c' '-first' '-    second' '+third' ' second' 'file file.c' '-last' '+a' '+b'
"$table" change right out rows
expect 'third second first line a b ' tr '\n' ' ' <out/file.c
expect 'right test' "$table" runs few rows
result 'survives\n' 'found\tit\n'
expect '2 passed, 0 failed' "$table" judge all . rows
result 'found\tit\n' 'found\tit\n'
expect '1 passed, 1 failed' "$table" judge all . rows
result 'survives\n' 'survives\n'
expect '1 passed, 1 failed' "$table" judge all . rows
result 'survives\n' 'wrong\tas it must not\n'
expect 'wrong as it must not' "$table" judge all . rows
rm mutants/right/test.result
expect 'it has not been run' "$table" judge all . rows
row 'by test' 'survives test for a reason' 'file file.c' '-last'
result 'survives\n' 'survives\n'
expect '2 passed, 0 failed' "$table" judge all . rows
result 'survives\n' 'found\tit\n'
expect 'the row says that it survives: for a reason' "$table" judge all . rows

finish
