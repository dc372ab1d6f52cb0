#!/usr/bin/env bash
# Receiving, by clients that nobody here wrote:  receive.sh [PROGRAM] [--quick] [--only PART]
# A `submit receive` with a folder, Apache's WebDAV and rclone's S3 as destinations is sent photos at once by tuspy, curl, the
# form without scripts, LocalSend's protocol and its own page, and our page in Chromium as a Pixel 7, in Firefox and in
# WebKitGTK, where they are installed; then all that lies at the destinations is compared. After that: what may happen to a
# phone and to a disk, with a picture of each moment, axe, what strangers try, the code at the terminal, each option.
# PROGRAM is .build/release/submit by default; submit-serve lies beside it. Prints a line a claim, and fails if one is broken.
# Pictures, and why a claim failed, are left in .build/browser/receive.
# --quick, in less than a minute: five photos by the page, one reload in mid-file, all destinations compared.
# --only: at_once, page, many, full_disk, strangers, code or options.
# LocalSend's page belongs to others, and is never kept here: SUBMIT_LOCALSEND_PAGE names a copy of
# packages/core/assets/web/upload.html of github.com/localsend/localsend. What is tried is receive/__main__.py.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

program=.build/release/submit options=()
while (($#)); do
    case $1 in
    --quick) options+=(--quick) ;;
    --only) options+=(--only "${2:?PART}") && shift ;;
    -h | --help)
        sed -n '2,/^set/s/^#\( \|$\)//p' "$0"
        exit
        ;;
    *) program=$1 ;;
    esac
    shift
done
program=$(realpath "$program")
[[ -x $program && -x ${program%/*}/submit-serve ]] || {
    echo "${0##*/}: '$program' and submit-serve beside it are no programs; build them with scripts/build.sh" >&2
    exit 1
}
if [[ " ${options[*]} " == *' --quick '* ]]; then
    scripts/install-packages.sh servers browser
else
    scripts/install-packages.sh servers browser engines
fi
# shellcheck source=Tests/Servers/common.sh
source Tests/Servers/common.sh
venv=$(cached_venv receive Tests/Browser/receive-requirements.txt)
pictures=$PWD/.build/browser/receive
rm -rf "$pictures"
mkdir -p "$pictures"

work=$(mktemp -d "${TMPDIR:-/tmp}/submit-receive.XXXXXX")
# Apache's children are another user's.
chmod 711 "$work"
machine=''
clean_up() {
    if [[ $machine ]] && kill -0 "$machine" 2>/dev/null; then
        # It ends what it began.
        kill "$machine" 2>/dev/null || true
        wait "$machine" || true
    fi
    Tests/Servers/small-disk.sh umount "$work/disk" || true
    Tests/Servers/apache-dav.sh stop "$work/dav" || true
    Tests/Servers/rclone-s3.sh stop "$work/store" || true
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

Tests/Servers/apache-dav.sh start "$work/dav" >/dev/null
Tests/Servers/rclone-s3.sh start "$work/store" >/dev/null
# 256 MiB of it stay free whatever comes. Without root there is none.
[[ " ${options[*]} " == *' --quick '* ]] || Tests/Servers/small-disk.sh mount "$work/disk" 370m || true
[[ -z ${SUBMIT_LOCALSEND_PAGE:-} ]] || options+=(--localsend "$SUBMIT_LOCALSEND_PAGE")

export PYTHONDONTWRITEBYTECODE=1
status=0
"$venv/bin/python" Tests/Browser/receive "$program" "$work" "$pictures" "${options[@]}" &
machine=$!
wait "$machine" || status=$?
machine=''
exit "$status"
