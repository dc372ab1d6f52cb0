#!/usr/bin/env bash
# ASGIWebDAV:  asgi-dav.sh start DIR | stop DIR
# The collection is the root and lies in DIR/data; basic authentication, alice with secret. Its answer to HEAD says
# `Content-Length: 0`.
# A later start on the same DIR has the same data and the same address.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"

user=alice password=secret

start() {
    need curl
    (($# == 0)) || die "unknown option $1"
    local venv endpoint
    venv=$(cached_venv asgi-dav "$here/asgi-dav-requirements.txt")
    load_ports 1
    mkdir -p "$dir/data"
    endpoint=http://127.0.0.1:${ports[0]}/
    spawn asgi-dav "$venv/bin/python" -m asgi_webdav --host 127.0.0.1 --port "${ports[0]}" \
        --user "$user" "$password" --root-path "$dir/data"
    wait_ready curl -sf --noproxy '*' -u "$user:$password" -X OPTIONS "$endpoint"
    publish "ENDPOINT=$endpoint" "DATA=$dir/data" "USERNAME=$user" "PASSWORD=$password"
}

run "$@"
