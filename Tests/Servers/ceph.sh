#!/usr/bin/env bash
# Ceph's Object Gateway over one monitor and one disk in memory:  ceph.sh start DIR | stop DIR
# The bucket “photos” is there from the start. It compares If-Match with an ETag that has no quotes, and encodes the keys of
# open uploads without saying so.
# A later start on the same DIR has the same address, and nothing of the data: it was in memory.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"

access_key=ceph-access-key secret_key=ceph-secret-key
# Nothing is kept, so nothing has to be written at the end.
stop_signal=KILL

ceph_conf() {
    cat <<CONF
[global]
fsid = $(<"$dir/fsid")
mon host = [v2:127.0.0.1:${ports[0]}/0,v1:127.0.0.1:${ports[1]}/0]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
keyring = $dir/keyring
run dir = $dir/run
admin socket = $dir/run/\$name.\$pid
pid file = $dir/run/\$name.pid
log file = $dir/log/\$name
log to stderr = false
mon data = $dir/mon
# The test machine's disk may be nearly full, and nothing here is large.
mon data avail crit = 1
mon allow pool size one = true
osd data = $dir/osd
osd objectstore = memstore
memstore device bytes = 4294967296
osd crush chooseleaf type = 0
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pg autoscale mode = off
rgw frontends = beast endpoint=127.0.0.1:${ports[2]}
rgw enable apis = s3
CONF
}

ceph_here() { timeout 20 ceph --conf "$dir/ceph.conf" "$@"; }

key() { ceph-authtool "$dir/keyring" --gen-key --name "$@" >/dev/null; }

make_cluster() {
    local uuid=/proc/sys/kernel/random/uuid
    rm -rf "$dir/keyring" "$dir/mon" "$dir/osd" "$dir/run"
    mkdir -p "$dir/mon" "$dir/osd" "$dir/run"
    cat "$uuid" >"$dir/fsid"
    cat "$uuid" >"$dir/osd-uuid"
    ceph_conf >"$dir/ceph.conf"
    ceph-authtool --create-keyring "$dir/keyring" >/dev/null
    key mon. --cap mon 'allow *'
    key client.admin --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *'
    key osd.0 --cap mon 'allow profile osd' --cap osd 'allow *'
    monmaptool --create --fsid "$(<"$dir/fsid")" \
        --clobber --addv a "[v2:127.0.0.1:${ports[0]},v1:127.0.0.1:${ports[1]}]" "$dir/monmap" >/dev/null
    ceph-mon --conf "$dir/ceph.conf" --id a --mkfs --monmap "$dir/monmap" --keyring "$dir/keyring"
}

osd_is_up() { ceph_here osd stat | grep -q '1 up'; }

# Whoever signs nothing sees no buckets.
gateway_answers() { [[ $(curl -s --noproxy '*' -o /dev/null -w '%{http_code}' "$endpoint/") == 200 ]]; }

make_photos() {
    radosgw-admin --conf "$dir/ceph.conf" --name client.admin user create --uid alice --display-name Alice \
        --access-key "$access_key" --secret-key "$secret_key" >/dev/null
    curl -sS --noproxy '*' --fail -X PUT --aws-sigv4 aws:amz:default:s3 --user "$access_key:$secret_key" \
        -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD' "$endpoint/photos"
}

start() {
    need ceph ceph-authtool ceph-mon ceph-osd curl monmaptool radosgw radosgw-admin
    (($# == 0)) || die "unknown option $1"
    load_ports 3
    endpoint=http://127.0.0.1:${ports[2]}
    make_cluster
    spawn ceph-mon ceph-mon --conf "$dir/ceph.conf" --id a --foreground
    wait_ready ceph_here status
    ceph_here osd new "$(<"$dir/osd-uuid")" >/dev/null
    ceph-osd --conf "$dir/ceph.conf" --id 0 --mkfs --osd-uuid "$(<"$dir/osd-uuid")" >>"$dir/log/mkfs" 2>&1
    spawn ceph-osd ceph-osd --conf "$dir/ceph.conf" --id 0 --foreground
    wait_ready osd_is_up
    spawn radosgw radosgw --conf "$dir/ceph.conf" --name client.admin --foreground
    wait_ready gateway_answers
    make_photos
    publish "ENDPOINT=$endpoint" "ACCESS_KEY=$access_key" "SECRET_KEY=$secret_key"
}

run "$@"
