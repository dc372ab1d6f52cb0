#!/usr/bin/env bash
# nginx as a plain sink for PUT, GET, HEAD and DELETE:
#   nginx-put.sh start DIR [--tls|--client-certificates] | stop DIR
# What arrives lies in DIR/data. With --tls also https with HTTP/2, by a CA made here, and /connection answers the
# connection's number, "r" where its TLS session was resumed and else ".", and the protocol. With --client-certificates
# https demands a certificate by the same CA, of which DIR has ann.pem and bob.pem, and /who answers whose it was.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"
# shellcheck source=Tests/Servers/certificates.sh
source "$here/certificates.sh"

nginx_conf() {
    # As root the workers would change to a user who may not write to DIR.
    ((EUID)) || echo 'user root;'
    # The temporary bodies lie on the file system of the data, so that a PUT ends in a rename.
    cat <<CONF
worker_processes 2;
daemon off;
pid $dir/nginx.pid;
error_log $dir/log/error.log;
events { worker_connections 1024; }
http {
    access_log off;
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
    server {
        listen 127.0.0.1:${ports[0]};
$([[ -z $tls ]] || cat <<TLS
        listen 127.0.0.1:${ports[1]} ssl http2;
        ssl_certificate $dir/server.pem;
        ssl_certificate_key $dir/server.key;
        ssl_protocols TLSv1.2 TLSv1.3;
        http2_body_preread_size 1m;
        location = /connection {
            return 200 "\$connection \$ssl_session_reused \$server_protocol";
        }
TLS
)
$([[ -z $client_certificates ]] || cat <<TLS
        ssl_client_certificate $dir/ca.pem;
        ssl_verify_client on;
        location = /who {
            return 200 "\$ssl_client_s_dn \$connection";
        }
TLS
)
        root $dir/data;
        dav_methods PUT DELETE;
        create_full_put_path on;
    }
}
CONF
}

start() {
    need nginx curl
    tls=''
    client_certificates=''
    case ${1:-} in
        --tls) tls=1 ;;
        --client-certificates) tls=1 client_certificates=1 ;;
    esac
    load_ports 2
    mkdir -p "$dir/data" "$dir/tmp"
    if [[ $tls ]]; then
        make_authority
        make_certificate server "$local_names"
    fi
    if [[ $client_certificates ]]; then
        make_certificate ann DNS:ann.invalid clientAuth
        make_certificate bob DNS:bob.invalid clientAuth
    fi
    nginx_conf >"$dir/nginx.conf"

    spawn nginx nginx -p "$dir" -e "$dir/log/error.log" -c "$dir/nginx.conf"
    wait_ready curl -s --noproxy '*' -o /dev/null "http://127.0.0.1:${ports[0]}/"

    local lines=("ENDPOINT=http://127.0.0.1:${ports[0]}")
    [[ -z $tls ]] || lines+=("TLS_ENDPOINT=https://localhost:${ports[1]}" "CA=$dir/ca.pem")
    publish "${lines[@]}"
}

run "$@"
