# shellcheck shell=bash
# Shared by the scripts here that send one large file with the program as people get it.

# torture TESTS: builds, runs these tests, and prints their figures; fails when they do.
torture() {
    local status=0 release=(-c release --product submit --static-swift-stdlib)
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    # What is measured is the program as people get it; SUBMIT_TORTURE_PROGRAM names one that is there.
    if [[ -z ${SUBMIT_TORTURE_PROGRAM:-} ]]; then
        swift build "${release[@]}" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
        SUBMIT_TORTURE_PROGRAM=$(swift build "${release[@]}" --show-bin-path)/submit
        export SUBMIT_TORTURE_PROGRAM
    fi
    swift build --build-tests >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
    swift test --skip-build --filter "$1" >"$log" 2>&1 || status=$?
    sed -n 's/^torture: //p' "$log"
    # A filter that fits no test must not look like a success.
    if ((status)) || ! grep -q '^torture: ' "$log"; then
        cat "$log" >&2
        exit 1
    fi
}
