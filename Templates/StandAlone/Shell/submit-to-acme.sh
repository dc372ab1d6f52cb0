#!/bin/sh
# Puts photos and videos on Acme, for `submit`.
#
# It works at once, on a folder that plays Acme: copies are in `copies`, uploads in `uploads`. The folder has faults to
# try, which ./faults makes: if it is missing, Acme cannot be reached; if it is a file, it is none; a file `token` in it
# holds the only token it takes; with a file `full` it has no room; with `busy` it asks for patience; with `loses-reply`
# it does not tell of the next copy; with `no-digests` it tells none. Fill the six holes in any order, and run ./test after
# each.
here=$(dirname "$(readlink -f "$0")")
. "$here/protocol.sh"

# HOLE 1 of 6: what Acme takes, and what has to be configured.
# `submit` schedules by these facts and refuses what is beyond them before any byte moves: state no limit that Acme does
# not have, and every one it has. All there are: “hello” in PluginProtocol.md.
describe() {
    cat <<'JSON'
{
    "summary": "Puts photos and videos on Acme",
    "capabilities": {"ordering": "sequential", "captionLimit": 0, "albums": true, "requiresNetwork": false},
    "settings": [
        {"name": "folder", "kind": "path", "summary": "The folder that plays Acme", "required": true},
        {"name": "token", "kind": "secret", "summary": "What opens Acme"}
    ]
}
JSON
}
facets='["albums", "presence", "removal"]'

# HOLE 2 of 6: can Acme be used as configured, and what do its errors mean? Leave nothing there.
# Hanging on it: what comes next. Cannot be reached: park, unreachable; refuses the token: renewCredentials; no room: park,
# full; too many requests: park, throttled; in trouble: retry; will never take this photo: giveUp. Never wait and never try
# again here. A secret is given to curl by standard input or a file, never as an argument.
check() {
    reach
    text="The folder “$setting_folder” plays Acme."
}

reach() {
    [ -e "$setting_folder" ] || fail park unreachable 'Acme cannot be reached: make its folder.' unreachable
    [ -d "$setting_folder" ] || fail park no-folder 'What plays Acme is no folder: name another.' misconfigured
    [ ! -e "$setting_folder/busy" ] || fail park busy 'Acme asks for patience: it is tried again.' throttled
    if [ -e "$setting_folder/token" ]; then
        secret token
        [ "$secret" = "$(cat "$setting_folder/token")" ] ||
            fail renewCredentials token 'Acme refuses the token: set another one.'
    fi
}

trouble() {
    case $(reason) in
    'No space left on device' | 'Disk quota exceeded') fail park full 'Acme has no room left: make room.' full ;;
    'Permission denied' | 'Operation not permitted' | 'Read-only file system')
        fail park forbidden "Acme's folder may not be used: mend its permissions." misconfigured ;;
    'Not a directory' | 'Is a directory' | 'File name too long' | 'File exists')
        fail giveUp name 'Acme cannot take this name or album: change it.' ;;
    *) fail retry trouble "Acme is in trouble ($(tail -n 1 "$work/$id.error")): it is tried again." ;;
    esac
}

# HOLE 3 of 6: what has the name PATH? Sets $there_size and $there_sha256, empty where Acme tells none. Returns 1 only if
# Acme says that there is nothing; if it cannot be asked, fail.
# Hanging on it: a photo is never sent twice, and nobody else's is taken for it. Where Acme tells no digest, fill
# `read_back`; leave it empty where Acme does not hand out what it was given either. Then what has the name counts as
# someone else's: after a lost reply the photo is stored a second time, under the next name.
look() {
    reach
    inside "$1"
    LC_ALL=C stat -L -- "$setting_folder/copies/$1" >/dev/null 2>"$work/$id.error" ||
        case $(reason) in
        'No such file or directory' | 'Not a directory') return 1 ;;
        *) trouble ;;
        esac
    measure "$setting_folder/copies/$1"
    there_size=$found_size there_sha256=$found_sha256
    ! [ -e "$setting_folder/no-digests" ] || there_sha256=
}

read_back() { # sets $there_sha256 to the SHA-256 of a copy's bytes, downloaded
    measure "$setting_folder/copies/$1"
    there_sha256=$found_sha256
}

# HOLE 4 of 6: an upload that does not show yet, and how to remove it.
# Hanging on it: after a failure nothing shows, and nothing stays. `discard` does nothing where there is nothing.
upload() {
    [ ! -e "$setting_folder/full" ] || fail park full 'Acme has no room left: make room.' full
    LC_ALL=C mkdir -p "$setting_folder/uploads" 2>"$work/$id.error" || trouble
    run env LC_ALL=C cp "$source" "$setting_folder/uploads/$submission" 2>"$work/$id.error" || trouble
}

discard() {
    LC_ALL=C rm -f "$setting_folder/uploads/$submission" 2>"$work/$id.error" || trouble
}

# HOLE 5 of 6: prove the upload, and show it as PATH.
# Hanging on it: `verified`. The digest must be computed by Acme, or from bytes that were read back from it; where there is
# none, $proof is `size`: no more than that the size is right. `publish` returns 1 where the name is taken by now: look and
# show must be one step at Acme (`If-None-Match: *`, a rename that does not replace), or two photos of one name destroy each
# other. It is durable when this returns.
prove() {
    measure "$setting_folder/uploads/$submission"
    [ "$found_size" = "$size" ] || fail retry source-short "“$name” ended too early: it is tried again."
    proof=size
    ! [ -e "$setting_folder/no-digests" ] || return 0
    proof=verified
    [ "$found_sha256" = "$sha256" ] || fail retry damaged "“$name” arrived damaged: it is sent again."
}

publish() {
    target=$setting_folder/copies/$1
    LC_ALL=C mkdir -p "${target%/*}" 2>"$work/$id.error" || trouble
    LC_ALL=C sync "$setting_folder/uploads/$submission" 2>"$work/$id.error" || trouble
    if [ "$on_conflict" = overwrite ]; then
        LC_ALL=C mv -fT "$setting_folder/uploads/$submission" "$target" 2>"$work/$id.error" || trouble
    else
        # A link, unlike a rename, never replaces what has the name.
        LC_ALL=C ln -T "$setting_folder/uploads/$submission" "$target" 2>"$work/$id.error" || {
            [ -e "$target" ] && return 1
            trouble
        }
        discard
    fi
    LC_ALL=C sync "${target%/*}" 2>"$work/$id.error" || trouble
    if [ -e "$setting_folder/loses-reply" ]; then
        rm "$setting_folder/loses-reply"
        fail retry no-reply 'Acme did not answer: it is tried again.' unreachable
    fi
}

# HOLE 6 of 6: albums, presence, removal. What Acme does not have, take out (of $facets, and `albums` of its facts).
albums() { # one a line
    reach
    [ ! -d "$setting_folder/copies" ] || (cd "$setting_folder/copies" && find . -mindepth 1 -type d | sed 's|^\./||' | LC_ALL=C sort)
}

create_album() { # many may create one at once: one must result
    reach
    inside "$album"
    LC_ALL=C mkdir -p "$setting_folder/copies/$album" 2>"$work/$id.error" || trouble
}

presence() { # $presence: present (with $evidence) or absent; if it cannot be asked, fail
    if look "$remote_id" && compare "$remote_id"; then
        presence=present
    else
        presence=absent
    fi
}

remove() {
    reach
    inside "$remote_id"
    LC_ALL=C rm -f "$setting_folder/copies/$remote_id" 2>"$work/$id.error" || trouble
}

remove_album() { # only one that nothing is in
    reach
    inside "$album"
    LC_ALL=C rmdir "$setting_folder/copies/$album" 2>"$work/$id.error" ||
        case $(reason) in
        'Directory not empty' | 'File exists' | 'No such file or directory' | 'Not a directory') ;;
        *) trouble ;;
        esac
}

# What only the folder needs.

inside() { # nothing may lead out of the place, whatever a receipt says
    case /$1/ in
    *//* | */./* | */../*) fail giveUp path "“$1” is no path on Acme: name it without empty and “..” parts." ;;
    esac
}

reason() { # why the last command failed, after the names that it speaks of
    error=$(cat "$work/$id.error")
    printf %s "${error##*: }"
}

measure() {
    found_size=-1 found_sha256=
    [ -f "$1" ] || return 0
    found_size=$(LC_ALL=C stat -L -c %s -- "$1" 2>"$work/$id.error") || trouble
    run env LC_ALL=C sha256sum --zero "$1" >"$work/$id.digest" 2>"$work/$id.error" || trouble
    found_sha256=$(head -c 64 "$work/$id.digest")
}

# From here on stand the promises. It can stay as it is where Acme has uploads that show only when they are ended.

submit() {
    number=0 uploaded=''
    while :; do
        numbered "$name" "$number"
        place=${album:+$album/}$own
        if look "$place"; then
            # The same size is no reason to take someone else's for it.
            if compare "$place" && [ "$evidence" = verified ]; then
                discard
                receipt "$place" verified there
                return
            fi
            case $on_conflict in
            rename)
                number=$((number + 1))
                continue
                ;;
            skip)
                discard
                receipt "$place" unknown there "Something else is called “$place”; it was left alone and nothing was stored."
                return
                ;;
            fail) fail giveUp name-taken "Something else is called “$place” on Acme: rename one of them." ;;
            esac
        fi
        if [ -z "$uploaded" ]; then
            upload
            prove
            sent "$size"
            uploaded=yes
        fi
        unchanged
        # Where someone else was quicker, it has to be looked again what they put there.
        publish "$place" || continue
        receipt "$place" "$proof"
        return
    done
}

# What was looked at is the item: $evidence is verified. Perhaps it is, for all that is known: size. Else returns 1.
compare() {
    [ "$there_size" = "$size" ] || return 1
    [ "$there_sha256" ] || read_back "$1"
    evidence=size
    [ "$there_sha256" ] || return 0
    evidence=verified
    [ "$there_sha256" = "$sha256" ]
}

serve
