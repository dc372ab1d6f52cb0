#!/usr/bin/env bash
# Signs in once through a real browser:  sign-in.sh [PROGRAM]
# `submit login` opens Chromium, in which a person signs in on Glewlwyd's own pages and lets submit in; then a photo
# goes to an Apache that asks Glewlwyd about each token; then `submit logout`. PROGRAM is .build/release/submit by
# default. Prints what was seen, and fails unless the browser ended on a page that says that all is done, the token
# worked, and after the logout it did not. The person's part is in sign-in.py, the recipe in harbour.yaml.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

program=$(realpath "${1:-.build/release/submit}")
[[ -x $program ]] || {
    echo "${0##*/}: '$program' is no program; build it with scripts/build.sh, or say where it is" >&2
    exit 1
}
scripts/install-packages.sh servers browser

work=$(mktemp -d "${TMPDIR:-/tmp}/submit-browser.XXXXXX")
# Apache's children are another user's.
chmod 711 "$work"

# close_browser PID: of the person, who closes Chromium and then says what was seen.
close_browser() {
    local session tries
    session=$(ps -o sid= -p "$1" | tr -d ' ') || return 0
    kill "$1" 2>/dev/null || true
    for ((tries = 0; tries < 100; tries++)); do
        [[ ! -e $work/seen ]] || return 0
        sleep 0.1
    done
    # submit opens it in a session of its own.
    pkill -KILL -s "$session" || true
}
clean_up() {
    [[ ! -s $work/browser.pid ]] || close_browser "$(<"$work/browser.pid")"
    Tests/Servers/apache-bearer.sh stop "$work/place" || true
    Tests/Servers/glewlwyd.sh stop "$work/login" || true
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# equal WHAT SEEN AWAITED
equal() { [[ $2 == "$3" ]] || fail "$1 is '$2', not '$3'"; }

# value FILE KEY: of an env file.
value() { sed -n "s/^$2=//p" "$1/env"; }

Tests/Servers/glewlwyd.sh start "$work/login" >/dev/null
Tests/Servers/apache-bearer.sh start "$work/place" "$(value "$work/login" PORT)" \
    "$(value "$work/login" CONFIDENTIAL_CLIENT)" "$(value "$work/login" CLIENT_SECRET)" >/dev/null
login=$(value "$work/login" ISSUER)
place=$(value "$work/place" ENDPOINT)
data=$(value "$work/place" DATA)
echo "login:    Glewlwyd $(dpkg-query -W -f '${Version}' glewlwyd) at $login; $place is for who has its tokens"

mkdir -p "$work/home/config/submit" "$work/nothing"
chmod 700 "$work/home"
sed "s/REDIRECT_PORT$/$(value "$work/login" REDIRECT_PORT)/" Tests/Browser/harbour.yaml >"$work/harbour.yaml"
cat >"$work/home/config/submit/config.yaml" <<CONF
destinations:
  harbour:
    type: oauth-http
    recipe: $work/harbour.yaml
    place: ${place%/}
    login: $login
    insecure: true
    client_id: $(value "$work/login" CONFIDENTIAL_CLIENT)
CONF

# The browser. xdg-open would start another one if this one failed.
cat >"$work/browser" <<BROWSER
#!/bin/sh
echo \$\$ >'$work/browser.pid'
unset XDG_DATA_DIRS
exec /usr/bin/python3 '$PWD/Tests/Browser/sign-in.py' "\$1" >'$work/browser.log' 2>&1
BROWSER
chmod +x "$work/browser"

# A desktop of its own, where xdg-open knows no browser but BROWSER. Nothing of yours is read or changed.
environment=(PATH="$PATH" LANG=C.UTF-8 TERM=dumb TMPDIR="$work" HOME="$work/home" XDG_CONFIG_HOME="$work/home/config"
    XDG_STATE_HOME="$work/home/state" XDG_CACHE_HOME="$work/home/cache" XDG_DATA_HOME="$work/nothing"
    SUBMIT_HARBOUR_CLIENT_SECRET="$(value "$work/login" CLIENT_SECRET)" NO_PROXY='*')
desktop=(DISPLAY=:submit XDG_CURRENT_DESKTOP=X-Generic XDG_DATA_DIRS="$work/nothing" BROWSER="$work/browser"
    SIGN_IN_SEEN="$work/seen" SIGN_IN_USER="$(value "$work/login" USERNAME)"
    SIGN_IN_PASSWORD="$(value "$work/login" PASSWORD)")
submit() { env -i "${environment[@]}" "$program" "$@"; }

# It opens a browser only where someone sees it: it needs a terminal.
status=0
began=$EPOCHREALTIME
env -i "${environment[@]}" "${desktop[@]}" SHELL=/bin/sh \
    script -qefc "exec '$program' login harbour --wait 60" "$work/terminal" </dev/null >/dev/null || status=$?
ended=$EPOCHREALTIME
if [[ ! -e $work/browser.pid ]]; then
    cat "$work/terminal" >&2
    fail "submit login opened no browser, and ended with $status"
fi
for ((tries = 0; tries < 600; tries++)); do
    [[ ! -e $work/seen ]] || break
    sleep 0.1
done
if [[ ! -e $work/seen ]]; then
    cat "$work/browser.log" >&2
    fail "the browser did not end"
fi
rm "$work/browser.pid"
saw() { jq -r "$1 // \"\"" "$work/seen"; }
echo "browser:  Chromium $(saw .browser), opened by submit login through xdg-open"
[[ -z $(saw .failure) ]] || fail "$(saw .failure)"
echo "pages:    '$(saw .first_page)', '$(saw .second_page)', and back at $(saw .back_at)" \
    "with $(saw '.answer | join(", ")')"
echo "its end:  $(saw .status) '$(saw .heading)': $(saw .sentence)"
equal "the status of the page that the browser ends on" "$(saw .status)" 200
equal "the page that the browser ends on" "$(saw .heading): $(saw .sentence)" \
    "That is done: You can close this page, and go on where submit was started."
# Every code that Glewlwyd gave, and its challenge: where there is one, it looks at the verifier.
codes=$(sqlite3 "$work/login/glewlwyd.db" 'SELECT gpoc_code_challenge, gpoc_enabled FROM gpo_code')
echo "PKCE:     $(saw .challenge_method), and Glewlwyd's code of that challenge is used up: $codes"
equal "PKCE's method" "$(saw .challenge_method)" S256
equal "the challenge of Glewlwyd's code, and whether it is still good" "$codes" \
    "{SHA256}$(saw .challenge)|0"
said=$(tr -d '\r' <"$work/terminal" | grep 'is signed in at harbour' || true)
echo "login:    $said after $(jq -n "$ended - $began" | cut -c1-4) s"
if ((status)) || [[ -z $said ]]; then
    cat "$work/terminal" >&2
    fail "submit login ended with $status"
fi

secrets=$work/home/config/submit/secrets.yaml
token=$(sed -n 's/^ *access_token: *//p' "$secrets" | tr -d "\"'")
[[ $token ]] || fail "there is no token in $secrets"
equal "the mode of the secrets" "$(stat -c %a "$secrets")" 600
[[ $(<"$work/terminal") != *"$token"* ]] || fail "the token was shown at the terminal"

who=$(submit whoami harbour --json)
echo "whoami:   $who"
equal "whoami's signed_in" "$(jq .signed_in <<<"$who")" true

photo=Tests/Media/harbour.jpg
submit --to harbour "$photo" >"$work/sent" 2>&1 || { cat "$work/sent" >&2; fail "the photo was not sent"; }
cmp "$photo" "$data/harbour.jpg" || fail "the photo in the collection is another"
echo "send:     $(stat -c %s "$photo") bytes arrived as they are"

# put NAME: the status of an upload with the token, which is not for the list of processes.
put() {
    printf 'header = "Authorization: Bearer %s"\n' "$token" |
        curl -sS --noproxy '*' --max-time 60 -K - -o /dev/null -w '%{http_code}' -T "$photo" "$place$1"
}
equal "the answer to the token" "$(put with-token.jpg)" 201

goodbye=$(submit logout harbour --json)
echo "logout:   $goodbye"
equal "what logout did" "$(jq -c '[.revoked, .forgotten]' <<<"$goodbye")" '[true,true]'
! grep -q 'access_token\|refresh_token' "$secrets" || fail "tokens are left in $secrets"
after=$(put after-logout.jpg)
echo "token:    201 before the logout, $after after it"
equal "the answer to the token after the logout" "$after" 401

status=0
who=$(submit whoami harbour --json 2>/dev/null) || status=$?
equal "whoami's signed_in after the logout" "$(jq .signed_in <<<"$who") $status" 'false 1'
status=0
submit --to harbour Tests/Media/harbour-portrait.jpg >"$work/sent" 2>&1 || status=$?
equal "the status of a send after the logout" $status 3
equal "what lies in the collection" "$(cd "$data" && echo *)" 'harbour.jpg with-token.jpg'
echo "after it: nobody is signed in, and a photo waits"
echo "All of it holds."
