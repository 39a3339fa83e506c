# Reads PTX and looks at every lock loop in it: an entry that takes a lock by compare-and-swap and releases it by an
# exchange.  A lane that got the lock meets the spinning lanes of its warp at the post-dominator of the branch behind
# the compare-and-swap, so every release must come before that point.  It does where control can go
#   - from the release to a compare-and-swap without beginning another lock loop (the release is part of the loop), or
#   - from every compare-and-swap to the end without that release (a lock that is tried once).
# Exit status: 0 all releases do, 1 one does not, 2 there is no lock loop.

/^\.visible \.entry/ { on = 1; n = 0; split("", label); split("", target); split("", ends); split("", at)
                       split("", cas); split("", exch); entry = $NF }
!on { next }
{ n++ }
/^[$A-Za-z_0-9]+:/ { l = $1; sub(":.*", "", l); label[l] = n }
/simtx: lock begin/ { at[n] = "begin" }
/atom.*\.cas\./ { at[n] = "cas"; cas[n] }
/atom.*\.exch\./ { at[n] = "exch"; exch[n] }
/[ \t]bra/ { t = $NF; sub(";", "", t); target[n] = t }
/^[ \t]*(bra|ret)/ { ends[n] = 1 }
/^[ \t]*ret/ { at[n] = "ret" }
/^}/ { on = 0; check_entry() }
END { exit !loops ? 2 : bad }

# Whether control can go from line `from` to a line of kind `kind` and passes neither line `line` nor a line of kind
# `wall` on its way.
function reaches(from, kind, line, wall,    work, top, seen, i) {
    work[top = 1] = from
    while (top) {
        i = work[top--]
        if (i > n || i in seen || i == line || (i != from && at[i] == wall))
            continue
        seen[i]
        if (i != from && at[i] == kind)
            return 1
        if (i in target)
            work[++top] = label[target[i]]
        if (!(i in ends))
            work[++top] = i + 1
    }
    return 0
}

function tried_once(release,    c) {
    for (c in cas)
        if (!reaches(c + 0, "ret", release, "none"))
            return 0
    return 1
}

function check_entry(    r) {
    for (r in exch) {
        loops++
        if (!reaches(r + 0, "cas", 0, "begin") && !tried_once(r + 0)) {
            print entry ": a release behind the loop, line " r
            bad = 1
        }
    }
}
