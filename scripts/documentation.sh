#!/usr/bin/env bash
# Tries the documents, and prints what is wrong with them, one a line; fails when anything is:
#   - each library product has a page to land on, and the Swift examples on it compile
#   - links between pages and to symbols lead somewhere, in docstrings too
#   - files that documents link to or name are there, with the headings that are linked to
# Looks at the last debug build: build first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/graphs"
scripts/symbol-graphs.sh "$work/graphs" >"$work/modules"
python3 scripts/documentation.py "$work"
