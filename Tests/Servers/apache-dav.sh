#!/usr/bin/env bash
# Apache with mod_dav:
#   apache-dav.sh start DIR [--digest | --bearer TOKEN] [--tls] [--mtls] [--full FOLDER] | stop DIR
# The collection /dav/ lies in DIR/data; /small/, in DIR/small, takes no body of more than 64 KiB (413). With --full
# there is /full/ in that folder, which should be a disk that is soon full (507): small-disk.sh mounts one.
# Who may: alice with secret, by basic authentication; or by digest; or who has the token.
# With --tls also https with HTTP/2, by a CA made here; with --mtls also https for whoever has a certificate by that CA,
# which is enough. Every request has its line in DIR/access.log.
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

user=alice password=secret key_password=key-secret

authentication() {
    case $scheme in
    basic)
        cat <<CONF
AuthType Basic
AuthName submit
AuthUserFile $dir/users
Require valid-user
CONF
        ;;
    digest)
        cat <<CONF
AuthType Digest
AuthName submit
AuthDigestProvider file
AuthUserFile $dir/digests
Require valid-user
CONF
        ;;
    bearer)
        # Require alone would answer 403, as if nothing could be done about it.
        cat <<CONF
Require all granted
RewriteEngine On
RewriteCond "%{HTTP:Authorization}" "!=Bearer $token"
RewriteRule "^" "-" [R=401,L]
Header always set WWW-Authenticate "Bearer realm=\"submit\"" "expr=%{REQUEST_STATUS} == 401"
CONF
        ;;
    esac
}

# collections AUTHENTICATION
collections() {
    # Without a limit of ours Apache has one of 1 GiB.
    cat <<CONF
Alias /dav $dir/data
Alias /small $dir/small
<Location /dav>
    Dav On
    LimitRequestBody 0
$1
</Location>
<Location /small>
    Dav On
    LimitRequestBody 65536
$1
</Location>
CONF
    [[ -z $full ]] || cat <<CONF
Alias /full $full
<Location /full>
    Dav On
    LimitRequestBody 0
$1
</Location>
CONF
}

dav_conf() {
    local modules=(mpm_event dav dav_fs rewrite)
    [[ -z $tls$mtls ]] || modules+=(ssl socache_shmcb http2)
    apache_conf "${modules[@]}"
    [[ -z $tls$mtls ]] || echo "SSLSessionCache shmcb:$dir/run/ssl(512000)"
    cat <<CONF
DavLockDB $dir/locks/db
StartServers 1
ThreadsPerChild 32
MaxRequestWorkers 128
MinSpareThreads 1
MaxSpareThreads 128
Listen 127.0.0.1:${ports[0]}
<VirtualHost 127.0.0.1:${ports[0]}>
$(collections "$(authentication)")
</VirtualHost>
CONF
    [[ -z $tls ]] || cat <<CONF
Listen 127.0.0.1:${ports[1]}
<VirtualHost 127.0.0.1:${ports[1]}>
$(apache_tls)
Protocols h2 http/1.1
$(collections "$(authentication)")
</VirtualHost>
CONF
    [[ -z $mtls ]] || cat <<CONF
Listen 127.0.0.1:${ports[2]}
<VirtualHost 127.0.0.1:${ports[2]}>
$(apache_tls)
SSLVerifyClient require
SSLCACertificateFile $dir/ca.pem
$(collections 'Require all granted')
</VirtualHost>
CONF
}

start() {
    need apache2 curl openssl
    tls='' mtls='' scheme=basic token='' full=''
    while (($#)); do
        case $1 in
        --digest) scheme=digest ;;
        --bearer)
            scheme=bearer token=${2:?token}
            shift
            ;;
        --tls) tls=1 ;;
        --mtls) mtls=1 ;;
        --full)
            full=$(realpath -e "${2:?folder}")
            shift
            ;;
        *) die "unknown option $1; there are --digest, --bearer TOKEN, --tls, --mtls and --full FOLDER" ;;
        esac
        shift
    done
    load_ports 3
    children_own "$dir/data" "$dir/small" "$dir/locks" ${full:+"$full"}
    if [[ $tls$mtls ]]; then
        make_authority
        make_certificate server "$local_names"
    fi
    if [[ $mtls ]]; then
        make_certificate client 'email:alice@example.org' clientAuth
        [[ -e $dir/client-encrypted.key ]] ||
            openssl pkcs8 -topk8 -in "$dir/client.key" -passout "pass:$key_password" -out "$dir/client-encrypted.key"
    fi
    write_users "$user" "$password"
    spawn_apache "$(dav_conf)" "${ports[0]}"

    local plain=http://127.0.0.1:${ports[0]} lines
    lines=("ENDPOINT=$plain/dav/" "SMALL_ENDPOINT=$plain/small/" "DATA=$dir/data" "ACCESS_LOG=$dir/access.log")
    case $scheme in
    bearer) lines+=("TOKEN=$token") ;;
    *) lines+=("USERNAME=$user" "PASSWORD=$password") ;;
    esac
    [[ -z $full ]] || lines+=("FULL_ENDPOINT=$plain/full/")
    [[ -z $tls$mtls ]] || lines+=("CA=$dir/ca.pem")
    [[ -z $tls ]] || lines+=("TLS_ENDPOINT=https://localhost:${ports[1]}/dav/")
    [[ -z $mtls ]] || lines+=(
        "MTLS_ENDPOINT=https://localhost:${ports[2]}/dav/"
        "CLIENT_CERTIFICATE=$dir/client.pem" "CLIENT_KEY=$dir/client.key"
        "ENCRYPTED_CLIENT_KEY=$dir/client-encrypted.key" "CLIENT_KEY_PASSWORD=$key_password"
    )
    publish "${lines[@]}"
}

run "$@"
