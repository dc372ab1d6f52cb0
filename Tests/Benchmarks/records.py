"""Every number that was measured, a JSON object a line, added to a file and never changed.

The kinds of lines: session (the machine, the versions), count (requests and bytes, of a run that is not timed), run,
and failure. All name their session; of a cell that was measured in several, the last counts.
"""

import collections
import dataclasses
import json
import os
import time
from pathlib import Path


class Records:
    def __init__(self, path: Path, session: dict):
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path, self.session = path, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.write("session", **session)

    def write(self, kind: str, **values):
        line = {"kind": kind, "session": self.session, "load": [round(load, 2) for load in os.getloadavg()], **values}
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def run(self, cell: dict, client: str, turn: int, figures):
        self.write("run", **cell, client=client, round=turn, **dataclasses.asdict(figures))


@dataclasses.dataclass
class Cell:
    """All that is known of one cell: its description, and by client the runs, the counts, and what failed."""

    about: dict
    runs: dict
    counts: dict
    failures: dict


def read(path: Path):
    """The sessions by their names, and the cells in the order in which they were first measured."""
    sessions, lines = {}, collections.defaultdict(list)
    for text in path.read_text().splitlines():
        line = json.loads(text)
        if line["kind"] == "session":
            sessions[line["session"]] = line
        else:
            lines[line["cell"]].append(line)
    cells = {}
    for name, all_lines in lines.items():
        last = max(line["session"] for line in all_lines)
        cell = Cell({}, collections.defaultdict(list), {}, collections.defaultdict(list))
        for line in (line for line in all_lines if line["session"] == last):
            cell.about = line
            match line["kind"]:
                case "run":
                    cell.runs[line["client"]].append(line)
                case "count":
                    cell.counts[line["client"]] = line
                case "failure":
                    cell.failures[line["client"]].append(line["error"])
        cells[name] = cell
    return sessions, cells
