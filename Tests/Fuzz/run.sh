#!/usr/bin/env bash
# Fuzzes what reads strangers' bytes: builds Tests/Fuzz with libFuzzer and AddressSanitizer, and has it change known
# inputs at random. Fails on a crash, on an input that takes more than 5 seconds, on memory beyond a limit,
# where what was read is not what it promises to be, and, of the targets that ask C for memory, on a leak.
#   usage: run.sh [SECONDS] [TARGET…]     70 in all where none are given, shared by the targets; all targets
#   FUZZ_SEED                             of the random changes; the same one for every run unless told otherwise
# What a run finds worth keeping stays in .build/fuzz/corpus, and the next one goes on from there. What broke it goes
# into Corpus/TARGET here, once it is mended.
set -euo pipefail

all=(configuration couchdb dav http lines loopback media paths questions receiving recipes renditions s3 swift
    tables xml)
seconds=${1:-70}
shift || true
targets=("$@")
(($#)) || targets=("${all[@]}")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
scratch=$top/.build/fuzz
mkdir -p "$scratch/found"

"$top/scripts/install-packages.sh" photos
# The packages that are built into it are those that the package above has checked out.
[[ -d $top/.build/checkouts/Yams ]] || swift package --package-path "$top" resolve
# Swift's own crash report would hang on to the pipe of whoever reads the output.
export SWIFT_BACKTRACE=enable=no
timeout 3000 swift build -c release --product fuzz --package-path "$here" --scratch-path "$scratch"

# The known inputs of a target, into a folder.
seeds() {
    local target=$1 folder=$2
    [[ ! -d $here/Corpus/$target ]] || cp -t "$folder" "$here/Corpus/$target"/*
    case $target in
    xml | dav) cp -t "$folder" "$here"/../Corpus/Multistatus/*.xml ;;
    recipes) cp -t "$folder" "$top"/Sources/SubmitRecipes/Recipes/*.yaml ;;
    renditions) # Photos that tell a place in every way, and films.
        local leaky
        leaky=$(mktemp -d)
        /usr/bin/python3 "$top/Tests/SubmitRenditionTests/leaky.py" "$leaky"
        find "$leaky" -type f -size -16k -exec cp -t "$folder" {} +
        rm -r "$leaky"
        cp -t "$folder" "$top"/Tests/Media/{still.avif,boat.mp4,boat.mov}
        ;;
    receiving) # A form as a browser writes it, and what a client of tus tells.
        printf '%s\r\n' --xYz 'Content-Disposition: form-data; name="files"; filename="a.jpg"' 'Content-Type: image/jpeg' '' \
            one --xY --xYz 'content-disposition: form-data; name="note"' '' '' --xYz-- >"$folder/form"
        printf 'filename YS5qcGc=,filetype aW1hZ2UvanBlZw==,relativePath YS9iL2MuanBn' >"$folder/tus"
        printf 'photos/2026\\..\\a\xcc\x81.jpg' >"$folder/name"
        ;;
    lines) # Every line of the protocol's specification.
        sed -nE 's/^[<>] (\{.*)$/\1/p' "$top/Sources/Submit/Documentation.docc/PluginProtocol.md" |
            split --lines=1 - "$folder/specification-"
        ;;
    media) # Their beginnings: what is asked of them stands there, or at the end of small ones.
        local file
        for file in "$top"/Tests/Media/*.*; do head -c 12000 "$file" >"$folder/${file##*/}"; done
        ;;
    esac
}

# Options of a target: words that random changes would hardly find; and leaks are looked for where C is asked to
# allocate, for Swift keeps bits of its own in the pointers of its constants, which then look lost.
options() {
    case $1 in
    xml | dav | s3) printf '%s\n' "-dict=$here/xml.dict" -detect_leaks=1 ;;
    couchdb | lines | loopback | swift) printf '%s\n' "-dict=$here/json.dict" -detect_leaks=0 ;;
    receiving) printf '%s\n' "-dict=$here/forms.dict" -detect_leaks=0 ;;
    questions | recipes | tables) printf '%s\n' "-dict=$here/$1.dict" -detect_leaks=0 ;;
    *) echo -detect_leaks=0 ;;
    esac
}

each=$((seconds / ${#targets[@]}))
failed=()
for target in "${targets[@]}"; do
    corpus=$scratch/corpus/$target
    mkdir -p "$corpus"
    seeds "$target" "$corpus"
    echo "Fuzzing $target:"
    marker=$scratch/started
    touch "$marker"
    mapfile -t options < <(options "$target")
    if FUZZ_TARGET=$target ASAN_OPTIONS=quarantine_size_mb=16:detect_leaks=${options[-1]#*=} \
        timeout --kill-after=10 $((each + 120)) "$scratch/release/fuzz" -max_total_time=$((each > 0 ? each : 1)) \
        -seed="${FUZZ_SEED:-1}" -max_len=16384 -timeout=5 -rss_limit_mb=768 "${options[@]}" -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="$scratch/found/$target-" "$corpus"; then
        continue
    fi
    failed+=("$target")
    find "$scratch/found" -type f -newer "$marker" | while read -r found; do
        cat >&2 <<END
An input that $target falls over: $found
  again:  FUZZ_TARGET=$target SWIFT_BACKTRACE=enable=no $scratch/release/fuzz $found
  keep:   mkdir -p Tests/Fuzz/Corpus/$target && cp $found Tests/Fuzz/Corpus/$target/WHAT-IT-IS
  elsewhere: echo $(head -c 12000 "$found" | base64 -w0) | base64 -d > Tests/Fuzz/Corpus/$target/WHAT-IT-IS
END
    done
done
((${#failed[@]} == 0)) || { echo "Fuzzing failed: ${failed[*]}." >&2 && exit 1; }
