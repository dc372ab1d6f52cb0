#!/usr/bin/env bash
# A disk of its own file system, in a file:  loop-disk.sh make DIR exfat|ntfs|ntfs-windows|fat|ext4 MIB  then
# mount DIR | umount DIR | unplug DIR (though somebody uses it) | remove DIR
# DIR/at is where it is mounted. `ntfs-windows` takes the names only that Windows takes.
# Exit status 77, "skipped", where mounting is not allowed or the file system is not known.
set -euo pipefail

usage() {
    sed -n '2,5s/^# //p' "$0" >&2
    exit 2
}

skip() {
    echo "${0##*/}: $1" >&2
    exit 77
}

(($# >= 2)) || usage
verb=$1 folder=$2
at=$folder/at

mounted() { mountpoint -q "$at"; }

attach() {
    # Loop devices are everyone's: another may have taken the free one meanwhile.
    local attempt
    for attempt in 1 2 3 4 5 6 7 8; do
        if losetup -f --show "$folder/disk" 2>/dev/null; then return; fi
        sleep "0.$attempt"
    done
    return 1
}

mount_it() {
    local kind device
    kind=$(<"$folder/kind")
    device=$(attach) || skip "no loop device; this needs root"
    case $kind in
    exfat) mount.exfat-fuse "$device" "$at" >/dev/null 2>&1 ;;
    ntfs) ntfs-3g "$device" "$at" 2>/dev/null ;;
    ntfs-windows) ntfs-3g -o windows_names "$device" "$at" 2>/dev/null ;;
    fat) mount -t vfat -o utf8 "$device" "$at" 2>/dev/null ;;
    ext4) mount -t ext4 "$device" "$at" 2>/dev/null ;;
    esac || {
        losetup -d "$device"
        skip "cannot mount $kind here"
    }
    echo "$device" >"$folder/device"
}

detach() {
    [[ -e $folder/device ]] || return 0
    losetup -d "$(<"$folder/device")" 2>/dev/null || true
    rm -f "$folder/device"
}

case $verb in
make)
    (($# == 4)) || usage
    mkdir -p "$at"
    truncate -s "${4}M" "$folder/disk"
    echo "$3" >"$folder/kind"
    case $3 in
    exfat) mkfs.exfat "$folder/disk" ;;
    ntfs | ntfs-windows) mkntfs -QqF "$folder/disk" ;;
    fat) mkfs.vfat "$folder/disk" ;;
    ext4) mkfs.ext4 -q -F "$folder/disk" ;;
    *) usage ;;
    esac >"$folder/mkfs.log" 2>&1
    mount_it
    ;;
mount) mounted || mount_it ;;
umount)
    mounted && umount "$at"
    detach
    ;;
unplug)
    mounted && umount -l "$at"
    detach
    ;;
remove)
    mounted && { umount "$at" 2>/dev/null || umount -l "$at"; }
    detach
    rm -rf "$folder"
    ;;
*) usage ;;
esac
