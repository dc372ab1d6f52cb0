#!/usr/bin/env bash
# Builds submit and puts it, and its bridges to other programs, where your shell finds them:
#   install.sh [FOLDER]     ~/.local/bin if none is named
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=${1:-$HOME/.local/bin}
scripts/install-packages.sh build
built=$(scripts/build.sh)
mkdir -p "$folder"
for program in submit submit-media submit-serve submit-to-command submit-to-git-annex submit-to-rclone; do
    # A running one goes on with its own file.
    install -m 755 "$built/$program" "$folder/.$program.new"
    mv "$folder/.$program.new" "$folder/$program"
done
echo "submit $("$folder/submit" --version) is in $folder."
case :$PATH: in
*:"$folder":*) ;;
*) echo "Your shell does not look there: add it to PATH, such as with: export PATH=\"$folder:\$PATH\"" ;;
esac
