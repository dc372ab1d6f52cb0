#!/usr/bin/env bash
# SabreDAV 1.8 in Apache:  sabre-dav.sh start DIR [--basic] [--no-partial] [--quick-etags] [--tls] | stop DIR
# The collection /dav/ lies in DIR/data. Who may: alice with secret, by digest authentication or, with --basic, by that.
# Partial updates by PATCH, unless --no-partial. Its ETags are MD5 of the whole file, and every PATCH, PUT, HEAD and
# PROPFIND computes them; --quick-etags, for big files, has those of its later versions.
# With --tls also https, by a CA made here. Every request has its line in DIR/access.log.
# A later start on the same DIR has the same data and the same addresses.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"
# shellcheck source=Tests/Servers/certificates.sh
source "$here/certificates.sh"
# shellcheck source=Tests/Servers/access-log.sh
source "$here/access-log.sh"
# shellcheck source=Tests/Servers/apache.sh
source "$here/apache.sh"

user=alice password=secret

# A body goes from the connection to the file in pieces, and as a whole into a temporary file of PHP besides.
sabre_conf() {
    local php
    for php in "$apache_modules"/libphp*.so; do :; done
    [[ -e $php ]] || die "Apache's PHP is missing; run scripts/install-packages.sh servers"
    apache_conf mpm_prefork ${tls:+ssl} ${tls:+socache_shmcb}
    [[ -z $tls ]] || echo "SSLSessionCache shmcb:$dir/run/ssl(512000)"
    cat <<CONF
LoadModule php_module $php
StartServers 4
MinSpareServers 1
MaxSpareServers 16
# An idle connection keeps its process. With fewer of these than a client has connections, some are never answered.
ServerLimit 150
MaxRequestWorkers 150
KeepAliveTimeout 5
AllowEncodedSlashes NoDecode
Alias /dav $dir/public/sabre-dav.php
<Location /dav>
    Require all granted
    SetHandler application/x-httpd-php
    AcceptPathInfo On
    LimitRequestBody 0
</Location>
SetEnv SABRE_DIR $dir
$([[ -z $basic ]] || echo 'SetEnv SABRE_BASIC 1')
$([[ -z $no_partial ]] || echo 'SetEnv SABRE_NO_PARTIAL 1')
$([[ -z $quick ]] || echo 'SetEnv SABRE_QUICK 1')
php_admin_value enable_post_data_reading 0
php_admin_value post_max_size 0
php_admin_value memory_limit 256M
php_admin_value max_execution_time 0
php_admin_value output_buffering 0
php_admin_value display_errors 0
php_admin_value log_errors 1
php_admin_value error_reporting "E_ALL & ~E_DEPRECATED"
php_admin_value upload_tmp_dir $dir/tmp
php_admin_value sys_temp_dir $dir/tmp
Listen 127.0.0.1:${ports[0]}
<VirtualHost 127.0.0.1:${ports[0]}>
</VirtualHost>
CONF
    [[ -z $tls ]] || cat <<CONF
Listen 127.0.0.1:${ports[1]}
<VirtualHost 127.0.0.1:${ports[1]}>
$(apache_tls)
</VirtualHost>
CONF
}

start() {
    need apache2 curl openssl
    tls='' basic='' no_partial='' quick=''
    while (($#)); do
        case $1 in
        --tls) tls=1 ;;
        --basic) basic=1 ;;
        --no-partial) no_partial=1 ;;
        --quick-etags) quick=1 ;;
        *) die "unknown option $1; there are --basic, --no-partial, --quick-etags and --tls" ;;
        esac
        shift
    done
    load_ports 2
    children_own "$dir/data" "$dir/locks" "$dir/tmp"
    if [[ $tls ]]; then
        make_authority
        make_certificate server "$local_names"
    fi
    # Where these sources lie, the children may not be allowed to look.
    mkdir -p "$dir/public"
    cp "$here/sabre-dav.php" "$dir/public/"
    write_users "$user" "$password"
    echo "$user:$password" >"$dir/passwords"
    spawn_apache "$(sabre_conf)" "${ports[0]}"

    local lines=("ENDPOINT=http://127.0.0.1:${ports[0]}/dav/" "DATA=$dir/data" "ACCESS_LOG=$dir/access.log"
        "USERNAME=$user" "PASSWORD=$password")
    [[ -z $tls ]] || lines+=("TLS_ENDPOINT=https://localhost:${ports[1]}/dav/" "CA=$dir/ca.pem")
    publish "${lines[@]}"
}

run "$@"
