#!/usr/bin/env bash
# Prints the path of a special remote of git-annex that stores in a directory and supports exports: the example that
# comes with the Python library annexremote.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"

need python3 sha256sum tar
requirements=$here/annexremote-requirements.txt
hash=$(sha256sum "$requirements" | cut -c1-12)
place=$cache/annexremote-$hash
if [[ ! -e $place/complete ]]; then
    (
        flock 9
        [[ -e $place/complete ]] && exit
        rm -rf "$place"
        mkdir -p "$place"
        python3 -m venv "$place/venv"
        "$place/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --no-binary :all: --require-hashes \
            --dest "$place" -r "$requirements"
        tar -xzf "$place"/annexremote-*.tar.gz -C "$place" --strip-components 1
        printf '#!/bin/sh\nPYTHONPATH=%s exec python3 %s/examples/git-annex-remote-directory\n' "$place" "$place" \
            >"$place/git-annex-remote-directory"
        chmod +x "$place/git-annex-remote-directory"
        rm -rf "$place/venv"
        touch "$place/complete"
    ) 9>"$place.lock" >&2 || die "cannot fetch annexremote"
fi
echo "$place/git-annex-remote-directory"
