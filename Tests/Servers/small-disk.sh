#!/usr/bin/env bash
# A disk that is soon full:  small-disk.sh mount DIR SIZE (as for tmpfs: 2m, 512k) | umount DIR
# Exit status 77, "skipped", where mounting is not allowed.
set -euo pipefail

usage() {
    echo "usage: ${0##*/} mount DIR SIZE | umount DIR" >&2
    exit 2
}

mounted() { mountpoint -q "$1"; }

case ${1:-} in
mount)
    (($# == 3)) || usage
    mkdir -p "$2"
    mounted "$2" && { echo "${0##*/}: $2 is mounted already" >&2; exit 1; }
    mount -t tmpfs -o "size=$3,mode=700" submit-test "$2" 2>/dev/null && exit
    echo "${0##*/}: cannot mount here; this needs root" >&2
    exit 77
    ;;
umount)
    (($# == 2)) || usage
    # Whoever still has a file open in it must not keep the test from ending.
    mounted "$2" || exit 0
    umount "$2" 2>/dev/null || umount -l "$2"
    ;;
*) usage ;;
esac
