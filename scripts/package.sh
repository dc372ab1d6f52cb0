#!/usr/bin/env bash
# Makes what is installed, in .build/packages:
#   package.sh deb       Debian packages, which lintian has looked at
#   package.sh tarball   all of it in one archive, with what it needs of a system
# Beside them SHA256SUMS and sbom.spdx.json. Both run on Debian 12 and later, made on 12: Tests/Packages/run.sh tries it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A later program is one row: package | programs, with blanks | one line | more, of which each line is one of the description.
table() {
    cat <<'ROWS'
submit|submit|send photos to several places, and prove that they arrived|It takes photos and videos, writes down what goes to each place, sends to all of them side by side, survives any crash, and can prove what arrived: folders, NAS, WebDAV, object storage and services of the web.
submit-plugins|submit-to-command submit-to-git-annex submit-to-rclone|bridges of submit to rclone, git-annex and programs of one's own|Each is a destination of submit: any remote of rclone, any special remote of git-annex, any program that takes a file.
submit-media|submit-media|pixels of submit: photos resized, converted and fitted to services|It is started by submit for destinations that get photos in another size or format than the original, or that take none as large; it decodes photos in processes of their own, which may neither open files nor connections.
submit-serve|submit-serve|receiving of submit: phones send photos by a page of this computer|It is started by submit receive: whoever scans the code that it shows sends photos by TLS, and sees at which destinations each of them is safe.
ROWS
}
maintainer='submit maintainers <maintainers@users.noreply.github.com>'
# Opened or run when they are used: they tell of pictures, keep secrets, show codes, notify.
recommended='submit-media, submit-serve, libsecret-1-0, libqrencode4, libsixel1, libglib2.0-bin, ca-certificates'

scripts/install-packages.sh build package
out=$PWD/.build/packages
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

swift_libraries=$(dirname "$(dirname "$(realpath "$(command -v swift)")")")/lib/swift_static/linux
slim=$PWD/.build/slim-icu.o
if ! scripts/slim-icu.py "$swift_libraries/lib_FoundationICU.a" "$slim"; then
    echo "This Swift has its data of languages in another way: the programs are larger by them." >&2
    slim=''
fi
built=$(SUBMIT_LINKED_FIRST=$slim scripts/build.sh)
version=$("$built/submit" --version | cut -d' ' -f1)
architecture=$(dpkg --print-architecture)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}

# The files of a program, below a folder that stands for /usr.
stage() {
    local package=$1 programs=$2 usr=$3 program
    for program in $programs; do
        install -Dm 755 "$built/$program" "$usr/bin/$program"
        strip --strip-all "$usr/bin/$program"
    done
    [[ $package == submit ]] || return 0
    mkdir -p "$usr/share/man/man1"
    scripts/manual-pages.py "$built/submit" "$usr/share/man/man1"
    local shell file
    for shell in bash:bash-completion/completions/submit zsh:zsh/vendor-completions/_submit fish:fish/vendor_completions.d/submit.fish; do
        file=$usr/share/${shell#*:}
        mkdir -p "$(dirname "$file")"
        # It is read, and not run.
        "$built/submit" completions "${shell%%:*}" | sed '1{/^#!/d}' >"$file"
    done
    # What `submit service install` writes, for those who enable it themselves.
    mkdir -p "$work/home/.config/submit" "$usr/lib/systemd/user"
    chmod -R go-w "$work/home"
    echo 'watch: [{folder: /tmp, to: file}]' >"$work/home/.config/submit/config.yaml"
    # The units bear the comment `# name` before each.
    local arguments
    for arguments in '' '--nightly 02:30'; do
        # shellcheck disable=SC2086
        env -i HOME="$work/home" PATH="$PATH" "$built/submit" service install --dry-run $arguments |
            sed "s|$built/submit|/usr/bin/submit|; /^Environment=/d" | (
            cd "$usr/lib/systemd/user" && awk '/^# submit/ { file = $2; next } { print >file }')
    done
}

# Of programs without a page of their own, what --help would say.
bridge_page() {
    local program=$1 page=$2
    mkdir -p "$(dirname "$page")"
    if [[ $program == submit-media ]]; then
        printf '.TH "SUBMIT-MEDIA" 1 "" "submit %s" "User Commands"\n.SH NAME\nsubmit\\-media \\- pixels of submit\n' "$version" >"$page"
        printf '.SH DESCRIPTION\n.B submit\nstarts it where photos are resized or converted; there is nothing to ask it for by hand.\n.SH SEE ALSO\n\\fBsubmit\\fR(1)\n' >>"$page"
        return
    fi
    if [[ $program == submit-serve ]]; then
        printf '.TH "SUBMIT-SERVE" 1 "" "submit %s" "User Commands"\n.SH NAME\nsubmit\\-serve \\- receiving of submit\n' "$version" >"$page"
        printf '.SH DESCRIPTION\n.B submit receive\nstarts it; there is nothing to ask it for by hand.\n.SH SEE ALSO\n\\fBsubmit\\fR(1)\n' >>"$page"
        return
    fi
    printf '.TH "%s" 1 "" "submit %s" "User Commands"\n.SH NAME\n%s \\- a destination of submit\n.SH DESCRIPTION\n' \
        "${program^^}" "$version" "${program//-/\\-}" >"$page"
    printf '.B submit\nstarts it where a destination has the type\n.BR %s :\n\\fBsubmit types %s\\fR tells its settings.\n.SH SEE ALSO\n\\fBsubmit\\fR(1)\n' \
        "${program#submit-to-}" "${program#submit-to-}" >>"$page"
}

deb() {
    local package programs summary description root program
    rm -f "$out"/*.deb
    while IFS='|' read -r package programs summary description; do
        root=$work/deb/$package
        stage "$package" "$programs" "$root/usr"
        [[ $package == submit ]] || for program in $programs; do
            bridge_page "$program" "$root/usr/share/man/man1/$program.1"
        done
        gzip -9n "$root"/usr/share/man/man1/*
        local doc=$root/usr/share/doc/$package
        mkdir -p "$doc"
        printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: submit\n\nFiles: *\nCopyright: 2025-2026 the authors of submit\nLicense: Apache-2.0\n On Debian systems, the whole text is in /usr/share/common-licenses/Apache-2.0.\n' >"$doc/copyright"
        printf '%s (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' \
            "$package" "$version" "$maintainer" "$(date -uRd "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
        [[ $package != submit ]] || cp Sources/SubmitCommand/Documentation.docc/*.md .github/CHANGELOG.md "$doc"
        # Its own standard library is part of a Swift program.
        mkdir -p "$root/usr/share/lintian/overrides"
        for program in $programs; do echo "$package: embedded-library *[usr/bin/$program]*"; done \
            >"$root/usr/share/lintian/overrides/$package"
        mkdir -p "$work/shlibs/debian" "$root/DEBIAN"
        printf 'Source: submit\n\nPackage: %s\nArchitecture: any\n' "$package" >"$work/shlibs/debian/control"
        local needs
        # shellcheck disable=SC2086
        needs=$(cd "$work/shlibs" && dpkg-shlibdeps -O --ignore-missing-info $(printf "$root/usr/bin/%s " $programs) 2>/dev/null |
            sed -n 's/^shlibs:Depends=//p' |
            # Older ones have its symbols, and refuse what is asked for.
            sed 's/libcurl4 (>= [^)]*)/libcurl4 (>= 7.88)/')
        {
            printf 'Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: %s\nSection: graphics\nPriority: optional\n' \
                "$package" "$version" "$architecture" "$maintainer"
            printf 'Installed-Size: %s\n' "$(du -sk "$root/usr" | cut -f1)"
            case $package in
            submit) printf 'Depends: %s\nRecommends: %s\n' "$needs" "$recommended" ;;
            # It opens the library by itself.
            submit-serve) printf 'Depends: submit (= %s), %s\nRecommends: libqrencode4\n' "$version" "$needs" ;;
            submit-media) printf 'Depends: submit (= %s), libvips42 | libvips42t64, %s\n' "$version" "$needs" ;;
            *) printf 'Depends: submit (= %s), %s\nSuggests: rclone, git-annex\n' "$version" "$needs" ;;
            esac
            printf 'Description: %s\n' "$summary"
            fold -sw 76 <<<"$description" | sed 's/ *$//; s/^/ /'
        } >"$root/DEBIAN/control"
        (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
        chmod -R go-w,go+rX "$root"
        dpkg-deb --root-owner-group -Zxz --build "$root" "$out" >&2
    done < <(table)
    lintian --fail-on error,warning "$out"/*.deb
}

tarball() {
    local package programs rest name=submit-$version-$(uname -m)-linux
    local root=$work/tarball/$name
    while IFS='|' read -r package programs rest; do stage "$package" "$programs" "$root"; done < <(table)
    sed 's|/usr/bin/submit|%h/.local/bin/submit|' -i "$root"/lib/systemd/user/*.service
    cp LICENSE "$root"
    {
        echo "Copy it below /usr/local or ~/.local: cp -r bin lib share ~/.local/"
        echo
        echo "What it needs of the system, by library: the newest version of each kind of symbol."
        objdump -p "$root"/bin/* | awk '/^  required from/ { library = $3 } /^    0x/ { print library, $4 }' | sort -uV |
            awk '{ kind = $2; sub(/_[0-9.]*$/, "", kind); last[$1 " " kind] = $2; name[$1 " " kind] = $1 }
                 END { for (key in last) print "  " name[key], last[key] }' | sort
        echo
        echo "Libraries that it links, and those that these bring are not listed:"
        objdump -p "$root"/bin/* | awk '/NEEDED/ { print "  " $2 }' | sort -u
        echo
        echo "Opened where they are there: $(sed 's/submit-media, submit-serve/libvips42/' <<<"$recommended")."
    } >"$root/NEEDS"
    rm -f "$out"/*.tar.gz
    tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 -C "$work/tarball" -czf "$out/$name.tar.gz" "$name"
}

case ${1:-} in
deb | tarball) "$1" ;;
*)
    sed -n '2,5s/^# \?//p' "$0" >&2
    exit 2
    ;;
esac
scripts/sbom.py "$built" "$version" >"$out/sbom.spdx.json"
(cd "$out" && sha256sum -- *.deb *.tar.gz sbom.spdx.json 2>/dev/null >SHA256SUMS || true)
ls -l "$out" >&2
