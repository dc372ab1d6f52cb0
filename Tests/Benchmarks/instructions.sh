#!/usr/bin/env bash
# Counts the instructions of fixed paths through the package (Tests/CountedPaths) and compares them with the ledger,
# instructions.tsv: they do not depend on the machine's mood, as clocks do.
#   instructions.sh [--only PATH]...                what each costs now beside what is written down; fails where one grew by
#                                                   more than 10 % and no line of the ledger says why
#   instructions.sh --write WHY [--only PATH]...    adds a line with the new count and the reason for each that changed
# Needs valgrind. The profiles stay in .build/instructions: callgrind_annotate .build/instructions/PATH-2000.callgrind
# COUNTED_PATHS=PROGRAM counts that one, and builds nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
program=${COUNTED_PATHS:-}
if [[ -z $program ]]; then
    scripts/install-packages.sh build instructions >/dev/null
    # As the program is built, so that what is there serves both.
    release=(-c release --product CountedPaths --static-swift-stdlib)
    swift build "${release[@]}" >&2
    program=$(swift build "${release[@]}" --show-bin-path)/CountedPaths
fi
mkdir -p .build/instructions
# Without what tells of lines, which Debian's valgrind cannot read; the names of functions stay.
strip --strip-debug -o .build/instructions/CountedPaths "$program"
PYTHONDONTWRITEBYTECODE=1 exec python3 Tests/Benchmarks/instructions.py .build/instructions/CountedPaths "$@"
