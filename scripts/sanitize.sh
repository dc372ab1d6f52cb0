#!/usr/bin/env bash
# Builds the tests with ThreadSanitizer or AddressSanitizer, apart from the usual build, and runs them; fails on what
# the sanitizer finds. Other arguments go to the test runner, for example --filter SomeTests. Where SUBMIT_TESTS names test
# targets, no others are built.
#   usage: sanitize.sh thread|address [--filter …]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

sanitizer=${1:?thread or address}
shift
scratch=.build/$sanitizer
suppressions=$PWD/scripts/$sanitizer.suppressions
# A finding ends the program at once, so that it cannot be lost among what passed.
case $sanitizer in
thread) export TSAN_OPTIONS="halt_on_error=1:exitcode=66:suppressions=$suppressions" ;;
address) export ASAN_OPTIONS="detect_leaks=1:exitcode=66" LSAN_OPTIONS="exitcode=66:suppressions=$suppressions:print_suppressions=0" ;;
*) echo "There are thread and address." >&2 && exit 2 ;;
esac

# Everything is slower so: fewer at a time.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-3}
export SWIFT_BACKTRACE=enable=no
swift build --build-tests --sanitize="$sanitizer" --scratch-path "$scratch" -j "${JOBS:-2}"
# A sanitizer needs more addresses than those tests leave.
status=0
"$scratch/debug/submitPackageTests.xctest" --testing-library swift-testing --skip 'A process that may have too little' "$@" ||
    status=$?
# A finding ends the program with a status of its own. What failed without one was too slow so: test.sh judges that.
if ((status == 1)); then
    echo "Tests failed, and the sanitizer found nothing: see above, and run them without it."
    status=0
fi
exit "$status"
