#!/usr/bin/env bash
# OpenStack Swift with its S3 front:  swift-s3.sh start|stop DIR
# A later start on the same DIR has the same data and the same address.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"

access_key=test:tester secret_key=testing region=us-east-1

backend_conf() { # KIND PORT WORKERS
    cat <<CONF
[DEFAULT]
swift_dir = $dir/etc
devices = $dir/data
mount_check = false
disable_fallocate = true
bind_ip = 127.0.0.1
bind_port = $2
workers = $3
log_level = WARNING
user = $(id -un)
[pipeline:main]
pipeline = healthcheck $1-server
[app:$1-server]
use = egg:swift#$1
disk_chunk_size = 1048576
network_chunk_size = 1048576
[filter:healthcheck]
use = egg:swift#healthcheck
CONF
}

# tempauth keeps its tokens in memcached; each instance has its own, so that none sees another's.
proxy_conf() { # PORT MEMCACHED_PORT
    cat <<CONF
[DEFAULT]
swift_dir = $dir/etc
bind_ip = 127.0.0.1
bind_port = $1
workers = 2
log_level = WARNING
user = $(id -un)
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck proxy-logging cache listing_formats bulk tempurl formpost s3api tempauth copy container-quotas account-quotas slo dlo versioned_writes symlink proxy-logging proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
object_chunk_size = 1048576
client_chunk_size = 1048576
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = $secret_key .admin
[filter:s3api]
use = egg:swift#s3api
location = $region
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:$2
[filter:proxy-logging]
use = egg:swift#proxy_logging
access_log_level = DEBUG
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_versioned_writes = true
CONF
    local filter
    for filter in catch_errors gatekeeper healthcheck listing_formats bulk tempurl formpost copy \
        container-quotas account-quotas slo dlo symlink; do
        printf '[filter:%s]\nuse = egg:swift#%s\n' "$filter" "${filter//-/_}"
    done
}

configure() {
    mkdir -p "$dir/etc" "$dir/data/d1"
    printf '[swift-hash]\nswift_hash_path_suffix = submit\n' >"$dir/etc/swift.conf"
    # The object server writes, the others keep small databases.
    backend_conf object "${ports[1]}" 2 >"$dir/etc/object.conf"
    backend_conf container "${ports[2]}" 0 >"$dir/etc/container.conf"
    backend_conf account "${ports[3]}" 0 >"$dir/etc/account.conf"
    proxy_conf "${ports[0]}" "${ports[4]}" >"$dir/etc/proxy.conf"
    "$venv/bin/python" "$here/swift-rings.py" "$dir/etc" "${ports[@]:1:3}"
}

ready() {
    local port
    for port in "${ports[@]:0:4}"; do
        curl -sf --noproxy '*' "http://127.0.0.1:$port/healthcheck" || return
    done
    # The colon in the access key has to be escaped, which only a URL allows; and curl 7.88
    # leaves the header out that s3api insists on.
    curl -sf --noproxy '*' --aws-sigv4 "aws:amz:$region:s3" -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD' \
        "http://${access_key/:/%3A}:$secret_key@127.0.0.1:${ports[0]}/"
}

start() {
    need curl memcached
    venv=$(cached_venv swift "$here/swift-requirements.txt")
    load_ports 5
    [[ -e $dir/etc/account.ring.gz ]] || configure

    local memcached=(memcached -l 127.0.0.1 -p "${ports[4]}" -U 0 -m 16 -t 1)
    ((EUID)) || memcached+=(-u root)
    # It holds nothing worth keeping and takes up to a second to leave politely.
    stop_signal=KILL spawn memcached "${memcached[@]}"
    local kind
    for kind in proxy object container account; do
        # -v: to the log file here, and not to a syslog.
        spawn "$kind" "$venv/bin/swift-$kind-server" "$dir/etc/$kind.conf" -v
    done
    wait_ready ready

    publish "ENDPOINT=http://127.0.0.1:${ports[0]}" "ACCESS_KEY=$access_key" \
        "SECRET_KEY=$secret_key" "REGION=$region"
}

run "$@"
