#!/usr/bin/env bash
# Measures submit against its peers in one run: medians and ratios. Arguments: names of cases (all without), --rounds N.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
scripts/install-packages.sh build servers bench >/dev/null
for product in submit OutsideSubmitter; do
    swift build -c release --product "$product" --static-swift-stdlib >&2
done
peers=$(source Tests/Servers/common.sh && cached_venv bench Tests/Servers/bench-requirements.txt)/bin
exec python3 Tests/Benchmarks/measure.py \
    --submit "$(swift build -c release --static-swift-stdlib --show-bin-path)/submit" \
    --s5cmd "$peers/s5cmd" --aws "$peers/aws" "$@"
