#!/usr/bin/env bash
# Apache with mod_dav_svn and SVNAutoversioning:  svn-dav.sh start DIR | stop DIR
# The collection /dav/ is the repository DIR/repository: each change is a commit, and no file lies on the disk as it is.
# Basic authentication, alice with secret. It answers a range with the whole file.
# A later start on the same DIR has the same data and the same address.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"
# shellcheck source=Tests/Servers/access-log.sh
source "$here/access-log.sh"
# shellcheck source=Tests/Servers/apache.sh
source "$here/apache.sh"

user=alice password=secret

svn_conf() {
    apache_conf mpm_event dav dav_svn
    cat <<CONF
StartServers 1
ThreadsPerChild 32
MaxRequestWorkers 128
MinSpareThreads 1
MaxSpareThreads 128
Listen 127.0.0.1:${ports[0]}
<VirtualHost 127.0.0.1:${ports[0]}>
<Location /dav>
    DAV svn
    SVNPath $dir/repository
    SVNAutoversioning on
    LimitRequestBody 0
    AuthType Basic
    AuthName submit
    AuthUserFile $dir/users
    Require valid-user
</Location>
</VirtualHost>
CONF
}

start() {
    need apache2 curl openssl svn svnadmin
    (($# == 0)) || die "unknown option $1"
    load_ports 1
    [[ -e $dir/repository/format ]] || svnadmin create "$dir/repository"
    # Its children are another user's.
    ((EUID)) || chown -R www-data:www-data "$dir/repository"
    write_users "$user" "$password"
    spawn_apache "$(svn_conf)" "${ports[0]}"
    publish "ENDPOINT=http://127.0.0.1:${ports[0]}/dav/" "REPOSITORY=$dir/repository" "USERNAME=$user" \
        "PASSWORD=$password"
}

run "$@"
