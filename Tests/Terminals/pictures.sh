#!/usr/bin/env bash
# Shows photos of the catalogue on terminals that nobody here wrote (xterm and mlterm by sixels, mlterm by iTerm2's protocol,
# Konsole and kitty by kitty's, tmux, and an xterm without pictures), and looks at their windows: whether the photos are seen, in
# their colours, sizes and places, and the text beside them. Half a minute.
#   usage: pictures.sh PROGRAM
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
program=$(realpath "${1:?which submit}")

"$root/scripts/install-packages.sh" photos terminals
out=$root/.build/terminals
mkdir -p "$out"
exec /usr/bin/python3 "$here/pictures.py" "$program" "$out"
