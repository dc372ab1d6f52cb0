#!/usr/bin/env bash
# Authlib's provider of OAuth 1.0a with a place behind it that takes photos:  oauth1.sh start DIR | stop DIR
# oauth1-serve.py says what is where. A consumer `consumer-key` with `consumer-secret`; alice with secret grants.
# Bytes lie in DIR/data, a line of JSON for each in DIR/items.
# A later start on the same DIR has the same tokens and the same address.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"

start() {
    need curl
    local venv url
    venv=$(cached_venv oauth1 "$here/oauth1-requirements.txt")
    load_ports 1
    url=http://127.0.0.1:${ports[0]}
    mkdir -p "$dir/data" "$dir/state"
    touch "$dir/items"
    CONSUMER_KEY=consumer-key CONSUMER_SECRET=consumer-secret USERNAME=alice PASSWORD=secret PYTHONDONTWRITEBYTECODE=1 \
        spawn oauth1 "$venv/bin/python" "$here/oauth1-serve.py" "$dir" "${ports[0]}"
    wait_ready curl -sf --noproxy '*' "$url/ready"

    publish "ENDPOINT=$url" "REQUEST_URL=$url/oauth/initiate" "AUTHORIZE_URL=$url/oauth/authorize" \
        "ACCESS_URL=$url/oauth/token" "UPLOAD_URL=$url/upload" "SIGNED_UPLOAD_URL=$url/upload-signed" \
        "CONSUMER_KEY=consumer-key" "CONSUMER_SECRET=consumer-secret" "USERNAME=alice" "PASSWORD=secret" \
        "DATA=$dir/data" "ITEMS=$dir/items"
}

run "$@"
