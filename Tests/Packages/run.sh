#!/usr/bin/env bash
# Installs what scripts/package.sh makes in bare Debian systems, uses it there and removes it (root):
#   run.sh [RELEASE…]        bookworm and trixie if none is named
# Both ways, the Debian packages and the tarball, have to be in .build/packages. A system is kept in .build/packages-roots.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

scripts/install-packages.sh package
packages=$PWD/.build/packages
photo=$(find Tests Sources -name '*.jpg' -size +4k | sort | head -n 1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(($#)) || set -- bookworm trixie

# What is done in the bare system: as its user would.
cat >"$work/use.sh" <<'USE'
set -eu
export HOME=/root XDG_RUNTIME_DIR=/tmp
submit --version
submit --help | grep -q USAGE
submit destinations add nas --type file path=/srv/photos
submit --to nas /photo.jpg | grep -q '1 photo.*proven at nas'
cmp /photo.jpg /srv/photos/photo.jpg
submit audit nas >/dev/null
submit types rclone >/dev/null
submit service install --dry-run >/dev/null 2>&1 && exit 1
printf 'watch: [{folder: /card, to: nas}]\n' >>/root/.config/submit/config.yaml
submit watch --once | grep -q . || true
submit service install --dry-run | grep -q 'ExecStart=.*submit watch'
rm -rf /root/.config /root/.local /srv/photos
USE

tried() {
    local release=$1 root=$work/$1 begun=$SECONDS base=$PWD/.build/packages-roots/$1.tar
    mkdir -p "$(dirname "$base")" "$root"
    [[ -e $base ]] || mmdebstrap --variant=minbase --include=ca-certificates "$release" "$base" "$(mirror)" >"$work/log" 2>&1 ||
        { cat "$work/log" >&2; return 1; }
    tar -C "$root" -xf "$base"
    cp "$packages"/*.deb "$packages"/*.tar.gz "$root/tmp"
    install -Dm 644 "$photo" "$root/photo.jpg"
    install -Dm 644 "$photo" "$root/card/DCIM/photo.jpg"
    cp "$work/use.sh" "$root/use.sh"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    mount --bind /proc "$root/proc"
    mount --bind /dev "$root/dev"
    local status=0
    chroot "$root" /bin/sh -eu <<'IN' >"$work/$release.log" 2>&1 || status=$?
export DEBIAN_FRONTEND=noninteractive PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
apt-get update -qq
apt-get install -y -qq --no-install-recommends /tmp/*.deb
find / -xdev -newer /use.sh -not -path '/proc/*' -not -path '/var/*' -not -path '/dev/*' -not -path '/tmp/*' | sort >/tmp/before
sh -eu /use.sh
test -e /usr/share/man/man1/submit-send.1.gz
bash -n /usr/share/bash-completion/completions/submit
apt-get purge -y -qq submit submit-plugins submit-media submit-serve
! command -v submit
test -z "$(find /usr /etc -xdev -name '*submit*' | head -n 1)"
cd /tmp && tar xf submit-*.tar.gz && mkdir -p /usr/local && cp -r submit-*/bin submit-*/share /usr/local/
# What the packages brought is what the tarball names.
sh -eu /use.sh
IN
    umount "$root/proc" "$root/dev"
    tail -n 40 "$work/$release.log"
    echo "$release: $( ((status)) && echo failed || echo "installed, used and removed, both ways"), $((SECONDS - begun)) s"
    return "$status"
}

# Where this system has its own packages from.
mirror() {
    { sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/*.sources 2>/dev/null; awk '$1 == "deb" { print $2 }' /etc/apt/sources.list 2>/dev/null; } |
        grep -v security | head -n 1 || true
}

status=0
for release in "$@"; do tried "$release" || status=1; done
exit "$status"
