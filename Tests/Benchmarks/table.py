"""The table of goals: each cell against the peers that it is about, with its floor and its aim.

A goal is the most that submit may take of what the best of these peers takes, in wall time and in CPU.
"""

from dataclasses import dataclass

import workloads
from bench import Contestant
from runs import Command, Job

# What ends within a moment is run so often one after another that a turn takes a while.
OFTEN = 20
MEMORY = 48


@dataclass(frozen=True)
class Goal:
    wall: float
    cpu: float | None


@dataclass(frozen=True)
class Cell:
    name: str
    stores: tuple
    workload: workloads.Workload
    peers: tuple
    floor: Goal
    aim: Goal
    scheme: str = "http"
    latency: int = 0
    # What submit's check finds out is known.
    is_checked: bool = False
    is_counted = True

    @property
    def about(self) -> dict:
        return {
            "case": "table", "cell": f"table/{self.name}", "workload": self.workload.name, "files": self.workload.count,
            "bytes": self.workload.bytes, "peers": self.peers, "floor": [self.floor.wall, self.floor.cpu],
            "aim": [self.aim.wall, self.aim.cpu],
        }

    def contestants(self, bench) -> dict:
        source, programs = self.workload.made(bench.work), bench.programs
        ours = {
            name: Contestant(self.stores, lambda *targets, program=program: programs.submit_job(
                source, *targets, program=program, is_checked=self.is_checked))
            for name, program in programs.builds.items()}
        peers = programs.for_store(self.stores[0])
        return ours | {
            name: Contestant(self.stores, lambda target, make=peers[name]: Job([make(source, target)]))
            for name in self.peers}


class Alone(Cell):
    """Several stores at once against each of them alone."""

    def contestants(self, bench) -> dict:
        source, programs = self.workload.made(bench.work), bench.programs
        together = {
            name: Contestant(self.stores, lambda *targets, program=program: programs.submit_job(
                source, *targets, program=program))
            for name, program in programs.builds.items()}
        return together | {
            f"{name} alone": Contestant((name,), lambda target: programs.submit_job(source, target))
            for name in self.stores}


class OnePhoto(Cell):
    """A photo a run, by a program that has run before: one after another, so many times."""

    def contestants(self, bench) -> dict:
        paths, programs = self.workload.made(bench.work).paths, bench.programs
        # The journal stays from round to round.
        states = {name: programs.fresh("warm") for name in programs.builds}

        def ours(target, name, program) -> Job:
            environment = programs.submit_environment(target) | {"XDG_STATE_HOME": states[name]}
            return Job([Command([program, "-q", "--to", "objstore", path], environment) for path in paths])

        def theirs(target) -> Job:
            return Job([programs.s5cmd_command(target, path) for path in paths])

        return {
            name: Contestant(self.stores, lambda target, name=name, program=program: ours(target, name, program))
            for name, program in programs.builds.items()
        } | {"s5cmd": Contestant(self.stores, theirs)}


class Version(Cell):
    def contestants(self, bench) -> dict:
        builds = {name: [program, "--version"] for name, program in bench.programs.builds.items()}
        return {
            name: Contestant((), lambda command=command: Job([Command(command)] * self.workload.count))
            for name, command in (builds | {"rclone": ["rclone", "version"]}).items()}


def all_cells(sizes):
    tiny, small, medium, large = sizes

    def s3(name, workload, floor, aim, **more):
        return Cell(f"{name}/{workload.name}", ("aws-sink",), workload, ("s5cmd",), floor, aim, **more)

    def unvouched(workload, floor, aim, scheme):
        return Cell(
            f"unvouched-{scheme}/{workload.name}", ("s3-sink",), workload, ("s5cmd",), floor, aim, scheme=scheme,
            is_checked=True)

    plain = [(tiny, Goal(0.85, 0.85), Goal(0.65, 0.65)), (small, Goal(0.95, 0.85), Goal(0.80, 0.65))]
    tls = [(workload, Goal(1.05, 1.0), Goal(0.90, 0.85)) for workload in (tiny, small)]
    yield from (s3("s3-http", *cell) for cell in plain)
    yield from (s3("s3-https", *cell, scheme="https") for cell in tls)
    yield from (unvouched(*cell, "http") for cell in plain)
    yield from (unvouched(*cell, "https") for cell in tls)
    yield s3("s3-http", medium, Goal(0.80, 0.65), Goal(0.65, 0.55))
    yield Cell(f"s3-http/{large.name}", ("aws-sink",), large, ("curl",), Goal(1.3, 2.0), Goal(1.1, 1.5))
    yield s3("s3-http-100ms", small, Goal(1.1, 0.85), Goal(0.90, 0.65), latency=100)
    for store, peers in (("s3", ("rclone", "s5cmd")), ("swift", ("rclone", "swiftclient"))):
        for workload in sizes:
            yield Cell(
                f"openstack-{store}/{workload.name}", (store,), workload, peers, Goal(0.95, 0.7), Goal(0.70, 0.5))
    yield Cell(f"webdav/{small.name}", ("webdav",), small, ("curl",), Goal(2.5, 4), Goal(2.0, 3))
    yield Cell(f"webdav/{large.name}", ("webdav",), large, ("rclone",), Goal(1.2, 0.6), Goal(1.0, 0.5))
    folder = [
        (tiny, Goal(0.9, 0.9), Goal(0.60, 0.60)), (small, Goal(0.9, 0.9), Goal(0.60, 0.60)),
        (medium, Goal(0.65, 0.6), Goal(0.55, 0.5)), (large, Goal(0.8, 0.6), Goal(0.6, 0.5)),
    ]
    for workload, floor, aim in folder:
        yield Cell(f"folder/{workload.name}", ("file",), workload, ("rclone",), floor, aim, scheme="none")
    three = ("file", "aws-sink", "webdav")
    yield Alone(
        f"three/{small.name}", three, small, tuple(f"{name} alone" for name in three), Goal(1.2, None), Goal(1.10, None))
    for size, name in ((100_000, "100kB"), (5_000_000, "5MB")):
        photos = workloads.Workload(f"{OFTEN}x{name}", OFTEN, size, True)
        yield OnePhoto(f"one-photo/{name}", ("aws-sink",), photos, ("s5cmd",), Goal(0.8, 0.8), Goal(0.5, 0.5))
    nothing = workloads.Workload("version", OFTEN, 0, True)
    yield Version("version", (), nothing, ("rclone",), Goal(0.4, 0.4), Goal(0.3, 0.3), scheme="none")
