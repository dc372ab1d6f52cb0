#!/usr/bin/env bash
# Sends one large file in parts and kills `submit` in the midst of it:  parts.sh SERVER [GIB [KILLS [SEED]]]
# SERVER is s3-http, s3-https, s3-rclone, swift, swift-https or swift-keystone. Prints the figures, and fails if the copy differs,
# more was sent again than was under way, or parts are left. Needs twice the file's size below /tmp.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=Tests/Torture/large.sh
source Tests/Torture/large.sh

export SUBMIT_TORTURE_SERVER=${1:?SERVER: s3-http, s3-https, s3-rclone, swift, swift-https or swift-keystone}
export SUBMIT_TORTURE_GIB=${2:-3} SUBMIT_TORTURE_KILLS=${3:-20}
[[ -z ${4:-} ]] || export SUBMIT_TORTURE_SEED=$4

echo "Building; then $SUBMIT_TORTURE_GIB GiB to $SUBMIT_TORTURE_SERVER, $SUBMIT_TORTURE_KILLS kills"
torture 'SubmitCommandTests.*A large file whose sender is killed'
