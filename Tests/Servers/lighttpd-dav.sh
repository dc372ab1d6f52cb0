#!/usr/bin/env bash
# lighttpd with mod_webdav:  lighttpd-dav.sh start DIR [--partial=copy | --partial=unsafe] [--anonymous] | stop DIR
# The collection /dav/ lies in DIR/root/dav; basic authentication, alice with secret, unless --anonymous. A PUT with
# Content-Range is refused; with --partial=copy it changes a copy that takes the file's place, and with --partial=unsafe
# the file itself. Every request has its line in DIR/access.log.
# A later start on the same DIR has the same data and the same address.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"
# shellcheck source=Tests/Servers/access-log.sh
source "$here/access-log.sh"

user=alice password=secret
modules=/usr/lib/lighttpd

lighttpd_conf() {
    # The temporary bodies lie on the file system of the data, so that a PUT ends in a rename.
    cat <<CONF
server.modules = ( "mod_access", "mod_auth", "mod_authn_file", "mod_webdav", "mod_accesslog" )
server.document-root = "$dir/root"
server.bind = "127.0.0.1"
server.port = ${ports[0]}
server.errorlog = "$dir/log/error.log"
server.upload-dirs = ( "$dir/tmp" )
server.max-keep-alive-requests = 100000
server.max-keep-alive-idle = 75
# As Debian sets it up: what has no type gets neither an ETag nor a date.
include_shell "/usr/share/lighttpd/create-mime.conf.pl"
$(lighttpd_access_log)
\$HTTP["url"] =~ "^/dav(\$|/)" {
    webdav.activate = "enable"
    webdav.sqlite-db-name = "$dir/webdav.sqlite"
$(case $partial in
    copy) echo '    webdav.opts = ( "partial-put-copy-modify" => "enable" )' ;;
    unsafe) echo '    webdav.opts = ( "deprecated-unsafe-partial-put" => "enable" )' ;;
    esac)
$([[ $anonymous ]] || cat <<AUTH
    auth.backend = "plain"
    auth.backend.plain.userfile = "$dir/users"
    auth.require = ( "" => ( "method" => "basic", "realm" => "submit", "require" => "valid-user" ) )
AUTH
)
}
CONF
}

start() {
    need lighttpd curl
    [[ -e $modules/mod_webdav.so ]] || die "lighttpd's mod_webdav is missing; run scripts/install-packages.sh servers"
    partial='' anonymous=''
    while (($#)); do
        case $1 in
        --partial=copy | --partial=unsafe) partial=${1#*=} ;;
        --anonymous) anonymous=1 ;;
        *) die "unknown option $1; there are --partial=copy, --partial=unsafe and --anonymous" ;;
        esac
        shift
    done
    load_ports 1
    mkdir -p "$dir/root/dav" "$dir/tmp"
    echo ready >"$dir/root/ready"
    echo "$user:$password" >"$dir/users"
    lighttpd_conf >"$dir/lighttpd.conf"

    spawn lighttpd lighttpd -D -f "$dir/lighttpd.conf" -m "$modules"
    wait_ready curl -sf --noproxy '*' "http://127.0.0.1:${ports[0]}/ready"

    local lines=("ENDPOINT=http://127.0.0.1:${ports[0]}/dav/" "DATA=$dir/root/dav" "ACCESS_LOG=$dir/access.log")
    [[ $anonymous ]] || lines+=("USERNAME=$user" "PASSWORD=$password")
    publish "${lines[@]}"
}

run "$@"
