#!/usr/bin/env bash
# What receiving costs beside nginx's PUT with a sync after, over TLS, by curl: one file of 1 GiB, and 2,000 of 100 kB one after
# another and four at once; how long until it listens, and its memory.
#   receive.sh [ROUNDS]      3 where nothing is said
# SUBMIT names a program that is there, with submit-serve beside it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
program=${SUBMIT:-}
if [[ -z $program ]]; then
    scripts/install-packages.sh build bench >/dev/null
    program=$(scripts/build.sh submit submit-serve)/submit
fi
exec python3 Tests/Benchmarks/receive.py "$program" "${1:-3}"
