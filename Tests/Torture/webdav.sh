#!/usr/bin/env bash
# Sends one large file to a WebDAV server and kills `submit` in the midst of it, and while it finds out what the server
# can do, and at each step after the bytes:  webdav.sh SERVER [SIZE [KILLS [SEED]]]
# SERVER is apache, apache-https, nginx, sabredav-patch, sabredav, lighttpd, lighttpd-copy, lighttpd-unsafe, rclone,
# rclone-cache, chezdav, wsgidav, tomcat, subversion, asgi, copyparty, or, each a fake, nextcloud-fake, owncloud-fake or
# ocis-fake. nginx, sabredav, lighttpd, rclone, chezdav, wsgidav, tomcat, subversion, asgi and copyparty take whole files
# only: there each kill begins it anew. SIZE is in GiB, or such as 200M. KILLS counts those in the midst.
# Prints the figures, and fails if the copy differs, more was sent again than was under way, or anything is left.
# Needs four times the file's size below /tmp.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=Tests/Torture/large.sh
source Tests/Torture/large.sh

export SUBMIT_TORTURE_SERVER=${1:?SERVER: one of those named in this script}
size=${2:-1}
[[ $size == *M ]] || size=$((size << 10))M
export SUBMIT_TORTURE_MIB=${size%M} SUBMIT_TORTURE_KILLS=${3:-20}
[[ -z ${4:-} ]] || export SUBMIT_TORTURE_SEED=$4

echo "Building; then $SUBMIT_TORTURE_MIB MiB to $SUBMIT_TORTURE_SERVER, $SUBMIT_TORTURE_KILLS kills"
torture 'SubmitCommandTests.*A large file on its way to a WebDAV server'
