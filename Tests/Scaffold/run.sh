#!/usr/bin/env bash
# Makes a submitter of each kind as WritingASubmitter.md says, builds it, tries it and kills it, so that neither templates
# nor documents can rot. Needs `swift build --build-tests`, and changes nothing in the checkout.
#   run.sh [documents|python|python-post|sh|swift|package]...    without: all
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# Nobody is asked, at a terminal neither.
exec </dev/null
checkout=$PWD
writing=$checkout/Sources/Submit/Documentation.docc/WritingASubmitter.md

heading() { printf '\n== %s (%d s)\n' "$*" "$SECONDS"; }
block() { "$checkout/Tests/Scaffold/documents.py" block "$@"; }

# A user's home, with `submit` as it was built.
make_home() {
    export HOME=$work/home SUBMIT_FILE_PATH=$work/home/Submitted
    export XDG_CONFIG_HOME=$HOME/config XDG_STATE_HOME=$HOME/state XDG_DATA_HOME=$HOME/.local/share
    export XDG_CACHE_HOME=$HOME/cache
    mkdir -p "$work/bin" "$HOME/piwigo"
    # A copy: what is built beside it is not what is tried here.
    cp "$checkout/.build/debug/submit" "$work/bin/submit"
    # What the checkout has compiled is used again: the packages are those, at the versions those are.
    cat >"$work/bin/swift" <<SWIFT
#!/bin/sh
verb=\$1
shift
[ -e Package.resolved ] || cp "$checkout/Package.resolved" .
exec "$(command -v swift)" "\$verb" --scratch-path "$checkout/.build" "\$@"
SWIFT
    chmod +x "$work/bin/swift"
    export PATH=$work/bin:$PATH
}

# Runs the blocks of the documents for one language, in a shell of their own.
as_documented() { # LANGUAGE TEMPLATE-README
    {
        block "$1" "$writing"
        # The README of the project, as it was made for the user.
        echo "cp '$(first_sample)' photo.jpg"
        block run "$checkout/Templates/StandAlone/$2"
        block live "$writing"
    } | sed -e 's/acme/piwigo/g; s/Acme/Piwigo/g' -e 's|^\./test$|./test --only remove|' >"$work/documented.sh"
    (cd "$work" && bash -euxo pipefail documented.sh)
    cmp "$(first_sample)" "$HOME/piwigo/copies/photo.jpg"
}

first_sample() { printf '%s\n' "$checkout"/Tests/Media/*.jpg | head -n 1; }

# One large file: first the host is killed in its midst, then the submitter. In the end there is one copy.
survive_kills() {
    local size=$((200 << 20)) host before now
    head -c "$size" /dev/urandom >"$work/large"
    rm -rf "$HOME/piwigo/uploads"
    uploaded() { find "$HOME/piwigo/uploads" -type f -printf '%s\n' 2>/dev/null | head -n 1 || true; }
    for victim in host submitter; do
        before=$(uploaded)
        if [[ $victim == host ]]; then submit --to piwigo --any-file "$work/large" & else submit resume & fi
        host=$!
        until now=$(uploaded) && ((${now:-0} > ${before:-0})); do
            kill -0 "$host" 2>/dev/null || break
            sleep 0.01
        done
        if [[ $victim == host ]]; then kill -KILL "$host"; else pkill -KILL -P "$host" || true; fi
        wait "$host" || true
        echo "killed the $victim at ${now:-0} of $size bytes"
    done
    for _ in 1 2 3 4 5; do submit resume && break; done
    cmp "$work/large" "$HOME/piwigo/copies/large"
    [[ $(find "$HOME/piwigo/copies" -name 'large*' | wc -l) == 1 && ! $(uploaded) ]]
    rm -f "$work/large" "$HOME/piwigo/copies/large"
}

# Runs this script in a view of the checkout whose changes nobody else sees and nothing keeps. Where that cannot be had,
# in a copy, which has to compile everything.
in_a_copy() {
    local unshare=(unshare --mount --propagation private)
    ((EUID == 0)) || unshare+=(--user --map-root-user)
    mkdir -p "$work/upper" "$work/overlay"
    local mount="mount -t overlay overlay -o 'lowerdir=$checkout,upperdir=$work/upper,workdir=$work/overlay' '$checkout'"
    if "${unshare[@]}" bash -c "$mount" 2>/dev/null; then
        "${unshare[@]}" bash -c "$mount && cd '$checkout' && exec Tests/Scaffold/run.sh --here $1"
    else
        mkdir "$work/copy"
        tar -c --exclude=./.build --exclude=./.git . | tar -x -C "$work/copy"
        (cd "$work/copy" && git init -q && git add -A && git -c user.name=x -c user.email=x@x commit -qm copy &&
            swift build --product submit && Tests/Scaffold/run.sh --here "$1")
    fi
}

documents() {
    for language in python python-post sh swift; do
        mkdir "$work/$language"
        submit new-submitter Piwigo --language "$language" --in "$work/$language" --submit "$checkout" >/dev/null
    done
    shellcheck -s sh -e SC2154,SC1111,SC1112,SC2034,SC1091,SC2086 "$work"/sh/submit-to-piwigo/{submit-to-piwigo,protocol.sh,test} ||
        [[ ! $(command -v shellcheck) ]]
    Tests/Scaffold/documents.py check "$work"
}

a_program() { # LANGUAGE TEMPLATE-README
    as_documented "$@"
    survive_kills
}

# The whole suite on the template, which is a submitter of the package for as long as this takes.
package() {
    block package "$writing" >"$work/documented.sh"
    bash -euxo pipefail "$work/documented.sh"
    .build/debug/submit types piwigo
    block package-undo "$writing" >"$work/documented.sh"
    bash -euxo pipefail "$work/documented.sh"
    [[ ! -e Plugins/PiwigoSubmitter ]]
}

work=$(mktemp -d "${TMPDIR:-/tmp}/submit-scaffold.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

if [[ ${1-} == --here ]]; then
    make_home
    case $2 in
    swift) a_program swift Swift/Swift.md ;;
    package) package ;;
    esac
    exit
fi
(($#)) || set -- documents python python-post sh swift package
for kind in "$@"; do
    heading "$kind"
    case $kind in
    documents) (make_home; documents) ;;
    python) (make_home; a_program python Python/Python.md) ;;
    python-post) (make_home; a_program python-post Python/Python.md) ;;
    sh) (make_home; a_program sh Shell/Shell.md) ;;
    swift | package) in_a_copy "$kind" ;;
    esac
    rm -rf "${work:?}"/*
done
heading "Submitters of ${#} kinds were made and tried"
