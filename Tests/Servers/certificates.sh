# shellcheck shell=bash
# shellcheck disable=SC2154 # dir, ports, region and here are those of the script that sources this
# A private authority and certificates by it, for the servers that speak TLS; sourced after common.sh.

# new_key_options: a key on P-256, without a passphrase.
new_key_options=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)

# make_authority: DIR/ca.pem, once.
make_authority() {
    need openssl
    [[ ! -e $dir/ca.pem ]] || return 0
    openssl req -x509 "${new_key_options[@]}" -days 3650 -subj '/O=submit tests/CN=CA' \
        -keyout "$dir/ca.key" -out "$dir/ca.pem" \
        -addext keyUsage=critical,keyCertSign,cRLSign >>"$dir/log/openssl" 2>&1 ||
        die "cannot make a certificate; see $dir/log/openssl"
}

# make_certificate NAME SUBJECT_ALT_NAMES [clientAuth]: DIR/NAME.pem and DIR/NAME.key, once; a server's by default.
make_certificate() {
    [[ ! -e $dir/$1.pem ]] || return 0
    {
        openssl req "${new_key_options[@]}" -subj "/O=submit tests/CN=$1" \
            -keyout "$dir/$1.key" -out "$dir/$1.csr" &&
            openssl x509 -req -in "$dir/$1.csr" -CA "$dir/ca.pem" -CAkey "$dir/ca.key" -days 3650 \
                -out "$dir/$1.pem" -extfile <(
                    echo "subjectAltName = $2"
                    echo "extendedKeyUsage = ${3:-serverAuth}"
                )
    } >>"$dir/log/openssl" 2>&1 || die "cannot make a certificate; see $dir/log/openssl"
}

# This machine, by all its names.
# shellcheck disable=SC2034  # used by the scripts that source this
local_names='DNS:localhost, IP:127.0.0.1, IP:::1'
