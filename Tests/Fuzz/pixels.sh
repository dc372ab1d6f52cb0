#!/usr/bin/env bash
# Changes photos of each format at random and has the shim of libvips decode and encode them under AddressSanitizer. Fails on a
# crash, a leak of the shim, or where a file takes more than a minute.
#   usage: pixels.sh [MUTATIONS]          1000 of each format where none are given
#   FUZZ_SEED                             of the random changes
set -euo pipefail
count=${1:-1000}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
"$top/scripts/install-packages.sh" photos
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -I"$top/Sources/CVips/include" \
    "$here/pixels.c" "$top/Sources/CVips/vips.c" -ldl -o "$work/pixels"
# What libvips and its readers keep until the end is not ours to free.
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=2048
cat >"$work/mutate.py" <<'PY'
import os, random, sys, zlib
source, folder, count, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
whole = open(source, 'rb').read()
draw = random.Random(seed + source)

def summed(data):
    '''PNG's checksums made right: else nothing behind them is ever read.'''
    place = 8
    while place + 12 <= len(data):
        end = place + 8 + int.from_bytes(data[place:place + 4], 'big')
        if end + 4 > len(data): break
        data[end:end + 4] = zlib.crc32(data[place + 4:end]).to_bytes(4, 'big')
        place = end + 4
    return data

for number in range(count):
    data = bytearray(whole)
    # Headers are where sizes stand: half of the changes are there.
    for _ in range(draw.choice([1, 1, 2, 4, 16])):
        place = draw.randrange(min(len(data), 1024) if draw.random() < 0.5 else len(data))
        kind = draw.random()
        if kind < 0.6: data[place] = draw.choice([0, 1, 0x7f, 0x80, 0xff, draw.randrange(256)])
        elif kind < 0.75: del data[place:place + draw.randrange(1, 64)]
        elif kind < 0.9: data[place:place] = bytes(draw.randrange(256) for _ in range(draw.randrange(1, 64)))
        else: data = data[:max(1, place)]
        if not data: data = bytearray(b'\0')
    if source.endswith('.png') and draw.random() < 0.8: data = summed(data)
    open(os.path.join(folder, f'{number:05}'), 'wb').write(data)
PY
media=$top/Tests/Media
for pair in jpeg:Jpeg:harbour.jpg png:Png:lamp.png webp:Webp:leaf.webp gif:Nsgif:blink.gif tiff:Tiff:scan.tiff \
    heic:Heif:garden.heic avif:Heif:still.avif; do
    IFS=: read -r name loader file <<<"$pair"
    mkdir "$work/$name"
    /usr/bin/python3 "$work/mutate.py" "$media/$file" "$work/$name" "$count" "${FUZZ_SEED:-1}"
    find "$work/$name" -type f -print0 | sort -z >"$work/list"
    # A process for 50 of them: it would end at the first that takes a minute.
    while mapfile -d '' -n 50 -t files && ((${#files[@]})); do
        if ! told=$(timeout 300 "$work/pixels" "VipsForeignLoad$loader" "${files[@]}" 2>"$work/errors"); then
            grep -E 'ERROR|runtime error|#[0-9]+ ' "$work/errors" | head -20 >&2
            mkdir -p "$top/.build/fuzz/found/pixels"
            cp -t "$top/.build/fuzz/found/pixels" "${files[@]}"
            echo "$name: it ended at one of ${#files[@]} files, which are in .build/fuzz/found/pixels." >&2
            exit 1
        fi
        echo "$told" >>"$work/told-$name"
    done <"$work/list"
    awk -v name="$name" '{ made += $1; all += $3 } END { print name ": " all " changed photos, " made " of them still one" }' \
        "$work/told-$name"
done
