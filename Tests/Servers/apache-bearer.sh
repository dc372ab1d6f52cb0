#!/usr/bin/env bash
# Apache with mod_dav for whoever has a token of Glewlwyd's with the scope `upload`, which it asks Glewlwyd about at every
# request (mod_auth_openidc, introspection):
#   apache-bearer.sh start DIR GLEWLWYD_PORT CLIENT CLIENT_SECRET [--small] | stop DIR
# The collection /dav/ lies in DIR/data, over http and, by a CA made here, over https. A token that is none, is too old or
# was revoked: 401 with `WWW-Authenticate: Bearer`. With --small it takes no body of more than 64 KiB (413).
# Every request has its line in DIR/access.log. A later start on the same DIR has the same data and the same addresses.
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

collection() {
    # The module takes backslashes out of the pattern.
    cat <<CONF
Alias /dav $dir/data
<Location /dav>
    Dav On
    LimitRequestBody ${limit:-0}
    AuthType oauth20
    AuthName submit
    Require claim scope~(^|[[:space:]])upload(\$|[[:space:]])
</Location>
CONF
}

# GLEWLWYD_PORT CLIENT CLIENT_SECRET
bearer_conf() {
    apache_conf mpm_event dav dav_fs ssl socache_shmcb proxy proxy_http
    # The module asks only who speaks https, which Glewlwyd does not here: so it asks through the second host below.
    cat <<CONF
LoadModule auth_openidc_module $apache_modules/mod_auth_openidc.so
SSLSessionCache shmcb:$dir/run/ssl(512000)
DavLockDB $dir/locks/db
StartServers 1
ThreadsPerChild 64
MaxRequestWorkers 128
MinSpareThreads 1
MaxSpareThreads 128
OIDCCryptoPassphrase $(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
OIDCCABundlePath $dir/ca.pem
OIDCOAuthIntrospectionEndpoint https://localhost:${ports[2]}/api/oidc/introspect
OIDCOAuthIntrospectionEndpointAuth client_secret_basic
OIDCOAuthClientID $2
OIDCOAuthClientSecret $3
OIDCOAuthTokenIntrospectionInterval -1
OIDCOAuthRemoteUserClaim client_id
Listen 127.0.0.1:${ports[0]}
<VirtualHost 127.0.0.1:${ports[0]}>
$(collection)
</VirtualHost>
Listen 127.0.0.1:${ports[1]}
<VirtualHost 127.0.0.1:${ports[1]}>
$(apache_tls)
$(collection)
</VirtualHost>
Listen 127.0.0.1:${ports[2]}
<VirtualHost 127.0.0.1:${ports[2]}>
$(apache_tls)
SetEnv proxy-nokeepalive 1
<Location /api/oidc/introspect>
    Require all granted
    ProxyPass http://127.0.0.1:$1/api/oidc/introspect
</Location>
SetEnvIf Request_URI "^/" unlogged
</VirtualHost>
CONF
}

start() {
    need apache2 curl openssl
    local glewlwyd=${1:?port of Glewlwyd} client=${2:?client} secret=${3:?client secret}
    shift 3
    limit=''
    while (($#)); do
        case $1 in
        --small) limit=65536 ;;
        *) die "unknown option $1; there is --small" ;;
        esac
        shift
    done
    [[ -e $apache_modules/mod_auth_openidc.so ]] ||
        die "mod_auth_openidc is missing; run scripts/install-packages.sh servers"
    load_ports 3
    children_own "$dir/data" "$dir/locks"
    make_authority
    make_certificate server "$local_names"
    spawn_apache "$(bearer_conf "$glewlwyd" "$client" "$secret")" "${ports[0]}"
    chmod 600 "$dir/apache.conf"

    publish "ENDPOINT=http://127.0.0.1:${ports[0]}/dav/" "TLS_ENDPOINT=https://localhost:${ports[1]}/dav/" \
        "CA=$dir/ca.pem" "DATA=$dir/data" "ACCESS_LOG=$dir/access.log"
}

run "$@"
