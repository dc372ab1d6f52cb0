#!/usr/bin/env bash
# A stand-in of a photo service, by http and by https of a CA made here:  fake-services.sh start DIR SERVICE | stop DIR
# fake-services.py says which there are, and how tests steer them.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"
# shellcheck source=Tests/Servers/certificates.sh
source "$here/certificates.sh"

start() {
    local python=/usr/bin/python3
    [[ -x $python ]] || python=python3
    need "$python" curl openssl
    local service=${1:?service}
    load_ports 2
    make_authority
    make_certificate server "$local_names"
    [[ -s $dir/control ]] || head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$dir/control"
    FAKE_CONTROL=$(<"$dir/control")
    export FAKE_CONTROL
    rm -f "$dir/credentials"

    spawn fake-services "$python" "$here/fake-services.py" "$dir" "${ports[0]}" "${ports[1]}" "$service"
    wait_ready curl -sf --noproxy '*' -o /dev/null -H "X-Fake-Control: $FAKE_CONTROL" \
        "http://127.0.0.1:${ports[0]}/__fake/counts"

    local lines
    mapfile -t lines <"$dir/credentials"
    publish "ENDPOINT=http://127.0.0.1:${ports[0]}" "TLS_ENDPOINT=https://localhost:${ports[1]}" "CA=$dir/ca.pem" \
        "CONTROL=$FAKE_CONTROL" "${lines[@]}"
}

run "$@"
