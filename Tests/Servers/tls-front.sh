#!/usr/bin/env bash
# nginx that speaks https, by a CA made here, for a server that does not:  tls-front.sh start DIR PORT | stop DIR
# PORT is the server's, on the loopback.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"
# shellcheck source=Tests/Servers/certificates.sh
source "$here/certificates.sh"

nginx_conf() { # PORT
    # As root the workers would change to a user who may not write to DIR.
    ((EUID)) || echo 'user root;'
    cat <<CONF
worker_processes 1;
daemon off;
pid $dir/nginx.pid;
error_log $dir/log/error.log;
events { worker_connections 1024; }
http {
    access_log off;
    keepalive_timeout 75s;
    keepalive_requests 100000;
    client_max_body_size 0;
    client_body_temp_path $dir/tmp/body;
    proxy_temp_path $dir/tmp/proxy;
    fastcgi_temp_path $dir/tmp/fastcgi;
    uwsgi_temp_path $dir/tmp/uwsgi;
    scgi_temp_path $dir/tmp/scgi;
    server {
        listen 127.0.0.1:${ports[0]} ssl;
        ssl_certificate $dir/server.pem;
        ssl_certificate_key $dir/server.key;
        proxy_http_version 1.1;
        proxy_request_buffering off;
        proxy_read_timeout 600s;
        proxy_set_header Host \$http_host;
        location / {
            proxy_pass http://127.0.0.1:$1;
        }
    }
}
CONF
}

start() {
    need nginx
    load_ports 1
    mkdir -p "$dir/tmp"
    make_authority
    make_certificate server "$local_names"
    nginx_conf "${1:?port}" >"$dir/nginx.conf"

    spawn nginx nginx -p "$dir" -e "$dir/log/error.log" -c "$dir/nginx.conf"
    wait_ready test -s "$dir/nginx.pid"
    publish "ENDPOINT=https://localhost:${ports[0]}" "CA=$dir/ca.pem"
}

run "$@"
