#!/usr/bin/env bash
# Builds and runs the tests. Prints each stage as it begins and how long it takes on two quiet cores; at the end the slowest
# tests, and last those that passed only when they were run alone (FLAKY).
#   usage: test.sh              all set-up, all tests, and what else has to be so of every change: about 16 minutes from a
#                               fresh clone, 9 from a warm build; .ci/run goes on with what takes longer
#          test.sh --quick      without servers, for a first look: under 6 minutes from a fresh clone
#          test.sh ARGUMENTS    some tests: arguments go to `swift test`, for example --filter SomeTests
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Few at a time: a small machine that starts hundreds of servers and programs at once answers none of them in time.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-6}
most_again=5
# Three times what they take: whatever waits for ever is told by its name, and not by the limit of whoever runs this.
most_time=45m
# Left where Ctrl-C reaches it, and ended by what SwiftPM passes on to the tests, so that none of them lives on.
limited=(timeout --foreground --signal=INT --kill-after=1m "$most_time")

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

stage() { # WHAT USUALLY
    printf '== %d:%02d  %s (%s)\n' $((SECONDS / 60)) $((SECONDS % 60)) "$1" "$2"
}

# Left by who asked for some targets.
unset SUBMIT_TESTS
what='some'
packages=(build servers photos torture)
if (($# == 0)); then
    what='all'
    echo 'On two quiet cores this takes about 16 minutes from a fresh clone, 9 from a warm build.'
elif [[ $1 == --quick ]]; then
    what='quick'
    shift
    packages=(build photos)
    need_servers='SubmitHTTP|SubmitSignIn|SubmitCurl|SubmitCommand|WebDAVSubmitter|ObjectStorageSubmitter|OAuthHTTPSubmitter|RcloneSubmitter'
    SUBMIT_TESTS=$(basename -a Tests/*Tests | grep -vE "^($need_servers)Tests$" | paste -sd ' ')
    # Read by Package.swift.
    export SUBMIT_TESTS
    # Among the others these need a program of the group `servers`, or make disks as root.
    without='as others see|A folder whose disk|A name on a disk|LocalFileContractTests|ProgramContractTests|ProgramStandInTests'
    set -- --skip "$without" "$@"
    echo 'On two quiet cores this takes under 6 minutes from a fresh clone.'
    echo 'Left out, as they need servers: the tests of HTTP, curl, WebDAV, object storage, services of the web, rclone, and'
    echo "of the command; and of the others those called $without."
fi

if [[ $what == all ]]; then
    stage 'Formatting: scripts/lint.sh' '5 seconds'
    scripts/lint.sh
fi
stage "Debian packages: ${packages[*]}" 'seconds where they are there, else 2 minutes'
scripts/install-packages.sh "${packages[@]}"
stage 'Building' "$([[ $what == quick ]] && echo 3 || echo 6) minutes the first time, later what has changed"
swift build --build-tests
stage "Testing, $what" "$(case $what in all) echo 8 minutes ;; quick) echo 90 seconds ;; *) echo 'as many as you asked for' ;; esac)"
flaky=''
if ! "${limited[@]}" swift test --skip-build --parallel --xunit-output "$results/tests.xml" \
    --event-stream-output-path "$results/events" --event-stream-version 0 "$@" 2>&1 | tee "$results/log"; then
    echo "What failed, again:"
    awk '/^✘/ || (told && /^ *↳/) { print substr($0, 1, 1000); told = 1; next } { told = 0 }' "$results/log" |
        tee "$results/failures"
    if ! grep -qs '</testsuites>' "$results/tests-swift-testing.xml"; then
        echo "The tests did not come to their end; of these that began:"
        # Lines of a test's own output may end in the middle of another's.
        comm -23 <(grep -oE '◇ Test .* started\.$' "$results/log" | sed -E 's/^◇ (Test .*) started\.$/\1/' |
            grep -vE '^Test (case |run$)' | sort) \
            <(grep -oE '(✔|✘) Test .* (passed|failed) after' "$results/log" |
                sed -E 's/^(✔|✘) (Test .*) (passed|failed) after$/\2/; s/ with [0-9]+ test cases?$//' | sort)
        exit 1
    fi
    # What another program on this machine made late passes when it is run by itself; what is broken does not.
    mapfile -t failed < <(python3 scripts/failed-tests.py "$results/tests-swift-testing.xml")
    ((${#failed[@]} > 0 && ${#failed[@]} <= most_again)) || exit 1
    stage 'Once more what failed, one at a time' 'a minute'
    "${limited[@]}" swift test --skip-build --no-parallel "${failed[@]/#/--filter=}" 2>&1 | tee "$results/log"
    grep -aqE "Test run with ${#failed[@]} tests? .*passed" "$results/log"
    flaky=${#failed[@]}
fi
if [[ $what == all ]]; then
    stage 'Public symbols: scripts/undocumented.sh' '2 seconds'
    scripts/undocumented.sh
    stage 'Documents: scripts/documentation.sh' '15 seconds'
    scripts/documentation.sh
fi
if [[ $what != some ]]; then
    stage 'The slowest tests' 'seconds in which each had its place among those that run at once'
    python3 scripts/slowest-tests.py "$results/events" "$SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"
fi
stage 'Done' "$what tests"
if [[ $flaky ]]; then
    cat "$results/failures"
    echo "FLAKY: $flaky failed beside the others and passed alone; their failures are above."
fi
