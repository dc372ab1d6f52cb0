#!/usr/bin/env bash
# Builds submit and the submitters that are programs of their own, optimised, and prints the folder they lie in.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=(swift build -c release --static-swift-stdlib)
for product in submit submit-to-command submit-to-git-annex submit-to-rclone; do
    "${build[@]}" --product "$product" >&2
done
"${build[@]}" --show-bin-path
