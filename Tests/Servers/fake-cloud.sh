#!/usr/bin/env bash
# A fake of Nextcloud, ownCloud 10 or oCIS, none of which can be installed here:
#   fake-cloud.sh start DIR [--kind nextcloud|owncloud|ocis|plain] [options of fake-cloud.py] | stop DIR
# What arrives lies in DIR/data, open uploads in DIR/uploads.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"

# option NAME DEFAULT ARGUMENTS...: the value that follows the option, the last one counts.
option() {
    local name=$1 value=$2
    shift 2
    while (($#)); do
        [[ $1 != "$name" ]] || value=${2-}
        shift
    done
    echo "$value"
}

start() {
    local python=/usr/bin/python3
    [[ -x $python ]] || python=python3
    need "$python" curl
    load_ports 1
    [[ -s $dir/control ]] || head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$dir/control"
    FAKE_CONTROL=$(<"$dir/control")
    export FAKE_CONTROL

    spawn fake-cloud "$python" "$here/fake-cloud.py" "$dir" "${ports[0]}" "$@"
    wait_ready curl -sf --noproxy '*' -o /dev/null -H "X-Fake-Control: $FAKE_CONTROL" \
        "http://127.0.0.1:${ports[0]}/__fake/counts"

    local prefix
    prefix=$(option --prefix '' "$@")
    prefix=${prefix#/}
    publish "ENDPOINT=http://127.0.0.1:${ports[0]}${prefix:+/${prefix%/}}" "PORT=${ports[0]}" \
        "USER_ID=$(option --user a1b2-alice "$@")" "LOGIN=$(option --login alice "$@")" \
        "PASSWORD=$(option --password secret "$@")" "APP_PASSWORD=$(option --app-password app-secret "$@")" \
        "CONTROL=$FAKE_CONTROL"
}

run "$@"
