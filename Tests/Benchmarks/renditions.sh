#!/usr/bin/env bash
# What making photos smaller costs beside vipsthumbnail, in time of processors, with the same options:
#   renditions.sh [PHOTOS [ROUNDS]]      12 and 5 where nothing is said
# Noisy photos of 12, 16 and 24 megapixels, to 2048 and to 400 pixels, by one process of submit-media and by one of vipsthumbnail.
# Needs python3-pil and libvips-tools; VIPSTHUMBNAIL and SUBMIT_MEDIA name programs that are there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
program=${SUBMIT_MEDIA:-}
if [[ -z $program ]]; then
    scripts/install-packages.sh build photos >/dev/null
    release=(-c release --product submit-media --static-swift-stdlib)
    swift build "${release[@]}" >&2
    program=$(swift build "${release[@]}" --show-bin-path)/submit-media
fi
exec /usr/bin/python3 Tests/Benchmarks/renditions.py "$program" "${VIPSTHUMBNAIL:-vipsthumbnail}" "$@"
