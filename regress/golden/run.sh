#!/bin/bash
# Do the golden outputs notice differences? One program in one table, with the lists, the table or the program changed
# on purpose. Usage: run.sh BUILD; the last line counts.
suite=golden-self
root=$PWD
. "$(dirname "$0")/../harness.sh"
copy=$work/golden

# golden OPTION...: vecadd on the default machine, with the copy's lists and tables.
golden() {
    cd "$root" && "$build/regress/golden/golden" "$build" --dir "$copy" --table default --program vecadd "$@"
}

# finds WHAT TEXT OPTION...: the run fails and prints TEXT.
finds() {
    local what=$1 text=$2
    shift 2
    check_golden "$what" 1 "$text" "$@"
}

check_golden() {
    local what=$1 code=$2 text=$3 status=0
    shift 3
    (golden "$@") >out 2>err || status=$?
    if [ $status = "$code" ] && grep -q -- "$text" out err; then
        pass
    else
        fail "$what: exit status $status, expected $code and '$text'" out err
    fi
}

# The lists and tables as they are.
fresh() {
    rm -rf "$copy"
    cp -R "$here" "$copy"
}

# changed FILE SED-SCRIPT
changed() {
    fresh
    sed -i "$2" "$copy/$1"
    ! cmp -s "$copy/$1" "$here/$1" || fail "$1 is not changed by $2"
}

fresh
check_golden "unchanged" 0 "^golden: 2 passed, 0 failed$"
SIMTX_SET=dram.channels=2 SIMTX_CONFIG=gtx480 check_golden "the user's settings do not count" 0 "^golden: 2 passed"
finds "another latency" "^default  *vecadd  *cycles  *[0-9]*  *[0-9]*  *[+-]" --set latency.int_add=9
finds "what to do" "make golden-accept" --set latency.int_add=9
finds "a run without statistics" "no statistics; exit code 2: .*no.such.key" --set no.such.key=1

changed tables/default.txt '/^vecadd /d'
finds "a row that is missing" "vecadd  *has no row in the table"
changed tables/default.txt '/^vecadd /s/^vecadd /vecsub /'
finds "a row that nothing runs" "vecsub  *has a row in the table, but the lists do not run it there"
fresh
rm "$copy/tables/default.txt"
finds "a table that is missing" "vecadd  *has no row in the table"
changed figures.txt '/^cycles /d'
finds "a figure that the list lacks" "cycles  *in table  *not in figures"
changed figures.txt 's/^cycles /cycels /'
finds "a figure that the table lacks" "cycels  *not in table  *in figures.txt"
changed figures.txt 's/| cycles$/| cycels/'
finds "a figure that the statistics lack" "there is no figure cycels"
changed ptx/vecadd.ptx '$a // other text'
finds "other PTX" "^default  *vecadd  *ptx "
changed ptx/vecadd.ptx "s/add.s32/sub.s32/"
finds "a program that fails" "ends with exit code 1"
check_golden "--accept takes no run that ends with an error" 1 "Not written" --accept
fresh
rm "$copy/ptx/vecadd.ptx"
finds "PTX that is missing" "vecadd.ptx: no such file; .make golden-ptx. compiles it"
fresh
cp "$copy/ptx/vecadd.ptx" "$copy/ptx/vecsub.ptx"
finds "PTX that nothing runs" "vecsub.ptx: no program of programs.txt has this PTX"
check_golden "a program that does not exist" 2 "nothing to run" --program vecsub
changed tables.txt '/config gtx480+l1on/d'
finds "a preset without a table" "preset l1on is in no table"
changed programs.txt '/^vecadd /p'
finds "a program that is listed twice" "two programs are called vecadd"
changed left-out.txt '$a vecsub | default | because'
finds "a program of left-out.txt that does not exist" "left-out.txt: there is no vecsub"
changed left-out.txt '$a vecadd | defautl | because'
finds "a table of left-out.txt that does not exist" "left-out.txt: there is no defautl"
changed programs.txt '/^vecadd /s/|/ /'
check_golden "a list with a missing column" 2 "programs.txt:[0-9]*: 6 columns, the first line has 7"

changed tables/default.txt '/^vecadd /s/ 0 / 7 /'
finds "a table that is wrong" "^default  *vecadd  *exit  *7  *0"
check_golden "--accept shows what it changes" 0 "^default  *vecadd  *exit  *7  *0" --accept
check_golden "--accept makes it right" 0 "^golden: 2 passed, 0 failed$"
holds "as it was, the other rows too" cmp "$copy/tables/default.txt" "$here/tables/default.txt"
check_golden "--accept takes no run that failed" 1 "Not written" --accept --set no.such.key=1
holds "nothing is written then" cmp "$copy/tables/default.txt" "$here/tables/default.txt"

finish
