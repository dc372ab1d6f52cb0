#!/usr/bin/env bash
# copyparty:  copyparty.sh start DIR [--rights RIGHTS] | stop DIR
# The collection /dav/ lies in DIR/data; basic authentication, alice with secret. RIGHTS are the letters of alice's
# rights there: `rwmd` unless said otherwise, to read, write, move and delete. A PUT on an existing name is stored beside
# it.
# A later start on the same DIR has the same data and the same address.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"

user=alice password=secret

start() {
    need curl
    local venv endpoint rights=rwmd
    while (($#)); do
        case $1 in
        --rights)
            rights=${2:?rights}
            shift
            ;;
        *) die "unknown option $1; there is --rights RIGHTS" ;;
        esac
        shift
    done
    venv=$(cached_venv copyparty "$here/copyparty-requirements.txt")
    load_ports 1
    mkdir -p "$dir/data" "$dir/history" "$dir/home"
    endpoint=http://127.0.0.1:${ports[0]}/dav/
    # Whoever fails to sign in is not shut out here: tests do so on purpose.
    spawn copyparty env HOME="$dir/home" XDG_CONFIG_HOME="$dir/home" PRTY_CONFIG='' "$venv/bin/copyparty" -q \
        -i 127.0.0.1 -p "${ports[0]}" -a "$user:$password" -v "$dir/data:dav:$rights,$user" --hist "$dir/history" \
        --usernames --ban-pw no --ban-404 no --ban-403 no --ban-422 no --ban-url no --no-thumb --no-crt
    wait_ready curl -sf --noproxy '*' -u "$user:$password" -X PROPFIND -H 'Depth: 0' "$endpoint"
    publish "ENDPOINT=$endpoint" "DATA=$dir/data" "USERNAME=$user" "PASSWORD=$password"
}

run "$@"
