#!/usr/bin/env bash
# WsgiDAV:  wsgidav.sh start DIR | stop DIR
# The collection /dav/ lies in DIR/data; basic authentication, alice with secret. It decodes a `Destination` before it
# takes it apart, so that what is moved comes to a name that ends before the first `?` or `;`.
# A later start on the same DIR has the same data and the same address.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"

user=alice password=secret

wsgidav_json() {
    cat <<CONF
{
    "host": "127.0.0.1",
    "port": ${ports[0]},
    "server": "cheroot",
    "server_args": {"numthreads": 20},
    "provider_mapping": {"/dav": "$dir/data"},
    "http_authenticator": {"domain_controller": null, "accept_basic": true, "accept_digest": false,
        "default_to_digest": false},
    "simple_dc": {"user_mapping": {"*": {"$user": {"password": "$password"}}}},
    "property_manager": true,
    "lock_storage": true,
    "dir_browser": {"enable": false},
    "verbose": 1
}
CONF
}

start() {
    need curl
    local venv endpoint
    venv=$(cached_venv wsgidav "$here/wsgidav-requirements.txt")
    load_ports 1
    mkdir -p "$dir/data"
    endpoint=http://127.0.0.1:${ports[0]}/dav/
    wsgidav_json >"$dir/wsgidav.json"
    spawn wsgidav "$venv/bin/wsgidav" --config "$dir/wsgidav.json"
    wait_ready curl -sf --noproxy '*' -u "$user:$password" -X OPTIONS "$endpoint"
    publish "ENDPOINT=$endpoint" "DATA=$dir/data" "USERNAME=$user" "PASSWORD=$password"
}

run "$@"
