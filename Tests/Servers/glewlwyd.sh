#!/usr/bin/env bash
# Glewlwyd 2.7, a server of OAuth 2 and OpenID Connect, over http on the loopback:
#   glewlwyd.sh start DIR [--token-life SECONDS] [--refresh-life SECONDS] [--code-life SECONDS] [--device-interval SECONDS]
#                         [--keep-refresh-tokens] [--redirect URI]... | stop DIR
# Its plugin `oidc` has the code flow with PKCE, the device flow, client credentials, refreshing (a refresh token is good
# for once, unless --keep-refresh-tokens), introspection and revocation. The clients: `public-client` without a secret, and
# `confidential-client` with one. alice with secret may grant them the scopes `upload` and `profile`. Redirects go to
# http://127.0.0.1:PORT/callback, of a port that env names, or wherever --redirect says, exactly.
# A later start on the same DIR has the same tokens and the same address.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"

user=alice password=secret client_secret=client-secret
schema=/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3

glewlwyd_conf() {
    cat <<CONF
port = ${ports[0]}
bind_address = "127.0.0.1"
external_url = "${url%/}"
login_url = "login.html"
api_prefix = "api"
static_files_path = "$dir/webapp"
allow_origin = "*"
log_mode = "console"
log_level = "WARNING"
cookie_secure = false
cookie_same_site = "empty"
session_expiration = 2419200
session_key = "GLEWLWYD2_SESSION_ID"
admin_session_authentication = "cookie"
profile_session_authentication = "cookie"
login_api_enabled = true
max_post_size = 16778240
admin_scope = "g_admin"
profile_scope = "g_profile"
user_module_path = "/usr/lib/glewlwyd/user"
client_module_path = "/usr/lib/glewlwyd/client"
user_auth_scheme_module_path = "/usr/lib/glewlwyd/scheme"
plugin_module_path = "/usr/lib/glewlwyd/plugin"
hash_algorithm = "SHA512"
database = {
  type = "sqlite3"
  path = "$dir/glewlwyd.db"
}
static_files_mime_types = (
CONF
    local type separator=''
    for type in .html=text/html .css=text/css .js=application/javascript .json=application/json .png=image/png \
        .ico=image/x-icon .ttf=font/ttf .woff=font/woff .woff2=font/woff2; do
        echo "$separator  { extension = \"${type%%=*}\"; mime_type = \"${type#*=}\" }"
        separator=,
    done
    echo ')'
}

# admin METHOD PATH [JSON]
admin() {
    curl -sS --fail-with-body --noproxy '*' -b "$dir/admin-cookies" -c "$dir/admin-cookies" -X "$1" \
        -H 'Content-Type: application/json' ${3:+-d "$3"} "${url}api/$2" >>"$dir/log/seed" 2>&1 ||
        die "cannot fill Glewlwyd: $1 $2; see $dir/log/seed"
}

plugin() {
    jq -n --arg issuer "${url%/}" --argjson life "$token_life" --argjson refresh "$refresh_life" \
        --argjson code "$code_life" --argjson interval "$device_interval" --arg once "$refresh_once" \
        --arg key "$(head -c 32 /dev/urandom | base64)" '{
            module: "oidc", name: "oidc", display_name: "OpenID Connect", parameters: {
                iss: $issuer, "jwt-type": "sha", "jwt-key-size": "256", key: $key, "subject-type": "public",
                "access-token-duration": $life, "refresh-token-duration": $refresh, "code-duration": $code,
                "refresh-token-rolling": false, "refresh-token-one-use": $once, "allow-non-oidc": true,
                "auth-type-code-enabled": true, "auth-type-code-revoke-replayed": true,
                "auth-type-client-enabled": true, "auth-type-device-enabled": true, "auth-type-refresh-enabled": true,
                "auth-type-password-enabled": false, "auth-type-token-enabled": false,
                "auth-type-implicit-enabled": false, "auth-type-none-enabled": false,
                "pkce-allowed": true, "pkce-method-plain-allowed": false, "pkce-required-public-client": true,
                "oauth-as-iss-id": true,
                "introspection-revocation-allowed": true, "introspection-revocation-allow-target-client": true,
                "introspection-revocation-auth-scope": [],
                "device-authorization-expiration": 600, "device-authorization-interval": $interval
            }
        }'
}

client() { # ID SECRET
    jq -n --arg id "$1" --arg secret "$2" '{
        client_id: $id, name: $id, enabled: true, confidential: ($secret != ""), password: $secret,
        redirect_uri: $ARGS.positional, scope: ["upload", "profile"],
        authorization_type: (["code", "refresh_token", "device_authorization"]
            + if $secret == "" then [] else ["client_credentials"] end),
        token_endpoint_auth_method: (if $secret == "" then ["none"]
            else ["client_secret_basic", "client_secret_post"] end)
    } | if $secret == "" then del(.password) else . end' --args "${redirects[@]}"
}

seed() {
    rm -f "$dir/admin-cookies"
    admin POST auth/ '{"username":"admin","password":"password"}'
    admin POST mod/plugin/ "$(plugin)"
    local name
    for name in upload profile; do
        admin POST scope/ "$(jq -n --arg name $name '{name: $name, display_name: $name, password_required: true,
            password_max_age: 0, scheme: {}, scheme_required: {}}')"
    done
    admin POST user/ "$(jq -n --arg name "$user" --arg password "$password" '{username: $name, password: $password,
        name: "Alice", email: "alice@example.org", enabled: true, scope: ["g_profile", "openid", "upload", "profile"]}')"
    admin POST client/ "$(client public-client '')"
    admin POST client/ "$(client confidential-client "$client_secret")"
}

answers() { curl -sf --noproxy '*' "${url}config"; }

start() {
    need glewlwyd sqlite3 curl jq
    token_life=3600 refresh_life=1209600 code_life=600 device_interval=2 refresh_once=always redirects=()
    while (($#)); do
        case $1 in
        --token-life | --refresh-life | --code-life | --device-interval)
            local name=${1#--}
            printf -v "${name//-/_}" %s "${2:?seconds}"
            shift
            ;;
        --keep-refresh-tokens) refresh_once=never ;;
        --redirect)
            redirects+=("${2:?uri}")
            shift
            ;;
        *) die "unknown option $1; there are --token-life, --refresh-life, --code-life, --device-interval SECONDS," \
            "--keep-refresh-tokens and --redirect URI" ;;
        esac
        shift
    done
    load_ports 2
    url=http://127.0.0.1:${ports[0]}/
    redirects+=("http://127.0.0.1:${ports[1]}/callback" "http://[::1]:${ports[1]}/callback" "${url}callback.html")
    if [[ ! -e $dir/glewlwyd.db ]]; then
        [[ -e $schema ]] || die "'$schema' is missing; run scripts/install-packages.sh servers"
        # In the package's, config.json is a link to a folder that holds it, and Glewlwyd follows no links.
        cp -rL /usr/share/glewlwyd/webapp "$dir/webapp"
        if [[ -d $dir/webapp/config.json ]]; then
            mv "$dir/webapp/config.json" "$dir/webapp/config"
            mv "$dir/webapp/config/config.json" "$dir/webapp/"
        fi
        sqlite3 "$dir/glewlwyd.db" <"$schema"
    fi
    glewlwyd_conf >"$dir/glewlwyd.conf"

    spawn glewlwyd glewlwyd --config-file="$dir/glewlwyd.conf"
    wait_ready answers
    if [[ ! -e $dir/seeded ]]; then
        seed
        touch "$dir/seeded"
    fi

    local oidc=${url}api/oidc
    publish "ISSUER=${url%/}" "API=${url}api" "PORT=${ports[0]}" "AUTHORIZE_URL=$oidc/auth" "TOKEN_URL=$oidc/token" "REVOKE_URL=$oidc/revoke" \
        "DEVICE_URL=$oidc/device_authorization" "INTROSPECT_URL=$oidc/introspect" "USERINFO_URL=$oidc/userinfo" \
        "REDIRECT_URI=http://127.0.0.1:${ports[1]}/callback" "REDIRECT_PORT=${ports[1]}" \
        "PUBLIC_CLIENT=public-client" "CONFIDENTIAL_CLIENT=confidential-client" "CLIENT_SECRET=$client_secret" \
        "USERNAME=$user" "PASSWORD=$password"
}

run "$@"
