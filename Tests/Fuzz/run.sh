#!/usr/bin/env bash
# Fuzzes what reads XML from servers: builds Tests/Fuzz with libFuzzer and lets it change the known bodies at random.
# Fails on a crash, on an input that takes more than 5 seconds, on memory beyond a limit, and on a leak.
#   usage: run.sh [SECONDS]       20 where none are given
#   FUZZ_SEED                     of the random changes; the same one for every run unless told otherwise
set -euo pipefail

seconds=${1:-20}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$here/../../.build/fuzz
mkdir -p "$scratch/found"
rm -rf "$scratch/seeds" && mkdir "$scratch/seeds"
seeds=("$here"/../Corpus/Multistatus/*.xml)
# What it has found before, and someone kept.
[[ ! -d $here/Corpus ]] || seeds+=("$here"/Corpus/*)
cp -t "$scratch/seeds" "${seeds[@]}"

# Swift's own crash report would hang on to the pipe of whoever reads the output.
export SWIFT_BACKTRACE=enable=no
timeout 600 swift build -c release --product fuzz-xml --package-path "$here" --scratch-path "$scratch"

marker=$scratch/started
touch "$marker"
if ASAN_OPTIONS=quarantine_size_mb=16 timeout --kill-after=10 $((seconds + 60)) \
    "$scratch/release/fuzz-xml" -max_total_time="$seconds" -seed="${FUZZ_SEED:-1}" -max_len=16384 \
    -timeout=5 -rss_limit_mb=512 -dict="$here/xml.dict" -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="$scratch/found/" "$scratch/seeds"; then
    exit 0
else
    status=$?
fi

echo "Fuzzing failed with status $status." >&2
find "$scratch/found" -type f -newer "$marker" | while read -r found; do
    cat >&2 <<END
An input that does it: $found
  again:  SWIFT_BACKTRACE=enable=no $scratch/release/fuzz-xml $found
  keep:   mkdir -p Tests/Fuzz/Corpus && cp $found Tests/Fuzz/Corpus/NAME-WHAT-IT-IS.xml
  elsewhere: echo $(head -c 12000 "$found" | base64 -w0) | base64 -d > Tests/Fuzz/Corpus/NAME-WHAT-IT-IS.xml
END
done
exit "$status"
