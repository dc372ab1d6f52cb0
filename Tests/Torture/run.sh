#!/usr/bin/env bash
# The crash and fault machine: what `submit` promises, held against it from outside.
#
#   run.sh [PART…] [--seed N] [--crashes N] [--case N] [--only NAME]… [--jobs N]
#
# Without a part, all of them. Fails when a promise was broken; the figures of each part stand in
# .build/torture/PART.md, the evidence of each failure in a folder below, with the line that repeats it.
#
#   crash      several destinations at once; kill -9 before, in the midst of and after each commit, write, sync, rename,
#              request and reply, and at random times, again while it resumes; --crashes 100 unless said otherwise.
#              Then resume, and an audit of originals, journal and destinations. --only: small, cold, taken, large, many;
#              clean: photos without their place; trash, delete: sources go once their copies are proven, and their owner meddles between the kills;
#              repair, replace: of copies that were deleted or changed behind our back
#   power      the same, and what was not synced is lost: all of it, or some of it, torn (--crashes)
#   crowd      twenty processes on one journal, most of them killed at any time (--crashes): each submission once, none
#              starved, and whoever lives ends by itself with its own batch done
#   journal    backed up, checked and pruned while a crowd sends, all of them killed (--crashes): what is named a backup is
#              whole, and a pruned journal has a proof of each copy
#   watch      a watched folder filled by cp, mv, rsync, tar, a browser and a camera while its watcher is killed (--crashes,
#              20 at most; SUBMIT_TORTURE_FILES, 10,000): each file once, and whole
#   resources  full disks, a read-only journal, too few descriptors, too little memory, clocks that jump, failing calls
#              (root)
#   network    narrow and long lines, losses, resets, stalls, black holes, flapping, DNS, TLS, captive portals, proxies
#              (root)
#   liars      servers that say one thing and do another
#
# The program is the release one, built here; SUBMIT_TORTURE_PROGRAM names another. What is missing is installed. The same
# things by hand and at full size: kill.sh, parts.sh, webdav.sh.
set -euo pipefail
case " $* " in
*' --help '* | *' -h '*)
    sed -n '2,/^set/s/^#\( \|$\)//p' "$0"
    exit
    ;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

scripts/install-packages.sh build servers photos torture
out=$PWD/.build/torture
mkdir -p "$out"
program=${SUBMIT_TORTURE_PROGRAM:-}
if [[ -z $program ]]; then
    release=(-c release --product submit --static-swift-stdlib)
    swift build "${release[@]}" >"$out/build.log" 2>&1 || { cat "$out/build.log" >&2; exit 1; }
    program=$(swift build "${release[@]}" --show-bin-path)/submit
fi
"${CC:-cc}" -shared -fPIC -O2 -Wall -o "$out/shim.so" Tests/Torture/machine/shim.c -ldl -lpthread

python=/usr/bin/python3
[[ -x $python ]] || python=python3
# Who judges is judged first.
(cd Tests/Torture/machine && PYTHONDONTWRITEBYTECODE=1 "$python" -m unittest -q test_machine)
# Sockets and the servers' workers need a short path that others may enter.
work=$(mktemp -d /tmp/submit-torture.XXXXXX)
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
status=0
PYTHONDONTWRITEBYTECODE=1 "$python" Tests/Torture/machine --program "$(realpath "$program")" --shim "$out/shim.so" \
    --out "$out" --work "$work" "$@" || status=$?
exit $status
