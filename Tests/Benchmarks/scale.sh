#!/usr/bin/env bash
# What a large batch costs, in acceptance, run, kill, resume and questions, and what a long history does:
#   scale.sh [SUBMISSIONS [ROWS]]      1,000,000 and 10,000,000 where nothing is said
# Files of 0 to 4 kB to two folders. Needs 14 kB of disk and three inodes a submission below TMPDIR (/var/tmp).
# Prints the figures beside the targets; SUBMIT_SCALE_PROGRAM names a program that is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
program=${SUBMIT_SCALE_PROGRAM:-}
if [[ -z $program ]]; then
    scripts/install-packages.sh build >/dev/null
    release=(-c release --product submit --static-swift-stdlib)
    swift build "${release[@]}" >&2
    program=$(swift build "${release[@]}" --show-bin-path)/submit
fi
exec python3 Tests/Benchmarks/scale.py --submit "$(realpath "$program")" "$@"
