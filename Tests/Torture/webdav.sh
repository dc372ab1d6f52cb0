#!/usr/bin/env bash
# Sends one large file to a WebDAV server and kills `submit` in the midst of it, and while it finds out what the server
# can do, and at each step after the bytes:  webdav.sh SERVER [GIB [KILLS [SEED]]]
# SERVER is apache, apache-https, nginx, sabredav-patch, sabredav, or, each a fake, nextcloud-fake, owncloud-fake or
# ocis-fake. nginx and sabredav take whole files only: there each kill begins it anew. KILLS counts those in the midst.
# Prints the figures, and fails if the copy differs, more was sent again than was under way, or anything is left.
# Needs four times the file's size below /tmp.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=Tests/Torture/large.sh
source Tests/Torture/large.sh

export SUBMIT_TORTURE_SERVER=${1:?SERVER: apache, apache-https, nginx, sabredav-patch, sabredav, nextcloud-fake, \
owncloud-fake or ocis-fake}
export SUBMIT_TORTURE_GIB=${2:-1} SUBMIT_TORTURE_KILLS=${3:-20}
[[ -z ${4:-} ]] || export SUBMIT_TORTURE_SEED=$4

echo "Building; then $SUBMIT_TORTURE_GIB GiB to $SUBMIT_TORTURE_SERVER, $SUBMIT_TORTURE_KILLS kills"
torture 'SubmitCommandTests.*A large file on its way to a WebDAV server'
