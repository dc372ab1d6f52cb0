#!/usr/bin/env bash
# OpenStack Keystone with a Swift that trusts it:
#   keystone.sh start DIR [--max-file-size BYTES] [--token-life SECONDS] | stop DIR
# Identity v3 with a user, an application credential and S3 keys (EC2 credentials); the object store is in the
# catalogue with public and internal addresses in RegionOne and a public one in RegionTwo. A revoked token is refused
# at once. A later start on the same DIR has the same data and the same address.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"
# shellcheck source=Tests/Servers/swift-storage.sh
source "$here/swift-storage.sh"

admin_password=admin-password service_password=service-password region=RegionOne

keystone_conf() {
    # The cache is the one process's own, so that a change is seen at once; without it a request makes 600 queries.
    cat <<CONF
[DEFAULT]
public_endpoint = $identity
[database]
connection = sqlite:///$dir/keystone/keystone.db
[token]
provider = fernet
expiration = ${token_life:-3600}
[fernet_tokens]
key_repository = $dir/keystone/fernet
[fernet_receipts]
key_repository = $dir/keystone/fernet
[credential]
key_repository = $dir/keystone/credential
[cache]
enabled = true
backend = dogpile.cache.memory
[identity]
password_hash_rounds = 4
[oslo_policy]
policy_file = $dir/keystone/policy.yaml
CONF
}

# Keys as keystone-manage's fernet_setup and credential_setup write them, without starting Python twice.
make_keys() { # DIRECTORY
    local number
    mkdir -p "$1"
    for number in 0 1; do
        openssl rand -base64 32 | tr '+/' '-_' | tr -d '\n' >"$1/$number"
    done
    chmod -R go= "$1"
}

prepare_keystone() {
    rm -f "$dir"/keystone/keystone.db*
    make_keys "$dir/keystone/fernet"
    make_keys "$dir/keystone/credential"
    echo '{}' >"$dir/keystone/policy.yaml"
    local manage=("$keystone_venv/bin/keystone-manage" --config-file "$dir/keystone/keystone.conf")
    {
        "${manage[@]}" db_sync
        # Without it a reader and a writer at once make "database is locked".
        sqlite3 "$dir/keystone/keystone.db" 'PRAGMA journal_mode = WAL'
        "${manage[@]}" bootstrap --bootstrap-password "$admin_password" --bootstrap-region-id "$region" \
            --bootstrap-public-url "$identity/v3" --bootstrap-internal-url "$identity/v3"
    } >"$dir/log/keystone-manage" 2>&1 || die "cannot make the database; see $dir/log/keystone-manage"
}

keystoneauth_conf() {
    # Whose tokens and S3 requests Swift asks Keystone about, it has to say who it is itself.
    local service
    service=$(
        cat <<CONF
auth_type = password
auth_url = $identity/v3
username = swift
password = $service_password
project_name = service
user_domain_id = default
project_domain_id = default
CONF
    )
    proxy_conf 'authtoken s3api s3token keystoneauth'
    cat <<CONF
[filter:authtoken]
paste.filter_factory = keystonemiddleware.auth_token:filter_factory
www_authenticate_uri = $identity/v3
$service
delay_auth_decision = true
cache = swift.cache
token_cache_time = -1
include_service_catalog = false
[filter:s3token]
use = egg:swift#s3token
auth_uri = $identity/v3
secret_cache_duration = 0
http_timeout = 60
$service
[filter:keystoneauth]
use = egg:swift#keystoneauth
operator_roles = member
CONF
}

keystone_answers() { curl -sf --noproxy '*' "$identity/v3"; }

ready() {
    # shellcheck source=/dev/null
    source "$dir/keystone/seed"
    swift_is_healthy && s3_answers "$ACCESS_KEY" "$SECRET_KEY"
}

start() {
    need sqlite3 openssl
    parse_swift_options "$@"
    keystone_venv=$(cached_venv keystone "$here/keystone-requirements.txt")
    load_ports 6
    identity=http://127.0.0.1:${ports[5]}
    mkdir -p "$dir/keystone"
    keystone_conf >"$dir/keystone/keystone.conf"
    [[ -e $dir/keystone/seed ]] || prepare_keystone

    spawn_swift "$(keystoneauth_conf)"
    OS_KEYSTONE_CONFIG_FILES=$dir/keystone/keystone.conf \
        spawn keystone "$keystone_venv/bin/python" "$here/keystone-serve.py" "${ports[5]}"
    wait_ready keystone_answers
    if [[ ! -e $dir/keystone/seed ]]; then
        "$keystone_venv/bin/python" "$here/keystone-seed.py" "$identity/v3" "$admin_password" "$service_password" \
            "${ports[0]}" >"$dir/keystone/seed.new" 2>"$dir/log/keystone-seed" ||
            die "cannot fill Keystone; see $dir/log/keystone-seed"
        mv "$dir/keystone/seed.new" "$dir/keystone/seed"
    fi
    wait_ready ready

    local lines
    mapfile -t lines <"$dir/keystone/seed"
    publish "AUTH_URL=$identity/v3" "ENDPOINT=http://127.0.0.1:${ports[0]}" "REGION=$region" "${lines[@]}"
}

run "$@"
