"""Measures submit and its peers on every store, workload, scheme and latency, and writes down every number.

A cell is one of each. In a cell all clients send the same files to the same server, round by round, and every other
round in the reverse order. Before the rounds each runs once without a clock, through a line that counts.
"""

import argparse
import fnmatch
import os
import shutil
import signal
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import fan_out
import machine
import workloads
from peers import Programs
from records import Records
from runs import RunFailed, Runner
from stores import AmazonSinkStore, DAVStore, FileStore, Line, S3SinkStore, S3Store, Servers, SwiftStore

STORES = (FileStore, S3SinkStore, AmazonSinkStore, S3Store, SwiftStore, DAVStore)
# By its name, the stores that are sent to together.
PLACES = {store.name: (store.name,) for store in STORES} | {
    "three-sink": ("file", "s3-sink", "webdav"), "three": ("file", "s3", "webdav")}
LATENCIES = (0, 20, 100)


@dataclass(frozen=True)
class Cell:
    place: str
    scheme: str
    latency: int
    workload: workloads.Workload

    @property
    def name(self) -> str:
        return f"{self.place}/{self.scheme}/{self.latency}ms/{self.workload.name}"

    @property
    def about(self) -> dict:
        return {
            "case": "matrix", "cell": self.name, "place": self.place, "scheme": self.scheme, "latency": self.latency,
            "workload": self.workload.name, "files": self.workload.count, "bytes": self.workload.bytes,
            "small": self.workload.is_small,
        }


def all_cells(sizes, latencies):
    for place, names in PLACES.items():
        for scheme in ("none",) if names == ("file",) else ("http", "https"):
            for latency in (0,) if names == ("file",) else latencies:
                for workload in sizes:
                    # A large file has a whole second of line for each of its round trips.
                    if latency == 0 or workload.is_small:
                        yield Cell(place, scheme, latency, workload)


class Bench:
    def __init__(self, options, work: Path):
        self.options, self.work = options, work
        self.servers = Servers(work)
        self.stores = {store.name: store(self.servers) for store in STORES}
        self.programs = Programs(options.submit, options.s5cmd, options.aws, options.swiftclient, work / "runs")
        keep = ("PATH", "HOME", "LANG")
        environment = {key: os.environ[key] for key in keep if key in os.environ}
        environment |= {"XDG_CONFIG_HOME": str(work / "config"), "RCLONE_CONFIG": "/dev/null", "TMPDIR": str(work)}
        for name in ("CURL_CA_BUNDLE", "SSL_CERT_FILE", "OS_CACERT"):
            environment[name] = str(self.servers.authorities)
        self.runner = Runner(environment, options.limit)
        self.records = Records(
            Path(options.out) / "numbers.jsonl",
            {**machine.described(self.programs, work), "rounds": options.rounds, "quick": options.quick})

    def lines(self, names, cell, latency, count) -> dict:
        return {
            name: Line(self.stores[name].port(cell.scheme), latency, count and cell.scheme == "http")
            for name in names if self.stores[name].has_network and (latency or count)}

    def run(self, names, cell, make, lines):
        """One run at fresh places, which are looked at afterwards."""
        targets = [self.stores[name].target(cell.scheme, lines.get(name)) for name in names]
        try:
            figures = self.runner.run(make(*targets))
            for target in targets:
                if trouble := target.store.missing(target.place, cell.workload):
                    raise RunFailed(trouble)
            return figures
        finally:
            for target in targets:
                target.store.spend(target.place)

    def count(self, names, cell, jobs) -> list:
        """Runs each once, and says who cannot do it at all."""
        lines, failed = self.lines(names, cell, 0, True), []
        try:
            for client, make in jobs.items():
                try:
                    figures = self.run(names, cell, make, lines)
                except RunFailed as failure:
                    failed.append(client)
                    self.failure(cell.about, client, failure)
                    continue
                finally:
                    counted = [line.counts() for line in lines.values()]
                if not lines:
                    continue
                methods = {}
                for part in counted:
                    for method, number in part.items():
                        methods[method] = methods.get(method, 0) + number
                sent = methods.pop("bytes", 0)
                self.records.write(
                    "count", **cell.about, client=client, sent=sent, methods=methods,
                    requests=sum(methods.values()) if cell.scheme == "http" else None, read=figures.read)
        finally:
            for line in lines.values():
                line.stop()
        return failed

    def measure(self, cell: Cell):
        names = PLACES[cell.place]
        needed, free = (2 + len(names)) * cell.workload.bytes, shutil.disk_usage(self.work).free
        if free < needed:
            self.failure(cell.about, "all", f"{needed >> 30} GiB of disk are needed, and {free >> 30} are free")
            return
        jobs = self.programs.jobs(cell.workload.made(self.work), names)
        for name in names:
            if self.stores[name].has_network:
                self.stores[name].url(cell.scheme)
        failed = [] if cell.latency else self.count(names, cell, jobs)
        lines = self.lines(names, cell, cell.latency, False)
        try:
            self.rounds(cell.about, {name: job for name, job in jobs.items() if name not in failed},
                        lambda make: self.run(names, cell, make, lines))
        finally:
            for line in lines.values():
                line.stop()

    def rounds(self, about: dict, jobs: dict, run):
        """What failed twice is left out from then on."""
        failures = dict.fromkeys(jobs, 0)
        for turn in range(self.options.rounds):
            order = list(jobs) if turn % 2 == 0 else list(reversed(jobs))
            for client in order:
                if failures[client] > 1:
                    continue
                try:
                    self.records.run(about, client, turn, run(jobs[client]))
                except RunFailed as failure:
                    failures[client] += 1
                    self.failure(about, client, failure)

    def failure(self, about, client, failure):
        print(f"  {client}: {failure}", flush=True)
        self.records.write("failure", **about, client=client, error=str(failure))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("submit", "s5cmd", "aws", "swiftclient", "out"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--rounds", type=int, help="5 if not said, or 1 with --quick")
    parser.add_argument("--only", metavar="PATTERN", action="append", help="cells that match, such as 'webdav/https*'")
    parser.add_argument("--quick", action="store_true", help="a tenth of the files, no latency: to try it")
    parser.add_argument(
        "--latency", type=int, action="append", metavar="MS", help="there and back; 0, 20 and 100 if not said")
    parser.add_argument("--limit", type=float, default=1800, metavar="SECONDS", help="for one run; then it has failed")
    parser.add_argument("--list", action="store_true", help="print the cells and measure nothing")
    parser.add_argument("case", choices=("matrix", "fan-out"))
    options = parser.parse_args()
    options.rounds = options.rounds or (1 if options.quick else 5)
    sizes = workloads.QUICK if options.quick else workloads.FULL
    cells = {"matrix": lambda: all_cells(sizes, options.latency or ((0,) if options.quick else LATENCIES)),
             "fan-out": lambda: fan_out.all_cells(sizes)}[options.case]()
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
                bench.measure(cell) if options.case == "matrix" else fan_out.measure(bench, cell)
            except Exception as error:  # What one cell meets must not cost the others.
                bench.failure(cell.about, "all", f"{type(error).__name__}: {error}")
    finally:
        if bench:
            bench.servers.stop()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
