#!/usr/bin/env bash
# Builds submit, the programs beside it and the submitters that are programs of their own, optimised, and prints the folder they
# lie in. In a clone `submit --version` tells the commit. SUBMIT_LINKED_FIRST: more object files for it.
#   usage: build.sh [PROGRAM…]     all of them where none is named
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if commit=$(git describe --always --dirty=+ --exclude='*' 2>/dev/null); then
    mkdir -p .build
    # By a name of its own: what is linked is known by its name.
    object=$PWD/.build/commit-$commit.o
    rm -f .build/commit-*.o
    printf 'const char *submit_commit(void) { return "(%s)"; }\n' "$commit" | clang -x c -c -O2 -fPIC -o "$object" -
    export SUBMIT_LINKED_FIRST=$object${SUBMIT_LINKED_FIRST:+:$SUBMIT_LINKED_FIRST}
fi
build=(swift build -c release --static-swift-stdlib)
(($#)) || set -- submit submit-media submit-serve submit-to-command submit-to-git-annex submit-to-rclone
for product; do
    "${build[@]}" --product "$product" >&2
done
"${build[@]}" --show-bin-path
