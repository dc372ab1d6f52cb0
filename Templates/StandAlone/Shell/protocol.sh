# Speaks version 1 of the plug-in protocol of `submit`, for a submitter that is a shell script. Nobody has to edit this
# file. It needs jq. A request is a job in the background, so that it can be cancelled; `submit` comes one after the other.
#
# The submitter has the functions describe, check, submit, and those of its $facets. In them stand, of the request:
#   $setting_NAME  the settings; a `-` in a name is `_`
#   $submission $name $size $sha256 $source $album $on_conflict   for submit; $source is the file to read
#   $remote_id $size $sha256                                      for presence and remove; $album for the albums

# Ends the request: REMEDY CODE SENTENCE [REASON]. What a broken attempt left is removed.
fail() {
    # What `discard` says while it removes the remains of a failure is not what is told.
    [ -z "$cleaning" ] || return 0
    ended=yes
    case $message in
    submit) [ -n "$dying" ] || clean_up ;;
    presence)
        say "$(jq -cn --argjson id "$id" --arg why "$3" '{message: "done", $id, presence: "unknown", $why}')"
        exit
        ;;
    esac
    say "$(jq -cn --argjson id "$id" --arg remedy "$1" --arg code "$2" --arg sentence "$3" --arg reason "${4-}" \
        '{message: "failed", $id, $remedy, $code, $sentence} + if $reason == "" then {} else {$reason} end')"
    exit
}

clean_up() {
    cleaning=yes
    [ -z "$submission" ] || discard
}

# Runs what may take long, so that a cancelled request can end it.
run() {
    "$@" &
    wait "$!"
}

# Sets $secret to the text of a secret setting; empty where it is not set. Put it into no message and no argument.
secret() {
    ask secret name "$1"
    eval "$(jq -r '@sh "secret=\(.text // "")"' "$reply")"
}

# Call it before a copy becomes visible: ends the request if the source is no longer what was accepted.
unchanged() {
    ask unchanged id "$id"
}

# Says how many bytes are there, or on their way.
sent() {
    say "{\"message\":\"progress\",\"id\":$id,\"sent\":$1}"
}

# Sets $own to the name for the NUMBERth try when others hold it: IMG_1.jpg becomes IMG_1-1.jpg. At most 255 bytes.
numbered() {
    eval "$(jq -rn --arg name "$1" --argjson number "$2" '
        ($name | split(".")) as $parts
        | ($parts[:-1] | join(".")) as $stem
        | (if $stem != "" and $parts[-1] != "" and ($parts[-1] | utf8bytelength) <= 64
            then [$stem, "." + $parts[-1]] else [$name, ""] end) as $parts
        | ((if $number > 0 then "-\($number)" else "" end) + $parts[1]) as $ending
        | ($parts[0] | until((. + $ending | utf8bytelength) <= 255; .[:-1])) as $stem
        | @sh "own=\($stem + $ending)"')"
}

# The receipt of a submission: REMOTE-ID EVIDENCE [there [NOTE]].
receipt() {
    outcome=$(jq -cn --arg remoteID "$1" --arg evidence "$2" --arg there "${3-}" --arg note "${4-}" \
        '{receipt: ({$remoteID, $evidence, wasThere: ($there != "")} + if $note == "" then {} else {$note} end)}')
}

# From here on: the loop, and the jobs.

# Writes one line, whole, though several jobs may write at once.
say() {
    printf '%s\n' "$1" | flock "$work/lock" cat >&4
}

# Puts a question, with one more field, and waits for the answer, which is in the file $reply then.
ask() {
    # The number says which job the answer is for.
    questions=$((questions + 1))
    say "$(jq -cn --arg message "$1" --arg key "$2" --arg value "$3" --argjson question "$((id * 100000 + questions))" \
        '{$message, $question} + if $key == "id" then {id: ($value | tonumber)} else {($key): $value} end')"
    wait_for_reply
}

wait_for_reply() {
    read -r _ <&3
    reply=$work/$id.answer
    case $(jq -r .message "$reply") in
    denied)
        ended=yes
        [ "$message" != submit ] || clean_up
        say "$(jq -c --argjson id "$id" 'del(.question) + {message: "failed", $id}' "$reply")"
        exit
        ;;
    esac
}

# Fetches the item by messages where there is no path to it.
fetch() {
    source=$work/$id.source
    : >"$source"
    offset=0
    while [ "$offset" -lt "$size" ]; do
        questions=$((questions + 1))
        say "{\"message\":\"read\",\"question\":$((id * 100000 + questions)),\"id\":$id,\"offset\":$offset,\"length\":262144}"
        wait_for_reply
        jq -j '.bytes // ""' "$reply" | base64 -d >>"$source"
        before=$offset
        offset=$(wc -c <"$source")
        [ "$offset" -gt "$before" ] || break
    done
}

cancelled() {
    children=$(jobs -p)
    [ -z "$children" ] || { kill $children; wait $children; } 2>/dev/null
    [ "$ended" ] || fail cancelled cancelled 'It was cancelled.'
    exit
}

# What is done when a job ends, with its status. One that ended on the way is told of: nobody else would answer.
died() {
    if [ -z "$ended" ]; then
        # What is broken may break here, too.
        [ "$message" != submit ] || (clean_up)
        dying=yes
        (fail park fault "A request ended with status $1 and without an answer$(heard): mend the submitter." misconfigured)
    fi
    rm -f "$work/$id" "$work/$id".*
}

# What was written last, if the request kept it.
heard() {
    [ ! -s "$work/$id.error" ] || printf ' (“%s”)' "$(tail -n 1 "$work/$id.error")"
}

# One request, in the background.
job() {
    [ -p "$work/$id" ] || exit
    questions=0 ended='' cleaning='' dying='' submission=''
    # Open for both, so that neither side ever waits for the other to open it.
    exec 3<>"$work/$id"
    trap 'died $?' EXIT
    trap cancelled TERM
    eval "$(jq -r '
        (.item // {}) as $item
        | @sh "submission=\(.submission // "") album=\(.album // "") on_conflict=\(.onConflict // "")",
          @sh "source=\(.path // "") remote_id=\(.receipt.remoteID // "")",
          @sh "name=\($item.name // "") size=\($item.size // 0) sha256=\($item.digests.sha256 // "")"
        ' "$work/$id.request")"
    [ ! -e "$work/$id.cancelled" ] || cancelled
    outcome='{}'
    case $message in
    check)
        check
        outcome=$(jq -cn --arg text "$text" '{$text}')
        ;;
    submit)
        [ "$source" ] || fetch
        submit
        ;;
    discard) discard ;;
    presence)
        presence
        outcome=$(jq -cn --arg presence "$presence" --arg evidence "$evidence" \
            '{$presence} + if $presence == "present" then {$evidence} else {} end')
        ;;
    albums)
        albums >"$work/$id.albums"
        outcome=$(jq -Rcn '{albums: [inputs]}' "$work/$id.albums")
        ;;
    createAlbum) create_album ;;
    remove) remove ;;
    removeAlbum) remove_album ;;
    esac
    ended=yes
    say "$(printf '%s' "$outcome" | jq -c --argjson id "$id" '. + {message: "done", $id}')"
}

serve() {
    # Not every shell does what it has to do at its end when a signal ends it.
    work=''
    trap '[ -z "$work" ] || rm -rf "$work"' EXIT
    trap 'exit 143' TERM
    work=$(mktemp -d) || exit 1
    # Whatever prints goes to standard error: standard output is the host's.
    exec 4>&1 1>&2
    while IFS= read -r line; do
        printf '%s\n' "$line" >"$work/line"
        eval "$(jq -r '@sh "message=\(.message) id=\(.id // 0) question=\(.question // 0)"' "$work/line")"
        case $message in
        answer | denied | unsupported)
            mv "$work/line" "$work/$((question / 100000)).answer"
            echo 1<>"$work/$((question / 100000))"
            ;;
        cancel)
            if [ -e "$work/$id" ]; then
                : >"$work/$id.cancelled"
                eval "kill -TERM \"\$job_$id\""
            fi
            ;;
        hello) say "$(describe | jq -c --argjson id "$id" '. + {message: "done", $id, version: 1}')" ;;
        configure)
            eval "$(jq -r '.settings | to_entries[] | "setting_\(.key | gsub("[^A-Za-z0-9]"; "_"))=\(.value | @sh)"' "$work/line")"
            say "$(configured "$work/line")"
            ;;
        check | submit | discard | presence | albums | createAlbum | remove | removeAlbum)
            mkfifo "$work/$id"
            mv "$work/line" "$work/$id.request"
            # A cancel that comes before the job can hear it is found as a file.
            trap '' TERM
            job &
            eval "job_$id=$!"
            trap 'exit 143' TERM
            ;;
        *) say "{\"message\":\"unsupported\",\"id\":$id}" ;;
        esac
    done
    # The host is gone: nothing may go on.
    children=$(jobs -p)
    [ -z "$children" ] || kill $children 2>/dev/null
}

# What came of `configure`: the facets, or the first required setting that is missing.
configured() {
    describe | jq -c --argjson id "$id" --argjson facets "$facets" --slurpfile request "$1" '
        $request[0] as $request
        | [.settings[] | select(.required).name] - ($request.settings | keys) - $request.secrets
        | if . == [] then {message: "done", $id, $facets}
        else {message: "failed", $id, remedy: "park", reason: "misconfigured", code: "configuration",
            sentence: ("The setting “\(.[0])” of the destination “\($request.destination)” is not set: "
                + "give it a value below the destination in the configuration.")} end'
}
