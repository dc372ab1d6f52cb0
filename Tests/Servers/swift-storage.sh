# shellcheck shell=bash
# shellcheck disable=SC2154 # dir, ports, region and here are those of the script that sources this
# OpenStack Swift up to its authentication, which is the caller's; sourced after common.sh.
# It takes the ports ${ports[0]} (proxy) to ${ports[4]}.

# parse_swift_options OPTIONS...: what both scripts can be told.
# shellcheck disable=SC2034  # token_life is for the script that sources this
parse_swift_options() {
    max_file_size='' token_life=''
    while (($#)); do
        case $1 in
        --max-file-size) max_file_size=${2:?bytes} ;;
        --token-life) token_life=${2:?seconds} ;;
        *) die "unknown option $1; there are --max-file-size BYTES and --token-life SECONDS" ;;
        esac
        shift 2
    done
}

# By itself an object server gives the container a second to hear of what it stored, and leaves it to a daemon that does
# not run here, so that on a busy machine lists would lack what is there for good.
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
conn_timeout = 30
node_timeout = 60
container_update_timeout = 60
[filter:healthcheck]
use = egg:swift#healthcheck
CONF
}

# proxy_conf FILTERS: the proxy, with these for authentication; their sections are the caller's.
# Tokens are kept in memcached; each instance has its own, so that none sees another's. On a busy machine it may be slow
# to answer, and by itself Swift gives up in a third of a second, and soon for a minute: with 503, or 401 for good tokens.
# By itself it also hands out one segment a second of those below 1 MiB, which the segments of tests are.
proxy_conf() {
    cat <<CONF
[DEFAULT]
swift_dir = $dir/etc
bind_ip = 127.0.0.1
bind_port = ${ports[0]}
workers = 2
log_level = WARNING
user = $(id -un)
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck proxy-logging cache listing_formats bulk tempurl formpost $1 copy container-quotas account-quotas slo dlo versioned_writes symlink proxy-logging proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
object_chunk_size = 1048576
client_chunk_size = 1048576
[filter:s3api]
use = egg:swift#s3api
location = $region
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${ports[4]}
connect_timeout = 30
pool_timeout = 30
io_timeout = 30
error_suppression_limit = 1000000
[filter:proxy-logging]
use = egg:swift#proxy_logging
access_log_level = DEBUG
[filter:versioned_writes]
use = egg:swift#versioned_writes
allow_versioned_writes = true
[filter:slo]
use = egg:swift#slo
rate_limit_under_size = 0
CONF
    local filter
    for filter in catch_errors gatekeeper healthcheck listing_formats bulk tempurl formpost copy \
        container-quotas account-quotas dlo symlink; do
        printf '[filter:%s]\nuse = egg:swift#%s\n' "$filter" "${filter//-/_}"
    done
}

# spawn_swift PROXY_CONF: all its daemons, on what is there from an earlier start.
spawn_swift() {
    need curl memcached
    local swift_venv kind
    swift_venv=$(cached_venv swift "$here/swift-requirements.txt")
    mkdir -p "$dir/etc" "$dir/data/d1"
    {
        printf '[swift-hash]\nswift_hash_path_suffix = submit\n'
        [[ -z $max_file_size ]] || printf '[swift-constraints]\nmax_file_size = %s\n' "$max_file_size"
    } >"$dir/etc/swift.conf"
    echo "$1" >"$dir/etc/proxy.conf"
    # The object server writes, the others keep small databases.
    backend_conf object "${ports[1]}" 2 >"$dir/etc/object.conf"
    backend_conf container "${ports[2]}" 0 >"$dir/etc/container.conf"
    backend_conf account "${ports[3]}" 0 >"$dir/etc/account.conf"
    [[ -e $dir/etc/account.ring.gz ]] ||
        "$swift_venv/bin/python" "$here/swift-rings.py" "$dir/etc" "${ports[@]:1:3}"

    local memcached=(memcached -l 127.0.0.1 -p "${ports[4]}" -U 0 -m 16 -t 1)
    ((EUID)) || memcached+=(-u root)
    # It holds nothing worth keeping and takes up to a second to leave politely.
    stop_signal=KILL spawn memcached "${memcached[@]}"
    for kind in proxy object container account; do
        # -v: to the log file here, and not to a syslog.
        spawn "$kind" "$swift_venv/bin/python" "$here/swift-server.py" "$dir/etc" \
            "$swift_venv/bin/swift-$kind-server" "$dir/etc/$kind.conf" -v
    done
}

swift_is_healthy() {
    local port
    for port in "${ports[@]:0:4}"; do
        curl -sf --noproxy '*' "http://127.0.0.1:$port/healthcheck" || return
    done
}

# s3_answers ACCESS_KEY SECRET_KEY: lists the buckets.
s3_answers() {
    # A colon in the access key has to be escaped, which only a URL allows; and curl 7.88
    # leaves the header out that s3api insists on.
    curl -sf --noproxy '*' --aws-sigv4 "aws:amz:$region:s3" -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD' \
        "http://${1/:/%3A}:$2@127.0.0.1:${ports[0]}/"
}
