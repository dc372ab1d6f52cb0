#!/usr/bin/env bash
# GNOME's chezdav (phodav):  chezdav.sh start DIR | stop DIR
# The collection is the root and lies in DIR/data; digest authentication, alice with secret. Version 3.0 lets everybody in,
# whatever the password.
# A later start on the same DIR has the same data and the same address.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"

user=alice password=secret realm=submit

start() {
    need chezdav curl
    (($# == 0)) || die "unknown option $1"
    load_ports 1
    mkdir -p "$dir/data"
    echo "$user:$realm:$(printf '%s' "$user:$realm:$password" | md5sum | cut -d ' ' -f 1)" >"$dir/digests"
    spawn chezdav chezdav --local --no-mdns -p "${ports[0]}" -P "$dir/data" -d "$dir/digests" --realm "$realm"
    wait_ready curl -sf --noproxy 127.0.0.1 --digest -u "$user:$password" -X OPTIONS "http://127.0.0.1:${ports[0]}/"
    publish "ENDPOINT=http://127.0.0.1:${ports[0]}/" "DATA=$dir/data" "USERNAME=$user" "PASSWORD=$password"
}

run "$@"
