#!/usr/bin/env bash
# A Secret Service with an unlocked keyring of its own, on a session bus of its own: GNOME Keyring.
#   keyring.sh start DIR [--locked]     prints DBUS_SESSION_BUS_ADDRESS=...; --locked: its password is not given
#   keyring.sh stop DIR
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Servers/common.sh
source "$here/common.sh"

start() {
    local address=unix:path=$dir/bus
    need dbus-daemon gnome-keyring-daemon dbus-send
    mkdir -p "$dir/home"
    chmod 700 "$dir/home"
    rm -f "$dir/bus"
    cat >"$dir/bus.conf" <<END
<busconfig>
  <type>session</type>
  <listen>$address</listen>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
</busconfig>
END
    spawn bus dbus-daemon --nofork --nopidfile --config-file="$dir/bus.conf"
    wait_ready asks "$address" string:org.freedesktop.DBus
    # It makes its keyring with the password that it is first given, and opens it with that again.
    local password='keyring of the tests'
    [[ ${1:-} != --locked ]] || password=''
    # shellcheck disable=SC2016  # for the inner shell
    spawn keyring env -i PATH="$PATH" HOME="$dir/home" XDG_RUNTIME_DIR="$dir/home" DBUS_SESSION_BUS_ADDRESS="$address" \
        bash -c '[[ $0 ]] || exec gnome-keyring-daemon --foreground --components=secrets </dev/null
            printf %s "$0" | exec gnome-keyring-daemon --foreground --unlock --components=secrets' "$password"
    wait_ready asks "$address" string:org.freedesktop.secrets
    publish "DBUS_SESSION_BUS_ADDRESS=$address"
}

asks() {
    dbus-send --bus="$1" --print-reply=literal --dest=org.freedesktop.DBus /org/freedesktop/DBus \
        org.freedesktop.DBus.NameHasOwner "$2" | grep -q true
}

run "$@"
