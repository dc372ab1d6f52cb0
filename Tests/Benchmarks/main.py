"""Measures submit and its peers, and writes down every number."""

import argparse
import fnmatch
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import fan_out
import matrix
import ratios
import records
import table
import workloads
from bench import Bench

ROUNDS = {"table": 7, "matrix": 5, "fan-out": 5}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("submit", "s5cmd", "aws", "swiftclient", "out"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--base", metavar="PROGRAM", help="another build of submit, which takes part as base")
    parser.add_argument("--rounds", type=int, help="7 for the table, else 5, if not said; with --quick 1")
    parser.add_argument("--only", metavar="PATTERN", action="append", help="cells that match, such as 'webdav/https*'")
    parser.add_argument("--quick", action="store_true", help="a tenth of the files, for the matrix no latency: to try it")
    parser.add_argument(
        "--latency", type=int, action="append", metavar="MS", help="there and back; 0, 20 and 100 if not said")
    parser.add_argument("--limit", type=float, default=1800, metavar="SECONDS", help="for one run; then it has failed")
    parser.add_argument("--list", action="store_true", help="print the cells and measure nothing")
    parser.add_argument("case", choices=tuple(ROUNDS))
    options = parser.parse_args()
    options.rounds = options.rounds or (1 if options.quick else ROUNDS[options.case])
    sizes = workloads.QUICK if options.quick else workloads.FULL
    cells = {
        "table": lambda: table.all_cells(sizes),
        "matrix": lambda: matrix.all_cells(sizes, options.latency or ((0,) if options.quick else matrix.LATENCIES)),
        "fan-out": lambda: fan_out.all_cells(sizes),
    }[options.case]()
    cells = [
        cell for cell in cells
        if not options.only or any(fnmatch.fnmatch(cell.name, f"*{pattern}*") for pattern in options.only)]
    if options.list or not cells:
        print("\n".join(cell.name for cell in cells) or "no cell matches")
        return
    # So that what runs is ended, and removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    work = Path(tempfile.mkdtemp(prefix="submit-bench-", dir=os.environ.get("TMPDIR", "/var/tmp")))
    bench = None
    try:
        bench = Bench(options, work)
        for index, cell in enumerate(cells):
            print(f"{index + 1} of {len(cells)}: {cell.name}", flush=True)
            try:
                fan_out.measure(bench, cell) if options.case == "fan-out" else bench.measure(cell)
            except Exception as error:  # What one cell meets must not cost the others.
                bench.failure(cell.about, "all", f"{type(error).__name__}: {error}")
            if options.case == "table":
                measured = records.read(bench.records.path)[1].get(cell.about["cell"])
                print("\n".join(ratios.told(measured, table.MEMORY) if measured else []), flush=True)
    finally:
        if bench:
            bench.servers.stop()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
