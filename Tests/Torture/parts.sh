#!/usr/bin/env bash
# Sends one large file in parts and kills `submit` in the midst of it:  parts.sh SERVER [GIB [KILLS [SEED]]]
# SERVER is s3-http, s3-https, swift, swift-https or swift-keystone. Prints the figures, and fails if the copy differs,
# more was sent again than was under way, or parts are left. Needs twice the file's size below /tmp.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

export SUBMIT_TORTURE_SERVER=${1:?SERVER: s3-http, s3-https, swift, swift-https or swift-keystone}
export SUBMIT_TORTURE_GIB=${2:-3} SUBMIT_TORTURE_KILLS=${3:-20}
[[ -z ${4:-} ]] || export SUBMIT_TORTURE_SEED=$4

echo "Building; then $SUBMIT_TORTURE_GIB GiB to $SUBMIT_TORTURE_SERVER, $SUBMIT_TORTURE_KILLS kills"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# What is measured is the program as people get it; SUBMIT_TORTURE_PROGRAM names one that is there.
if [[ -z ${SUBMIT_TORTURE_PROGRAM:-} ]]; then
    release=(-c release --product submit --static-swift-stdlib)
    swift build "${release[@]}" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
    SUBMIT_TORTURE_PROGRAM=$(swift build "${release[@]}" --show-bin-path)/submit
    export SUBMIT_TORTURE_PROGRAM
fi
swift build --build-tests >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
status=0
swift test --skip-build --filter 'SubmitCommandTests.*A large file whose sender is killed' >"$log" 2>&1 || status=$?
sed -n 's/^torture: //p' "$log"
# A filter that fits no test must not look like a success.
if ((status)) || ! grep -q '^torture: ' "$log"; then
    cat "$log" >&2
    exit 1
fi
