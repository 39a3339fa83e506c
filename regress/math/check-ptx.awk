# Reads instructions.tsv, then the device math library as PTX.  Complains about a call, about a double in a
# function on floats, about local memory, and about a listed function without its instruction.

FNR == NR {
    if ($0 !~ /^#/) {
        wanted[$1 " " $2] = 1
        listed[$1] = 1
    }
    next
}

function complain(text) {
    print "__nv_" name ": " text
    bad[name] = 1
}

/^\.visible \.func/ {
    name = $0
    sub(/.*__nv_/, "", name)
    sub(/\(.*/, "", name)
    sub(/[^a-z0-9_A-Z].*/, "", name)
    functions[name] = 1
    # names of doubles that happen to end in f, and conversions
    on_floats = name ~ /f$/ && name !~ /^(erf|modf|normcdf)$/ && name !~ /^double2/
    next
}

name != "" && /^\t[a-z@{]/ {
    text = $0
    gsub(/[{};,\t]/, " ", text)
    n = split(text, word, " ")
    first = word[1] ~ /^@/ ? 2 : 1
    if (word[first] ~ /^call/) {
        complain("calls a function")
    }
    if (on_floats && text ~ /\.f64/) {
        complain("works in double")
    }
    if (word[first] ~ /\.local/) {
        complain("uses local memory")
    }
    delete wanted[name " " word[first]]
}

/^\.extern/ {
    print "unresolved: " $0
    externs++
}

END {
    for (w in wanted) {
        split(w, part, " ")
        name = part[1]
        complain("has no " part[2])
    }
    for (f in functions) {
        if (f in bad) {
            failed++
        } else {
            passed++
        }
    }
    for (f in listed) {
        if (!(f in functions)) {
            failed++
        }
    }
    failed += externs
    printf "math-ptx: %d passed, %d failed\n", passed, failed
    exit failed != 0 || passed < 400
}
