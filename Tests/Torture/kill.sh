#!/usr/bin/env bash
# Kills `submit` again and again until everything has arrived:  kill.sh [FILES [KILLS [SEED]]]
# Prints the figures, and fails if a file is missing, damaged, there twice or was sent again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

export SUBMIT_TORTURE_FILES=${1:-300} SUBMIT_TORTURE_KILLS=${2:-25}
[[ -z ${3:-} ]] || export SUBMIT_TORTURE_SEED=$3

echo "Building; then $SUBMIT_TORTURE_FILES files to a folder and an object store, $SUBMIT_TORTURE_KILLS kills"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
swift build --build-tests >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
status=0
swift test --skip-build --filter 'SubmitCommandTests.*Killed again and again' >"$log" 2>&1 || status=$?
sed -n 's/^torture: //p' "$log"
# A filter that fits no test must not look like a success.
if ((status)) || ! grep -q '^torture: ' "$log"; then
    cat "$log" >&2
    exit 1
fi
