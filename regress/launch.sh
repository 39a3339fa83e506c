# Launches of PTX programs, for suites that have sourced harness.sh: statistics go to stats.json.

# launch FILE "LAUNCH'S OPTIONS" OPTIONS...
launch() {
    local file=$1 options=$2
    shift 2
    timeout 60 "$simtx" launch --quiet --grid 1 --block 1 --stats stats.json "$@" "$file" $options
}

# launch_to OUTPUT FILE "LAUNCH'S OPTIONS" OPTIONS...
launch_to() {
    local output=$1
    shift
    launch "$@" >"$output"
}
