#!/usr/bin/env bash
# nginx as a WebDAV server, with dav-ext:  nginx-dav.sh start DIR [OPTION…] | stop DIR
# The collection /dav/ lies in DIR/root/dav; basic authentication, alice with secret, unless --anonymous. With --tls
# also https with HTTP/2, by a CA made here. Every request has its line in DIR/access.log.
# --limit RATE --status STATUS --retry-after SECONDS: takes so many requests a second (10r/s) without a burst, and refuses
# others with the status (429), and with the header if it is asked for. --before PORT: what is not in /dav/ comes from there.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"
# shellcheck source=Tests/Servers/certificates.sh
source "$here/certificates.sh"
# shellcheck source=Tests/Servers/access-log.sh
source "$here/access-log.sh"

user=alice password=secret
module=/usr/lib/nginx/modules/ngx_http_dav_ext_module.so

nginx_conf() {
    local limited=''
    [[ -z $limit ]] || limited="limit_req zone=pace; limit_req_status $status;"
    # As root the workers would change to a user who may not write to DIR.
    ((EUID)) || echo 'user root;'
    # The temporary bodies lie on the file system of the data, so that a PUT ends in a rename.
    cat <<CONF
load_module $module;
worker_processes 2;
daemon off;
pid $dir/nginx.pid;
error_log $dir/log/error.log;
events { worker_connections 1024; }
http {
$(nginx_access_log)
    sendfile on;
    tcp_nodelay on;
    keepalive_requests 100000;
    keepalive_timeout 75s;
    default_type application/octet-stream;
    client_max_body_size 0;
    client_body_buffer_size 1m;
    client_body_temp_path $dir/tmp/body;
    proxy_temp_path $dir/tmp/proxy;
    fastcgi_temp_path $dir/tmp/fastcgi;
    uwsgi_temp_path $dir/tmp/uwsgi;
    scgi_temp_path $dir/tmp/scgi;
    dav_ext_lock_zone zone=locks:1m;
$([[ -z $limit ]] || echo "    limit_req_zone \$binary_remote_addr zone=pace:1m rate=$limit;")
    server {
        listen 127.0.0.1:${ports[0]};
$([[ -z $tls ]] || cat <<TLS
        listen 127.0.0.1:${ports[1]} ssl http2;
        ssl_certificate $dir/server.pem;
        ssl_certificate_key $dir/server.key;
        http2_body_preread_size 1m;
TLS
)
        root $dir/root;
$([[ -z $limit ]] || cat <<LIMIT
        error_page $status @refused;
        location @refused {
            internal;
            ${retry_after:+add_header Retry-After $retry_after always;}
            return $status;
        }
LIMIT
)
$([[ -z $before ]] || cat <<BEFORE
        location / {
            $limited
            proxy_pass http://127.0.0.1:$before;
            proxy_http_version 1.1;
            proxy_set_header Host \$http_host;
            proxy_request_buffering off;
        }
BEFORE
)
        location = /ready {
            access_log off;
            return 204;
        }
        location /dav/ {
            $limited
$([[ $anonymous ]] || cat <<AUTH
            auth_basic submit;
            auth_basic_user_file $dir/users;
AUTH
)
            dav_methods PUT DELETE MKCOL COPY MOVE;
            dav_ext_methods PROPFIND OPTIONS LOCK UNLOCK;
            dav_ext_lock zone=locks;
        }
    }
}
CONF
}

start() {
    need nginx curl
    [[ -e $module ]] || die "'$module' is missing; run scripts/install-packages.sh servers"
    tls='' anonymous='' limit='' status=429 retry_after='' before=''
    while (($#)); do
        case $1 in
        --tls) tls=1 ;;
        --anonymous) anonymous=1 ;;
        --limit) limit=$2 && shift ;;
        --status) status=$2 && shift ;;
        --retry-after) retry_after=$2 && shift ;;
        --before) before=$2 && shift ;;
        *) die "unknown option $1; there are --tls, --anonymous, --limit, --status, --retry-after and --before" ;;
        esac
        shift
    done
    load_ports 2
    mkdir -p "$dir/root/dav" "$dir/tmp"
    if [[ $tls ]]; then
        make_authority
        make_certificate server "$local_names"
    fi
    # In plain text: a hash that is slow on purpose would be a good part of the work for a small file.
    echo "$user:{PLAIN}$password" >"$dir/users"
    nginx_conf >"$dir/nginx.conf"

    spawn nginx nginx -p "$dir" -e "$dir/log/error.log" -c "$dir/nginx.conf"
    wait_ready curl -sf --noproxy '*' "http://127.0.0.1:${ports[0]}/ready"

    local lines=("ENDPOINT=http://127.0.0.1:${ports[0]}/dav/" "DATA=$dir/root/dav" "ACCESS_LOG=$dir/access.log")
    [[ $anonymous ]] || lines+=("USERNAME=$user" "PASSWORD=$password")
    [[ -z $tls ]] || lines+=("TLS_ENDPOINT=https://localhost:${ports[1]}/dav/" "CA=$dir/ca.pem")
    publish "${lines[@]}"
}

run "$@"
