# Draws a part of a timeline (--trace FILE) as SVG:
#     awk -f docs/timeline.awk -v from=CYCLE -v to=CYCLE -v tracks=REGEX FILE
# tracks: the tracks "PROCESS / THREAD" to draw. A line of the file is an event (timing/machine/trace_impl.h).
function member(key,    at, rest) {
    at = index($0, "\"" key "\":")
    if (!at)
        return ""
    rest = substr($0, at + length(key) + 3)
    if (substr(rest, 1, 1) == "\"")
        return substr(rest, 2, index(substr(rest, 2), "\"") - 1)
    match(rest, /^[0-9.]+/)
    return substr(rest, 1, RLENGTH)
}
function argument(key,    text) {
    text = $0
    sub(/.*"args":/, "", text)
    sub("^[{]\"" key "\":\"?", "", text)
    sub(/["}].*/, "", text)
    return text
}
function colour(category, name) {
    if (category == "issue") return "#3b6ea8"
    if (category == "block") return "#e6e6e6"
    if (category == "wait") return name ~ /^tx/ ? "#d9b3d0" : name ~ /scoreboard/ ? "#f0c48a" : "#cfd6dd"
    if (category == "transaction") return name == "commit" ? "#5a9e5a" : "#b9d8b0"
    if (category == "L2") return name ~ /miss/ ? "#b8474b" : "#3b6ea8"
    return name ~ /^row/ ? "#dfe7f2" : name == "read" ? "#3b6ea8" : name == "write" ? "#e08a3c" : "#8a8a8a"
}
/"ph":"M"/ && /"process_name"/ { process[member("pid")] = argument("name") }
/"ph":"M"/ && /"thread_name"/ {
    thread[member("pid") "." member("tid")] = process[member("pid")] " / " argument("name")
}
/"ph":"M"/ && /"thread_sort_index"/ { place[member("pid") "." member("tid")] = argument("sort_index") }
/"ph":"X"/ {
    at = member("ts") + 0
    end = at + member("dur")
    if (end > from && at < to) {
        n++
        track[n] = member("pid") "." member("tid")
        start[n] = at < from ? from : at
        stop[n] = end > to ? to : end
        category[n] = member("cat")
        name[n] = member("name")
        used[track[n]] = 1
    }
}
END {
    for (t in used)
        if (thread[t] ~ tracks) {
            split(t, number, ".")
            order[++rows] = sprintf("%06d.%06d %s", number[1], place[t], t)
        }
    for (i = 2; i <= rows; i++)
        for (k = i; k > 1 && order[k] < order[k - 1]; k--) {
            t = order[k]; order[k] = order[k - 1]; order[k - 1] = t
        }
    left = 200; width = 980; high = 20; top = 14
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" ", width, top + rows * high + 26
    print "font-family=\"sans-serif\" font-size=\"11\">"
    print "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>"
    for (i = 1; i <= rows; i++) {
        t = substr(order[i], index(order[i], " ") + 1)
        row[t] = i
        printf "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
               left - 6, top + (i - 1) * high + 14, thread[t]
    }
    scale = (width - left - 10) / (to - from)
    for (depth = 0; depth < 2; depth++)
        for (i = 1; i <= n; i++) {
            outer = category[i] == "block" || name[i] == "attempt" || name[i] ~ /^row/
            if (outer == depth || !(track[i] in row))
                continue
            inset = outer ? 1 : 4
            printf "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"><title>%s</title></rect>\n",
                   left + (start[i] - from) * scale, top + (row[track[i]] - 1) * high + inset,
                   (stop[i] - start[i]) * scale, high - 2 * inset, colour(category[i], name[i]), name[i]
        }
    for (i = 0; i <= 5; i++)
        printf "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n", left + (to - from) * i / 5 * scale,
               top + rows * high + 14, from + (to - from) * i / 5
    print "</svg>"
}
