#!/usr/bin/env bash
# rclone's “serve webdav” over a folder:  rclone-dav.sh start DIR [--listing-cache] | stop DIR
# The collection is the root and lies in DIR/data; basic authentication, alice with secret. With --listing-cache it
# answers from listings of up to five minutes before, as it does unless told otherwise: what others do in the folder it
# does not see meanwhile.
# A later start on the same DIR has the same data and the same address.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"

user=alice password=secret

start() {
    need curl
    # With 0s rclone 1.75 takes a core for itself once a file was moved or removed.
    local age=5ms venv
    while (($#)); do
        case $1 in
        --listing-cache) age=5m ;;
        *) die "unknown option $1; there is --listing-cache" ;;
        esac
        shift
    done
    venv=$(cached_venv rclone "$here/rclone-requirements.txt")
    load_ports 1
    mkdir -p "$dir/data" "$dir/cache"
    spawn rclone env RCLONE_USER="$user" RCLONE_PASS="$password" "$venv/bin/rclone" serve webdav --config /dev/null \
        --cache-dir "$dir/cache" --dir-cache-time "$age" --addr "127.0.0.1:${ports[0]}" "$dir/data"
    wait_ready curl -sf --noproxy 127.0.0.1 -u "$user:$password" -X OPTIONS "http://127.0.0.1:${ports[0]}/"
    publish "ENDPOINT=http://127.0.0.1:${ports[0]}/" "DATA=$dir/data" "USERNAME=$user" "PASSWORD=$password"
}

run "$@"
