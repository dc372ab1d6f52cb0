"""How submit compares with others, round by round: the median of the ratios within a round, with its spread."""

import statistics
from dataclasses import dataclass

TIMED = ("wall", "cpu", "memory")
COUNTED = ("calls", "requests")


@dataclass(frozen=True)
class Ratio:
    peer: str
    median: float
    least: float
    most: float
    rounds: int

    @property
    def text(self) -> str:
        spread = f" ({self.least:.2f}–{self.most:.2f})" if self.rounds > 1 else ""
        return f"{self.median:.2f}x{spread}"


def median(cell, client: str, name: str) -> float:
    return statistics.median(run[name] for run in cell.runs[client])


def against(cell, peer: str, name: str) -> Ratio | None:
    """Of one peer. What is counted is counted once."""
    if name in COUNTED:
        ours, theirs = (cell.counts.get(client, {}).get(name) for client in ("submit", peer))
        return Ratio(peer, ours / theirs, ours / theirs, ours / theirs, 1) if ours and theirs else None
    ours, theirs = ({run["round"]: run[name] for run in cell.runs.get(client, [])} for client in ("submit", peer))
    ratios = [ours[turn] / theirs[turn] for turn in ours if theirs.get(turn)]
    return Ratio(peer, statistics.median(ratios), min(ratios), max(ratios), len(ratios)) if ratios else None


def best(cell, peers, name: str) -> Ratio | None:
    """Of the peer that takes least; of the slowest where several are submit to one place each."""
    measured = [peer for peer in peers if cell.runs.get(peer)]
    if not measured:
        return None
    pick = max if measured[0].endswith(" alone") else min
    timed = name if name in TIMED else "wall"
    return against(cell, pick(measured, key=lambda peer: median(cell, peer, timed)), name)


def verdict(value: float, goal: float) -> str:
    return "met" if value <= goal else f"missed by {100 * (value / goal - 1):.0f} %"


def judged(cell) -> dict:
    """By measure: the ratio, and what it says of the floor and the aim."""
    found = {}
    for index, name in enumerate(("wall", "cpu")):
        ratio = best(cell, cell.about["peers"], name)
        floor, aim = cell.about["floor"][index], cell.about["aim"][index]
        if ratio and floor:
            found[name] = (
                ratio, f"floor {floor}: {verdict(ratio.median, floor)}; aim {aim}: {verdict(ratio.median, aim)}")
    return found


def told(cell, most_memory: float) -> list:
    """Lines for a terminal."""
    if not cell.runs.get("submit"):
        return ["  submit has no runs"]
    lines = []
    for client, runs in cell.runs.items():
        count = cell.counts.get(client, {})
        counted = "".join(f"  {count[name]} {name}" for name in COUNTED if count.get(name))
        lines.append(
            f"  {client:14} wall {median(cell, client, 'wall'):8.3f} s  CPU {median(cell, client, 'cpu'):8.3f} s  "
            f"peak {max(run['memory'] for run in runs):5.0f} MiB{counted}")
    for name, (ratio, words) in judged(cell).items():
        lines.append(f"  {name:5} {ratio.text} of {ratio.peer}  {words}")
    peak = max(run["memory"] for run in cell.runs["submit"])
    lines.append(f"  peak memory {peak:.0f} MiB, aim {most_memory}: {verdict(peak, most_memory)}")
    if cell.runs.get("base"):
        compared = ((name, against(cell, "base", name)) for name in TIMED + COUNTED)
        lines.append("  of base: " + ", ".join(f"{name} {ratio.text}" for name, ratio in compared if ratio))
    return lines
