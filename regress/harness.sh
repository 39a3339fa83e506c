# What the suites of shell tests share. Each is a script that sets `suite` to its name and then sources this file, which
# takes the build's folder from the script's first argument ("build" without), changes to an empty scratch folder, sets
# TMPDIR to it, and unsets the user's settings. Then come its checks, each of which counts as passed or failed,
# and last `finish`.
#   build, simtx, here: the build's folder, the command, the folder of the script
#   work: the scratch folder
build=$(cd "${1:-build}" && pwd) || exit 1
here=$(cd "$(dirname "$0")" && pwd)
simtx=$build/bin/simtx
[ -x "$simtx" ] || { echo "$suite: 0 passed, 1 failed"; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export TMPDIR=$work
unset "${!SIMTX_@}"
. "$here/../counts.sh"

# holds WHAT COMMAND...: the command succeeds. It may look at what the last check left in out and err.
holds() {
    local what=$1
    shift
    if "$@" >log 2>&1; then
        pass
    else
        fail "$what" log out err
    fi
}

# What `check` looks for its text in; a suite may define it anew.
printed() {
    cat out err
}

# check CODE TEXT COMMAND...: the command ends with CODE and prints TEXT (a fixed string, on stdout or stderr).
check() {
    local code=$1 text=$2 status=0
    shift 2
    { timeout 60 "$@" >out 2>err </dev/null || status=$?; } 2>/dev/null
    if [ "$status" != "$code" ]; then
        fail "$* : exit status $status, expected $code" out err
    elif [ -n "$text" ] && ! printed | grep -qF -- "$text"; then
        fail "$* : '$text' is not in the output" out err
    else
        pass
    fi
}

# interrupt TEXT COMMAND...: for `holds`: the command gets SIGINT as soon as it has printed TEXT, and must then end with
# the exit status 130 within a minute. Its output is left in the files out and err, for `says` also in message. `env`,
# because a shell's background job ignores SIGINT.
interrupt() {
    local text=$1 status=0 tenths=600
    shift
    rm -f out err                    # of the last check: its text must not count as this command's
    env --default-signal=INT "$@" >out 2>err </dev/null &
    local pid=$!
    until cat out err 2>/dev/null | grep -qF -- "$text" || ! kill -0 $pid 2>/dev/null || [ $((tenths--)) = 0 ]; do
        sleep 0.1
    done
    kill -INT $pid 2>/dev/null
    tenths=600
    while kill -0 $pid 2>/dev/null && [ $((tenths--)) != 0 ]; do
        sleep 0.1
    done
    kill -KILL $pid 2>/dev/null
    wait $pid || status=$?
    cp err message
    grep -qF -- "$text" out err || { echo "'$text' is not in the output"; return 1; }
    [ "$status" = 130 ] || { echo "exit status $status, expected 130"; return 1; }
}

# ends CODE COMMAND...: for `holds`; what the command says on stderr is left in the file message.
ends() {
    local code=$1 status=0
    shift
    "$@" 2>message || status=$?
    [ "$status" = "$code" ] || { echo "exit status $status, expected $code"; cat message; return 1; }
}

# says TEXT: for `holds`: the last `ends` had it on stderr.
says() {
    grep -qF -- "$1" message || { cat message; return 1; }
}

# rejects PATTERN COMMAND...: for `holds`: the command fails, and the pattern (of grep) is in its output.
rejects() {
    local pattern=$1
    shift
    if "$@" >rejected 2>&1; then
        echo "exit status 0"
        return 1
    fi
    grep -q -e "$pattern" rejected || { cat rejected; return 1; }
}
