# shellcheck shell=bash
# shellcheck disable=SC2154 # dir is that of the script that sources this
# What an Apache of one's own needs, whatever it serves; sourced after common.sh and access-log.sh.

apache_modules=/usr/lib/apache2/modules

# apache_conf MODULES...: the part that is the same for all; Debian's own configuration is not read.
apache_conf() {
    local module
    [[ -d $apache_modules ]] || die "'$apache_modules' is missing; run scripts/install-packages.sh servers"
    for module in authn_core authn_file auth_basic auth_digest authz_core authz_user alias dir env headers mime \
        setenvif "$@"; do
        echo "LoadModule ${module}_module $apache_modules/mod_$module.so"
    done
    # Apache does not let its children be root. They get the usual user of Debian.
    ((EUID)) || printf 'User www-data\nGroup www-data\n'
    cat <<CONF
ServerName localhost
ServerRoot $dir
DefaultRuntimeDir $dir/run
PidFile $dir/apache.pid
ErrorLog $dir/log/error.log
LogLevel warn
Mutex file:$dir/run default
TypesConfig $([[ -e /etc/mime.types ]] && echo /etc/mime.types || echo /dev/null)
DocumentRoot $dir/empty
Timeout 300
KeepAlive On
MaxKeepAliveRequests 0
KeepAliveTimeout 75
ServerTokens Full
AccessFileName .no-such-file
<Directory />
    Require all denied
</Directory>
<Location /ready>
    Require all granted
    Redirect 204 /ready
</Location>
$(apache_access_log)
CONF
}

# children_own PATHS...: makes folders that Apache's children may write to.
children_own() {
    mkdir -p "$@"
    ((EUID)) || chown www-data:www-data "$@"
}

# spawn_apache CONF PORT: until it answers there.
spawn_apache() {
    mkdir -p "$dir/empty"
    children_own "$dir/run"
    echo "$1" >"$dir/apache.conf"
    # Of one that had to be killed and is a zombie, Apache believes that it runs.
    rm -f "$dir/apache.pid"
    spawn apache apache2 -D FOREGROUND -f "$dir/apache.conf"
    wait_ready curl -sf --noproxy '*' "http://127.0.0.1:$2/ready"
}

# apache_tls PORT: the lines of a virtual host for https, by the certificate `server`.
apache_tls() {
    cat <<CONF
SSLEngine on
SSLCertificateFile $dir/server.pem
SSLCertificateKeyFile $dir/server.key
CONF
}

# write_users USER PASSWORD: DIR/users for basic authentication, DIR/digests for digest, in the realm `submit`.
write_users() {
    # A hash that is slow on purpose would be a good part of the work for a small file.
    echo "$1:{SHA}$(printf %s "$2" | openssl sha1 -binary | base64)" >"$dir/users"
    echo "$1:submit:$(printf %s "$1:submit:$2" | md5sum | cut -d' ' -f1)" >"$dir/digests"
}
