#!/usr/bin/env bash
# tuspyserver, for tus 1.0:  tus.sh start DIR [--bearer TOKEN] [--max-size BYTES] [--tls] | stop DIR
# Uploads are made at /files/ and lie in DIR/uploads; a finished one also in DIR/data, under the file name of its
# metadata. Who may: alice with secret, by basic authentication; or who has the token. With --tls also https, by a CA made
# here. Every request has its line in DIR/access.log.
# A later start on the same DIR has the same uploads and the same addresses.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"
# shellcheck source=Tests/Servers/certificates.sh
source "$here/certificates.sh"
# shellcheck source=Tests/Servers/access-log.sh
source "$here/access-log.sh"

user=alice password=secret

ready() {
    local url
    for url in "$@"; do
        curl -sf --noproxy '*' --cacert "$dir/ca.pem" "$url" || return
    done
}

start() {
    need curl openssl
    tls='' token='' max_size=128849018880
    while (($#)); do
        case $1 in
        --tls) tls=1 ;;
        --bearer)
            token=${2:?token}
            shift
            ;;
        --max-size)
            max_size=${2:?bytes}
            shift
            ;;
        *) die "unknown option $1; there are --bearer TOKEN, --max-size BYTES and --tls" ;;
        esac
        shift
    done
    local venv authorization names
    venv=$(cached_venv tus "$here/tus-requirements.txt")
    load_ports 2
    mkdir -p "$dir/data" "$dir/uploads"
    make_authority
    make_certificate server "$local_names"
    if [[ $token ]]; then
        authorization="Bearer $token"
    else
        authorization="Basic $(printf %s "$user:$password" | base64)"
    fi
    names=$(IFS=, && echo "${logged_headers[*]}")

    local serve=("$venv/bin/python" "$here/tus-serve.py")
    local options=("$dir" "$authorization" "$names" "$max_size")
    local plain=http://127.0.0.1:${ports[0]} secure=https://localhost:${ports[1]}
    spawn tus "${serve[@]}" "${ports[0]}" "${options[@]}"
    [[ -z $tls ]] ||
        spawn tus-tls "${serve[@]}" "${ports[1]}" "${options[@]}" "$dir/server.pem" "$dir/server.key"
    wait_ready ready "$plain/ready" ${tls:+"$secure/ready"}

    local lines=("ENDPOINT=$plain/files/" "DATA=$dir/data" "ACCESS_LOG=$dir/access.log")
    if [[ $token ]]; then
        lines+=("TOKEN=$token")
    else
        lines+=("USERNAME=$user" "PASSWORD=$password")
    fi
    [[ -z $tls ]] || lines+=("TLS_ENDPOINT=$secure/files/" "CA=$dir/ca.pem")
    publish "${lines[@]}"
}

run "$@"
