#!/usr/bin/env bash
# Builds and runs all tests; arguments go to `swift test`, for example --filter SomeTests.
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

scripts/install-packages.sh build servers torture
swift build --build-tests
if ! "${limited[@]}" swift test --skip-build --parallel --xunit-output "$results/tests.xml" "$@" 2>&1 | tee "$results/log"; then
    echo "What failed, again:"
    awk '/^✘/ || (told && /^ *↳/) { print substr($0, 1, 1000); told = 1; next } { told = 0 }' "$results/log"
    if ! grep -qs '</testsuites>' "$results/tests-swift-testing.xml"; then
        echo "The tests did not come to their end; of these that began:"
        comm -23 <(sed -En 's/^◇ (Test .*) started\.$/\1/p' "$results/log" | grep -vE '^Test (case |run$)' | sort) \
            <(sed -En 's/^[✔✘] (Test .*) (passed|failed) after .*/\1/p' "$results/log" |
                sed -E 's/ with [0-9]+ test cases?$//' | sort)
        exit 1
    fi
    # What another program on this machine made late passes when it is run by itself; what is broken does not.
    mapfile -t failed < <(python3 scripts/failed-tests.py "$results/tests-swift-testing.xml")
    ((${#failed[@]} > 0 && ${#failed[@]} <= most_again)) || exit 1
    echo "Once more, one at a time:"
    "${limited[@]}" swift test --skip-build --no-parallel "${failed[@]/#/--filter=}" 2>&1 | tee "$results/log"
    grep -aqE "Test run with ${#failed[@]} tests? .*passed" "$results/log"
    echo "FLAKY: ${#failed[@]} failed beside the others and passed alone; their failures are above."
fi
# Whoever asks for some tests does not want these.
(($#)) || scripts/undocumented.sh
# More worlds than among all tests, and others.
(($#)) || SUBMIT_WORLDS=500 SUBMIT_WORLD_SEED=50000 timeout --foreground --kill-after=1m 10m \
    swift test --skip-build --filter "drawn manners"
# A program as it is tested, so that none has to be built anew.
(($#)) || SUBMIT_TORTURE_PROGRAM=.build/debug/submit Tests/Torture/run.sh crash power --crashes 100
(($#)) || Tests/Fuzz/run.sh 70
(($#)) || Tests/Scaffold/run.sh
