"""What one more destination costs: the same files to 1, 2, 4 and 8 of a kind in one run of submit."""

import dataclasses
import json
from dataclasses import dataclass

import workloads
from peers import keys
from runs import Command, Job, RunFailed

NUMBERS = (1, 2, 4, 8)


@dataclass(frozen=True)
class FanOut:
    place: str
    workload: workloads.Workload

    @property
    def name(self) -> str:
        return f"fan-out/{self.place}/{self.workload.name}"

    @property
    def about(self) -> dict:
        return {
            "case": "fan-out", "cell": self.name, "place": self.place, "workload": self.workload.name,
            "files": self.workload.count, "bytes": self.workload.bytes,
        }


def all_cells(sizes):
    """Folders, and buckets at the server that does the least work of its own."""
    for place in ("file", "s3-sink"):
        for workload in sizes[:3]:
            yield FanOut(place, workload)


def measure(bench, cell: FanOut):
    source, store = cell.workload.made(bench.work), bench.stores[cell.place]

    def job(targets) -> Job:
        names = [f"d{index}" for index in range(len(targets))]
        settings, environment = {}, {"XDG_STATE_HOME": bench.programs.fresh("state")}
        for name, target in zip(names, targets):
            if cell.place == "file":
                settings[name] = {"type": "file", "path": str(store.folder(target.place))}
            else:
                settings[name] = {"type": "objstore", "endpoint": target.url, "bucket": target.place}
                environment |= keys(target)
        config = bench.programs.fresh("config")
        (config / "submit").mkdir(parents=True)
        # Its YAML is also JSON.
        (config / "submit" / "config.yaml").write_text(json.dumps({"destinations": settings}))
        environment["XDG_CONFIG_HOME"] = config
        return Job([Command([bench.programs.submit, "-q", "--to", ",".join(names), source.folder], environment)])

    def run(number, is_cold=False):
        targets = [store.target("http", None) for _ in range(number)]
        try:
            if is_cold:
                source.leave_page_cache()
            figures = bench.runner.run(job(targets))
            for target in targets:
                if trouble := store.missing(target.place, cell.workload):
                    raise RunFailed(trouble)
            return figures
        finally:
            for target in targets:
                store.spend(target.place)

    # How much comes from the disk is seen with nothing in the page cache, and these runs are not timed.
    able = {}
    for number in NUMBERS:
        try:
            figures = run(number, is_cold=True)
            bench.records.write("count", **cell.about, client=str(number), **dataclasses.asdict(figures))
            able[str(number)] = number
        except RunFailed as failure:
            bench.failure(cell.about, str(number), failure)
    bench.rounds(cell.about, able, run)
