"""Every store, workload, scheme and latency against every peer."""

from dataclasses import dataclass

import workloads
from bench import STORES, Contestant

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
    def is_counted(self) -> bool:
        # Latency changes nothing in what is asked for.
        return self.latency == 0

    @property
    def about(self) -> dict:
        return {
            "case": "matrix", "cell": self.name, "place": self.place, "scheme": self.scheme, "latency": self.latency,
            "workload": self.workload.name, "files": self.workload.count, "bytes": self.workload.bytes,
            "small": self.workload.is_small,
        }

    def contestants(self, bench) -> dict:
        names = PLACES[self.place]
        jobs = bench.programs.jobs(self.workload.made(bench.work), names)
        return {client: Contestant(names, make) for client, make in jobs.items()}


def all_cells(sizes, latencies):
    for place, names in PLACES.items():
        for scheme in ("none",) if names == ("file",) else ("http", "https"):
            for latency in (0,) if names == ("file",) else latencies:
                for workload in sizes:
                    # A large file has a whole second of line for each of its round trips.
                    if latency == 0 or workload.is_small:
                        yield Cell(place, scheme, latency, workload)
