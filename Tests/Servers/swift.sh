#!/usr/bin/env bash
# OpenStack Swift with users of its own (tempauth):
#   swift.sh start DIR [--max-file-size BYTES] [--token-life SECONDS] | stop DIR
# Its own API with v1 authentication at /auth/v1.0, its S3 front (s3api) and temporary URLs; over http, over https by a
# CA made here, and over https with a certificate for another host.
# A later start on the same DIR has the same data and the same address.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"
# shellcheck source=Tests/Servers/certificates.sh
source "$here/certificates.sh"
# shellcheck source=Tests/Servers/swift-storage.sh
source "$here/swift-storage.sh"

access_key=test:tester secret_key=testing region=us-east-1 temp_url_key=test-url-key

tempauth_conf() {
    proxy_conf 's3api tempauth'
    cat <<CONF
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = $secret_key .admin
CONF
    [[ -z $token_life ]] || echo "token_life = $token_life"
}

# tempauth takes the storage URL's scheme from the request as it arrives, which is behind TLS here.
nginx_conf() {
    # As root the workers would change to a user who may not write to DIR.
    ((EUID)) || echo 'user root;'
    cat <<CONF
worker_processes 1;
daemon off;
pid $dir/nginx.pid;
error_log $dir/log/nginx-error;
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
    upstream swift {
        server 127.0.0.1:${ports[0]};
        keepalive 16;
    }
    map \$upstream_http_x_storage_url \$secure_storage_url {
        ~^http://(?<rest>.*)\$ https://\$rest;
    }
$(tls_server "${ports[5]}" server)
$(tls_server "${ports[6]}" wrong-name)
}
CONF
}

tls_server() { # PORT CERTIFICATE
    cat <<CONF
    server {
        listen 127.0.0.1:$1 ssl;
        ssl_certificate $dir/$2.pem;
        ssl_certificate_key $dir/$2.key;
        proxy_http_version 1.1;
        proxy_request_buffering off;
        proxy_read_timeout 600s;
        proxy_set_header Host \$http_host;
        proxy_set_header Connection '';
        location / {
            proxy_pass http://swift;
        }
        location /auth/ {
            proxy_pass http://swift;
            proxy_hide_header X-Storage-Url;
            add_header X-Storage-Url \$secure_storage_url always;
        }
    }
CONF
}

ready() {
    swift_is_healthy && s3_answers "$access_key" "$secret_key" &&
        curl -sf --noproxy '*' --cacert "$dir/ca.pem" "https://localhost:${ports[5]}/healthcheck"
}

# set_temp_url_key: on the account, by its own API.
set_temp_url_key() {
    local head token
    head=$(curl -sf --noproxy '*' -D - -o /dev/null -H "X-Auth-User: $access_key" -H "X-Auth-Key: $secret_key" \
        "$endpoint/auth/v1.0") || die 'v1 authentication does not answer'
    token=$(tr -d '\r' <<<"$head" | sed -n 's/^X-Auth-Token: //Ip')
    curl -sf --noproxy '*' -X POST -H "X-Auth-Token: $token" -H "X-Account-Meta-Temp-URL-Key: $temp_url_key" \
        "$endpoint/v1/AUTH_test" || die 'the key for temporary URLs cannot be set'
}

start() {
    need nginx
    parse_swift_options "$@"
    load_ports 7
    endpoint=http://127.0.0.1:${ports[0]}
    mkdir -p "$dir/tmp"
    make_authority
    make_certificate server "$local_names"
    make_certificate wrong-name 'DNS:elsewhere.example.org'
    nginx_conf >"$dir/nginx.conf"

    spawn_swift "$(tempauth_conf)"
    spawn nginx nginx -p "$dir" -e "$dir/log/nginx-error" -c "$dir/nginx.conf"
    wait_ready ready
    set_temp_url_key

    publish "ENDPOINT=$endpoint" "TLS_ENDPOINT=https://localhost:${ports[5]}" \
        "WRONG_NAME_ENDPOINT=https://localhost:${ports[6]}" "CA=$dir/ca.pem" "ACCESS_KEY=$access_key" \
        "SECRET_KEY=$secret_key" "REGION=$region" "AUTH_URL=$endpoint/auth/v1.0" \
        "STORAGE_URL=$endpoint/v1/AUTH_test" "TEMP_URL_KEY=$temp_url_key"
}

run "$@"
