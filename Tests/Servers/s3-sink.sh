#!/usr/bin/env bash
# A sink that answers as Amazon's S3 does, and does no more work than it must, for benchmarks: s3-sink.sh start DIR | stop DIR
# nginx takes PUT and hands out by GET and HEAD by itself; uploads in parts, lists and what else is asked of a bucket are
# answered by s3-sink.js. It looks at no signature and computes no digest: a PUT is answered with the MD5 that it came with as
# its ETag, and with the checksum that it came with. It heeds If-None-Match: * and keeps no metadata.
# Buckets are folders in DIR/data, parts lie in DIR/data/.uploads, and DIR/data/.whole says what became one object.
# DIR/access.log has the method, the target and the status of each request, a second late at the most.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"
# shellcheck source=Tests/Servers/certificates.sh
source "$here/certificates.sh"

script_module=/usr/lib/nginx/modules/ngx_http_js_module.so

nginx_conf() {
    # As root the workers would change to a user who may not write to DIR.
    ((EUID)) || echo 'user root;'
    # The temporary bodies lie on the file system of the data, so that a PUT ends in a rename.
    cat <<CONF
load_module $script_module;
worker_processes 2;
daemon off;
pid $dir/nginx.pid;
error_log $dir/log/error.log;
events { worker_connections 1024; }
http {
    log_format requests '\$request_method \$request_uri \$status';
    access_log $dir/access.log requests buffer=256k flush=1s;
    log_not_found off;
    sendfile on;
    tcp_nodelay on;
    keepalive_requests 100000;
    keepalive_timeout 75s;
    default_type application/octet-stream;
    js_path $here;
    js_import sink from s3-sink.js;
    js_set \$etag_of_script sink.etagOfPut;
    client_max_body_size 0;
    client_body_buffer_size 1m;
    client_body_temp_path $dir/tmp/body;
    proxy_temp_path $dir/tmp/proxy;
    fastcgi_temp_path $dir/tmp/fastcgi;
    uwsgi_temp_path $dir/tmp/uwsgi;
    scgi_temp_path $dir/tmp/scgi;

    # What nginx cannot do by itself: all of buckets, and of objects what has a query but for parts. No pattern is tried, and
    # no script run, for what there is most of.
    map "\$request_method\$is_args\$arg_partNumber" \$manner {
        PUT plain;
        GET plain;
        HEAD plain;
        "~^PUT\?\d" part;
        default script;
    }
    map \$http_content_md5 \$etag_if_put { '' '"sink-\$request_id"'; default \$etag_of_script; }
    map \$request_method \$etag_of_put { PUT \$etag_if_put; default ''; }
    map \$http_x_amz_checksum_crc32c \$checksum_type { '' ''; default FULL_OBJECT; }
    map "\$request_method\$http_if_none_match" \$must_be_free { "PUT*" 1; default ''; }

    server {
        listen 127.0.0.1:${ports[0]};
        listen 127.0.0.1:${ports[1]} ssl http2;
        ssl_certificate $dir/server.pem;
        ssl_certificate_key $dir/server.key;
        http2_body_preread_size 1m;
        root $dir/data;
        set \$sink_root $dir/data;

        location / {
            if (\$manner = script) { rewrite ^ /.script last; }
            set \$refused \$must_be_free;
            if (-e \$request_filename) { set \$refused "\${refused}x"; }
            if (-e \$document_root/.whole\$uri) { set \$refused "\${refused}x"; }
            if (\$refused = 1x) { rewrite ^ /.refused last; }
            if (\$manner = part) { rewrite ^ /.uploads/\$arg_uploadId/\$arg_partNumber break; }
            error_page 404 = @missing;
            add_header ETag \$etag_of_put;
            add_header x-amz-checksum-crc32c \$http_x_amz_checksum_crc32c;
            add_header x-amz-checksum-sha256 \$http_x_amz_checksum_sha256;
            add_header x-amz-checksum-type \$checksum_type;
            dav_methods PUT;
            create_full_put_path on;
        }
        location ~ "^/[^/]*/?\$" {
            js_content sink.answer;
        }
        location = /.script {
            internal;
            js_content sink.answer;
        }
        location = /.whole {
            internal;
            js_content sink.whole;
        }
        location = /.refused {
            internal;
            default_type application/xml;
            return 412 '<Error><Code>PreconditionFailed</Code></Error>';
        }
        location @missing {
            if (-e \$document_root/.whole\$uri) { rewrite ^ /.whole last; }
            default_type application/xml;
            return 404 '<Error><Code>NoSuchKey</Code></Error>';
        }
    }
}
CONF
}

start() {
    need nginx curl
    load_ports 2
    mkdir -p "$dir/data/.uploads" "$dir/data/.whole" "$dir/tmp"
    make_authority
    make_certificate server "$local_names"
    [[ -e $script_module ]] || die "'$script_module' is missing; run scripts/install-packages.sh bench"
    nginx_conf >"$dir/nginx.conf"

    spawn nginx nginx -p "$dir" -e "$dir/log/error.log" -c "$dir/nginx.conf"
    wait_ready curl -s --noproxy '*' -o /dev/null "http://127.0.0.1:${ports[0]}/"
    publish "ENDPOINT=http://127.0.0.1:${ports[0]}" "TLS_ENDPOINT=https://localhost:${ports[1]}" "CA=$dir/ca.pem" \
        "ACCESS_LOG=$dir/access.log"
}

run "$@"
