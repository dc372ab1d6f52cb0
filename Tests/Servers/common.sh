# shellcheck shell=bash
# Shared by the server scripts here. A server's state lies in one directory:
#   env     what a client needs to know, as KEY=value lines
#   ports   the ports it got at its first start, kept so that a restart has the same address
#   pids    "name pid start-time stop-signal" of each daemon
#   log/    what each daemon printed

cache=${SUBMIT_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/submit-tests}

die() {
    echo "${0##*/}: $*" >&2
    exit 1
}

need() {
    local program
    for program in "$@"; do
        command -v "$program" >/dev/null || die "'$program' is missing; run scripts/install-packages.sh servers"
    done
}

# cached_venv NAME REQUIREMENTS: prints the path of a Python environment holding exactly these.
cached_venv() {
    local hash venv python=/usr/bin/python3
    hash=$(sha256sum "$2" | cut -c1-12)
    venv=$cache/$1-venv-$hash
    if [[ ! -e $venv/complete ]]; then
        mkdir -p "$cache"
        [[ -x $python ]] || python=python3
        (
            # Several tests may want it at once: one builds, the others wait and find it done.
            flock 9
            [[ -e $venv/complete ]] && exit
            rm -rf "$venv"
            "$python" -m venv "$venv"
            "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$2"
            touch "$venv/complete"
        ) 9>"$venv.lock" >&2 || die "cannot build the Python environment $venv"
    fi
    echo "$venv"
}

# free_ports COUNT: prints ports nobody listens on. They lie below the range from which the kernel
# takes outgoing ports, so that nothing sits on one while its server is stopped; and they are
# handed out in turn, so that servers started at the same moment do not choose the same.
free_ports() {
    mkdir -p "$cache"
    (
        flock 9
        local count=$1 port=0
        [[ -s $cache/next-port ]] && port=$(<"$cache/next-port")
        ((port)) || port=$((12000 + RANDOM % 18000))
        while ((count)); do
            ((++port <= 30000)) || port=12000
            (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && continue
            echo "$port"
            count=$((count - 1))
        done
        echo "$port" >"$cache/next-port"
    ) 9>"$cache/ports.lock"
}

# load_ports COUNT: fills the array `ports`, with the same ones at every start on this directory.
# shellcheck disable=SC2034  # used by the scripts that source this
load_ports() {
    [[ -s $dir/ports ]] || free_ports "$1" >"$dir/ports"
    mapfile -t ports <"$dir/ports"
}

# The start time tells a daemon of ours from a later process that got its number.
start_time() {
    local stat
    { stat=$(<"/proc/$1/stat"); } 2>/dev/null || return 0
    # The command's name may hold blanks; the fields are counted from behind it.
    read -ra stat <<<"${stat##*) }"
    echo "${stat[19]}"
}

# spawn NAME COMMAND...: a daemon in a session of its own, so that neither the caller's
# terminal nor a test's open pipe holds on to it. `stop_signal` says how to end it.
spawn() {
    local name=$1 pid
    shift
    setsid "$@" </dev/null >>"$dir/log/$name" 2>&1 9>&- &
    pid=$!
    echo "$name $pid $(start_time $pid) ${stop_signal:-TERM}" >>"$dir/pids"
}

# group_lives PID START: has the daemon's process group a member other than a zombie?
# (Under an idle pid 1 a stopped daemon stays a zombie for ever.)
group_lives() {
    local now
    now=$(start_time "$1")
    [[ -z $now || $now == "$2" ]] || return 1
    # Until `setsid` has begun it is in the group of whoever started it.
    ps -e -o pid=,pgid=,stat= |
        awk -v group="$1" '($1 == group || $2 == group) && $3 !~ /^Z/ { found = 1 } END { exit !found }'
}

# stop_all: ends what `spawn` started here, and may be called at any time.
stop_all() {
    [[ -e $dir/pids ]] || return 0
    local pid start signal tries
    while read -r _ pid start signal; do
        ! group_lives "$pid" "$start" || kill "-$signal" -- "-$pid" 2>/dev/null || true
    done <"$dir/pids"
    while read -r _ pid start _; do
        for ((tries = 0; tries < 100; tries++)); do
            group_lives "$pid" "$start" || continue 2
            sleep 0.05
        done
        kill -KILL -- "-$pid" 2>/dev/null || true
    done <"$dir/pids"
    rm -f "$dir/pids"
}

# all_alive: did every daemon survive its start?
all_alive() {
    local pid start
    while read -r _ pid start _; do
        group_lives "$pid" "$start" || return 1
    done <"$dir/pids"
}

# wait_ready COMMAND...: until the command succeeds; gives up at once when a daemon has died.
wait_ready() {
    local deadline=$((SECONDS + 60))
    while ((SECONDS < deadline)) && all_alive; do
        "$@" >/dev/null 2>&1 && return
        sleep 0.05
    done
    tail -n 5 "$dir"/log/* >&2 || true
    stop_all
    die "the server did not become ready"
}

# publish LINES...: the env file, complete or absent.
publish() {
    printf '%s\n' "$@" >"$dir/env.new"
    mv "$dir/env.new" "$dir/env"
    cat "$dir/env"
}

# run start|stop DIR OPTIONS...: calls the script's own `start` with `dir` set.
run() {
    (($# >= 2)) || die "usage: ${0##*/} start|stop DIR"
    local action=$1
    dir=$(realpath -m "$2")
    shift 2
    case $action in
    start)
        mkdir -p "$dir/log"
        stop_all
        start "$@"
        ;;
    stop) stop_all ;;
    *) die "usage: ${0##*/} start|stop DIR" ;;
    esac
}
