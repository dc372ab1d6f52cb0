#!/usr/bin/env bash
# Builds and runs all tests; arguments go to `swift test`, for example --filter SomeTests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-packages.sh build servers
swift build --build-tests
swift test --parallel "$@"
# Whoever asks for some tests does not want these.
(($#)) || Tests/Fuzz/run.sh 20
(($#)) || Tests/Scaffold/run.sh
