"""Writes report.md, and plots beside it, out of the numbers that were written down."""

import argparse
import statistics
from pathlib import Path

import plots
import ratios
import records
from ratios import median, verdict
from table import MEMORY as TABLE_MEMORY

SMALL_WALL, LARGE_WALL, RCLONE_CPU, FAN_OUT_WALL, MEMORY = 0.7, 1.0, 0.5, 0.4, 64
ROUNDS = 5
SYNCED = "cp, sync"


def table(header, rows, words=(0,)) -> list:
    """words are the columns that hold no numbers."""
    lines = [header, ["---" if column in words else "---:" for column in range(len(header))], *rows]
    return [f"| {' | '.join(str(value) for value in line)} |" for line in lines] + [""]


def seconds(value) -> str:
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def is_fan_out(cell) -> bool:
    return cell.about["place"].startswith("three")


class Goals:
    """What each cell says of each goal."""

    def __init__(self, cells):
        self.rows, self.met, self.all = [], {}, {}
        for cell in cells:
            if cell.about["case"] == "matrix" and cell.runs.get("submit"):
                self.add(cell)

    def judge(self, what, value, goal) -> str:
        self.all[what] = self.all.get(what, 0) + 1
        self.met[what] = self.met.get(what, 0) + (value <= goal)
        shown = f"{value:.0f} MiB" if what == "memory" else f"{value:.2f}x"
        return f"{shown}: {verdict(value, goal)}"

    def add(self, cell):
        peers = [client for client in cell.runs if client not in ("submit", "base")]
        cpu = memory = "-"
        memory = self.judge("memory", max(run["memory"] for run in cell.runs["submit"]), MEMORY)
        rclone = next((client for client in ("rclone", "3 rclone, one after another") if client in peers), None)
        if rclone:
            cpu = self.judge("CPU", median(cell, "submit", "cpu") / median(cell, rclone, "cpu"), RCLONE_CPU)
        if is_fan_out(cell):
            peers, goal, what = [peer for peer in peers if "one after another" in peer], FAN_OUT_WALL, "wall, fan-out"
        else:
            small = cell.about["small"]
            goal, what = (SMALL_WALL, "wall, small files") if small else (LARGE_WALL, "wall, large files")
        self.row(cell, cell.about["cell"], peers, what, goal, cpu, memory)
        if SYNCED in peers:
            also = ", of those that sync"
            self.row(cell, cell.about["cell"] + also, [SYNCED], what + also, goal, "", "")

    def row(self, cell, name, peers, what, goal, cpu, memory):
        wall, best = "-", "-"
        if peers:
            best = min(peers, key=lambda peer: median(cell, peer, "wall"))
            wall = self.judge(what, median(cell, "submit", "wall") / median(cell, best, "wall"), goal)
        self.rows.append([f"`{name}`", best, wall, f"{goal}x", cpu, memory])

    def lines(self) -> list:
        if not self.rows:
            return []
        lines = ["## Goals of the matrix", ""]
        lines += table(
            ["goal", "at most", "met in"],
            [[what + explained(what), limit_of(what), f"{self.met[what]} of {self.all[what]} cells"]
             for what in sorted(self.all)])
        lines += table(
            ["cell", "best peer", "wall against it", "goal", f"CPU against rclone, goal {RCLONE_CPU}x",
             f"peak memory, goal {MEMORY} MiB"], self.rows, words=(0, 1, 2, 4, 5))
        return lines


def explained(what) -> str:
    if what.startswith("wall, fan-out"):
        return ", against the best three peers one after another"
    return {"CPU": ", against rclone", "memory": ", peak"}.get(what, ", against the best peer")


def limit_of(what) -> str:
    if what == "memory":
        return f"{MEMORY} MiB"
    limits = {"CPU": RCLONE_CPU, "wall, fan-out": FAN_OUT_WALL, "wall, small": SMALL_WALL, "wall, large": LARGE_WALL}
    return next(f"{limit}x" for name, limit in limits.items() if what.startswith(name))


def table_lines(cells) -> list:
    cells = [cell for cell in cells if cell.about["case"] == "table" and cell.runs.get("submit")]
    if not cells:
        return []
    lines = [
        "## The table", "",
        "What submit takes of what the best of the peers takes: the median of the ratios within a round, from the least to "
        "the most. System calls and requests were counted in one round more, which was not timed.", ""]
    rows, figures, changes = [], [], []
    for cell in cells:
        name, judged = cell.about["cell"].removeprefix("table/"), ratios.judged(cell)
        peak = max(run["memory"] for run in cell.runs["submit"])
        shown = []
        for measure in ("wall", "cpu"):
            ratio, words = judged.get(measure, (None, ""))
            shown += [f"{ratio.text} of {ratio.peer}" if ratio else "-", words]
        for measure in ratios.COUNTED:
            ratio = ratios.best(cell, cell.about["peers"], measure)
            shown.append(f"{ratio.median:.2f}x" if ratio else "-")
        rounds = min(len(runs) for runs in cell.runs.values())
        rows.append([f"`{name}`", *shown, f"{peak:.0f}: {verdict(peak, TABLE_MEMORY)}", rounds])
        for client, runs in cell.runs.items():
            count = cell.counts.get(client, {})
            figures.append([
                f"`{name}`", client, *(f"{median(cell, client, measure):.3f}" for measure in ("wall", "cpu")),
                f"{max(run['memory'] for run in runs):.0f}",
                *(f"{count[measure] / cell.about['files']:.2f}" if count.get(measure) else "-"
                  for measure in ratios.COUNTED)])
        if cell.runs.get("base"):
            compared = (ratios.against(cell, "base", measure) for measure in ratios.TIMED + ratios.COUNTED)
            changes.append([f"`{name}`", *(ratio.text if ratio else "-" for ratio in compared)])
    lines += table(
        ["cell", "wall", "of it", "CPU", "of it", "system calls", "requests", f"peak, MiB, aim {TABLE_MEMORY}", "rounds"],
        rows, words=(0, 1, 2, 3, 4, 7))
    if changes:
        lines += ["### Before and after", "", "What submit takes of what the other build of it takes (`--base`).", ""]
        lines += table(["cell", "wall", "CPU", "peak memory", "system calls", "requests"], changes)
    lines += ["### Medians", ""] + table(
        ["cell", "client", "wall, s", "CPU, s", "peak, MiB", "system calls a file", "requests a file"], figures,
        words=(0, 1))
    return lines


def matrix_lines(cells, folder) -> list:
    groups = {}
    for cell in cells:
        if cell.about["case"] == "matrix":
            groups.setdefault((cell.about["place"], cell.about["scheme"], cell.about["latency"]), []).append(cell)
    if not groups:
        return []
    lines = ["## The matrix", ""]
    counts = {cell.about["cell"]: cell.counts for cell in cells}
    for (place, scheme, latency), group in groups.items():
        title = place if scheme == "none" else f"{place}, {scheme}, {latency} ms there and back"
        name = f"wall-{place}-{scheme}-{latency}ms.svg"
        lines += [f"### {title}", ""]
        if any(cell.runs for cell in group):
            plots.walls(title, group, folder / name)
            lines += [f"![wall time]({name})", ""]
        for cell in group:
            lines += cell_lines(cell, counts)
    return lines


def cell_lines(cell, counts) -> list:
    about = cell.about
    # Latency changes nothing in what is asked for.
    counted = cell.counts or counts.get(about["cell"].replace(f"/{about['latency']}ms/", "/0ms/"), {})
    # What goes over TLS is no less in requests, and not every server has a list of them.
    plain = counts.get(about["cell"].replace("/https/", "/http/").replace(f"/{about['latency']}ms/", "/0ms/"), {})
    rows = []
    for client in list(cell.runs):
        walls = [run["wall"] for run in cell.runs[client]]
        wall, best = statistics.median(walls), median(cell, "submit", "wall") if cell.runs.get("submit") else None
        count = counted.get(client, {})
        asked = count if count.get("requests") else plain.get(client, {})
        methods = sorted(asked.get("methods", {}).items(), key=lambda method: -method[1])
        rows.append([
            client, f"{seconds(wall)} ({seconds(min(walls))}–{seconds(max(walls))})",
            f"{best / wall:.2f}x" if best and client != "submit" else "", seconds(median(cell, client, "cpu")),
            f"{max(run['memory'] for run in cell.runs[client]):.0f}",
            f"{asked['requests'] / about['files']:.2f}" if asked.get("requests") else "-",
            ", ".join(f"{method} {number}" for method, number in methods),
            f"{count['sent'] / about['bytes']:.3f}" if count.get("sent") else "-", len(walls)])
    for client, errors in cell.failures.items():
        rows.append([client, f"failed {len(errors)}x, see below"] + [""] * 7)
    return [f"**{about['workload']}**, measured {about['session']}", ""] + table(
        ["client", "wall, s (least–most)", "submit against it", "CPU, s", "peak memory, MiB", "requests a file",
         "of these", "bytes sent a byte of the files", "runs"], rows, words=(0, 6))


def fan_out_lines(cells, folder) -> list:
    cells = [cell for cell in cells if cell.about["case"] == "fan-out" and cell.runs.get("1")]
    if not cells:
        return []
    plots.fan_out(cells, folder / "fan-out.svg")
    lines = [
        "## One more destination", "",
        "Destinations of a kind in one run of `submit`. All are alike, so that the run to one is the slowest alone. "
        "“Read” is what `submit` asked of the kernel, and from the disk what came from there with a cold page cache, "
        "both for each byte of the files.", "", "![one more destination](fan-out.svg)", ""]
    for cell in cells:
        one_wall, one_cpu = median(cell, "1", "wall"), median(cell, "1", "cpu")
        rows, before = [], None
        for client in sorted(cell.runs, key=int):
            number, wall, cpu = int(client), median(cell, client, "wall"), median(cell, client, "cpu")
            read, cold = median(cell, client, "read") / cell.about["bytes"], cell.counts.get(client)
            more = ["", ""] if before is None else [
                f"{(wall - before[1]) / (number - before[0]) / one_wall:+.2f}x",
                f"{(cpu - before[2]) / (number - before[0]) / one_cpu:+.2f}x"]
            rows.append([
                number, seconds(wall), f"{wall / one_wall:.2f}x", more[0], seconds(cpu), f"{cpu / number:.3f}", more[1],
                f"{read:.2f}", f"{read / number:.2f}",
                f"{cold['disk'] / cell.about['bytes']:.2f}" if cold else "-",
                f"{max(run['memory'] for run in cell.runs[client]):.0f}"])
            before = number, wall, cpu
        lines += [f"**{cell.about['workload']} to {cell.about['place']}**, measured {cell.about['session']}", ""] + table(
            ["destinations", "wall, s", "against one", "one more costs, of the wall of one", "CPU, s",
             "CPU a destination, s", "one more costs, of the CPU of one", "read", "read a destination",
             "from the disk", "peak memory, MiB"], rows)
    return lines


def failure_lines(cells) -> list:
    rows = [
        [f"`{cell.about['cell']}`", client, error.replace("|", "\\|")]
        for cell in cells for client, errors in cell.failures.items() for error in sorted(set(errors))]
    told = table(["cell", "client", "what it said"], rows, words=(0, 1, 2)) if rows else ["Nothing.", ""]
    return ["## What failed", "", *told]


def head_lines(sessions, cells) -> list:
    used = sorted({cell.about["session"] for cell in cells})
    last = sessions[used[-1]]
    rounds = sorted({len(runs) for cell in cells for runs in cell.runs.values()})
    loads = [run["load"][0] for cell in cells for runs in cell.runs.values() for run in runs]
    lines = [
        "# Benchmarks", "",
        "Made by `Tests/Benchmarks/run.sh`. In each cell all clients sent the same files to the same server in the "
        "same run, in alternating order; figures are medians. After every run it was looked whether all had arrived. "
        "Requests and bytes were counted between client and server, or by the server's log, in a run of its own. Photos "
        "begin as a camera's do, with EXIF, and go on at random; films as films do. OpenStack Swift (`s3`, `swift`) honours "
        "If-None-Match, which submit is told by `look_first: no`; the S3 sink shows what looking first costs.", "",
        f"Last measured {used[-1]}. The load before it was {last['load'][0]}, and at most {max(loads, default=0)} in "
        "all of it.", ""]
    if rounds and rounds[0] < ROUNDS:
        least = "1 run" if rounds[0] == 1 else f"{rounds[0]} runs"
        lines += [f"**Some medians are of {least} only: they say that it runs, and not how fast.**", ""]
    if any(sessions[name].get("quick") for name in used):
        lines += ["**With `--quick`: a tenth of the files.**", ""]
    lines += table(["machine", ""], last["machine"].items(), words=(0, 1))
    lines += table(["program", "version"], last["versions"].items(), words=(0, 1))
    if len(used) > 1:
        lines += ["Not all was measured with one build:", ""]
        lines += table(
            ["measured", "submit", "load before", "cells"],
            [[name, sessions[name]["versions"]["submit"], sessions[name]["load"][0],
              sum(cell.about["session"] == name for cell in cells)] for name in used], words=(0, 1))
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("numbers", type=Path, help="what main.py wrote; the report goes beside it")
    numbers = parser.parse_args().numbers
    sessions, cells = records.read(numbers)
    cells, folder = list(cells.values()), numbers.parent
    if not cells:
        raise SystemExit(f"{numbers} holds no numbers yet")
    lines = head_lines(sessions, cells) + table_lines(cells) + Goals(cells).lines()
    lines += fan_out_lines(cells, folder) + matrix_lines(cells, folder) + failure_lines(cells)
    (folder / "report.md").write_text("\n".join(lines))
    print(folder / "report.md")


if __name__ == "__main__":
    main()
