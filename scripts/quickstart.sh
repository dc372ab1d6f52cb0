#!/usr/bin/env bash
# Builds submit and uploads the sample pictures to a folder and to an object store that runs for
# just as long, all in a temporary directory. Nothing of yours is read or changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

heading() { printf '\n== %s\n' "$*"; }

heading 'Installing what the build and the local object store need (nothing, if it is there)'
scripts/install-packages.sh build store

heading 'Building submit; the first time takes some minutes'
submit=$(scripts/build.sh submit)/submit

work=$(mktemp -d "${TMPDIR:-/tmp}/submit-quickstart.XXXXXX")
clean_up() {
    Tests/Servers/swift.sh stop "$work/s3" || true
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

heading 'Starting an object store on this machine (OpenStack Swift, spoken to as S3)'
Tests/Servers/swift.sh start "$work/s3" >/dev/null
# shellcheck source=/dev/null
source "$work/s3/env"
echo "It listens at $ENDPOINT."

# What you would have in your own environment, or in submit's configuration.
mkdir -p "$work/home"
export HOME=$work/home XDG_CONFIG_HOME=$work/home/config XDG_STATE_HOME=$work/home/state
export XDG_CACHE_HOME=$work/home/cache XDG_DATA_HOME=$work/home/data
export AWS_ACCESS_KEY_ID=$ACCESS_KEY AWS_SECRET_ACCESS_KEY=$SECRET_KEY
export AWS_ENDPOINT_URL=$ENDPOINT AWS_REGION=$REGION
export SUBMIT_OBJSTORE_BUCKET=photos SUBMIT_OBJSTORE_CREATE_BUCKET=true
export SUBMIT_FILE_PATH=$work/Submitted

samples=(Tests/Media/*.{jpg,heic,png,tiff,webp,avif,gif,dng,mp4,mov,m4v,webm,mkv,avi})

heading "Uploading ${#samples[@]} pictures and videos to both"
echo "submit --to file,objstore Tests/Media/*"
"$submit" --to file,objstore "${samples[@]}"

heading 'What submit remembers of it: submit list'
"$submit" list

# A request to the object store, signed by curl. The key goes into the URL because it has a colon.
s3() { # PATH CURL-OPTIONS...
    local path=$1
    shift
    curl -sS --fail --noproxy '*' --aws-sigv4 "aws:amz:$REGION:s3" -H 'x-amz-content-sha256: UNSIGNED-PAYLOAD' \
        "$@" "http://${ACCESS_KEY/:/%3A}:$SECRET_KEY@${ENDPOINT#http://}/$SUBMIT_OBJSTORE_BUCKET$path"
}

heading 'What arrived in the folder'
(cd "$SUBMIT_FILE_PATH" && find . -type f ! -name .submit-folder -printf '%9s  %P\n' | sort -k 2)

heading 'What arrived in the object store'
# encoding-type=url: the names come back in the form that a URL takes.
s3 '?encoding-type=url&list-type=2' >"$work/listing"
mapfile -t keys < <(grep -o '<Key>[^<]*' "$work/listing" | cut -c6-)
printf '%s\n' "${keys[@]}"

heading 'Comparing everything with its source, byte for byte (SHA-256)'
sha256() { sha256sum -- "$1" | cut -d ' ' -f 1; }
declare -A in_folder=() in_store=()
while IFS= read -r -d '' file; do
    in_folder[$(sha256 "$file")]=1
done < <(find "$SUBMIT_FILE_PATH" -type f ! -name .submit-folder -print0)
for key in "${keys[@]}"; do
    s3 "/$key" -o "$work/object"
    in_store[$(sha256 "$work/object")]=1
done

wrong=0
for sample in "${samples[@]}"; do
    hash=$(sha256 "$sample")
    folder=differs store=differs
    [[ -z ${in_folder[$hash]:-} ]] || folder=same
    [[ -z ${in_store[$hash]:-} ]] || store=same
    [[ $folder$store == samesame ]] || wrong=$((wrong + 1))
    printf '%.16s…  folder: %-7s  object store: %-7s  %s\n' "$hash" "$folder" "$store" "${sample##*/}"
done

if ((wrong)); then
    heading "$wrong of ${#samples[@]} did not arrive as they were"
    exit 1
fi
heading "All ${#samples[@]} arrived in both places, unchanged"
