"""What all benchmarks share: servers, programs, and rounds in which contestants take turns.

In a cell all contestants send the same files to the same servers, round by round, and every other round in the reverse
order, so that what the machine does besides meets each of them: what counts is how they compare within a round. Before the
rounds each runs once without a clock, and its requests and system calls are counted.
"""

import os
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import machine
from peers import Programs
from records import Records
from runs import RunFailed, Runner
from stores import AmazonSinkStore, DAVStore, FileStore, Line, S3SinkStore, S3Store, Servers, SwiftStore

STORES = (FileStore, S3SinkStore, AmazonSinkStore, S3Store, SwiftStore, DAVStore)


@dataclass(frozen=True)
class Contestant:
    """Makes what it does out of a target at each of its stores."""

    stores: tuple
    make: Callable


class Bench:
    def __init__(self, options, work: Path):
        self.options, self.work = options, work
        self.servers = Servers(work)
        self.stores = {store.name: store(self.servers) for store in STORES}
        self.programs = Programs(
            options.submit, options.s5cmd, options.aws, options.swiftclient, work / "runs", options.base)
        keep = ("PATH", "HOME", "LANG")
        environment = {key: os.environ[key] for key in keep if key in os.environ}
        environment |= {"XDG_CONFIG_HOME": str(work / "config"), "RCLONE_CONFIG": "/dev/null", "TMPDIR": str(work)}
        for name in ("CURL_CA_BUNDLE", "SSL_CERT_FILE", "OS_CACERT"):
            environment[name] = str(self.servers.authorities)
        self.runner = Runner(environment, options.limit)
        self.records = Records(
            Path(options.out) / "numbers.jsonl",
            {**machine.described(self.programs, work), "rounds": options.rounds, "quick": options.quick})

    def measure(self, cell):
        contestants = cell.contestants(self)
        names = list(dict.fromkeys(name for contestant in contestants.values() for name in contestant.stores))
        if names:
            needed, free = (2 + len(names)) * cell.workload.bytes, shutil.disk_usage(self.work).free
            if free < needed:
                self.failure(cell.about, "all", f"{needed >> 30} GiB of disk are needed, and {free >> 30} are free")
                return
        for name in names:
            if self.stores[name].has_network:
                self.stores[name].url(cell.scheme)
        failed = self.count(cell, names, contestants) if cell.is_counted else []
        lines = self.lines(names, cell, cell.latency, False)
        try:
            self.rounds(
                cell.about, {name: contestant for name, contestant in contestants.items() if name not in failed},
                lambda contestant: self.run(cell, contestant, lines, self.runner.run))
        finally:
            for line in lines.values():
                line.stop()

    def lines(self, names, cell, latency, count) -> dict:
        return {
            name: Line(self.stores[name].port(cell.scheme), latency, count and cell.scheme == "http")
            for name in names if self.stores[name].has_network and (latency or count)}

    def run(self, cell, contestant: Contestant, lines: dict, run):
        """One run at fresh places, which are looked at afterwards."""
        targets = [self.stores[name].target(cell.scheme, lines.get(name)) for name in contestant.stores]
        try:
            job = contestant.make(*targets)
            self.runner.prepare(job)
            result = run(job)
            for target in targets:
                if trouble := target.store.missing(target.place, cell.workload):
                    raise RunFailed(trouble)
            return result
        finally:
            for target in targets:
                target.store.spend(target.place)

    def count(self, cell, names: list, contestants: dict) -> list:
        """Runs each twice, warm the second time, and says who cannot do it at all. What goes over TLS is counted by the
        server's log, if any."""
        lines, failed = self.lines(names, cell, 0, True), []
        logged = [
            self.stores[name] for name in names if cell.scheme == "https" and self.stores[name].has_network]

        def counted(job):
            before = [len(store.logged()) for store in logged]
            for line in lines.values():
                line.counts()
            figures, methods = self.runner.counted(job), Counter()
            for line in lines.values():
                methods.update(line.counts())
            sent = methods.pop("bytes", 0)
            for store, number in zip(logged, before):
                methods.update(store.logged()[number:])
            return figures, methods, sent

        try:
            for client, contestant in [*contestants.items()] * 2:
                if client in failed:
                    continue
                try:
                    figures, methods, sent = self.run(cell, contestant, lines, counted)
                except RunFailed as failure:
                    failed.append(client)
                    self.failure(cell.about, client, failure)
                    continue
                self.records.write(
                    "count", **cell.about, client=client, sent=sent, methods=dict(methods),
                    requests=methods.total() or None, read=figures.read, calls=figures.calls)
        finally:
            for line in lines.values():
                line.stop()
        return failed

    def rounds(self, about: dict, contestants: dict, run):
        """What failed twice is left out from then on."""
        failures = dict.fromkeys(contestants, 0)
        for turn in range(self.options.rounds):
            order = list(contestants) if turn % 2 == 0 else list(reversed(contestants))
            for client in order:
                if failures[client] > 1:
                    continue
                try:
                    self.records.run(about, client, turn, run(contestants[client]))
                except RunFailed as failure:
                    failures[client] += 1
                    self.failure(about, client, failure)

    def failure(self, about, client, failure):
        print(f"  {client}: {failure}", flush=True)
        self.records.write("failure", **about, client=client, error=str(failure))
